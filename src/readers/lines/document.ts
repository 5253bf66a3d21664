import { readFileSync, statSync } from 'node:fs'
import { parsedJson } from '../../base/json-text.ts'

/** In bytes. What stands beside a transcript is about it, and not larger. */
const largest = 2 ** 28

/** The JSON document in a file, of JSON Lines the list of those that can be read; undefined if there is none. */
export function documentIn(path: string): unknown {
  try {
    if (statSync(path).size > largest) return undefined
    const text = readFileSync(path, 'utf8')
    return path.endsWith('.jsonl') ? text.split('\n').flatMap((line) => parsedJson(line) ?? []) : JSON.parse(text)
  } catch {
    return undefined
  }
}
