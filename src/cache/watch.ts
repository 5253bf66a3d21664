/**
 * Whether files are still what they were when they were read. One counts as unchanged while its number, its size and both of
 * its times are what they were, as git has it: no content can be replaced without a change of the second time, which no
 * program can set.
 */
import { type BigIntStats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fingerprint } from '../base/fingerprint.ts'
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

/** Of a session in a database its rows count, and those beside the file, whatever else is written to it. */
export function areUnchanged(stamps: Stamps, source: Pick<Source, 'path' | 'session' | 'beside'>): boolean {
  const { path, session } = source
  return stamps.every(([of, stamp]) => {
    if (session && of === path) return session.stamp() === stamp
    const [name, rows] = of.startsWith('[') ? (JSON.parse(of) as RowsBeside) : []
    return (name === undefined ? stampOf(of) : stampOfRows(source.beside?.(name, rows))) === stamp
  })
}

type RowsBeside = Parameters<NonNullable<Source['beside']>>

const stampOfRows = (rows: unknown): string => String(fingerprint([JSON.stringify(rows ?? null)]))

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
    const noting = (...asked: RowsBeside): unknown => {
      const [name, rows] = asked
      if (!rows) this.#note(join(dirname(path), name))
      const found = beside?.(name, rows)
      if (rows) this.#stamps.set(JSON.stringify(asked), stampOfRows(found))
      return found
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
