import { describe, expect, it } from 'vitest'
import reader from '../../../src/readers/formats/qwen-code.ts'
import { readers } from '../../../src/readers/index.ts'
import { voteFormat } from '../../../src/readers/vote.ts'
import { exchangesOf, fixtureText, linesOf, messagesOf, outlines, readFixture, readRecords } from '../reading.ts'

const read = (file: string) => readFixture('qwen-code', file)

describe('qwen-code', () => {
  it('reads the path to the last record, without branches that were left and commands that were not sent', async () => {
    const result = await read('session.jsonl')
    expect(outlines(result)).toEqual([
      '3 ?user: Is the lamp on?',
      '4 assistant: (I look.) | read_file#c1 | shell#c2',
      '5 tool#c1: on',
      '6 !tool#c2: denied',
      '7 queued: And the hall?',
      '9 assistant: Both are on.',
      '14 ?user: Dim it.',
      '15 assistant: Dimmed.',
      '16 injected: <task-notification>Done.</task-n',
    ])
    expect(exchangesOf(result)).toEqual(['3 complete', '14 complete'])
    expect(result.findings).toEqual(['duplicate-record@17', 'bad-record@20', 'unknown-record@21'])
    expect(result.report).toMatchObject({ records: 21, noContext: 3, leftOut: 3 })
    expect(messagesOf(result)[2]).toMatchObject({ toolName: 'read_file', time: 1775037621000 })
  })

  it('counts a response that was taken back beside the history', async () => {
    const [trace] = (await read('session.jsonl')).traces
    expect(trace!.sideCalls).toMatchObject([
      { kind: 'taken-back', line: 11, usage: { input: 9200, output: 5 }, model: 'qwen3-coder-plus' },
    ])
  })

  it('counts thoughts once, whether the total has them beside the candidates or among them', async () => {
    const [trace] = (await read('session.jsonl')).traces
    const none = { cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 }
    expect(trace!.usage(0)).toEqual({ ...none, input: 9000, output: 20 })
    expect(trace!.usage(1)).toEqual({ ...none, input: 9100, cacheRead: 8000, output: 5 })
    expect(trace!.usage(2)).toEqual({ ...none, input: 5000, output: 12 })
    expect(trace!.head).toMatchObject({
      conversation: '33cc',
      provider: 'openai',
      model: 'qwen3-coder-plus',
      cwd: '/home/ada/lamp',
      version: '0.21.13',
    })
  })

  it('remembers a compression with all that the model saw from then on', async () => {
    const [trace] = (await read('session.jsonl')).traces
    const [compaction] = trace!.compactions
    expect(compaction).toMatchObject({ at: 6, keptFrom: 6, line: 13 })
    expect(compaction!.summary.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  })

  it('gives a sub-agent a transcript of its own', async () => {
    const result = await read('session.jsonl')
    expect(outlines(result, 1)).toEqual(['18 ?user: Count the lamps.', '19 assistant: Two.'])
    expect(result.traces[1]!.head).toMatchObject({ conversation: 'counter-1', parent: '33cc' })
  })

  it('knows what a fork inherited', async () => {
    const result = await read('fork.jsonl')
    expect(result.traces[0]!.head).toMatchObject({ conversation: '44dd', parent: '33cc', forkMessage: 2 })
    expect(outlines(result)[2]).toBe('3 ?user: Show me. | <image 5>')
  })

  it('bills a fork for no branch that its parent had left', async () => {
    const record = (uuid: string, parentUuid: string | null, type: string, more: object = {}) => ({
      ...{ uuid, parentUuid, type, sessionId: '55ee', timestamp: '2026-03-02T09:00:00.000Z', cwd: '/lamp' },
      message: { role: type === 'user' ? 'user' : 'model', parts: [{ text: uuid }] },
      ...(type === 'assistant' && {
        model: 'qwen3-coder',
        usageMetadata: { promptTokenCount: 90, candidatesTokenCount: 9, totalTokenCount: 99 },
      }),
      ...more,
    })
    const sideCalls = async (copied: object) => {
      const begin = [record('a', null, 'user', copied), record('b', 'a', 'assistant', copied)]
      const own = [record('c', 'a', 'user'), record('d', 'c', 'assistant')]
      return (await readRecords([...begin, ...own], 'qwen-code')).traces[0]!.sideCalls
    }
    expect(await sideCalls({ forkedFrom: { sessionId: '33cc', messageUuid: 'x' } })).toEqual([])
    expect(await sideCalls({})).toMatchObject([{ kind: 'taken-back', usage: { input: 90 } }])
  })

  it("is not taken for Claude Code's, whose envelope it has, nor for Gemini's", () => {
    const records = linesOf(fixtureText('qwen-code', 'session.jsonl'))
    const systems = records.filter(({ type }) => type === 'system')
    expect(voteFormat(readers.all, [...systems, ...systems, records[0]])?.name).toBe('qwen-code')
    for (const [format, file] of [
      ['claude-code', 'refactor.jsonl'],
      ['gemini-cli', 'lines.jsonl'],
    ] as const) {
      const others = linesOf(fixtureText(format, file))
      expect(others.map(reader.recognise)).toEqual(others.map(() => 0))
    }
  })
})
