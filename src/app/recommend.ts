/** Recommends: of many policies and budgets over the same transcripts the cheapest that loses no more than it may. */
import type { Recommendation } from '../model/recommendation.ts'
import type { Diagnostic } from '../model/run.ts'
import type { Tolerance } from '../model/tolerance.ts'
import type { ReadFiles } from './analysis.ts'
import { CandidateSums, type Measured } from './candidate-sums.ts'
import { decide, noMoreThanBaseline } from './decide.ts'
import { measuredPiece } from './piece-shapes.ts'
import type { Plan } from './plan.ts'
import { problemsOf } from './read-sources.ts'

export interface RecommendSettings {
  /** Default: what the baseline loses. */
  readonly tolerance?: Tolerance
  /**
   * Leave out what a person cannot have: params and budgets that a program does not accept; and where a transcript is of
   * another program, a policy leaves it as under the baseline.
   */
  readonly onlyAvailable?: boolean
}

/**
 * The policies of the plan at each of its budgets, and which of them to take. Its first estimator counts.
 * @throws CtxwinError for a baseline with a budget of its own
 */
export async function recommend(
  read: ReadFiles,
  plan: Plan,
  { tolerance = noMoreThanBaseline, onlyAvailable = false }: RecommendSettings = {},
): Promise<Recommendation> {
  const measured = { ...plan, references: true }
  const sums = new CandidateSums(measured, onlyAvailable)
  const diagnostics: Diagnostic[] = []
  const files = read({
    plan: measured,
    measure: (trace) => sums.measure(trace),
    copied: null,
    piece: measuredPiece(sums.policies, sums.budgets),
    start: (): Measured[] => [],
    add: (part, piece) => part.push(piece),
  })
  for await (const { source, report, part, copies } of files) {
    for (const copy of copies) diagnostics.push(copy)
    for (const one of part) sums.add(one)
    for (const problem of problemsOf(source.name, report)) diagnostics.push(problem)
  }
  return { schemaVersion: 1, ...decide(sums.result(), tolerance), diagnostics }
}
