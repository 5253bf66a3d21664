import { describe, expect, it } from 'vitest'
import { readRecords } from '../reading.ts'

describe('ctxwin', () => {
  it('takes no message of an origin that there is not: it would be printed as it stands', async () => {
    const head = { transcript: { ctxwin: 1, provider: 'openai', preamble: { system: [], complete: true } } }
    const said = (origin: string) => ({ message: { role: 'user', blocks: [{ type: 'text', text: 'Hi.' }], origin } })
    const { traces, findings } = await readRecords([head, said('queued'), said('elsewhere')], 'auto')
    expect([traces[0]?.length, findings]).toEqual([1, ['bad-record@3']])
  })
})
