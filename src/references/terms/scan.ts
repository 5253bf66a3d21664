/** Finds the terms of every class in one pass over a text. docs/references.md has the order in which they are tried. */
import { boilerplateFinder } from './boilerplate.ts'
import {
  type Codes,
  codesOf,
  DIGIT,
  isAsciiDigit,
  isAsciiLetter,
  isChunk,
  isComponent,
  isWord,
  kindAt,
  LOWER,
  MARK,
  SEPARATOR,
  SLASH,
  UPPER,
  WIDE,
} from './characters.ts'
import { componentEnd, driveEnd, isCalled, isPosixPath, trimEnd, withoutContext } from './paths.ts'
import { filePath, urlEnd, urlStart } from './urls.ts'
import { numberEnd, readWord, uuidEnd, type Word, wordClass } from './words.ts'

export type TextClass = 'url' | 'path' | 'error' | 'id' | 'identifier' | 'number'

const minSpan = 3
const maxSpan = 64
const backtick = 0x60
const terminalEscape = 0x1b
const space = 0x20
const numberSign = 0x23
const asterisk = 0x2a
const colon = 0x3a
const slash = 0x2f
const backslash = 0x5c
const lessThan = 0x3c

/**
 * Finds the terms of one text and passes each occurrence to `found` as it is in the text, not as a key.
 *
 * The definition is an order: boilerplate, urls and drive paths, paths, errors, ids, identifiers, numbers, back-ticked
 * names; each match is blanked out before the next class looks. One pass gives the same result because a match ends
 * where its alphabet ends, and the only early classes that can begin inside a later one's run (`see_https://…`, the
 * letter of a drive) are recognised at the colon that ends the run. The test has the slow version, regex by regex.
 *
 * Linear for every text: no character is read more than a bounded number of times. `found` must not call `scan`.
 */
export function scan(text: string, found: (textClass: TextClass, raw: string) => void, codes = codesOf(text)): void {
  const boilerplateEnd = boilerplateFinder(text)
  let at = 0
  let blankedTo = 0 // what lies before it counts as white space
  let pathTriedTo = 0
  let matches = 0 // a back-ticked span with a match inside is not a name
  let spanClose = -1
  let spanMatches = 0
  const word: Word = { start: 0, end: 0, kinds: 0, parts: false }

  for (at = skipPlain(codes, 0, text.length); at < text.length; at = skipPlain(codes, at, text.length)) {
    if (isChunk(kindAt(codes, at))) scanChunk()
    else scanSeparator()
  }

  function blank(to: number): void {
    matches++
    blankedTo = to
    at = to
  }

  function codeBefore(position: number): number {
    return position > blankedTo ? codes[position - 1]! : space
  }

  function scanSeparator(): void {
    const code = codes[at]!
    const end =
      code === backslash || code === terminalEscape ? escapeEnd(codes, at) : code === lessThan ? boilerplateEnd(at) : -1
    if (end >= 0) blank(end)
    else {
      if (code === backtick) scanBacktick()
      at++
    }
  }

  function scanBacktick(): void {
    if (at === spanClose && matches === spanMatches) {
      const open = text.lastIndexOf('`', at - 1)
      found('identifier', text.slice(open + 1, at).replace(/\(\)$/, ''))
      return
    }
    spanClose = spanEnd(codes, at)
    spanMatches = matches
  }

  /** A chunk is the longest run that may contain a path; only its start can be a path's start. */
  function scanChunk(): void {
    const start = at
    let end = start
    let slashed = false
    for (let kind = kindAt(codes, end); isChunk(kind); kind = kindAt(codes, ++end)) if (kind === SLASH) slashed = true
    const early = earlyStart(end)
    if (slashed && start >= pathTriedTo && scanPath(start)) return
    const wordsEnd = early >= 0 ? early : end
    while (at < wordsEnd) {
      if (isWord(kindAt(codes, at))) scanWord(wordsEnd)
      else at++
    }
    if (early >= 0) scanEarly(early, end)
  }

  /** Start of the url or drive path with its colon at `end`, or -1. */
  function earlyStart(end: number): number {
    if (codes[end] !== colon) return -1
    const url = urlStart(codes, end, blankedTo)
    return url >= 0 ? url : driveEnd(codes, end, blankedTo) >= 0 ? end - 1 : -1
  }

  function scanEarly(start: number, mark: number): void {
    const drive = mark - start === 1 ? driveEnd(codes, mark, blankedTo) : -1
    const end = drive >= 0 ? drive : urlEnd(codes, mark)
    const raw = text.slice(start, end)
    const path = drive >= 0 ? raw : filePath(raw)
    found(path === null ? 'url' : 'path', path ?? raw)
    blank(end)
  }

  function scanPath(start: number): boolean {
    const before = codeBefore(start)
    if (blocksPath(before, codes[start]!)) return false
    let end = start
    while (isComponent(kindAt(codes, end))) end++
    end = cutAtEarly(end)
    while (kindAt(codes, end) === SLASH) {
      let from = end + 1
      while (kindAt(codes, from) === SLASH) from++
      const to = cutAtEarly(componentEnd(codes, from))
      if (to <= from) break
      end = to
    }
    pathTriedTo = end
    const trimmed = withoutContext(codes, start, trimEnd(codes, start, end))
    if (isCalled(codes, end) || !isPosixPath(codes, start, trimmed, before)) return false
    found('path', text.slice(start, trimmed))
    blank(trimmed)
    return true
  }

  function cutAtEarly(end: number): number {
    const early = earlyStart(end)
    return early >= 0 ? early : end
  }

  function scanWord(limit: number): void {
    readWord(codes, at, limit, word)
    const { start, end } = word
    const before = codeBefore(start)
    const uuid = uuidEnd(codes, word, before, limit)
    const wordIs = uuid < 0 ? wordClass(text, codes, word) : null
    if (uuid >= 0) report('id', start, uuid)
    else if (wordIs !== null) report(wordIs, start, end)
    else {
      const digits = word.kinds === 1 << DIGIT ? end - start : 0
      const signed = digits >= 2 && before === numberSign && codeBefore(start - 1) !== 0x26 // not &#39;
      const number = (word.kinds & (1 << DIGIT)) !== 0 ? numberEnd(codes, word, before, signed) : -1
      if (number >= 0) report('number', signed ? start - 1 : start, number)
      else at = end
    }
  }

  function report(textClass: TextClass, start: number, end: number): void {
    found(textClass, text.slice(start, end))
    blank(end)
  }
}

/**
 * Skips what cannot contain a term: separators without a meaning, and single words like `window`, `Window` and `window.`.
 * That is most of a text, and this loop makes the scanner fast.
 */
function skipPlain(codes: Codes, from: number, length: number): number {
  let at = from
  while (at < length) {
    const kind = kindAt(codes, at)
    if (kind === SEPARATOR) {
      const code = codes[at]
      if (code === backslash || code === lessThan || code === backtick || code === terminalEscape) return at
      at++
    } else if (kind === LOWER || kind === UPPER) {
      let end = at + 1
      while (kindAt(codes, end) === LOWER) end++
      if (kindAt(codes, end) === MARK) end++
      if (kindAt(codes, end) !== SEPARATOR || (codes[end] === colon && !endsLabel(codes[end + 1]!))) return at
      at = end
    } else if (kind === WIDE) at++
    else return at
  }
  return at
}

/** After `word:` no url or drive path begins. */
const endsLabel = (next: number): boolean => next !== slash && next !== backslash

/** End of an escaped line break or tab, as in JSON (`\n`), or of a terminal's colour code, or -1. */
function escapeEnd(codes: Codes, at: number): number {
  const next = codes[at + 1]
  if (codes[at] === backslash) return next === 0x6e || next === 0x72 || next === 0x74 ? at + 2 : -1
  if (next !== 0x5b) return -1
  let end = at + 2
  while (isAsciiDigit(codes[end]!) || codes[end] === 0x3b) end++
  return isAsciiLetter(codes[end]!) ? end + 1 : -1
}

/** Whether no path can start here: after a placeholder, an escape or an ellipsis, or an absolute one after a glob. */
function blocksPath(before: number, first: number): boolean {
  if (before === asterisk) return first === slash
  return before === backslash || before === 0x2026 || before === 0x29 || before === 0x5d || before === 0x7d
}

/**
 * Where the back-ticked name that opens at `open` closes, or -1: 3 to 64 characters of a dotted, dashed or plain name with
 * at least two letters, with or without `()`, in single back-ticks.
 */
function spanEnd(codes: Codes, open: number): number {
  if (open > 0 && codes[open - 1]! === backtick) return -1
  let letters = 0
  let end = open + 1
  for (; end - open <= maxSpan + 1; end++) {
    const kind = kindAt(codes, end)
    if (kind === LOWER || kind === UPPER) letters++
    else if (!isComponent(kind) && codes[end]! !== 0x3a) break
  }
  const length = end - open - 1
  if (letters < 2 || length < minSpan || length > maxSpan) return -1
  if (codes[end] === 0x28 && codes[end + 1] === 0x29) end += 2
  return codes[end]! === backtick && codes[end + 1]! !== backtick ? end : -1
}
