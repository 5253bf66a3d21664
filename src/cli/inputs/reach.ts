/**
 * Which values of settings do more than choose figures: they are for whoever runs the program, and not for a file that
 * lies in some checkout. What is written where, and how much is kept; the secret of pseudonyms; files elsewhere, whose
 * words would be printed, and whose names can lead into a network (`//server/share` does on Windows).
 */
import { realpathSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { consumers } from './consumers.ts'

/**
 * Why a value is more than a config file may say that nobody named, in words; null where it is not.
 * @param directory where that lies
 */
export function reachOf(key: string, value: unknown, directory: string): string | null {
  const consumer = Object.values(consumers).find(({ settings, why }) => why && settings?.some((one) => one === key))
  if (value === null || !consumer) return null
  if (!consumer.by.includes('inside')) return consumer.why as string
  const out = [value].flat().find((word) => typeof word === 'string' && word !== '-' && leadsOut(word, directory))
  return out === undefined ? null : `${consumer.why}: ${out}`
}

/** Whether a path leads out of a directory: by its words, in which case nobody looks there, or by a link. */
export function leadsOut(path: string, directory: string): boolean {
  const whole = resolve(directory, path)
  if (path.startsWith('~') || !isWithin(whole, resolve(directory))) return true
  const top = realpathSync.native(directory)
  for (let here = whole; ; here = dirname(here)) {
    try {
      return !isWithin(realpathSync.native(here), top)
    } catch {
      // The path does not exist (yet), or is the rest of a glob: its parent is looked at next.
    }
  }
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)
}
