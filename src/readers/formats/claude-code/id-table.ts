/**
 * A map from ids to a few integers. A file of two gigabytes has a million ids, and as keys of a Map they would cost a
 * hundred bytes each. Here an id is a 64-bit hash in an open-addressing table; the chance that any two of a million ids
 * collide is one in thirty million.
 *
 * The hash has a new seed in every process, so that no file can be crafted whose ids all fall into one place. Results do
 * not depend on the seed: the table is only asked whether two ids are the same.
 */
const seeds: readonly [low: number, high: number] = [seed(), seed()]

function seed(): number {
  return Math.floor(Math.random() * 2 ** 32) | 0
}

/** A table as plain data. Its seeds belong to it: in another process the same ids would have other hashes. */
export interface PlainIds {
  readonly words: Int32Array
  readonly count: number
  readonly seeds: readonly [low: number, high: number]
}

export class IdTable {
  readonly #width: number
  readonly #seedLow: number
  readonly #seedHigh: number
  // An entry: two words of hash (the second with its lowest bit set, as 0 marks an empty place), then the numbers.
  #words: Int32Array
  #mask: number
  #count: number
  // The last id and its hash, cached: an id that was looked up is often added next.
  #hashed: string | undefined
  #low = 0
  #high = 0

  /** @param numbers how many integers each id has @param plain of a table that was written down; default: an empty one */
  constructor(numbers: number, plain?: PlainIds) {
    this.#width = 2 + numbers
    this.#words = plain?.words ?? new Int32Array(this.#width * (1 << 6))
    this.#mask = this.#words.length / this.#width - 1
    this.#count = plain?.count ?? 0
    const [low, high] = plain?.seeds ?? seeds
    this.#seedLow = low
    this.#seedHigh = high
  }

  plain(): PlainIds {
    return { words: this.#words, count: this.#count, seeds: [this.#seedLow, this.#seedHigh] }
  }

  /** The place of the id, valid until the next `add`; negative if it is not in the table. */
  find(id: string): number {
    this.#hash(id)
    const place = this.#placeOf(this.#low, this.#high)
    return this.#words[place + 1] === 0 ? -1 : place
  }

  /** Adds the id unless it is in the table. @returns its place */
  add(id: string): number {
    this.#hash(id)
    let place = this.#placeOf(this.#low, this.#high)
    if (this.#words[place + 1] !== 0) return place
    if (++this.#count * 4 > this.#mask * 3) {
      this.#grow()
      place = this.#placeOf(this.#low, this.#high)
    }
    this.#words[place] = this.#low
    this.#words[place + 1] = this.#high
    return place
  }

  get(place: number, field: number): number {
    return this.#words[place + 2 + field] as number
  }

  set(place: number, field: number, value: number): void {
    this.#words[place + 2 + field] = value
  }

  /** Similar to MurmurHash, two characters per step: the ids are short, and each is hashed once. */
  #hash(id: string): void {
    if (id === this.#hashed) return
    let low = this.#seedLow ^ id.length
    let high = this.#seedHigh
    for (let at = 0; at < id.length; at += 2) {
      // Past the end charCodeAt gives NaN, which becomes 0.
      const pair = id.charCodeAt(at) | (id.charCodeAt(at + 1) << 16)
      low = Math.imul(low ^ pair, 0x9e3779b1)
      low = (low << 15) | (low >>> 17)
      high = Math.imul(high + pair, 0x85ebca6b)
      high ^= high >>> 13
    }
    this.#hashed = id
    this.#low = Math.imul(low ^ (low >>> 16), 0xc2b2ae35)
    this.#high = high | 1
  }

  /** The place of the hash, or the empty place where it belongs. */
  #placeOf(low: number, high: number): number {
    for (let at = low ^ (low >>> 15); ; at++) {
      const place = (at & this.#mask) * this.#width
      const there = this.#words[place + 1]
      if (there === 0 || (there === high && this.#words[place] === low)) return place
    }
  }

  #grow(): void {
    const old = this.#words
    this.#words = new Int32Array(old.length * 2)
    this.#mask = this.#mask * 2 + 1
    for (let place = 0; place < old.length; place += this.#width) {
      if (old[place + 1] === 0) continue
      const to = this.#placeOf(old[place] as number, old[place + 1] as number)
      for (let word = 0; word < this.#width; word++) this.#words[to + word] = old[place + word] as number
    }
  }
}
