import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { historyOf } from '../../src/app/by-plan.ts'
import { readSources } from '../../src/app/files/read-sources.ts'
import { casesOf, cellsOf, firstCell, type Plan, sizersFor } from '../../src/app/plan.ts'
import { choose } from '../../src/base/chosen.ts'
import { estimators } from '../../src/estimators/index.ts'
import type { Message } from '../../src/model/message.ts'
import type { Trace } from '../../src/model/trace.ts'
import { policies } from '../../src/policies/index.ts'
import type { Policy } from '../../src/policies/policy.ts'
import { openFile } from '../../src/readers/lines/source.ts'
import type { Item } from '../../src/simulator/item.ts'
import { storedRun } from '../../src/simulator/recorder.ts'
import type { Observer } from '../../src/simulator/replay.ts'
import { simulateOne } from '../../src/simulator/simulate.ts'
import { EditableWindow } from '../../src/simulator/window.ts'
import { wildPolicy } from '../references/transcripts.ts'
import { headOf, messages, traceOf } from './arbitrary.ts'
import { planOf } from './plan.ts'

type FullTrace = Trace & { readonly messages: readonly Message[] }

/** A message left the window, when so many had come. */
interface Drop {
  readonly index: number
  readonly come: number
}

interface Moment {
  /** The messages inside, each with whether it was replaced. */
  readonly inside: ReadonlyMap<number, boolean>
  readonly drops: readonly Drop[]
}

/** At each request and at the end, by a look at the whole window: what is inside, and what has been dropped so far. */
function seen(trace: Trace, plan: Plan): Moment[] {
  const logs = new Map<unknown, Drop[]>()
  const logOf = (window: unknown): Drop[] => {
    const log = logs.get(window) ?? []
    logs.set(window, log)
    return log
  }
  const { append, drop } = EditableWindow.prototype
  const come = new Map<unknown, number>()
  const spies = [
    vi.spyOn(EditableWindow.prototype, 'append').mockImplementation(function (this: EditableWindow, index) {
      come.set(this, index + 1)
      const item = append.call(this, index)
      // A result whose call has left is not taken in.
      if (!item.inside) logOf(this).push({ index, come: index + 1 })
      return item
    }),
    vi.spyOn(EditableWindow.prototype, 'drop').mockImplementation(function (this: EditableWindow, from, to) {
      for (let item: Item | null = from; item; item = item === to ? null : item.next) {
        logOf(this).push({ index: item.index, come: come.get(this) as number })
      }
      return drop.call(this, from, to)
    }),
  ]
  const moments: Moment[] = []
  const look: NonNullable<Observer['end']> = (window) => {
    const inside = new Map(window.messages().map(({ index, replaced }) => [index, replaced]))
    moments.push({ inside, drops: [...(logs.get(window) ?? [])] })
  }
  simulateOne(firstCell(trace, plan), [{ request: (_, window) => look(window as never), end: look }])
  for (const spy of spies) spy.mockRestore()
  return moments
}

/** The first of the last moments at which a message was outside without a break; null if it is inside at the end. */
function leftAt(moments: readonly Moment[], index: number, from: number): number | null {
  const last = moments.findLastIndex(({ inside }) => inside.has(index))
  if (last === moments.length - 1) return null
  return Math.max(last + 1, from)
}

/** The exchange of a message, the response of it that it is or stands behind, and that of the transcript: null before the first. */
function placeOf(trace: Trace, index: number) {
  const come = Array.from({ length: index + 1 }, (_, at) => at)
  const prompt = come.findLast((at) => trace.isPrompt(at)) ?? 0
  const count = (found: readonly number[]) => (found.length === 0 ? null : found.length - 1)
  return {
    exchange: count(come.filter((at) => trace.isPrompt(at))),
    step: count(come.filter((at) => at >= prompt && trace.isResponse(at))),
    asked: count(come.filter((at) => trace.isResponse(at))),
  }
}

/** Some of them with a time. */
const timed = fc.tuple(messages, fc.infiniteStream(fc.option(fc.nat(1000), { freq: 3 }))).map(([list, times]) =>
  list.map((message): Message => {
    const time = times.next().value
    return time === null ? message : { ...message, time }
  }),
)

describe('the rows of a replay', () => {
  const named = ['ikigai', 'drop-messages', 'langchain-trim', 'mask-tool-results', 'forge', 'keep-all']
  const policyFor: [name: string, (seed: number) => Policy][] = [
    ...named.map((name): [string, () => Policy] => [name, () => policies.get(name)]),
    ['a policy that edits at random', (seed) => wildPolicy('sticky', seed)],
    ['a policy that edits at random and takes messages back in', (seed) => wildPolicy('view', seed)],
  ]
  it.each(policyFor)(
    '%s: say of each message when it left, and by whom, as a look at the whole window at every request does',
    (_, policyOf) => {
      const budgets = fc.integer({ min: 0, max: 400 })
      fc.assert(
        fc.property(timed, budgets, fc.array(fc.nat(59)), fc.nat(), (list, budget, resets, seed) => {
          const plan = planOf(choose(policyOf(seed)), budget)
          const sizers = sizersFor(plan)(headOf('openai'))
          const preamble = { system: [], complete: true }
          const trace = traceOf(list, sizers, 'openai', { preamble, resets }) as FullTrace
          const moments = seen(trace, plan)
          const { messages, exchanges, requests, run } = storedRun(trace, firstCell(trace, plan), false)
          const answerOf = (request: number) => (request < trace.requests ? trace.requestAt(request) : trace.length - 1)
          const slowly = messages.map(({ index }) => {
            // The first request after the message: before that it could not be inside.
            let from = 0
            while (from < trace.requests && trace.requestAt(from) <= index) from++
            const request = leftAt(moments, index, from)
            const placed = placeOf(trace, index)
            if (request === null) {
              return {
                ...placed,
                inside: true,
                replaced: moments.at(-1)?.inside.get(index),
                request,
                by: null,
                time: null,
              }
            }
            // What was there until the history began anew, the policy did not take.
            const cleared = resets.filter(
              (at) => at > index && at > (request === 0 ? -1 : answerOf(request - 1)) && at <= answerOf(request),
            )
            const dropped = moments[request]?.drops.findLast((drop) => drop.index === index)
            const before = cleared.length > 0 ? Math.min(...cleared) : dropped?.come
            const time = list.slice(0, before).findLast(({ time }) => time !== undefined)?.time ?? null
            const by = cleared.length > 0 ? 'reset' : run.policy
            return { ...placed, inside: false, replaced: false, request, by, time }
          })
          const told = messages.map(
            ({ exchange, step, request: asked, inside, replaced, left: { request, by, time } }) => ({
              ...{ exchange, step, asked, inside, replaced, request, by, time },
            }),
          )
          if (!isDeepStrictEqual(told, slowly)) expect(told).toEqual(slowly)
          expect(requests.filter(({ over }) => over)).toHaveLength(run.overBudgetRequests)
          for (const { first, last, inside, left } of exchanges) {
            const own = slowly.slice(first, last + 1)
            expect(inside).toBe(own.some((one) => one.inside))
            expect(left.request).toBe(inside ? null : Math.max(...own.map((one) => one.request ?? -1)))
          }
        }),
        { numRuns: 60 },
      )
    },
  )

  it('date what is cut at the end of an exchange by that end, and not by the next user message', () => {
    const said = (role: Message['role'], time: number, size = 4): Message => {
      const blocks = [{ type: 'text' as const, text: 'x'.repeat(size) }]
      return { role, line: time, blocks, time, responseId: `${time}` }
    }
    const list = [
      said('user', 10),
      said('assistant', 11, 900),
      said('user', 20),
      said('assistant', 21),
      said('user', 30),
    ]
    const plan = planOf(choose(policies.get('exchange')), 100)
    const trace = traceOf(list, sizersFor(plan)(headOf('openai')), 'openai') as FullTrace
    const { messages, exchanges, cuts } = storedRun(trace, firstCell(trace, plan), false)
    const left = { request: 2, time: 21, by: 'exchange' }
    expect(messages.map(({ left }) => left.time)).toEqual([21, 21, null, null, null])
    expect(exchanges[0]).toMatchObject({ inside: false, left })
    expect(cuts).toMatchObject([{ request: 2, time: 21 }])
    expect(historyOf(trace, plan, null)).toMatchObject({ time: 30, outside: [{ exchange: 0, age: 9 }] })
  })

  it('add up to the figures of their run', async () => {
    const plan: Plan = {
      policies: [choose(policies.get('ikigai')), choose(policies.get('as-recorded'))],
      estimators: [choose(estimators.get('auto'))],
      budgets: [20_000],
      references: true,
    }
    const take = (trace: Trace) =>
      cellsOf(casesOf(trace, plan), plan).map((cell) => storedRun(trace as FullTrace, cell, false))
    const files = ['fixtures/claude-code/refactor.jsonl', 'fixtures/claude-code/compaction.jsonl']
    let [lost, rereads] = [0, 0]
    for await (const { taken } of readSources(files.map(openFile), plan, { keepMessages: true }, take)) {
      for (const stored of taken) {
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
