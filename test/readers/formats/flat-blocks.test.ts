import { describe, expect, it } from 'vitest'
import { messagesOf, outlines, readFixture, readRecords } from '../reading.ts'

describe('flat-blocks', () => {
  it('joins the lines of one response', async () => {
    const result = await readFixture('flat-blocks', 'transcript.jsonl')
    expect(outlines(result)).toEqual([
      '1 ?user: Mend the lamp.',
      '2 assistant: (Where is it?) | I look. | Bash#toolu_1 | Read#toolu_2',
      '6 tool#toolu_1: A loose wire.',
      '7 +!tool#toolu_2: No such file.',
      '8 assistant: Mended.',
      '9 ?user: Thanks.',
    ])
    expect(result.findings).toEqual([])
    expect(result.traces[0]!.requests).toBe(2)
    expect(messagesOf(result)[1]!.time).toBe(Date.parse('2026-10-13T07:05:01Z'))
  })

  it('names a line of another shape, and one of an unknown speaker', async () => {
    const content = { type: 'text', text: 'Hm.' }
    const result = await readRecords(
      [
        { role: 'user', content },
        { role: 'user', content: 'Hm.' },
        { role: 'lamp', content },
        { role: 'assistant', content: { type: 'tool_use', tool_id: 'toolu_1', input: {} } },
      ],
      'flat-blocks',
    )
    expect(result.report.problems).toEqual([
      { code: 'bad-record', line: 2 },
      expect.objectContaining({ code: 'unknown-record', line: 3 }),
      { code: 'bad-shape', line: 4, detail: 'content.tool_name' },
    ])
  })
})
