/** The contract of a check's reporters. Pure, as reports are: the result into chunks of text, the same for the same input. */
import type { Named } from '../../registry.ts'
import type { CheckResult } from '../outcome.ts'

export interface CheckReporter extends Named {
  /** For people or for programs: what a program reads has to be alone in its stream. */
  readonly readBy: 'people' | 'programs'
  render(result: CheckResult, options: { readonly color: boolean }): Iterable<string>
}
