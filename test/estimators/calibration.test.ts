import { describe, expect, it } from 'vitest'
import auto from '../../src/estimators/auto.ts'
import { tokensPerByte } from '../../src/estimators/calibration.ts'
import recorded from '../../src/estimators/recorded.ts'
import type { Message, Usage } from '../../src/model/message.ts'
import { recordedRequests } from '../../src/model/recorded.ts'
import type { Compaction, Trace } from '../../src/model/trace.ts'
import { traceOf } from '../simulator/arbitrary.ts'

const usageOf = (input: number, output = 0): Usage => ({ input, output, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 })

/** Each pair has the units of a user message, and the usage recorded for the request after it. */
function conversation(
  steps: readonly (readonly [units: number, input: number | null, output?: number])[],
  compactions: readonly Compaction[] = [],
): Trace {
  const list = steps.flatMap(([units, input, output], index): Message[] => [
    { role: 'user', line: 2 * index + 1, blocks: [{ type: 'text', text: 'x'.repeat(units) }] },
    { role: 'assistant', line: 2 * index + 2, blocks: [], ...(input !== null && { usage: usageOf(input, output) }) },
  ])
  return traceOf(list, [lengthOf], 'openai', { compactions })
}

const lengthOf = (message: Message): number =>
  message.blocks.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0)
const meter = { message: lengthOf, preamble: () => 0, joins: () => () => 0 }
const sizes = (trace: Trace) => ({
  of: (index: number) => trace.units(index, 0),
  message: lengthOf,
  joins: meter.joins(),
})

describe('recordedRequests', () => {
  it('weighs each request by what stands before it', () => {
    const trace = conversation([
      [100, 1100],
      [50, 1150],
      [7, null],
      [3, 1160],
    ])
    const { requests, leftOut } = recordedRequests(trace, sizes(trace))
    expect(requests.map(({ request, input, units }) => [request, input, units])).toEqual([
      [0, 1100, 100],
      [1, 1150, 150],
      [3, 1160, 160],
    ])
    expect(leftOut).toEqual({ withoutUsage: 1, cut: 0, aside: 0 })
  })

  it('compares from the first request on that follows a cut nobody recorded', () => {
    const trace = conversation([
      [1000, 2000],
      [1000, 3000],
      [10, 1500],
      [20, 1520],
    ])
    const { requests, leftOut } = recordedRequests(trace, sizes(trace))
    expect(leftOut).toEqual({ withoutUsage: 0, cut: 1, aside: 0 })
    expect(requests.map(({ request, anchor }) => [request, anchor?.input ?? null])).toEqual([
      [0, null],
      [1, null],
      [3, 1500],
    ])
    const counted = requests.map(({ units, anchor }) => (anchor ? anchor.input - anchor.units : 1000) + units)
    expect(counted).toEqual(requests.map(({ input }) => input))
  })

  it('takes a single small request for an aside', () => {
    const trace = conversation([
      [1000, 2000],
      [1000, 3000],
      [10, 300],
      [20, 3030],
    ])
    const { requests, leftOut } = recordedRequests(trace, sizes(trace))
    expect(leftOut).toEqual({ withoutUsage: 0, cut: 0, aside: 1 })
    expect(requests.map(({ request, anchor }) => [request, anchor])).toEqual([
      [0, null],
      [1, null],
      [3, null],
    ])
  })

  it('puts the summary in place of what was compacted', () => {
    const summary: Message = { role: 'user', line: 9, blocks: [{ type: 'text', text: 'x'.repeat(30) }] }
    const trace = conversation(
      [
        [1000, 2000],
        [500, 2500],
        [10, 1300],
        [20, 1320],
      ],
      [{ at: 4, keptFrom: 2, summary: [summary], line: 9 }],
    )
    const { requests, leftOut } = recordedRequests(trace, sizes(trace))
    expect(leftOut.cut).toBe(1)
    expect(requests.at(-1)).toMatchObject({
      request: 3,
      units: 30 + 500 + 10 + 20,
      anchor: { units: 540, input: 1300 },
    })
  })

  it('begins anew at a reset', () => {
    const trace = traceOf(conversationMessages(), [lengthOf], 'openai', { resets: [2] })
    expect(recordedRequests(trace, sizes(trace)).requests.map(({ units, anchor }) => [units, anchor])).toEqual([
      [5, null],
      [3, null],
    ])
  })

  it('takes what the provider may forget for no cut', () => {
    const trace = conversation([
      [1000, 2000, 900],
      [10, 1500],
    ])
    expect(recordedRequests(trace, sizes(trace)).leftOut.cut).toBe(0)
  })
})

function conversationMessages(): Message[] {
  const user = (text: string): Message => ({ role: 'user', line: 1, blocks: [{ type: 'text', text }] })
  const answer = (input: number): Message => ({ role: 'assistant', line: 1, blocks: [], usage: usageOf(input) })
  return [user('12345'), answer(100), user('123'), answer(98)]
}

it('fits tokens a byte', () => {
  const trace = conversation(Array.from({ length: 40 }, (_, at) => [4000, 500 + 1200 * (at + 1)] as const))
  expect(tokensPerByte(trace, 0, meter)).toBeCloseTo(0.3, 2)
  expect(tokensPerByte(conversation([[10, null]]), 0, meter)).toBe(null)
})

describe('auto and recorded', () => {
  const steps = (count: number) =>
    Array.from({ length: count }, (_, at) => [400, 5000 + 317 * (at + 1) + (at % 3) * 40] as const)
  const priced = (estimator: typeof auto | typeof recorded, count: number, model: string | null) => {
    const context = { provider: 'openai', model } as const
    const list = conversation(steps(count))
    const own = estimator.meter(context, {})
    const trace = traceOf(messagesOf(count), [own.message])
    return { scale: estimator.scale(trace, 0, {}, context), trace, own, list }
  }
  const messagesOf = (count: number): Message[] =>
    steps(count).flatMap(([units, input], index): Message[] => [
      { role: 'user', line: index + 1, blocks: [{ type: 'text', text: 'word '.repeat(units) }] },
      { role: 'assistant', line: index + 1, blocks: [{ type: 'text', text: 'ok' }], usage: usageOf(input) },
    ])

  it('says what it came to', () => {
    expect(priced(auto, 1, 'gpt-5').scale.label).toBe('calibrated(o200k)')
    expect(priced(auto, 0, 'gpt-5').scale.label).toBe('estimate(o200k)')
    expect(priced(auto, 1, null).scale.label).toBe('calibrated(bytes)')
    expect(priced(auto, 0, null).scale.label).toBe('bytes')
    expect(priced(auto, 0, 'claude-opus-4-6').scale.label).toBe('estimate(claude-4.6)')
    expect(priced(recorded, 1, 'claude-opus-4-6').scale.label).toBe('recorded(claude-4.6)')
  })

  it('recorded gives each request the tokens it was recorded with', () => {
    const { scale, trace } = priced(recorded, 12, 'gpt-5')
    let units = scale.units(scale.preambleTokens ?? 0)
    for (let index = 0; index < trace.length; index++) {
      if (trace.isResponse(index)) {
        const input = steps(12)[index >> 1]![1]
        expect(Math.abs(scale.tokens(units) - input)).toBeLessThanOrEqual(1)
      }
      units += scale.of?.(index) ?? 0
    }
  })

  it('recorded gives them, too, where the model drops at the next prompt what it thought', () => {
    const context = { provider: 'openai', model: 'gpt-5.4' } as const
    const text = (words: number) => [{ type: 'text', text: 'word '.repeat(words) }] as const
    // An exchange of four responses, each of which thought; at the next prompt that is gone.
    let [said, thought] = [3000, 0]
    const inputs: number[] = []
    const list = Array.from({ length: 5 }, (): Message[] => {
      thought = 0
      said += 110
      const steps = Array.from({ length: 4 }, (_, step): Message[] => {
        const input = said + thought
        inputs.push(input)
        const id = `call_${inputs.length}`
        said += 130
        thought += 700
        const call = step < 3 ? ([{ type: 'call', id, name: 'read', input: {} }] as const) : []
        return [
          { role: 'assistant', line: 1, blocks: [...text(20), ...call], usage: usageOf(input, 730) },
          ...(step < 3 ? [{ role: 'tool', line: 1, callId: id, blocks: text(90) } as const] : []),
        ]
      }).flat()
      return [{ role: 'user', line: 1, blocks: text(100) }, ...steps]
    }).flat()
    const trace = traceOf(list, [recorded.meter(context, {}).message], 'openai')
    const scale = recorded.scale(trace, 0, {}, context)
    const counted = { ...sizes(trace), of: scale.of!, joins: recorded.meter(context, {}).joins(trace.preamble) }
    const { requests } = recordedRequests(trace, { ...counted, passing: scale.passing! })
    const off = requests.map(({ units }, at) => scale.tokens(units + scale.units(scale.preambleTokens!)) - inputs[at]!)
    expect(scale.passing!.inRequest(0, trace.requestAt(3))).toBeGreaterThan(1500)
    for (const one of off) expect(Math.abs(one)).toBeLessThanOrEqual(2)
  })

  it('puts a request that is off by itself down to no message', () => {
    const context = { provider: 'openai', model: 'gpt-5' } as const
    const list = messagesOf(16).map((message, at) =>
      message.usage && at === 15 ? { ...message, usage: usageOf(message.usage.input * 10) } : message,
    )
    const own = auto.meter(context, {})
    const trace = traceOf(list, [own.message])
    const scale = auto.scale(trace, 0, {}, context)
    for (let index = 0; index < trace.length; index++)
      expect(scale.tokens(scale.of!(index))).toBeLessThanOrEqual(Math.ceil(4 * scale.tokens(trace.units(index, 0))))
  })
})

describe('what a model thought', () => {
  it('is known of responses whose request nobody counted for the run, as their output is', () => {
    // Every third response thought, which the next requests carry.
    let carried = 0
    const list = Array.from({ length: 24 }, (_, at): Message[] => {
      carried += 40
      const input = 1000 + carried
      const output = at % 3 === 0 ? 600 : 2
      carried += output
      const text = (words: number) => [{ type: 'text', text: 'word '.repeat(words) }] as const
      return [
        { role: 'user', line: at + 1, blocks: text(36) },
        { role: 'assistant', line: at + 1, blocks: text(1), usage: usageOf(input, output) },
      ]
    }).flat()
    const context = { provider: 'openai', model: 'gpt-5.6' } as const
    const trace = traceOf(list, [auto.meter(context, {}).message])
    const hidden = trace.withoutUsageFrom(12)
    expect([hidden.usage(12), hidden.output(12)]).toEqual([null, 600])
    const [seen, foretold] = [trace, hidden].map((one) => auto.scale(one, 0, {}, context))
    for (let request = 12; request < 24; request++) {
      const message = trace.requestAt(request)
      expect(foretold!.of!(message)).toBeCloseTo(seen!.of!(message), -1)
    }
  })
})
