/**
 * What is said of a failure of our own: the kind of error and where it was thrown. Not its message: that of JSON.parse and
 * many others quotes what it stumbled over, and transcripts are private.
 */
import { createRequire } from 'node:module'

export const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }

export interface BugReport {
  readonly sentence: string
  /** The stack below it, a line each. */
  readonly frames: readonly string[]
}

export function bugReport(error: unknown): BugReport {
  const about = `this is a bug of ctxwin, please report it (ctxwin ${version}, node ${process.version})`
  if (!(error instanceof Error)) {
    return { sentence: `${about}: ${error === null ? 'null' : typeof error} was thrown`, frames: [] }
  }
  const stack = error.stack ?? ''
  // The stack begins with the message as it was when the error was made.
  const frames = stack.slice(stack.indexOf(error.message) + error.message.length).split('\n')
  return {
    sentence: `${about}: ${error.constructor.name}`,
    frames: frames.filter((line) => /^ {4}at /.test(line)).map((line) => line.trim()),
  }
}
