/**
 * The contract of a check's reporters. Pure, as reports are: the result into chunks of text, the same for the same
 * input.
 */
import type { Named } from '../../base/registry.ts'
import type { CheckResult } from '../outcome.ts'

export interface CheckReporter extends Named {
  /** For people or for programs: what a program reads has to be alone in its stream. */
  readonly readBy: 'people' | 'programs'
  render(result: CheckResult, options: CheckReporterOptions): Iterable<string>
}

export interface CheckReporterOptions {
  readonly color: boolean
  /** Columns of the terminal; infinite without one, as CI logs are searched by line. */
  readonly width: number
  /** From the top of the repository to where the check runs, with a slash at its end; empty at the top. */
  readonly directory: string
}
