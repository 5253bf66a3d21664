/**
 * Bytes to numbered lines. A line ends at a line feed and nowhere else: a carriage return is white space to JSON, and
 * U+2028 may stand in a string. Chunks may be cut anywhere, also inside a character.
 *
 * Pushed, not pulled: an async generator that yields each line costs more than parsing it.
 */

/** The line is `bytes[start, end)`, good until the call returns. */
export interface LineSink {
  /** @returns whether to go on; false leaves the rest of the chunk to whoever pushed it. `ended`: a line feed closed the line. */
  line(bytes: Buffer, start: number, end: number, ended: boolean): boolean
  tooLong(): void
}

const lineFeed = 10

export class LineSplitter {
  /** In bytes. A longer line is skipped without being held. May change between lines. */
  limit: number
  readonly #sink: LineSink
  #begun = new GrowingBytes()
  #skipping = false

  constructor(sink: LineSink, limit: number) {
    this.#sink = sink
    this.limit = limit
  }

  /** @returns how many bytes of the chunk were dealt with: all, unless the sink said to stop. */
  push(chunk: Buffer): number {
    let start = 0
    for (let feed = chunk.indexOf(lineFeed); feed !== -1; feed = chunk.indexOf(lineFeed, start)) {
      const goOn = this.#close(chunk, start, feed, true)
      start = feed + 1
      if (!goOn) return start
    }
    this.#hold(chunk, start, chunk.length)
    return chunk.length
  }

  /** No more bytes will come. */
  end(): void {
    if (this.#skipping || this.#begun.length > 0) this.#close(Buffer.alloc(0), 0, 0, false)
  }

  #close(chunk: Buffer, start: number, end: number, ended: boolean): boolean {
    const length = this.#begun.length + end - start
    if (this.#skipping || length > this.limit) {
      this.#skipping = false
      this.#begun.clear()
      this.#sink.tooLong()
      return true
    }
    if (this.#begun.length === 0) return this.#sink.line(chunk, start, end, ended)
    this.#begun.append(chunk, start, end)
    const goOn = this.#sink.line(this.#begun.bytes, 0, length, ended)
    this.#begun.clear()
    return goOn
  }

  #hold(chunk: Buffer, start: number, end: number): void {
    if (this.#skipping || start === end) return
    if (this.#begun.length + end - start > this.limit) {
      this.#skipping = true
      this.#begun.clear()
    } else {
      this.#begun.append(chunk, start, end)
    }
  }
}

/** Doubles when full, so a line that arrives in a thousand chunks is copied about twice, not a thousand times. */
export class GrowingBytes {
  bytes: Buffer = Buffer.alloc(0)
  length = 0

  append(chunk: Buffer, start: number, end: number): void {
    const length = this.length + end - start
    if (length > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.bytes.length, 1 << 16))
      this.bytes.copy(larger, 0, 0, this.length)
      this.bytes = larger
    }
    chunk.copy(this.bytes, this.length, start, end)
    this.length = length
  }

  /** Keeps what the usual line needs, and gives back what one huge line took. */
  clear(): void {
    this.length = 0
    if (this.bytes.length > 1 << 24) this.bytes = Buffer.alloc(0)
  }
}
