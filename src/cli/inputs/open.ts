/**
 * Turns the inputs on the command line (files, directories, globs, and `-` for stdin) into the files to read. Where
 * none is named, these are the ones that the agents on this machine have recorded.
 */
import { existsSync, fstatSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, posix, sep } from 'node:path'
import picomatch from 'picomatch'
import { CtxwinError, openFile, type Source } from '../../app/index.ts'
import { withoutSecrets } from '../../base/addresses.ts'
import { isDatabase, sessionsIn } from '../../readers/databases/index.ts'
import { isArchive, nameInArchive, openArchive } from '../../readers/lines/archive.ts'
import { inContainer, isStoredPiece } from '../../readers/lines/source.ts'
import type { World } from '../output/world.ts'
import { misuse } from './misuse.ts'
import { isEndless } from './named-file.ts'
import { type Discovery, discover, type Found, tilde } from './places.ts'
import { leadsOut } from './reach.ts'
import { type Entry, statsOf, walk } from './walk.ts'

export interface Input {
  readonly source: Source
  /** The user named the file itself, so it has to be a transcript; a directory or glob may hold other files. */
  readonly named: boolean
  /** Nobody named it: it lies where its program keeps transcripts. */
  readonly found?: Found
}

/** Without Parquet, which is read from its end and would have to be unpacked first. */
const endingsInArchives = ['jsonl', 'ndjson', 'json', 'traj', 'log', 'csv']
const containers = ['eval', 'zip', 'db', 'sqlite', 'sqlite3', 'vscdb']
const endings = [...endingsInArchives, 'parquet', ...containers]
const packed = '{,.gz,.zst}'
/** Aider's history is known by its whole name: most Markdown is no transcript. */
const history = `**/.aider.chat.history.md${packed}`
const isTranscriptInArchive = picomatch([`**/*.{${endingsInArchives.join(',')}}${packed}`, history], { dot: true })
const isTranscript = picomatch(
  [`**/*.{${endingsInArchives.join(',')},parquet}${packed}`, `**/*.{${containers.join(',')}}`, history],
  { dot: true },
)

/**
 * The files to read, in a stable order, each once, under the first name that leads to it; those that are found, the
 * newest first. A file that cannot be opened is an input too, and fails when it is read, so that one bad file does not
 * keep others from being read.
 * @param bound a directory that none may lie outside of; null for none
 * @param always behind a pipe, too, where somebody may have meant standard input
 * @throws CtxwinError if there is no input, or an empty one
 */
export function openInputs(
  words: readonly string[],
  world: World,
  bound: string | null = null,
  always = false,
): Input[] {
  if (words.length === 0 && !always && world.stdin.isTTY !== true) throw new CtxwinError('no-input')
  if (!words.every(mayBeName)) {
    throw misuse('an input has no name: name a file, a directory, a glob or -')
  }
  const inputs = new Map<string, Input>()
  let discovery: Discovery | undefined
  const discovered = () => {
    discovery ??= discover(world)
    return discovery
  }
  const all =
    words.length === 0 ? foundInputs(discovered(), world) : words.flatMap((word) => inputsOf(word, world, discovered))
  for (const input of all) {
    const { name } = input.source
    const key = identityOf(name === '-' ? (world.stdin.fd ?? name) : absolute(name, world.cwd()))
    const isOut = bound !== null && leadsOut(absolute(name, world.cwd()), bound)
    if (!inputs.has(key)) inputs.set(key, isOut ? { ...failing(name, outside(name)), named: false } : input)
  }
  return [...inputs.values()]
}

const outside = (name: string): CtxwinError =>
  new CtxwinError(
    'left-out',
    name,
    'a link leads out of this directory, and only a config file chose it: name it yourself',
  )

/**
 * Puts the transcripts in an archive or a database in its place, each once. What lies in one is named
 * `archive.zip!/name/in/it` or `opencode.db!/ses_1`, on the command line, too. In a directory, only the ending says
 * that a file may be one.
 */
export async function openContainers(inputs: readonly Input[], { cwd }: Pick<World, 'cwd'>): Promise<Input[]> {
  const all = new Map<string, Input>()
  for (const input of inputs) {
    for (const [key, member] of await membersOf(input, cwd())) if (!all.has(key)) all.set(key, member)
  }
  return [...all.values()]
}

/** The names of files, with those of `files` that lie in an archive or a database among them. */
export function withMembers(of: ReadonlySet<string>, files: Iterable<string>): ReadonlySet<string> {
  const names = [...of]
  const members = [...files].filter((file) => names.some((name) => file.startsWith(`${name}${inContainer}`)))
  return new Set([...names, ...members])
}

const isNamedContainer = new RegExp(`\\.(${containers.join('|')})(${inContainer}|$)`)

/** A file as it was found. */
export interface FoundAs extends Pick<Input, 'named'> {
  readonly name: string
  /** The archive or database that it lies in; null for a file by itself, whatever it is called. */
  readonly container: string | null
}

/**
 * Opens files again as they were found: a name alone may be that of a file in an archive, and of one by itself. The
 * directory of an archive is read once for all of its files.
 */
export function reopening({ cwd }: Pick<World, 'cwd'>): (file: FoundAs) => Promise<Source> {
  const containers = new Map<string, Promise<ReadonlyMap<string, Source>>>()
  const byName = async (container: string) =>
    new Map((await transcriptsIn(container, cwd())).map((source) => [source.name, source]))
  return async ({ name, named, container }) => {
    if (container === null) return fileInput(name, absolute(name, cwd()), named).source
    try {
      const known = containers.get(container) ?? byName(container)
      containers.set(container, known)
      const source = (await known).get(name)
      if (source) return source
      // The user named this file itself, so its ending does not matter.
      const inner = name.slice(container.length + inContainer.length)
      return (await namedIn(container, inner, cwd())) ?? failing(name, notInside(name)).source
    } catch (error) {
      return failing(name, error).source
    }
  }
}

const isContainer = (path: string): boolean => isArchive(path) || isDatabase(path)

/**
 * The archive or database with this name, or with what has this name in it; null if there is none. A file of this name
 * comes first.
 */
function containerIn(name: string, cwd: string): string | null {
  if (existsSync(absolute(name, cwd))) return isContainer(absolute(name, cwd)) ? name : null
  for (let end = name.indexOf(inContainer); end >= 0; end = name.indexOf(inContainer, end + 1)) {
    const container = name.slice(0, end)
    if (isContainer(absolute(container, cwd))) return container
  }
  return null
}

async function transcriptsIn(
  name: string,
  cwd: string,
  wanted: (name: string) => boolean = isTranscript,
): Promise<Source[]> {
  const path = absolute(name, cwd)
  return isDatabase(path) ? sessionsIn(path, name).map(({ source }) => source) : openArchive(path, { name, wanted })
}

async function namedIn(container: string, inner: string, cwd: string): Promise<Source | undefined> {
  const sources = await transcriptsIn(container, cwd, (each) => each === inner)
  return sources.find(({ name }) => name === `${container}${inContainer}${inner}`)
}

function notInside(name: string): CtxwinError {
  return new CtxwinError('no-transcript', name, 'it is not in there')
}

/** With what tells each from others, whatever the archive is called. */
async function membersOf(input: Input, cwd: string): Promise<[key: string, Input][]> {
  const { name } = input.source
  const isCandidate = name !== '-' && (input.named || isNamedContainer.test(name)) && !input.source.container
  const container = isCandidate ? containerIn(name, cwd) : null
  if (container === null) return [[name, input]]
  const inner = nameInArchive(name.slice(container.length + inContainer.length))
  const identity = identityOf(absolute(container, cwd))
  const keyOf = (source: Source) => `${identity}${source.name.slice(container.length)}`
  try {
    if (inner !== '') {
      const source = await namedIn(container, inner, cwd)
      if (!source) throw notInside(name)
      return [[keyOf(source), { source, named: input.named }]]
    }
    const sources = await transcriptsIn(container, cwd)
    if (sources.length === 0) {
      const isOfSessions = isDatabase(absolute(container, cwd))
      const ending = `no file in it ends like one (${dotted(endingsInArchives)})`
      throw isOfSessions ? new CtxwinError('empty', name) : new CtxwinError('no-transcript', name, ending)
    }
    return sources.map((source) => [keyOf(source), inputIn(source)])
  } catch (error) {
    return [[name, { ...failing(name, error), named: input.named }]]
  }
}

/** What lies in an archive or a database, which nobody named itself. */
function inputIn(source: Source): Input {
  const { name, container = '', session } = source
  if (session || isTranscriptInArchive(name.slice(container.length + inContainer.length)))
    return { source, named: false }
  const why = 'it is read only as a file of its own: unpack the archive'
  return { ...failing(source.name, new CtxwinError('left-out', source.name, why)), named: false }
}

function dotted(each: readonly string[]): string {
  return each.map((ending) => `.${ending}`).join(' ')
}

/** @throws CtxwinError if there is nothing, with the places that were looked in */
function foundInputs({ found, looked, unreadable, unread }: Discovery, world: World): Input[] {
  const named = (paths: readonly string[]) => paths.map((path) => tilde(path, world))
  if (unreadable.length > 0) world.note('skipped, as you have no permission to read it:', named(unreadable))
  for (const { path, reason } of unread) world.note(`skipped: ${reason.replaceAll(path, tilde(path, world))}`)
  if (found.length === 0) throw new CtxwinError('nothing-found', named(looked).join(', '))
  return found.map((file) => ({ ...inputOf(file, false), found: file }))
}

function inputOf({ path, source }: Found, named: boolean): Input {
  return source ? { source, named } : fileInput(path, path, named)
}

/** No file system has names with a NUL, and picomatch takes no longer pattern. */
export function mayBeName(word: string): boolean {
  return word !== '' && word.length <= 65_536 && !word.includes('\0')
}

/**
 * The path as the system resolves it: `..` after a link, or after something that does not exist, as in
 * `a.zip!/../b.jsonl`, leads elsewhere than the words say.
 */
function absolute(name: string, cwd: string): string {
  if (!name.split(/[\\/]/).includes('..')) return isAbsolute(name) ? name : join(cwd, name)
  const path = isAbsolute(name) ? name : `${cwd}${sep}${name}`
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

/**
 * The same for all names of an input. A pipe (`<(command)`, `-`, /dev/stdin) has no real path, and what cannot be read
 * has neither that nor a number.
 */
function identityOf(file: string | number): string {
  try {
    const stats = typeof file === 'number' ? fstatSync(file) : statSync(file)
    if (stats.isFIFO() || stats.isSocket() || stats.isCharacterDevice()) return `${stats.dev}:${stats.ino}`
    return realpathSync.native(typeof file === 'number' ? `/dev/fd/${file}` : file)
  } catch {
    return String(file)
  }
}

function inputsOf(word: string, world: World, discovered: () => Discovery): Input[] {
  if (word === '-') {
    const { fd } = world.stdin
    return fd !== undefined && isEndless(fstatSync(fd), fd)
      ? [device(word)]
      : [{ source: { name: '-', chunks: world.stdin }, named: true }]
  }
  const path = absolute(word, world.cwd())
  const stats = statsOf(path)
  if (stats) {
    if (isEndless(stats, path)) return [device(word)]
    if (!stats.isDirectory()) return [fileInput(word, path, true)]
    const found = entriesIn(path, word.split(sep).join('/'), Infinity, mayBeTranscript)
    return found.length > 0 ? found : [failing(word, new CtxwinError('empty-directory', word, dotted(endings)))]
  }
  if (isNamedContainer.test(word) && word.includes(inContainer)) return [fileInput(word, path, true)]
  // Where there is no such file it may be an address that was meant for something else.
  const told = withoutSecrets(word)
  const { base, glob, isGlob } = picomatch.scan(word)
  if (!isGlob) return [/^[\w-]{4,}$/.test(word) ? sessionInput(word, discovered(), world) : fileInput(told, path, true)]
  const depth = glob.includes('**') ? Infinity : glob.split('/').length - 1
  const matches = picomatch(glob, { dot: true })
  const top = absolute(base, world.cwd())
  const found = existsSync(top) ? entriesIn(top, base, depth, ({ name }) => matches(name)) : []
  return found.length > 0 ? found : [failing(told, new CtxwinError('unreadable', told, 'the pattern matches no file'))]
}

function device(word: string): Input {
  return failing(word, new CtxwinError('unreadable', word, 'it is a device: name a file, a directory or a pipe'))
}

/** The file of the session with this id, or of the only one whose id begins like that. */
function sessionInput(id: string, { found }: Discovery, world: World): Input {
  const begins = found.filter(({ session }) => session?.startsWith(id))
  const exact = begins.filter(({ session }) => session === id)
  const [file, ...others] = exact.length > 0 ? exact : begins
  if (file === undefined) {
    return failing(
      id,
      new CtxwinError('unreadable', id, 'no such file, and no session with an id that begins like that'),
    )
  }
  if (others.length === 0) return inputOf(file, true)
  const error = new CtxwinError('ambiguous', id, others.length + 1)
  error.details = [file, ...others].map(({ session, modified, path }) => {
    const written = new Date(modified).toISOString().slice(0, 16).replace('T', ' ')
    return `${session}  ${written}  ${tilde(path, world)}`
  })
  return failing(id, error)
}

/** A dangling link without an extension may have led to a directory. */
function mayBeTranscript({ name, kind }: Entry): boolean {
  return isTranscript(name) || (kind === 'dangling' && !posix.basename(name).includes('.'))
}

/** @param depth how many directories deep below the top a file may lie */
function entriesIn(top: string, name: string, depth: number, matches: (entry: Entry) => boolean): Input[] {
  return walk(top, depth)
    .filter((entry) => entry.kind === 'unreadable' || (matches(entry) && !isStoredPiece(join(top, entry.name))))
    .map(({ name: inner, kind }) => {
      const full = name === '' ? inner : posix.join(name, inner)
      const reason = reasons[kind]
      return reason === null
        ? fileInput(full, join(top, inner), false)
        : failing(full, new CtxwinError('unreadable', full, reason))
    })
}

const reasons: Record<Entry['kind'], string | null> = {
  file: null,
  unreadable: 'you do not have permission to read it',
  dangling: 'it is a link that leads nowhere, or to a place you may not read',
  special: 'it is a pipe, a socket or a device: name it directly to read it',
}

function fileInput(name: string, path: string, named: boolean): Input {
  return { source: { ...openFile(path), name }, named }
}

function failing(name: string, error: unknown): Input {
  // biome-ignore lint/correctness/useYield: it always throws
  function* chunks(): Generator<never> {
    throw error
  }
  return { source: { name, chunks: { [Symbol.iterator]: chunks } }, named: true }
}
