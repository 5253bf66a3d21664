/** Whether code may run that no flag names. SECURITY.md says why these ways are enough. */
import { realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Whether the program that runs is the one that a project has installed, so that its code was the project's choice already.
 * The place of this program decides, and not what the project calls node_modules/ctxwin, which may lead anywhere; and no
 * directory above counts, as that would be the word of one project for all that lie in it.
 */
export function isInstalledIn(project: string): boolean {
  return ownRoot().startsWith(join(realpathSync.native(project), 'node_modules', sep))
}

/** Where the program that runs lies, whatever led there. */
function ownRoot(): string {
  return realpathSync.native(fileURLToPath(new URL('../..', import.meta.url)))
}
