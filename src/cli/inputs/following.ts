/** For commands about a session that is still running: which file it is. */

import { CtxwinError } from '../../index.ts'
import type { Redaction } from '../../model/redaction.ts'
import type { Call } from './call.ts'
import type { Resolved } from './config.ts'
import { openInputs } from './open.ts'
import { tilde } from './places.ts'
import { inputsOf } from './session.ts'

type Settings = ReadonlyMap<string, Resolved>

/**
 * The file that is named, or where none is the newest session.
 * @param redaction what stands in for its name where that is told
 * @throws CtxwinError for several files, and for what is none
 */
export function runningFile(call: Call, settings: Settings, redaction: Redaction | null = null): string {
  const shown = (name: string): string => redaction?.file(name) ?? name
  const words = inputsOf(call, settings)
  const inputs = openInputs(words, call.world)
  const [first] = inputs
  if (words.length > 0 && inputs.length > 1) {
    throw new CtxwinError(
      'usage',
      `one session runs at a time: ${words.map(shown).join(' ')} has ${inputs.length} files`,
    )
  }
  const path = first?.source.path
  if (path === undefined) throw new CtxwinError('usage', 'a running session is read from a file: name it')
  if (words.length === 0) call.world.note(`the newest session: ${shown(tilde(path, call.world))}`)
  return path
}
