/** Handles failures of standard output and standard error, which are reported asynchronously. */
import { setImmediate } from 'node:timers/promises'
import type { Process } from '../output/world.ts'

/**
 * A reader may stop at any time (`| head`): that is not a failure.
 * @returns waits until all is written; what of standard output could not be, or null
 */
export function watchScreens({ stdout, stderr }: Process): () => Promise<NodeJS.ErrnoException | null> {
  let failure: NodeJS.ErrnoException | null = null
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') failure ??= error
  })
  // Nothing can be printed any more: only the exit code can tell.
  stderr.on('error', () => {})
  return async () => {
    await new Promise<void>((done) => stdout.write('', () => done()))
    // A failed write is reported a moment later.
    await setImmediate()
    return failure
  }
}
