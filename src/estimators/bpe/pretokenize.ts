/**
 * Splits text into pieces before byte-pair encoding, by hand instead of with the regular expression of each encoding, which
 * is quoted at its function. Text is UTF-8 bytes with the byte 0xFF after the last one, which cannot occur in UTF-8 and
 * ends every run, so no loop has to test for the end.
 *
 * A regular expression was rejected: `\s` and `\p{…}` of JavaScript change with the version of Node and differ from the
 * reference's (U+FEFF is a space only in JavaScript), it allocates a string per piece, and it backtracks.
 */
import { readClassRuns } from './tables.ts'

// Flags of characters. In o200k's pattern a caseless letter and a mark are both upper and lower.
const UPPER = 1 // [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]
const LOWER = 2 // [\p{Ll}\p{Lm}\p{Lo}\p{M}]
const LETTER = 4 // \p{L}
const NUMBER = 8 // \p{N}
const SPACE = 16 // \s
const END = 32 // the byte after the text
/** Anything with one of these is not in [^\s\p{L}\p{N}]. */
const NOT_OTHER = LETTER | NUMBER | SPACE | END

/** Flags by the class number in unicode.bin. */
const CLASS_FLAGS = [
  0,
  UPPER | LETTER, // Lu Lt
  LOWER | LETTER, // Ll
  UPPER | LOWER | LETTER, // Lm Lo
  UPPER | LOWER, // M
  NUMBER,
  SPACE,
  SPACE, // CR LF: told apart by their bytes
]

const LF = 10
const CR = 13
const BLANK = 32
const APOSTROPHE = 39
const SLASH = 47

/** End of the piece that starts at `at`, which is before the end of the text. */
export type NextPiece = (bytes: Uint8Array, at: number) => number

/** Flags by code point, with the width of the UTF-8 form less one in the two high bits. */
function loadFlags(): Uint8Array {
  const flags = new Uint8Array(0x110000)
  const runs = readClassRuns()
  let start = 0
  for (let i = 0; i < runs.length; i += 4) {
    const end = start + (runs[i + 1]! | (runs[i + 2]! << 8) | (runs[i + 3]! << 16))
    const width = start < 0x80 ? 1 : start < 0x800 ? 2 : start < 0x10000 ? 3 : 4
    flags.fill(CLASS_FLAGS[runs[i]!]! | ((width - 1) << 6), start, end)
    start = end
  }
  return flags
}

export function pretokenizers(): { o200k_base: NextPiece; cl100k_base: NextPiece } {
  const flags = loadFlags()

  const wideFlags = (bytes: Uint8Array, at: number, lead: number): number => {
    if (lead < 0xe0) return flags[((lead & 31) << 6) | (bytes[at + 1]! & 63)]!
    const middle = ((bytes[at + 1]! & 63) << 6) | (bytes[at + 2]! & 63)
    if (lead < 0xf0) return flags[((lead & 15) << 12) | middle]!
    return lead === 0xff ? END : flags[((lead & 7) << 18) | (middle << 6) | (bytes[at + 3]! & 63)]!
  }

  const flagsAt = (bytes: Uint8Array, at: number): number => {
    const lead = bytes[at]!
    return lead < 0x80 ? flags[lead]! : wideFlags(bytes, at, lead)
  }

  /** End of the run of characters that have one of the flags `wanted`. */
  const spanOf = (bytes: Uint8Array, at: number, wanted: number): number => {
    for (let p = at; ; ) {
      const f = flagsAt(bytes, p)
      if ((f & wanted) === 0) return p
      p += (f >> 6) + 1
    }
  }

  /** `\p{N}{1,3}` */
  const digits = (bytes: Uint8Array, at: number): number => {
    let p = at
    for (let i = 0; i < 3; i++) {
      const f = flagsAt(bytes, p)
      if ((f & NUMBER) === 0) break
      p += (f >> 6) + 1
    }
    return p
  }

  /** `[^\s\p{L}\p{N}]+[\r\n]*`, with `slash` also `[\r\n/]*`; the first character is known to fit. */
  const others = (bytes: Uint8Array, at: number, slash: number): number => {
    let p = at
    for (;;) {
      const f = flagsAt(bytes, p)
      if ((f & NOT_OTHER) !== 0) break
      p += (f >> 6) + 1
    }
    for (;;) {
      const byte = bytes[p]!
      if (byte !== LF && byte !== CR && byte !== slash) return p
      p++
    }
  }

  /** `\s*[\r\n]+|\s+(?!\S)|\s+`: through the last line end of the run; else all of it but the last character before text. */
  const spaces = (bytes: Uint8Array, at: number): number => {
    let p = at
    let last = at
    let afterLineEnd = 0
    for (;;) {
      const byte = bytes[p]!
      const f = byte < 0x80 ? flags[byte]! : wideFlags(bytes, p, byte)
      if ((f & SPACE) === 0) {
        if (afterLineEnd > 0) return afterLineEnd
        return (f & END) !== 0 || last === at ? p : last
      }
      last = p
      p += (f >> 6) + 1
      if (byte === LF || byte === CR) afterLineEnd = p
    }
  }

  /** `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`; U+017F, the long s, folds to s. */
  const contraction = (bytes: Uint8Array, at: number): number => {
    if (bytes[at] !== APOSTROPHE) return at
    // Setting bit 5 lowers a letter and makes a letter of nothing else that is compared with here.
    const first = bytes[at + 1]!
    const second = bytes[at + 2]! | 0x20
    switch (first | 0x20) {
      case 0x73: // s
      case 0x74: // t
      case 0x6d: // m
      case 0x64: // d
        return at + 2
      case 0x72: // re
      case 0x76: // ve
        return second === 0x65 ? at + 3 : at
      case 0x6c: // ll
        return second === 0x6c ? at + 3 : at
      default:
        return first === 0xc5 && bytes[at + 2] === 0xbf ? at + 3 : at
    }
  }

  /**
   * `UPPER*LOWER+contraction?|UPPER+LOWER*contraction?`, the first character being one of the two. When no lower-case
   * letter follows the upper-case ones, the first form gives characters back until it finds one that is both, so it
   * ends after the last such one; only a run without any is left to the second form.
   */
  const word = (bytes: Uint8Array, at: number): number => {
    let p = at
    let afterBoth = 0
    for (;;) {
      const f = flagsAt(bytes, p)
      if ((f & UPPER) === 0) break
      p += (f >> 6) + 1
      if ((f & LOWER) !== 0) afterBoth = p
    }
    const end = spanOf(bytes, p, LOWER)
    return contraction(bytes, end > p ? end : afterBoth > 0 ? afterBoth : p)
  }

  return {
    /**
     * `[^\r\n\p{L}\p{N}]?UPPER*LOWER+contraction?|[^\r\n\p{L}\p{N}]?UPPER+LOWER*contraction?|\p{N}{1,3}|
     *  ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
     */
    o200k_base(bytes, at) {
      const lead = bytes[at]!
      const f = flagsAt(bytes, at)
      // A mark may be the prefix or the word's first character: both end at the same place, but only the second reading
      // is always open (a mark before upper-case letters alone is a word of its own).
      if ((f & (UPPER | LOWER)) !== 0) return word(bytes, at)
      if ((f & NUMBER) !== 0) return digits(bytes, at)
      if (lead !== LF && lead !== CR) {
        const p = at + (f >> 6) + 1
        const next = flagsAt(bytes, p)
        if ((next & (UPPER | LOWER)) !== 0) return word(bytes, p)
        if (lead === BLANK && (next & NOT_OTHER) === 0) return others(bytes, p, SLASH)
      }
      return (f & SPACE) !== 0 ? spaces(bytes, at) : others(bytes, at, SLASH)
    },

    /** `contraction|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+` */
    cl100k_base(bytes, at) {
      const lead = bytes[at]!
      const f = flagsAt(bytes, at)
      if ((f & LETTER) !== 0) return spanOf(bytes, at, LETTER)
      if ((f & NUMBER) !== 0) return digits(bytes, at)
      if (lead === APOSTROPHE) {
        const end = contraction(bytes, at)
        if (end > at) return end
      }
      if (lead !== LF && lead !== CR) {
        const p = at + (f >> 6) + 1
        const next = flagsAt(bytes, p)
        if ((next & LETTER) !== 0) return spanOf(bytes, p, LETTER)
        if (lead === BLANK && (next & NOT_OTHER) === 0) return others(bytes, p, LF)
      }
      return (f & SPACE) !== 0 ? spaces(bytes, at) : others(bytes, at, LF)
    },
  }
}
