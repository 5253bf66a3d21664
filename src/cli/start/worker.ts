/** The first file of a thread of `--jobs`: it runs the bundle of the main thread, with the code that is kept of it. */
import { fileURLToPath } from 'node:url'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { loadScript } from '../../cache/code.ts'
import { cachesOf } from '../../cache/directory.ts'
import type { WorkerStart } from '../inputs/pool.ts'
import type { serve } from './main.ts'

const start = workerData as WorkerStart
const program = loadScript<{ readonly serve: typeof serve }>(
  fileURLToPath(new URL('../../main.cjs', import.meta.url)),
  cachesOf(start.argv, process.env),
  start.command,
)
program.exports.serve(start, parentPort as MessagePort)
