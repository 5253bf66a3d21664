/**
 * Whether files are still what they were when they were read. One counts as unchanged while its number, its size and both of
 * its times are what they were, as git has it: no content can be replaced without a change of the second time, which no
 * program can set.
 */
import { type BigIntStats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Source } from '../readers/lines/source.ts'

/** In milliseconds. No file system that is in use counts its times in longer steps. */
const step = 2000

/** What a file is recognised by; null where nothing can be reached. */
function stampOf(path: string, stats = statsOf(path)): string | null {
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
}

export function statsOf(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true })
  } catch {
    return null
  }
}

export type Stamps = readonly (readonly [path: string, stamp: string | null])[]

/** Of a session in a database the rows count, whatever else is written to the file. */
export function areUnchanged(stamps: Stamps, { path, session }: Pick<Source, 'path' | 'session'>): boolean {
  return stamps.every(([of, stamp]) => (session && of === path ? session.stamp() : stampOf(of)) === stamp)
}

/** A source while it is read, with the documents beside it that the reader looks at. */
export class Watched {
  readonly source: Source
  readonly #started: number
  readonly #stamps = new Map<string, string | null>()
  #settled = true

  constructor(source: Source, started: number) {
    this.#started = started
    const { path = '', beside, session } = source
    if (session) this.#stamps.set(path, session.stamp())
    else this.#note(path)
    const noting = (name: string): unknown => {
      this.#note(join(dirname(path), name))
      return beside?.(name)
    }
    this.source = beside ? { ...source, beside: noting } : source
  }

  /**
   * False where a file was written to so shortly before the reading that it might be written to again without another time:
   * what was read then could not be told from what is there.
   */
  get isSettled(): boolean {
    return this.#settled
  }

  /** Null if anything has changed since it was looked at. */
  stamps(): Stamps | null {
    const stamps = [...this.#stamps]
    return this.#settled && areUnchanged(stamps, this.source) ? stamps : null
  }

  #note(path: string): void {
    if (this.#stamps.has(path)) return
    const stats = statsOf(path)
    this.#stamps.set(path, stampOf(path, stats))
    if (stats === null) return
    const { mtimeMs, ctimeMs, ino } = stats
    // A pipe or a device has no content to come back to, and some file systems do not number their files.
    const isLasting = stats.isFile() && ino !== 0n
    if (!isLasting || Math.max(Number(mtimeMs), Number(ctimeMs)) > this.#started - step) this.#settled = false
  }
}
