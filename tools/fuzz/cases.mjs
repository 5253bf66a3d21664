/** Builds case number k of a seed: a transcript, its mutations, and the command lines to run. It is always the same. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { randomFrom } from '../../bench/generate.mjs'
import { someLines } from './commands.mjs'
import { largest, mutate } from './mutate.mjs'

/** How many command lines to run besides `simulate`. */
const linesPerCase = 2

/** This folder is left out, so that adding to it does not change the cases. Its files have a test of their own. */
export const kept = 'damaged'

/** The files in some folders in a stable order, so that a case does not depend on the disk. */
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
 *   `good` is the file as it was when a baseline for `check` was made, or null
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
