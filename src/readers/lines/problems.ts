/** What can be wrong with a line. It never stops the reading, and is always counted and reported with its line number. */
export type ProblemCode = keyof typeof problems

export interface LineProblem {
  readonly code: ProblemCode
  /** Counted from 1 */
  readonly line: number
  /** Numbers and places only: transcripts are private, so never a word of theirs. */
  readonly detail?: string
}

/**
 * `damaged`: something of the line's content is lost, the whole record or a part; such lines are counted in every
 * report. The others were mended without loss, and are only mentioned.
 */
export const problems = {
  'not-json': { damaged: true, words: 'not a JSON object or array: skipped' },
  'torn-line': {
    damaged: true,
    words: 'cut off in the middle, as by a crash or while it is still being written: skipped',
  },
  'line-too-long': { damaged: true, words: 'too long to be parsed: skipped' },
  'torn-document': { damaged: true, words: 'the document breaks off: what was complete before was kept' },
  'torn-compression': {
    damaged: true,
    words: 'the compressed data is damaged or cut off after this line: what came before was kept',
  },
  'too-deep': { damaged: true, words: 'more than 10,000 brackets inside one another: skipped' },
  'invalid-escape': { damaged: true, words: 'invalid escapes in a string: each was read as U+FFFD' },
  'invalid-utf8': { damaged: true, words: 'invalid UTF-8: the bad bytes were read as U+FFFD' },
  'two-on-a-line': { damaged: false, words: 'several records on one line: each was read' },
  'nul-bytes': { damaged: false, words: 'NUL bytes around the record, as after a power cut: ignored' },
} as const satisfies Record<string, { damaged: boolean; words: string }>
