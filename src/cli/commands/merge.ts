/** `merge`: the parts that shards wrote, put together to what one run over all files prints. */
import { CtxwinError } from '../../app/index.ts'
import type { Call } from '../inputs/call.ts'
import { takes } from '../inputs/commands.ts'
import { resolveSettings, type Settings } from '../inputs/config.ts'
import { misuse } from '../inputs/misuse.ts'
import { openInputs } from '../inputs/open.ts'
import { filterNamed, ownModules } from '../inputs/options.ts'
import { Parts } from '../inputs/part-file.ts'
import { withBaselineFile } from './gate/baseline.ts'

export async function run(call: Call): Promise<number> {
  if (call.inputs.includes('-'))
    throw misuse('parts are read side by side, so standard input cannot be one: name files')
  const sources = openInputs(call.inputs, call.world).map(({ source }) => source)
  const parts = new Parts(sources)
  const { command, inputs, flags } = parts.head
  if (!takes(command, 'shard')) {
    throw new CtxwinError('part', sources[0]?.name ?? '', 'it is no part that --output partial wrote')
  }
  refuseCode(command === 'check' ? withBaselineFile(flags) : flags, call.flags)
  const run = await call.action(command)
  return run({ ...call, command, inputs, flags: { ...flags, ...call.flags }, parts })
}

/**
 * A part is data, and may come from anywhere: no module is loaded because a part names it.
 * @throws CtxwinError for a policy or a reader of the user's own that the command line does not name
 */
function refuseCode(flags: Readonly<Record<string, unknown>>, given: Readonly<Record<string, unknown>>): void {
  const [own, theirs] = [given, flags].map((words) => resolveSettings(words, {}, null)) as [Settings, Settings]
  const filter = filterNamed(theirs)
  if (filter !== undefined) {
    throw misuse(`the parts were made with ${filter}, which runs a program: parts of it are not merged`)
  }
  const named = new Set(ownModules(own).map(({ file }) => file))
  const foreign = ownModules(theirs).find(({ file }) => !named.has(file))
  if (foreign === undefined) return
  const { file, is } = foreign
  throw misuse(`the parts were made with ${file}, which is ${is} of your own: name it to merge, too`)
}
