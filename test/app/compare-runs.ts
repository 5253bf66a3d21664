/** The rows of a comparison, from finished runs. */
import { ComparisonSum } from '../../src/app/compare.ts'
import type { Chosen } from '../../src/base/chosen.ts'
import type { ComparisonRow } from '../../src/model/comparison.ts'
import type { Run } from '../../src/model/run.ts'
import type { Policy } from '../../src/policies/policy.ts'

/** @param policies those of the plan, for the defaults of their params */
export function compareRuns(runs: Iterable<Run>, policies: readonly Chosen<Policy>[]): ComparisonRow[] {
  const sums = new ComparisonSum()
  for (const run of runs) sums.add(run)
  return sums.rows(policies)
}
