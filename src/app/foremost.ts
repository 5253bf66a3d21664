/**
 * The first few of many, in an order: the dearest results and misses of a machine's transcripts, in the space of a few.
 */
export class Foremost<T> {
  #kept: T[] = []
  readonly #most: number
  readonly #order: (a: T, b: T) => number

  constructor(most: number, order: (a: T, b: T) => number) {
    this.#most = most
    this.#order = order
  }

  /** What cannot be among the first any more is let go from time to time, not at each call. */
  add(one: T): void {
    this.#kept.push(one)
    if (this.#kept.length > 4 * this.#most + 64) this.#kept = this.sorted()
  }

  sorted(): T[] {
    return this.#kept.sort(this.#order).slice(0, this.#most)
  }
}
