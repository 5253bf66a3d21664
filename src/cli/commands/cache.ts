/** `cache`: what runs have kept of the files they read. */

import type { Column } from '../../app/index.ts'
import { clearEntries, sizeOfEntries } from '../../cache/room.ts'
import { traceDirectory } from '../inputs/caching.ts'
import { framed } from '../inputs/frame.ts'
import { misuse } from '../inputs/misuse.ts'
import { reportOf, valueFor } from '../inputs/options.ts'
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

export const run = framed(reportOf, async ({ call: { world, flags }, settings, report }) => {
  const limit = valueFor(settings, 'cacheSize')
  const directory = traceDirectory(world)
  if (directory === null) throw misuse('nothing is kept, because there is no home directory: set HOME')
  if (flags.clear === true) clear(directory)
  const kept = { directory, limit, ...sizeOfEntries(directory) }
  return { result: (looks) => (flags.size === true ? [`${kept.bytes}\n`] : report.rows(columns, [kept], looks)) }
})

/** @throws CtxwinError where it may not be removed */
function clear(directory: string): void {
  try {
    clearEntries(directory)
  } catch (error) {
    throw unwritable(directory, error)
  }
}
