/**
 * Splits the bytes of one JSON array into its elements, so that an array of any size is read in the memory of its largest
 * element. It looks only at brackets and strings; whether an element is valid JSON is left to JSON.parse.
 */
import { deepest } from '../../base/json-depth.ts'
import { GrowingBytes } from './lines.ts'

/** Receives the elements in their order. */
export interface ElementSink {
  /** An element is `bytes[start, end)`, and its bytes are valid only during the call. */
  element(bytes: Buffer, start: number, end: number): void
  /** An element that was skipped: it is larger than the limit, or nests too deep. */
  skipped(why: 'line-too-long' | 'too-deep'): void
}

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/** What stands between elements: white space, and the NULs and record separators that the other readings pass over, too. */
const isBlank = (code: number): boolean => code <= 0x20

export class ElementSplitter {
  readonly #sink: ElementSink
  /** In bytes: a longer element is skipped without being kept in memory. */
  readonly #limit: number
  readonly #begun = new GrowingBytes()
  #depth = 0
  /** Inside an element. */
  #inside = false
  #skip: 'line-too-long' | 'too-deep' | null = null
  #inString = false
  #escaped = false
  /** Bytes that stand outside of the array. */
  #stray = false

  constructor(sink: ElementSink, limit: number) {
    this.#sink = sink
    this.#limit = limit
  }

  push(chunk: Buffer): void {
    /** Where the part of the element that is in this chunk begins. */
    let start = 0
    for (let at = 0; at < chunk.length; at++) {
      if (this.#inString) {
        at = this.#endOfString(chunk, at)
        if (this.#inString) break
        // A string that is an element by itself ends with its quote, which is part of it.
        if (this.#depth === 1) this.#close(chunk, start, at + 1)
        continue
      }
      const code = chunk[at] as number
      if (isBlank(code) || code === comma) {
        if (this.#inside && this.#depth === 1) this.#close(chunk, start, at)
        continue
      }
      if (code === closeBrace || code === closeBracket) {
        if (this.#inside && this.#depth === 1) this.#close(chunk, start, at)
        if (this.#depth === 0) this.#stray = true
        else if (--this.#depth === 1 && this.#inside) this.#close(chunk, start, at + 1)
        continue
      }
      if (this.#depth === 0) {
        // Arrays that were concatenated are read like one.
        if (code === openBracket) this.#depth = 1
        else this.#stray = true
        continue
      }
      if (!this.#inside) {
        this.#inside = true
        start = at
      }
      if (code === quote) this.#inString = true
      else if (code === openBrace || code === openBracket) {
        this.#depth++
        if (this.#depth > deepest) this.#drop('too-deep')
      }
    }
    if (this.#inside) this.#hold(chunk, start, chunk.length)
  }

  /** @returns whether the array was closed, and whether anything stood outside of it */
  end(): { readonly closed: boolean; readonly stray: boolean } {
    return { closed: this.#depth === 0, stray: this.#stray }
  }

  /** @returns the offset of the closing quote, or the end of the chunk */
  #endOfString(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const code = chunk[at]
      if (this.#escaped) this.#escaped = false
      else if (code === backslash) this.#escaped = true
      else if (code === quote) {
        this.#inString = false
        return at
      }
    }
    return chunk.length
  }

  #close(chunk: Buffer, start: number, end: number): void {
    this.#hold(chunk, start, end, this.#begun.length === 0)
    this.#inside = false
    const { length } = this.#begun
    if (this.#skip !== null) this.#sink.skipped(this.#skip)
    else if (length === 0) this.#sink.element(chunk, start, end)
    else this.#sink.element(this.#begun.bytes, 0, length)
    this.#skip = null
    this.#begun.clear()
  }

  /** @param whole the element is whole in this chunk, and needs no copy */
  #hold(chunk: Buffer, start: number, end: number, whole = false): void {
    if (this.#skip !== null) return
    if (this.#begun.length + end - start > this.#limit) this.#drop('line-too-long')
    else if (!whole) this.#begun.append(chunk, start, end)
  }

  #drop(why: 'line-too-long' | 'too-deep'): void {
    this.#skip = why
    this.#begun.clear()
  }
}
