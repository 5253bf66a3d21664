/**
 * `clairvoyant`: keeps what will be used again, and nothing else. No program can do so: it is told the future, and stands in
 * a comparison for the best that could be had, as Belady's MIN does for caches (L. Belady, 1966).
 *
 * What is used is content, as the headline of the lost references counts it, and with `keep=names` also what is named: of what a
 * use copies or names, the newest message with it stays until then. What is new stays for one request: the latest response with its results, and whatever came since.
 * The newest prompt stays, and so does the prompt of an exchange of which something stays, so that no request begins with
 * the model. Everything else leaves at once: behind what stays, where that breaks no cached prefix but its own, and what is
 * no longer needed as soon as it is not. Waiting to drop it was tried: with what it costs to read it at every request, the
 * breaks come to less.
 *
 * Of a step that stays, results that nobody uses become a word. If all that is over the budget, steps leave although they
 * will be used, first those whose next use is furthest away. Where even without them a request would be over, none leaves.
 *
 * Law: sticky, whole pairs. Not monotone: what leaves for a small budget is not always what leaves for a larger one.
 * Example, where only `b` is used again, by the last response: `user: q`, call a, result a, call b, result b, call c,
 * result c are sent as `q`; `q, a, a`; `q, b, b`; `q, b, b, c, c`.
 */
import { choice } from '../base/param.ts'
import { definePolicy } from './catalogue/define-policy.ts'
import type { Entry, Window } from './policy.ts'

/** Messages that stay and leave together: a response with the results of its calls, or one message. */
interface Unit {
  readonly entries: Entry[]
  readonly exchange: Exchange
  readonly isPrompt: boolean
  /** The answers that use it, in order. */
  users: number[]
  inside: boolean
}

const cleared = [{ type: 'text', text: '[cleared]' }] as const

interface Exchange {
  prompt: Unit | null
  /** How many of its other units are inside. */
  inside: number
  readonly index: number
}

export default definePolicy({
  name: 'clairvoyant',
  summary: 'keep what will be used again, and no more: a bound, as no program knows the future',
  source: 'L. Belady, A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 5 (1966)',
  params: {
    keep: choice({
      default: 'content',
      of: ['content', 'names'],
      help: 'what is kept until it is last used: content, or also names',
    }),
  },
  wholePairs: true,
  looksAhead: true,
  start({ keep }, context) {
    const users = keep === 'names' ? context.usersByName : context.users
    let exchange: Exchange = { prompt: null, inside: 0, index: -1 }
    let response: Unit | null = null
    /** The answer to the request before. */
    let answer = -1
    const unitOfCall = new Map<number, Unit>()
    /** What came since that request, or is not settled yet; what stays because it will be used, and the last use of each. */
    let recent: Unit[] = []
    const kept = new Map<number, Set<Unit>>()

    return {
      message(_window, entry) {
        const unit = unitOf(entry)
        forget(unit)
        if (!recent.includes(unit)) recent.push(unit)
        unit.entries.push(entry)
        const used = users?.get(entry.index)
        if (used) unit.users = [...new Set([...unit.users, ...used])].sort((a, b) => a - b)
        if (entry.isResponse) answer = entry.index
      },
      request(window, { messages }) {
        const settled = recent.filter(({ entries }) => (entries.at(-1) as Entry).index < answer)
        recent = recent.filter(({ entries }) => (entries.at(-1) as Entry).index >= answer)
        for (const unit of settled) settle(window, unit, messages)
        for (const unit of kept.get(answer) ?? []) settle(window, unit, messages)
        kept.delete(answer)
        if (window.tokens > window.budget) evict(window, messages)
      },
    }

    function unitOf(entry: Entry): Unit {
      if (entry.role === 'tool') {
        const step = unitOfCall.get(entry.call)
        if (step) return step
      }
      if (entry.isPrompt) {
        const before = exchange
        exchange = { prompt: null, inside: 0, index: entry.exchange }
        exchange.prompt = { entries: [], exchange, isPrompt: true, users: [], inside: true }
        if (before.prompt && before.inside === 0) recent.push(before.prompt)
        return exchange.prompt
      }
      if (entry.role !== 'assistant' || entry.isResponse || !response?.inside || response.exchange !== exchange) {
        exchange.inside++
        const unit = { entries: [], exchange, isPrompt: false, users: [], inside: true }
        if (entry.role !== 'assistant') return unit
        response = unit
      }
      for (let call = entry.call; call < entry.call + entry.calls; call++) unitOfCall.set(call, response)
      return response
    }

    /** The unit stays until its last use; without a use to come it leaves. */
    function settle(window: Window, unit: Unit, now: number): void {
      if (!unit.inside) return
      const last = unit.users.at(-1) ?? -1
      if (last >= now) {
        clear(window, unit, now)
        kept.set(last, (kept.get(last) ?? new Set()).add(unit))
      } else if (!unit.isPrompt || (unit.exchange !== exchange && unit.exchange.inside === 0)) leave(window, unit, now)
    }

    /** Results that are not what will be used stay as a word, so that no call is without one. */
    function clear(window: Window, { entries }: Unit, now: number): void {
      for (const entry of entries) {
        if (entry.role !== 'tool' || entry.replaced || (users?.get(entry.index)?.at(-1) ?? -1) >= now) continue
        window.replace(entry, cleared)
      }
    }

    function leave(window: Window, unit: Unit, now: number): void {
      for (const entry of unit.entries) window.drop(entry, entry)
      unit.inside = false
      if (unit.isPrompt) return
      unit.exchange.inside--
      const { prompt } = unit.exchange
      if (prompt && unit.exchange.inside === 0) settle(window, prompt, now)
    }

    function forget(unit: Unit): void {
      kept.get(unit.users.at(-1) ?? -1)?.delete(unit)
    }

    /** Those that are used last leave first, as Belady says; nothing does if even all of them would not be enough. */
    function evict(window: Window, now: number): void {
      const units = [...kept.values()].flatMap((units) => [...units]).filter((unit) => unit !== exchange.prompt)
      const prompts = units.flatMap((unit) => (unit.exchange === exchange ? [] : (unit.exchange.prompt ?? [])))
      const most = [...new Set([...units, ...prompts])].reduce((sum, unit) => sum + tokensOf(window, unit), 0)
      if (window.tokens - most > window.budget) return
      const nextUse = ({ users }: Unit) => users.find((user) => user >= now) ?? -1
      for (const unit of units.sort((a, b) => nextUse(b) - nextUse(a))) {
        if (window.tokens <= window.budget) return
        forget(unit)
        unit.users = []
        settle(window, unit, now)
      }
    }

    function tokensOf(window: Window, { entries }: Unit): number {
      return entries.reduce((sum, entry) => sum + window.tokensOf(entry, entry), 0)
    }
  },
})
