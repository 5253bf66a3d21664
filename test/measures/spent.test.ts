import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { outputOf } from '../../src/measures/output.ts'
import { recordedCallsOf, spentOf } from '../../src/measures/spent.ts'
import type { Message, Usage } from '../../src/model/message.ts'
import type { Trace } from '../../src/model/trace.ts'
import { pricingOf } from '../../src/models/pricing.ts'
import type { ModelTable } from '../../src/models/table.ts'
import { traceOf } from '../simulator/arbitrary.ts'
import { size, sizesOf, usage } from './sessions.ts'

/** Of a model whose tokenizer is known, and of one of which it is not. */
const [dear, cheap] = ['claude-opus-4-5', 'lamp-1'] as const

const table: ModelTable = {
  asOf: '2026-01-01',
  sources: [],
  cacheRules: [
    { id: 'a', minPrefix: 0, granularity: 'block', ttl: 300, read: 0.1, write: 1.25, write1h: 2, source: 'test' },
  ],
  models: [
    {
      id: dear,
      provider: 'anthropic',
      cache: 'a',
      price: { input: 5, output: 25, tiers: [{ above: 1000, input: 10, output: 37.5 }] },
      formerPrices: [
        { until: '2026-03-01', input: 20, output: 100, cacheRead: 1 },
        { until: '2026-06-01', input: 15, output: 75 },
      ],
    },
    { id: cheap, provider: 'anthropic', cache: 'a', price: { input: 1, output: 5, cacheRead: 0.05 } },
    { id: 'unpriced', provider: 'anthropic' },
    { id: 'free', provider: 'anthropic', price: { input: 0, output: 0 } },
  ],
}

/** US dollars per million tokens, from the table above. */
function pricesOf(model: string, input: number, day: string) {
  if (model === cheap) return { input: 1, read: 0.05, write: 1.25, hour: 2, output: 5 }
  if (day < '2026-03-01') return { input: 20, read: 1, write: 25, hour: 40, output: 100 }
  if (day < '2026-06-01') return { input: 15, read: 1.5, write: 18.75, hour: 30, output: 75 }
  return input > 1000
    ? { input: 10, read: 1, write: 12.5, hour: 20, output: 37.5 }
    : { input: 5, read: 0.5, write: 6.25, hour: 10, output: 25 }
}

interface Answer {
  readonly model: string
  readonly day: string
  readonly usage: Usage | null
  readonly said: number
}

/** @param kept the turns behind the first so many are taken back */
function session(answers: readonly Answer[], kept = answers.length): Trace {
  const list = answers.flatMap(({ model, day, usage, said }, at): Message[] => [
    { role: 'user', line: 2 * at + 1, blocks: [{ type: 'text', text: 'go' }] },
    {
      role: 'assistant',
      line: 2 * at + 2,
      model,
      time: Date.parse(`${day}T12:00:00Z`),
      blocks: [{ type: 'text', text: 'x'.repeat(said) }],
      ...(usage && { usage }),
    },
  ])
  return traceOf(list, [size], 'anthropic', { kept: 2 * kept })
}

const answer: fc.Arbitrary<Answer> = fc.record({
  model: fc.constantFrom(dear, cheap),
  day: fc.constantFrom('2026-02-28', '2026-03-01', '2026-05-31', '2026-06-01', '2026-11-22'),
  usage: fc.option(
    fc.tuple(usage, fc.boolean()).map(([one, partial]) => (partial ? { ...one, partial: true as const } : one)),
  ),
  said: fc.nat(600),
})

describe('what was spent', () => {
  it('is recorded usage at the prices that the model of each request had that day', () => {
    fc.assert(
      fc.property(fc.array(answer), (answers) => {
        const trace = session(answers)
        const spent = spentOf(trace, sizesOf(trace), null, table)
        const billed = answers.filter((one) => one.usage !== null)
        if (billed.length === 0) {
          expect(spent).toBeNull()
          return
        }
        let [input, output, estimated] = [0, 0, 0]
        for (const { model, day, usage, said } of billed as (Answer & { usage: Usage })[]) {
          const price = pricesOf(model, usage.input, day)
          const { cacheRead, cacheWrite, cacheWrite1h } = usage
          input += (usage.input - cacheRead - cacheWrite) * price.input
          input += cacheRead * price.read + (cacheWrite - cacheWrite1h) * price.write + cacheWrite1h * price.hour
          const isPart = usage.output === 0 || (usage.partial === true && model === dear && usage.output < 0.8 * said)
          output += (isPart ? Math.max(said, usage.output) : usage.output) * price.output
          if (isPart) estimated++
        }
        expect(spent?.requests).toBe(billed.length)
        expect(spent?.estimatedOutputs).toBe(estimated)
        expect(spent?.input).toBeCloseTo(input / 1e6, 5)
        expect(spent?.output).toBeCloseTo(output / 1e6, 5)
        expect(spent?.usd).toBeCloseTo((input + output) / 1e6, 5)
      }),
    )
  })

  it('is the same where turns were taken back: their input and what is recorded of their output count beside the history', () => {
    fc.assert(
      fc.property(fc.array(answer), fc.nat(10), (answers, kept) => {
        const trace = session(answers, kept)
        const billed = answers.map((one, at) => ({ ...one, back: at >= kept })).filter(({ usage }) => usage !== null)
        const spent = spentOf(trace, sizesOf(trace), null, table)
        const whole = session(answers)
        const unchanged = spentOf(whole, sizesOf(whole), null, table)
        if (!spent || !unchanged) {
          expect(billed).toEqual([])
          return
        }
        const back = billed.filter((one) => one.back)
        expect([spent.requests, spent.sideCalls]).toEqual([billed.length - back.length, back.length])
        const output = back.reduce(
          (sum, { model, day, usage }) => sum + (usage?.output ?? 0) * pricesOf(model, usage?.input ?? 0, day).output,
          0,
        )
        expect(spent.input + spent.beside - output / 1e6).toBeCloseTo(unchanged.input, 5)
        expect(spent.usd).toBeCloseTo(spent.input + spent.output + spent.beside, 5)
      }),
    )
  })

  it('prices a sum of calls as so many of its average size', () => {
    const one: Usage = { input: 900, cacheRead: 300, cacheWrite: 100, cacheWrite1h: 0, output: 10 }
    const times = (calls: number): Usage => ({
      ...one,
      input: 900 * calls,
      cacheRead: 300 * calls,
      cacheWrite: 100 * calls,
      output: 10 * calls,
    })
    const time = Date.parse('2026-11-22')
    const call = { kind: 'summed', model: dear, time, line: 1, response: 0 } as const
    const said: Message[] = [
      { role: 'assistant', line: 1, blocks: [] },
      { role: 'assistant', line: 2, blocks: [] },
    ]
    const trace = traceOf(said, [size], 'anthropic', { sideCalls: [{ ...call, calls: 7, usage: times(7) }] })
    const apart = traceOf(said, [size], 'anthropic', {
      sideCalls: Array.from({ length: 7 }, () => ({ ...call, usage: one })),
    })
    // A single request of 6,300 tokens would have another price.
    expect(spentOf(trace, sizesOf(trace), null, table)).toEqual(spentOf(apart, sizesOf(apart), null, table))
    expect(recordedCallsOf(trace, null, table)).toEqual({
      recordedCalls: 7,
      requestsWithoutUsage: 0,
      unpriced: [],
      terms: [],
    })
  })

  const plain: Usage = { input: 1000, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 10 }
  const at = (model: string): Answer => ({ model, day: '2026-11-22', usage: plain, said: 10 })

  it('is nothing that can be said where a model that answered has no known price: part of a bill is no bill', () => {
    for (const model of ['unpriced', 'nobody knows it']) {
      const trace = session([at(dear), at(model)])
      expect(spentOf(trace, sizesOf(trace), null, table)).toBeNull()
      expect(spentOf(trace, sizesOf(trace), cheap, table)?.input).toBeCloseTo(2 * 1000e-6, 9)
    }
  })
})

describe('a model that is given away', () => {
  it('is no call without a price, has no bill to be held against, and is compared in tokens', () => {
    const usage: Usage = { input: 1000, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 10 }
    const trace = session([{ model: 'free', day: '2026-11-22', usage, said: 10 }])
    expect(recordedCallsOf(trace, null, table).unpriced).toEqual([])
    expect(spentOf(trace, sizesOf(trace), null, table)).toBeNull()
    expect(pricingOf(trace, 'free', 'anthropic', table).unit).toBe('input-token-equivalents')
  })
})

describe('the output of a response', () => {
  const usage = (output: number): Usage => ({ input: 1000, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output })
  const of = (said: number, recorded: Usage | null, model: string = dear) => {
    const trace = session([{ model, day: '2026-11-22', usage: recorded, said }])
    return outputOf(trace, sizesOf(trace), 0)
  }

  it('is as recorded, also where less of it can be seen', () => {
    expect(of(100, usage(2000))).toEqual({ tokens: 2000, estimated: false })
    expect(of(100, usage(90))).toEqual({ tokens: 90, estimated: false })
  })

  it('is what can be seen of it where only the first figure of a stream was kept, or none', () => {
    expect(of(100, { ...usage(3), partial: true })).toEqual({ tokens: 100, estimated: true })
    expect(of(100, null)).toEqual({ tokens: 100, estimated: true })
  })

  it('is as recorded, however little that is, where the response has ended, or its cost is told', () => {
    expect(of(100, usage(3))).toEqual({ tokens: 3, estimated: false })
    expect(of(100, { ...usage(3), partial: true, cost: 0.01 })).toEqual({ tokens: 3, estimated: false })
  })

  it('is judged by what the tokenizer counts, whatever recorded usage makes of that elsewhere', () => {
    const usages = [1, 8].map((factor) => {
      const trace = session([{ model: dear, day: '2026-11-22', usage: { ...usage(90), partial: true }, said: 100 }])
      return outputOf(trace, { ...sizesOf(trace), uncorrected: () => 100, tokens: (units) => factor * units }, 0)
    })
    expect(usages).toEqual(Array(2).fill({ tokens: 90, estimated: false }))
  })

  it('is as recorded, however little that is, where the tokens of what can be seen are a guess', () => {
    expect(of(100, { ...usage(3), partial: true }, cheap)).toEqual({ tokens: 3, estimated: false })
    expect(of(100, usage(0), cheap)).toEqual({ tokens: 100, estimated: true })
  })
})
