/** Refuses to write a result over one of its inputs, or over another result. */
import { fstatSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { CtxwinError, openFile } from '../../app/index.ts'
import { readTranscripts } from '../../readers/read.ts'
import { followLinks } from '../output/whole-file.ts'
import type { World } from '../output/world.ts'
import type { Input } from './open.ts'

/** A file that a command reads. */
export interface ReadFile {
  /** As the user names it, or a descriptor. */
  readonly file: string | number
  /** What it is, in words. */
  readonly is: string
  /** Whether it really is one, if that is uncertain. */
  readonly confirm?: () => Promise<boolean>
}

/** What an input of the command line reads. */
export function readFileOf({ source: { name, container = name }, named }: Input, world: World): ReadFile {
  if (name === '-') return { file: world.stdin.fd ?? name, is: 'an input' }
  // An old report in an input directory is not a transcript and may be overwritten.
  const confirm = () => holdsTranscript(resolve(world.cwd(), container))
  return { file: container, is: 'an input', ...(named ? {} : { confirm }) }
}

/** The files that the command line names for results. */
export function outputsOf(flags: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(flags).flatMap(([key, file]) =>
    (key === 'outputFile' || key.startsWith('outputFile.')) && typeof file === 'string' ? [file] : [],
  )
}

/** @throws CtxwinError for an output that is a file which is read, by whatever name, or is another output */
export async function refuseOverwriting(
  outputs: readonly string[],
  read: Iterable<ReadFile>,
  cwd: string,
): Promise<void> {
  const written = new Map<string, string>()
  for (const name of outputs) {
    const id = idOf(name, cwd)
    if (id === null) continue
    if (written.has(id)) throw new CtxwinError('unwritable', name, 'two results would be written there')
    written.set(id, name)
  }
  if (written.size === 0) return
  for (const { file, is, confirm } of read) {
    const name = written.get(idOf(file, cwd) ?? '')
    if (name === undefined || (confirm && !(await confirm()))) continue
    throw new CtxwinError('unwritable', name, `it is ${is}: name another file for the result`)
  }
}

/** The same id for every name of a file; null if it cannot be overwritten: a device, a pipe, an unreachable path. */
function idOf(file: string | number, cwd: string): string | null {
  try {
    const path = typeof file === 'string' ? resolve(cwd, file) : file
    const stats =
      typeof path === 'number'
        ? fstatSync(path, { bigint: true })
        : statSync(path, { bigint: true, throwIfNoEntry: false })
    if (!stats) return followLinks(String(path))
    return stats.isFile() ? `${stats.dev}:${stats.ino}` : null
  } catch {
    return null
  }
}

async function holdsTranscript(path: string): Promise<boolean> {
  const how = { format: 'auto', sizersFor: () => [], keepMessages: false }
  try {
    const { transcripts, damagedLines } = await readTranscripts(openFile(path), how, () => {})
    // A damaged file may have been one.
    return transcripts > 0 || damagedLines > 0
  } catch (error) {
    return !(error instanceof CtxwinError && error.code === 'unknown-format')
  }
}
