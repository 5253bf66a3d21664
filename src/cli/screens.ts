/** What becomes of the failures of standard output and standard error, which come when they like. */
import { setImmediate } from 'node:timers/promises'
import type { Process } from './world.ts'

/**
 * Who reads us may stop at any time (`| head`): that is no failure.
 * @returns waits until all is written; what of standard output could not be, or null
 */
export function watchScreens({ stdout, stderr }: Process): () => Promise<NodeJS.ErrnoException | null> {
  let failure: NodeJS.ErrnoException | null = null
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') failure ??= error
  })
  // Where nothing can be said, the exit code has to do.
  stderr.on('error', () => {})
  return async () => {
    await new Promise<void>((done) => stdout.write('', () => done()))
    // The failure of a write is told a moment after it.
    await setImmediate()
    return failure
  }
}
