import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cacheFit, noCacheFit } from '../../src/measures/cache-fit.ts'
import habits from '../../src/measures/cache-habits.data.json' with { type: 'json' }
import { type Message, textOf } from '../../src/model/message.ts'
import { Passing } from '../../src/model/passing.ts'
import { type CacheFit, cacheFits } from '../../src/model/run.ts'
import type { Sizes } from '../../src/model/sizes.ts'
import type { Trace } from '../../src/model/trace.ts'
import type { Pricing, Rates } from '../../src/models/pricing.ts'
import { traceOf } from '../simulator/arbitrary.ts'

const size = (message: Message): number => textOf(message).length
const preamble = 1000
const life = 300
const rates: Rates = { input: 1, output: 5, read: 0.1, write: 1.25, write1h: 2 }
const pricing: Pricing = {
  unit: 'input-token-equivalents',
  asOf: '2026-01-01',
  rule: { id: 'test', minPrefix: 0, granularity: 'block', ttl: life, read: 0.1, write: 1.25, source: '' },
  hour: false,
  life,
  rates: () => rates,
}

/** A request, and what is recorded of it: tokens, and how many of them were read from the cache. */
interface Step {
  readonly isPrompt: boolean
  /** A call, or an answer. */
  readonly calls: boolean
  /** Seconds since the request before. */
  readonly pause: number
  readonly input: number
  /** Null: no usage. */
  readonly read: number | null
  readonly isReset: boolean
}

const usual: Step = { isPrompt: false, calls: true, pause: 10, input: 5000, read: 5000, isReset: false }

function session(steps: readonly Step[], drops = false): { trace: Trace; sizes: Sizes } {
  const list: Message[] = []
  const resets: number[] = []
  let time = 0
  for (const [at, { isPrompt, calls, pause, input, read, isReset }] of steps.entries()) {
    const line = list.length + 1
    if (isReset) resets.push(list.length)
    const blocks = [{ type: 'text' as const, text: 'words' }]
    list.push(
      isPrompt || at === 0 ? { role: 'user', line, blocks } : { role: 'tool', line, blocks, callId: `c${at - 1}` },
    )
    time += pause * 1000
    const call = { type: 'call' as const, id: `c${at}`, name: 'read', input: {} }
    const usage = { input, cacheRead: read ?? 0, cacheWrite: 0, cacheWrite1h: 0, output: 1 }
    list.push({
      ...{ role: 'assistant', line: line + 1, time },
      blocks: calls ? [...blocks, call] : blocks,
      ...(read !== null && { usage }),
    })
  }
  const trace = traceOf(list, [size], 'anthropic', { resets })
  const sizes: Sizes = {
    preamble,
    joins: () => 0,
    of: (index) => trace.units(index, 0),
    message: size,
    tokens: (units) => Math.round(units),
    units: (tokens) => tokens,
    ...(drops && { passing: new Passing(trace, () => 10) }),
  }
  return { trace, sizes }
}

const fitOf = (steps: readonly Step[], drops = false, by = pricing): CacheFit => {
  const { trace, sizes } = session(steps, drops)
  return cacheFit(trace, sizes, by, 'anthropic')
}

/** The same from the steps alone, one question after the other. */
function slowly(steps: readonly Step[], drops: boolean): CacheFit {
  const { first, step, turn, idle } = habits.providers.anthropic
  const fit = { ...noCacheFit }
  for (const [at, one] of steps.entries()) {
    if (one.read === null) continue
    const last = steps[at - 1]
    const known = last && last.read !== null ? last.input : one.input
    const couldRead = at === 0 || one.isReset ? preamble : Math.min(known, one.input)
    let share = one.isPrompt ? turn : step
    if (one.pause > life) share = idle
    if (one.pause > 3600) share = 0
    if (at === 0) share = first
    const isForetold = share >= 0.5
    const wasServed = one.read >= couldRead / 2
    if (isForetold === wasServed) fit.cacheForeseen++
    else if (at === 0) fit.cacheAtStart++
    else if (one.pause > life / 2) fit.cacheAfterPause++
    else if (drops && one.isPrompt && !last?.calls) fit.cacheAtPrompt++
    else fit.cacheUnexplained++
  }
  return fit
}

const step: fc.Arbitrary<Step> = fc
  .record({
    isPrompt: fc.boolean(),
    calls: fc.boolean(),
    pause: fc.constantFrom(1, 149, 151, 299, 301, 3600, 3601),
    input: fc.integer({ min: 2000, max: 9000 }),
    part: fc.constantFrom(0, 0.1, 0.4, 0.5, 0.6, 1),
    hasUsage: fc.boolean(),
    isReset: fc.boolean(),
  })
  .map(({ part, hasUsage, ...rest }) => ({ ...rest, read: hasUsage ? Math.floor(part * rest.input) : null }))

describe('how the cache is foreseen', () => {
  it('is counted as by hand', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 20 }), fc.boolean(), (steps, drops) => {
        expect(fitOf(steps, drops)).toEqual(slowly(steps, drops))
      }),
    )
  })

  it('is the same in sum where two files have a part of the requests each', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(step, fc.boolean()), { minLength: 1, maxLength: 20 }),
        fc.boolean(),
        (steps, drops) => {
          const { trace, sizes } = session(
            steps.map(([one]) => one),
            drops,
          )
          const fitWithout = (left: boolean): CacheFit => {
            const out = steps.flatMap(([, isFirst], request) => (isFirst === left ? [request] : []))
            return cacheFit(trace.withoutRequests(new Set(out)), sizes, pricing, 'anthropic')
          }
          const [one, other] = [fitWithout(true), fitWithout(false)]
          const both = Object.fromEntries(cacheFits.map((key) => [key, one[key] + other[key]]))
          expect(both).toEqual(cacheFit(trace, sizes, pricing, 'anthropic'))
        },
      ),
    )
  })

  it('does not see what was read: the same cache with all hits and misses exchanged is never foreseen', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 20 }), (steps) => {
        const [hits, misses] = [1, 0].map((part) =>
          fitOf(steps.map((one) => ({ ...one, read: part * one.input }))),
        ) as [CacheFit, CacheFit]
        expect(hits.cacheForeseen + misses.cacheForeseen).toBe(steps.length)
      }),
    )
  })

  it('says where it was not', () => {
    const miss = { ...usual, read: 0 }
    const answer = { ...usual, calls: false }
    const prompt = { ...miss, isPrompt: true }
    expect(fitOf([miss, usual, { ...usual, pause: 4000, read: 0 }])).toEqual({ ...noCacheFit, cacheForeseen: 3 })
    expect(fitOf([usual])).toEqual({ ...noCacheFit, cacheAtStart: 1 })
    expect(fitOf([miss, { ...usual, pause: 400 }])).toEqual({ ...noCacheFit, cacheForeseen: 1, cacheAfterPause: 1 })
    expect(fitOf([miss, { ...miss, pause: 200 }])).toEqual({ ...noCacheFit, cacheForeseen: 1, cacheAfterPause: 1 })
    expect(fitOf([miss, answer, prompt], true)).toEqual({ ...noCacheFit, cacheForeseen: 2, cacheAtPrompt: 1 })
    expect(fitOf([miss, answer, prompt])).toEqual({ ...noCacheFit, cacheForeseen: 2, cacheUnexplained: 1 })
    expect(fitOf([miss, miss])).toEqual({ ...noCacheFit, cacheForeseen: 1, cacheUnexplained: 1 })
  })

  it('is of no request where there is no cache, or nothing tells what it served', () => {
    expect(fitOf([usual, usual], false, { ...pricing, rule: null })).toEqual(noCacheFit)
    expect(fitOf([usual, usual].map((one) => ({ ...one, read: null })))).toEqual(noCacheFit)
  })
})
