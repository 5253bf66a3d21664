import { describe, expect, it } from 'vitest'
import { readers } from '../../../src/readers/index.ts'
import { voteFormat } from '../../../src/readers/vote.ts'
import { exchangesOf, fixtureText, linesOf, outlines, readFixture, readRecords } from '../reading.ts'

const read = () => readFixture('gemini-stream', 'stream.jsonl')

describe('gemini-stream', () => {
  it('joins the pieces of a response, with its calls', async () => {
    const result = await read()
    expect(outlines(result)).toEqual([
      '2 ?user: Is the lamp on?',
      '3 assistant: I look. | read_file#read_file-1 | run_shell_command#run-2',
      '7 tool#read_file-1: on',
      '8 +!tool#run-2: denied',
      '10 assistant: It is on.',
    ])
    expect(exchangesOf(result)).toEqual(['2 complete'])
    expect(outlines(result, 1)).toEqual(['13 ?user: Thanks.', '14 assistant: Welcome.'])
    expect(result.findings).toEqual(['unknown-record@16'])
    expect(result.traces.map(({ head }) => [head.conversation, head.provider, head.model])).toEqual([
      ['g-1', 'google', 'gemini-3-flash-preview'],
      ['g-2', 'google', 'gemini-3-flash-preview'],
    ])
  })

  it('takes the sum of a run only where it is that of one request', async () => {
    const { traces } = await read()
    expect([0, 1].map((request) => traces[0]!.usage(request))).toEqual([null, null])
    expect(traces[1]!.usage(0)).toMatchObject({ input: 405, cacheRead: 0, output: 5 })
  })

  it('names who said something, if that is nobody it knows', async () => {
    const said = { type: 'message', timestamp: '2026-03-05T20:42:01.000Z', role: 'host', content: 'Hi.' }
    expect((await readRecords([said], 'gemini-stream')).findings).toEqual(['bad-record@1'])
  })

  it('is told from the other streams', () => {
    for (const [format, file] of [
      ['gemini-stream', 'stream.jsonl'],
      ['droid-exec', 'stream.jsonl'],
      ['codex-exec', 'stream.jsonl'],
      ['goose', 'stream.jsonl'],
      ['claude-code', 'stream-json.jsonl'],
    ] as const)
      expect(voteFormat(readers.all, linesOf(fixtureText(format, file)))?.name).toBe(format)
  })
})
