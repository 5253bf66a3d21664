/**
 * The shipped data of the exact counters, written by tools/bpe/build-data.mjs, and the look-up tables that are made of it when
 * an encoding is first needed. The tables themselves were shipped once: two encodings of them are 13 MB, twelve times what they
 * are made of, and were most of the package. Reading them takes 10 ms and making them 100, so a program that may keep files
 * keeps them.
 *
 * This is the one place outside the readers that opens files: they are this package's own data, at a path that is the
 * same from src/ and from dist/.
 */
import { readFileSync } from 'node:fs'
import { crc32, inflateRawSync } from 'node:zlib'

export type EncodingName = 'o200k_base' | 'cl100k_base'

/** "No such merge": larger than every rank, so that the smallest of several ranks needs no special case. */
export const NO_MERGE = 0x7fffffff
/** A rank fits 18 bits; tables keep other things in the 14 bits above it. */
const RANK_BITS = 18
const RANK_MASK = (1 << RANK_BITS) - 1
/** Words of the filter in front of the pair table: small enough for the second-level cache, unlike the table. */
const FILTER_WORDS = 1 << 16
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
function hashTail(head: number, view: DataView, from: number, end: number): number {
  let h = head
  for (let at = from + 12; at < end; at += 4) {
    h = Math.imul(h ^ wordAt(view, at, end), 0x9e3779b1)
    h ^= h >>> 15
  }
  return h
}

/** Hash of two ranks: the high bits are for the filter, the low ones for the pair table. */
function hashPair(left: number, right: number): number {
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

  /** `data`: what `makeTables` made. */
  constructor(data: Uint8Array) {
    const tables = layOut(data.buffer, data.byteOffset)
    this.size = tables.length.length
    this.byteRank = tables.byteRank
    this.bytePair = tables.bytePair
    this.length = tables.length
    this.#pairs = tables.pairs
    this.#filter = tables.filter
    this.#tokens = tables.tokens
    this.#mask = tables.tokens.length - 1
    this.#start = tables.start
    this.#text = tables.text
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

/**
 * The tables in the bytes of `buffer`, as it is kept from run to run: two words (ranks, bytes of text), then the tables in the
 * order below, in the byte order of the processor.
 */
function layOut(buffer: ArrayBufferLike, offset: number) {
  const [size = 0, textBytes = 0] = new Int32Array(buffer, offset, 2)
  const slots = slotsFor(size)
  let at = offset + 8
  const words = (n: number): Int32Array => {
    const table = new Int32Array(buffer, at, n)
    at += 4 * n
    return table
  }
  const bytePair = words(1 << 16)
  return {
    bytePair,
    byteRank: words(256),
    pairs: words(2 * slots),
    filter: words(FILTER_WORDS),
    tokens: words(slots),
    start: words(size),
    length: new Uint8Array(buffer, at, size),
    text: new Uint8Array(buffer, at + size, textBytes + PADDING),
  }
}

const bytesFor = (size: number, textBytes: number): number =>
  8 + 4 * ((1 << 16) + 256 + 3 * slotsFor(size) + FILTER_WORDS + size) + size + textBytes + PADDING

/** At most half of the slots are full. */
const slotsFor = (size: number): number => 2 ** Math.ceil(Math.log2(2 * size))

/**
 * Makes the tables of an encoding.
 *
 * `merges`: the bytes of all tokens together (three bytes, as every number here, lowest first), then per rank which token the
 * left side of its merge is and which the right, as six planes: the lowest bytes of all left sides, and so on, which compress
 * better than whole numbers. A token of one byte has that byte to its left, and to its right itself.
 *
 * All in one loop: each of several is interpreted until it is hot, and together they took half as long again.
 */
function makeTables(merges: Uint8Array): Uint8Array {
  const size = (merges.length - 3) / 6
  const textBytes = merges[0]! | (merges[1]! << 8) | (merges[2]! << 16)
  const made = new Uint8Array(bytesFor(size, textBytes))
  new Int32Array(made.buffer, 0, 2).set([size, textBytes])
  const { bytePair, byteRank, pairs, filter, tokens, start, length, text } = layOut(made.buffer, 0)
  const view = new DataView(text.buffer, text.byteOffset)
  const mask = tokens.length - 1
  bytePair.fill(NO_MERGE)
  pairs.fill(-1)
  tokens.fill(-1)
  for (let rank = 0, end = 0; rank < size; rank++) {
    const at = 3 + rank
    const left = merges[at]! | (merges[at + size]! << 8) | (merges[at + 2 * size]! << 16)
    const right = merges[at + 3 * size]! | (merges[at + 4 * size]! << 8) | (merges[at + 5 * size]! << 16)
    const from = end
    if (right === rank) {
      text[end++] = left
      byteRank[left] = rank
    } else {
      for (let i = start[left]!, stop = i + length[left]!; i < stop; ) text[end++] = text[i++]!
      for (let i = start[right]!, stop = i + length[right]!; i < stop; ) text[end++] = text[i++]!
      if (end - from === 2) bytePair[(text[from]! << 8) | text[from + 1]!] = rank
      const h = hashPair(left, right)
      filter[h >>> 16]! |= 1 << (h >>> 11)
      let slot = h & mask
      while (pairs[2 * slot + 1] !== -1) slot = (slot + 1) & mask
      pairs[2 * slot] = left | (right << RANK_BITS)
      pairs[2 * slot + 1] = rank | ((right >>> 14) << RANK_BITS)
    }
    const n = end - from
    start[rank] = from
    length[rank] = n
    const head = hashHead(n, wordAt(view, from, end), wordAt(view, from + 4, end), wordAt(view, from + 8, end))
    const h = n > 12 ? hashTail(head, view, from, end) : head
    let slot = h & mask
    while (tokens[slot] !== -1) slot = (slot + 1) & mask
    tokens[slot] = rank | ((h >>> RANK_BITS) << RANK_BITS)
  }
  return made
}

/** Where the tables that were made of some merges are kept for the next run. */
export interface TableStore {
  /** @returns what `keep` was given under that name */
  find(name: string): Uint8Array | undefined
  keep(name: string, tables: Uint8Array): void
}

let store: TableStore | null = null

/** For a program that has a place to keep tables; null for none. */
export function keepTables(place: TableStore | null): void {
  store = place
}

const read = (name: string): Uint8Array =>
  readFileSync(new URL(`../../../src/estimators/bpe/${name}.bin`, import.meta.url))

export function loadMerges(encoding: EncodingName): Merges {
  const packed = read(encoding)
  const name = `${encoding}-${crc32(packed).toString(16)}`
  const kept = store?.find(name)
  if (kept !== undefined) return new Merges(kept)
  const made = makeTables(inflateRawSync(packed))
  store?.keep(name, made)
  return new Merges(made)
}

/** Runs of code points of one class and one UTF-8 width: four bytes per run, the class and then the length (24 bits). */
export const readClassRuns = (): Uint8Array => inflateRawSync(read('unicode'))
