/** Sums of the first numbers of a list while its numbers change: a Fenwick tree (P. Fenwick, 1994). */
export class PrefixSums {
  readonly #tree: Float64Array
  readonly #length: number

  /** All zero at first. */
  constructor(length: number) {
    this.#length = length
    this.#tree = new Float64Array(length + 1)
  }

  /** Adds to the number at `index`, in steps that grow with the logarithm of the length; none beyond the end is kept. */
  add(index: number, value: number): void {
    for (let at = index + 1; at <= this.#length; at += at & -at) this.#tree[at] = (this.#tree[at] as number) + value
  }

  /** The sum of the numbers in front of `index`. */
  before(index: number): number {
    let sum = 0
    for (let at = Math.min(index, this.#length); at > 0; at -= at & -at) sum += this.#tree[at] as number
    return sum
  }

  /** The index of the number in which the sum passes `sum`, where none is below zero; the length if they never do. */
  find(sum: number): number {
    let at = 0
    let left = sum
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.#length))); step >= 1; step /= 2) {
      const next = at + step
      if (next > this.#length || (this.#tree[next] as number) > left) continue
      at = next
      left -= this.#tree[next] as number
    }
    return at
  }
}
