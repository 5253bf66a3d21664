import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { RunningSession } from '../../src/app/advise.ts'
import { adviceOn } from '../../src/app/by-plan.ts'
import type { Plan } from '../../src/app/plan.ts'
import { choose } from '../../src/base/chosen.ts'
import auto from '../../src/estimators/auto.ts'
import { learnedLeft } from '../../src/measures/requests-left.ts'
import { habitsOf, learnedRereads, noCompactions } from '../../src/measures/rereads.ts'
import type { Advice } from '../../src/model/advice.ts'
import type { Trace } from '../../src/model/trace.ts'
import { policies } from '../../src/policies/index.ts'
import { answeredAt, runningSession } from '../app/running.ts'

const directory = mkdtempSync(join(tmpdir(), 'ctxwin-advice-'))
afterAll(() => rmSync(directory, { recursive: true, maxRetries: 10, retryDelay: 500 }))

async function traceOf(results: readonly number[]): Promise<Trace> {
  const path = join(directory, `${results.join('-')}.jsonl`)
  writeFileSync(path, runningSession(results.map((result) => ({ result }))).join(''))
  return (await new RunningSession(path).read()).trace
}

const planOf = (policy: string | null, budgets: number[]): Plan => ({
  policies: policy === null ? [] : [choose(policies.get(policy))],
  estimators: [choose(auto)],
  budgets,
  references: true,
})

/** The built-in table, with another number of requests to come. */
const expecting = (left: number) => ({
  left: { from: [1], all: { stretches: 1, left: [left] }, programs: {} },
  rereads: learnedRereads,
})

/** Sessions of a few sizes, asked while the cache is warm and once it is cold, under policies of both kinds. */
const asked = fc.record({
  results: fc.array(fc.constantFrom(400, 8_000, 30_000), { minLength: 1, maxLength: 12 }),
  policy: fc.constantFrom(null, 'drop-oldest', 'summarise-oldest', 'claude-code-auto', 'pi-compact'),
  budgets: fc.constantFrom<number[]>([], [10_000], [100_000]),
  idle: fc.constantFrom(1, 600),
})

const seconds = 1000

describe('the verdict', () => {
  it('follows from the three figures: what a cut costs, what it saves, and for how many requests', async () => {
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(asked, fc.integer({ min: 0, max: 200 }), async ({ results, policy, budgets, idle }, left) => {
        const trace = await traceOf(results)
        const now = answeredAt(results.length - 1) + idle * seconds
        const { verdict, reason, cut, context, ...advice } = adviceOn(
          trace,
          planOf(policy, budgets),
          now,
          expecting(left),
        )
        seen.add(reason)
        expect(advice.left.expected).toBe(left)
        if (cut === null) {
          expect({ verdict, reason }).toEqual({ verdict: 'wait', reason: 'nothing-to-cut' })
          return
        }
        const { next, rereads, saves, breakEvenRequests } = cut.now
        const isOver = context.window !== null && context.tokens > context.window
        const gain = left * saves - rereads - next
        expect(verdict).toBe(isOver || gain > 0 ? 'cut' : 'wait')
        expect(reason).toBe(isOver ? 'over-window' : gain > 0 ? 'pays' : 'dear')
        // The slow way: request after request, until the cut has paid for itself.
        let requests = 0
        while (requests < 100_000 && next + rereads > requests * saves) requests++
        if (saves === 0 && next + rereads > 0) expect(breakEvenRequests).toBe(null)
        else if (requests < 100_000) expect(breakEvenRequests).toBe(requests)
      }),
      { numRuns: 60 },
    )
    expect(seen).toEqual(new Set(['pays', 'dear', 'nothing-to-cut']))
  })

  it('never turns from cut to wait because more requests are to come', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async ({ results, policy, budgets, idle }) => {
        const trace = await traceOf(results)
        const now = answeredAt(results.length - 1) + idle * seconds
        const verdicts = [0, 1, 5, 20, 80, 1_000].map(
          (left) => adviceOn(trace, planOf(policy, budgets), now, expecting(left)).verdict,
        )
        expect(verdicts).toEqual(verdicts.toSorted((a, b) => (a === b ? 0 : a === 'wait' ? -1 : 1)))
      }),
      { numRuns: 40 },
    )
  })
})

describe('what a cut costs', () => {
  /** Claude Sonnet 4.5, in dollars per token. */
  const [input, read, write, output] = [3e-6, 0.3e-6, 3.75e-6, 15e-6]
  const results = Array.from({ length: 16 }, () => 24_000)
  const last = answeredAt(results.length - 1)
  const adviceAt = async (now: number): Promise<Advice> => adviceOn(await traceOf(results), planOf(null, []), now)

  it('is a summary behind the same prompt, read from a warm cache, and what stays written anew', async () => {
    const { cut, cache, context, policy, budget } = await adviceAt(last + seconds)
    if (!cut) throw new Error('no cut')
    expect({ policy, budget, due: cut.due }).toEqual({ policy: 'claude-code-auto', budget: 200_000, due: false })
    expect(cut.now.summary).toBeGreaterThan(cache.servedTokens * read + 2_700 * output - 1e-3)
    // The preamble is read twice; all but what the cache serves costs the price of input.
    expect(cut.now.summary).toBeLessThan(context.tokens * read + 12_000 * input + 2_700 * output)
    const before = read * cache.servedTokens + write * (context.tokens - cache.servedTokens)
    const after = cut.now.next - cut.now.summary + before
    expect(after).toBeGreaterThan(read * cut.tokensAfter)
    expect(after).toBeLessThan(write * cut.tokensAfter)
  })

  it('is what is read again, which comes in as new tokens and by requests of its own', async () => {
    const { cut } = await adviceAt(last + seconds)
    if (!cut) throw new Error('no cut')
    const dropped = cut.tokensBefore - cut.tokensAfter
    const habits = habitsOf('claude-code', noCompactions)
    const [tokens, requests] = [habits.tokens * dropped, habits.requests * dropped]
    expect(cut.rereads).toEqual({ tokens, requests })
    expect(cut.now.rereads).toBeCloseTo(write * tokens + requests * read * cut.tokensAfter, 5)
    expect(cut.now.saves).toBeCloseTo(read * (cut.tokensBefore - cut.tokensAfter - tokens), 5)
  })

  it('is paid back with what is read again before the answer is to cut', async () => {
    const trace = await traceOf(results)
    const verdictWith = (left: number) => adviceOn(trace, planOf(null, []), last + seconds, expecting(left)).verdict
    const { cut } = adviceOn(trace, planOf(null, []), last + seconds, expecting(1))
    if (!cut) throw new Error('no cut')
    const { next, rereads, saves } = cut.now
    expect(next / saves).toBeGreaterThan(1)
    expect(verdictWith(next / saves + rereads / saves / 2)).toBe('wait')
    expect(verdictWith((next + rereads) / saves + 0.01)).toBe('cut')
  })

  it('is less once the cache is cold, as everything is written anew then', async () => {
    const [warm, cold] = [await adviceAt(last + seconds), await adviceAt(last + 3_600 * seconds)]
    expect(cold.cache.state).toBe('cold')
    expect(warm.cut?.cold).toEqual(cold.cut?.now)
    const written = (cut: Advice['cut']) => (cut ? cut.now.next - cut.now.summary : Number.NaN)
    expect(written(cold.cut)).toBeLessThan(0)
    expect(written(warm.cut)).toBeGreaterThan(written(cold.cut))
  })

  it('is not waited for until the budget: whoever asks now gets the cut of now', async () => {
    const trace = await traceOf(results)
    for (const policy of ['claude-code-auto', 'codex-compact', 'copilot-compact', 'opencode-compact', 'pi-compact']) {
      const { cut } = adviceOn(trace, planOf(policy, [200_000]), last)
      expect(cut?.due).toBe(false)
      expect(cut?.takenTokens).toBeGreaterThan(20_000)
    }
  })
})

it('expects of a session what was learned of its own program', async () => {
  const { left } = adviceOn(await traceOf([8_000, 8_000]), planOf(null, []), answeredAt(1))
  const row = learnedLeft.programs['claude-code']
  expect(left).toEqual({
    made: 4,
    expected: row?.left[learnedLeft.from.indexOf(4)],
    stretches: row?.stretches,
    program: 'claude-code',
  })
})
