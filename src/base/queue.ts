/** A queue of any length: `Array.shift` moves all that is left where that is more than some ten thousand. */
export class Queue<T> {
  #items: T[] = []
  #next = 0

  get length(): number {
    return this.#items.length - this.#next
  }

  push(item: T): void {
    this.#items.push(item)
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined
    const item = this.#items[this.#next++]
    // Each is moved once on average, and what was taken is not kept.
    if (this.#next * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#next)
      this.#next = 0
    }
    return item
  }
}
