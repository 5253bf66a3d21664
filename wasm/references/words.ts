/** Words and their classes: errors, ids, identifiers, numbers. */
import {
  codeAt,
  DIGIT,
  isAsciiDigit,
  isAsciiLetter,
  isAsciiUpper,
  isWord,
  kindAt,
  LOWER,
  startsWith,
  text,
  UNDERSCORE,
  UPPER,
} from './characters'
import { ERROR, hashOfTerm, ID, IDENTIFIER } from './terms'

const minIdentifier: i32 = 6
const maxIdentifier: i32 = 64
const maxDigits: i32 = 40
const dash: i32 = 0x2d
const dot: i32 = 0x2e

/** The word that was read last. */
export let wordEnd: i32 = 0
/** Bit set of 1 << kind. */
export let wordKinds: i32 = 0
/** It has two parts or more: foo_bar, fooBar, HTTPServer. A plural (URLs) has one. */
let parts: bool = false

/** Reads the word that starts at `start` and ends at `limit` at the latest. */
export function readWord(start: i32, limit: i32): void {
  let kinds: i32 = 0
  // The last four kinds, an octal digit each.
  let history: i32 = 0
  let found: bool = false
  let end = start
  for (; end < limit; end++) {
    const kind = kindAt(end)
    if (!isWord(kind)) break
    const seen = kinds & ~(1 << UNDERSCORE)
    history = ((history << 3) | kind) & 0xfff
    kinds |= 1 << kind
    if (kind === UPPER) {
      if ((history & 0x38) === LOWER << 3 || (history & 0x38) === DIGIT << 3) found = true
    } else if (kind === LOWER && history === 0x252) found = true
    if (kind !== UNDERSCORE && (history & 0x38) === UNDERSCORE << 3 && seen !== 0) found = true
  }
  wordEnd = end
  wordKinds = kinds
  parts = found
}

/** The class of the whole word that was read, other than a number, or -1. */
export function wordClass(start: i32): i32 {
  const kinds = wordKinds
  const end = wordEnd
  if (kinds === 1 << LOWER || kinds === 1 << DIGIT) return -1
  const length = end - start
  if (length > 64) return -1
  if ((kinds & (1 << UPPER)) !== 0 && length >= 5 && isError(start, end)) return ERROR
  if (kinds === ((1 << LOWER) | (1 << DIGIT))) return isHash(start, length) ? ID : -1
  const named = kindAt(start) !== DIGIT && (kinds & ((1 << UPPER) | (1 << LOWER))) !== 0
  return parts && named && length >= minIdentifier && length <= maxIdentifier ? IDENTIFIER : -1
}

/**
 * Whether it is an abbreviated or full SHA-1, or a SHA-256. The caller has checked that it has a digit and a letter.
 */
function isHash(start: i32, length: i32): bool {
  if ((length < 7 || length > 40) && length !== 64) return false
  for (let at = start; at < start + length; at++) if (!isLowerHex(codeAt(at))) return false
  return !isMadeUp(start)
}

/**
 * Ids in examples and tests refer to nothing: abc1234, bbb2222, a1b2c3d. The first seven digits tell, which is what an
 * abbreviation has. Of real hashes one in five thousand is taken for one.
 */
function isMadeUp(start: i32): bool {
  let steps = 0
  for (let at = start + 1; at < start + 7; at++) {
    const step = codeAt(at) - codeAt(at - 1)
    if (step === 0 || step === 1) steps++
  }
  if (steps >= 5) return true
  for (let at = start; at < start + 7; at++) {
    const digit = isAsciiDigit(codeAt(at))
    if (at < start + 6 && digit === isAsciiDigit(codeAt(at + 1))) return false
    if (at < start + 5 && !digit && codeAt(at + 2) - codeAt(at) !== 1) return false
  }
  return true
}

function isLowerHex(code: i32): bool {
  return isAsciiDigit(code) || (code >= 0x61 && code <= 0x66)
}

/** End of the uuid that begins with the word that was read, or -1. */
export function uuidEnd(start: i32, before: i32, limit: i32): i32 {
  const end = start + 36
  if (wordEnd - start !== 8 || end > limit || codeAt(wordEnd) !== dash || before === dot) return -1
  return !isWord(kindAt(end)) && codeAt(end) !== dash && isUuid(start) ? end : -1
}

/** 8-4-4-4-12 hexadecimal digits. */
function isUuid(start: i32): bool {
  for (let i = 0; i < 36; i++) {
    const code = codeAt(start + i)
    if (i === 8 || i === 13 || i === 18 || i === 23) {
      if (code !== dash) return false
    } else if (!isLowerHex(isAsciiDigit(code) ? code : code | 0x20)) return false
  }
  return true
}

/**
 * End of the number that starts at the word that was read, or -1: `#42` (`signed`), 1.2.3 or v1.2.3, 31337.
 * @param before the character before the word
 */
export function numberEnd(start: i32, before: i32, signed: bool): i32 {
  const end = wordEnd
  if (end - start > maxDigits || before === dot) return -1
  if (wordKinds !== 1 << DIGIT) return codeAt(start) === 0x76 && areDigits(start + 1, end) ? versionEnd(end) : -1
  if (signed) return end
  const version = versionEnd(end)
  if (version >= 0) return version
  return end - start >= 5 && fractionEnd(end) < 0 ? end : -1
}

/** End of `.digits` at least twice; `at` is the end of the first number. */
function versionEnd(at: i32): i32 {
  let end = at
  let groups = 0
  while (true) {
    const next = fractionEnd(end)
    if (next < 0) return groups >= 2 ? end : -1
    groups++
    end = next
  }
}

/** End of `.digits` at `at`, when no other word character follows; else -1. */
function fractionEnd(at: i32): i32 {
  if (codeAt(at) !== dot) return -1
  let end = at + 1
  while (kindAt(end) === DIGIT) end++
  return end > at + 1 && !isWord(kindAt(end)) ? end : -1
}

function areDigits(start: i32, end: i32): bool {
  for (let at = start; at < end; at++) if (kindAt(at) !== DIGIT) return false
  return end > start
}

// The names of errors, in a table by hash; each is its length and its code units.
const slots: usize = memory.data(512 * 2, 2)
const names: usize = memory.data(0x1000, 2)
let namesEnd: i32 = 2

/** Adds the name in the text, of `length` code units, to the errors that are words of their own. */
export function addErrorName(length: i32): void {
  if (namesEnd + 2 + 2 * length > 0x1000) unreachable()
  store<u16>(names + <usize>namesEnd, <u16>length)
  memory.copy(names + <usize>namesEnd + 2, text, (<usize>length) << 1)
  store<u16>(slotOfName(0, length), <u16>namesEnd)
  namesEnd += 2 + 2 * length
}

/** The slot of the name that stands in the text from `start` on: an empty one if it is none. */
function slotOfName(start: i32, length: i32): usize {
  let slot = <i32>hashOfTerm(0, text + ((<usize>start) << 1), length) & 511
  while (true) {
    const at = slots + ((<usize>slot) << 1)
    const name = <usize>load<u16>(at)
    if (name === 0) return at
    if (<i32>load<u16>(names + name) === length && startsWith(start, names + name + 2, length)) return at
    slot = (slot + 1) & 511
  }
}

/**
 * Is this whole word an error: TypeError, NullPointerException, ENOENT, ERR_MODULE_NOT_FOUND, TS2345, E0382 (rustc)?
 */
function isError(start: i32, end: i32): bool {
  const length = end - start
  const first = codeAt(start)
  const last = codeAt(end - 1)
  if (first === 0x45 && load<u16>(slotOfName(start, length)) !== 0) return true
  if (!isAsciiUpper(first)) return false
  const second = codeAt(start + 1)
  if (first === 0x54 && second === 0x53) {
    if ((length === 6 || length === 7) && areAsciiDigits(start + 2, end)) return true
  } else if (first === 0x45 && second === 0x30) {
    if (length === 5 && areAsciiDigits(start + 2, end)) return true
  }
  const hasEnding =
    (last === 0x72 && length > 5 && startsWith(end - 5, errorWord, 5)) ||
    (last === 0x6e && length > 9 && startsWith(end - 9, exceptionWord, 9)) ||
    (last === 0x67 && length > 7 && startsWith(end - 7, warningWord, 7))
  if (!hasEnding && !(length > 4 && startsWith(start, prefix, 4))) return false
  for (let at = start; at < end; at++) {
    const code = codeAt(at)
    if (!isAsciiLetter(code) && !isAsciiDigit(code) && code !== 0x5f) return false
  }
  return true
}

const errorWord: usize = memory.data<u16>([0x45, 0x72, 0x72, 0x6f, 0x72])
const exceptionWord: usize = memory.data<u16>([0x45, 0x78, 0x63, 0x65, 0x70, 0x74, 0x69, 0x6f, 0x6e])
const warningWord: usize = memory.data<u16>([0x57, 0x61, 0x72, 0x6e, 0x69, 0x6e, 0x67])
const prefix: usize = memory.data<u16>([0x45, 0x52, 0x52, 0x5f])

function areAsciiDigits(start: i32, end: i32): bool {
  for (let at = start; at < end; at++) if (!isAsciiDigit(codeAt(at))) return false
  return true
}
