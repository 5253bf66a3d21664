/** The files that may be of the same session: sub-agents and forks have files of their own in most programs. */
import { closeSync, openSync, readSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { openFile, type Source } from '../../app/index.ts'
import { sessionsIn } from '../../readers/databases/index.ts'
import { inContainer } from '../../readers/lines/source.ts'
import { walk } from './walk.ts'

/** Records name the session that they belong to at their beginning, or behind a prompt of some pages. */
const beginning = 1 << 16

/**
 * A directory with more files is no directory of one project's sessions, and looking into each would keep people
 * waiting.
 */
const mostFiles = 2000

/**
 * Those beside a file, and in the directory that is called like it, that name the session; of a database its sub-agents
 * and what it is one of. Nobody has asked for them: what cannot be read is passed over.
 * @param ids what its program calls it, and the one that it comes from
 */
export function relativesOf({ path, name, session }: Source, ids: readonly string[]): Source[] {
  if (path === undefined) return []
  return session ? sessionsNaming(path, name, ids) : filesNaming(path, name, ids)
}

function sessionsNaming(path: string, name: string, ids: readonly string[]): Source[] {
  const all = sessionsIn(path, name.slice(0, name.indexOf(inContainer)))
  const named = all.filter(({ id, parent }) => ids.includes(id) || (parent !== null && ids.includes(parent)))
  return named.map(({ source }) => source).filter((source) => source.name !== name)
}

function filesNaming(path: string, name: string, ids: readonly string[]): Source[] {
  const ending = extname(path)
  // What has no ending may be a device, or a file of the system, which need not end.
  if (ending === '') return []
  const stem = basename(path, ending)
  const directory = dirname(path)
  const beside = [
    ...walk(directory, 0).map((entry) => ({ ...entry, place: '' })),
    ...walk(join(directory, stem), 3).map((entry) => ({ ...entry, place: stem })),
  ]
  const files = beside.filter((entry) => entry.kind === 'file' && extname(entry.name) === ending)
  if (files.length > mostFiles) return []
  return files
    .map(({ name: file, place }) => join(place, file))
    .filter((file) => file !== basename(path) && beginsWith(join(directory, file), ids))
    .map((file) => ({ ...openFile(join(directory, file)), name: join(dirname(name), file) }))
}

/** Whether one of the words stands at the beginning of a file. */
function beginsWith(path: string, words: readonly string[]): boolean {
  const bytes = Buffer.alloc(beginning)
  let file: number | null = null
  try {
    file = openSync(path, 'r')
    const text = bytes.subarray(0, readSync(file, bytes))
    return words.some((word) => text.includes(word))
  } catch {
    return false
  } finally {
    if (file !== null) closeSync(file)
  }
}
