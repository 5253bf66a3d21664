/**
 * The shipped data of the exact counters, turned into look-up tables at first use.
 *
 * Only the merges are shipped (1.8 MB for both encodings, 1.1 MB in the tarball): token bytes, the pair table and the
 * token table all follow from them in one pass that costs less than reading and decompressing them would.
 *
 * This is the one place outside the readers that opens files: they are this package's own data, at a path that is the
 * same from src/ and from dist/.
 */
import { readFileSync } from 'node:fs'

export type EncodingName = 'o200k_base' | 'cl100k_base'

/** "No such merge": larger than every rank, so that the smallest of several ranks needs no special case. */
export const NO_MERGE = 0x7fffffff

/** The longest token of the known encodings is 128 bytes; a length fits one byte. */
const MAX_TOKEN_BYTES = 255
const RANK_BITS = 18
const RANK_MASK = (1 << RANK_BITS) - 1

const read = (name: string): Uint8Array => {
  const file = readFileSync(new URL(`../../../src/estimators/bpe/${name}.bin`, import.meta.url))
  return new Uint8Array(file.buffer, file.byteOffset, file.byteLength)
}

/** A mask that keeps the first 0..4 bytes of a little-endian word. */
const KEEP = Int32Array.of(0, 0xff, 0xffff, 0xffffff, -1)

/** The 32-bit word at `at` of a piece that ends at `end`, bytes past the end read as zero. */
export function wordAt(view: DataView, at: number, end: number): number {
  const left = end - at
  if (left >= 4) return view.getInt32(at, true)
  return left > 0 ? view.getInt32(at, true) & KEEP[left]! : 0
}

/** Hash of a piece's length and its first 12 bytes, given as three words. */
export function hashHead(length: number, word0: number, word1: number, word2: number): number {
  const h = Math.imul(word0 ^ length, 0x9e3779b1) ^ Math.imul(word1, 0x85ebca6b) ^ Math.imul(word2, 0xc2b2ae35)
  return Math.imul(h ^ (h >>> 15), 0x27d4eb2f)
}

/** Extends `hashHead` over the bytes after the twelfth. */
function hashTail(head: number, view: DataView, from: number, end: number): number {
  let h = head
  for (let at = from + 12; at < end; at += 4) {
    h = Math.imul(h ^ wordAt(view, at, end), 0x9e3779b1)
    h ^= h >>> 15
  }
  return h
}

const hashPair = (left: number, right: number): number => {
  const h = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b)
  return h ^ (h >>> 15)
}

/**
 * The merges of one encoding. A token is named by its rank; the rank is also the priority of the one merge that makes
 * it, since two tokens can only ever meet as the two sides of a third if the third's own encoding ends with them.
 */
export class Merges {
  /** Byte to the rank of that byte alone. */
  readonly byteRank = new Int32Array(256)
  /** Two bytes, first * 256 + second, to the rank they merge to or NO_MERGE. */
  readonly bytePair = new Int32Array(1 << 16).fill(NO_MERGE)
  /** Per rank: bytes of the token. */
  readonly length: Uint8Array
  /** Per rank: 1 when both sides of its merge are the same token. */
  readonly twin: Uint8Array
  readonly size: number
  /** Open addressing, two words a slot: left | low 14 bits of right << 18, then merged | high 4 bits of right << 18. */
  readonly #pairs: Int32Array
  readonly #pairMask: number
  /** Open addressing, one word a slot: rank | 14 bits of hash << 18. */
  readonly #tokens: Int32Array
  readonly #tokenMask: number
  /** All token bytes by rank, and where each begins. */
  readonly #text: Uint8Array
  readonly #start: Int32Array

  constructor(data: Uint8Array) {
    const merges = (data.length - 256) / 6
    const size = merges + 256
    // A power of two that leaves the tables at most half full.
    const slots = 1 << (32 - Math.clz32(2 * size - 1))
    this.size = size
    this.length = new Uint8Array(size)
    this.twin = new Uint8Array(size)
    this.#pairs = new Int32Array(2 * slots).fill(-1)
    this.#pairMask = slots - 1
    this.#tokens = new Int32Array(slots).fill(-1)
    this.#tokenMask = slots - 1
    this.#start = new Int32Array(size + 1)
    const { length, twin, byteRank, bytePair } = this
    const start = this.#start
    let text = new Uint8Array(size * 8)
    for (let rank = 0; rank < 256; rank++) {
      text[rank] = data[rank]!
      byteRank[data[rank]!] = rank
      length[rank] = 1
      start[rank + 1] = rank + 1
    }
    for (let rank = 256; rank < size; rank++) {
      const at = rank
      const left = data[at]! | (data[at + merges]! << 8) | (data[at + 2 * merges]! << 16)
      const right = data[at + 3 * merges]! | (data[at + 4 * merges]! << 8) | (data[at + 5 * merges]! << 16)
      let end = start[rank]!
      if (end + MAX_TOKEN_BYTES > text.length) {
        const grown = new Uint8Array(text.length * 2)
        grown.set(text)
        text = grown
      }
      for (let i = start[left]!; i < start[left + 1]!; i++) text[end++] = text[i]!
      for (let i = start[right]!; i < start[right + 1]!; i++) text[end++] = text[i]!
      length[rank] = end - start[rank]!
      start[rank + 1] = end
      if (left === right) twin[rank] = 1
      if (left < 256 && right < 256) bytePair[(data[left]! << 8) | data[right]!] = rank
      this.#addPair(left, right, rank)
    }
    this.#text = text
    const view = new DataView(text.buffer)
    for (let rank = 0; rank < size; rank++) this.#addToken(view, rank)
  }

  #addPair(left: number, right: number, merged: number): void {
    const pairs = this.#pairs
    const mask = this.#pairMask
    let slot = hashPair(left, right) & mask
    while (pairs[2 * slot] !== -1 || pairs[2 * slot + 1] !== -1) slot = (slot + 1) & mask
    pairs[2 * slot] = left | (right << RANK_BITS)
    pairs[2 * slot + 1] = merged | ((right >>> 14) << RANK_BITS)
  }

  #addToken(view: DataView, rank: number): void {
    const from = this.#start[rank]!
    const end = this.#start[rank + 1]!
    const head = hashHead(end - from, wordAt(view, from, end), wordAt(view, from + 4, end), wordAt(view, from + 8, end))
    const h = hashTail(head, view, from, end)
    const tokens = this.#tokens
    const mask = this.#tokenMask
    let slot = h & mask
    while (tokens[slot] !== -1) slot = (slot + 1) & mask
    tokens[slot] = rank | (h & ~RANK_MASK)
  }

  /** The rank that `left` followed by `right` merges to, or NO_MERGE. */
  merge(left: number, right: number): number {
    const pairs = this.#pairs
    const mask = this.#pairMask
    const key = left | (right << RANK_BITS)
    const high = right >>> 14
    let slot = hashPair(left, right) & mask
    for (;;) {
      const second = pairs[2 * slot + 1]!
      if (second === -1) return NO_MERGE
      if (pairs[2 * slot] === key && second >>> RANK_BITS === high) return second & RANK_MASK
      slot = (slot + 1) & mask
    }
  }

  /** Whether the piece `bytes[from, end)`, whose `hashHead` is `head`, is itself one token. */
  isToken(bytes: Uint8Array, view: DataView, from: number, end: number, head: number): boolean {
    const n = end - from
    if (n > MAX_TOKEN_BYTES) return false
    const h = n > 12 ? hashTail(head, view, from, end) : head
    const tokens = this.#tokens
    const mask = this.#tokenMask
    for (let slot = h & mask; ; slot = (slot + 1) & mask) {
      const entry = tokens[slot]!
      if (entry === -1) return false
      if (((entry ^ h) & ~RANK_MASK) !== 0) continue
      const rank = entry & RANK_MASK
      if (this.length[rank] === n && this.#spells(rank, bytes, from, n)) return true
    }
  }

  #spells(rank: number, bytes: Uint8Array, from: number, n: number): boolean {
    const text = this.#text
    const start = this.#start[rank]!
    for (let i = 0; i < n; i++) if (text[start + i] !== bytes[from + i]) return false
    return true
  }
}

export const loadMerges = (name: EncodingName): Merges => new Merges(read(name))

/** Runs of `unicode.bin` in code point order: [class, length in code points] pairs. */
export function* loadClassRuns(): Generator<readonly [cls: number, length: number]> {
  const data = read('unicode')
  for (let i = 0; i < data.length; i += 4) {
    yield [data[i]!, data[i + 1]! | (data[i + 2]! << 8) | (data[i + 3]! << 16)]
  }
}
