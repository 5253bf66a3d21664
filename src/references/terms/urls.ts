/** Finds where a url begins and ends in a text, and makes the key that all its spellings share. */
import { type Codes, isAsciiDigit, isAsciiLetter, kindAt, LOWER } from './characters.ts'

const maxUrl = 2048
const maxScheme = 16
export const endsUrl = asciiTable('"\'`<>\\^{}|[] ')
endsUrl.fill(1, 0, 0x20)
export const neverLast = asciiTable('.,;:!?*~$&=#-+%@/(')

function asciiTable(members: string): Uint8Array {
  const table = new Uint8Array(0x80)
  for (const member of members) table[member.charCodeAt(0)] = 1
  return table
}

const isAsciiAlnum = (code: number): boolean => isAsciiLetter(code) || isAsciiDigit(code)

/** Start of the URL with its colon at `colon`, not before `from`; -1 if there is none. */
export function urlStart(codes: Codes, colon: number, from: number): number {
  if (codes[colon + 1]! !== 0x2f || codes[colon + 2]! !== 0x2f) return -1
  let start = colon
  while (start > from && colon - start <= maxScheme && isAsciiAlnum(codes[start - 1]!)) start--
  const length = colon - start
  if (length < 2 || length > maxScheme || !isAsciiLetter(codes[start]!)) return -1
  const host = codes[colon + 3]!
  const isFile = host === 0x2f && length === 4 && isFileScheme(codes, start)
  return isAsciiAlnum(isFile ? codes[colon + 4]! : host) ? start : -1
}

function isFileScheme(codes: Codes, at: number): boolean {
  return codes[at] === 0x66 && codes[at + 1] === 0x69 && codes[at + 2] === 0x6c && codes[at + 3] === 0x65
}

/**
 * End of the URL with its colon at `colon`. Punctuation at the end belongs to the sentence, and so does a closing
 * parenthesis that the URL did not open.
 */
export function urlEnd(codes: Codes, colon: number): number {
  let end = colon + 3
  let depth = 0
  for (; ; end++) {
    const code = codes[end]!
    if (code < 0x80 ? endsUrl[code] === 1 : kindAt(codes, end) !== LOWER) break
    if (code === 0x28) depth++
    else if (code === 0x29) depth--
  }
  for (; ; end--) {
    const last = codes[end - 1]!
    if (last === 0x29) {
      if (depth >= 0) return end
      depth++
    } else if (neverLast[last] !== 1) return end
    else if (last === 0x28) depth--
  }
}

/** The key of a URL: without fragment (except a client-side route `#/…`), `:line:col` of a stack trace, or final slash. */
export function urlKey(url: string): string | null {
  if (url.length > maxUrl) return null
  const bare = url.replace(/:\d+:\d+$/, '').replace(/#(?![/!]).*$/, '')
  return bare.replace(/\/+$/, '')
}

/** The path of a file: URL, or null. */
export function filePath(url: string): string | null {
  return url.startsWith('file:///') ? url.slice(7).replace(/^\/(?=[A-Za-z]:)/, '') : null
}
