/**
 * A growing column of numbers, so that a trace of a million messages is not a million objects. There are only two kinds,
 * integers and floats: with a store per width the engine stops specialising the code, which made it three times slower.
 */
export class Column<Store extends Int32Array | Float64Array = Float64Array> {
  #store: Store
  length = 0

  private constructor(store: Store) {
    this.#store = store
  }

  // Up to 64 bytes are kept on the engine's own heap, where they cost next to nothing to create.
  static int32 = (): Column<Int32Array> => new Column(new Int32Array(16))
  static float64 = (): Column<Float64Array> => new Column(new Float64Array(8))

  /** The column that holds these values, which become its own. */
  static of = <Values extends Int32Array | Float64Array>(values: Values): Column<Values> => {
    const column = new Column(values)
    column.length = values.length
    return column
  }

  push(value: number): void {
    if (this.length === this.#store.length) this.#grow()
    this.#store[this.length++] = value
  }

  /** Adds every `step`-th of some values, from one index to before another. */
  append(values: Store, from: number, to: number, step: number): void {
    while (this.length + Math.ceil((to - from) / step) > this.#store.length) this.#grow()
    const store = this.#store
    let { length } = this
    for (let at = from; at < to; at += step) store[length++] = values[at] as number
    this.length = length
  }

  /** The value at `index`; an index outside the column is a bug of the caller and reads as 0. */
  at(index: number): number {
    return index < this.length ? (this.#store[index] as number) : 0
  }

  set(index: number, value: number): void {
    if (index < this.length) this.#store[index] = value
  }

  /** A copy of all of it. */
  values(): Store {
    return this.#store.slice(0, this.length) as Store
  }

  /** All of it where it lies: valid until the column grows. */
  get view(): Store {
    return this.#store.subarray(0, this.length) as Store
  }

  truncate(length: number): void {
    if (length < this.length) this.length = length
  }

  // A long column grows by half: doubling would hold three times its size for a moment, and a trace has several.
  #grow(): void {
    const Kind = this.#store.constructor as new (length: number) => Store
    const { length } = this.#store
    const grown = new Kind(length < 4096 ? Math.max(8, length * 4) : Math.ceil(length * 1.5))
    grown.set(this.#store)
    this.#store = grown
  }
}

/** The same bytes with room for at least `length`, twice as much as before, so that growing byte by byte costs nothing. */
export function grown(bytes: Uint8Array, length: number): Uint8Array {
  const larger = new Uint8Array(Math.max(length, bytes.length * 2))
  larger.set(bytes)
  return larger
}
