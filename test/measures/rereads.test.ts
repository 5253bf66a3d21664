import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ForgottenMeter } from '../../src/measures/forgotten.ts'
import type { Request } from '../../src/measures/measure.ts'
import { addCompactions, habitsOf, noCompactions, rereadCost, shrunk } from '../../src/measures/rereads.ts'
import type { Pricing } from '../../src/models/pricing.ts'

const rule = { read: 0.1, write: 1.25, ttl: 300, minPrefix: 0, granularity: 'block' } as unknown as Pricing['rule']
const pricing = (cached: boolean): Pricing => ({
  unit: 'usd',
  asOf: '',
  rule: cached ? rule : null,
  hour: false,
  life: 300,
  rates: () => ({ input: 10, output: 50, read: 1, write: 12, write1h: 20 }),
})
const windows = fc.array(fc.tuple(fc.nat(1000), fc.nat(1000)), { maxLength: 20 })
const requestsOf = (list: readonly (readonly [number, number])[]) =>
  list.map(([sentTokens, gone], index) => ({ index, sentTokens, fullTokens: sentTokens + gone }) as Request)

describe('what a run forgets', () => {
  it('is what the walk over its requests gives, each cut by itself', () => {
    fc.assert(
      fc.property(windows, fc.boolean(), (list, cached) => {
        const requests = requestsOf(list)
        const meter = new ForgottenMeter(pricing(cached))
        for (const request of requests) meter.request(request)
        const [again, fresh] = cached ? [1, 12] : [10, 10]
        const goneAt = (at: number) =>
          at < 0 ? 0 : (requests[at] as Request).fullTokens - (requests[at] as Request).sentTokens
        let [tokens, readCost, requestCost] = [0, 0, 0]
        for (const { index, sentTokens } of requests) {
          const left = goneAt(index) - goneAt(index - 1)
          if (left <= 0) continue
          tokens += left
          requestCost += left * sentTokens * again
          readCost += left * fresh
          // With every later request it is read, until it leaves with the rest of the window.
          let inside = left
          for (const later of requests.slice(index + 1)) {
            const gone = Math.max(0, goneAt(later.index) - goneAt(later.index - 1))
            if (gone > 0) inside *= later.sentTokens / (later.sentTokens + gone)
            readCost += inside * again
          }
        }
        const found = meter.result()
        expect(found.tokens).toBe(tokens)
        expect(found.requestCost).toBeCloseTo(requestCost, 3)
        expect(found.readCost).toBeCloseTo(readCost, 3)
      }),
    )
  })
})

describe('reading again', () => {
  const habits = { tokens: 0.02, requests: 0.0001, kept: 0.5, error: 0.1 }
  const forgotten = { tokens: 1000, readCost: 50, requestCost: 4000 }

  it('costs the usual share of reading everything again, and no more than what was used', () => {
    expect(rereadCost(forgotten, 1000, habits)).toBeCloseTo(0.02 * 50 + 0.0001 * 4000, 9)
    expect(rereadCost(forgotten, 5, habits)).toBeCloseTo((0.02 * 50 + 0.0001 * 4000) / 4, 9)
    expect(rereadCost(forgotten, 0, habits)).toBe(0)
    expect(rereadCost({ tokens: 0, readCost: 0, requestCost: 0 }, 0, habits)).toBe(0)
  })

  it('is what the user’s own sessions show where they show much, and else what is usual', () => {
    expect(shrunk(noCompactions, habits)).toEqual(habits)
    const own = { cuts: 1000, droppedTokens: 1e9, rereadTokens: 5e7, rereadRequests: 1e6, uses: 1e6, kept: 9e5 }
    const found = shrunk(own, habits)
    expect(found.tokens).toBeCloseTo(0.05, 3)
    expect(found.requests).toBeCloseTo(0.001, 3)
    expect(found.kept).toBeCloseTo(0.9, 3)
    const less = { ...noCompactions, droppedTokens: 1e9, rereadTokens: -1e8 }
    expect(shrunk(less, habits).tokens).toBe(0)
  })

  it('goes by the program, and where that is not known by all', () => {
    const table = { all: { ...habits, kept: 0.1 }, programs: { codex: { ...habits, kept: 0.9 } } }
    expect(habitsOf('codex', noCompactions, table).kept).toBeCloseTo(0.9, 9)
    expect(habitsOf('other', noCompactions, table).kept).toBeCloseTo(0.1, 9)
    expect(habitsOf(null, noCompactions, table).kept).toBeCloseTo(0.1, 9)
  })

  it('adds up over transcripts', () => {
    const one = { cuts: 1, droppedTokens: 2, rereadTokens: 3, rereadRequests: 4, uses: 5, kept: 6 }
    expect(addCompactions(one, addCompactions(one, noCompactions))).toEqual({
      ...{ cuts: 2, droppedTokens: 4, rereadTokens: 6, rereadRequests: 8, uses: 10, kept: 12 },
    })
  })
})
