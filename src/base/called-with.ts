/** What a tool is called with, as it is kept and compared: of what was recorded, and of what a model answers. */
import { jsonText, parsedJson } from './json-text.ts'
import { plain } from './plain-shape.ts'

/** Deeper than this no tool's input nests; what reads it on goes down as deep. */
export const isShallow = plain(100)

/** @returns the input as data, read from its JSON text where it is one; its text where it is no JSON, or nests too deep */
export function calledWith(input: unknown): unknown {
  const text = typeof input === 'string' ? input : null
  // A call without arguments has an empty text for them.
  const value = text === '' ? {} : text === null ? (input ?? {}) : (parsedJson(text) ?? text)
  return isShallow(value) === null ? value : (text ?? jsonText(value))
}
