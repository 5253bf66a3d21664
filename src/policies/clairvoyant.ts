/**
 * `clairvoyant`: keeps what will be used again, and nothing else. No program can do so: it is told the future, and
 * stands in a comparison for the best that could be had, as Belady's MIN does for caches (L. Belady, 1966).
 *
 * What is used is content, as the headline of the lost references counts it, and with `keep=names` also what is named:
 * of what a use copies or names, the newest message with it stays until then. What is new stays for one request: the
 * latest response with its results, and whatever came since. The newest prompt stays, and so does the prompt of an
 * exchange of which something stays, so that no request begins with the model. Everything else leaves at once: behind
 * what stays, where that breaks no cached prefix but its own, and what is no longer needed as soon as it is not.
 * Waiting to drop it was tried: with what it costs to read it at every request, the breaks come to less.
 *
 * Of a step that stays, results that nobody uses become a word. If all that is over the budget, steps leave although
 * they will be used, first those whose next use is furthest away. Where even without them a request would be over, none
 * leaves.
 *
 * Law: sticky, whole pairs. Not monotone: what leaves for a small budget is not always what leaves for a larger one.
 * Example, where only `b` is used again, by the last response: `user: q`, call a, result a, call b, result b, call c,
 * result c are sent as `q`; `q, a, a`; `q, b, b`; `q, b, b, c, c`.
 */
import { choice } from '../base/param.ts'
import { definePolicy } from './catalogue/define-policy.ts'
import type { Entry, Moment, PolicyContext, PolicyRun, Window } from './policy.ts'

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
  start: ({ keep }, { users, usersByName }) => new ClairvoyantRun(keep === 'names' ? usersByName : users),
})

class ClairvoyantRun implements PolicyRun {
  readonly #users: PolicyContext['users']
  #exchange: Exchange = { prompt: null, inside: 0, index: -1 }
  #response: Unit | null = null
  /** The answer to the request before. */
  #answer = -1
  readonly #unitOfCall = new Map<number, Unit>()
  /**
   * What came since that request, or is not settled yet; what stays because it will be used, and the last use of each.
   */
  #recent: Unit[] = []
  readonly #kept = new Map<number, Set<Unit>>()

  constructor(users: PolicyContext['users']) {
    this.#users = users
  }

  message(_window: Window, entry: Entry): void {
    const unit = this.#unitOf(entry)
    this.#forget(unit)
    if (!this.#recent.includes(unit)) this.#recent.push(unit)
    unit.entries.push(entry)
    const used = this.#users?.get(entry.index)
    if (used) unit.users = [...new Set([...unit.users, ...used])].sort((a, b) => a - b)
    if (entry.isResponse) this.#answer = entry.index
  }

  request(window: Window, { messages }: Moment): void {
    const settled = this.#recent.filter(({ entries }) => (entries.at(-1) as Entry).index < this.#answer)
    this.#recent = this.#recent.filter(({ entries }) => (entries.at(-1) as Entry).index >= this.#answer)
    for (const unit of settled) this.#settle(window, unit, messages)
    for (const unit of this.#kept.get(this.#answer) ?? []) this.#settle(window, unit, messages)
    this.#kept.delete(this.#answer)
    if (window.tokens > window.budget) this.#evict(window, messages)
  }

  #unitOf(entry: Entry): Unit {
    if (entry.role === 'tool') {
      const step = this.#unitOfCall.get(entry.call)
      if (step) return step
    }
    if (entry.isPrompt) {
      const before = this.#exchange
      this.#exchange = { prompt: null, inside: 0, index: entry.exchange }
      this.#exchange.prompt = { entries: [], exchange: this.#exchange, isPrompt: true, users: [], inside: true }
      if (before.prompt && before.inside === 0) this.#recent.push(before.prompt)
      return this.#exchange.prompt
    }
    if (
      entry.role !== 'assistant' ||
      entry.isResponse ||
      !this.#response?.inside ||
      this.#response.exchange !== this.#exchange
    ) {
      this.#exchange.inside++
      const unit = { entries: [], exchange: this.#exchange, isPrompt: false, users: [], inside: true }
      if (entry.role !== 'assistant') return unit
      this.#response = unit
    }
    for (let call = entry.call; call < entry.call + entry.calls; call++) this.#unitOfCall.set(call, this.#response)
    return this.#response
  }

  /** Keeps the unit until its last use; drops it if it will not be used again. */
  #settle(window: Window, unit: Unit, now: number): void {
    if (!unit.inside) return
    const last = unit.users.at(-1) ?? -1
    if (last >= now) {
      this.#clear(window, unit, now)
      this.#kept.set(last, (this.#kept.get(last) ?? new Set()).add(unit))
    } else if (!unit.isPrompt || (unit.exchange !== this.#exchange && unit.exchange.inside === 0))
      this.#leave(window, unit, now)
  }

  /** Clears results that will not be used, so that every call keeps a result. */
  #clear(window: Window, { entries }: Unit, now: number): void {
    for (const entry of entries) {
      if (entry.role !== 'tool' || entry.replaced || (this.#users?.get(entry.index)?.at(-1) ?? -1) >= now) continue
      window.replace(entry, cleared)
    }
  }

  #leave(window: Window, unit: Unit, now: number): void {
    for (const entry of unit.entries) window.drop(entry, entry)
    unit.inside = false
    if (unit.isPrompt) return
    unit.exchange.inside--
    const { prompt } = unit.exchange
    if (prompt && unit.exchange.inside === 0) this.#settle(window, prompt, now)
  }

  #forget(unit: Unit): void {
    this.#kept.get(unit.users.at(-1) ?? -1)?.delete(unit)
  }

  /** Drops units by furthest next use (Belady); drops none if dropping all would not be enough. */
  #evict(window: Window, now: number): void {
    const units = [...this.#kept.values()]
      .flatMap((units) => [...units])
      .filter((unit) => unit !== this.#exchange.prompt)
    const prompts = units.flatMap((unit) => (unit.exchange === this.#exchange ? [] : (unit.exchange.prompt ?? [])))
    const most = [...new Set([...units, ...prompts])].reduce((sum, unit) => sum + this.#tokensOf(window, unit), 0)
    if (window.tokens - most > window.budget) return
    const nextUse = ({ users }: Unit) => users.find((user) => user >= now) ?? -1
    for (const unit of units.sort((a, b) => nextUse(b) - nextUse(a))) {
      if (window.tokens <= window.budget) return
      this.#forget(unit)
      unit.users = []
      this.#settle(window, unit, now)
    }
  }

  #tokensOf(window: Window, { entries }: Unit): number {
    return entries.reduce((sum, entry) => sum + window.tokensOf(entry, entry), 0)
  }
}
