/** Runs the command line in this process with its own streams, environment and clock, and returns what a user would see. */
import { Readable, Writable } from 'node:stream'
import { main } from '../../src/cli/start/main.ts'

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * @param argv the arguments after `ctxwin`
 * @param world `terminal`: standard input is a terminal; `now`: the clock, in milliseconds since the epoch
 * @param run another program than that of the sources
 */
export async function runCli(
  argv: readonly string[],
  {
    cwd = process.cwd(),
    env = {},
    stdin = '',
    terminal = false,
    now = 0,
  }: { cwd?: string; env?: Record<string, string | undefined>; stdin?: string; terminal?: boolean; now?: number } = {},
  run = main,
): Promise<Ran> {
  const [stdout, stderr] = [new Collected(), new Collected()]
  const code = await run(argv, {
    stdin: Object.assign(Readable.from([Buffer.from(stdin)]), terminal ? { isTTY: true } : {}),
    stdout,
    stderr,
    env,
    cwd: () => cwd,
    now: () => now,
  })
  return { code, stdout: stdout.text, stderr: stderr.text }
}

/** How a command is called: the one that runs where none is named has no word. */
export const wordsOf = (command: string): string[] => (command === 'overview' ? [] : command.split(' '))

export class Collected extends Writable {
  readonly #chunks: Buffer[] = []

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk)
    done()
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString()
  }
}
