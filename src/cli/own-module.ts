/** Loads the user's own module: a policy or a config file, with any code, in JavaScript or TypeScript. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { CtxwinError } from '../index.ts'

/**
 * The module at `path`. It is loaded in a worker first, because code that never ends could not be stopped here.
 * @param name what to call it in an error
 * @throws CtxwinError `unreadable` if it is not there, `config` if it throws, or does not finish loading within `seconds`
 */
export async function importOwn(path: string, name: string, seconds = 10): Promise<{ readonly default?: unknown }> {
  const file = resolve(path)
  if (!existsSync(file)) throw new CtxwinError('unreadable', name, 'there is no such file')
  const module = { file, href: pathToFileURL(file).href, jiti: needsJiti(file) ? jitiHref() : null }
  const refused = await triedInWorker(module, seconds)
  if (refused !== null) throw new CtxwinError('config', name, `cannot be loaded: ${refused}`)
  try {
    return module.jiti === null ? await import(module.href) : await importByJiti(module)
  } catch (error) {
    throw new CtxwinError('config', name, `cannot be loaded: ${saidBy(error, path)}`)
  }
}

interface OwnModule {
  readonly file: string
  readonly href: string
  /** What has to be imported to run it; null where Node can. */
  readonly jiti: string | null
}

/** Node strips types itself from 22.18 on. */
function needsJiti(file: string): boolean {
  return /\.[cm]?ts$/.test(file) && !('typescript' in process.features && process.features.typescript)
}

function jitiHref(): string {
  return pathToFileURL(createRequire(import.meta.url).resolve('jiti')).href
}

/** It would cache what it compiles in the user's node_modules. */
const jitiOptions = { fsCache: false }

async function importByJiti({ file, href }: OwnModule): Promise<{ readonly default?: unknown }> {
  const { createJiti } = await import('jiti')
  return createJiti(href, jitiOptions).import(file)
}

function saidBy(error: unknown, path: string): string {
  if (!(error instanceof Error)) return 'it throws what is no Error'
  if ((error as NodeJS.ErrnoException).code === 'ERR_UNKNOWN_FILE_EXTENSION') {
    return 'it imports what this Node cannot run; a module whose own name ends in .ts may import TypeScript'
  }
  // Only a process that ends with a syntax error prints its line. --check parses the file and runs nothing.
  const told = error.name === 'SyntaxError' ? spawnSync(process.execPath, ['--check', path]).stderr : error.stack
  const [reason = ''] = error.message.replace(/^ParseError: /, '').split('\n')
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

/** Why the module does not finish loading; null when it does, or fails: the import itself says how. */
function triedInWorker(module: OwnModule, seconds: number): Promise<string | null> {
  const code = `const { parentPort, workerData } = require('node:worker_threads')
    const done = () => parentPort.postMessage('loaded')
    process.once('beforeExit', () => parentPort.postMessage('idle'))
    const { file, href, jiti, jitiOptions } = workerData
    const load = () => jiti ? import(jiti).then(({ default: { createJiti } }) => createJiti(href, jitiOptions).import(file)) : import(href)
    load().then(done, done)`
  const workerData = { ...module, jitiOptions }
  const worker = new Worker(code, { eval: true, workerData, stdout: true, stderr: true })
  return new Promise<string | null>((done) => {
    const timer = setTimeout(() => done(`after ${seconds} seconds its code is still running`), seconds * 1000)
    worker.on('message', (word) => done(word === 'idle' ? 'it waits for what never comes' : null))
    worker.on('error', () => done(null))
    worker.on('exit', () => done('it calls process.exit'))
    worker.once('exit', () => clearTimeout(timer))
  }).finally(() => worker.terminate())
}
