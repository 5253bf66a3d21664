import { describe, expect, it } from 'vitest'
import reader from '../../../src/readers/formats/amp.ts'
import { exchangesOf, fixtureText, messagesOf, outlines, readFixture, readRecords } from '../reading.ts'

const read = () => readFixture('amp', 'thread.json')

describe('amp', () => {
  it('reads prompts with the files they mention, responses, and what tools gave', async () => {
    const result = await read()
    expect(outlines(result)).toEqual([
      '1 ?user: Is the lamp on? | A lamp.',
      '2 assistant: (I look.) | Read#c1 | Bash#c2 | Read#c3',
      '3 tool#c1: on',
      '3 +!tool#c2: denied',
      '3 +tool#c3: {"absolutePath":"/hall.md","cont',
      '4 assistant: It is on.',
      '5 injected: {"type":"manual_bash_invocation"',
      '7 ?user: Dim it.',
      '8 assistant: Dimmed.',
    ])
    expect(exchangesOf(result)).toEqual(['1 complete', '7 complete'])
    expect(result.findings).toEqual(['unknown-record@9', 'bad-record@10'])
    expect(result.traces[0]!.head).toMatchObject({ conversation: 'T-5f1c', cwd: '/home/ada/my lamp' })
  })

  it('counts cached tokens beside the input, and a response that nobody counted not at all', async () => {
    const [trace] = (await read()).traces
    expect(trace!.usage(0)).toEqual({ input: 1000, cacheRead: 900, cacheWrite: 90, cacheWrite1h: 0, output: 40 })
    expect([1, 2].map((request) => trace!.usage(request)?.input)).toEqual([1055, undefined])
  })

  it('takes the time of a response from its counts, or from the message', async () => {
    const thread = {
      id: 'T-1',
      v: 7,
      messages: [
        { role: 'user', createdAt: '2026-03-31T09:40:00.000Z', content: [{ type: 'text', text: 'Hi.' }] },
        {
          role: 'assistant',
          content: [{ type: 'text', text: 'Hello.' }],
          usage: { timestamp: '2026-03-31T09:40:05.000Z' },
        },
      ],
    }
    const times = messagesOf(await readRecords([thread], 'auto')).map(({ time }) => time)
    expect(times).toEqual([Date.parse('2026-03-31T09:40:00Z'), Date.parse('2026-03-31T09:40:05Z')])
  })

  it('remembers a summary as a compaction', async () => {
    const [trace] = (await read()).traces
    expect(trace!.compactions).toMatchObject([{ at: 7, keptFrom: 7, line: 6 }])
  })

  it('knows threads by their ids', () => {
    const thread = JSON.parse(fixtureText('amp', 'thread.json'))
    expect(reader.recognise(thread)).toBe(1)
    for (const other of [null, {}, { ...thread, id: 'x' }, { id: 'T-1', messages: [] }, { ...thread, messages: {} }])
      expect(reader.recognise(other)).toBe(0)
  })

  it('names what a message lacks, on its line', async () => {
    const oddities = async (message: object) => {
      const thread = { id: 'T-1', v: 1, created: 1, messages: [{ role: 'user', content: 'Hi.' }, message] }
      return (await readRecords([thread], 'amp')).report.problems.map(({ line, detail }) => [line, detail])
    }
    const result = (run: object) => ({ role: 'user', content: [{ type: 'tool_result', toolUseID: 'c1', run }] })
    expect(await oddities(result({ status: 'in-progress' }))).toEqual([])
    expect(await oddities(result({ status: 'done', output: 'on' }))).toEqual([[2, 'content[].run.result']])
    const usage = { inputTokens: 1, outputTokens: 1, cacheReadInputTokens: 0 }
    expect(await oddities({ role: 'assistant', content: 'Hi.', usage })).toEqual([
      [2, 'usage.cacheCreationInputTokens'],
    ])
  })
})
