/** Whether code may run that no flag names. SECURITY.md says why these ways are enough. */
import { realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { ownRoot, type Readable } from './own-module.ts'
import { changeIn, trustIn } from './trust.ts'

export interface Permission {
  /** What it may read while it is loaded; null where it may not be. */
  readonly readable: Readable | null
  /** Why a trust no longer holds; null where there is none, or it holds. */
  readonly broken: string | null
}

/**
 * @param path the file that is to be run, or names what is
 * @param project the directory whose choice it may be
 * @param bytes of the file, where they have been read already
 */
export function permissionFor(
  path: string,
  project: string,
  env: Readonly<Record<string, string | undefined>>,
  bytes: Buffer | null = null,
): Permission {
  if (isInstalledIn(project)) return { readable: 'any', broken: null }
  const trust = trustIn(path, env)
  if (trust === null) return { readable: null, broken: null }
  const change = changeIn(trust, bytes)
  return change === null
    ? { readable: trust.files, broken: null }
    : { readable: null, broken: `${change} since you trusted it` }
}

/**
 * Whether the program that runs is the one that a project has installed, so that its code was the project's choice
 * already. The place of this program decides, and not what the project calls node_modules/ctxwin, which may lead
 * anywhere; and no directory above counts, as that would be the word of one project for all that lie in it.
 */
function isInstalledIn(project: string): boolean {
  return ownRoot().startsWith(join(realpathSync.native(project), 'node_modules', sep))
}
