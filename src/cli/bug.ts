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
  /** Whether it was thrown in our code, as far as anything says where. */
  readonly isOurs: boolean
}

const home = new URL('..', import.meta.url).href

export function bugReport(error: unknown): BugReport {
  const about = `this is a bug of ctxwin, please report it (ctxwin ${version}, node ${process.version})`
  if (!(error instanceof Error)) {
    return { sentence: `${about}: ${error === null ? 'null' : typeof error} was thrown`, frames: [], isOurs: false }
  }
  const stack = error.stack ?? ''
  // The stack begins with the message as it was when the error was made.
  const frames = stack.slice(stack.indexOf(error.message) + error.message.length).split('\n')
  const inFile = frames.find((line) => line.includes('file://'))
  return {
    sentence: `${about}: ${error.constructor.name}`,
    frames: frames.filter((line) => /^ {4}at /.test(line)).map((line) => line.trim()),
    isOurs: inFile === undefined || inFile.includes(home),
  }
}
