/** Whether a command shows pseudonyms instead of the words of transcripts, and whether it can. */

import { CtxwinError } from '../../app/index.ts'
import { redactionBy } from '../../app/redaction/redaction.ts'
import type { Redaction } from '../../model/redaction.ts'
import type { Call } from './call.ts'
import { type CommandLine, commands } from './commands.ts'
import type { Resolved } from './config.ts'
import { flagOf, isPart, optionalText, pricesOf } from './options.ts'

/**
 * What stands in for the words of transcripts, where it is asked for.
 * @throws CtxwinError in a command whose result has to name what it read
 */
export function redactionOf(
  { command, parts, world }: Call,
  settings: ReadonlyMap<string, Resolved>,
): Redaction | null {
  const key = optionalText(settings, 'redactKey')
  if (!flagOf(settings, 'redact') && key === null) return null
  const line: CommandLine | undefined = commands.find(({ name }) => name === command)
  if (parts || isPart(settings) || !line?.settings.includes('redact')) {
    const what = isPart(settings) ? '--output partial' : parts ? 'merge' : command
    throw new CtxwinError('usage', `${what} names files to be read again: --redact is not for it`)
  }
  return redactionBy(key, pricesOf(settings, world.cwd()))
}
