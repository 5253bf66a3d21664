/**
 * A set of ids, with a few whole numbers to each. A file of two gigabytes has a million ids; as keys of a Map they would
 * cost a hundred bytes each. Here an id is 64 bits of hash in an open-addressed table: that two of a million share theirs
 * has a chance of one in thirty million.
 *
 * The hash is seeded anew in every process, so that no file can be written whose ids crowd in one corner of the table.
 * No result depends on the seed: all that is ever asked is whether two ids are the same.
 */
const [seedLow, seedHigh] = [seed(), seed()]

function seed(): number {
  return Math.floor(Math.random() * 2 ** 32) | 0
}

export class IdTable {
  readonly #width: number
  // An entry: hash, hash with its lowest bit set (0 is an empty place), the numbers.
  #words: Int32Array
  #mask = (1 << 6) - 1
  #count = 0
  // Of the id that was hashed last: whoever asks for an id often adds it next.
  #hashed: string | undefined
  #low = 0
  #high = 0

  /** @param numbers how many are kept with each id */
  constructor(numbers: number) {
    this.#width = 2 + numbers
    this.#words = new Int32Array(this.#width * (this.#mask + 1))
  }

  /** The place of the id, good until the next `add`; negative when it is not there. */
  find(id: string): number {
    this.#hash(id)
    const place = this.#placeOf(this.#low, this.#high)
    return this.#words[place + 1] === 0 ? -1 : place
  }

  /** The place of the id, which is there afterwards. */
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

  /** Murmur-like, two characters a step: the ids are short, and each is hashed once. */
  #hash(id: string): void {
    if (id === this.#hashed) return
    let low = seedLow ^ id.length
    let high = seedHigh
    for (let at = 0; at < id.length; at += 2) {
      // Behind the end charCodeAt gives NaN, which is 0 here.
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

  /** Where the hash stands, or the empty place where it would. */
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
