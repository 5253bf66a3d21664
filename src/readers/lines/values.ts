/**
 * Finds the values in text that does not parse as one JSON value: several values in a row, or a value that was cut off.
 * It looks only at brackets and strings; whether a value is valid JSON is left to JSON.parse.
 */
import { deepest, endOfString } from '../../base/json-depth.ts'

export type Found =
  /** All brackets closed: `text.slice(start, end)`. It may still be bad JSON inside. */
  { readonly kind: 'whole'; readonly start: number; readonly end: number } | Broken

/** `end` is where it breaks; `mended` is the text up to the last complete part, with the open brackets closed. */
export interface Broken {
  readonly kind: 'broken'
  readonly start: number
  readonly end: number
  readonly cause: Cause
  readonly mended: string | undefined
}

/**
 * The text ends inside the value (`cut`) or inside one of its strings (`cut-string`), a bracket does not match, too many
 * brackets are open (`deep`), or no object or array begins here (`nothing`).
 */
export type Cause = 'cut' | 'cut-string' | 'mismatch' | 'deep' | 'nothing'

const quote = 0x22
const comma = 0x2c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const byteOrderMark = 0xfeff

/** An array or object that is still open. `complete` is the offset right after its last complete member, or -1. */
interface Open {
  readonly closer: number
  complete: number
}

/**
 * The objects and arrays in the text, up to the first broken one. Commas between them count as white space, and so do
 * control characters and byte order marks: a power cut pads a file with NULs, RFC 7464 puts a record separator before
 * each value, and concatenated files have byte order marks inside.
 */
export function* valuesIn(text: string): Generator<Found> {
  let start = skipBlank(text, 0)
  while (start < text.length) {
    const found = valueAt(text, start)
    yield found
    if (found.kind === 'broken') return
    start = skipBlank(text, found.end)
  }
}

function skipBlank(text: string, from: number): number {
  let at = from
  while (at < text.length && isBlank(text.charCodeAt(at))) at++
  return at
}

function isBlank(code: number): boolean {
  return code <= 0x20 || code === comma || code === byteOrderMark
}

function valueAt(text: string, start: number): Found {
  const open: Open[] = []
  const broken = (cause: Cause, end: number): Found => {
    return { kind: 'broken', start, end, cause, mended: mend(text, start, open) }
  }
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === openBrace || code === openBracket) {
      if (open.length === deepest) return broken('deep', at)
      open.push({ closer: code === openBrace ? closeBrace : closeBracket, complete: -1 })
      continue
    }
    const inside = open.at(-1)
    if (inside === undefined) return broken('nothing', at)
    if (code === quote) {
      at = endOfString(text, at)
      if (at === text.length) return broken('cut-string', at)
    } else if (code === comma) {
      inside.complete = at
    } else if (code === closeBrace || code === closeBracket) {
      if (inside.closer !== code) return broken('mismatch', at)
      open.pop()
      const around = open.at(-1)
      if (around === undefined) return { kind: 'whole', start, end: at + 1 }
      around.complete = at + 1
    }
  }
  return broken('cut', text.length)
}

/**
 * Cuts back to the last complete item of the outermost array that has one: that array holds the records, and each of them
 * is kept whole or not at all. Without such an array, cuts back to the last complete member of the outermost object.
 */
function mend(text: string, start: number, open: readonly Open[]): string | undefined {
  const has = ({ complete }: Open) => complete !== -1
  const records = open.findIndex((each) => each.closer === closeBracket && has(each))
  const depth = records === -1 ? open.findIndex(has) : records
  if (depth === -1) return undefined
  const closers = open.slice(0, depth + 1).map(({ closer }) => String.fromCharCode(closer))
  return text.slice(start, open[depth]!.complete) + closers.reverse().join('')
}
