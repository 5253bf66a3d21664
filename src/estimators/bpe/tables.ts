/**
 * The shipped data of the exact counters: look-up tables written by tools/bpe/build-data.mjs and used directly in the
 * file's bytes. Deriving them at start from a list of merges was tried: a fifth of the size, but several times the time at
 * every start. The files are little-endian; loading them on a big-endian machine fails at the first table.
 *
 * This is the one place outside the readers that opens files: they are this package's own data, at a path that is the
 * same from src/ and from dist/.
 */
import { readFileSync } from 'node:fs'

export type EncodingName = 'o200k_base' | 'cl100k_base'

/** "No such merge": larger than every rank, so that the smallest of several ranks needs no special case. */
export const NO_MERGE = 0x7fffffff
/** A rank fits 18 bits; tables keep other things in the 14 bits above it. */
export const RANK_BITS = 18
const RANK_MASK = (1 << RANK_BITS) - 1
/** Words of the filter in front of the pair table: small enough for the second-level cache, unlike the table. */
export const FILTER_WORDS = 1 << 16
/** Bytes that must follow a piece, since it is read in whole words. */
export const PADDING = 4

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
export function hashTail(head: number, view: DataView, from: number, end: number): number {
  let h = head
  for (let at = from + 12; at < end; at += 4) {
    h = Math.imul(h ^ wordAt(view, at, end), 0x9e3779b1)
    h ^= h >>> 15
  }
  return h
}

/** Hash of two ranks: the high bits are for the filter, the low ones for the pair table. */
export function hashPair(left: number, right: number): number {
  const h = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b)
  return Math.imul(h ^ (h >>> 15), 0x27d4eb2f)
}

/**
 * The merges of one encoding. A token is named by its rank; the rank is also the priority of the one merge that makes
 * it, since two tokens can only ever meet as the two sides of a third if the third's own encoding ends with them.
 */
export class Merges {
  /** Number of ranks, which is the number of tokens. */
  readonly size: number
  /** Byte to the rank of that byte alone. */
  readonly byteRank: Int32Array
  /** Two bytes, first * 256 + second, to the rank they merge to or NO_MERGE. */
  readonly bytePair: Int32Array
  /** Per rank: bytes of the token. */
  readonly length: Uint8Array
  /** Open addressing, two words per slot: left | low 14 bits of right << 18, then merged | high 4 bits of right << 18. */
  readonly #pairs: Int32Array
  /** A bit per value of the 21 high bits of a pair's hash, because most pairs do not merge. */
  readonly #filter: Int32Array
  /** Open addressing, one word per slot: rank | 14 high bits of the token's hash << 18. */
  readonly #tokens: Int32Array
  /** The number of slots of either table, a power of two, minus one. */
  readonly #mask: number
  /** All token bytes by rank, and where each begins. */
  readonly #text: Uint8Array
  readonly #start: Int32Array

  /** `data`: three words (ranks, slots, bytes of text), then the tables in the order of the assignments below. */
  constructor(data: Uint8Array) {
    let at = data.byteOffset
    const words = (n: number): Int32Array => {
      const table = new Int32Array(data.buffer, at, n)
      at += 4 * n
      return table
    }
    const [size = 0, slots = 0, textBytes = 0] = words(3)
    this.size = size
    this.#mask = slots - 1
    this.byteRank = words(256)
    this.bytePair = words(1 << 16)
    this.#pairs = words(2 * slots)
    this.#filter = words(FILTER_WORDS)
    this.#tokens = words(slots)
    this.length = new Uint8Array(data.buffer, at, size)
    this.#text = new Uint8Array(data.buffer, at + size, textBytes)
    this.#start = startsOf(this.length)
  }

  /** The rank that `left` followed by `right` merges to, or NO_MERGE. */
  merge(left: number, right: number): number {
    const h = hashPair(left, right)
    if ((this.#filter[h >>> 16]! & (1 << (h >>> 11))) === 0) return NO_MERGE
    const pairs = this.#pairs
    const mask = this.#mask
    const key = left | (right << RANK_BITS)
    const high = right >>> 14
    for (let slot = h & mask; ; slot = (slot + 1) & mask) {
      const second = pairs[2 * slot + 1]!
      if (second === -1) return NO_MERGE
      if (pairs[2 * slot] === key && second >>> RANK_BITS === high) return second & RANK_MASK
    }
  }

  /** Whether the piece `bytes[from, end)`, whose `hashHead` is `head`, is itself one token. */
  isToken(bytes: Uint8Array, view: DataView, from: number, end: number, head: number): boolean {
    const n = end - from
    if (n > 0xff) return false // longer than a token can be: its length is one byte
    const h = n > 12 ? hashTail(head, view, from, end) : head
    const tokens = this.#tokens
    const mask = this.#mask
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

/** Where each token begins. Not shipped, as it compresses badly and takes a millisecond to compute. */
function startsOf(length: Uint8Array): Int32Array {
  const start = new Int32Array(length.length)
  for (let rank = 1; rank < length.length; rank++) start[rank] = start[rank - 1]! + length[rank - 1]!
  return start
}

const read = (name: string): Uint8Array =>
  readFileSync(new URL(`../../../src/estimators/bpe/${name}.bin`, import.meta.url))

export const loadMerges = (name: EncodingName): Merges => new Merges(read(name))

/** Runs of code points of one class and one UTF-8 width: four bytes per run, the class and then the length (24 bits). */
export const readClassRuns = (): Uint8Array => read('unicode')
