/**
 * The boundary to the process. A command never writes to a raw stream: its data passes a guard, and messages go through
 * `say`, which turns each into one harmless line. File names, keys of config files and ids of conversations are
 * untrusted text on both streams.
 */

import type { Writable } from 'node:stream'
import { CtxwinError } from '../../app/index.ts'
import { withoutSecrets } from '../../base/addresses.ts'
import { safe, safeScreen } from '../../base/quoting.ts'
import { isSystemError, reasonOf } from '../../base/system-errors.ts'
import { wrap } from '../../reports/text.ts'
import type { Keyboard, View } from './full-screen.ts'
import { inputOf } from './stdin.ts'

interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  readonly fd?: number
}

/** `process` fits. */
export interface Process {
  readonly stdin: Keyboard & { readonly isTTY?: boolean; readonly fd?: number }
  readonly stdout: Writable & Terminal
  readonly stderr: Writable & Terminal
  readonly env: Readonly<Record<string, string | undefined>>
  cwd(): string
  exitCode?: number | string | null | undefined
  /** The clock, in milliseconds since the epoch; default: the system's. */
  now?(): number
  on?(event: 'unhandledRejection' | 'uncaughtException' | 'exit', listener: (reason: unknown) => void): unknown
}

/** Standard output behind its guard. */
export interface Screen extends Pick<Writable, 'destroyed' | 'on' | 'off'>, Terminal {
  write(text: string): boolean
}

/** What a command knows of the process. */
export interface World extends Pick<Process, 'stdin' | 'env' | 'cwd'> {
  readonly stdout: Screen
  /** All of standard input, as text. */
  input(): Promise<string>
  /** Milliseconds since the epoch. Only a date that was given relative to it may depend on it. */
  now(): number
  /**
   * What is wrong: one line on stderr, and details below it, one line each. A terminal gets them folded to its width.
   */
  say(sentence: string, details?: readonly string[]): void
  /** The same for notes; silent with `--quiet`. */
  note(sentence: string, details?: readonly string[]): void
  /** A line on stderr that the next one replaces and '' removes; null if nobody is watching. */
  readonly status: ((line: string) => void) | null
  /** Shows a view that keys move, until it is left; null without a terminal. */
  readonly fullScreen: ((view: View) => Promise<void>) | null
}

/** @param input all of standard input, where it has been read already */
export function worldOf(process: Process, input: string | null = null): World {
  const { stdout, stderr, env } = process
  /** Whether a status line is on the terminal: anything else has to clear it first. */
  let isShown = false
  const status = (line: string): void => {
    isShown = line !== ''
    stderr.write(`\r\u001b[K${safe(line).slice(0, (stderr.columns || 80) - 1)}`)
  }
  const folded = (line: string): string[] => {
    const indent = line.length - line.trimStart().length
    return wrap(line.trimStart(), terminalWidth(stderr.columns), indent, indent + 4)
  }
  const say: World['say'] = (sentence, details = []) => {
    if (isShown) status('')
    const lines = [`ctxwin: ${told(sentence)}`, ...details.map((detail) => `    ${told(detail)}`)]
    stderr.write(`${(stderr.isTTY === true ? lines.flatMap(folded) : lines).join('\n')}\n`)
  }
  return {
    // A getter, because Node makes the stream when it is first read, and that takes 3 ms.
    get stdin() {
      return process.stdin
    },
    env,
    cwd: () => cwdOf(process),
    input: async () => input ?? inputOf(process),
    now: () => process.now?.() ?? Date.now(),
    stdout: {
      get destroyed() {
        return stdout.destroyed
      },
      ...(stdout.isTTY === undefined ? {} : { isTTY: stdout.isTTY }),
      ...(stdout.columns === undefined ? {} : { columns: stdout.columns }),
      ...(stdout.fd === undefined ? {} : { fd: stdout.fd }),
      on: stdout.on.bind(stdout),
      off: stdout.off.bind(stdout),
      write(text) {
        if (isShown) status('')
        return stdout.write(safeScreen(text))
      },
    },
    say,
    note: say,
    status: stderr.isTTY === true && env.TERM !== 'dumb' ? status : null,
    get fullScreen() {
      const { stdin } = process
      if (stdin.isTTY !== true || stdout.isTTY !== true || !stdin.setRawMode || env.TERM === 'dumb') return null
      return async (view: View) => (await import('./full-screen.ts')).showView(stdin, stdout, view)
    },
  }
}

/** @throws CtxwinError where it has been removed */
function cwdOf(process: Pick<Process, 'cwd'>): string {
  try {
    return process.cwd()
  } catch (error) {
    if (!isSystemError(error)) throw error
    const why = error.code === 'ENOENT' ? 'it is not there any more' : reasonOf(error, 'read')
    throw new CtxwinError('unreadable', 'the working directory', `${why}: change to another one`)
  }
}

/** The same world without notes. */
export function quietly(world: World): World {
  return { ...world, note: () => {}, status: null }
}

/**
 * The columns that a table or a help text may take. A terminal without a size says 0; in fewer than 20 columns no table
 * and no sentence can be read.
 */
export function widthOf({ stdout, env }: Pick<World, 'stdout' | 'env'>): number {
  return terminalWidth((stdout.isTTY === true && stdout.columns) || Number(env.COLUMNS))
}

function terminalWidth(columns: number | undefined): number {
  return columns !== undefined && columns > 0 && Number.isInteger(columns) ? Math.max(20, columns) : 80
}

/** A text of several lines as reports break them: no figure, and no flag with its word, stands on two. */
export function broken(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrap(line, width, 0, 0))
    .join('\n')
}

/** A message begins with the problem and ends with the remedy; a very long value in between is cut. */
const longest = 1000

function told(words: string): string {
  const line = safe(withoutSecrets(words))
  return line.length <= longest ? line : `${line.slice(0, longest / 2)} … ${line.slice(-longest / 2)}`
}
