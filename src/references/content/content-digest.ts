/**
 * The pieces of content of each message, and which of them each message of the agent copies, stored as hashes while the
 * transcript is read: eight bytes per long line.
 */
import { Column } from '../../base/column.ts'
import { find } from '../terms/finder.ts'

/** The pieces that the agent copies for one target. */
export interface Take {
  /** -1 for a quotation. */
  readonly target: number
  /** The range of its pieces in `taken`. */
  readonly from: number
  readonly to: number
}

/** A list of 64-bit hashes. */
class Hashes {
  readonly #halves: Column<Int32Array>

  constructor(halves = Column.int32()) {
    this.#halves = halves
  }

  get length(): number {
    return this.#halves.length / 2
  }

  readonly push = (high: number, low: number): void => {
    this.#halves.push(high)
    this.#halves.push(low)
  }

  high(at: number): number {
    return this.#halves.at(2 * at)
  }

  low(at: number): number {
    return this.#halves.at(2 * at + 1)
  }

  truncate(length: number): void {
    this.#halves.truncate(2 * length)
  }

  values(): Int32Array {
    return this.#halves.values()
  }
}

/** The columns of a digest. */
export interface PlainContent {
  readonly standing: Int32Array
  readonly taken: Int32Array
  readonly ends: Int32Array
  readonly targets: Int32Array
  readonly takenEnds: Int32Array
  readonly takes: Int32Array
}

export class ContentDigest {
  /** The pieces of all messages, message by message: those of the next one are pushed here. */
  readonly standing: Hashes
  readonly taken: Hashes
  readonly #ends: Column<Int32Array>
  readonly #targets: Column<Int32Array>
  readonly #takenEnds: Column<Int32Array>
  /** How many takes there are up to and including each message. */
  readonly #takes: Column<Int32Array>

  /** @param plain of the digest of a complete transcript; default: an empty one */
  constructor(plain?: PlainContent) {
    const column = (key: keyof PlainContent) => (plain ? Column.of(plain[key]) : Column.int32())
    this.standing = new Hashes(column('standing'))
    this.taken = new Hashes(column('taken'))
    this.#ends = column('ends')
    this.#targets = column('targets')
    this.#takenEnds = column('takenEnds')
    this.#takes = column('takes')
  }

  /**
   * The columns without the standing pieces that are never copied: nothing asks for these, and they are most of all.
   */
  plain(): PlainContent {
    const { standing, taken } = this
    const pieces = new Pieces(taken.length)
    for (let at = 0; at < taken.length; at++) pieces.add(taken.high(at), taken.low(at))
    const copied = new Hashes()
    const ends = Column.int32()
    for (let index = 0; index < this.#ends.length; index++) {
      for (let at = this.start(index); at < this.start(index + 1); at++) {
        const [high, low] = [standing.high(at), standing.low(at)]
        if (pieces.idOf(high, low) >= 0) copied.push(high, low)
      }
      ends.push(copied.length)
    }
    return {
      standing: copied.values(),
      taken: taken.values(),
      ends: ends.values(),
      targets: this.#targets.values(),
      takenEnds: this.#takenEnds.values(),
      takes: this.#takes.values(),
    }
  }

  /** All columns, including pieces not copied yet: a later message may copy them. */
  state(): PlainContent {
    return {
      standing: this.standing.values(),
      taken: this.taken.values(),
      ends: this.#ends.values(),
      targets: this.#targets.values(),
      takenEnds: this.#takenEnds.values(),
      takes: this.#takes.values(),
    }
  }

  /** Index of the first piece of message `index`; its pieces end where those of the next begin. */
  start(index: number): number {
    return index === 0 ? 0 : this.#ends.at(index - 1)
  }

  /** Adds a text that the next message copies. */
  take(target: number, text: string): void {
    const before = this.taken.length
    find(text, '', null, this.taken.push)
    if (this.taken.length === before) return
    this.#targets.push(target)
    this.#takenEnds.push(this.taken.length)
  }

  endMessage(): void {
    this.#ends.push(this.standing.length)
    this.#takes.push(this.#targets.length)
  }

  /** Takes back every message from `length` on. */
  rewind(length: number): void {
    this.standing.truncate(this.start(length))
    const takes = this.#firstTake(length)
    this.taken.truncate(this.#firstTaken(takes))
    for (const column of [this.#targets, this.#takenEnds]) column.truncate(takes)
    for (const column of [this.#ends, this.#takes]) column.truncate(length)
  }

  /** Index of the first piece that message `index` or a later one copies. */
  firstTaken(index: number): number {
    return this.#firstTaken(this.#firstTake(index))
  }

  *takesOf(index: number): Generator<Take> {
    const end = this.#firstTake(index + 1)
    for (let take = this.#firstTake(index); take < end; take++) {
      yield { target: this.#targets.at(take), from: this.#firstTaken(take), to: this.#takenEnds.at(take) }
    }
  }

  #firstTake(index: number): number {
    return index === 0 ? 0 : this.#takes.at(index - 1)
  }

  #firstTaken(take: number): number {
    return take === 0 ? 0 : this.#takenEnds.at(take - 1)
  }
}

/** Numbers the pieces that are ever copied. Most lookups are of other pieces, and must be quick. */
export class Pieces {
  readonly #slots: Int32Array
  readonly #high: Int32Array
  readonly #low: Int32Array
  count = 0

  /** @param most how many there are at most */
  constructor(most: number) {
    let slots = 16
    while (slots < most * 4) slots *= 2
    this.#slots = new Int32Array(slots)
    this.#high = new Int32Array(most)
    this.#low = new Int32Array(most)
  }

  /** The number of the piece, a new one where it has none. */
  add(high: number, low: number): number {
    const slot = this.#slotOf(high, low)
    if (this.#slots[slot] === 0) {
      this.#high[this.count] = high
      this.#low[this.count] = low
      this.#slots[slot] = ++this.count
    }
    return (this.#slots[slot] as number) - 1
  }

  /** The number of the piece, or -1. */
  idOf(high: number, low: number): number {
    return (this.#slots[this.#slotOf(high, low)] as number) - 1
  }

  #slotOf(high: number, low: number): number {
    const last = this.#slots.length - 1
    let slot = low & last
    for (let id = this.#slots[slot] as number; id !== 0; id = this.#slots[slot] as number) {
      if (this.#low[id - 1] === low && this.#high[id - 1] === high) break
      slot = (slot + 1) & last
    }
    return slot
  }
}
