/**
 * What each program could be set to, in one pass over transcripts that are read anyway. The programs stand apart: a setting
 * of one changes nothing in the transcripts of another, and its share of the money would hide in the sum of all.
 *
 * Losses are judged by content alone, which is the headline of `recommend` too: looking for paths, errors and names too
 * would make the whole pass a third longer.
 */
import type { Shape } from '../base/plain-shape.ts'
import type { ProgramRecommendation } from '../model/sessions.ts'
import type { DigestKind, Trace } from '../model/trace.ts'
import { content } from '../references/digest.ts'
import { CandidateSums, type Measured } from './candidate-sums.ts'
import { settingsByProgram, usualBudgets } from './candidates.ts'
import { decide, noMoreThanBaseline } from './decide.ts'
import { measuredPiece } from './piece-shapes.ts'
import type { Plan } from './plan.ts'

export class ProgramSums {
  /** All that any of the programs can be set to. */
  readonly plan: Plan
  readonly #programs: ReadonlyMap<string, CandidateSums>

  /** @param plan how tokens are counted, and at what prices; its policies and budgets do not matter */
  constructor(plan: Plan) {
    const settings = settingsByProgram()
    const tried = { ...plan, budgets: usualBudgets, references: true }
    this.plan = { ...tried, policies: [...settings.values()].flat() }
    this.#programs = new Map(
      [...settings].map(([format, policies]) => [format, new CandidateSums({ ...tried, policies }, true)]),
    )
  }

  readonly digest: DigestKind = {
    ...content,
    name: 'content of programs with settings',
    of: (head, state) => (this.#programs.has(head.format) ? content.of(head, state) : null),
  }

  /** What a transcript would add, nothing of which is added yet; null for a program without a setting. */
  measure(trace: Trace): Measured | null {
    return this.#programs.get(trace.head.format)?.measure(trace) ?? null
  }

  /** What every value is of what a transcript of one of these programs adds. */
  readonly piece: Shape<Measured> = (value) => {
    const { run } = (value ?? {}) as { readonly run?: { readonly format?: unknown } | null }
    const sums = this.#programs.get(String(run?.format))
    return sums ? measuredPiece(sums.policies, sums.budgets)(value) : 'run.format'
  }

  add(measured: Measured): void {
    this.#programs.get(measured.run.format)?.add(measured)
  }

  results(): ProgramRecommendation[] {
    return [...this.#programs]
      .map(([format, sums]) => ({ format, measured: sums.result() }))
      .filter(({ measured }) => measured.transcripts > 0)
      .map(({ format, measured }) => ({ format, ...decide(measured, noMoreThanBaseline) }))
      .sort((a, b) => b.transcripts - a.transcripts)
  }
}
