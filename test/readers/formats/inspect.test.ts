import { describe, expect, it } from 'vitest'
import reader from '../../../src/readers/formats/inspect.ts'
import { exchangesOf, fixtureText, messagesOf, outlines, readFixture, readText } from '../reading.ts'

const read = (file: string) => readFixture('inspect', file)

describe('inspect: logs', () => {
  it('reads each sample by itself, with its attachments in place', async () => {
    const result = await read('log.json')
    expect(outlines(result)).toEqual([
      '2 ?user: Mend the lamp. | <image 8>',
      '3 assistant: (Where is it?) | I look. | bash#t1 | bash#t2',
      '4 tool#t1: lamp.py',
      '5 +!tool#t2: Too slow.',
      '6 injected: Please go on.',
      '7 assistant: Mended.',
    ])
    expect(exchangesOf(result)).toEqual(['2 complete'])
    expect(messagesOf(result)[1]!.blocks[2]).toMatchObject({ input: { cmd: 'ls' } })
    expect(result.findings).toEqual(['bad-record@3'])
    expect(result.traces.map(({ head }) => head.conversation)).toEqual(['1/epoch:1', 'old/epoch:1'])
    const [trace] = result.traces
    expect(trace!.head).toMatchObject({ provider: 'anthropic', model: 'claude-sonnet-4-5-20250929' })
    expect(trace!.preamble).toMatchObject({
      complete: true,
      tools: [{ name: 'bash' }],
      system: [{ blocks: [{ text: 'You mend lamps.' }] }],
    })
  })

  it('takes usage and time from the event whose response is in the history, and no other', async () => {
    const { traces } = await read('log.json')
    expect([0, 1].map((request) => traces[0]!.usage(request))).toEqual([
      { input: 420, cacheRead: 0, cacheWrite: 400, cacheWrite1h: 0, output: 30 },
      { input: 310, cacheRead: 300, cacheWrite: 0, cacheWrite1h: 0, output: 5 },
    ])
    expect(traces[0]!.requestTime(0)).toBe(1_767_225_602_000)
    expect(traces[0]!.requests).toBe(2)
  })

  it('knows a response without an id by its words, and cached tokens that are part of the input by the total', async () => {
    const { traces } = await read('log.json')
    expect(traces[1]!.usage(0)).toEqual({ input: 100, cacheRead: 64, cacheWrite: 0, cacheWrite1h: 0, output: 4 })
  })

  it('remembers a compaction from a request that does not begin like the one before', async () => {
    const { traces } = await read('log.json')
    expect(traces[0]!.compactions).toMatchObject([
      { at: 5, keptFrom: 4, line: 7, summary: [{ role: 'user', blocks: [{ text: 'There is a lamp.py.' }] }] },
    ])
  })

  it('names what a log refers to and does not hold', async () => {
    const text = JSON.stringify(JSON.parse(fixtureText('inspect', 'log.json')))
    const read = async (from: string, to: string) => {
      const { report } = await readText(text.replace(from, to))
      return report.problems.map(({ code, line, detail }) => (detail === undefined ? code : `${detail}@${line}`))
    }
    expect(await read('attachment://bb', 'attachment://dd')).toEqual(['attachments@1', 'bad-record'])
    const outside = '"input_refs":[[0,9]]'
    expect(await read('"input_refs":[[0,2]]', outside)).toEqual(['events[].input_refs@1', 'bad-record'])
    const unknown = { id: 'x', role: 'user', content: 'There is a lamp.py.' }
    const { id: _, ...nameless } = unknown
    expect(await read(JSON.stringify(unknown), JSON.stringify(nameless))).toEqual([
      'events[].input[].id@7',
      'bad-record',
    ])
  })

  it('keeps the samples in front of where a log was cut off', async () => {
    const text = fixtureText('inspect', 'log.json')
    const result = await readText(text.slice(0, text.lastIndexOf('"attachments"')))
    expect(result.traces).toHaveLength(1)
    expect(result.findings.map((finding) => finding.split('@')[0])).toEqual(['torn-document'])
  })
})

describe('inspect: recognition', () => {
  it('knows its logs and samples, and nothing that only looks like them', () => {
    const messages = [{ role: 'user', content: 'Mend it.' }]
    expect(reader.recognise({ eval: { task: 'lamps' }, samples: [] })).toBe(1)
    expect(reader.recognise({ id: 1, epoch: 1, input: 'Mend it.', target: '', messages })).toBe(1)
    expect(reader.recognise({ eval: {}, samples: [] })).toBe(0)
    expect(reader.recognise({ id: 1, input: 'Mend it.', messages })).toBe(0)
    expect(reader.recognise({ messages })).toBe(0)
    expect(reader.recognise([])).toBe(0)
  })
})
