/** Recommends: of many policies and budgets over the same transcripts the cheapest that loses no more than it may, by program. */

import { door, type Options } from '../../base/door.ts'
import { count, either, oneOf, optional, orNull } from '../../base/plain-shape.ts'
import { type Recommendation, type Risk, risks } from '../../model/recommendation.ts'
import type { Diagnostic } from '../../model/run.ts'
import type { Tolerance } from '../../model/tolerance.ts'
import type { Source } from '../../readers/lines/source.ts'
import { type ReadFiles, readingHere } from '../analysis.ts'
import { planOf, planOptions, reading, toleranceShape } from '../doors.ts'
import { problemsOf, type ReadSettings, type Unread } from '../files/read-sources.ts'
import type { Plan } from '../plan.ts'
import type { Measured } from './candidate-sums.ts'
import type { Choice } from './decide.ts'
import { type Asked, Decisions } from './decisions.ts'

export interface RecommendSettings extends Asked, Omit<ReadSettings, 'by'> {
  /** Default `balanced`. */
  readonly risk?: Risk
  /** A limit of what may be lost, in place of a price. */
  readonly tolerance?: Tolerance | null
}

/**
 * Recommends over many files.
 * @param plan how tokens are counted, and at what prices: its first estimator counts; what is tried the settings say
 * @param sources each is read to its end before the next; those of an array also tell of each other (docs/estimators.md)
 * @param unread called for each source that failed, which is not counted. Without it the first such source throws.
 * @throws CtxwinError for a baseline with a budget of its own
 */
export async function recommendSources(
  sources: Iterable<Source>,
  plan: Plan,
  settings: RecommendSettings = {},
  unread?: Unread,
): Promise<Recommendation> {
  const sound = enter(settings)
  return recommend(readingHere(sources, sound, unread), planOf(plan), sound)
}

const { by: _, ...readingWithoutRows } = reading

const enter = door('recommendSources', {
  ...readingWithoutRows,
  policies: [optional(planOptions.policies[0]), planOptions.policies[1]],
  budgets: [optional(planOptions.budgets[0]), planOptions.budgets[1]],
  sessions: [optional(either(oneOf(['all']), count)), 'a number, or `all`'],
  risk: [optional(oneOf(risks)), risks.join(', ')],
  tolerance: [optional(orNull(toleranceShape)), '{ over, percent }'],
} satisfies Options<RecommendSettings>)

/** The same of files that are read somewhere. */
export async function recommend(
  read: ReadFiles,
  plan: Plan,
  { risk = 'balanced', tolerance = null, ...asked }: Pick<RecommendSettings, keyof Asked | keyof Choice> = {},
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
  return { schemaVersion: 1, decisions: decisions.results({ risk, tolerance }), diagnostics }
}
