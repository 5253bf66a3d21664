/**
 * The trace cache on disk: one file for each source and way of reading it. What is not whole, of another build or of another
 * user is passed over, and so is what was kept of a source that has changed since.
 */
import { type BigIntStats, utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { TraceCache } from '../app/files/trace-cache.ts'
import type { Source } from '../readers/lines/source.ts'
import { openCheckpoints } from './checkpoints.ts'
import { readOwn } from './directory.ts'
import { contentOf, DraftFile, type Place, partsIn, type Subject } from './entry.ts'
import { keyOf } from './key.ts'
import { hour, type Limit, Room } from './room.ts'
import { areUnchanged, type Stamps, statsOf, Watched } from './watch.ts'

export interface TraceFiles extends Place, Limit {}

export function openTraceCache(settings: TraceFiles): TraceCache {
  const { directory, build, now } = settings
  const room = new Room(settings)
  const checkpoints = openCheckpoints(directory, build, (file, size) => !room.isShut && room.makeFor(file, size))
  return {
    find(source, way) {
      const subject = subjectOf(source, way)
      if (subject === null) return null
      const file = join(directory, keyOf(subject))
      try {
        const { bytes, used } = readOwn(file)
        const isCurrent = (stamps: Stamps) => areUnchanged(stamps, source)
        const found = contentOf(bytes, { subject, build }, isCurrent)
        if (found === null) return null
        const { blocks, stamps } = found
        room.uses(file)
        if (now() - used > hour) markUsed(file, now())
        const unchanged = { source, stamps: () => (isCurrent(stamps) ? stamps : null) }
        return {
          parts: { [Symbol.iterator]: () => partsIn(blocks) },
          isCurrent: () => isCurrent(stamps),
          redraft: () => (room.isShut ? null : new DraftFile(settings, room, unchanged, subject)),
        }
      } catch {
        return null
      }
    },
    has(source, way) {
      const subject = subjectOf(source, way)
      const [kept, stats] =
        subject === null ? [null, null] : [statsOf(join(directory, keyOf(subject))), statsOf(subject[0])]
      const { modified = null } = source.session ?? {}
      return (
        kept !== null && stats !== null && (modified === null ? kept.mtimeNs > stats.ctimeNs : kept.mtimeMs > modified)
      )
    },
    draft(source, way) {
      const subject = subjectOf(source, way)
      if (subject === null || room.isShut) return null
      const watched = new Watched(source, now())
      return watched.isSettled ? new DraftFile(settings, room, watched, subject) : null
    },
    checkpointOf({ path, name, container }, way) {
      const stats = path === undefined || container !== undefined ? null : statsOf(path)
      if (path === undefined || !stats?.isFile() || !mayGrow(stats, now())) return null
      const about = JSON.stringify([name, way])
      return {
        find: () => checkpoints.find(path, about),
        keep: (checkpoint) => checkpoints.keep(path, about, checkpoint),
      }
    },
  }
}

/**
 * Whether a checkpoint pays: to write it down costs two percent of a first run, and saves the reading of all runs after more was
 * appended. A session that nothing was written to for a day is taken to be at its end; a small one is read as fast again; and
 * of a large one the checkpoint, a tenth to a quarter of it, would be held in memory and crowd out what is kept of others.
 */
function mayGrow({ size, mtimeMs }: BigIntStats, now: number): boolean {
  return size >= 1 << 16 && size <= 1 << 28 && now - Number(mtimeMs) < 24 * hour
}

function markUsed(file: string, time: number): void {
  try {
    utimesSync(file, time / 1000, time / 1000)
  } catch {
    // On a disk that is read-only nothing is ever removed.
  }
}

function subjectOf({ path, name }: Source, way: string): Subject | null {
  return path === undefined ? null : [path, name, way]
}
