/**
 * Counts of earlier runs on disk: one file per count, named by the hash of what was counted. Its directory may be one that
 * several users share, so it has the rights of any other, and a count is believed whoever wrote it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CountCache } from '../clients/count.ts'
import { forAll, writeEntry } from './store.ts'

/**
 * @param directory null for nowhere
 * @param failed told of each count that cannot be kept, with an error of the system
 */
export function openCountCache(directory: string | null, failed: (error: unknown) => void): CountCache {
  if (directory === null) return { get: () => null, set() {} }
  const fileOf = (key: string): string => join(directory, key.slice(0, 2), key.slice(2))
  return {
    get(key) {
      try {
        const tokens = Number(readFileSync(fileOf(key), 'utf8') || 'x')
        return Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : null
      } catch {
        return null
      }
    },
    set(key, tokens) {
      try {
        writeEntry(fileOf(key), [Buffer.from(String(tokens))], forAll)
      } catch (error) {
        failed(error)
      }
    },
  }
}
