/** The only writer: data to stdout or a file, everything else to stderr. */
import { closeSync, openSync, writeSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { CtxwinError } from '../index.ts'

type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number; hasColors?(): boolean }

/** The world a command lives in: `process` fits. */
export interface World {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Screen
  readonly stderr: Screen
  readonly env: Readonly<Record<string, string | undefined>>
  cwd(): string
}

export interface Output {
  readonly width: number
  readonly color: boolean
  write(chunks: Iterable<string>): Promise<void>
  close(): void
}

/**
 * Where a command's result goes. A file is created at once, so that a bad path fails before the long run.
 * @throws CtxwinError when the file cannot be written
 */
export function openOutput(
  world: World,
  file: string | null,
  color: 'auto' | 'always' | 'never',
  mode: 'write' | 'append' = 'write',
): Output {
  const terminal = file === null && world.stdout.isTTY === true
  return {
    width: terminal ? (world.stdout.columns ?? 80) : 80,
    color: color === 'auto' ? wantsColor(world, terminal) : color === 'always',
    ...(file === null ? toScreen(world.stdout) : toFile(file, mode)),
  }
}

// https://no-color.org; FORCE_COLOR is what Node itself listens to.
function wantsColor({ env }: World, terminal: boolean): boolean {
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0') return true
  return terminal && !env.NO_COLOR && env.FORCE_COLOR !== '0' && env.TERM !== 'dumb'
}

function toScreen(screen: Screen): Pick<Output, 'write' | 'close'> {
  return {
    async write(chunks) {
      for (const chunk of chunks) {
        if (screen.destroyed) return
        if (!screen.write(chunk)) await drained(screen)
      }
    },
    close: () => {},
  }
}

/** When the reader at the other end has caught up, or is gone. */
function drained(screen: Screen): Promise<void> {
  return new Promise((done) => {
    const finish = () => {
      screen.off('drain', finish).off('close', finish)
      done()
    }
    screen.on('drain', finish).on('close', finish)
  })
}

function toFile(path: string, mode: 'write' | 'append'): Pick<Output, 'write' | 'close'> {
  let file: number
  try {
    file = openSync(path, mode === 'append' ? 'a' : 'w')
  } catch (error) {
    throw new CtxwinError('unwritable', path, (error as NodeJS.ErrnoException).code ?? 'it failed')
  }
  return {
    async write(chunks) {
      for (const chunk of chunks) writeSync(file, chunk)
    },
    close: () => closeSync(file),
  }
}

/** Tells on stderr how far the reading is, when a person is watching and it takes longer than a blink. */
export class Progress {
  readonly #screen: Screen
  readonly #started = performance.now()
  #shown = 0

  constructor(world: World) {
    this.#screen = world.stderr
  }

  at(done: number, total: number, name: string): void {
    if (!this.#screen.isTTY) return
    const now = performance.now()
    if (now - this.#started < 500 || now - this.#shown < 100) return
    this.#shown = now
    const width = (this.#screen.columns ?? 80) - 1
    this.#screen.write(
      `\r\u001b[K${`reading ${done + 1}/${total} ${name.replaceAll(/[^\x20-\x7e]/g, '?')}`.slice(0, width)}`,
    )
  }

  clear(): void {
    if (this.#shown > 0) this.#screen.write('\r\u001b[K')
    this.#shown = 0
  }
}
