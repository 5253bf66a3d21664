/**
 * The knob `unit`: what leaves or changes as a whole. Each message that comes is put into its unit, at a cost of O(1).
 * A unit holds only those of its messages that the operation concerns: of an exchange whose results are masked, the
 * results.
 */
import type { Entry, Window } from '../policy.ts'

/** How much had come when the unit last grew. */
export interface Clock {
  /** Index of the exchange. */
  exchange: number
  /** User messages, messages of the assistant, and events: a call, a result and a message are one each. */
  users: number
  said: number
  events: number
}

export interface Unit {
  entries: Entry[]
  tokens: number
  clock: Clock
  /** The queue it waits in; null once it is taken or protected for good. */
  queue: Queue | null
  /** It has entries, and `protect` knows of it. */
  hasBegun: boolean
}

/** Units that wait, oldest first, and their tokens, in which their growth is counted. */
export class Queue {
  tokens = 0
  #units: Unit[] = []
  #head = 0

  get length(): number {
    return this.#units.length - this.#head
  }

  at(place: number): Unit | undefined {
    return this.#units[this.#head + place]
  }

  push(unit: Unit): void {
    this.#units.push(unit)
    this.tokens += unit.tokens
    unit.queue = this
  }

  shift(): Unit {
    const unit = this.#units[this.#head++] as Unit
    this.tokens -= unit.tokens
    unit.queue = null
    // So that a unit costs O(1) on its way through, and none is held for ever.
    if (this.#head > 1000 && this.#head * 2 > this.#units.length) {
      this.#units = this.#units.slice(this.#head)
      this.#head = 0
    }
    return unit
  }

  /** Costs O(taken) if they are the oldest, else O(units). */
  remove(taken: ReadonlySet<Unit>): void {
    let left = taken.size
    for (let first = this.at(0); first && taken.has(first); first = this.at(0)) {
      this.shift()
      left--
    }
    if (left > 0) this.replace(this.all().filter((unit) => !taken.has(unit)))
  }

  replace(units: readonly Unit[]): void {
    for (const unit of this.all()) unit.queue = null
    this.#units = []
    this.#head = this.tokens = 0
    for (const unit of units) this.push(unit)
  }

  all(): Unit[] {
    return this.#units.slice(this.#head)
  }
}

/** Where a message belongs, with messages before it that are known only now to belong there too. */
interface Place {
  readonly unit: Unit
  readonly before?: readonly Entry[]
}

type Grouping = (entry: Entry, fresh: () => Unit) => Place | null

/** What waits becomes part of a later unit. */
function take(unit: Unit, earlier: Unit): void {
  if (!earlier.queue) return
  earlier.queue.remove(new Set([earlier]))
  unit.entries = [...earlier.entries, ...unit.entries].sort((one, other) => one.index - other.index)
  grow(unit, earlier.tokens)
  earlier.entries = []
}

function grow(unit: Unit, tokens: number): void {
  unit.tokens += tokens
  if (unit.queue) unit.queue.tokens += tokens
}

/** Each is a function with what it remembers of the messages so far. */
export const unitWords = {
  result: {
    help: 'a tool result',
    grouping: (): Grouping => (entry, fresh) => (entry.role === 'tool' ? { unit: fresh() } : null),
  },
  message: { help: 'a message', grouping: (): Grouping => (_entry, fresh) => ({ unit: fresh() }) },
  batch: {
    help: 'a message as most libraries have it: results that follow one another are one',
    grouping: (): Grouping => {
      let last: { readonly role: string; readonly unit: Unit } | null = null
      return ({ role }, fresh) => {
        const unit: Unit = role === 'tool' && last?.role === 'tool' ? last.unit : fresh()
        last = { role, unit }
        return { unit }
      }
    },
  },
  pair: {
    help: 'a message with its calls and the results right behind it; else a message',
    grouping: (): Grouping => {
      let last: { readonly maker: Entry; readonly unit: Unit } | null = null
      return (entry, fresh) => {
        const { maker, unit } = last ?? {}
        const answers = maker && entry.call >= maker.call && entry.call < maker.call + maker.calls
        if (entry.role === 'tool' && answers && unit) return { unit }
        last = { maker: entry, unit: fresh() }
        return last
      }
    },
  },
  step: {
    help: 'a response that calls tools, with the results of its calls; other messages are in none',
    grouping: (): Grouping => {
      const steps = new Map<number, Unit>()
      let response: { readonly said: Entry[]; step: Unit | null } = { said: [], step: null }
      return (entry, fresh) => {
        if (entry.role === 'tool') {
          const unit = steps.get(entry.call)
          return unit ? { unit } : null
        }
        if (entry.role !== 'assistant') return null
        if (entry.isResponse) response = { said: [], step: null }
        if (entry.calls > 0) response.step ??= fresh()
        const { step: unit } = response
        if (!unit) {
          response.said.push(entry)
          return null
        }
        for (let call = entry.call; call < entry.call + entry.calls; call++) steps.set(call, unit)
        return { unit, before: response.said.splice(0) }
      }
    },
  },
  exchange: {
    help: 'an exchange; the first takes the messages in front of it along, and those from a call to its result are one',
    grouping: (): Grouping => {
      const units: Unit[] = []
      /** By call, the place of its unit. */
      const placeOf = new Map<number, number>()
      let hasPrompt = false
      return (entry, fresh) => {
        if (units.length === 0 || (entry.isPrompt && hasPrompt)) units.push(fresh())
        hasPrompt ||= entry.isPrompt
        const last = units.length - 1
        for (let call = entry.call; call < entry.call + entry.calls; call++) placeOf.set(call, last)
        const unit = units[last] as Unit
        const from = entry.role === 'tool' ? (placeOf.get(entry.call) ?? last) : last
        for (const earlier of units.slice(from, last)) take(unit, earlier)
        return { unit }
      }
    },
  },
} as const

export type UnitWord = keyof typeof unitWords

export class Units {
  readonly clock: Clock = { exchange: -1, users: 0, said: 0, events: 0 }
  readonly #grouping: Grouping
  readonly #concerns: (entry: Entry) => boolean

  /** @param concerns whether the operation concerns a message */
  constructor(word: UnitWord, concerns: (entry: Entry) => boolean) {
    this.#grouping = unitWords[word].grouping()
    this.#concerns = concerns
  }

  /** @returns the message's unit if the message is its first */
  add(window: Window, entry: Entry): Unit | null {
    const { clock } = this
    clock.exchange = entry.exchange
    clock.events += Math.max(1, entry.calls)
    if (entry.role === 'user') clock.users++
    if (entry.role === 'assistant') clock.said++
    const place = this.#grouping(entry, () => ({ entries: [], tokens: 0, clock, queue: null, hasBegun: false }))
    if (!place) return null
    const { unit, before = [] } = place
    for (const one of [...before, entry]) {
      if (!this.#concerns(one)) continue
      unit.entries.push(one)
      grow(unit, window.tokensOf(one, one))
    }
    unit.clock = { ...clock }
    if (unit.hasBegun || unit.entries.length === 0) return null
    unit.hasBegun = true
    return unit
  }
}
