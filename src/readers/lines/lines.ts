/**
 * Splits bytes into lines. A line ends only at a line feed: a carriage return is white space in JSON, and a JSON string
 * may contain U+2028. A chunk may end anywhere, even inside a character.
 *
 * Lines are pushed to a sink: an async generator that yields each line costs more than parsing it.
 */

/** Receives the lines. A line is `bytes[start, end)`, and its bytes are valid only during the call. */
export interface LineSink {
  /**
   * @param ended whether a line feed ended the line (the last line of a file may lack it)
   * @returns whether to go on; after false, `push` returns and leaves the rest of its chunk unread
   */
  line(bytes: Buffer, start: number, end: number, ended: boolean): boolean
  tooLong(): void
}

const lineFeed = 10

export class LineSplitter {
  /** In bytes. A longer line is skipped without being kept in memory. May change between lines. */
  limit: number
  readonly #sink: LineSink
  #begun = new GrowingBytes()
  #skipping = false

  constructor(sink: LineSink, limit: number) {
    this.#sink = sink
    this.limit = limit
  }

  /** The bytes of a line whose end has not come yet; null for a line that is too long to be kept. */
  get waiting(): number | null {
    return this.#skipping ? null : this.#begun.length
  }

  /** @returns how many bytes of the chunk were read: all of them, unless the sink returned false */
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

  /** Hands over a last line that has no line feed. */
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

/** A buffer that doubles when full, so a line that arrives in a thousand chunks is copied about twice, not 1,000 times. */
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

  /** Empties the buffer. Keeps memory for an ordinary line, frees that of a huge one. */
  clear(): void {
    this.length = 0
    if (this.bytes.length > 1 << 24) this.bytes = Buffer.alloc(0)
  }
}
