import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WholeCache, WindowCache } from '../../src/measures/prompt-cache.ts'
import { findExchanges } from '../../src/model/exchanges.ts'
import { Passing } from '../../src/model/passing.ts'
import { sentAsRecorded } from '../../src/model/recorded.ts'
import { HistorySizes, type Sizes } from '../../src/model/sizes.ts'
import type { Trace } from '../../src/model/trace.ts'
import { replay } from '../../src/simulator/replay.ts'
import { EditableWindow } from '../../src/simulator/window.ts'
import { build, ideal, rules, sizes, stepsOf, vandal } from '../measures/slow-cache.ts'
import { itemsOf } from '../simulator/check-window.ts'

/** Every third message thought, and what of it there is passes. */
const thoughtOf = (index: number): number => (index % 3 === 1 ? 40 + index : 0)

function thinking(trace: Trace): Sizes {
  const { history: _, ...own } = sizes(trace)
  return { ...own, passing: new Passing(trace, thoughtOf) }
}

/** The first message of the request before `end` behind the newest prompt that followed an answer. */
const since = (trace: Trace, end: number): number =>
  findExchanges(trace).reduce((from, { to, state }) => (state === 'complete' && to < end ? to : from), 0)

const passingIn = (trace: Trace, indices: readonly number[], end: number): number =>
  indices.filter((index) => index >= since(trace, end)).reduce((sum, index) => sum + thoughtOf(index), 0)

const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at)

describe('hidden reasoning that passes', () => {
  it('is in the requests of its exchange alone, the whole history and as recorded', () => {
    fc.assert(
      fc.property(stepsOf(false), (steps) => {
        const trace = build(steps, 'openai')
        const [own, other] = [sizes(trace), thinking(trace)]
        const [plain, history] = [new HistorySizes(trace, own), new HistorySizes(trace, other)]
        for (const to of range(0, trace.length + 1)) {
          for (const from of range(0, to)) {
            const more = history.request(from, to) - plain.request(from, to)
            expect(more).toBeCloseTo(passingIn(trace, range(from, to), to), 6)
          }
        }
        const [without, sent] = [own, other].map((one) => [...sentAsRecorded(trace, one)])
        for (const [at, { from, at: end, units }] of sent!.entries()) {
          expect(units - without![at]!.units).toBeCloseTo(passingIn(trace, range(from, end), end), 6)
        }
      }),
      { numRuns: 40 },
    )
  })

  it.each(['sticky', 'view'] as const)('leaves a window with the message that had it, %s', (kind) => {
    const numbers = fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(stepsOf(false), numbers, (steps, numbers) => {
        const trace = build(steps, 'openai')
        const own = thinking(trace)
        const settings = { policy: vandal(numbers, kind), kind, budget: 1, sizes: own, ...ideal(trace, own) }
        replay(trace, settings, [
          {
            request: ({ message, sentTokens }, window) => {
              if (!(window instanceof EditableWindow)) return
              const items = itemsOf(window)
              const inside = items.flatMap(({ index }) => (index >= 0 ? [index] : []))
              const units = items.reduce((sum, item) => sum + window.unitsOf(item), own.preamble)
              expect(sentTokens).toBe(own.tokens(units + passingIn(trace, inside, message)))
            },
          },
        ])
      }),
      { numRuns: 60 },
    )
  })

  it('is read from the cache until it passes, whichever cache is asked', () => {
    fc.assert(
      fc.property(stepsOf(true), fc.constantFrom(...rules), (steps, rule) => {
        const trace = build(
          steps.map((step) => ({ ...step, resets: false })),
          'openai',
        )
        const own = thinking(trace)
        const { cache, ...rest } = ideal(trace, own)
        const [whole, window] = [
          new WholeCache(trace, own, cache.clock, rule),
          new WindowCache(trace, own, cache.clock, rule),
        ]
        // A policy that acts and never edits has a window of its own.
        const settings = {
          policy: { message: () => {} },
          kind: 'sticky',
          budget: 1,
          sizes: own,
          cache,
          ...rest,
        } as const
        let [before, end] = [0, 0]
        replay(trace, settings, [
          {
            request: (request) => {
              const one = whole.request(request)
              expect(window.request(request).tokens).toBe(one.tokens)
              const passed = since(trace, request.message) > since(trace, end) && before > 0
              if (passed && rule.id === 'd' && one.tokens > 0 && !one.breaks) {
                const left = passingIn(trace, range(0, end), end)
                expect(one.tokens).toBeLessThanOrEqual(before)
                if (left >= 8) expect(one.tokens).toBeLessThan(before)
              }
              ;[before, end] = [request.fullTokens, request.message]
            },
          },
        ])
      }),
      { numRuns: 60 },
    )
  })
})
