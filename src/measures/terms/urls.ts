import { isAsciiDigit, isAsciiLetter, kindAt, LOWER } from './characters.ts'

const maxUrl = 2048
const maxScheme = 16
const endsUrl = new Set([...'"\'`<>\\^{}|[] \t\n\r\f\v'].map((character) => character.charCodeAt(0)))
const neverLast = new Set([...'.,;:!?*~$&=#-+%@/('].map((character) => character.charCodeAt(0)))

const isAsciiAlnum = (code: number): boolean => isAsciiLetter(code) || isAsciiDigit(code)

/** Start of the URL whose colon stands at `colon`, looking back no further than `from`; -1 when there is none. */
export function urlStart(text: string, colon: number, from: number): number {
  if (text.charCodeAt(colon + 1) !== 0x2f || text.charCodeAt(colon + 2) !== 0x2f) return -1
  let start = colon
  while (start > from && colon - start <= maxScheme && isAsciiAlnum(text.charCodeAt(start - 1))) start--
  const length = colon - start
  if (length < 2 || length > maxScheme || !isAsciiLetter(text.charCodeAt(start))) return -1
  const host = text.charCodeAt(colon + 3)
  const isFile = host === 0x2f && length === 4 && text.startsWith('file', start)
  return isAsciiAlnum(isFile ? text.charCodeAt(colon + 4) : host) ? start : -1
}

/**
 * End of the URL whose colon stands at `colon`. Punctuation at its end belongs to the sentence, and so does a closing
 * parenthesis that the URL did not open.
 */
export function urlEnd(text: string, colon: number): number {
  let end = colon + 3
  let depth = 0
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    if (code < 0x80 ? endsUrl.has(code) || code < 0x20 : kindAt(text, end) !== LOWER) break
    if (code === 0x28) depth++
    else if (code === 0x29) depth--
  }
  for (; ; end--) {
    const last = text.charCodeAt(end - 1)
    if (last === 0x29) {
      if (depth >= 0) return end
      depth++
    } else if (!neverLast.has(last)) return end
    else if (last === 0x28) depth--
  }
}

/** Its key: no fragment (but a client-side route `#/…` stays), no `:line:col` of a stack trace, no slash at the end. */
export function urlKey(url: string): string | null {
  if (url.length > maxUrl) return null
  const bare = url.replace(/:\d+:\d+$/, '').replace(/#(?![/!]).*$/, '')
  return bare.replace(/\/+$/, '')
}

/** The path of a file: URL, or null. */
export function filePath(url: string): string | null {
  return url.startsWith('file:///') ? url.slice(7).replace(/^\/(?=[A-Za-z]:)/, '') : null
}
