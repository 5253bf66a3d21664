/** `cache`: what runs have kept of the files they read. */

import { type Column, CtxwinError } from '../../app/index.ts'
import { clearEntries, sizeOfEntries } from '../../cache/room.ts'
import { traceDirectory } from '../inputs/caching.ts'
import type { Call } from '../inputs/call.ts'
import { bytesOf, reportOf } from '../inputs/options.ts'
import { openSession } from '../inputs/session.ts'
import { unwritable } from '../output/whole-file.ts'

interface Kept {
  readonly directory: string
  readonly files: number
  readonly bytes: number
  readonly limit: number
}

const columns: readonly Column<Kept>[] = [
  { key: 'directory', header: 'directory', unit: 'text', rank: 0, path: true, value: ({ directory }) => directory },
  { key: 'files', header: 'files', unit: 'count', rank: 0, value: ({ files }) => files },
  { key: 'bytes', header: 'bytes', unit: 'count', rank: 0, value: ({ bytes }) => bytes },
  { key: 'limit', header: 'at most', unit: 'count', rank: 1, value: ({ limit }) => limit },
]

export async function run({ world, flags, ...call }: Call): Promise<number> {
  const { settings, output } = await openSession({ world, flags, ...call })
  const report = reportOf(settings)
  const limit = bytesOf(settings, 'cacheSize')
  const directory = traceDirectory(world)
  if (directory === null)
    throw new CtxwinError('usage', 'nothing is kept, because there is no home directory: set HOME')
  if (flags.clear === true) clear(directory)
  const kept = { directory, limit, ...sizeOfEntries(directory) }
  const options = { width: output.width, color: output.color, cuts: 'none', by: 'transcript' } as const
  await output.write(flags.size === true ? [`${kept.bytes}\n`] : report.rows(columns, [kept], options))
  return 0
}

/** @throws CtxwinError where it may not be removed */
function clear(directory: string): void {
  try {
    clearEntries(directory)
  } catch (error) {
    throw unwritable(directory, error)
  }
}
