/** What the agents on this machine have recorded: the places that the readers name, and the transcripts in them. */
import { realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import picomatch from 'picomatch'
import { homeOf } from '../../base/user-directory.ts'
import { type Place, readers } from '../../index.ts'
import type { World } from '../output/world.ts'
import { statsOf, walk } from './walk.ts'

/** A transcript in one of the places. Nothing of it has been read. */
export interface Found {
  readonly path: string
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
}

/** Lists what is there by name and time: no file is opened, and none that is not there is missed. */
export function discover(world: Pick<World, 'env' | 'cwd'>): Discovery {
  const places = new Map<string, readonly [directory: string, place: Place]>()
  for (const place of readers.all.flatMap(({ places = [] }) => places)) {
    const directory = directoryOf(place, world)
    if (directory === null) continue
    // A variable or a link may lead to a directory that is looked in anyway.
    const key = `${realPath(directory) ?? directory}\0${place.files}`
    if (!places.has(key)) places.set(key, [directory, place])
  }
  const found: Found[] = []
  const unreadable: string[] = []
  for (const [directory, place] of places.values()) {
    if (realPath(directory) === null) continue
    const isTranscript = picomatch(place.files, { dot: true })
    const isSubagents = picomatch(place.subagents ?? [], { dot: true })
    for (const { name, kind } of walk(directory, Infinity, leadsTo(place.files))) {
      const path = join(directory, name)
      if (kind === 'unreadable') unreadable.push(path)
      if (kind !== 'file' || !isTranscript(name)) continue
      const modified = modifiedAt(path)
      if (modified === null) continue
      found.push({ path, modified, session: place.session.exec(name)?.[1] ?? null, subagents: isSubagents(name) })
    }
  }
  found.sort((a, b) => b.modified - a.modified || (a.path < b.path ? -1 : 1))
  return { found, looked: [...new Set([...places.values()].map(([directory]) => directory))], unreadable }
}

/** Null for what is not there or cannot be reached. */
function realPath(path: string): string | null {
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

/** Which directories a glob can lead through: beside its transcripts a program keeps much that is not looked into. */
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
