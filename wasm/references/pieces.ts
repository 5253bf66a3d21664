/**
 * Pieces of content: the lines of the text that are long enough to be distinctive, each as a 64-bit hash. The hash
 * leaves out the number and mark that a tool puts in front of a line (` 12→`, `12:`), the sign of a diff, the indent
 * and the width of white space.
 */
import { codeAt, isAsciiDigit, length } from './characters'
import { takePieces } from './host'

/** The fewest characters of a line, with white space folded. Shorter lines (`return null`) are in every file. */
const shortest: i32 = 25
const longestPath: i32 = 300
export const lineFeed: i32 = 0x0a
export const space: i32 = 0x20
const plus: i32 = 0x2b
const dash: i32 = 0x2d
const colon: i32 = 0x3a
export const noBreak: i32 = 0xa0

export const mostPieces: i32 = 4096
/** Two halves each, the high one first. */
export const pieces: usize = memory.data(4096 * 8, 16)

export function isBlank(code: i32): bool {
  return code === space || <u32>(code - 0x09) <= 4 || code === noBreak
}

/** Reads each character once. */
export function findPieces(): void {
  const end = length()
  let found = 0
  let at = 0
  while (at < end) {
    at = afterMargin(at)
    let high: u32 = 0x41c6ce57
    let low: u32 = 0xdeadbeef
    let count = 0
    while (at < end && codeAt(at) !== lineFeed) {
      if (isBlank(codeAt(at))) {
        at = afterBlank(at)
        if (count === 0 || at >= end || codeAt(at) === lineFeed) continue
        low = (low ^ space) * 2654435761
        high = (high ^ space) * 1597334677
        count++
      }
      const start = at
      let code = codeAt(at)
      do {
        low = (low ^ code) * 2654435761
        high = (high ^ code) * 1597334677
        code = codeAt(++at)
      } while (code > space && code !== noBreak)
      count += at - start
    }
    at++
    if (count < shortest) continue
    const mixed = ((low ^ (low >>> 16)) * 2246822507) ^ ((high ^ (high >>> 13)) * 3266489909)
    const piece = pieces + ((<usize>found) << 3)
    store<u32>(piece, ((high ^ (high >>> 16)) * 2246822507) ^ ((mixed ^ (mixed >>> 13)) * 3266489909))
    store<u32>(piece, mixed, 4)
    if (++found === mostPieces) {
      takePieces(found)
      found = 0
    }
  }
  if (found > 0) takePieces(found)
}

/**
 * Where the line's own text begins: after the indent, the sign of a diff, the file name in a search result, and a
 * tool's line number with its mark.
 */
export function afterMargin(start: i32): i32 {
  const at = afterIndent(start)
  const number = afterPlace(at)
  const end = afterDigits(number)
  if (end === number) return at
  if (isGutter(codeAt(end))) return afterIndent(end + 1)
  // Between columns: `12 |`, and with the number before a change `12  14 │`.
  const second = afterBlanks(end)
  const bar = second === end ? end : afterBlanks(afterDigits(second))
  return isBar(codeAt(bar)) ? afterIndent(bar + 1) : at
}

function afterDigits(start: i32): i32 {
  let at = start
  while (isAsciiDigit(codeAt(at))) at++
  return at
}

function afterBlanks(start: i32): i32 {
  let at = start
  while (codeAt(at) === space) at++
  return at
}

function afterBlank(start: i32): i32 {
  let at = start
  while (isBlank(codeAt(at)) && codeAt(at) !== lineFeed) at++
  return at
}

function afterIndent(start: i32): i32 {
  let at = start
  for (let code = codeAt(at); code === plus || code === dash || (isBlank(code) && code !== lineFeed); )
    code = codeAt(++at)
  return at
}

/**
 * Where the number begins in the output of grep and rg: `src/a.go:42:`, or `src/a.go-42-` for a line next to a match.
 */
function afterPlace(start: i32): i32 {
  for (let at = start; at - start < longestPath; at++) {
    const code = codeAt(at)
    if (code <= space) return start
    if (code !== colon && code !== dash) continue
    const end = afterDigits(at + 1)
    if (end > at + 1 && codeAt(end) === code) return at + 1
    if (code === colon) return start
  }
  return start
}

/** Whether it is a mark after a line number: `→`, a tab, `:`, a bar, or the `-` of a line next to a match. */
function isGutter(code: i32): bool {
  return code === 0x2192 || code === 0x09 || code === colon || code === dash || isBar(code)
}

/** `|` and `│` */
function isBar(code: i32): bool {
  return code === 0x7c || code === 0x2502
}
