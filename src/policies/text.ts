/** The length of a text as upstream programs measure it: most in UTF-8 bytes, forge in characters. */
import { utf8Length } from '../base/bytes.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Characters (Unicode code points) of the text. */
export function charCount(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Four bytes per token, rounded down, as duragent estimates. */
export function estimateTokens(text: string): number {
  return Math.floor(utf8Length(text) / 4)
}

/** The first bytes of the text, at most `max`, cut where a character ends. */
export function headBytes(text: string, max: number): string {
  if (text.length * 3 <= max) return text
  // A character has at least one byte, so nothing beyond this can fit.
  const bytes = encoder.encode(text.slice(0, Math.max(0, max) + 4))
  if (bytes.length <= max) return text
  let end = Math.max(0, max)
  while (end > 0 && isInside(bytes[end] as number)) end--
  return decoder.decode(bytes.subarray(0, end))
}

/** The last bytes of the text, at most `max`, cut where a character starts. */
export function tailBytes(text: string, max: number): string {
  if (text.length * 3 <= max) return text
  const bytes = encoder.encode(text.slice(-Math.max(0, max) - 4))
  if (bytes.length <= max) return text
  let start = bytes.length - Math.max(0, max)
  while (start < bytes.length && isInside(bytes[start] as number)) start++
  return decoder.decode(bytes.subarray(start))
}

/** Whether a byte continues a UTF-8 character. */
function isInside(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}
