/** Reads words and finds their classes: errors, ids, identifiers, numbers. */
import { type Codes, DIGIT, isAsciiDigit, isWord, kindAt, LOWER, UNDERSCORE, UPPER } from './characters.ts'
import { isError } from './error-codes.ts'

const minIdentifier = 6
const maxIdentifier = 64
const maxDigits = 40
const dash = 0x2d
const dot = 0x2e

/** A word and its kinds of characters. One object is reused for all words of a text. */
export interface Word {
  start: number
  end: number
  /** Bit set of 1 << kind. */
  kinds: number
  /** Two parts or more: foo_bar, fooBar, HTTPServer. A plural (URLs) has one. */
  parts: boolean
}

/** Reads the word that starts at `start` and ends at `limit` at the latest. */
export function readWord(codes: Codes, start: number, limit: number, word: Word): void {
  let kinds = 0
  let history = 0 // the last four kinds, an octal digit each
  let parts = false
  let end = start
  for (; end < limit; end++) {
    const kind = kindAt(codes, end)
    if (!isWord(kind)) break
    const seen = kinds & ~(1 << UNDERSCORE)
    history = ((history << 3) | kind) & 0o7777
    kinds |= 1 << kind
    if (kind === UPPER) {
      if ((history & 0o70) === LOWER << 3 || (history & 0o70) === DIGIT << 3) parts = true
    } else if (kind === LOWER && history === 0o1122) parts = true
    if (kind !== UNDERSCORE && (history & 0o70) === UNDERSCORE << 3 && seen !== 0) parts = true
  }
  word.start = start
  word.end = end
  word.kinds = kinds
  word.parts = parts
}

/** The class of a whole word, other than a number. */
export function wordClass(
  text: string,
  codes: Codes,
  { start, end, kinds, parts }: Word,
): 'error' | 'id' | 'identifier' | null {
  if (kinds === 1 << LOWER || kinds === 1 << DIGIT) return null
  const length = end - start
  if (length > 64) return null
  if (
    kinds & (1 << UPPER) &&
    length >= 5 &&
    mayBeError(codes[start]!, codes[end - 1]!) &&
    isError(text.slice(start, end))
  )
    return 'error'
  if (kinds === ((1 << LOWER) | (1 << DIGIT))) return isHash(codes, start, length) ? 'id' : null
  const named = kindAt(codes, start) !== DIGIT && (kinds & ((1 << UPPER) | (1 << LOWER))) !== 0
  return parts && named && length >= minIdentifier && length <= maxIdentifier ? 'identifier' : null
}

/** Whether it is an abbreviated or full SHA-1, or a SHA-256. The caller has checked that it has a digit and a letter. */
function isHash(codes: Codes, start: number, length: number): boolean {
  if ((length < 7 || length > 40) && length !== 64) return false
  for (let at = start; at < start + length; at++) if (!isLowerHex(codes[at]!)) return false
  return !isMadeUp(codes, start)
}

/**
 * Ids in examples and tests refer to nothing: abc1234, bbb2222, a1b2c3d. The first seven digits tell, which is what an
 * abbreviation has. Of real hashes one in five thousand is taken for one.
 */
function isMadeUp(codes: Codes, start: number): boolean {
  let steps = 0
  for (let at = start + 1; at < start + 7; at++) {
    const step = codes[at]! - codes[at - 1]!
    if (step === 0 || step === 1) steps++
  }
  if (steps >= 5) return true
  for (let at = start; at < start + 7; at++) {
    const [isDigit, isNextDigit] = [isAsciiDigit(codes[at]!), isAsciiDigit(codes[at + 1]!)]
    if (at < start + 6 && isDigit === isNextDigit) return false
    if (at < start + 5 && !isDigit && codes[at + 2]! - codes[at]! !== 1) return false
  }
  return true
}

const isLowerHex = (code: number): boolean => isAsciiDigit(code) || (code >= 0x61 && code <= 0x66)

/** A quick test: every error ends like Error, Exception or Warning, or begins like ENOENT or TS2345. */
function mayBeError(first: number, last: number): boolean {
  return last === 0x72 || last === 0x6e || last === 0x67 || first === 0x45 || first === 0x54
}

/** End of the uuid that begins with the word, or -1. */
export function uuidEnd(codes: Codes, word: Word, before: number, limit: number): number {
  const end = word.start + 36
  if (word.end - word.start !== 8 || end > limit || codes[word.end] !== dash || before === dot) return -1
  const next = kindAt(codes, end)
  return !isWord(next) && codes[end] !== dash && isUuid(codes, word.start) ? end : -1
}

/** 8-4-4-4-12 hexadecimal digits. */
function isUuid(codes: Codes, start: number): boolean {
  for (let i = 0; i < 36; i++) {
    const code = codes[start + i]!
    if (
      i === 8 || i === 13 || i === 18 || i === 23 ? code !== dash : !isLowerHex(isAsciiDigit(code) ? code : code | 0x20)
    )
      return false
  }
  return true
}

/** The key of an id: a uuid in lower case; a full or abbreviated git hash by its first seven digits, so both are one term. */
export function idKey(id: string): string {
  return id.length <= 12 || id.length === 40 ? id.slice(0, 7) : id.toLowerCase()
}

/**
 * End of the number that starts at the word, or -1: `#42` (`signed`), 1.2.3 or v1.2.3, 31337. `before` is the character
 * before the word.
 */
export function numberEnd(codes: Codes, word: Word, before: number, signed: boolean): number {
  const { start, end } = word
  if (end - start > maxDigits || before === dot) return -1
  if (word.kinds !== 1 << DIGIT)
    return codes[start] === 0x76 && isDigits(codes, start + 1, end) ? versionEnd(codes, end) : -1
  if (signed) return end
  const version = versionEnd(codes, end)
  if (version >= 0) return version
  return end - start >= 5 && !fractionFollows(codes, end) ? end : -1
}

/** End of `.digits` at least twice; `at` is the end of the first number. */
function versionEnd(codes: Codes, at: number): number {
  let end = at
  let groups = 0
  for (;;) {
    const next = fractionEnd(codes, end)
    if (next < 0) return groups >= 2 ? end : -1
    groups++
    end = next
  }
}

const fractionFollows = (codes: Codes, at: number): boolean => fractionEnd(codes, at) >= 0

/** End of `.digits` at `at`, when no other word character follows; else -1. */
function fractionEnd(codes: Codes, at: number): number {
  if (codes[at] !== dot) return -1
  let end = at + 1
  while (kindAt(codes, end) === DIGIT) end++
  return end > at + 1 && !isWord(kindAt(codes, end)) ? end : -1
}

function isDigits(codes: Codes, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (kindAt(codes, i) !== DIGIT) return false
  return end > start
}
