/** What can be wrong with a line. Never a reason to stop reading, always counted and reported with its line number. */
export type ProblemCode = keyof typeof problems

export interface LineProblem {
  readonly code: ProblemCode
  /** Counted from 1 */
  readonly line: number
  /** Numbers and places only: transcripts are private, so never a word of theirs. */
  readonly detail?: string
}

/** `lost`: nothing of it reached the reader. Otherwise the record was mended, or is there as far as it was written. */
export const problems = {
  'not-json': { lost: true, words: 'no JSON object or array: skipped' },
  'torn-line': {
    lost: true,
    words: 'cut off in the middle, as by a crash or while it is still being written: skipped',
  },
  'line-too-long': { lost: true, words: 'too long to be parsed: skipped' },
  'torn-document': { lost: false, words: 'the document breaks off: what was complete before was kept' },
  'two-on-a-line': { lost: false, words: 'several records on one line: each was read' },
  'nul-bytes': { lost: false, words: 'NUL bytes around the record, as after a power cut: ignored' },
  'invalid-escape': { lost: false, words: 'invalid escapes in a string: each was read as U+FFFD' },
  'invalid-utf8': { lost: false, words: 'invalid UTF-8: the bad bytes were read as U+FFFD' },
} as const satisfies Record<string, { lost: boolean; words: string }>
