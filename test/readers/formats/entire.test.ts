import { describe, expect, it } from 'vitest'
import { messagesOf, outlines, readFixture, readRecords } from '../reading.ts'

describe('entire', () => {
  it('reads prompts, responses and the results inside their calls', async () => {
    const result = await readFixture('entire', 'claude-code.jsonl')
    expect(outlines(result)).toEqual([
      '1 ?user: Mend the lamp. | <image 2>',
      '2 assistant: I look. | Read#toolu_1 | Bash#toolu_2 | Bash#toolu_3',
      '2 tool#toolu_1: A loose wire.',
      '2 +!tool#toolu_2: mend: not found',
      '3 injected: [Request interrupted by user]',
      '4 ?user: Go on.',
      '5 assistant: Mended.',
    ])
    expect(result.findings).toEqual([])
    expect(result.traces[0]!.head.provider).toBe('anthropic')
    expect(messagesOf(result)[1]!.time).toBe(Date.parse('2026-10-13T07:05:04Z'))
  })

  it('takes counts only where they are of the whole input', async () => {
    const [claude] = (await readFixture('entire', 'claude-code.jsonl')).traces
    expect([claude!.usage(0), claude!.usage(1)]).toEqual([null, null])
    const [gemini] = (await readFixture('entire', 'gemini.jsonl')).traces
    expect(gemini!.usage(0)).toMatchObject({ input: 900, output: 3 })
  })

  it('names a line without content, and one of an unknown kind', async () => {
    const line = { v: 1, agent: 'claude-code', cli_version: '0.10.1', type: 'assistant' }
    const { report } = await readRecords([line, { ...line, type: 'telepathy', content: [] }], 'entire')
    expect(report.problems).toEqual([
      { code: 'bad-shape', line: 1, detail: 'content' },
      expect.objectContaining({ code: 'unknown-record', line: 2 }),
    ])
  })
})
