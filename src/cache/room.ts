/** Keeps the files of a directory together below a limit. */
import { rmSync } from 'node:fs'
import { entriesIn } from './store.ts'

/** In milliseconds: how exactly it is known when a file was last used, and how long nobody can be at work on a draft. */
export const hour = 3_600_000

/** How many entries there are, and how large they are together. */
export function sizeOfEntries(directory: string): { readonly files: number; readonly bytes: number } {
  const files = entriesIn(directory).filter(({ isDraft }) => !isDraft)
  return { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) }
}

/**
 * Removes all that was kept, and nothing else.
 * @throws an error of the system
 */
export function clearEntries(directory: string): void {
  for (const { path } of entriesIn(directory)) rmSync(path, { force: true })
}

export interface Limit {
  readonly directory: string
  /** The most bytes of all files together. */
  readonly limit: number
  /** Milliseconds since the epoch. */
  now(): number
}

/** Those go that were not used for the longest time, but never those of this run, which would only make room for each other. */
export class Room {
  /** Nothing more is kept. */
  isShut = false
  readonly #settings: Limit
  readonly #used = new Set<string>()
  /** The size of each entry, the latest used last; null until it matters. */
  #sizes: Map<string, number> | null = null
  #total = 0

  constructor(settings: Limit) {
    this.#settings = settings
  }

  uses(path: string): void {
    this.#used.add(path)
  }

  /** @returns whether there is room for a file; it is taken to be written then, and what it replaces is gone if not */
  makeFor(path: string, size: number): boolean {
    this.#sizes ??= this.#look()
    const most = this.#settings.limit - size
    this.uses(path)
    this.#remove(path)
    // An entry alone that is larger than all may be must not clear the way for itself.
    for (const old of most < 0 ? [] : [...this.#sizes.keys()]) {
      if (this.#total <= most) break
      if (!this.#used.has(old)) this.#remove(old)
    }
    if (this.#total > most) return false
    this.#sizes.set(path, size)
    this.#total += size
    return true
  }

  #look(): Map<string, number> {
    const { directory, now } = this.#settings
    const all = entriesIn(directory).sort((a, b) => a.used - b.used)
    // Drafts of runs that were killed.
    for (const { isDraft, path, used } of all) if (isDraft && now() - used > hour) rmSync(path, { force: true })
    const entries = all.filter(({ isDraft }) => !isDraft)
    this.#total = entries.reduce((sum, { size }) => sum + size, 0)
    return new Map(entries.map(({ path, size }) => [path, size]))
  }

  #remove(path: string): void {
    this.#total -= this.#sizes?.get(path) ?? 0
    this.#sizes?.delete(path)
    rmSync(path, { force: true })
  }
}
