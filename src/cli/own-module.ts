/** Loads the user's own module: a policy or a config file, with any code. */
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { CtxwinError } from '../index.ts'

/**
 * The module at `path`. It is loaded in a worker first, because code that never ends could not be stopped here.
 * @param name what to call it in an error
 * @throws CtxwinError `config` if it throws, or does not finish loading within `seconds`
 */
export async function importOwn(path: string, name: string, seconds = 10): Promise<{ readonly default?: unknown }> {
  const { href } = pathToFileURL(resolve(path))
  const refused = await triedInWorker(href, seconds)
  if (refused !== null) throw new CtxwinError('config', name, `cannot be loaded: ${refused}`)
  try {
    return await import(href)
  } catch (error) {
    throw new CtxwinError('config', name, `cannot be loaded: ${saidBy(error, path)}`)
  }
}

function saidBy(error: unknown, path: string): string {
  if (!(error instanceof Error)) return 'it throws what is no Error'
  if ((error as NodeJS.ErrnoException).code === 'ERR_UNKNOWN_FILE_EXTENSION') {
    return 'this Node cannot run it: use .js, .mjs or .json'
  }
  // Only a process that ends with a syntax error prints its line. --check parses the file and runs nothing.
  const told = error.name === 'SyntaxError' ? spawnSync(process.execPath, ['--check', path]).stderr : error.stack
  return `${lineIn(String(told), [pathToFileURL(path).href, path])}${error.message.split('\n')[0]}`
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
function triedInWorker(href: string, seconds: number): Promise<string | null> {
  const code = `const { parentPort, workerData } = require('node:worker_threads')
    const done = () => parentPort.postMessage('loaded')
    process.once('beforeExit', () => parentPort.postMessage('idle'))
    import(workerData).then(done, done)`
  const worker = new Worker(code, { eval: true, workerData: href, stdout: true, stderr: true })
  return new Promise<string | null>((done) => {
    const timer = setTimeout(() => done(`after ${seconds} seconds its code is still running`), seconds * 1000)
    worker.on('message', (word) => done(word === 'idle' ? 'it waits for what never comes' : null))
    worker.on('error', () => done(null))
    worker.on('exit', () => done('it calls process.exit'))
    worker.once('exit', () => clearTimeout(timer))
  }).finally(() => worker.terminate())
}
