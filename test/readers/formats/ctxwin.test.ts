import { describe, expect, it } from 'vitest'
import { fixtureText, readText } from '../reading.ts'

describe('ctxwin', () => {
  it('takes no message of an origin that there is not: it would be printed as it stands', async () => {
    const text = fixtureText('ctxwin', 'converted.jsonl')
    const line = text.slice(0, text.indexOf('"origin"')).split('\n').length
    expect((await readText(text)).findings).not.toContain(`bad-record@${line}`)
    const { findings } = await readText(text.replace(/"origin":"\w+"/, '"origin":"elsewhere"'))
    expect(findings).toContain(`bad-record@${line}`)
  })
})
