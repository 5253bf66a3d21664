/** Recommends: of many policies and budgets over the same transcripts the cheapest that loses no more than it may, by program. */
import type { Recommendation } from '../model/recommendation.ts'
import type { Diagnostic } from '../model/run.ts'
import type { Tolerance } from '../model/tolerance.ts'
import type { ReadFiles } from './analysis.ts'
import type { Measured } from './candidate-sums.ts'
import { noMoreThanBaseline } from './decide.ts'
import { type Asked, Decisions } from './decisions.ts'
import type { Plan } from './plan.ts'
import { problemsOf } from './read-sources.ts'

export interface RecommendSettings extends Asked {
  /** Default: what the baseline loses. */
  readonly tolerance?: Tolerance
}

/**
 * @param plan how tokens are counted, and at what prices: its first estimator counts
 * @throws CtxwinError for a baseline with a budget of its own
 */
export async function recommend(
  read: ReadFiles,
  plan: Plan,
  { tolerance = noMoreThanBaseline, ...asked }: RecommendSettings = {},
): Promise<Recommendation> {
  const decisions = new Decisions(plan, asked)
  const diagnostics: Diagnostic[] = []
  const files = read({
    plan: decisions.plan,
    measure: (trace) => decisions.measure(trace),
    knows: (trace) => decisions.knows(trace),
    copied: null,
    piece: decisions.piece,
    start: (): Measured[] => [],
    add: (part, piece) => part.push(piece),
  })
  for await (const { source, report, part, copies } of files) {
    for (const copy of copies) diagnostics.push(copy)
    for (const one of part) decisions.add(one)
    for (const problem of problemsOf(source.name, report)) diagnostics.push(problem)
  }
  return { schemaVersion: 1, decisions: decisions.results(tolerance), diagnostics }
}
