/** Usage that no reader takes is named, and what is taken, repeated or said is not. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readGrowing } from '../../src/readers/growing.ts'
import { openFile } from '../../src/readers/lines/source.ts'
import { readRecords } from './reading.ts'

const directory = mkdtempSync(join(tmpdir(), 'ctxwin-usage-'))
afterAll(() => rmSync(directory, { recursive: true }))

const asked = (uuid: string, parentUuid: string | null, content: unknown = 'Which lamp?') => ({
  ...{ type: 'user', sessionId: 's', uuid, parentUuid },
  message: { role: 'user', content },
})
const answered = (uuid: string, parentUuid: string, [input_tokens, output_tokens]: readonly [number, number]) => ({
  ...{ type: 'assistant', sessionId: 's', uuid, parentUuid },
  message: {
    ...{ id: `m-${uuid}`, role: 'assistant', model: 'claude-opus-5' },
    content: [{ type: 'text', text: 'The red one.' }],
    usage: { input_tokens, output_tokens },
  },
})
const session = [
  asked('1', null),
  answered('2', '1', [901, 41]),
  asked('3', '2'),
  answered('4', '3', [1303, 57]),
] as const

/** Of a kind that no version writes. */
const later = (usage: unknown) => ({ type: 'lamp-query', sessionId: 's', usage })

const unread = async (...records: readonly unknown[]) => {
  const { report } = await readRecords(records, 'claude-code')
  return report.problems.filter(({ code }) => code === 'unread-usage')
}

describe('usage that no reader takes', () => {
  it.each([
    ['Anthropic', { input_tokens: 77, output_tokens: 13 }],
    ['OpenAI', { prompt_tokens: 77, completion_tokens: 13 }],
    ['Google', { promptTokenCount: 77, candidatesTokenCount: 13 }],
    ['the AI SDK', { inputTokens: 77, outputTokens: 13 }],
    ['opencode', { input: 77, output: 13 }],
    ['Kimi', { inputOther: 77, output: 13 }],
    ['Cline', { tokensIn: 77, tokensOut: 13 }],
  ])('is named once, by its key, and counted: as %s has it', async (_, usage) => {
    expect(await unread(...session, later(usage), later(usage))).toEqual([
      { code: 'unread-usage', line: 5, detail: 'usage', count: 2 },
    ])
  })

  it('is named where it stands in lists and objects, and in front of all that is read', async () => {
    const calls = [{ model: 'm', tokenUsage: { inputTokens: 77, outputTokens: 13 } }]
    expect(await unread(later(undefined), { type: 'lamp-query', payload: { calls } }, ...session)).toEqual([
      { code: 'unread-usage', line: 2, detail: 'payload.calls.tokenUsage' },
    ])
  })

  it('is not named by a key that may be somebody’s words', async () => {
    const record = { type: 'lamp-query', 'Tom said that': { input_tokens: 77, output_tokens: 13 } }
    expect(await unread(...session, record)).toEqual([{ code: 'unread-usage', line: 5 }])
  })

  it.each([
    ['counts nothing', { input_tokens: 0, output_tokens: 0 }],
    ['counts no tokens', { cpu: 77, memory: 13 }],
    ['counts one way alone', { input_tokens: 77 }],
    ['was answered by nothing', { input_tokens: 77, output_tokens: 0 }],
    ['repeats a response', { input_tokens: 901, output_tokens: 41 }],
    ['is the sum of them all', { input_tokens: 901 + 1303, output_tokens: 41 + 57 }],
  ])('is nothing that %s', async (_, usage) => {
    expect(await unread(...session, later(usage))).toEqual([])
  })

  it('is nothing that a tool has said', async () => {
    const usage = { input_tokens: 77, output_tokens: 13 }
    const call = { type: 'tool_use', id: 'c', name: 'count', input: { usage } }
    const [question, answer] = session
    const calls = { ...answer, message: { ...answer.message, content: [call] } }
    const result = asked('3', '2', [{ type: 'tool_result', tool_use_id: 'c', content: JSON.stringify(usage) }])
    expect(await unread(question, calls, { ...result, toolUseResult: { usage } })).toEqual([])
  })

  it('is the same wherever a reading was stopped', async () => {
    const records = [...session, later({ input_tokens: 77, output_tokens: 13 }), asked('5', '4'), later(undefined)]
    const lines = records.concat(answered('6', '5', [1400, 9]), later({ input_tokens: 78, output_tokens: 13 }))
    const path = join(directory, 'session.jsonl')
    const source = { ...openFile(path), path }
    const options = { format: 'claude-code', sizersFor: () => [], keepMessages: false, torn: 'read' } as const
    const whole = (await readRecords(lines, 'claude-code')).report.problems
    for (let stop = 1; stop < lines.length; stop++) {
      const text = (from: number, to: number) =>
        lines
          .slice(from, to)
          .map((line) => `${JSON.stringify(line)}\n`)
          .join('')
      writeFileSync(path, text(0, stop))
      const first = await readGrowing(source, options, null, () => {})
      writeFileSync(path, text(0, lines.length))
      const second = await readGrowing(source, options, first?.checkpoint ?? null, () => {})
      expect(second?.report.problems, `after ${stop}`).toEqual(whole)
    }
  })
})
