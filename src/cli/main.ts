/** argv -> exit code. The only place where an error is caught: a user's mistake is one line, our own shows its stack. */

import { createRequire } from 'node:module'
import { CommanderError } from 'commander'
import type { World } from './io.ts'
import { buildProgram } from './program.ts'

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }

/**
 * @param argv the words behind the program's name
 * @returns 0 fine · 1 findings · 2 usage, configuration or unreadable input · 70 a bug of ours
 */
export async function main(argv: readonly string[], world: World): Promise<number> {
  // Who reads us may stop at any time (`| head`): that is no failure.
  world.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  let code = 0
  const program = buildProgram(world, version, async (run, call) => {
    code = await run(call)
  })
  try {
    await program.parseAsync(argv, { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const { name, message, stack } = error as Error
    if (name === 'CtxwinError') {
      world.stderr.write(`ctxwin: ${message}\n`)
      return 2
    }
    world.stderr.write(
      `ctxwin: this is a bug of ctxwin, please report it (ctxwin ${version}, node ${process.version})\n${stack}\n`,
    )
    return 70
  }
}
