/** Whether a command shows pseudonyms instead of words of transcripts, and whether it can. */

import { redactionBy } from '../../app/redaction/redaction.ts'
import type { Redaction } from '../../model/redaction.ts'
import type { Call } from './call.ts'
import { takes } from './commands.ts'
import type { Settings } from './config.ts'
import { misuse } from './misuse.ts'
import { isPart, pricesOf, valueFor } from './options.ts'

/**
 * The pseudonyms for words of transcripts; null if the user asks for none.
 * @throws CtxwinError in a command whose result has to name what it read
 */
export function redactionOf({ command, parts, world }: Call, settings: Settings): Redaction | null {
  const key = valueFor(settings, 'redactKey')
  if (!valueFor(settings, 'redact') && key === null) return null
  if (parts || isPart(settings) || !takes(command, 'redact')) {
    const what = isPart(settings) ? '--output partial' : parts ? 'merge' : command
    throw misuse(`${what} names files to be read again: --redact is not for it`)
  }
  return redactionBy(key, pricesOf(settings, world.cwd()))
}
