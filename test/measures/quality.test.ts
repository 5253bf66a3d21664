/** The sums of a transcript, against its messages counted the slow, obvious way. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { became, factsOf } from '../../src/measures/outcomes.ts'
import { bandOf, observationsOf, qualityOf } from '../../src/measures/quality.ts'
import type { Message } from '../../src/model/message.ts'
import { type Endpoint, endpoints } from '../../src/model/quality.ts'
import { recountsOf } from '../../src/model/recorded.ts'
import type { Compaction, Trace } from '../../src/model/trace.ts'
import { traceOf } from '../simulator/arbitrary.ts'
import { outcomesOf } from './outcomes-of.ts'

interface Step {
  readonly prompt: string | null
  readonly size: number
  readonly tools: readonly { readonly name: string; readonly input: number; readonly result: string }[]
  readonly failed: boolean
  readonly compacts: boolean
}

const step: fc.Arbitrary<Step> = fc.record({
  prompt: fc.option(fc.constantFrom('Go on', 'No, the other one'), { freq: 4, nil: null }),
  size: fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 40_000, max: 130_000 }) },
    { weight: 1, arbitrary: fc.constant(0) },
  ),
  tools: fc.array(
    fc.record({
      name: fc.constantFrom('Read', 'Edit', 'TaskOutput'),
      input: fc.nat(4),
      result: fc.constantFrom(
        'fine',
        'String to replace not found',
        'The user denied this operation',
        'aborted by user',
      ),
    }),
    { maxLength: 3 },
  ),
  failed: fc.boolean(),
  compacts: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
})

/** A transcript whose windows grow, but for a few, and the messages that it is of. */
const session = fc.array(step, { minLength: 1, maxLength: 60 }).map((steps): { trace: Trace; list: Message[] } => {
  const list: Message[] = []
  const compactions: Compaction[] = []
  let line = 0
  const say = (message: Omit<Message, 'line'>): void => {
    list.push({ ...message, line: ++line })
  }
  for (const [at, { prompt, size, tools, failed, compacts }] of steps.entries()) {
    if (prompt !== null || at === 0) say({ role: 'user', blocks: [{ type: 'text', text: prompt ?? 'Begin' }] })
    if (compacts) compactions.push({ at: list.length, keptFrom: list.length, summary: [], line })
    const ids = tools.map((_, nth) => `c${at}_${nth}`)
    const calls = tools.map(({ name, input }, nth) => ({
      type: 'call' as const,
      id: ids[nth]!,
      name,
      input: { input },
    }))
    const grown = size === 0 ? 0 : size + 1000 * at
    const usage = { input: grown, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 10 * at }
    say({ role: 'assistant', blocks: calls, usage })
    for (const [nth, { result }] of tools.entries()) {
      const isError = failed && nth === 0
      say({ role: 'tool', blocks: [{ type: 'text', text: result }], callId: ids[nth]!, ...(isError && { isError }) })
    }
  }
  return { trace: traceOf(list, [() => 1], 'openai', { compactions }), list }
})

interface Fact {
  readonly endpoint: Endpoint
  readonly request: number
  readonly size: number
  readonly key: string
  readonly value: number
}

/** Everything that is counted, message by message. */
function factsSlowly(trace: Trace, list: readonly Message[]): Fact[] {
  const cuts = recountsOf(trace).map(({ at }) => at)
  const callsBefore = (end: number) =>
    list.slice(0, end).flatMap((message) => message.blocks.flatMap((block) => (block.type === 'call' ? [block] : [])))
  const starts = list.flatMap(({ role }, at) => (role === 'assistant' ? [at] : []))
  return starts.flatMap((at, request): Fact[] => {
    const size = list[at]!.usage!.input
    if (size === 0) return []
    const lastPrompt = list.findLastIndex(({ role }, index) => role === 'user' && index < at)
    const place = starts.filter((one) => one > lastPrompt && one < at).length
    const stretch = cuts.filter((cut) => cut <= at && cut > 0).length
    const like = (tool: string) => `${stretch} ${tool} ${place < 5 ? 'early' : place < 20 ? 'later' : 'last'}`
    const own = { request, size }
    const fact = (endpoint: Endpoint, key: string, is: boolean): Fact => ({ ...own, endpoint, key, value: Number(is) })
    const facts: Fact[] = []
    const before = callsBefore(at)
    const calls = callsBefore(at + 1).slice(before.length)
    for (const [nth, call] of calls.entries()) {
      const last = [...before, ...calls.slice(0, nth)].slice(-10)
      if (last.length < 10 || call.name === 'TaskOutput') continue
      const isSame = last.some(
        ({ name, input }) => name === call.name && JSON.stringify(input) === JSON.stringify(call.input),
      )
      facts.push(fact('repeated', like(call.name), isSame))
    }
    const rest = list.slice(at + 1, starts[request + 1] ?? list.length)
    for (const message of rest) {
      const bits = factsOf(message)
      if (message.role === 'user') facts.push(fact('corrected', `${stretch}`, (bits & became.corrected) > 0))
      const call = calls.find(({ id }) => id === message.callId)
      if (message.role !== 'tool' || !call) continue
      facts.push(fact('rejected', like(call.name), (bits & became.rejected) > 0))
      if ((bits & (became.rejected | became.undone)) > 0) continue
      facts.push(fact('failed', like(call.name), (bits & became.failed) > 0))
      if (call.name === 'Edit') facts.push(fact('edits', like('Edit'), (bits & became.missed) > 0))
    }
    const first = like(calls[0]?.name ?? '')
    facts.push(
      fact(
        'interrupted',
        first,
        rest.some((message) => (factsOf(message) & became.interrupted) > 0),
      ),
    )
    facts.push({ ...own, endpoint: 'output', key: first, value: Math.log1p(list[at]!.usage!.output) })
    return facts
  })
}

/** By every pair of a large and a small window of the same kind. */
function contrastSlowly(large: readonly Fact[], small: readonly Fact[]): { weight: number; difference: number } {
  let [weight, difference] = [0, 0]
  for (const key of new Set(large.map((one) => one.key))) {
    const [a, b] = [large, small].map((list) => list.filter((one) => one.key === key)) as [Fact[], Fact[]]
    for (const one of a)
      for (const other of b) {
        weight += 1 / (a.length + b.length)
        difference += (one.value - other.value) / (a.length + b.length)
      }
  }
  return { weight, difference }
}

describe('qualityOf', () => {
  it('has the sums of every pair that may be compared', () => {
    fc.assert(
      fc.property(session, ({ trace, list }) => {
        const facts = factsSlowly(trace, list)
        const sums = qualityOf(trace, outcomesOf(list))
        expect([...observationsOf(trace, outcomesOf(list))]).toHaveLength(facts.length)
        expect(sums.withoutSize).toBe(list.filter(({ usage }) => usage?.input === 0).length)
        for (const [at, endpoint] of endpoints.entries()) {
          const own = facts.filter((one) => one.endpoint === endpoint)
          for (const [band, sum] of sums.endpoints[at]!.bands.entries()) {
            const inside = own.filter(({ size }) => bandOf(size) === band)
            expect(sum.observations).toBe(inside.length)
            expect(sum.total).toBeCloseTo(inside.reduce((total, { value }) => total + value, 0))
            if (band === 0) continue
            const { weight, difference } = contrastSlowly(
              inside,
              own.filter(({ size }) => bandOf(size) === 0),
            )
            expect(sum.weight).toBeCloseTo(weight)
            expect(sum.difference).toBeCloseTo(difference)
          }
        }
      }),
      { numRuns: 60 },
    )
  })

  it('holds the fifteen requests in front of a compaction against the fifteen behind it, but no further than the next', () => {
    fc.assert(
      fc.property(session, ({ trace, list }) => {
        const bare = factsSlowly(trace, list).map((one) => ({ ...one, key: one.key.replace(/^\d+ ?/, '') }))
        const firsts = [...new Set(trace.compactions.map(({ at }) => trace.requestFrom(at)))]
        const sums = qualityOf(trace, outcomesOf(list))
        for (const [at, endpoint] of endpoints.entries()) {
          let [weight, difference] = [0, 0]
          for (const [nth, first] of firsts.entries()) {
            const own = bare.filter((one) => one.endpoint === endpoint)
            const front = own.filter(({ request: r }) => r < first && r >= first - 15 && r >= (firsts[nth - 1] ?? 0))
            const behind = own.filter(
              ({ request: r }) => r >= first && r < first + 15 && r < (firsts[nth + 1] ?? Infinity),
            )
            const sum = contrastSlowly(front, behind)
            weight += sum.weight
            difference += sum.difference
          }
          expect(sums.endpoints[at]!.compactions.weight).toBeCloseTo(weight)
          expect(sums.endpoints[at]!.compactions.difference).toBeCloseTo(difference)
        }
      }),
      { numRuns: 60 },
    )
  })
})
