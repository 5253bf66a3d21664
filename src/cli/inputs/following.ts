/** For commands about a session that is still running: which file it is. */

import type { Source } from '../../app/index.ts'
import type { Redaction } from '../../model/redaction.ts'
import { inContainer } from '../../readers/lines/source.ts'
import type { Call } from './call.ts'
import type { Configuration } from './config.ts'
import { misuse } from './misuse.ts'
import { openInputs } from './open.ts'
import { tilde } from './places.ts'
import { boundOf, inputsOf } from './session.ts'

/**
 * The file that is named, or where none is the newest session.
 * @param redaction what stands in for its name where that is told
 * @throws CtxwinError for several files, and for what is none
 */
export function runningFile(call: Call, configuration: Configuration, redaction: Redaction | null = null): string {
  const shown = (name: string): string => redaction?.file(name) ?? name
  const words = inputsOf(call, configuration.settings)
  const inputs = openInputs(words, call.world, boundOf(call, configuration))
  const [first] = inputs
  if (words.length > 0 && inputs.length > 1) {
    throw misuse(`one session runs at a time: ${words.map(shown).join(' ')} has ${inputs.length} files`)
  }
  const path = first && pathOf(first.source)
  if (path === undefined) throw misuse('a running session is read from a file: name it')
  if (words.length === 0) call.world.note(`the newest session: ${shown(tilde(path, call.world))}`)
  return path
}

/** Of a session in a database that of the database, with the session behind it. */
function pathOf({ path, name, session }: Source): string | undefined {
  return session && path !== undefined ? path + name.slice(name.indexOf(inContainer)) : path
}
