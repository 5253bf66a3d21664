/**
 * Finds the terms of every class in one pass over the text. docs/references.md has the order in which they are tried:
 * boilerplate, urls and drive paths, paths, errors, ids, identifiers, numbers, back-ticked names; each match is blanked
 * out before the next class looks. One pass gives the same result because a match ends where its alphabet ends, and the
 * only early classes that can begin inside a later one's run (`see_https://…`, the letter of a drive) are recognised at
 * the colon that ends the run. The tests hold it against the slow version, regex by regex.
 *
 * Linear for every text: no character is read more than a bounded number of times.
 */
import { boilerplateEnd, forgetUnclosed } from './boilerplate'
import {
  codeAt,
  DIGIT,
  isAsciiDigit,
  isAsciiLetter,
  isAsciiUpper,
  isChunk,
  isComponent,
  isWord,
  kindAt,
  LOWER,
  length,
  MARK,
  SEPARATOR,
  SLASH,
  UPPER,
  WIDE,
} from './characters'
import { componentEnd, driveEnd, isPosixPath, pathTerm, trimEnd, withoutContext } from './paths'
import { addFromRoom, addFromText, flush, ID, IDENTIFIER, keyRoom, NUMBER } from './terms'
import { urlEnd, urlStart, urlTerm } from './urls'
import { numberEnd, readWord, uuidEnd, wordClass, wordEnd, wordKinds } from './words'

const minSpan: i32 = 3
const maxSpan: i32 = 64
const backtick: i32 = 0x60
const terminalEscape: i32 = 0x1b
const space: i32 = 0x20
const numberSign: i32 = 0x23
const colon: i32 = 0x3a
const slash: i32 = 0x2f
const backslash: i32 = 0x5c
const lessThan: i32 = 0x3c

let position: i32 = 0
/** What lies before it counts as white space. */
let blankedTo: i32 = 0
let pathTriedTo: i32 = 0
/** A back-ticked span with a match inside is not a name. */
let matches: i32 = 0
let spanOpen: i32 = -1
let spanClose: i32 = -1
let spanMatches: i32 = 0

export function scan(): void {
  forgetUnclosed()
  blankedTo = 0
  pathTriedTo = 0
  matches = 0
  spanClose = -1
  spanMatches = 0
  const end = length()
  for (position = skipPlain(0, end); position < end; position = skipPlain(position, end)) {
    if (isChunk(kindAt(position))) scanChunk()
    else scanSeparator()
  }
  flush()
}

/**
 * Skips what cannot contain a term: separators without a meaning, and single words like `window`, `Window` and
 * `window.`. That is most of a text, and this loop makes the scanner fast.
 */
function skipPlain(from: i32, length: i32): i32 {
  let at = from
  while (at < length) {
    const kind = kindAt(at)
    if (kind === SEPARATOR) {
      const code = codeAt(at)
      if (code === backslash || code === lessThan || code === backtick || code === terminalEscape) return at
      at++
    } else if (kind === LOWER || kind === UPPER) {
      let end = at + 1
      while (kindAt(end) === LOWER) end++
      if (kindAt(end) === MARK) end++
      if (kindAt(end) !== SEPARATOR) return at
      if (codeAt(end) === colon && !endsLabel(codeAt(end + 1))) return at
      at = end
    } else if (kind === WIDE) at++
    else return at
  }
  return at
}

/** After `word:` no url or drive path begins. */
function endsLabel(next: i32): bool {
  return next !== slash && next !== backslash
}

function blank(to: i32): void {
  matches++
  blankedTo = to
  position = to
}

function codeBefore(at: i32): i32 {
  return at > blankedTo ? codeAt(at - 1) : space
}

function scanSeparator(): void {
  const code = codeAt(position)
  const end =
    code === backslash || code === terminalEscape
      ? escapeEnd(position)
      : code === lessThan
        ? boilerplateEnd(position)
        : -1
  if (end >= 0) {
    blank(end)
    return
  }
  if (code === backtick) scanBacktick()
  position++
}

function scanBacktick(): void {
  if (position === spanClose && matches === spanMatches) {
    const isCall = codeAt(position - 1) === 0x29 && codeAt(position - 2) === 0x28
    addFromText(IDENTIFIER, spanOpen + 1, position - spanOpen - (isCall ? 3 : 1))
    return
  }
  spanOpen = position
  spanClose = spanEnd(position)
  spanMatches = matches
}

/** A chunk is the longest run that may contain a path; only its start can be a path's start. */
function scanChunk(): void {
  const start = position
  let end = start
  let slashed = false
  for (let kind = kindAt(end); isChunk(kind); kind = kindAt(++end)) if (kind === SLASH) slashed = true
  const early = earlyStart(end)
  if (slashed && start >= pathTriedTo && scanPath(start)) return
  const wordsEnd = early >= 0 ? early : end
  while (position < wordsEnd) {
    if (isWord(kindAt(position))) scanWord(wordsEnd)
    else position++
  }
  if (early >= 0) scanEarly(early, end)
}

/** Start of the url or drive path with its colon at `end`, or -1. */
function earlyStart(end: i32): i32 {
  if (codeAt(end) !== colon) return -1
  const url = urlStart(end, blankedTo)
  return url >= 0 ? url : driveEnd(end, blankedTo) >= 0 ? end - 1 : -1
}

function scanEarly(start: i32, mark: i32): void {
  const drive = mark - start === 1 ? driveEnd(mark, blankedTo) : -1
  const end = drive >= 0 ? drive : urlEnd(mark)
  if (drive >= 0) pathTerm(start, end)
  else urlTerm(start, end)
  blank(end)
}

function scanPath(start: i32): bool {
  const before = codeBefore(start)
  if (blocksPath(before, codeAt(start))) return false
  let end = start
  while (isComponent(kindAt(end))) end++
  end = cutAtEarly(end)
  while (kindAt(end) === SLASH) {
    let from = end + 1
    while (kindAt(from) === SLASH) from++
    const to = cutAtEarly(componentEnd(from))
    if (to <= from) break
    end = to
  }
  pathTriedTo = end
  const trimmed = withoutContext(start, trimEnd(start, end))
  // A call such as `total/items.map(`, and not the position in `src/auth.ts(12,5)`.
  const isCalled = codeAt(end) === 0x28 && kindAt(end + 1) !== DIGIT
  if (isCalled || !isPosixPath(start, trimmed, before)) return false
  pathTerm(start, trimmed)
  blank(trimmed)
  return true
}

function cutAtEarly(end: i32): i32 {
  const early = earlyStart(end)
  return early >= 0 ? early : end
}

function scanWord(limit: i32): void {
  const start = position
  readWord(start, limit)
  const end = wordEnd
  const before = codeBefore(start)
  const uuid = uuidEnd(start, before, limit)
  if (uuid >= 0) {
    idTerm(start, uuid - start)
    blank(uuid)
    return
  }
  const found = wordClass(start)
  if (found >= 0) {
    if (found === ID) idTerm(start, end - start)
    else addFromText(found, start, end - start)
    blank(end)
    return
  }
  const digits = wordKinds === 1 << DIGIT ? end - start : 0
  // Not &#39;
  const signed = digits >= 2 && before === numberSign && codeBefore(start - 1) !== 0x26
  const number = (wordKinds & (1 << DIGIT)) !== 0 ? numberEnd(start, before, signed) : -1
  if (number < 0) {
    position = end
    return
  }
  const from = signed ? start - 1 : codeAt(start) === 0x76 ? start + 1 : start
  addFromText(NUMBER, from, number - from)
  blank(number)
}

/** A uuid in lower case; a full or abbreviated git hash by its first seven digits, so that both are one term. */
function idTerm(start: i32, length: i32): void {
  if (length <= 12 || length === 40) {
    addFromText(ID, start, 7)
    return
  }
  let isLower = true
  for (let at = start; at < start + length; at++) if (isAsciiUpper(codeAt(at))) isLower = false
  if (isLower) {
    addFromText(ID, start, length)
    return
  }
  const key = keyRoom()
  for (let i = 0; i < length; i++) {
    const code = codeAt(start + i)
    store<u16>(key + ((<usize>i) << 1), <u16>(isAsciiUpper(code) ? code + 0x20 : code))
  }
  addFromRoom(ID, 0, length)
}

/** End of an escaped line break or tab, as in JSON (`\n`), or of a terminal's colour code, or -1. */
function escapeEnd(at: i32): i32 {
  const next = codeAt(at + 1)
  if (codeAt(at) === backslash) return next === 0x6e || next === 0x72 || next === 0x74 ? at + 2 : -1
  if (next !== 0x5b) return -1
  let end = at + 2
  while (isAsciiDigit(codeAt(end)) || codeAt(end) === 0x3b) end++
  return isAsciiLetter(codeAt(end)) ? end + 1 : -1
}

/** Whether no path can start here: after a placeholder, an escape or an ellipsis, or an absolute one after a glob. */
function blocksPath(before: i32, first: i32): bool {
  if (before === 0x2a) return first === slash
  return before === backslash || before === 0x2026 || before === 0x29 || before === 0x5d || before === 0x7d
}

/**
 * Where the back-ticked name that opens at `open` closes, or -1: 3 to 64 characters of a dotted, dashed or plain name
 * with at least two letters, with or without `()`, in single back-ticks.
 */
function spanEnd(open: i32): i32 {
  if (open > 0 && codeAt(open - 1) === backtick) return -1
  let letters = 0
  let end = open + 1
  for (; end - open <= maxSpan + 1; end++) {
    const kind = kindAt(end)
    if (kind === LOWER || kind === UPPER) letters++
    else if (!isComponent(kind) && codeAt(end) !== colon) break
  }
  const size = end - open - 1
  if (letters < 2 || size < minSpan || size > maxSpan) return -1
  if (codeAt(end) === 0x28 && codeAt(end + 1) === 0x29) end += 2
  return codeAt(end) === backtick && codeAt(end + 1) !== backtick ? end : -1
}
