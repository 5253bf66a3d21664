/**
 * Lists the files below a directory. Links are followed; each directory is entered once, however many links lead to it.
 */
import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'

export interface Entry {
  /** From the top, with slashes. */
  readonly name: string
  /** `unreadable` is a directory; `special` is a pipe, a socket or a device. */
  readonly kind: 'file' | 'unreadable' | 'dangling' | 'special'
}

const passedOver = new Set(['node_modules', '.git'])

/**
 * @param depth how many directories deep below the top a file may lie
 * @param enters whether a directory is looked into, by its name from the top; default: all of them
 * @returns all but directories, by name
 */
export function walk(top: string, depth: number, enters: (name: string) => boolean = () => true): Entry[] {
  const found: Entry[] = []
  const entered = new Set<string>()
  // Followed last, so that files that can be reached without a link keep that name.
  const links: { name: string; depth: number }[] = []
  const enter = (name: string, depth: number): void => {
    const path = join(top, name)
    const entries = listed(path, entered)
    if (entries === null) {
      found.push({ name: name === '' ? '.' : name, kind: 'unreadable' })
      return
    }
    for (const entry of entries) {
      const inner = name === '' ? entry.name : `${name}/${entry.name}`
      if (entry.isSymbolicLink()) links.push({ name: inner, depth })
      else add(inner, entry, depth)
    }
  }
  const add = (name: string, entry: { isDirectory(): boolean; isFile(): boolean }, depth: number): void => {
    if (!entry.isDirectory()) found.push({ name, kind: entry.isFile() ? 'file' : 'special' })
    else if (depth > 0 && !passedOver.has(name.slice(name.lastIndexOf('/') + 1)) && enters(name)) enter(name, depth - 1)
  }
  enter('', depth)
  for (const { name, depth } of links) {
    const target = statsOf(join(top, name))
    if (target) add(name, target, depth)
    else found.push({ name, kind: 'dangling' })
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/**
 * Null for what is not there or may not be looked at: a link that is dangling or leads to itself, a place of others.
 */
export function statsOf(path: string): Stats | null {
  try {
    return statSync(path)
  } catch {
    return null
  }
}

/** Null for a directory that cannot be read, empty for one that was read before. */
function listed(path: string, entered: Set<string>) {
  try {
    const real = realpathSync.native(path)
    if (entered.has(real)) return []
    const entries = readdirSync(path, { withFileTypes: true })
    entered.add(real)
    return entries
  } catch {
    return null
  }
}
