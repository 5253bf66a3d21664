/** Files that a check was given and that hold no transcript it could look at. */
import { CtxwinError } from '../base/errors.ts'
import { finding } from './evaluate.ts'
import type { Outcome } from './outcome.ts'

export interface Unusable {
  readonly file: string
  /** A CtxwinError for what cannot be read or holds no transcript; anything else is a bug, of ctxwin or of a plugin. */
  readonly error: unknown
  /** Nobody named it, and it may be something else than a transcript. */
  readonly skipped: boolean
}

/** Endings that nothing but records has. A .json or .log may be any program's. */
const ofRecords = /\.(jsonl|ndjson|traj)(\.gz|\.zst)?$/i

/** What may have been a transcript, and what is an empty one, which keeps every limit. */
const isTold: ReadonlySet<string | null> = new Set(['damaged', 'left-out', 'empty'])

/**
 * What a check says of them: an error where a transcript was expected, and a warning where there may have been one, or
 * is an empty one. A file of another format, whole and unknown, is none of its business.
 * @param known whether there was a transcript in the file when the baseline was made
 * @param strict what is damaged or left out is an error wherever it is
 */
export function unreadable(files: readonly Unusable[], known: (file: string) => boolean, strict: boolean): Outcome[] {
  return files.flatMap(({ file, error, skipped }): Outcome[] => {
    const code = error instanceof CtxwinError ? error.code : null
    const expected = (!skipped && code !== 'empty') || known(file)
    if (!expected && !isTold.has(code)) return []
    const level = expected || (code !== 'empty' && (strict || ofRecords.test(file))) ? 'error' : 'warn'
    return [{ ...finding('unreadable', level), file, message: messageOf(file, error) }]
  })
}

function messageOf(file: string, error: unknown): string {
  // A plugin may throw anything, null as well; the bug itself is told of while the files are read.
  if (!(error instanceof CtxwinError)) return 'left out, for a bug'
  const { message } = error
  return message.startsWith(`${file}: `) ? message.slice(file.length + 2) : message
}
