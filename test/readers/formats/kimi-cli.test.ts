import { describe, expect, it } from 'vitest'
import { messagesOf, outlines, readFixture, readRecords } from '../reading.ts'

describe('kimi-cli', () => {
  it('reads messages, and the usage of each response from the windows around it', async () => {
    const result = await readFixture('kimi-cli', 'context.jsonl')
    expect(outlines(result)).toEqual([
      '3 ?user: Mend the lamp.',
      '5 injected: <system>CHECKPOINT 1</system>',
      '7 assistant: (Where is it?) | I look. | ReadFile#ReadFile:0',
      '9 tool#ReadFile:0: <system>1 line</system> | A loose wire.',
      '12 assistant: Mended.',
      '14 ?user: Is it on?',
      '15 assistant: It is.',
    ])
    expect(result.findings).toEqual([])
    const [trace] = result.traces
    expect(trace!.preamble).toMatchObject({ system: [{ blocks: [{ text: 'You mend lamps.' }] }], complete: false })
    expect([0, 1, 2].map((request) => trace!.usage(request))).toEqual([
      { input: 2600, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 50 },
      { input: 2700, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 4 },
      null,
    ])
  })

  it('names a window that is no count, and one that shrinks in a response', async () => {
    const user = { role: 'user', content: 'Is it on?' }
    const said = { role: 'assistant', content: 'It is.' }
    for (const [before, behind] of [
      [100, 90],
      ['many', 110],
    ]) {
      const usage = (token_count: unknown) => ({ role: '_usage', token_count })
      const result = await readRecords([user, usage(before), said, usage(behind)], 'kimi-cli')
      expect(result.findings).toEqual(['bad-usage@3'])
      expect(messagesOf(result)).toHaveLength(2)
    }
  })
})
