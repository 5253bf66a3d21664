import { readFileSync, statSync } from 'node:fs'

/** In bytes. What stands beside a transcript is about it, and not larger. */
const largest = 2 ** 28

/** The JSON document in a file; undefined if there is none that can be read. */
export function documentIn(path: string): unknown {
  try {
    return statSync(path).size > largest ? undefined : JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
