/**
 * The knob `order`: in which order units are taken, as long as the target asks for more. Only `oldest` costs O(taken);
 * the others look at all that may be touched.
 */
import type { Queue, Unit } from './unit.ts'

interface Order {
  readonly help: string
  /**
   * @param room tokens that the units which stay may have together; only `best-fit` asks
   * @param density what it costs to lose a unit, for each token; only `value` asks
   */
  of(open: Queue, room: () => number, density: (unit: Unit) => number): Generator<Unit>
}

export const orders = {
  oldest: {
    help: 'the oldest first',
    *of(open) {
      for (let place = 0; place < open.length; place++) yield open.at(place) as Unit
    },
  },
  newest: {
    help: 'the newest first, which leaves more of the prompt to the cache',
    *of(open) {
      for (let place = open.length - 1; place >= 0; place--) yield open.at(place) as Unit
    },
  },
  middle: {
    help: 'from the middle of what is left outwards',
    *of(open) {
      const units = open.all().filter(({ entries }) => entries.some(({ inside }) => inside))
      let head = Math.floor(units.length / 2)
      let tail = head
      while (head > 0 || tail < units.length) {
        // The middle of what is left is at the edge of the hole.
        const middle = Math.floor((head + units.length - tail) / 2)
        yield (middle < head ? units[--head] : units[tail++]) as Unit
      }
    },
  },
  'best-fit': {
    help: 'from the newest backwards, what does not fit beside what is newer: an older one that fits stays',
    *of(open, room) {
      let left = room()
      for (let place = open.length - 1; place >= 0; place--) {
        const unit = open.at(place) as Unit
        if (unit.tokens <= left) left -= unit.tokens
        else yield unit
      }
    },
  },
  value: {
    help: 'first what is least likely to be used later, for each token that it frees',
    *of(open, _room, density) {
      const units = open.all().map((unit) => ({ unit, density: density(unit) }))
      for (const { unit } of units.sort((one, other) => one.density - other.density)) yield unit
    },
  },
} as const satisfies Readonly<Record<string, Order>>

export type OrderWord = keyof typeof orders
