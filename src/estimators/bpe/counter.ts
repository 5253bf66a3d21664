/**
 * Exact token counts for OpenAI's o200k_base and cl100k_base, in linear time for every text.
 *
 * Counts equal tiktoken's `encode_ordinary`: the text of a special token is ordinary text, and a lone surrogate is U+FFFD.
 * They do not depend on the version of Node, since the Unicode classes are shipped (see tables.ts and pretokenize.ts).
 */
import { PieceMerger } from './merge.ts'
import { type NextPiece, pretokenizers } from './pretokenize.ts'
import { type EncodingName, hashHead, loadMerges, type Merges, PADDING, wordAt } from './tables.ts'

/** Bytes of the buffer that is kept between texts; a longer text gets its own. */
const SCRATCH_BYTES = 1 << 18
/** Counts of pieces up to this many bytes, which are most of all text, are cached. */
const MEMO_BYTES = 12
const MEMO_SLOTS = 1 << 14

const encoder = new TextEncoder()

interface Scratch {
  readonly bytes: Uint8Array
  readonly view: DataView
}

function newScratch(size: number): Scratch {
  const bytes = new Uint8Array(size + 1 + PADDING) // the end mark
  return { bytes, view: new DataView(bytes.buffer) }
}

class Encoding {
  readonly #merges: Merges
  readonly #merger: PieceMerger
  readonly #nextPiece: NextPiece
  /** Direct-mapped cache, four words per slot: 12 bytes of the piece, then its length | its tokens << 4. */
  readonly #memo = new Int32Array(4 * MEMO_SLOTS)
  readonly #scratch = newScratch(SCRATCH_BYTES)

  constructor(merges: Merges, nextPiece: NextPiece) {
    this.#merges = merges
    this.#merger = new PieceMerger(merges)
    this.#nextPiece = nextPiece
  }

  /** Tokens of `text`. */
  count(text: string): number {
    const scratch = text.length * 3 <= SCRATCH_BYTES ? this.#scratch : newScratch(Buffer.byteLength(text))
    const { written } = encoder.encodeInto(text, scratch.bytes)
    scratch.bytes[written] = 0xff
    return this.#countBytes(scratch.bytes, scratch.view, written)
  }

  #countBytes(bytes: Uint8Array, view: DataView, length: number): number {
    const nextPiece = this.#nextPiece
    const memo = this.#memo
    let tokens = 0
    for (let from = 0, end = 0; from < length; from = end) {
      end = nextPiece(bytes, from)
      const n = end - from
      if (n === 1) {
        tokens++
        continue
      }
      const word0 = wordAt(view, from, end)
      const word1 = wordAt(view, from + 4, end)
      const word2 = wordAt(view, from + 8, end)
      const head = hashHead(n, word0, word1, word2)
      if (n > MEMO_BYTES) {
        tokens += this.#countPiece(bytes, view, from, end, head)
        continue
      }
      const slot = (head >>> 18) << 2
      const known = memo[slot + 3]!
      if ((known & 15) === n && memo[slot] === word0 && memo[slot + 1] === word1 && memo[slot + 2] === word2) {
        tokens += known >> 4
        continue
      }
      const counted = this.#countPiece(bytes, view, from, end, head)
      memo[slot] = word0
      memo[slot + 1] = word1
      memo[slot + 2] = word2
      memo[slot + 3] = n | (counted << 4)
      tokens += counted
    }
    return tokens
  }

  #countPiece(bytes: Uint8Array, view: DataView, from: number, end: number, head: number): number {
    return this.#merges.isToken(bytes, view, from, end, head) ? 1 : this.#merger.count(bytes, from, end)
  }
}

let pieces: ReturnType<typeof pretokenizers> | undefined
const loaded = new Map<EncodingName, Encoding>()

/** The counter of an encoding; its tables are loaded at the first call and kept. */
export function loadEncoding(name: EncodingName): { count(text: string): number } {
  let encoding = loaded.get(name)
  if (encoding === undefined) {
    pieces ??= pretokenizers()
    encoding = new Encoding(loadMerges(name), pieces[name])
    loaded.set(name, encoding)
  }
  return encoding
}

/** Tokens of `text` in an encoding, as tiktoken's `encode_ordinary` counts them. */
export function countTokens(encoding: EncodingName, text: string): number {
  return loadEncoding(encoding).count(text)
}

export type { EncodingName } from './tables.ts'
