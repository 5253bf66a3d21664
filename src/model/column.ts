/** A growing column of numbers: a trace of a million messages must not be a million objects. */
type Store = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array

export class Column<A extends Store = Float64Array> {
  #store: A
  length = 0

  private constructor(store: A) {
    this.#store = store
  }

  static uint8 = (): Column<Uint8Array> => new Column(new Uint8Array(64))
  static uint16 = (): Column<Uint16Array> => new Column(new Uint16Array(64))
  static uint32 = (): Column<Uint32Array> => new Column(new Uint32Array(64))
  static int32 = (): Column<Int32Array> => new Column(new Int32Array(64))
  static float64 = (): Column<Float64Array> => new Column(new Float64Array(64))

  push(value: number): void {
    if (this.length === this.#store.length) this.#grow()
    this.#store[this.length++] = value
  }

  /** The value at `index`; an index outside the column is a bug of the caller and reads as 0. */
  at(index: number): number {
    return index < this.length ? (this.#store[index] ?? 0) : 0
  }

  set(index: number, value: number): void {
    if (index < this.length) this.#store[index] = value
  }

  truncate(length: number): void {
    if (length < this.length) this.length = length
  }

  // Grows by half: doubling would hold three times the column for a moment, and a trace has a dozen of them.
  #grow(): void {
    const Kind = this.#store.constructor as new (length: number) => A
    const grown = new Kind(Math.ceil(this.#store.length * 1.5))
    grown.set(this.#store)
    this.#store = grown
  }
}
