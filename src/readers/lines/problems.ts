/** What can be wrong with a line. No problem stops the reading; each is counted and reported with its line number. */
export type ProblemCode = keyof typeof problems

export interface LineProblem {
  readonly code: ProblemCode
  /** Counted from 1. */
  readonly line: number
  /** Only numbers and positions, never text of the transcript: transcripts are private. */
  readonly detail?: string
}

/**
 * `damaged`: the line's record is lost, or a part of it; such lines are counted in every report. The others were repaired
 * without loss and are only mentioned.
 */
export const problems = {
  'not-json': { damaged: true, words: 'not a JSON object or array: skipped' },
  'torn-line': {
    damaged: true,
    words: 'cut off in the middle (a crash, or the file is still being written): skipped',
  },
  'line-too-long': { damaged: true, words: 'too long to be parsed: skipped' },
  'torn-document': { damaged: true, words: 'the document breaks off: everything complete before that was kept' },
  'torn-compression': {
    damaged: true,
    words: 'the compressed data is damaged or cut off after this line: everything before it was kept',
  },
  'other-checksum': {
    damaged: true,
    words: 'the checksum in the archive is that of other bytes: it was read as it is, up to this line',
  },
  'no-end': { damaged: true, words: 'no record in 1 GB or in 1,000,000 lines: the rest of the file was not read' },
  'too-deep': { damaged: true, words: 'more than 10,000 brackets inside one another: skipped' },
  'invalid-escape': { damaged: true, words: 'invalid escapes in a string: each was read as U+FFFD' },
  'invalid-utf8': { damaged: true, words: 'invalid UTF-8: the bad bytes were read as U+FFFD' },
  'two-on-a-line': { damaged: false, words: 'several records on one line: each was read' },
  'nul-bytes': { damaged: false, words: 'NUL bytes around the record (a power cut leaves them): ignored' },
} as const satisfies Record<string, { damaged: boolean; words: string }>
