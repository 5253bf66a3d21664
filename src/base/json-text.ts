/**
 * Values of a transcript as JSON text and back: JSON.parse reads deeper than JSON.stringify can write with the stack a
 * command line has.
 */
import { nestsTooDeep } from './json-depth.ts'

/** @returns undefined for invalid JSON, and for what nests too deep */
export function parsedJson(text: string): unknown {
  if (nestsTooDeep(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * `JSON.stringify(value, null, indent)` of what JSON.parse gives; '' for what JSON has no word for. What nests deeper than
 * `indented` levels is written without indentation, whose spaces alone would grow with the square of the depth.
 */
export function jsonText(value: unknown, indent = 0): string {
  try {
    return JSON.stringify(value, null, indent > 0 && nestsDeeper(value, indented) ? 0 : indent) ?? ''
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return deepText(value)
  }
}

/** Text as it is, anything else as its JSON. `String` throws for what only looks like an object: `{"toString":1}`. */
export function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value)
}

/** More levels than people read. */
const indented = 100

function nestsDeeper(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false
  return levels === 0 || Object.values(value).some((member) => nestsDeeper(member, levels - 1))
}

/** An array or object that is being written: its members, and their names in an object. */
interface Open {
  readonly members: readonly unknown[]
  readonly keys: readonly string[] | null
  at: number
}

const unwritten: ReadonlySet<string> = new Set(['undefined', 'function', 'symbol'])

/** Several times as slow as JSON.stringify, and needs no stack. */
function deepText(root: unknown): string {
  const parts: string[] = []
  const open: Open[] = []
  const write = (value: unknown): void => {
    if (value === null || typeof value !== 'object') {
      parts.push(JSON.stringify(value) ?? 'null')
    } else if (Array.isArray(value)) {
      parts.push('[')
      open.push({ members: value, keys: null, at: 0 })
    } else {
      const written = Object.entries(value).filter(([, member]) => !unwritten.has(typeof member))
      parts.push('{')
      open.push({ members: written.map(([, member]) => member), keys: written.map(([key]) => key), at: 0 })
    }
  }
  write(root)
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const { members, keys, at } = top
    if (at === members.length) {
      parts.push(keys ? '}' : ']')
      open.pop()
      continue
    }
    if (at > 0) parts.push(',')
    if (keys) parts.push(JSON.stringify(keys[at]), ':')
    top.at++
    write(members[at])
  }
  return parts.join('')
}
