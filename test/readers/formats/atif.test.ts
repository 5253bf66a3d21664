import { describe, expect, it } from 'vitest'
import reader from '../../../src/readers/formats/atif.ts'
import { exchangesOf, fixtureText, messagesOf, outlines, readFixture, readText } from '../reading.ts'

const read = (file: string) => readFixture('atif', file)

describe('atif: trajectories', () => {
  it('reads steps as responses with the results that they observed', async () => {
    const result = await read('trajectory.json')
    expect(outlines(result)).toEqual([
      '2 ?user: Mend the lamp. | <image 0>',
      '3 assistant: (Where is it?) | I look. | bash#toolu_1 | bash#toolu_2',
      '3 tool#toolu_1: lamp.py',
      '3 +tool#toolu_2: /lamp',
      '4 injected: The window was left and taken up',
      '5 assistant: A helper mends it. | Task#toolu_3',
      '5 tool#toolu_3: ',
      '6 assistant: Mended.',
    ])
    expect(exchangesOf(result)).toEqual(['2 complete'])
    expect(result.findings).toEqual(['bad-record@7'])
    const [trace] = result.traces
    expect(messagesOf(result)[2]).toMatchObject({ toolName: 'bash', time: 1_767_225_601_000 })
    expect(trace!.head).toMatchObject({ provider: 'anthropic', model: 'claude-opus-4-6', version: '2.1.0' })
    expect(trace!.preamble).toMatchObject({ complete: true, system: [{ line: 1 }], tools: [{ type: 'function' }] })
  })

  it('counts cached tokens as part of the prompt, to the sums of the trajectory', async () => {
    const { traces } = await read('trajectory.json')
    const [first, second, third] = [0, 1, 2].map((request) => traces[0]!.usage(request))
    expect(first).toEqual({ input: 900, cacheRead: 600, cacheWrite: 250, cacheWrite1h: 0, output: 40, cost: 0.01 })
    expect(third).toBeNull()
    const { total_prompt_tokens, total_cached_tokens } = JSON.parse(
      fixtureText('atif', 'trajectory.json'),
    ).final_metrics
    expect(first!.input + second!.input).toBe(total_prompt_tokens)
    expect(first!.cacheRead + second!.cacheRead).toBe(total_cached_tokens)
  })

  it('reads embedded sub-agents as transcripts of their own', async () => {
    const { traces } = await read('trajectory.json')
    expect(traces.map(({ head, requests }) => [head.conversation, head.parent, requests])).toEqual([
      ['lamp', null, 3],
      ['lamp-helper', 'lamp', 1],
    ])
  })

  it('inherits what a continued run copied, and remembers where its context was replaced', async () => {
    const result = await read('continued.json')
    expect(outlines(result)).toEqual([
      '1 injected: Mend the lamp.',
      '2 assistant: What is known?',
      '3 injected: It stays on.',
      '4 assistant: {"commands":["ls"]}',
      '4 tool#undefined: New Terminal Output:',
      '6 ?user: You are picking up work: the lam',
      '7 assistant: {"commands":[]}',
      '7 tool#undefined: New Terminal Output:',
    ])
    const [trace] = result.traces
    expect(trace!.requests).toBe(2)
    expect(trace!.head.forkMessage).toBe(3)
    expect(trace!.compactions).toEqual([{ at: 5, keptFrom: 5, summary: [], line: 5 }])
    expect(trace!.preamble.complete).toBe(false)
  })

  it('keeps the steps in front of where the file was cut off', async () => {
    const text = fixtureText('atif', 'trajectory.json')
    const result = await readText(text.slice(0, text.indexOf('A helper mends it.')))
    expect(result.findings).toEqual(['torn-document@1'])
    expect(outlines(result)).toHaveLength(5)
  })
})

describe('atif: recognition', () => {
  it('knows its trajectories by the version of the format', () => {
    expect(reader.recognise({ schema_version: 'ATIF-v1.0', steps: [] })).toBe(1)
    expect(reader.recognise({ schema_version: 'ATIF-v1.0', messages: [] })).toBe(0)
    expect(reader.recognise({ schema_version: '1.0', steps: [] })).toBe(0)
    expect(reader.recognise({ schema_version: 1, steps: [] })).toBe(0)
    expect(reader.recognise([])).toBe(0)
  })
})
