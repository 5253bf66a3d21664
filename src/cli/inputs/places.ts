/** What the agents on this machine have recorded: the places that the readers name, and the transcripts in them. */
import { realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import picomatch from 'picomatch'
import { CtxwinError, openFile, type Place, readers, type Source } from '../../app/index.ts'
import { homeOf } from '../../base/user-directory.ts'
import { isDatabase, sessionsIn } from '../../readers/databases/index.ts'
import type { World } from '../output/world.ts'
import { statsOf, walk } from './walk.ts'

/** A transcript in one of the places. Nothing of it has been read but that a database has it. */
export interface Found {
  /** Of a session in a database `opencode.db!/ses_1`. */
  readonly path: string
  /** Absent for a file by itself. */
  readonly source?: Source
  /** Milliseconds since the epoch: when it was last written to. */
  readonly modified: number
  /** The id of its session, as the program names the file; null where the name has none. */
  readonly session: string | null
  /** It holds only what sub-agents did. */
  readonly subagents: boolean
}

export interface Discovery {
  /** The newest first. */
  readonly found: readonly Found[]
  /** The directories that were looked in, whether they are there or not. */
  readonly looked: readonly string[]
  /** Those directories, and directories below them, that may not be read. */
  readonly unreadable: readonly string[]
  /** Databases that cannot be read, with the reason, which names the path. */
  readonly unread: readonly { readonly path: string; readonly reason: string }[]
}

/** Lists what is there by name and time. It opens no file but databases, and accepts missing directories. */
export function discover(world: Pick<World, 'env' | 'cwd'>): Discovery {
  const places = new Map<string, readonly [directory: string, place: Place]>()
  for (const place of readers.all.flatMap(({ places = [] }) => places)) {
    const directory = directoryOf(place, world)
    if (directory === null) continue
    for (const one of [directory, ...(place.listed ? listedIn(directory, place.listed) : [])]) {
      // A variable, a link or a list may lead to a directory that is looked in anyway.
      const key = `${realPath(one) ?? one}\0${place.files}`
      if (!places.has(key)) places.set(key, [one, place])
    }
  }
  const found: Found[] = []
  const unreadable: string[] = []
  const unread: { path: string; reason: string }[] = []
  for (const [directory, place] of places.values()) {
    if (realPath(directory) === null) continue
    const isTranscript = picomatch(place.files, { dot: true })
    const isSubagents = picomatch(place.subagents ?? [], { dot: true })
    // A variable may name a database itself.
    const entries = statsOf(directory)?.isFile()
      ? [{ name: '', kind: 'file' as const }]
      : walk(directory, Infinity, leadsTo(place.files))
    for (const { name, kind } of entries) {
      const path = join(directory, name)
      if (kind === 'unreadable') unreadable.push(path)
      if (kind !== 'file' || (name !== '' && !isTranscript(name))) continue
      if (isDatabase(path)) {
        const sessions = foundIn(path)
        if (typeof sessions === 'string') unread.push({ path, reason: sessions })
        else for (const session of sessions) found.push(session)
        continue
      }
      const modified = modifiedAt(path)
      if (modified === null) continue
      found.push({ path, modified, session: place.session?.exec(name)?.[1] ?? null, subagents: isSubagents(name) })
    }
  }
  found.sort((a, b) => b.modified - a.modified || (a.path < b.path ? -1 : 1))
  return { found, looked: [...new Set([...places.values()].map(([directory]) => directory))], unreadable, unread }
}

/** The sessions in a database; why it cannot be read, if so. */
function foundIn(path: string): Found[] | string {
  try {
    return sessionsIn(path).map(({ id, modified, parent, source }) => ({
      path: source.name,
      source,
      modified: modified ?? modifiedAt(path) ?? 0,
      session: id,
      subagents: parent !== null,
    }))
  } catch (error) {
    if (error instanceof CtxwinError) return error.message
    throw error
  }
}

/** Null for what is not there or cannot be reached. */
export function realPath(path: string): string | null {
  try {
    return realpathSync.native(path)
  } catch {
    return null
  }
}

/** Milliseconds since the epoch; null for a file that is gone or cannot be reached. */
export function modifiedAt(path: string): number | null {
  return statsOf(path)?.mtimeMs ?? null
}

/** Null where all need a variable that is not set, or a home directory that is not known. */
function directoryOf({ directories }: Place, world: Pick<World, 'env' | 'cwd'>): string | null {
  for (const directory of directories) {
    const [, variable, rest = ''] = /^\$(\w+)(.*)$/.exec(directory) ?? []
    const value = variable === undefined ? directory : world.env[variable]
    if (value === undefined || value === '') continue
    const path = atHome(value + rest, world)
    if (path !== null) return resolve(world.cwd(), path)
  }
  return null
}

function listedIn(directory: string, { file, directories }: NonNullable<Place['listed']>): readonly string[] {
  return directories(openFile(join(directory, file)).beside?.(file))
}

/** In variables, too: a shell that reads them from a file expands nothing. */
export function atHome(path: string, { env }: Pick<World, 'env'>): string | null {
  if (path !== '~' && !path.startsWith('~/')) return path
  const home = homeOf(env)
  return home === null ? null : home + path.slice(1)
}

/** A path with the home directory written `~`, for people. */
export function tilde(path: string, { env }: Pick<World, 'env'>): string {
  const home = homeOf(env)
  return home !== null && path.startsWith(join(home, '/')) ? join('~', path.slice(home.length)) : path
}

/** Which directories a glob can lead through: programs keep much else beside transcripts, which is not walked. */
function leadsTo(glob: string): (directory: string) => boolean {
  const parts = glob.split('/').slice(0, -1)
  const deep = parts.indexOf('**')
  const matchers = parts.slice(0, deep < 0 ? undefined : deep).map((part) => picomatch(part, { dot: true }))
  return (directory) => {
    const names = directory.split('/')
    if (deep < 0 && names.length > matchers.length) return false
    return matchers.every((matches, index) => index >= names.length || matches(names[index] as string))
  }
}
