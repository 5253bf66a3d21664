import { describe, expect, it } from 'vitest'
import reader from '../../../src/readers/formats/goose.ts'
import { exchangesOf, fixtureText, linesOf, outlines, readFixture, readRecords } from '../reading.ts'

const read = (file: string) => readFixture('goose', file)

describe('goose', () => {
  it('reads the files until 1.9, without what tools wrote for the user alone', async () => {
    const result = await read('session.jsonl')
    expect(outlines(result)).toEqual([
      '2 ?user: Is the lamp on? | <image 5>',
      '3 assistant: (I look.) | I look. | developer__shell#c1 | developer__read#c2',
      '4 tool#c1: 40',
      '4 !tool#c2: denied',
      '5 assistant: It is on.',
      '7 ?user: Dim it.',
      '8 assistant: Dimmed.',
    ])
    expect(exchangesOf(result)).toEqual(['2 complete', '7 complete'])
    expect(result.findings).toEqual(['unknown-record@9'])
    expect(result.report.noContext).toBe(1)
  })

  it("takes the head's newest counts for those of the last response", async () => {
    const [trace] = (await read('session.jsonl')).traces
    const usage = { input: 1200, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 50 }
    expect([0, 1, 2].map((request) => trace!.usage(request))).toEqual([null, null, usage])
    expect(trace!.head).toMatchObject({ cwd: '/home/ada/lamp' })
  })

  it('reads exports, in which what was summarised is no longer for the agent', async () => {
    const result = await read('export.json')
    expect(outlines(result)).toEqual([
      '1 ?user: Is the lamp on?',
      '2 assistant: shell#c1',
      '3 tool#c1: on',
      '4 assistant: It is on.',
      '8 ?user: Dim it.',
      '9 assistant: Dimmed.',
    ])
    const [trace] = result.traces
    expect(trace!.head).toMatchObject({ conversation: '20260401_1', provider: 'anthropic', model: 'claude-sonnet-4-5' })
    const [compaction] = trace!.compactions
    expect(compaction).toMatchObject({ at: 4, keptFrom: 4, line: 5 })
    expect(compaction!.summary.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })

  it('reads exports of newer versions: their counts and models, what is sent behind a prompt, kinds of another day', async () => {
    const result = await read('counts.json')
    expect(outlines(result)).toEqual([
      '1 ?user: Is the lamp on?',
      '2 injected: <turn-context>',
      '3 assistant: shell#c1',
      '4 tool#c1: on',
      '5 assistant: It is on.',
      '6 ?user: <document 5> | {"type":"hologram","shape":"roun',
    ])
    expect(exchangesOf(result)).toEqual(['1 complete', '6 open'])
    expect(result.findings).toEqual([])
    const [trace] = result.traces
    expect(trace!.head).toMatchObject({ provider: 'anthropic', model: 'claude-sonnet-4-6' })
    // Cached tokens are part of the first input and stand beside the second: the totals tell.
    expect([0, 1].map((request) => trace!.usage(request))).toEqual([
      { input: 600, cacheRead: 400, cacheWrite: 100, cacheWrite1h: 0, output: 20 },
      { input: 640, cacheRead: 600, cacheWrite: 0, cacheWrite1h: 0, output: 8 },
    ])
  })

  it('joins the messages of a response in the stream of a run', async () => {
    const result = await read('stream.jsonl')
    expect(outlines(result)).toEqual([
      '1 ?user: Is the lamp on?',
      '3 assistant: I look. | shell#c1',
      '6 tool#c1: on',
      '7 assistant: It is on.',
    ])
    expect(result.report).toMatchObject({ format: 'goose', noContext: 2, leftOut: 0 })
    expect(result.traces[0]!.usage(0)).toMatchObject({ input: 90, output: 10 })
  })

  it('names what a message and a head lack', async () => {
    const head = { id: '1', working_dir: '/lamp', message_count: 1 }
    const odd = async (record: object) => {
      const { report } = await readRecords([record], 'goose')
      return report.problems.map(({ line, detail }) => [line, detail])
    }
    const said = { role: 'user', created: 1, content: [{ type: 'text', text: 'Hi.' }] }
    expect(await odd({ ...head, conversation: [said] })).toEqual([])
    expect(await odd({ ...head, dialogue: [said] })).toEqual([[1, 'conversation']])
    const request = { type: 'toolRequest', id: 'c', toolCall: { status: 'success', value: { tool: 'shell' } } }
    const asking = { role: 'assistant', created: 2, content: [request] }
    const path = 'content[].toolCall.value.name'
    expect(await odd({ ...head, conversation: [said, asking] })).toEqual([[2, path]])
    expect(await odd({ type: 'message', message: asking })).toEqual([[1, path]])
  })

  it('knows its heads and messages, and none of other programs', () => {
    const [head, user, response] = linesOf(fixtureText('goose', 'session.jsonl'))
    expect([head, response].map(reader.recognise)).toEqual([1, 1])
    expect(reader.recognise(user)).toBeGreaterThan(0.5)
    for (const other of [
      null,
      { role: 'user', content: [{ type: 'text', text: 'Hi.' }] },
      { role: 'user', content: [{ type: 'input_text', text: 'Hi.' }], created: 1 },
      { working_dir: '/' },
    ])
      expect(reader.recognise(other)).toBe(0)
  })
})
