/**
 * Counts the tokens of one piece by byte-pair encoding: merges the leftmost pair of the lowest rank until no neighbours
 * merge. Linear in the worst case, without allocation per piece.
 *
 * It is linear because of a fact published with GitHub's `bpe` crate: a token is always made from the same pair of tokens,
 * both of lower rank. The crate uses it to test whether two tokens may be neighbours, and encodes left to right with
 * backtracking, which needs a trie for the longest match. Here merges are done rank by rank: a merge never makes a pair of
 * lower rank possible, so one list per rank replaces the priority queue, and no trie (most of the tables) is needed.
 */
import { type Merges, NO_MERGE } from './tables.ts'

/** Pieces up to this many bytes are merged by scanning all their pairs, which is quicker than keeping lists. */
const SCAN_BYTES = 40
/** Working arrays for longer pieces than this are not kept for the next piece. */
const KEEP_BYTES = 1 << 18

// The queue's cell of the byte at p is at 4 * p. While a token starts at p:
const TOKEN = 0 // its rank; at the last byte of a longer token: ~start of the token, so that it can be found from behind
const PAIR = 1 // the rank it and the next token merge to
const AFTER = 2 // neighbours in the list of all pairs of that rank, as cells, or NONE
const BEFORE = 3
const NONE = -1

export class PieceMerger {
  readonly #merges: Merges
  readonly #tokens = new Int32Array(SCAN_BYTES)
  readonly #pairs = new Int32Array(SCAN_BYTES + 1)
  #cells = new Int32Array(0)
  /** First cell of the list of each rank. */
  readonly #first: Int32Array
  /** Which ranks have a list: a bit per rank, a bit per word of those, and a bit per word of those. */
  readonly #some: readonly [Int32Array, Int32Array, Int32Array]

  constructor(merges: Merges) {
    this.#merges = merges
    this.#first = new Int32Array(merges.size).fill(NONE)
    const words = (bits: number) => new Int32Array((bits + 31) >>> 5)
    const ranks = words(merges.size)
    const groups = words(ranks.length)
    this.#some = [ranks, groups, words(groups.length)]
  }

  /** Tokens of the piece `bytes[from, end)`. */
  count(bytes: Uint8Array, from: number, end: number): number {
    return end - from <= SCAN_BYTES ? this.#countByScan(bytes, from, end) : this.#countByRank(bytes, from, end)
  }

  #countByScan(bytes: Uint8Array, from: number, end: number): number {
    const { byteRank, bytePair } = this.#merges
    const tokens = this.#tokens
    const pairs = this.#pairs
    let n = end - from
    let byte = bytes[from]!
    for (let i = 0; i < n; i++) {
      const next = bytes[from + i + 1]!
      tokens[i] = byteRank[byte]!
      pairs[i] = bytePair[(byte << 8) | next]!
      byte = next
    }
    pairs[n - 1] = NO_MERGE
    for (;;) {
      let rank = NO_MERGE
      let at = 0
      for (let i = 0; i < n; i++) {
        const pair = pairs[i]!
        if (pair < rank) {
          rank = pair
          at = i
        }
      }
      if (rank === NO_MERGE) return n
      n--
      tokens[at] = rank
      for (let i = at + 1; i < n; i++) {
        tokens[i] = tokens[i + 1]!
        pairs[i] = pairs[i + 1]!
      }
      pairs[at] = at + 1 < n ? this.#merges.merge(rank, tokens[at + 1]!) : NO_MERGE
      if (at > 0) pairs[at - 1] = this.#merges.merge(tokens[at - 1]!, rank)
    }
  }

  #countByRank(bytes: Uint8Array, from: number, end: number): number {
    const { byteRank, bytePair } = this.#merges
    const n = end - from
    if (this.#cells.length < 4 * n) this.#cells = new Int32Array(4 * n)
    const cells = this.#cells
    // From the right, so that each list begins in reading order.
    for (let i = n - 1; i >= 0; i--) {
      const byte = bytes[from + i]!
      cells[4 * i + TOKEN] = byteRank[byte]!
      cells[4 * i + PAIR] = NO_MERGE
      if (i + 1 < n) this.#enlist(4 * i, bytePair[(byte << 8) | bytes[from + i + 1]!]!)
    }
    let count = n
    for (let rank = this.#lowest(); rank !== NO_MERGE; rank = this.#lowest()) {
      for (let cell = this.#first[rank]!; cell !== NONE; cell = this.#first[rank]!) {
        if (cells[cell + TOKEN] !== cells[this.#right(cell) + TOKEN]) {
          this.#mergeAt(cell, rank, n)
          count--
          continue
        }
        // Pairs of two equal tokens overlap in a run of them, where the leftmost goes first: do the whole run.
        let start = cell
        for (let left = this.#left(start); left !== NONE && cells[left + PAIR] === rank; left = this.#left(start)) {
          start = left
        }
        do {
          this.#mergeAt(start, rank, n)
          count--
          start = this.#right(start)
        } while (start < 4 * n && cells[start + PAIR] === rank)
      }
    }
    if (n > KEEP_BYTES) this.#cells = new Int32Array(0)
    return count
  }

  #left(cell: number): number {
    if (cell === 0) return NONE
    const token = this.#cells[cell - 4 + TOKEN]!
    return token >= 0 ? cell - 4 : ~token
  }

  #right(cell: number): number {
    return cell + 4 * this.#merges.length[this.#cells[cell + TOKEN]!]!
  }

  /** Merges the token at `cell` with the next one, to `rank`. */
  #mergeAt(cell: number, rank: number, n: number): void {
    const cells = this.#cells
    const merges = this.#merges
    const swallowed = this.#right(cell)
    this.#delist(cell)
    this.#delist(swallowed)
    cells[cell + TOKEN] = rank
    const right = this.#right(cell)
    cells[right - 4 + TOKEN] = ~cell
    if (right < 4 * n) this.#enlist(cell, merges.merge(rank, cells[right + TOKEN]!))
    const left = this.#left(cell)
    if (left !== NONE) {
      this.#delist(left)
      this.#enlist(left, merges.merge(cells[left + TOKEN]!, rank))
    }
  }

  #enlist(cell: number, rank: number): void {
    const cells = this.#cells
    cells[cell + PAIR] = rank
    if (rank === NO_MERGE) return
    const first = this.#first[rank]!
    this.#first[rank] = cell
    cells[cell + AFTER] = first
    cells[cell + BEFORE] = NONE
    if (first !== NONE) {
      cells[first + BEFORE] = cell
      return
    }
    const [ranks, groups, supers] = this.#some
    ranks[rank >> 5]! |= 1 << rank
    groups[rank >> 10]! |= 1 << (rank >> 5)
    supers[rank >> 15]! |= 1 << (rank >> 10)
  }

  #delist(cell: number): void {
    const cells = this.#cells
    const rank = cells[cell + PAIR]!
    if (rank === NO_MERGE) return
    cells[cell + PAIR] = NO_MERGE
    const after = cells[cell + AFTER]!
    const before = cells[cell + BEFORE]!
    if (after !== NONE) cells[after + BEFORE] = before
    if (before !== NONE) {
      cells[before + AFTER] = after
      return
    }
    this.#first[rank] = after
    if (after !== NONE) return
    const [ranks, groups, supers] = this.#some
    ranks[rank >> 5]! &= ~(1 << rank)
    if (ranks[rank >> 5] !== 0) return
    groups[rank >> 10]! &= ~(1 << (rank >> 5))
    if (groups[rank >> 10] !== 0) return
    supers[rank >> 15]! &= ~(1 << (rank >> 10))
  }

  /** The lowest rank that has a list, or NO_MERGE. */
  #lowest(): number {
    const [ranks, groups, supers] = this.#some
    for (let i = 0; i < supers.length; i++) {
      if (supers[i] === 0) continue
      const group = (i << 5) | lowestBit(supers[i]!)
      const word = (group << 5) | lowestBit(groups[group]!)
      return (word << 5) | lowestBit(ranks[word]!)
    }
    return NO_MERGE
  }
}

const lowestBit = (word: number): number => 31 - Math.clz32(word & -word)
