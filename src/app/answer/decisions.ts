/**
 * The one decision: what to set, by program, in one pass over transcripts that are read anyway. `ctxwin` alone, `recommend`
 * and the page print what stands here, so they cannot differ. The programs stand apart: a setting of one
 * changes nothing in the transcripts of another, and its share of the money would hide in the sum of all.
 */
import type { Chosen } from '../../base/chosen.ts'
import type { Shape } from '../../base/plain-shape.ts'
import type { Budget } from '../../model/budget.ts'
import type { Decision } from '../../model/recommendation.ts'
import type { TraceRun } from '../../model/run.ts'
import type { Tolerance } from '../../model/tolerance.ts'
import type { Trace, TranscriptHead } from '../../model/trace.ts'
import type { PolicyWithCard } from '../../policies/catalogue/card.ts'
import { measuredPiece } from '../files/piece-shapes.ts'
import type { Plan } from '../plan.ts'
import { CandidateSums, type Measured } from './candidate-sums.ts'
import { allSettings, overTargets, programOf, settingsFor, usualBudgets, usualTargets } from './candidates.ts'
import { decide, type Measurements } from './decide.ts'

/** What is tried; what is left out is what is usual. */
export interface Asked {
  /** Policies that the user named: they are tried on every transcript, whatever program wrote it, and decided for all as one. */
  readonly policies?: Plan['policies']
  readonly budgets?: readonly Budget[]
  /** Low watermarks for each policy that has one. */
  readonly targets?: readonly number[]
}

/** The transcripts that are decided for as one. */
interface Group extends Pick<Decision, 'scope' | 'program'> {
  readonly sums: CandidateSums
}

export class Decisions {
  /** All that is tried on any transcript: what has to be read for it. */
  readonly plan: Plan
  readonly #asked: Asked
  readonly #groups = new Map<string | null, Group>()

  /** @param plan how tokens are counted, and at what prices; its policies and budgets do not matter */
  constructor(plan: Plan, asked: Asked = {}) {
    const { budgets = usualBudgets } = asked
    this.#asked = asked
    const policies = asked.policies ?? [...allSettings(), ...settingsFor(null)]
    this.plan = { ...plan, policies: this.#over(policies), budgets, references: true }
  }

  /** What a transcript would add: nothing of it is added yet. */
  measure(trace: Trace): Measured {
    return this.#groupOf(trace.head).sums.measure(trace)
  }

  /** Whether that has been found out before, and takes no text. */
  knows(trace: Trace): boolean {
    return this.#groupOf(trace.head).sums.knows(trace)
  }

  /** What every value is of what a transcript adds. */
  readonly piece: Shape<Measured> = (value) => {
    const { run } = (value ?? {}) as { readonly run?: { readonly format?: unknown } | null }
    const { sums } = this.#groupOf({ format: String(run?.format) })
    return measuredPiece(sums.policies, sums.budgets)(value)
  }

  add(measured: Measured): void {
    this.#groupOf(measured.run).sums.add(measured)
  }

  /** What the decisions are made of. */
  measurements(): (Pick<Decision, 'scope' | 'program'> & { readonly measured: Measurements })[] {
    return [...this.#groups.values()]
      .map(({ scope, program, sums }) => ({ scope, program, measured: sums.result() }))
      .filter(({ measured }) => measured.transcripts > 0)
  }

  /** The one with most money first. */
  results(tolerance: Tolerance): Decision[] {
    return this.measurements()
      .map(({ scope, program, measured }): Decision => ({ scope, program, ...decide(measured, tolerance) }))
      .sort((a, b) => moneyOf(b) - moneyOf(a) || b.requests - a.requests)
  }

  #groupOf(head: Pick<TranscriptHead, 'format'> | Pick<TraceRun, 'format'>): Group {
    const isNamed = this.#asked.policies !== undefined
    const program = isNamed ? null : programOf(head)
    const known = this.#groups.get(program)
    if (known) return known
    const policies = isNamed ? this.plan.policies : this.#over(settingsFor(program))
    const scope = isNamed ? 'all' : program === null ? 'own' : 'program'
    const group: Group = { scope, program, sums: new CandidateSums({ ...this.plan, policies }, !isNamed) }
    this.#groups.set(program, group)
    return group
  }

  /** Each policy that has a low watermark, once with each that is tried. */
  #over(policies: Plan['policies'] | readonly Chosen<PolicyWithCard>[]): Plan['policies'] {
    const { targets = this.#asked.policies ? [] : usualTargets } = this.#asked
    return targets.length > 0 ? overTargets(policies, targets) : policies
  }
}

/** Where no price is known it has none: amounts in tokens say nothing beside amounts in money. */
function moneyOf({ unit, baseline }: Decision): number {
  return unit === 'usd' ? baseline.paid : -1
}
