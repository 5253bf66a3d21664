/** Lost content held against where the old text of edits stood: docs/truth.md. */
/** Edits whose old text stood in the transcript before, by where it stood when the request went out. */
export interface Dependence {
  /** No line of it was inside the window. */
  outside: Verdicts
  /** All of it was. */
  inside: Verdicts
  /** Some of it was. */
  part: Verdicts
}

export interface Verdicts {
  edits: number
  /** Those for which the file's text is reported as lost. */
  reported: number
}

/** Of one policy and budget, over all transcripts. */
export interface DependenceRow extends Dependence {
  readonly policy: string
  readonly budget: number
}
