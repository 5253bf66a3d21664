/** The first file of a thread of `--jobs`: it runs the bundle of the main thread, with the code that is kept of it. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { loadScript } from '../../cache/code.ts'
import { cacheDirectory, cachesNothing } from '../../cache/directory.ts'
import type { WorkerStart } from '../inputs/pool.ts'
import type { serve } from './main.ts'

const start = workerData as WorkerStart
const caches = cachesNothing(start.argv, process.env) ? null : cacheDirectory(process.env)
const program = loadScript<{ readonly serve: typeof serve }>(
  fileURLToPath(new URL('../../main.cjs', import.meta.url)),
  caches === null ? null : join(caches, 'code'),
  start.command,
)
program.exports.serve(start, parentPort as MessagePort)
