/** Runs the command line in a world of its own: what a user would see, without a process. */
import { Readable, Writable } from 'node:stream'
import { main } from '../../src/cli/main.ts'

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * @param argv the words behind `ctxwin`
 * @param world `terminal`: somebody types there, and nothing is piped in; `now`: its clock, in milliseconds since the epoch
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
): Promise<Ran> {
  const [stdout, stderr] = [new Collected(), new Collected()]
  const code = await main(argv, {
    stdin: Object.assign(Readable.from([Buffer.from(stdin)]), terminal ? { isTTY: true } : {}),
    stdout,
    stderr,
    env,
    cwd: () => cwd,
    now: () => now,
  })
  return { code, stdout: stdout.text, stderr: stderr.text }
}

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
