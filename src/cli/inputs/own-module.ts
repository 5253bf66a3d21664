/** Loads the user's own module: a policy or a config file, with any code, in JavaScript or TypeScript. */

import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { CtxwinError } from '../../app/index.ts'
import { guarding, type Hashes, hooking, inspecting, type Seen } from './guard.ts'
import { readBytes } from './named-file.ts'

/** What loading a module may read: any file, or these as they are known. */
export type Readable = 'any' | Hashes

/** A module that would read what it may not. */
export class Unrecorded extends CtxwinError<'config'> {
  readonly reason: string

  constructor(name: string, file: string) {
    const reason = `it would read ${file}, which is not what you trusted`
    super('config', name, `cannot be loaded: ${reason}. Look at it, then ctxwin trust`)
    this.reason = reason
  }
}

/**
 * The module at `path`. It is loaded in a worker first, because code that never ends could not be stopped here.
 * @param name what to call it in an error
 * @throws CtxwinError `unreadable` if it is not there, `config` if it throws, or does not finish loading within
 *   `seconds`; Unrecorded
 */
export async function importOwn(
  path: string,
  name: string,
  readable: Readable,
  seconds = 10,
): Promise<{ readonly default?: unknown }> {
  const known = readable === 'any' ? undefined : readable
  const module = moduleAt(path, name, known)
  const { stuck, seen } = await tried(module, seconds)
  if (seen?.refused) throw new Unrecorded(name, seen.refused)
  if (stuck !== null) throw new CtxwinError('config', name, `cannot be loaded: ${stuck}`)
  const load = await loaderOf(module)
  const guard = known === undefined ? null : guarding(inspecting, hooking, known, module.own)
  let failure: Failure | null = null
  try {
    return await load()
  } catch (error) {
    failure = failureOf(error)
    throw new CtxwinError('config', name, `cannot be loaded: ${saidBy(failure, path)}`)
  } finally {
    const refused = (await guard?.end())?.refused
    // biome-ignore lint/correctness/noUnsafeFinally: what the module made of the refusal does not matter
    if (refused) throw new Unrecorded(name, refused)
  }
}

/**
 * What loading the module at `path` reads, and what it exports if that is data. It is loaded in a worker, and nowhere
 * else.
 * @throws CtxwinError as `importOwn`
 */
export async function recordOwn(path: string, name: string, seconds = 10): Promise<{ files: Hashes; value: unknown }> {
  const { stuck, seen, failure, value } = await tried(moduleAt(path, name, null), seconds)
  if (stuck !== null) throw new CtxwinError('config', name, `cannot be loaded: ${stuck}`)
  if (failure) throw new CtxwinError('config', name, `cannot be loaded: ${saidBy(failure, path)}`)
  return { files: seen?.read ?? new Map(), value }
}

/** The real directory of the running program. */
export function ownRoot(): string {
  return realpathSync.native(fileURLToPath(new URL('../../..', import.meta.url)))
}

interface OwnModule {
  readonly file: string
  readonly href: string
  /** The loader it needs; null if Node can run it. */
  readonly jiti: string | null
  /** What it may read; null where that is written down, undefined where nobody asks. */
  readonly known: Hashes | null | undefined
  /** Directories of ctxwin's own code. */
  readonly own: readonly string[]
}

function moduleAt(path: string, name: string, known: OwnModule['known']): OwnModule {
  const file = resolve(path)
  // Reading first gives the true reason: Node calls a module that it may not read missing.
  readBytes(file, name)
  const jiti = needsJiti(file) ? createRequire(import.meta.url).resolve('jiti') : null
  return {
    file,
    href: pathToFileURL(file).href,
    jiti: jiti === null ? null : pathToFileURL(jiti).href,
    known,
    own: [
      // Not the whole directory: people who work on ctxwin have config files and modules of their own in it.
      ...['dist', 'src', 'node_modules'].map((name) => join(ownRoot(), name)),
      ...(jiti === null ? [] : [dirname(dirname(realpathSync.native(jiti)))]),
    ],
  }
}

/** Node strips types itself from 22.18 on. */
function needsJiti(file: string): boolean {
  return /\.[cm]?ts$/.test(file) && !('typescript' in process.features && process.features.typescript)
}

/** It would cache what it compiles in the user's node_modules. */
const jitiOptions = { fsCache: false }

async function loaderOf({ file, href, jiti }: OwnModule): Promise<() => Promise<{ readonly default?: unknown }>> {
  if (jiti === null) return () => import(href)
  const { createJiti } = await import('jiti')
  const loader = createJiti(href, jitiOptions)
  return () => loader.import(file)
}

/** The parts of an error that are reported. */
interface Failure {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  readonly code: unknown
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { name: '', message: 'it throws what is no Error', stack: '', code: '' }
  const { name, message, stack } = error
  return { name, message, stack, code: (error as NodeJS.ErrnoException).code }
}

function saidBy({ name, message, stack, code }: Failure, path: string): string {
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') {
    return 'it imports what this Node cannot run; a module whose own name ends in .ts may import TypeScript'
  }
  // Only a process that ends with a syntax error prints its line. --check parses the file and runs nothing.
  const told = name === 'SyntaxError' ? spawnSync(process.execPath, ['--check', path]).stderr : stack
  const [reason = ''] = message.replace(/^ParseError: /, '').split('\n')
  return `${lineIn(String(told), [pathToFileURL(path).href, path])}${reason.trim()}`
}

/** `line 3: `; nothing where the text names no line of the file. */
function lineIn(text: string, places: readonly string[]): string {
  for (const place of places) {
    const at = text.indexOf(`${place}:`)
    const line = at < 0 ? null : /^:(\d+)/.exec(text.slice(at + place.length))
    if (line) return `line ${line[1]}: `
  }
  return ''
}

interface Tried {
  /** Why it does not finish loading; null when it does, or fails. */
  readonly stuck: string | null
  readonly failure: Failure | null
  /** Null where nobody asked, or it ended before it could be said. */
  readonly seen: Seen | null
  /** What it exports, if it is data. */
  readonly value: unknown
}

/** Loads the module in a thread that can be stopped. */
function tried(module: OwnModule, seconds: number): Promise<Tried> {
  const code = `const { parentPort, workerData } = require('node:worker_threads')
    const { file, href, jiti, jitiOptions, known, own } = workerData
    const failureOf = ${failureOf}
    const loader = async () => {
      if (!jiti) return () => import(href)
      const { createJiti } = await import(jiti)
      const loader = createJiti(href, jitiOptions)
      return () => loader.import(file)
    }
    let guard = null
    const end = async (told) => {
      const seen = await guard?.end() ?? null
      const all = { stuck: null, failure: null, seen, value: undefined, ...told }
      try {
        parentPort.postMessage(all)
      } catch {
        parentPort.postMessage({ ...all, value: undefined })
      }
    }
    process.once('beforeExit', () => end({ stuck: 'it waits for what never comes' }))
    loader().then((load) => {
      guard = known === undefined ? null : (${guarding})(${inspecting}, ${hooking}, known, own)
      return load()
    }).then((loaded) => end({ value: loaded.default }), (error) => end({ failure: failureOf(error) }))`
  const workerData = { ...module, jitiOptions }
  const worker = new Worker(code, { eval: true, workerData, stdout: true, stderr: true })
  const nothing: Tried = { stuck: null, failure: null, seen: null, value: undefined }
  return new Promise<Tried>((done) => {
    const late = `after ${seconds} seconds its code is still running`
    const timer = setTimeout(() => done({ ...nothing, stuck: late }), seconds * 1000)
    worker.on('message', done)
    worker.on('error', (error) => done({ ...nothing, failure: failureOf(error) }))
    worker.on('exit', () => done({ ...nothing, stuck: 'it calls process.exit' }))
    worker.once('exit', () => clearTimeout(timer))
  }).finally(() => worker.terminate())
}
