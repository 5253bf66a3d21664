/** The contract of a form that transcripts are converted to: a trace as values, each of which is a line of JSON. */
import type { Named } from '../../../base/registry.ts'
import type { FullTrace } from '../../analyse.ts'
import type { Plan } from '../../plan.ts'

/** Counts what a form cannot hold, by name. */
export class Unheld {
  readonly counts = new Map<string, number>()

  add(what: string, count: number): void {
    if (count > 0) this.counts.set(what, (this.counts.get(what) ?? 0) + count)
  }
}

export interface Form extends Named {
  /** @param nth how many transcripts were converted before it */
  lines(trace: FullTrace, plan: Plan, unheld: Unheld, nth: number): Iterable<unknown>
}
