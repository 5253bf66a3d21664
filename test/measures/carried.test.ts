import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sharesOf } from '../../src/measures/carried.ts'
import { type BilledRequest, billedRequests } from '../../src/measures/spent.ts'
import { findExchanges } from '../../src/model/exchanges.ts'
import type { Message } from '../../src/model/message.ts'
import { Passing } from '../../src/model/passing.ts'
import type { Trace } from '../../src/model/trace.ts'
import { traceOf } from '../simulator/arbitrary.ts'
import { size, sizesOf, table, usage } from './sessions.ts'

const said = (role: Message['role'], line: number, length: number, more: Partial<Message> = {}): Message => ({
  role,
  line,
  blocks: [{ type: 'text', text: 'x'.repeat(length) }],
  ...more,
})

const turn = fc.record({
  usage: fc.option(usage),
  asked: fc.nat(200),
  said: fc.nat(200),
  result: fc.option(fc.nat(400)),
  does: fc.constantFrom('nothing', 'nothing', 'nothing', 'reset', 'compacts', 'clears'),
})

/** The requests of a session with what each carried, looked up message by message. */
interface Session {
  readonly trace: Trace
  /** By request: the messages it carried with their sizes, and the size of the summary in front of them. */
  readonly carried: readonly { readonly front: number; readonly messages: ReadonlyMap<number, number> }[]
}

const session: fc.Arbitrary<Session> = fc.array(turn, { maxLength: 12 }).map((turns) => {
  const list: Message[] = []
  const resets: number[] = []
  const compactions: { at: number; keptFrom: number; summary: Message[]; line: number }[] = []
  const clearings: {
    at: number
    left: Map<number, { type: 'text'; text: string }[]>
    restored: boolean
    line: number
  }[] = []
  const carried: { front: number; messages: Map<number, number> }[] = []
  let inside = new Map<number, number>()
  let front = 0
  const add = (message: Message): void => {
    inside.set(list.length, size(message))
    list.push(message)
  }
  for (const { usage, asked, said: answer, result, does } of turns) {
    const at = list.length
    if (does === 'reset' && at > 0) {
      resets.push(at)
      inside = new Map()
      front = 0
    } else if (does === 'compacts' && at > 0) {
      const keptFrom = Math.max(0, at - 2)
      compactions.push({ at, keptFrom, summary: [said('user', at, 70)], line: at })
      // What left does not come back.
      const first = Math.min(...inside.keys(), at)
      inside = new Map([...inside].filter(([index]) => index >= Math.max(keptFrom, first)))
      front = 70
      for (let index = keptFrom; index < at; index++) if (!inside.has(index)) inside.set(index, size(list[index]!))
    } else if (does === 'clears' && list[at - 1]?.role === 'tool') {
      clearings.push({ at, left: new Map([[at - 1, [{ type: 'text', text: 'gone' }]]]), restored: false, line: at })
      if (inside.has(at - 1)) inside.set(at - 1, 4)
    }
    add(said('user', list.length + 1, asked))
    carried.push({ front, messages: new Map(inside) })
    add(said('assistant', list.length + 1, answer, { model: 'dear', ...(usage && { usage }) }))
    if (result !== null) add(said('tool', list.length + 1, result))
  }
  return { trace: traceOf(list, [size], 'anthropic', { resets, compactions, clearings }), carried }
})

const billedOf = (trace: Trace, preamble: number): Map<number, BilledRequest> =>
  new Map([...billedRequests(trace, sizesOf(trace, preamble), null, table)].map((one) => [one.request, one]))

describe('what the parts of a transcript came to', () => {
  it('is the recorded input of all requests together, in tokens and in money', () => {
    fc.assert(
      fc.property(session, fc.nat(500), ({ trace }, preamble) => {
        const billed = billedOf(trace, preamble)
        const { head, summaries, of } = sharesOf(trace, sizesOf(trace, preamble), billed)
        const all = [head, summaries, ...Array.from({ length: trace.length }, (_, index) => of(index))]
        const [tokens, usd] = [
          all.reduce((sum, one) => sum + one.tokens, 0),
          all.reduce((sum, one) => sum + one.usd, 0),
        ]
        let [input, cost] = [0, 0]
        for (const { usage: own } of billed.values()) {
          const { cacheRead, cacheWrite, cacheWrite1h } = own
          input += own.input
          cost += (own.input - cacheRead - cacheWrite) * 10e-6 + cacheRead * 1e-6
          cost += (cacheWrite - cacheWrite1h) * 12.5e-6 + cacheWrite1h * 20e-6
        }
        expect(tokens).toBeCloseTo(input, 4)
        expect(usd).toBeCloseTo(cost, 8)
      }),
    )
  })

  it.each([
    ['all that a message adds stays', 0],
    ['its hidden reasoning passes', 30],
  ])('is what walking over each request, message by message, gives to each, where %s', (_, thought) => {
    fc.assert(
      fc.property(session, fc.nat(500), ({ trace, carried: bare }, preamble) => {
        const billed = billedOf(trace, preamble)
        const passing = new Passing(trace, (index) => (trace.isResponse(index) ? thought : 0))
        const { of } = sharesOf(trace, { ...sizesOf(trace, preamble), passing }, billed)
        const carried = bare.map(({ front, messages }, request) => {
          const end = trace.requestAt(request)
          const ended = findExchanges(trace).filter(({ to, state }) => state === 'complete' && to < end)
          const thinks = (index: number) => index >= (ended.at(-1)?.to ?? 0) && trace.isResponse(index)
          const grown = [...messages].map(([index, units]) => [index, units + (thinks(index) ? thought : 0)] as const)
          return { front, messages: new Map(grown) }
        })
        const slow = Array.from({ length: trace.length }, () => ({ requests: 0, tokens: 0, usd: 0 }))
        for (const [request, { front, messages }] of carried.entries()) {
          const found = billed.get(request)
          if (!found) continue
          const { input, cacheRead, cacheWrite, cacheWrite1h } = found.usage
          const whole = [...messages.values()].reduce((sum, one) => sum + one, preamble + front)
          if (whole === 0) {
            for (const index of messages.keys()) slow[index]!.requests++
            continue
          }
          const perUnit = input / whole
          const rest = input - cacheRead
          const full = (rest - cacheWrite) * 10e-6 + (cacheWrite - cacheWrite1h) * 12.5e-6 + cacheWrite1h * 20e-6
          let start = (preamble + front) * perUnit
          for (const [index, units] of [...messages].sort(([a], [b]) => a - b)) {
            const tokens = units * perUnit
            const read = Math.max(0, Math.min(tokens, cacheRead - start))
            const share = slow[index]!
            share.requests++
            share.tokens += tokens
            share.usd += read * 1e-6 + (rest > 0 ? ((tokens - read) * full) / rest : 0)
            start += tokens
          }
        }
        for (const [index, expected] of slow.entries()) {
          const { requests, tokens, usd } = of(index)
          expect(requests).toBe(expected.requests)
          expect(tokens).toBeCloseTo(expected.tokens, 4)
          expect(usd).toBeCloseTo(expected.usd, 8)
        }
      }),
    )
  })

  it('splits the head among definitions and the rest, each at the price of its place, unit by unit', () => {
    fc.assert(
      fc.property(session, fc.array(fc.nat(60), { maxLength: 4 }), fc.nat(100), ({ trace, carried }, defined, more) => {
        const preamble = defined.reduce((sum, units) => sum + units, 0) + more
        const billed = billedOf(trace, preamble)
        const whole = sharesOf(trace, sizesOf(trace, preamble), billed)
        const { definitions, head, of } = sharesOf(trace, sizesOf(trace, preamble), billed, defined)
        const parts = [...definitions, head]
        for (const key of ['tokens', 'usd'] as const)
          expect(parts.reduce((sum, one) => sum + one[key], 0)).toBeCloseTo(whole.head[key], 8)
        for (let index = 0; index < trace.length; index++) expect(of(index)).toEqual(whole.of(index))
        if (preamble === 0) return
        let start = 0
        for (const [at, units] of [...defined, more].entries()) {
          let usd = 0
          for (const [request, { front, messages }] of carried.entries()) {
            const found = billed.get(request)
            if (!found) continue
            const { input, cacheRead, cacheWrite, cacheWrite1h } = found.usage
            const perUnit = input / [...messages.values()].reduce((sum, one) => sum + one, preamble + front)
            const rest = input - cacheRead
            const full = (rest - cacheWrite) * 10e-6 + (cacheWrite - cacheWrite1h) * 12.5e-6 + cacheWrite1h * 20e-6
            for (let unit = start; unit < start + units; unit++) {
              const read = perUnit === 0 ? 0 : Math.max(0, Math.min(1, cacheRead / perUnit - unit))
              usd += perUnit * (read * 1e-6 + (rest > 0 ? ((1 - read) * full) / rest : 0))
            }
          }
          start += units
          expect(parts[at]?.usd).toBeCloseTo(usd, 8)
        }
      }),
    )
  })

  it('gives definitions no more than the head has, where they are larger by themselves', () => {
    fc.assert(
      fc.property(session, ({ trace }) => {
        const billed = billedOf(trace, 30)
        const { definitions, head } = sharesOf(trace, sizesOf(trace, 30), billed, [40, 20])
        expect(definitions.map(({ units }) => units)).toEqual([20, 10])
        expect(head.tokens).toBeCloseTo(billed.size > 0 && head.requests === 0 ? 0 : head.tokens)
        expect(head.usd).toBeCloseTo(0)
      }),
    )
  })
})
