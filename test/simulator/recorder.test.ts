import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSources } from '../../src/app/read-sources.ts'
import { estimators } from '../../src/estimators/index.ts'
import type { Message } from '../../src/model/message.ts'
import type { Trace } from '../../src/model/trace.ts'
import { policies } from '../../src/policies/index.ts'
import type { Policy } from '../../src/policies/policy.ts'
import { openFile } from '../../src/readers/lines/source.ts'
import { choose, type Plan, sizersFor } from '../../src/simulator/plan.ts'
import { storedRuns } from '../../src/simulator/recorder.ts'
import type { Observer } from '../../src/simulator/replay.ts'
import { replayOne } from '../../src/simulator/simulate.ts'
import { headOf, messages, traceOf } from './arbitrary.ts'
import { planOf } from './plan.ts'

type FullTrace = Trace & { readonly messages: readonly Message[] }

/** Which messages are inside at each request and at the end, by a look at the whole window. */
function seen(trace: Trace, plan: Plan): Set<number>[] {
  const moments: Set<number>[] = []
  const look: NonNullable<Observer['end']> = (window) => {
    moments.push(new Set(window.messages().map(({ index }) => index)))
  }
  replayOne(trace, plan, [{ request: (_, window) => look(window as never), end: look }])
  return moments
}

/** The first of the last moments at which a message was outside without a break; null if it is inside at the end. */
function leftAt(moments: readonly Set<number>[], index: number, from: number): number | null {
  const last = moments.findLastIndex((inside) => inside.has(index))
  if (last === moments.length - 1) return null
  return Math.max(last + 1, from)
}

describe('the rows of a replay', () => {
  it.each(['ikigai', 'drop-messages', 'langchain-trim', 'mask-tool-results', 'forge', 'keep-all'])(
    '%s: say of each message when it left as a look at the whole window at every request does',
    (name) => {
      const policy = choose(policies.get(name) as Policy)
      fc.assert(
        fc.property(messages, fc.integer({ min: 0, max: 400 }), fc.array(fc.nat(59)), (list, budget, resets) => {
          const plan = planOf(policy, budget)
          const sizers = sizersFor(plan)(headOf('openai'))
          const preamble = { system: [], complete: true }
          const trace = traceOf(list, sizers, 'openai', { preamble, resets }) as FullTrace
          const moments = seen(trace, plan)
          const rows = [...storedRuns(trace, plan, false)].flatMap(({ stored }) => stored.messages)
          for (const { index, left } of rows) {
            // The first request after the message: before that it could not be inside.
            let from = 0
            while (from < trace.requests && trace.requestAt(from) <= index) from++
            expect(left.request).toBe(leftAt(moments, index, from))
          }
        }),
        { numRuns: 60 },
      )
    },
  )

  it('add up to the figures of their run', async () => {
    const plan: Plan = {
      policies: [choose(policies.get('ikigai')), choose(policies.get('as-recorded'))],
      estimators: [choose(estimators.get('auto'))],
      budgets: [20_000],
      references: true,
    }
    const take = (trace: Trace) => [...storedRuns(trace as FullTrace, plan, false)]
    const files = ['fixtures/claude-code/refactor.jsonl', 'fixtures/claude-code/compaction.jsonl']
    let [lost, rereads] = [0, 0]
    for await (const { taken } of readSources(files.map(openFile), plan, { keepMessages: true }, take)) {
      for (const { stored } of taken) {
        const { run, messages, requests, exchanges, cuts, references } = stored
        const sum = <T>(items: readonly T[], of: (item: T) => number) => items.reduce((all, item) => all + of(item), 0)
        expect(messages).toHaveLength(run.messages)
        expect(exchanges).toHaveLength(run.exchanges)
        expect(cuts).toHaveLength(run.cuts.length)
        expect(sum(requests, ({ sentTokens }) => sentTokens)).toBe(run.sentTokens)
        expect(sum(requests, ({ fullTokens }) => fullTokens)).toBe(run.fullTokens)
        expect(sum(requests, ({ over }) => Number(over))).toBe(run.overBudgetRequests)
        expect(sum(requests, ({ bill }) => bill.input)).toBeCloseTo(run.cost.input, 4)
        expect(sum(requests, ({ bill }) => bill.output)).toBeCloseTo(run.cost.output, 4)
        expect(sum(requests, ({ bill }) => bill.cached)).toBe(run.exact.cacheHitTokens)
        for (const { bill, sentTokens } of requests) expect(bill.cached + bill.written).toBeLessThanOrEqual(sentTokens)
        expect(references).toHaveLength(run.references?.total ?? 0)
        expect(sum(references, (use) => Number(use.lost === 'source'))).toBe(run.references?.sourceLost)
        for (const { tokens, first, last } of exchanges)
          expect(sum(messages.slice(first, last + 1), (message) => message.tokens)).toBe(tokens)
        lost += references.filter((use) => use.lost !== null && use.left.request !== null).length
        rereads += messages.filter((message) => message.rereads !== null).length
      }
    }
    expect(lost).toBeGreaterThan(0)
    expect(rereads).toBeGreaterThan(0)
  })
})
