/**
 * What the dates of a file say of what is in it, so that `--since` need not open it.
 *
 * A program appends each line when it happens, and so nothing in a file is younger than the last time it was written
 * to. A copy has that date, or that of the copying, which is later. Only what somebody gave it can be earlier than what
 * is in it: an archive that gives all files one date, a clock that was wrong, a date in local time (ZIP, FAT) that was
 * read as that of another place.
 */
import type { Source } from '../../app/index.ts'
import { statsOf } from './walk.ts'

const day = 86_400_000

/** Archives that hide when they were made date files to 1970, 1980 or 1985: no transcript is as old. */
const noDateBefore = Date.UTC(1990)

/**
 * Whether a file can have nothing of that moment or later. Never of what is no plain file. Of a database the log beside
 * it counts, in which the newest rows may stand for days; of a session in one, what the database says.
 * @param since in milliseconds
 */
export function isOlder({ path, session }: Pick<Source, 'path' | 'session'>, since: number): boolean {
  if (session) return session.modified !== null && session.modified < since
  return path !== undefined && wasLeft(path, since) && (!statsOf(`${path}-wal`) || wasLeft(`${path}-wal`, since))
}

function wasLeft(path: string, since: number): boolean {
  const stats = statsOf(path)
  if (!stats?.isFile()) return false
  // No program can set back when a file itself was changed last: renamed, given a date, written to.
  const { mtimeMs: written, ctimeMs: changed } = stats
  if (written >= since || written < noDateBefore) return false
  return changed < since || written < since - day
}
