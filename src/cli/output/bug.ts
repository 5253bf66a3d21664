/**
 * What is said about a failure of our own: the kind of error and where it was thrown. Not its message: that of
 * JSON.parse and many others quotes its input, and transcripts are private.
 */
import { fileURLToPath } from 'node:url'
import { version } from '../../base/build.ts'

export interface BugReport {
  readonly sentence: string
  /** The stack below it, one line each. */
  readonly frames: readonly string[]
  /** Where it was thrown, if that is outside of ctxwin: in a module of the user's own. */
  readonly elsewhere: Place | null
}

export interface Place {
  /** An absolute path. */
  readonly file: string
  readonly line: number
}

const home = fileURLToPath(new URL('../..', import.meta.url))

export const about = `this is a bug of ctxwin, please report it (ctxwin ${version}, node ${process.version})`

export function bugReport(error: unknown): BugReport {
  if (!(error instanceof Error)) {
    return { sentence: `${about}: ${error === null ? 'null' : typeof error} was thrown`, frames: [], elsewhere: null }
  }
  const stack = String(error.stack)
  // The stack repeats the message, which may hold text of a transcript, so only what stands behind it is used.
  const frames = stack.slice(stack.indexOf(error.message) + error.message.length).split('\n')
  return {
    sentence: `${about}: ${error.constructor.name}`,
    frames: frames.filter((line) => /^ {4}at /.test(line)).map((line) => line.trim()),
    elsewhere: elsewhere(frames),
  }
}

/**
 * The file that a stack leads to first, unless it is one of ours. Installed packages count only where no other file
 * does.
 */
export function elsewhere(frames: readonly string[]): Place | null {
  const places = frames.map(placeOf).filter((place) => place !== null)
  const first = places.find(({ file }) => file.startsWith(home) || !/[\\/]node_modules[\\/]/.test(file)) ?? places[0]
  return first === undefined || first.file.startsWith(home) ? null : first
}

/** ES modules stand in a stack as URLs, CommonJS modules as paths. */
function placeOf(frame: string): Place | null {
  const [, at, line] = /(?:\(|at |async )((?:file:\/\/|\/|[A-Za-z]:[\\/]).*?):(\d+):\d+\)?$/.exec(frame) ?? []
  if (at === undefined) return null
  try {
    return { file: at.startsWith('file:') ? fileURLToPath(at.replace(/\?.*$/, '')) : at, line: Number(line) }
  } catch {
    return null
  }
}
