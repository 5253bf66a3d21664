/**
 * What is said of a failure of our own: the kind of error and where it was thrown. Not its message: that of JSON.parse and
 * many others quotes what it stumbled over, and transcripts are private.
 */
import { createRequire } from 'node:module'

export const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }

export function bugReport(error: unknown): string {
  return `this is a bug of ctxwin, please report it (ctxwin ${version}, node ${process.version})\n${placeOf(error)}\n`
}

/** The class of what was thrown, and its stack. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return `${error === null ? 'null' : typeof error} was thrown`
  const stack = error.stack ?? ''
  // The stack begins with the message as it was when the error was made.
  const said = stack.indexOf(error.message)
  const frames = stack.slice(said + error.message.length).split('\n')
  return [error.constructor.name, ...frames.filter((line) => /^ {4}at /.test(line))].join('\n')
}
