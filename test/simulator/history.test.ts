import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FullTrace } from '../../src/app/analyse.ts'
import { exchangesOf, historyOf, simulate } from '../../src/app/by-plan.ts'
import { firstCell, type Plan, sizersFor } from '../../src/app/plan.ts'
import { choose } from '../../src/base/chosen.ts'
import { requestOfExchange } from '../../src/model/exchanges.ts'
import type { HistoryView } from '../../src/model/history.ts'
import type { Block, Message } from '../../src/model/message.ts'
import type { StoredExchange } from '../../src/model/stored.ts'
import { definePolicy } from '../../src/policies/catalogue/define-policy.ts'
import { policies } from '../../src/policies/index.ts'
import keepAll from '../../src/policies/keep-all.ts'
import type { Policy } from '../../src/policies/policy.ts'
import ikigai from '../../src/policies/systems/ikigai.ts'
import { renderHistory } from '../../src/reports/history.ts'
import { storedRun } from '../../src/simulator/recorder.ts'
import { headOf, messages, traceOf } from './arbitrary.ts'
import { planOf as bytesPlan } from './plan.ts'

const valuesOf = (policy: Policy) => (policy === (ikigai as Policy) ? { keepLast: 1 } : {})
const planOf = (policy: Policy, budget: number) => bytesPlan({ plugin: policy, values: valuesOf(policy) }, budget)

function read(list: readonly Message[], plan: Plan, resets: readonly number[] = []) {
  const preamble = { system: [], complete: true }
  return traceOf(list, sizersFor(plan)(headOf('openai')), 'openai', { preamble, resets })
}

const hour = 3_600_000
const start = Date.UTC(2026, 0, 1)

/** The transcript of the picture in ikigai's "Exchange Boundaries", with padding for the picture's exchange sizes. */
function told(): Message[] {
  const list: Message[] = []
  let ids = 0
  const add = (role: Message['role'], text: string, time: number, more: Partial<Message> = {}): void => {
    const blocks: Block[] = [{ type: 'text', text }]
    list.push({ role, line: list.length + 1, blocks, time: start + time * hour, ...more })
  }
  const tool = (name: string, path: string, time: number, size: number): void => {
    const id = `call_${ids++}`
    const calls: Block[] = [{ type: 'call', id, name, input: { path } }]
    list.push({ role: 'assistant', line: list.length + 1, blocks: calls, time: start + time * hour })
    add('tool', 'x'.repeat(size), time, { callId: id })
  }
  add('user', 'Implement auth', 0)
  tool('file_write', 'src/auth.c', 0, 16_000)
  add('assistant', 'Done.', 1)
  add('user', 'Add tests', 1)
  tool('file_write', 'tests/auth.c', 1, 15_000)
  add('assistant', 'Tests added.', 2)
  add('user', 'Refactor error handling to use Result<T>\nand nothing else', 4)
  tool('file_read', 'src/errors.h', 4, 20_000)
  tool('file_edit', 'src/errors.c', 4, 13_000)
  add('assistant', 'Refactored to Result<T> pattern', 4)
  add('user', 'Add structured logging', 5)
  return list
}

const print = (view: HistoryView, change = {}): string =>
  [...renderHistory(view, { width: 73, color: false, all: false, ...change })].join('')

const untimed = (list: readonly Message[]): Message[] => list.map(({ time: _, ...message }) => message)

describe('history', () => {
  const plan = planOf(ikigai as Policy, 9000)

  it('draws the picture of “Exchange Boundaries”', () => {
    expect(print(historyOf(read(told(), plan), plan, null))).toMatchInlineSnapshot(`
      "ikigai at 9k, at the end, 2026-01-01 05:00 UTC

      Sliding Window (8.4k/9.0k tokens; no usage recorded: -30.3 to +30.3 %):

      [Outside window - in archival]
        Exchange 1: "Implement auth" (evicted 1h ago, 4.1k)
        Exchange 2: "Add tests" (evicted 1h ago, 3.8k)

      ──────────────────────── the window begins here ─────────────────────────

      [Inside window - currently visible]
        Preamble: system prompt and tools (recorded, 4)

        Exchange 3: "Refactor error handling to use Result<T> …" (1h ago, 8.4k)
          ├─ User: "Refactor error handling to use Result<T> and nothing else"
          ├─ Tool: file_read src/errors.h
          ├─ Tool: file_edit src/errors.c
          └─ Assistant: "Refactored to Result<T> pattern"

      ────────────────────────────── pruned here ──────────────────────────────

        Exchange 4: "Add structured logging" (current, 13)
          └─ User: "Add structured logging"
      "
    `)
  })
  it('draws it as it stood at a request', () => {
    expect(print(historyOf(read(told(), plan), plan, 2))).toMatchInlineSnapshot(`
      "ikigai at 9k, before request 3, 2026-01-01 01:00 UTC

      Sliding Window (4.1k/9.0k tokens; no usage recorded: -30.3 to +30.3 %):

      [Inside window - currently visible]
        Preamble: system prompt and tools (recorded, 4)

        Exchange 1: "Implement auth" (1h ago, 4.1k)
          ├─ User: "Implement auth"
          ├─ Tool: file_write src/auth.c
          └─ Assistant: "Done."

        Exchange 2: "Add tests" (current, 10)
          └─ User: "Add tests"
      "
    `)
  })
  describe('the horizontal rule', () => {
    const marks = (picture: string): string[] =>
      picture
        .split('\n')
        .filter((line) => /^─| Exchange \d/.test(line))
        .map((line) => line.replaceAll('─', '').trim().replace(/:.*/, ''))
    const view = (request: number | null, shown = plan, list = told(), resets: number[] = []) =>
      historyOf(read(list, shown, resets), shown, request)

    it('stands after the last response of the exchange in which the window was cut, and moves forward', () => {
      const tight = planOf(ikigai as Policy, 5000)
      const drawn = [6, null].map((request) => marks(print(view(request, tight))))
      expect(drawn).toEqual([
        ['Exchange 1', 'the window begins here', 'Exchange 2', 'pruned here', 'Exchange 3'],
        ['Exchange 1', 'Exchange 2', 'the window begins here', 'Exchange 3', 'pruned here', 'Exchange 4'],
      ])
    })
    it('has an empty line before and after, at the end of the picture, too', () => {
      expect(print(view(null))).toMatch(/\n\n─+ pruned here ─+\n\n/)
      const answered = told().slice(0, -1)
      expect(print(view(null, plan, answered))).toMatch(/\n\n─+ pruned here ─+\n\n$/)
    })
    it('is drawn from the transcript and the budget alone', () => {
      expect(print(view(null))).toBe(print(view(null)))
    })
    it('is gone once the history begins anew', () => {
      expect(view(null, plan, told(), [12])).toMatchObject({ cutAfter: null })
    })
    it('stands in the exchange whose request was too large, where the policy acts on requests', () => {
      const shown = bytesPlan(choose(policies.get('drop-oldest')), 9000)
      expect([2, 3, 4, 5, 6].map((request) => view(request, shown).cutAfter)).toEqual([null, null, null, 2, 2])
    })
  })
  it('says which exchanges were interrupted, but not of the one that goes on', () => {
    const list = told().map((message, index) =>
      index === 0 || index === 8 ? { ...message, interrupted: true as const } : message,
    )
    const drawn = (request: number | null) =>
      print(historyOf(read(list, plan), plan, request)).match(/Exchange \d.*interrupted\)/g)
    expect(drawn(null)).toEqual([
      'Exchange 1: "Implement auth" (evicted 1h ago, 4.1k, interrupted)',
      expect.stringMatching(/^Exchange 3: .*\(1h ago, 8.4k, interrupted\)$/),
    ])
    expect(drawn(4)).toEqual([expect.stringMatching(/^Exchange 1/)])
  })
  it('draws no rule where nothing has left, and no ages where there are no times', () => {
    const all = planOf(keepAll as Policy, 0)
    expect(print(historyOf(read(untimed(told()).slice(0, 4), all), all, null))).toMatchInlineSnapshot(`
      "keep-all without a budget, at the end

      Sliding Window (4.1k tokens; no usage recorded: -30.3 to +30.3 %):

      [Inside window - currently visible]
        Preamble: system prompt and tools (recorded, 4)

        Exchange 1: "Implement auth" (4.1k)
          ├─ User: "Implement auth"
          ├─ Tool: file_write src/auth.c
          └─ Assistant: "Done."
      "
    `)
  })
  it('says what was cleared', () => {
    const trace = read(told().slice(0, 8), plan, [4])
    const view = historyOf(trace, plan, null)
    expect(view.outside).toMatchObject([{ exchange: 0, left: 'cleared', age: hour }])
    expect(view.inside.map(({ exchange }) => exchange)).toEqual([1])
  })
  it('says what a policy masked, inserted and took out of an exchange', () => {
    const masking = definePolicy({
      name: 'masking',
      summary: '',
      source: '',
      params: {},
      kind: 'sticky',
      monotone: false,
      wholePairs: false,
      text: true,
      start: () => ({
        exchangeEnd: (window) => {
          for (let entry = window.first; entry; entry = entry.next) {
            if (entry.role === 'tool' && !entry.replaced) window.replace(entry, '[masked]')
          }
          const last = window.last
          if (last?.role === 'assistant') window.drop(last, last)
          window.insert(window.first, { role: 'user', blocks: [{ type: 'text', text: 'A summary' }] })
        },
      }),
    })
    const masked = planOf(masking, 9000)
    const view = historyOf(read(told().slice(0, 5), masked), masked, null)
    const [first] = view.inside
    expect(first).toMatchObject({ exchange: 0, missing: 1, current: false })
    expect(view.inserted).toMatchObject([{ before: 0, lines: [{ kind: 'inserted', text: 'A summary' }] }])
    expect(print(view)).toContain('\n  Inserted by the policy (9)\n    └─ Inserted: "A summary"\n\n  Exchange 1: ')
    expect(first?.lines).toEqual([
      { kind: 'user', text: 'Implement auth' },
      { kind: 'tool', name: 'file_write', target: 'src/auth.c', shortened: true },
    ])
  })
  it('says since when an exchange has been outside, whatever a policy that renders anew does since', () => {
    const newest = definePolicy({
      name: 'newest',
      summary: '',
      source: '',
      params: {},
      kind: 'view',
      monotone: false,
      wholePairs: false,
      text: false,
      start: () => ({
        request: (window) => {
          window.restore()
          const newest = window.newestExchange?.first
          if (window.first && newest?.previous) window.drop(window.first, newest.previous)
        },
      }),
    })
    const plan = planOf(newest, 1)
    const { outside } = historyOf(read(told(), plan), plan, null)
    expect(outside.map(({ exchange, age }) => [exchange, (age as number) / hour])).toEqual([
      [0, 4],
      [1, 1],
    ])
  })
  it('lets what stood before the first exchange leave with the cut that took it', () => {
    const lead: Message = { role: 'system', line: 1, blocks: [{ type: 'text', text: 'Once' }], time: start }
    const { outside } = historyOf(read([lead, ...told()], plan), plan, null)
    expect(outside.map(({ exchange, age }) => [exchange, age])).toEqual([
      [-1, hour],
      [0, hour],
      [1, hour],
    ])
  })
  it('says at what time it looks', () => {
    const small = planOf(keepAll as Policy, 3000)
    expect(
      print(historyOf(read(told(), small), small, 2))
        .split('\n')
        .slice(0, 3),
    ).toEqual([
      'keep-all at 3k, before request 3, 2026-01-01 01:00 UTC',
      '',
      'Sliding Window (4.1k/3.0k tokens; no usage recorded: -30.3 to +30.3 %):',
    ])
  })
  it('tells what is not known of a transcript without its beginning from what it begins with', () => {
    const usage = { input: 5000, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 10 }
    const list: Message[] = [
      { role: 'user', line: 1, blocks: [{ type: 'text', text: '[before]' }], origin: 'injected' },
      ...told().map((message) => (message.role === 'assistant' ? { ...message, usage } : message)),
    ]
    const plan = { ...planOf(keepAll as Policy, 0), preamble: 1000 }
    const trace = traceOf(list, sizersFor(plan)(headOf('openai')), 'openai', { head: { headless: true } })
    const view = historyOf(trace, plan, 0)
    expect(view).toMatchObject({ preambleTokens: 1000, unknownHistoryTokens: 3980, outside: [] })
    expect(view.inside[0]?.tokens).toBe(view.tokens - 1000 - 3980)
    expect(view.inside.map(({ exchange }) => exchange)).toEqual([0])
    expect(print(view)).toContain('  Before this file: not recorded (4.0k)\n')
  })
  it('shortens an exchange of hundreds of calls, unless all is asked for', () => {
    const calls = Array.from({ length: 300 }, (_, index): Message[] => [
      {
        role: 'assistant',
        line: 2 * index + 2,
        blocks: [
          { type: 'text', text: 'I look.' },
          { type: 'call', id: `c${index}`, name: 'read', input: `{"path":"src/${index}.ts"}` },
        ],
      },
      { role: 'tool', line: 2 * index + 3, callId: `c${index}`, blocks: [{ type: 'text', text: 'ok' }] },
    ]).flat()
    const list: Message[] = [{ role: 'user', line: 1, blocks: [{ type: 'text', text: 'Read\u001b[2J all' }] }, ...calls]
    const all = planOf(keepAll as Policy, 0)
    const view = historyOf(read(list, all), all, null)
    expect(print(view)).toMatchInlineSnapshot(`
      "keep-all without a budget, at the end

      Sliding Window (16k tokens; no usage recorded: -30.3 to +30.3 %):

      [Inside window - currently visible]
        Preamble: system prompt and tools (recorded, 4)

        Exchange 1: "Read\\x1b[2J all" (current, 16k)
          ├─ User: "Read\\x1b[2J all"
          ├─ Tool: read src/0.ts
          ├─ Tool: read src/1.ts
          ├─ Tool: read src/2.ts
          ├─ Tool: read src/3.ts
          ├─ Tool: read src/4.ts
          ├─ … 292 more
          ├─ Tool: read src/297.ts
          ├─ Tool: read src/298.ts
          └─ Tool: read src/299.ts
      "
    `)
    expect(print(view, { all: true }).split('\n')).toHaveLength(8 + 1 + 600 + 1)
  })

  it('holds on random transcripts: every exchange once, in order, and parts that add up to the request', () => {
    const policy = fc.constantFrom(...policies.all)
    const resets = fc.oneof(
      fc.constant([]),
      fc.nat(40).map((at) => [at]),
    )
    fc.assert(
      fc.property(
        messages,
        policy,
        fc.integer({ min: 0, max: 400 }),
        fc.nat(20),
        resets,
        (list, policy, budget, at, resets) => {
          const small = { ...planOf(policy, budget), policies: [choose(policy)] }
          const trace = read(list, small, resets)
          const request = at < trace.requests ? at : null
          const view = historyOf(trace, small, request)
          const seen = [...view.outside, ...view.inside].map(({ exchange }) => exchange)
          expect(new Set(seen).size).toBe(seen.length)
          if (request === null) {
            const all = seen.filter((exchange) => exchange >= 0).sort((a, b) => a - b)
            expect(all).toEqual(exchangesOf(trace, small).map((one) => one.exchange))
          } else {
            const [run] = simulate(trace, small, 'request')
            expect(view.tokens).toBe(run?.rows?.[request]?.sentTokens)
          }
          const parts = [...view.inserted, ...view.inside]
          expect(parts.reduce((sum, { tokens }) => sum + tokens, view.preambleTokens + view.unknownHistoryTokens)).toBe(
            view.tokens,
          )
          for (const width of [24, 73]) {
            const picture = print(view, { width })
            for (const line of picture.split('\n')) expect(line).not.toMatch(/[\p{Cc}\u2028]/u)
            expect(picture.match(/^ {2}(Preamble|Before|Inserted|Exchange)/gm)?.length).toBe(
              1 + parts.length + Math.min(9, view.outside.length) - (view.outside.length > 9 ? 1 : 0),
            )
          }
        },
      ),
      { numRuns: 80 },
    )
  })
})

describe('history, exchanges and export', () => {
  it('say the same of an exchange', () => {
    const stopped = fc.infiniteStream(fc.integer({ min: 0, max: 2 }))
    const resets = fc.array(fc.nat(40), { maxLength: 2 })
    fc.assert(
      fc.property(
        messages,
        stopped,
        fc.constantFrom(...policies.all),
        fc.integer({ min: 0, max: 400 }),
        resets,
        (list, stops, policy, budget, resets) => {
          const plan = bytesPlan(choose(policy), budget)
          const timed = list.map((message, index): Message => {
            const isStopped = message.role === 'user' && stops.next().value === 0
            return { ...message, time: index * hour, ...(isStopped && { interrupted: true }) }
          })
          const trace = read(timed, plan, resets)
          const { outside, inside, time } = historyOf(trace, plan, null)
          const listed = exchangesOf(trace, plan)
          const { exchanges } = storedRun(trace as FullTrace, firstCell(trace, plan), false)
          const drawn = [...outside, ...inside].filter(({ exchange }) => exchange >= 0)
          const facts = drawn.toSorted((a, b) => a.exchange - b.exchange)
          expect(exchanges.map(({ index, title, inside }) => [index, title, inside])).toEqual(
            facts.map((one) => [one.exchange, one.title, !('left' in one)]),
          )
          expect(
            exchanges.map(({ state, title, requests, toolCalls }) => ({ state, title, requests, toolCalls })),
          ).toEqual(listed.map(({ state, title, requests, toolCalls }) => ({ state, title, requests, toolCalls })))
          expect(exchanges.map(({ first, last }) => [trace.line(first), trace.line(last)])).toEqual(
            listed.map(({ firstLine, lastLine }) => [firstLine, lastLine]),
          )
          expect(facts.map(({ interrupted }) => interrupted)).toEqual(
            listed.map(({ state }) => state === 'interrupted'),
          )
          for (const one of outside.filter(({ exchange }) => exchange >= 0)) {
            const { left } = exchanges[one.exchange] as StoredExchange
            expect(one.age).toBe((time as number) - (left.time as number))
            expect(one.left).toBe(left.by === 'reset' ? 'cleared' : 'evicted')
          }
        },
      ),
      { numRuns: 100 },
    )
  })
})

describe('exchanges', () => {
  const plan = planOf(ikigai as Policy, 9000)
  it('lists them', () => {
    expect(exchangesOf(read(told(), plan), plan)).toMatchObject([
      { exchange: 0, state: 'complete', firstLine: 1, lastLine: 4, messages: 4, requests: 2, toolCalls: 1 },
      { exchange: 1, state: 'complete', firstLine: 5, lastLine: 8, title: 'Add tests' },
      { exchange: 2, toolCalls: 2, requests: 3, title: 'Refactor error handling to use Result<T> and nothing else' },
      { exchange: 3, state: 'open', messages: 1, requests: 0, toolCalls: 0 },
    ])
  })
  it('finds the last request of an exchange', () => {
    const trace = read(told(), plan)
    expect([0, 1, 2, 3, 4].map((exchange) => requestOfExchange(trace, exchange))).toEqual([1, 3, 6, 6, null])
  })
})

describe('rows', () => {
  it('add up to the run', () => {
    fc.assert(
      fc.property(
        messages,
        fc.integer({ min: 0, max: 200 }),
        fc.constantFrom('exchange', 'request'),
        (list, budget, by) => {
          const small = planOf(ikigai as Policy, budget)
          const [run] = simulate(read(list, small), small, by as 'exchange' | 'request')
          const result = run?.rows ?? []
          const sum = (key: 'requests' | 'fullTokens' | 'sentTokens' | 'savedTokens' | 'overBudgetRequests') =>
            result.reduce((total, row) => total + row[key], 0)
          for (const key of ['requests', 'fullTokens', 'sentTokens', 'savedTokens', 'overBudgetRequests'] as const) {
            expect(sum(key)).toBe(run?.[key])
          }
          expect(Math.max(0, ...result.map((row) => row.peakTokens))).toBe(run?.peakTokens)
          if (by === 'request') expect(result.map((row) => row.request)).toEqual(result.map((_, index) => index))
          else expect(new Set(result.map((row) => row.exchange)).size).toBe(result.length)
        },
      ),
    )
  })
})
