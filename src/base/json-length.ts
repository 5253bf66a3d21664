/**
 * How many bytes a value takes as JSON in UTF-8, exactly, without writing it out. Tool arguments and schemas go over the
 * wire as JSON, so estimators ask this of every one of them, and of every text that is quoted in a request body.
 */

const quote = 0x22
const backslash = 0x5c

/** Bytes of each ASCII character inside a JSON string. */
const asciiBytes = new Uint8Array(0x80).fill(1)
asciiBytes.fill(6, 0, 0x20)
// Besides: backspace, tab, newline, form feed, return.
for (const escaped of [quote, backslash, 0x08, 0x09, 0x0a, 0x0c, 0x0d]) asciiBytes[escaped] = 2

/** Below this a loop over the characters wins; above, writing the bytes out and counting them in pairs (measured). */
const shortText = 96

/**
 * `Buffer.byteLength(JSON.stringify(text))`: with quotes and escapes, a lone surrogate as its six-byte escape.
 * Several times as fast as stringifying on transcript texts; most of what is left is the native copy. Tried and slower:
 * masks over four bytes at a time instead of the pair table.
 */
export function jsonStringLength(text: string): number {
  if (text.length < shortText) return 2 + shortLength(text)
  let bytes = 2
  for (let start = 0; start < text.length; ) {
    const end = endOfChunk(text, start)
    bytes += chunkLength(text.slice(start, end))
    start = end
  }
  return bytes
}

function shortLength(text: string): number {
  let bytes = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x80) bytes += asciiBytes[code]!
    else if (code < 0x800) bytes += 2
    else if (!isSurrogate(code)) bytes += 3
    else if (isLead(code) && isTrail(text.charCodeAt(at + 1))) {
      bytes += 4
      at++
    } else bytes += 6
  }
  return bytes
}

const isSurrogate = (code: number) => (code & 0xf800) === 0xd800
const isLead = (code: number) => (code & 0xfc00) === 0xd800
const isTrail = (code: number) => (code & 0xfc00) === 0xdc00

/** In UTF-16 units. One unit becomes at most three bytes, and one byte of padding makes the pairs even. */
const chunkSize = 1 << 16
const encoder = new TextEncoder()
const scratch = new Uint8Array(3 * chunkSize + 2)
const scratchPairs = new Uint16Array(scratch.buffer)

/** For each pair of bytes, what escaping adds to them. The order of the two does not matter, so neither does endianness. */
const pairExtra = new Uint8Array(0x10000)
{
  // Row by row: pair by pair, the interpreter took 8 ms at every start.
  const extra = Uint8Array.from({ length: 0x100 }, (_, byte) => (byte < 0x80 ? asciiBytes[byte]! - 1 : 0))
  const rows = new Map([...new Set(extra)].map((more) => [more, extra.map((each) => each + more)]))
  for (const [high, more] of extra.entries()) pairExtra.set(rows.get(more)!, high << 8)
}

function endOfChunk(text: string, start: number): number {
  const end = start + chunkSize
  if (end >= text.length) return text.length
  return isLead(text.charCodeAt(end - 1)) ? end - 1 : end
}

function chunkLength(text: string): number {
  const { written } = encoder.encodeInto(text, scratch)
  scratch[written] = 0x20
  let bytes = written
  for (let pair = (written + 1) >> 1; pair-- > 0; ) bytes += pairExtra[scratchPairs[pair]!]!
  return written === text.length ? bytes : bytes + loneSurrogates(text, written) * (6 - replacement.length)
}

/** What the encoder writes for a lone surrogate; only where it is seen is it worth looking for them in the text. */
const replacement = encoder.encode('\uFFFD')

function hasReplacement(bytes: Uint8Array): boolean {
  const [first, second, third] = replacement
  for (let at = bytes.indexOf(first!); at >= 0; at = bytes.indexOf(first!, at + 1)) {
    if (bytes[at + 1] === second && bytes[at + 2] === third) return true
  }
  return false
}

function loneSurrogates(text: string, written: number): number {
  if (!hasReplacement(scratch.subarray(0, written))) return 0
  return text.match(/\p{Surrogate}/gu)?.length ?? 0
}

/** Values nested deeper than this are queued: hostile nesting must not overflow the stack, and a sum has no order. */
const deepest = 500

/**
 * `Buffer.byteLength(JSON.stringify(value))` of what JSON.parse gives. Members that JSON cannot write (undefined,
 * functions) count as JSON.stringify writes them: left out of objects, null in arrays, 0 bytes for the value itself.
 */
export function jsonLength(value: unknown): number {
  const waiting: unknown[] = [value]
  let bytes = 0
  while (waiting.length > 0) bytes += lengthOf(waiting.pop(), 0, waiting)
  return bytes
}

function lengthOf(value: unknown, depth: number, waiting: unknown[]): number {
  switch (typeof value) {
    case 'string':
      return jsonStringLength(value)
    case 'number':
      return Number.isFinite(value) ? String(value).length : 4
    case 'boolean':
      return value ? 4 : 5
    case 'object':
      if (value === null) return 4
      if (depth === deepest) {
        waiting.push(value)
        return 0
      }
      return Array.isArray(value) ? arrayLength(value, depth + 1, waiting) : objectLength(value, depth + 1, waiting)
    default:
      return 0
  }
}

/** A bracket and a comma, or the other bracket, for each item. */
function arrayLength(items: readonly unknown[], depth: number, waiting: unknown[]): number {
  let bytes = Math.max(2, items.length + 1)
  for (const item of items) bytes += isWritten(item) ? lengthOf(item, depth, waiting) : 4
  return bytes
}

function objectLength(object: object, depth: number, waiting: unknown[]): number {
  let bytes = 1
  // Twice as fast as Object.keys, and the same for what JSON.parse gives: nothing is inherited.
  for (const key in object) {
    const value = (object as Record<string, unknown>)[key]
    if (isWritten(value)) bytes += jsonStringLength(key) + 2 + lengthOf(value, depth, waiting)
  }
  return Math.max(2, bytes)
}

function isWritten(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol'
}
