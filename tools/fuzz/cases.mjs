/** Case number k of a seed: a transcript, what is done to it, and the command lines that read it. Always the same. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { randomFrom } from '../../bench/generate.mjs'
import { someLines } from './commands.mjs'
import { largest, mutate } from './mutate.mjs'

/** Beside `simulate`. */
const linesPerCase = 2

/** Left out, so that what is kept there changes no case: they have a test of their own. */
export const kept = 'damaged'

/** The files below some folders, in a stable order: where a case's number leads must not depend on the disk. */
export function transcriptsIn(folders) {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(jsonl|ndjson|json|traj|log)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.includes(`fixtures/${kept}/`))
      .sort(),
  )
}

/**
 * @returns {{ path: string, name: string, bytes: Buffer, mutations: string[], lines: (readonly string[])[], good: Buffer | null }}
 *   `good` is what the file was when a check's baseline was made, where one was made
 */
export function caseOf(transcripts, seed, number, program) {
  const random = randomFrom((Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)) >>> 0)
  const path = random.one(transcripts)
  const other = () => readFileSync(random.one(transcripts)).subarray(0, 200_000)
  const whole = { name: basename(path), bytes: readFileSync(path) }
  const { name, bytes, mutations } = mutate(whole, random, other)
  const lines = someLines(program, name, random, linesPerCase)
  return { path, name, bytes, mutations, lines, good: random.chance(0.5) ? whole.bytes.subarray(0, largest) : null }
}
