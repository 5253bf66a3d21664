/** The length of a text as upstream programs measure it: most in UTF-8 bytes, forge in characters. */
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Bytes of the text in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) continue
    if (unit < 0x800) bytes += 1
    // A surrogate pair has two units and four bytes; a lone surrogate is encoded as U+FFFD, three bytes.
    else if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) {
      bytes += 2
      index++
    } else bytes += 2
  }
  return bytes
}

/** Characters (Unicode code points) of the text. */
export function charCount(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** The first bytes of the text, at most `max`, cut where a character ends. */
export function headBytes(text: string, max: number): string {
  if (text.length * 3 <= max) return text
  const bytes = encoder.encode(text)
  if (bytes.length <= max) return text
  let end = Math.max(0, max)
  while (end > 0 && isInside(bytes[end] as number)) end--
  return decoder.decode(bytes.subarray(0, end))
}

/** The last bytes of the text, at most `max`, cut where a character starts. */
export function tailBytes(text: string, max: number): string {
  if (text.length * 3 <= max) return text
  const bytes = encoder.encode(text)
  if (bytes.length <= max) return text
  let start = bytes.length - Math.max(0, max)
  while (start < bytes.length && isInside(bytes[start] as number)) start++
  return decoder.decode(bytes.subarray(start))
}

/** Whether a byte continues a UTF-8 character. */
function isInside(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}
