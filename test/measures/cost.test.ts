import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { cacheBehaviour } from '../../src/measures/cache-behaviour.ts'
import { WholeBill } from '../../src/measures/whole-bill.ts'
import { type Message, textOf, type Usage } from '../../src/model/message.ts'
import type { Sizes } from '../../src/model/sizes.ts'
import type { Trace } from '../../src/model/trace.ts'
import { builtinModels } from '../../src/models/lookup.ts'
import { type Pricing, pricingOf } from '../../src/models/pricing.ts'
import type { CacheRule, ModelTable } from '../../src/models/table.ts'
import keepAll from '../../src/policies/keep-all.ts'
import type { PolicyRun } from '../../src/policies/policy.ts'
import dropMessages from '../../src/policies/primitives/drop-messages.ts'
import maskToolResults, { maskText } from '../../src/policies/primitives/mask-tool-results.ts'
import { replay } from '../../src/simulator/replay.ts'
import { traceOf } from '../simulator/arbitrary.ts'

// One character is one token and joins cost nothing, so a request's tokens can be found by counting messages.
const size = (message: Message): number => textOf(message).length
const m = 1000
const preamble = 4000
const steps = 60

function sizesOf(trace: Trace, fixed = preamble): Sizes {
  return {
    preamble: fixed,
    joins: () => 0,
    of: (index) => trace.units(index, 0),
    message: size,
    tokens: (units) => units,
    units: (tokens) => tokens,
  }
}

const text = (length: number) => [{ type: 'text' as const, text: 'x'.repeat(length) }]

/** A task of one message, then steps of a call and its result, one message each. The last call has no result. */
function loop(usages: readonly Usage[] = [], time?: (request: number) => number): Trace {
  const list: Message[] = [{ role: 'user', line: 1, blocks: text(m) }]
  for (let step = 0; step < steps; step++) {
    const id = `call_${step}`
    const usage = usages[step]
    list.push({
      role: 'assistant',
      line: list.length + 1,
      blocks: [...text(m), { type: 'call', id, name: 'read', input: {} }],
      ...(usage ? { usage } : {}),
      ...(time ? { time: time(step) } : {}),
    })
    list.push({ role: 'tool', line: list.length + 1, blocks: text(m), callId: id })
  }
  return traceOf(list, [size])
}

const rule: CacheRule = { id: 'test', minPrefix: 0, granularity: 'block', ttl: 1e9, read: 0.1, write: 1.25, source: '' }
const w = rule.write
const r = rule.read

function priced(change: Partial<CacheRule> = {}): Pricing {
  const changed = { ...rule, ...change }
  const rates = {
    input: 1,
    output: 5,
    read: changed.read,
    write: changed.write,
    write1h: changed.write1h ?? changed.write,
  }
  const unit = 'input-token-equivalents'
  return { unit, asOf: '2026-01-01', rule: changed, hour: false, life: changed.ttl, rates: () => rates }
}

interface Setup {
  readonly trace?: Trace
  readonly pricing?: Pricing
  readonly fixed?: number
  readonly kind?: 'sticky' | 'view'
}

function run(policy: PolicyRun, budget: number, { trace = loop(), pricing = priced(), fixed, kind }: Setup = {}) {
  const sizes = sizesOf(trace, fixed)
  const cache = cacheBehaviour(trace, sizes, pricing, 'ideal', trace.head.provider)
  return replay(trace, { policy, kind: kind ?? 'sticky', budget, sizes, modelWindow: null, pricing, cache })
}

const keep = () => keepAll.start({}, {} as never)
const drop = (target: number) => dropMessages.start({ keepLast: 1, target }, {} as never)

const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at)
const sum = (from: number, to: number, term: (at: number) => number) =>
  range(from, to).reduce((total, at) => total + term(at), 0)

/** Requests 1 to `last` of a loop that only grows. */
function growing(last: number, fixed = preamble): number {
  const first = fixed + m
  const s = 2 * m
  return w * first + (last - 1) * (r * first + w * s) + (r * s * (last - 1) * (last - 2)) / 2
}

describe('a tool loop of 60 steps costs what it costs on paper', () => {
  it('keeping everything reads what grows', () => {
    const { cost } = run(keep(), 0)
    expect(cost.input).toBeCloseTo(growing(60), 4)
    expect(cost.inputFull).toBe(cost.input)
    expect(cost.savedPercent).toBe(0)
    expect(cost.prefixBreaks).toBe(0)
    // Each response, counted by the estimator.
    expect(cost.output).toBe(steps * m * 5)
  })

  it('a window of 21 messages that is cut again at each request writes all of them each time', () => {
    const { cost } = run(drop(1), preamble + 21 * m)
    expect(cost.input).toBeCloseTo(growing(11) + 49 * (r * preamble + w * 21 * m), 4)
    expect(cost.inputFull).toBeCloseTo(growing(60), 4)
    expect(cost.prefixBreaks).toBe(49)
  })

  it('a window W without a preamble costs w * W each time it is re-cut', () => {
    const { cost } = run(drop(1), 21 * m, { fixed: 0 })
    expect(cost.input).toBeCloseTo(growing(11, 0) + 49 * (w * 21 * m), 4)
  })

  it('a window that is cut from 21 messages to 9 when full breaks even as the formula says', () => {
    const { cost, cuts } = run(drop(13 / 25), preamble + 21 * m)
    const length = (21 - 9) / 2 + 1
    const cycle = (requests: number) =>
      r * preamble + w * 9 * m + sum(1, requests - 1, (j) => r * (preamble + (9 + 2 * (j - 1)) * m) + w * 2 * m)
    expect(cost.input).toBeCloseTo(growing(11) + 7 * cycle(length), 4)
    expect(cost.prefixBreaks).toBe(7)
    // The kept messages have to be written again; each request has 14 messages fewer.
    for (const cut of cuts) expect(cut.breakEvenRequests).toBeCloseTo(((w - r) / r) * (9 / 14), 2)
  })

  it('masking each result that is no longer among the last two writes from it on again', () => {
    const q = 2
    const mask = maskText(Math.floor(m / 4)).length
    const policy = maskToolResults.start(
      { keepFirst: 0, keepLast: q, scope: 'all', when: 'always', target: 1 },
      {} as never,
    )
    const { cost } = run(policy, 1)
    const masked = sum(q + 2, steps, (k) => {
      const kept = preamble + m + (k - 2 - q) * (m + mask) + m
      return r * kept + w * (mask + q * 2 * m)
    })
    expect(cost.input).toBeCloseTo(growing(q + 1) + masked, 4)
    expect(cost.prefixBreaks).toBe(steps - q - 1)
  })

  it('the task pinned in front of a window that slides is all that the cache reads', () => {
    const policy: PolicyRun = {
      request(window) {
        for (let second = window.first?.next; second && window.count > 21; second = window.first?.next)
          window.drop(second, second)
      },
    }
    const { cost } = run(policy, 1)
    expect(cost.input).toBeCloseTo(growing(11) + 49 * (r * (preamble + m) + w * 20 * m), 4)
  })

  it('summarising everything when full costs the summaries too', () => {
    const written = 500
    const policy: PolicyRun = {
      request(window) {
        const { first, last } = window
        if (first && last && window.count > 21) {
          window.summarise(first, last, { role: 'user', blocks: text(written) }, written)
        }
      },
    }
    const { cost } = run(policy, 1)
    // 23 messages are read for a summary, and 11 requests later there are 23 again.
    const cycle = (requests: number) =>
      r * preamble + w * written + sum(1, requests - 1, (j) => r * (preamble + written + 2 * (j - 1) * m) + w * 2 * m)
    expect(cost.input).toBeCloseTo(growing(11) + 4 * cycle(11) + cycle(5), 4)
    expect(cost.summaries).toBeCloseTo(23 * m + 4 * (22 * m + written) + 5 * (5 * written), 4)
    const spent = cost.input + cost.summaries
    expect(cost.savedPercent).toBeCloseTo((100 * (growing(60) - spent)) / growing(60), 1)
  })

  it('a sliding window beats keeping everything only when the history is w / r times the window', () => {
    // Two requests on a warm cache: 12 and 14 times a window of one message, around 1.25 / 0.1 = 12.5.
    const re = (window: number) => w * window * m
    expect(re(1)).toBeGreaterThan(r * 12 * m)
    expect(re(1)).toBeLessThan(r * 14 * m)
    const price = (budget: number) => run(drop(1), budget, { fixed: 0 }).cost
    expect(price(m).savedPercent).toBeGreaterThan(0)
    expect(price(11 * m).savedPercent).toBeLessThan(0)
  })
})

describe('the rules of a provider', () => {
  it('rounds hits down, and a request below the minimum is neither read nor written', () => {
    const { cost } = run(keep(), 0, { pricing: priced({ minPrefix: 6000, granularity: 1024 }) })
    const expected = sum(1, 60, (k) => {
      const sent = preamble + m + (k - 1) * 2 * m
      const before = k === 1 ? 0 : sent - 2 * m
      const whole = Math.floor(before / 1024) * 1024
      const hit = whole >= 6000 ? whole : 0
      return r * hit + (sent >= 6000 ? w : 1) * (sent - hit)
    })
    expect(cost.input).toBeCloseTo(expected, 4)
  })

  it('pays for everything again when the cache has gone cold, and a cut is free then', () => {
    const trace = loop([], (request) => request * 301_000)
    const { cost } = run(keep(), 0, { trace, pricing: priced({ ttl: 300 }) })
    expect(cost.input).toBeCloseTo(w * sum(1, 60, (k) => preamble + m + (k - 1) * 2 * m), 4)
    expect(cost.cacheHitPercent).toBe(0)
    const { cuts } = run(drop(0.5), 25 * m, { trace, pricing: priced({ ttl: 300 }) })
    expect(cuts.length).toBeGreaterThan(3)
    expect([...cuts].every((cut) => cut.breakEvenRequests === 0)).toBe(true)
    const { cuts: warm } = run(drop(0.5), 25 * m, { trace, pricing: priced({ ttl: 302 }) })
    expect([...warm].every((cut) => (cut.breakEvenRequests ?? 0) > 1)).toBe(true)
  })
})

it('a cut is free as well where the requests before it were too small to be cached', () => {
  const { cuts } = run(drop(0.5), 25 * m, { pricing: priced({ minPrefix: 28 * m }) })
  expect(Array.from(cuts, (cut) => cut.breakEvenRequests)).toEqual(Array.from(cuts, () => 0))
})

describe('prices', () => {
  const usage = (change: Partial<Usage>): Usage => ({
    input: 1000,
    cacheRead: 0,
    cacheWrite: 0,
    cacheWrite1h: 0,
    output: 0,
    ...change,
  })
  const of = (trace: Trace, model: string | null, table: ModelTable = builtinModels) =>
    pricingOf(trace, model, trace.head.provider, table)
  const table: ModelTable = {
    asOf: '2026-01-01',
    sources: [],
    cacheRules: [{ ...rule, id: 'a', ttl: 300, write1h: 2 }],
    models: [
      {
        id: 'tiered',
        provider: 'openai',
        cache: 'a',
        price: { input: 1, output: 4, tiers: [{ above: 50_000, input: 2, output: 8 }] },
      },
      { id: 'free-of-cache', provider: 'openai', price: { input: 3, output: 9 } },
      { id: 'unpriced', provider: 'openai', cache: 'a' },
    ],
  }

  it('are in dollars, by the tier of each request', () => {
    const trace = loop()
    const { cost } = run(keep(), 0, { trace, pricing: of(trace, 'tiered', table) })
    const dollars = sum(1, 60, (k) => {
      const sent = preamble + m + (k - 1) * 2 * m
      const hit = k === 1 ? 0 : sent - 2 * m
      return ((sent > 50_000 ? 2 : 1) * (r * hit + w * (sent - hit))) / 1e6
    })
    expect(cost.unit).toBe('usd')
    expect(cost.input).toBeCloseTo(dollars, 5)
  })

  it('of a request to a model that has none are those of the transcript’s', () => {
    const list: Message[] = ['claude-sonnet-4-5', 'qwen3-coder', 'nobody-knows-it', 'claude-opus-4-5'].map(
      (model, index) => ({ role: 'assistant', line: index + 1, blocks: text(m), model, responseId: `r${index}` }),
    )
    const trace = traceOf(list, [size], 'anthropic', { head: { model: 'claude-sonnet-4-5' } })
    const { unit, rates } = pricingOf(trace, null, 'anthropic', builtinModels)
    const millionths = list.map((_, request) => Math.round(rates(1000, request).input * 1e6))
    expect([unit, millionths]).toEqual(['usd', [3, 3, 3, 5]])
  })

  it('of a model without a cache rule know no hits', () => {
    const trace = loop()
    const { cost } = run(keep(), 0, { trace, pricing: of(trace, 'free-of-cache', table) })
    expect(cost.cacheHitPercent).toBe(0)
    expect(cost.input).toBeCloseTo((3 * sum(1, 60, (k) => preamble + m + (k - 1) * 2 * m)) / 1e6, 5)
    const { cuts } = run(drop(0.5), 25 * m, { trace, pricing: of(trace, 'free-of-cache', table) })
    expect([...cuts].every((cut) => cut.breakEvenRequests === 0)).toBe(true)
  })

  it.each(['unpriced', 'nobody knows this model', null])('of %s are in tokens, by what is usual', (model) => {
    const pricing = of(loop(), model, table)
    expect(pricing.unit).toBe('input-token-equivalents')
    expect(pricing.rule?.id).toBe('a')
    expect(pricing.rates(1, 0)).toEqual({ input: 1, output: 4, read: 0.1, write: 1.25, write1h: 2 })
  })

  it('have a usual rule for each provider', () => {
    for (const provider of ['anthropic', 'openai', 'google'] as const) {
      const pricing = pricingOf(loop(), null, provider, builtinModels)
      expect(pricing.rule?.id).toContain({ anthropic: 'anthropic', openai: 'openai', google: 'gemini' }[provider])
      expect(pricing.rates(1, 0).output).toBeGreaterThan(1)
    }
  })

  it('follow the writes that are recorded: for an hour when most are', () => {
    const writes = (...parts: [write: number, hour: number][]) =>
      loop(parts.map(([cacheWrite, cacheWrite1h]) => usage({ cacheWrite, cacheWrite1h })))
    expect(of(writes([100, 51]), 'tiered', table)).toMatchObject({ hour: true, life: 3600 })
    expect(of(writes([100, 100], [101, 0]), 'tiered', table)).toMatchObject({ hour: false, life: 300 })
    expect(of(writes([100, 100]), 'tiered', table).rates(1, 0)).toMatchObject({ write: 1.25e-6, write1h: 2e-6 })
    const hourly = (cost: number[]) =>
      run(keep(), 0, {
        trace: writes([100, 100]),
        pricing: of(writes(...([cost] as [number, number][])), 'unpriced', table),
      }).cost.input
    expect(hourly([100, 100])).toBeGreaterThan(hourly([100, 0]))
  })

  it('stand beside what was recorded', () => {
    const trace = loop([
      usage({ cacheWrite: 1000, output: 2007 }),
      usage({ input: 3000, cacheRead: 1000, output: 1008 }),
    ])
    const { cost } = run(keep(), 0, { trace })
    expect(cost.recordedHitPercent).toBe(25)
    expect(cost.output).toBe(5 * (2007 + 1008 + 58 * m))
    expect(run(keep(), 0, { trace: loop([usage({})]) }).cost).not.toHaveProperty('recordedHitPercent')
  })
})

describe('docs/cost.md', () => {
  const doc = readFileSync(new URL('../../docs/cost.md', import.meta.url), 'utf8')
  const examples =
    doc
      .split('## Three worked examples')[1]
      ?.split('\n## ')[0]
      ?.split(/\n\d\. /) ?? []
  const numbers = (example: number, pattern: RegExp) =>
    (examples[example]?.replace(/\s+/g, ' ').match(pattern) ?? []).slice(1).map(Number)

  it('example 1, where everything is kept, costs what it says', () => {
    const result = run(keep(), 0)
    const [input, sent] = numbers(1, /`inputFull` = (\d+) for (\d+) tokens/)
    expect([result.cost.inputFull, result.sentTokens]).toEqual([input, sent])
  })

  it.each([
    [2, 1],
    [3, 13 / 25],
  ])('example %i, where it is cut to %f of the budget, costs what it says', (example, target) => {
    const result = run(drop(target), 25_000)
    const pattern =
      /sends (\d+) tokens, saves ([\d.]+) % of them, and costs `input` = (\d+): it saves (-?[\d.]+) % of the money, and (\d+) requests/
    const { cost, sentTokens, savedPercent } = result
    expect([sentTokens, savedPercent, cost.input, cost.savedPercent, cost.prefixBreaks]).toEqual(
      numbers(example, pattern),
    )
  })
})

it('what the unpruned requests cost is found out once for all runs that share it', () => {
  const trace = loop()
  const sizes = sizesOf(trace)
  const pricing = priced()
  const cache = cacheBehaviour(trace, sizes, pricing, 'ideal', trace.head.provider)
  let asked = 0
  const counting: Pricing = {
    ...pricing,
    rates: (tokens, request) => {
      asked++
      return pricing.rates(tokens, request)
    },
  }
  const wholeBill = new WholeBill(trace, sizes, counting, cache)
  const replayed = () => {
    const before = asked
    const settings = { sizes, modelWindow: null, pricing: counting, cache, kind: 'sticky', budget: 20 * m } as const
    const { cost } = replay(trace, { ...settings, wholeBill, policy: drop(0.5) })
    return { cost, asked: asked - before }
  }
  const [first, second] = [replayed(), replayed()]
  expect(second.cost).toEqual(first.cost)
  expect([first.asked, second.asked]).toEqual([2 * steps, steps])
})
