/**
 * The nine knobs at work on one run: a message goes into its unit and through the gates of `protect`; at an occasion
 * the trigger is asked, units are taken in their order until the target is met, and what was parted is repaired.
 */
import { jsonText } from '../../base/json-text.ts'
import { LatestUsage } from '../latest-usage.ts'
import type { Entry, Moment, PolicyRun, Window } from '../policy.ts'
import { entriesFrom } from '../primitives/drop-steps.ts'
import { wholeRange } from '../primitives/keep-pairs.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'
import { type Amount, tokensOfAmount } from './amount.ts'
import type { Measure } from './measure.ts'
import { GapNotice } from './notice.ts'
import { Context, type Operation } from './operation.ts'
import { type OrderWord, orders } from './order.ts'
import { type Gate, Protected } from './protect.ts'
import type { Repair } from './repair.ts'
import type { Target } from './target.ts'
import type { Occasion, State, Trigger } from './trigger.ts'
import { type Unit, Units, type UnitWord } from './unit.ts'
import type { Worth } from './value/worth.ts'

export interface Knobs {
  readonly measure: Measure
  readonly trigger: Trigger
  readonly unit: UnitWord
  readonly protect: readonly Gate[]
  readonly order: OrderWord
  readonly operation: Operation
  readonly target: Target
  readonly isView: boolean
  readonly repairs: readonly Repair[]
  /** What stays of a result, or a notice; empty for the operation's own. */
  readonly text: string
  readonly role: 'user' | 'assistant' | 'system'
  /** What messages are worth; null where no knob asks. */
  readonly worth: Worth | null
}

const missing = [{ type: 'text', text: 'result missing' }] as const

export class KnobsRun implements PolicyRun {
  readonly #knobs: Knobs
  readonly #protected: Protected
  readonly #context: Context
  readonly #usage = new LatestUsage()
  readonly #notice = new GapNotice()
  readonly #answered = new Set<number>()
  /** Who made a call, for `repair=missing`. */
  readonly #makers = new Map<number, Entry>()
  /** The newest result of each call and input, while only repeated ones are taken. */
  readonly #newest = new Map<string, Unit>()
  #units: Units
  /** What it pays to take now, and whether there is another reason to act once that has left. */
  #paying: readonly Unit[] = []
  #isPressed = (): boolean => true
  /** What was taken: how many units, their tokens, and themselves where they may come back. */
  #taken: { count: number; tokens: number; units: Unit[] } = { count: 0, tokens: 0, units: [] }
  /** In a view: where it has acted. */
  readonly #fired = new Set<Occasion>()
  /** How many messages had left when units were last counted, or taken. */
  #omitted = 0
  /** Tokens of the latest request. */
  #sent: number | null = null
  /** Since it last acted. */
  #requests = 0
  #work = 0
  #isNew = false

  /** The words that it was put together from, by knob. */
  readonly words: Readonly<Record<string, string>>

  constructor(knobs: Knobs, words: KnobsRun['words']) {
    this.words = words
    this.#knobs = knobs
    this.#protected = new Protected(knobs.protect)
    this.#context = new Context(knobs.text)
    this.#units = this.#newUnits()
  }

  message(window: Window, entry: Entry): void {
    this.#isNew = true
    this.#context.message(entry)
    this.#knobs.worth?.message(window, entry)
    if (entry.isResponse) {
      this.#requests++
      this.#sent = window.tokens - window.tokensOf(entry, entry)
      this.#work += this.#sent
    }
    this.#usage.message(window, entry)
    if (entry.role === 'tool' && entry.call >= 0) this.#answered.add(entry.call)
    if (this.#knobs.repairs.includes('missing')) {
      for (let call = entry.call; call < entry.call + entry.calls; call++) this.#makers.set(call, entry)
    }
    if (entry.isPrompt) this.#protected.startExchange()
    const unit = this.#units.add(window, entry)
    const one = unit && this.#onlyRepeats ? this.#repeated(unit, entry) : unit
    if (one) this.#protected.add(one)
    this.#occasion('ingest', window, null)
  }

  request(window: Window, moment: Moment): void {
    if (this.#isNew) this.#occasion('request', window, moment)
  }

  exchangeEnd(window: Window, moment: Moment): void {
    this.#occasion('end', window, moment)
  }

  #newUnits(): Units {
    const { unit, operation } = this.#knobs
    const concerns = (entry: Entry) =>
      operation.kind !== 'change' || operation.changes.some((one) => one.concerns(entry))
    return new Units(unit, concerns)
  }

  get #onlyRepeats(): boolean {
    const { operation } = this.#knobs
    return operation.kind === 'change' && operation.changes.some(({ repeats }) => repeats)
  }

  /** The earlier result of the same call with the same input; this one takes its place. */
  #repeated(unit: Unit, entry: Entry): Unit | null {
    const call = this.#context.calls.of(entry)
    if (!call) return null
    const key = jsonText([call.name, call.input])
    const earlier = this.#newest.get(key) ?? null
    this.#newest.set(key, unit)
    return earlier
  }

  #occasion(occasion: Occasion, window: Window, moment: Moment | null): void {
    const { trigger } = this.#knobs
    if (!trigger.occasions.has(occasion)) return
    this.#protected.pass({ clock: this.#units.clock, calls: this.#context.calls })
    this.#paying = []
    this.#isPressed = () => trigger.fires(occasion, { ...this.#state(window, moment), pays: () => false })
    // Until something is taken, the window is the whole history: once the trigger fires, it fires for every longer one.
    const isDue = this.#fired.has(occasion) || trigger.fires(occasion, this.#state(window, moment))
    if (!isDue || !this.#act(window)) return
    if (this.#knobs.isView) this.#fired.add(occasion)
    this.#usage.reset()
    this.#requests = this.#work = 0
    this.#isNew = false
  }

  #state(window: Window, moment: Moment | null): State {
    const { measure } = this.#knobs
    const latest = { usage: this.#usage.tokens, sent: this.#sent }
    const unitsLeft = () => this.#unitsLeft(window)
    return {
      get tokens() {
        return measure.now(window, latest)
      },
      of: (amount: Amount) => tokensOfAmount(amount, window),
      get messages() {
        return window.count
      },
      get users() {
        return window.users
      },
      get units() {
        return unitsLeft()
      },
      prunable: this.#protected.open.tokens,
      requests: this.#requests,
      work: this.#work,
      idleSeconds: moment?.idleSeconds ?? 0,
      pays: (asked) => {
        const { worth } = this.#knobs
        if (worth && moment) this.#paying = worth.paying(window, this.#protected.open.all(), moment, asked)
        return this.#paying.length > 0
      },
      isAnswer: window.last?.role === 'assistant' && window.last.calls === 0,
    }
  }

  /** Number of units that are not taken. Other policies may have dropped some since the last call. */
  #unitsLeft(window: Window): number {
    if (window.omitted !== this.#omitted && !this.#comesBack) this.#protected.forgetGone()
    this.#omitted = window.omitted
    return this.#protected.count
  }

  /** Whether it is a view in which taken units may have to come back. */
  get #comesBack(): boolean {
    return this.#knobs.isView && this.#knobs.order !== 'oldest'
  }

  /** @returns whether it did anything */
  #act(window: Window): boolean {
    const { operation, repairs } = this.#knobs
    if (this.#comesBack) this.#restore(window)
    const acted = operation.kind === 'summarise' ? this.#summarise(window, operation.tokens) : this.#edit(window)
    if (!acted || operation.kind === 'change') return acted
    const sight = { answered: this.#answered, keeps: (entry: Entry) => this.#protected.keeps(entry) }
    for (const repair of repairs) if (typeof repair === 'function') repair(window, sight)
    return true
  }

  #restore(window: Window): void {
    const { units } = this.#taken
    if (units.length === 0) return
    const index = ({ entries: [entry] }: Unit) => entry?.index ?? 0
    const all = [...units, ...this.#protected.open.all()].sort((one, other) => index(one) - index(other))
    window.restore(index(all[0] as Unit))
    this.#notice.forget()
    this.#protected.open.replace(all)
    this.#taken = { count: 0, tokens: 0, units: [] }
  }

  #ordered(window: Window, goal: number | null): Generator<Unit> {
    const { order, worth } = this.#knobs
    const density = (unit: Unit) => worth?.densityOf(window, unit) ?? 0
    return orders[order].of(this.#protected.open, () => this.#room(window, goal ?? Infinity), density)
  }

  /**
   * Tokens that the units which may be touched may have together. Each message is rounded, as each unit is, so that
   * what is put together never comes to more.
   */
  #room(window: Window, goal: number): number {
    const open = new Set(this.#protected.open.all().flatMap(({ entries }) => entries))
    let room = goal - this.#knobs.measure.besides(window)
    for (const entry of entriesFrom(window.first)) if (!open.has(entry)) room -= window.tokensOf(entry, entry)
    return room
  }

  #goal(window: Window): number | null {
    const { goal } = this.#knobs.target
    return goal ? tokensOfAmount(goal, window) : null
  }

  /** The most units to take, for a target that counts units. */
  #most(window: Window): number {
    const { isView, target } = this.#knobs
    const { length } = this.#protected.open
    const before = isView ? this.#taken.count : 0
    const { keep, fraction, quantise = 1 } = target
    const left = keep === undefined ? length : Math.min(length, this.#unitsLeft(window) - keep)
    const most = fraction === undefined ? left : Math.floor(fraction * (length + before)) - before
    return target.goal ? most : most - (((most % quantise) + quantise) % quantise)
  }

  /** Whether enough would be freed for `least`. */
  #isWorthIt(window: Window): boolean {
    const { isView, measure, target } = this.#knobs
    if (!target.least) return true
    const goal = this.#goal(window)
    const most = this.#most(window)
    let freed = isView ? this.#taken.tokens : 0
    let count = 0
    for (const { tokens } of this.#ordered(window, goal)) {
      const isEnough = goal === null ? count >= most : measure.left(window) - freed <= goal
      if (freed >= target.least || isEnough) break
      freed += tokens
      count++
    }
    return freed >= target.least
  }

  /** Drops or changes unit after unit. */
  #edit(window: Window): boolean {
    const { measure, operation, target, text } = this.#knobs
    if (!this.#isWorthIt(window)) return false
    const goal = this.#goal(window)
    const most = this.#most(window)
    const taken: Unit[] = []
    const isMet = () =>
      goal === null ? taken.length >= most : measure.left(window) <= goal && taken.length % (target.quantise ?? 1) === 0
    const hasNotice = operation.kind === 'drop' && text !== ''
    const take = (unit: Unit) => {
      if (hasNotice) this.#notice.remove(window)
      for (const entry of unit.entries) if (entry.inside) this.#editEntry(window, entry)
      taken.push(unit)
      if (hasNotice) this.#setNotice(window, this.#taken.count + taken.length)
    }
    for (const unit of this.#paying) take(unit)
    if (!target.value || (goal !== null && !isMet() && this.#isPressed())) {
      // The units that pay must leave before the others are ordered.
      this.#protected.open.remove(new Set(taken))
      const units = this.#ordered(window, goal)
      while (!isMet()) {
        const { value: unit, done } = units.next()
        if (done) break
        take(unit)
      }
    }
    this.#take(window, taken)
    return taken.length > 0
  }

  #editEntry(window: Window, entry: Entry): void {
    const { operation } = this.#knobs
    if (operation.kind === 'change') {
      for (const { concerns, edit } of operation.changes) if (concerns(entry)) edit(window, entry, this.#context)
    } else if (entry.role === 'tool' && this.#makers.get(entry.call)?.inside) window.replace(entry, missing)
    else {
      this.#notice.left(entry)
      window.drop(entry, entry)
    }
  }

  #setNotice(window: Window, units: number): void {
    const { text, role } = this.#knobs
    const words = { count: window.omitted, units, kept: window.count }
    const said = text.replaceAll(/\{(count|units|kept)\}/g, (_, word: keyof typeof words) => String(words[word]))
    this.#notice.set(window, { role, blocks: [{ type: 'text', text: said }] })
  }

  /** Replaces units by a summary until the target is met. */
  #summarise(window: Window, tokens: number): boolean {
    if (!this.#summariseOnce(window, tokens)) return false
    while (this.#knobs.target.goal && this.#summariseOnce(window, tokens));
    return true
  }

  #summariseOnce(window: Window, tokens: number): boolean {
    const { measure, repairs, role } = this.#knobs
    if (!this.#isWorthIt(window)) return false
    const goal = this.#goal(window)
    const most = this.#most(window)
    const fits = (read: number) => goal !== null && measure.left(window) - read + Math.min(tokens, read) <= goal
    const chosen: Unit[] = []
    const leaving = new Set<Entry>()
    let [from, to]: [Entry | null, Entry | null] = [null, null]
    let first = Infinity
    let read = 0
    for (const unit of goal !== null && measure.left(window) <= goal ? [] : this.#ordered(window, goal)) {
      if (goal === null && chosen.length >= most) break
      chosen.push(unit)
      for (const entry of unit.entries) {
        if (!entry.inside) continue
        leaving.add(entry)
        if (!from || entry.index < first) [from, first] = [entry, entry.index]
        to = to && to.index > entry.index ? to : entry
      }
      // The new summary includes those in front of it.
      while (from?.previous && from.previous.index < 0) {
        from = from.previous
        read += window.tokensOf(from, from)
      }
      read += unit.tokens
      if (!from || !to || !fits(read)) continue
      // Each part was rounded up; the whole may be less.
      read = Math.min(read, window.tokensOf(from, to))
      if (fits(read)) break
    }
    const range = from && to && repairs.includes('whole') ? wholeRange(from, to) : from && to && { from, to }
    // It repeats until the watermark is reached, so each summary must free something.
    if (!range || (goal !== null && window.tokensOf(range.from, range.to) <= tokens)) return false
    const keeps = (entry: Entry) => entry.index >= 0 && !leaving.has(entry)
    summariseRange(window, range.from, range.to, { role: role === 'assistant' ? 'assistant' : 'user', tokens, keeps })
    this.#take(
      window,
      chosen.filter(({ entries }) => !entries.some(({ inside }) => inside)),
    )
    return true
  }

  #take(window: Window, units: readonly Unit[]): void {
    this.#protected.open.remove(new Set(units))
    this.#taken.count += units.length
    for (const { tokens } of units) this.#taken.tokens += tokens
    if (this.#comesBack) for (const unit of units) this.#taken.units.push(unit)
    this.#omitted = window.omitted
  }
}
