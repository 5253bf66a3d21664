import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulate } from '../../src/app/by-plan.ts'
import { firstCell, sizersFor } from '../../src/app/plan.ts'
import type { Chosen } from '../../src/base/chosen.ts'
import type { Message, Preamble, ProviderName } from '../../src/model/message.ts'
import type { Cut } from '../../src/model/run.ts'
import { policies } from '../../src/policies/index.ts'
import keepAll from '../../src/policies/keep-all.ts'
import type { Policy } from '../../src/policies/policy.ts'
import ikigai from '../../src/policies/systems/ikigai.ts'
import { captureAt } from '../../src/simulator/capture.ts'
import { simulateOne } from '../../src/simulator/simulate.ts'
import { headOf, messages, traceOf, withGroups } from './arbitrary.ts'
import { planOf } from './plan.ts'
import { requestBytes } from './request-bytes.ts'

const preambles: Preamble[] = [
  { system: [], complete: true },
  { system: [{ role: 'system', line: 1, blocks: [{ type: 'text', text: 'You are “terse”.' }] }], complete: true },
  {
    system: [{ role: 'system', line: 1, blocks: [{ type: 'text', text: 'S' }] }],
    tools: [{ type: 'function', function: { name: 'read', parameters: { type: 'object' } } }],
    complete: true,
  },
]

/** Counts the slow, obvious way: builds the request and serializes it. */
function count(provider: ProviderName, preamble: Preamble, list: readonly Message[]): number {
  return Math.ceil(requestBytes(provider, preamble, list) / 4)
}

/** ikigai's rule on plain arrays, without any code of the simulator. */
function slowly(provider: ProviderName, preamble: Preamble, all: readonly Message[], budget: number, keepLast: number) {
  const isPrompt = (message: Message) => message.role === 'user' && message.origin === undefined
  const callsIn = (list: readonly Message[]) =>
    new Set(list.flatMap((m) => m.blocks.flatMap((block) => (block.type === 'call' ? [block.id] : []))))
  const answersIn = (list: readonly Message[]) =>
    new Set(list.flatMap((m) => (m.role === 'tool' ? [m.callId as string] : [])))
  const share = (one: ReadonlySet<string>, other: ReadonlySet<string>) => [...one].some((id) => other.has(id))
  let window: Message[] = []
  /** Only what the window lost: half a pair of the transcript's own is no fault of the policy. */
  const lost = (of: typeof callsIn, history: readonly Message[]) => {
    const inside = of(window)
    return new Set([...of(history)].filter((id) => !inside.has(id)))
  }
  let full = 0
  let sent = 0
  let peak = 0
  let over = 0
  let orphanResults = 0
  let orphanCalls = 0
  let cutoff: number | null = null
  const cuts: number[] = []
  let requests = 0
  const endExchange = () => {
    if (budget === 0) return
    let cut = false
    while (count(provider, preamble, window) > budget) {
      const starts = window.flatMap((message, index) => (isPrompt(message) ? [index] : []))
      // Whole turns leave, and no call without its results.
      const start = starts.find((start, turns) => {
        const [before, behind] = [callsIn(window.slice(0, start)), answersIn(window.slice(start))]
        return turns > 0 && starts.length - turns >= keepLast && !share(before, behind)
      })
      if (start === undefined) break
      window = window.slice(start)
      cut = true
    }
    if (!cut) return
    cutoff = all.indexOf(window[0] as Message)
    cuts.push(requests)
  }
  let started = false
  all.forEach((message, index) => {
    if (isPrompt(message)) {
      if (started) endExchange()
      started = true
    }
    if (message.role === 'assistant') {
      const history = all.slice(0, index)
      const tokens = count(provider, preamble, window)
      full += count(provider, preamble, history)
      sent += tokens
      peak = Math.max(peak, tokens)
      if (budget > 0 && tokens > budget) over++
      if (share(lost(callsIn, history), answersIn(window))) orphanResults++
      if (share(lost(answersIn, history), callsIn(window))) orphanCalls++
      requests++
    }
    // A result does not come in without its call.
    const hasLeft = message.role === 'tool' && lost(callsIn, all.slice(0, index)).has(message.callId as string)
    if (!hasLeft) window.push(message)
  })
  const rest = all
    .slice(all.findLastIndex(isPrompt) + 1)
    .filter((message) => message.role === 'assistant' || message.role === 'tool')
  const last = rest.at(-1)
  const idle = last?.role === 'assistant' && !last.blocks.some((block) => block.type === 'call')
  if (started && idle) endExchange()
  return {
    fullTokens: full,
    sentTokens: sent,
    peakTokens: peak,
    overBudgetRequests: over,
    requests,
    cuts,
    cutoff,
    orphanResults,
    orphanCalls,
  }
}

function run(
  provider: ProviderName,
  preamble: Preamble,
  list: readonly Message[],
  policy: Chosen<Policy>,
  budget: number,
) {
  const work = planOf(policy, budget)
  const trace = traceOf(list, sizersFor(work)(headOf(provider)), provider, { preamble })
  const [result] = simulate(trace, work)
  if (!result) throw new Error('no run')
  return result
}

describe('replay equals the request rebuilt and serialized at each step', () => {
  for (const provider of ['openai', 'anthropic', 'google'] as const) {
    it(`for ikigai, ${provider}`, () => {
      const cases = fc.record({
        list: messages,
        preamble: fc.constantFrom(...preambles),
        budget: fc.constantFrom(0, 15, 40, 100, 300, 100_000),
        keepLast: fc.integer({ min: 1, max: 3 }),
      })
      fc.assert(
        fc.property(cases, ({ list, preamble, budget, keepLast }) => {
          const grouped = provider === 'openai' ? list : withGroups(list)
          const fast = run(provider, preamble, grouped, { plugin: ikigai, values: { keepLast } }, budget)
          const slow = slowly(provider, preamble, grouped, budget, keepLast)
          expect({
            fullTokens: fast.fullTokens,
            sentTokens: fast.sentTokens,
            peakTokens: fast.peakTokens,
            overBudgetRequests: fast.overBudgetRequests,
            requests: fast.requests,
            cuts: Array.from(fast.cuts, (cut) => cut.request),
            cutoff: fast.cutoff?.message ?? null,
            orphanResults: fast.validity.orphanResults,
            orphanCalls: fast.validity.orphanCalls,
          }).toEqual(slow)
        }),
        { numRuns: 100 },
      )
    })
  }

  it('keep-all sends what is full', () => {
    fc.assert(
      fc.property(messages, (list) => {
        const result = run('openai', preambles[1] as Preamble, list, { plugin: keepAll, values: {} }, 50)
        expect(result.sentTokens).toBe(result.fullTokens)
        expect(result.cuts).toHaveLength(0)
        expect(result.cutoff).toBeNull()
      }),
    )
  })
})

it('tells observers of a cut once its price is known, before what goes out after it, and changes it no more', () => {
  fc.assert(
    fc.property(messages, fc.constantFrom(15, 40, 100), (list, budget) => {
      const work = planOf({ plugin: ikigai, values: { keepLast: 1 } }, budget)
      const trace = traceOf(list, sizersFor(work)(headOf('openai')))
      const told: Cut[] = []
      const asTold: string[] = []
      let requests = 0
      const { cuts } = simulateOne(firstCell(trace, work), [
        {
          request: () => requests++,
          cut: (cut) => {
            expect(cut.request).toBe(requests)
            told.push(cut)
            asTold.push(JSON.stringify(cut))
          },
        },
      ])
      expect(told).toEqual([...cuts])
      expect(Array.from(cuts, (cut) => JSON.stringify(cut))).toEqual(asTold)
    }),
  )
})

it('shows the messages of a request that nothing prunes since the history last started anew', () => {
  const say = (role: 'user' | 'assistant', line: number): Message => ({
    role,
    line,
    blocks: [{ type: 'text', text: `${line}` }],
  })
  const work = planOf({ plugin: keepAll, values: {} }, 0)
  const list = [say('user', 1), say('assistant', 2), say('user', 3), say('assistant', 4), say('user', 5)]
  const trace = traceOf(list, sizersFor(work)(headOf('openai')), 'openai', { resets: [3] })
  const shown = (request: number) => captureAt(firstCell(trace, work), request).messages.map(({ line }) => line)
  // The response itself starts the new history, so the request before it is empty.
  expect([shown(0), shown(1), shown(2)]).toEqual([[1], [], [4, 5]])
})

it('shows the request that would follow the last response as the policy would send it', () => {
  const work = planOf({ plugin: policies.get('cap-messages'), values: { max: 1, target: 1 } }, 100)
  const say = (role: 'user' | 'assistant', line: number): Message => ({
    role,
    line,
    blocks: [{ type: 'text', text: `${line}` }],
  })
  const list = [say('user', 1), say('assistant', 2), say('user', 3)]
  const trace = traceOf(list, sizersFor(work)(headOf('openai')), 'openai', {})
  expect(captureAt(firstCell(trace, work), 1).messages.map(({ line }) => line)).toEqual([3])
})

describe('a view that takes back what it had dropped', () => {
  it('has each exchange leave once, as it was in no request in between', () => {
    const list = [1, 2, 3, 4].flatMap((exchange): Message[] => [
      { role: 'user', line: 2 * exchange - 1, blocks: [{ type: 'text', text: `ask ${exchange}` }] },
      { role: 'assistant', line: 2 * exchange, blocks: [{ type: 'text', text: `answer ${exchange}` }] },
    ])
    // Before each request all comes back, and all but the newest exchange leave again.
    const policy: Policy = {
      ...keepAll,
      name: 'takes-back',
      kind: 'view',
      start: () => ({
        request(window) {
          window.restore()
          const [first, last] = [window.first, window.last?.previous]
          if (first && last) window.drop(first, last)
        },
      }),
    }
    const plan = planOf({ plugin: policy, values: {} }, 1)
    const trace = traceOf(list, [sizersFor(plan)(headOf('openai'))[0]!])
    const cuts: Cut[] = []
    simulateOne(firstCell(trace, plan), [{ cut: (cut) => cuts.push(cut) }])
    expect(cuts.map(({ evictedExchanges }) => evictedExchanges)).toEqual([[0], [1], [2]])
  })
})
