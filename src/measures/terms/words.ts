import { DIGIT, isWord, kindAt, LOWER, UNDERSCORE, UPPER } from './characters.ts'
import { isError } from './errorcodes.ts'

const minIdentifier = 6
const maxIdentifier = 64
const maxDigits = 40
const dash = 0x2d
const dot = 0x2e

/** A word and what it is made of. One object is reused for all words of a text. */
export interface Word {
  start: number
  end: number
  /** Bit set of 1 << kind. */
  kinds: number
  /** Two parts or more: foo_bar, fooBar, HTTPServer. A plural (URLs) has one. */
  parts: boolean
}

/** Reads the word that starts at `start` and ends at `limit` at the latest. */
export function readWord(text: string, start: number, limit: number, word: Word): void {
  let kinds = 0
  let history = 0 // the last four kinds, an octal digit each
  let parts = false
  let end = start
  for (; end < limit; end++) {
    const kind = kindAt(text, end)
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

/** What the whole word is by itself, numbers aside. */
export function wordClass(text: string, { start, end, kinds, parts }: Word): 'error' | 'id' | 'identifier' | null {
  if (kinds === 1 << LOWER || kinds === 1 << DIGIT) return null
  const length = end - start
  if (length > 64) return null
  if (kinds & (1 << UPPER) && length >= 5 && isError(text.slice(start, end))) return 'error'
  if (kinds === ((1 << LOWER) | (1 << DIGIT))) return isHash(text, start, length) ? 'id' : null
  const named = kindAt(text, start) !== DIGIT && (kinds & ((1 << UPPER) | (1 << LOWER))) !== 0
  return parts && named && length >= minIdentifier && length <= maxIdentifier ? 'identifier' : null
}

/** A git abbreviation up to a SHA-1, or a SHA-256; with a digit and a letter, which the caller has checked. */
function isHash(text: string, start: number, length: number): boolean {
  return ((length >= 7 && length <= 40) || length === 64) && /^[0-9a-f]+$/.test(text.slice(start, start + length))
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** End of the uuid whose first group is the word, or -1. */
export function uuidEnd(text: string, word: Word, before: number, limit: number): number {
  const end = word.start + 36
  if (word.end - word.start !== 8 || end > limit || text.charCodeAt(word.end) !== dash || before === dot) return -1
  const next = kindAt(text, end)
  return !isWord(next) && text.charCodeAt(end) !== dash && uuid.test(text.slice(word.start, end)) ? end : -1
}

/** A uuid in lower case; a git hash, whole or abbreviated, by its first seven digits, so that the two are one term. */
export function idKey(id: string): string {
  return id.length <= 12 || id.length === 40 ? id.slice(0, 7) : id.toLowerCase()
}

/**
 * End of the number that starts at the word, or -1: `#42` (`signed`), 1.2.3 or v1.2.3, 31337. `before` is the character
 * before the word.
 */
export function numberEnd(text: string, word: Word, before: number, signed: boolean): number {
  const { start, end } = word
  if (end - start > maxDigits || before === dot) return -1
  if (word.kinds !== 1 << DIGIT)
    return text.charCodeAt(start) === 0x76 && isDigits(text, start + 1, end) ? versionEnd(text, end) : -1
  if (signed) return end
  const version = versionEnd(text, end)
  if (version >= 0) return version
  return end - start >= 5 && !fractionFollows(text, end) ? end : -1
}

/** End of `.digits` at least twice; `at` is the end of the first number. */
function versionEnd(text: string, at: number): number {
  let end = at
  let groups = 0
  for (;;) {
    const next = fractionEnd(text, end)
    if (next < 0) return groups >= 2 ? end : -1
    groups++
    end = next
  }
}

const fractionFollows = (text: string, at: number): boolean => fractionEnd(text, at) >= 0

/** End of `.digits` at `at`, when no other word character follows; else -1. */
function fractionEnd(text: string, at: number): number {
  if (at >= text.length || text.charCodeAt(at) !== dot) return -1
  let end = at + 1
  while (kindAt(text, end) === DIGIT) end++
  return end > at + 1 && !isWord(kindAt(text, end)) ? end : -1
}

function isDigits(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (kindAt(text, i) !== DIGIT) return false
  return end > start
}
