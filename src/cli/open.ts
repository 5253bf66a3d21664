/** What a user names on the command line -> the files that are read: files, directories, globs, and `-` for stdin. */
import { existsSync, statSync } from 'node:fs'
import { isAbsolute, join, posix, sep } from 'node:path'
import { CtxwinError, openFile, type Source } from '../index.ts'
import type { World } from './world.ts'

export interface Input {
  readonly source: Source
  /** The user named the file itself, so it has to be a transcript; in a directory or a glob others may stand about. */
  readonly named: boolean
}

const endings = ['jsonl', 'ndjson', 'json', 'traj', 'log']
const transcripts = `**/*.{${endings.join(',')}}{,.gz,.zst}`

/**
 * The files behind the words, in a stable order, each once.
 * @throws CtxwinError for a word that names nothing
 */
export async function openInputs(words: readonly string[], world: World): Promise<Input[]> {
  if (words.length === 0) throw new CtxwinError('no-input')
  const inputs = new Map<string, Input>()
  for (const word of words) {
    for (const [name, named] of await filesOf(word, world.cwd())) {
      if (inputs.has(name)) continue
      const path = join(world.cwd(), name)
      const source =
        name === '-'
          ? { name: '-', chunks: world.stdin }
          : { name, chunks: openFile(isAbsolute(name) ? name : path).chunks }
      inputs.set(name, { source, named })
    }
  }
  return [...inputs.values()]
}

async function filesOf(word: string, cwd: string): Promise<[name: string, named: boolean][]> {
  if (word === '-') return [['-', true]]
  if (word === '') throw new CtxwinError('usage', 'an input is an empty word: name a file, a directory or -')
  const path = isAbsolute(word) ? word : join(cwd, word)
  const exists = existsSync(path)
  if (exists && !statSync(path).isDirectory()) return [[word, true]]
  const { glob, isDynamicPattern } = await import('tinyglobby')
  if (exists) {
    const found = await glob(transcripts, { cwd: path, dot: true, ignore: ['**/node_modules/**', '**/.git/**'] })
    if (found.length === 0)
      throw new CtxwinError('empty-directory', word, endings.map((ending) => `.${ending}`).join(' '))
    return found.sort().map((name) => [posix.join(word.split(sep).join('/'), name), false])
  }
  if (!isDynamicPattern(word)) throw new CtxwinError('unreadable', word, 'there is no such file')
  const found = await glob(word, { cwd, dot: true, ignore: ['**/node_modules/**', '**/.git/**'] })
  if (found.length === 0) throw new CtxwinError('unreadable', word, 'the pattern matches no file')
  return found.sort().map((name) => [name, false])
}
