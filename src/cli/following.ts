/** For commands about a session that is still running: which file it is, and where reading it stopped the last time. */
import type { Redaction, Stops } from '../app/door.ts'
import { CtxwinError } from '../index.ts'
import { buildOf } from './build.ts'
import { isCi } from './cache-directory.ts'
import { traceDirectory } from './caching.ts'
import type { Call } from './call.ts'
import type { Resolved } from './config.ts'
import { openInputs } from './open.ts'
import { flagOf, settingOf } from './options.ts'
import { tilde } from './places.ts'
import { inputsOf } from './session.ts'
import { openStops } from './stop-files.ts'
import type { World } from './world.ts'

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
  if (path === undefined) throw new CtxwinError('usage', 'a running session is read from its file: name it')
  if (words.length === 0) call.world.note(`the newest session: ${shown(tilde(path, call.world))}`)
  return path
}

/** Null where nothing is to be kept, or nowhere: as for the trace cache. */
export function stopsOf(settings: Settings, world: World): Stops | null {
  const isAsked = settingOf(settings, 'traceCache').origin !== 'default'
  if (!flagOf(settings, 'traceCache') || (!isAsked && isCi(world.env))) return null
  const directory = traceDirectory(world)
  return directory === null ? null : openStops(directory, buildOf())
}
