/**
 * The knob `protect`: what the operation must not touch. Its words act one after the other, each on what those before
 * it have left: `tool:Read+last:3` keeps the last three results of other tools, `last:3+tool:Read` the last three of
 * all.
 *
 * A word is a gate that units pass in their order. What a gate has let pass never goes back, so a unit costs O(1) on
 * its way, and a policy never has to look for what it may touch.
 */
import { parseTokens } from '../../base/param.ts'
import { textOf } from '../../model/message.ts'
import type { Calls } from '../calls.ts'
import type { Entry } from '../policy.ts'
import { type Clock, Queue, type Unit } from './unit.ts'
import { counted, knob, namesIn, plain } from './words.ts'

/** What a gate may look at. */
interface Sight {
  readonly clock: Clock
  readonly calls: Calls
}

export type Gate =
  | {
      /** Whether the unit is protected for good. @param place how many units came to this gate before it */
      readonly keeps: (unit: Unit, place: number, sight: Sight) => boolean
      /** What it protects counts as no unit. */
      readonly byName?: true
    }
  | {
      /** Whether the first waiting unit is protected for now; then those behind it are, too. */
      readonly holds: (unit: Unit, waiting: Queue, clock: Clock) => boolean
    }
  | { readonly past: true }

const holds = (of: (count: number) => Extract<Gate, { holds: unknown }>['holds']) => (count: number) => ({
  holds: of(count),
})
const has = (test: (entry: Entry) => boolean): Gate => ({ keeps: ({ entries }) => entries.some(test) })
const lengthOf = ({ message }: Entry): number => (message ? textOf(message).length : 0)

export const protect = knob<Gate, readonly Gate[]>({
  default: 'last:1',
  help: 'what is never touched; of several words, each applies to what those before it leave over',
  words: {
    nothing: plain('nothing', { keeps: () => false }),
    'first:N': counted('the first N units', 0, (count) => ({ keeps: (_unit, place) => place < count })),
    'last:N': counted(
      'the last N units',
      0,
      holds(
        (count) =>
          (_unit, { length }) =>
            length <= count,
      ),
    ),
    'tail:TOKENS[:N]': {
      help: 'the last units that have at most so many tokens together, but at least N of them',
      of([word, least = '0', ...more]) {
        const [tokens, count] = [parseTokens(word), parseTokens(least)]
        if (tokens === undefined || count === undefined || more.length > 0) return undefined
        return { holds: (_unit, waiting) => waiting.tokens <= tokens || waiting.length <= count }
      },
    },
    'exchanges:N': counted(
      'what the last N exchanges have',
      0,
      holds(
        (count) =>
          (unit, _waiting, { exchange }) =>
            unit.clock.exchange > exchange - count,
      ),
    ),
    'users:N': counted(
      'what came behind the N-th last user message',
      1,
      holds(
        (count) =>
          (unit, _waiting, { users }) =>
            unit.clock.users > users - count,
      ),
    ),
    'events:N': counted(
      'what is among the last N events: a call, a result and a message are one each',
      0,
      holds(
        (count) =>
          (unit, _waiting, { events }) =>
            unit.clock.events > events - count,
      ),
    ),
    unseen: plain('what the model has not seen', { holds: (unit, _waiting, { said }) => unit.clock.said >= said }),
    past: plain('what came before the current exchange; `first` and `last` count anew in each', { past: true }),
    'tool:NAME/…': {
      help: 'results of these tools',
      of([word, ...more]) {
        const names = namesIn([word, ...more].join(':'))
        return names && { keeps: ({ entries }, _place, { calls }) => entries.some(toolIn(names, calls)), byName: true }
      },
    },
    'only:NAME/…': {
      help: 'all but results of these tools',
      of([word, ...more]) {
        const names = namesIn([word, ...more].join(':'))
        return names && { keeps: ({ entries }, _place, { calls }) => !entries.some(toolIn(names, calls)), byName: true }
      },
    },
    'shorter:N': counted('what has less than N characters', 0, (count) => ({
      keeps: ({ entries }) => entries.reduce((sum, entry) => sum + lengthOf(entry), 0) < count,
    })),
    system: plain(
      'system messages',
      has(({ role }) => role === 'system'),
    ),
    user: plain(
      'all user messages',
      has(({ role }) => role === 'user'),
    ),
    'first-user': plain('the first user message', {
      keeps: ({ entries, clock }) => clock.users === 1 && entries.some(({ role }) => role === 'user'),
    }),
    'pinned:TEXT': {
      help: 'what has this text in it',
      of(args) {
        const text = args.join(':')
        if (text === '') return undefined
        return has(({ message }) => message !== null && textOf(message).includes(text))
      },
    },
  },
  together: ([gates = []]) => gates,
})

function toolIn(names: ReadonlySet<string>, calls: Calls): (entry: Entry) => boolean {
  return (entry) => entry.role === 'tool' && names.has(calls.toolOf(entry))
}

/** The gates in a row, and behind them what may be touched. */
export class Protected {
  /** What may be touched, oldest first. */
  readonly open = new Queue()
  readonly #gates: readonly { readonly gate: Gate; readonly waiting: Queue; came: number }[]
  /** Units that are protected for good, other than by name. */
  #kept: Unit[] = []
  readonly #forgetsPast: boolean

  constructor(gates: readonly Gate[]) {
    this.#gates = gates.map((gate) => ({ gate, waiting: new Queue(), came: 0 }))
    this.#forgetsPast = gates.some((gate) => 'past' in gate)
  }

  /** Number of units that are neither taken nor protected by name. */
  get count(): number {
    return this.#gates.reduce((sum, { waiting }) => sum + waiting.length, this.open.length + this.#kept.length)
  }

  /** A prompt has come. */
  startExchange(): void {
    if (this.#forgetsPast) this.reset()
  }

  add(unit: Unit): void {
    ;(this.#gates[0]?.waiting ?? this.open).push(unit)
  }

  /** Lets units pass as far as they can. Costs O(units that pass). */
  pass(sight: Sight): void {
    for (const [index, stage] of this.#gates.entries()) {
      const { gate, waiting } = stage
      const behind = this.#gates[index + 1]?.waiting ?? this.open
      for (let unit = waiting.at(0); unit; unit = waiting.at(0)) {
        if ('holds' in gate && gate.holds(unit, waiting, sight.clock)) break
        waiting.shift()
        if (!('keeps' in gate) || !gate.keeps(unit, stage.came++, sight)) behind.push(unit)
        else if (!gate.byName) this.#kept.push(unit)
      }
    }
  }

  /** Forgets units that have left completely. Costs O(units). */
  forgetGone(): void {
    const isInside = ({ entries }: Unit) => entries.some(({ inside }) => inside)
    for (const queue of [this.open, ...this.#gates.map(({ waiting }) => waiting)]) {
      queue.replace(queue.all().filter(isInside))
    }
    this.#kept = this.#kept.filter(isInside)
  }

  /** Whether the entry is protected for good. Costs O(such units). */
  keeps(entry: Entry): boolean {
    return this.#kept.some(({ entries }) => entries.includes(entry))
  }

  reset(): void {
    this.open.replace([])
    for (const stage of this.#gates) {
      stage.waiting.replace([])
      stage.came = 0
    }
    this.#kept = []
  }
}
