import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Trace } from '../../src/model/trace.ts'
import type { CacheRule } from '../../src/models/table.ts'
import keepAll from '../../src/policies/keep-all.ts'
import type { PolicyRun } from '../../src/policies/policy.ts'
import ikigai from '../../src/policies/systems/ikigai.ts'
import { cases } from '../whole.ts'
import { build, compare, expectSame, long, rules, type Step, stepsOf, vandal } from './slow-cache.ts'

describe('the cache equals whole serialized requests compared with each other', () => {
  for (const provider of ['openai', 'anthropic'] as const) {
    for (const timed of [true, false]) {
      const drawn = fc.record({
        steps: stepsOf(timed),
        rule: fc.constantFrom(...rules),
        budget: fc.constantFrom(20, 60, 150, 100_000),
        numbers: fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 60 }),
      })
      const when = timed ? 'with timestamps' : 'without'
      for (const kind of ['sticky', 'view'] as const) {
        it(`for any ${kind} edit, ${provider}, ${when}`, () => {
          fc.assert(
            fc.property(drawn, ({ steps, rule, numbers }) => {
              const { fast, slow } = compare(build(steps, provider), vandal(numbers, kind), kind, 1, rule)
              expectSame(fast, slow)
            }),
            { numRuns: cases(40) },
          )
        })
      }

      it(`for drops and nothing else, ${provider}, ${when}`, () => {
        fc.assert(
          fc.property(fc.tuple(stepsOf(timed, long), drawn), ([steps, { rule, numbers }]) => {
            const drops = vandal(numbers, 'drops')
            const { request = () => {} } = drops
            // Rarely, so that windows grow long enough to slide.
            const policy: PolicyRun = { request: (window, moment) => window.count > 6 && request(window, moment) }
            const { fast, slow } = compare(build(steps, provider), policy, 'sticky', 1, rule)
            expectSame(fast, slow)
          }),
          { numRuns: cases(50) },
        )
      })

      it(`for ikigai, ${provider}, ${when}`, () => {
        fc.assert(
          fc.property(drawn, ({ steps, rule, budget }) => {
            const policy = ikigai.start({ keepLast: 1, target: 1 } as never, {} as never)
            const { fast, slow } = compare(build(steps, provider), policy, 'sticky', budget, rule)
            expectSame(fast, slow)
          }),
          { numRuns: cases(20) },
        )
      })

      it(`keep-all, ${provider}, ${when}, and it is what every run calls full`, () => {
        fc.assert(
          fc.property(drawn, ({ steps, rule, budget, numbers }) => {
            const trace = build(steps, provider)
            const { run, fast, slow, sent } = compare(trace, keepAll.start({}, {} as never), 'sticky', budget, rule)
            expectSame(fast, slow)
            const cost = sent.reduce((sum, tokens, request) => {
              const hit = slow[request]?.tokens ?? 0
              return sum + rule.read * hit + (tokens >= rule.minPrefix ? rule.write : 1) * (tokens - hit)
            }, 0)
            expect(run.cost.input).toBeCloseTo(cost, 4)
            expect(run.cost.inputFull).toBe(run.cost.input)
            expect(run.cost.savedPercent).toBe(0)
            const edited = compare(trace, vandal(numbers, 'sticky'), 'sticky', 1, rule).run.cost
            expect(edited.inputFull).toBe(run.cost.input)
            expect(edited.cacheHitPercentFull).toBe(run.cost.cacheHitPercent)
            expect(edited.output).toBe(run.cost.output)
            const idle = compare(trace, { request: () => {} }, 'sticky', 1, rule).run.cost
            expect(idle).toEqual(run.cost)
          }),
          { numRuns: cases(20) },
        )
      })
    }
  }
})

describe('what has not been used for long', () => {
  const rule = rules[0] as CacheRule
  const talk = (requests: number, time: (request: number) => number | null): Trace =>
    build(
      Array.from({ length: requests * 2 }, (_, index): Step => {
        const at = time(index >> 1)
        const role = index % 2 === 0 ? 'user' : 'assistant'
        const blocks = [{ type: 'text' as const, text: `message ${index}` }]
        return { message: { role, line: index + 1, blocks, ...(at === null ? {} : { time: at }) }, resets: false }
      }),
      'openai',
    )

  it('expires after its lifetime, and lives on while it is used', () => {
    const times = [0, 300_000, 600_000, 900_001, 900_002]
    const { fast } = compare(
      talk(5, (request) => times[request] ?? 0),
      keepAll.start({}, {} as never),
      'sticky',
      0,
      rule,
    )
    expect(fast.map(({ tokens }) => tokens > 0)).toEqual([false, true, true, false, true])
  })

  it('expires after 64 requests where no times are recorded', () => {
    // The second message is gone for a while: entries with it are used again only when it comes back.
    const away = (requests: number): PolicyRun => {
      let count = 0
      return {
        request(window) {
          count++
          const second = window.first?.next
          if (count === 3 && second) window.drop(second, second)
          if (count === 3 + requests) window.restore()
        },
      }
    }
    for (const requests of [63, 64]) {
      const { fast, slow, sent } = compare(
        talk(80, () => null),
        away(requests),
        'view',
        1,
        rule,
      )
      expectSame(fast, slow)
      const back = fast[2 + requests]?.tokens ?? 0
      expect(back).toBeLessThan((sent[1] as number) + 1)
      expect(back === sent[1]).toBe(requests === 63)
    }
  })

  it('is forgotten, so that a long run with many broken prefixes stays small, and right', () => {
    let request = 0
    const slide: PolicyRun = {
      request(window) {
        // With and without a notice in front, by turns: each request continues the last but one.
        if (window.first?.index === -1) window.drop(window.first, window.first)
        else if (request % 4 !== 0) window.insert(window.first, notice)
        if (request++ % 4 === 0) while (window.first && window.count > 6) window.drop(window.first, window.first)
      },
    }
    const notice = { role: 'user' as const, blocks: [{ type: 'text' as const, text: 'notice' }] }
    const trace = talk(10_000, (request) => request * 20_000)
    const { fast, slow } = compare(trace, slide, 'sticky', 1, rule)
    expectSame(fast, slow)
  })
})
