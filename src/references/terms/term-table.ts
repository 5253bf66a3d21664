/**
 * The different terms of a transcript, by the 64-bit hashes of their keys. A key is a string once, for the first
 * occurrence; all others are numbers.
 *
 * Only hashes are compared, not keys: among a million different terms the chance that any two share a hash is one in
 * thirty million. These two would count as one term. Lines of content are compared in the same way.
 */
import { owned } from '../strings.ts'
import { stopList } from './stop-list.ts'

const stop: ReadonlySet<string> = new Set(stopList)

/** The words of an entry: the two halves of the hash, and the term's number, or -1 for a word of the stop list. */
const width = 3

/** How a table finds its terms: with it, nothing need be hashed to make the table again. */
export interface PlainSlots {
  readonly slots: Int32Array<ArrayBuffer>
  readonly entries: Int32Array<ArrayBuffer>
  readonly count: number
}

export class TermTable {
  /** The class of each term, as an index of `termClasses`, and its key. */
  readonly classes: number[] = []
  readonly keys: string[] = []
  /** The number of an entry plus 1; 0 for an empty slot. */
  #slots = new Int32Array(64)
  #entries = new Int32Array(32 * width)
  #count = 0

  /**
   * @param known the terms that it has from the beginning, in the order of their numbers @param plain how it found them
   */
  constructor(known?: { readonly classes: Iterable<number>; readonly keys: readonly string[] }, plain?: PlainSlots) {
    if (known === undefined) return
    if (plain) {
      for (const termClass of known.classes) this.classes.push(termClass)
      for (const key of known.keys) this.keys.push(key)
      this.#slots = plain.slots
      this.#entries = plain.entries
      this.#count = plain.count
      return
    }
    let number = 0
    for (const termClass of known.classes) {
      const key = known.keys[number++] as string
      const [high, low] = hashOfTerm(termClass, key)
      this.#addNew(this.#slotOf(high, low), termClass, high, low, key)
    }
  }

  plain(): PlainSlots {
    return { slots: this.#slots, entries: this.#entries, count: this.#count }
  }

  /**
   * The number of a term, a new one where it has none; -1 for a word of the stop list.
   * @param key asked for only where the term is new
   */
  add(termClass: number, high: number, low: number, key: () => string): number {
    const slot = this.#slotOf(high, low)
    const entry = this.#slots[slot] as number
    if (entry > 0) return this.#entries[(entry - 1) * width + 2] as number
    return this.#addNew(slot, termClass, high, low, owned(key()))
  }

  /** The number of the term, or -1. */
  find(high: number, low: number): number {
    const entry = this.#slots[this.#slotOf(high, low)] as number
    return entry > 0 ? (this.#entries[(entry - 1) * width + 2] as number) : -1
  }

  #addNew(slot: number, termClass: number, high: number, low: number, key: string): number {
    const term = stop.has(key) ? -1 : this.keys.length
    if (term >= 0) {
      this.keys.push(key)
      this.classes.push(termClass)
    }
    const at = this.#count * width
    if (at === this.#entries.length) this.#entries = grown(this.#entries)
    this.#entries[at] = high
    this.#entries[at + 1] = low
    this.#entries[at + 2] = term
    this.#slots[slot] = ++this.#count
    if (2 * this.#count > this.#slots.length) this.#rehash()
    return term
  }

  #slotOf(high: number, low: number): number {
    const slots = this.#slots
    const last = slots.length - 1
    let slot = low & last
    for (let entry = slots[slot] as number; entry !== 0; entry = slots[slot] as number) {
      const at = (entry - 1) * width
      if (this.#entries[at + 1] === low && this.#entries[at] === high) break
      slot = (slot + 1) & last
    }
    return slot
  }

  #rehash(): void {
    this.#slots = new Int32Array(2 * this.#slots.length)
    for (let entry = 0; entry < this.#count; entry++) {
      const at = entry * width
      this.#slots[this.#slotOf(this.#entries[at] as number, this.#entries[at + 1] as number)] = entry + 1
    }
  }
}

function grown(entries: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * entries.length)
  larger.set(entries)
  return larger
}

/** @returns the high half and the low one, as wasm/references/terms.ts computes them */
export const hashOfTerm = (termClass: number, key: string): readonly [high: number, low: number] =>
  withClass(hashOfKey(key), termClass)

/** The hash of a key in each class. */
export function hashesOfTerm(classes: number, key: string): (readonly [high: number, low: number])[] {
  const hash = hashOfKey(key)
  return Array.from({ length: classes }, (_, termClass) => withClass(hash, termClass))
}

/** The hashes of what stands in front of each `mark` in a key, except for a mark at its beginning. */
export function hashesOfPrefixes(
  termClass: number,
  key: string,
  mark: string,
): (readonly [high: number, low: number])[] {
  const hashes: (readonly [high: number, low: number])[] = []
  let hash = nothingRead
  let start = 0
  for (let end = key.indexOf(mark, 1); end >= 0; end = key.indexOf(mark, end + 1)) {
    hash = hashOfKey(key, start, end, hash)
    hashes.push(withClass(hash, termClass))
    start = end
  }
  return hashes
}

const nothingRead: readonly [high: number, low: number] = [0x41c6ce57, 0xdeadbeef]

/** @param before the hash of what stands in front of `from` */
function hashOfKey(key: string, from = 0, to = key.length, before = nothingRead): readonly [high: number, low: number] {
  let [high, low] = before
  for (let at = from; at < to; at++) {
    const code = key.charCodeAt(at)
    low = Math.imul(low ^ code, 2654435761)
    high = Math.imul(high ^ code ^ (low >>> 15), 1597334677)
  }
  return [high, low]
}

function withClass([high, low]: readonly [number, number], termClass: number): readonly [high: number, low: number] {
  const apart = low ^ Math.imul(termClass, 0x9e3779b1)
  const mixed = Math.imul(apart ^ (apart >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return [Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(mixed ^ (mixed >>> 13), 3266489909), mixed]
}
