/** Where a url begins and ends, and its key. */
import { codeAt, isAsciiAlnum, isAsciiDigit, isAsciiLetter, kindAt, LOWER } from './characters'
import { pathTerm } from './paths'
import { addFromText, URL } from './terms'

const maxUrl: i32 = 2048
const maxScheme: i32 = 16
const slash: i32 = 0x2f
const colon: i32 = 0x3a

/** Filled by the host: for each ASCII character, 1 if it ends a url; and 1 if it is never the last one of a url. */
export const endsUrl: usize = memory.data(0x80)
export const neverLast: usize = memory.data(0x80)

/** Start of the url with its colon at `at`, not before `from`; -1 if there is none. */
export function urlStart(at: i32, from: i32): i32 {
  if (codeAt(at + 1) !== slash || codeAt(at + 2) !== slash) return -1
  let start = at
  while (start > from && at - start <= maxScheme && isAsciiAlnum(codeAt(start - 1))) start--
  const length = at - start
  if (length < 2 || length > maxScheme || !isAsciiLetter(codeAt(start))) return -1
  const host = codeAt(at + 3)
  const isFile = host === slash && length === 4 && isFileScheme(start)
  return isAsciiAlnum(isFile ? codeAt(at + 4) : host) ? start : -1
}

function isFileScheme(at: i32): bool {
  return codeAt(at) === 0x66 && codeAt(at + 1) === 0x69 && codeAt(at + 2) === 0x6c && codeAt(at + 3) === 0x65
}

/**
 * End of the url with its colon at `at`. Punctuation at the end belongs to the sentence, and so does a closing
 * parenthesis that the url did not open.
 */
export function urlEnd(at: i32): i32 {
  let end = at + 3
  let depth = 0
  for (; ; end++) {
    const code = codeAt(end)
    if (code < 0x80 ? load<u8>(endsUrl + <usize>code) === 1 : kindAt(end) !== LOWER) break
    if (code === 0x28) depth++
    else if (code === 0x29) depth--
  }
  while (true) {
    const last = codeAt(end - 1)
    if (last === 0x29) {
      if (depth >= 0) return end
      depth++
    } else if (last >= 0x80 || load<u8>(neverLast + <usize>last) !== 1) return end
    else if (last === 0x28) depth--
    end--
  }
}

/** Adds the url, or the path of a `file:` url. */
export function urlTerm(start: i32, end: i32): void {
  if (isFileScheme(start) && codeAt(start + 4) === colon && codeAt(start + 7) === slash) {
    const path = start + 7
    const isDrive = end - path >= 3 && isAsciiLetter(codeAt(path + 1)) && codeAt(path + 2) === colon
    pathTerm(isDrive ? path + 1 : path, end)
    return
  }
  if (end - start > maxUrl) return
  let to = withoutPosition(start, end)
  for (let at = start; at < to; at++) {
    if (codeAt(at) !== 0x23) continue
    const next = at + 1 < to ? codeAt(at + 1) : 0
    if (next === slash || next === 0x21) continue
    to = at
    break
  }
  while (to > start && codeAt(to - 1) === slash) to--
  addFromText(URL, start, to - start)
}

/** Without the `:line:column` of a stack trace. */
function withoutPosition(start: i32, end: i32): i32 {
  const column = beforeDigits(start, end)
  if (column === end || column === start || codeAt(column - 1) !== colon) return end
  const line = beforeDigits(start, column - 1)
  return line === column - 1 || line === start || codeAt(line - 1) !== colon ? end : line - 1
}

function beforeDigits(start: i32, end: i32): i32 {
  let at = end
  while (at > start && isAsciiDigit(codeAt(at - 1))) at--
  return at
}
