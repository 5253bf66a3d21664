/** Policies tried on sessions that are kept in memory, so that a search can go by what it has found. */
import { type Chosen, choose } from '../../base/chosen.ts'
import { Column } from '../../base/column.ts'
import { pluginWords } from '../../check/labels.ts'
import { type CostUnit, refusals, sourced } from '../../model/run.ts'
import { allowedBy, type Tolerance } from '../../model/tolerance.ts'
import type { TunedKind } from '../../model/tuning.ts'
import asRecorded from '../../policies/as-recorded.ts'
import type { Card } from '../../policies/catalogue/card.ts'
import type { Policy } from '../../policies/policy.ts'
import type { Case } from '../../simulator/case.ts'
import { type Figures, figuresOf } from '../../simulator/figures.ts'
import { isFor } from '../answer/candidates.ts'
import { type ExtraLoss, extraLossIn, type Sample, type Saving, savingIn, type Tried } from '../answer/forecast.ts'

/** A policy that is tried, at a budget. */
export interface Candidate {
  readonly kind: TunedKind
  readonly policy: Chosen<Policy & Partial<Card>>
  readonly budget: number
  /** It is tried on every session; without it, a policy of a program changes only those of that. */
  readonly everywhere?: true
}

/** By session. Money is 0 for a session whose model has no known price, where others have one. */
interface Columns {
  readonly paid: Float64Array
  readonly content: Float64Array
  readonly names: Float64Array
  /** Requests that are refused, without the newest prompt, or over the model's window. */
  readonly faults: Float64Array
}

export interface Trial {
  readonly candidate: Candidate
  readonly columns: Columns
}

/** What a trial comes to in some of the sessions, against today. */
export interface Outcome {
  readonly paid: number
  readonly saving: Saving
  readonly content: ExtraLoss
  readonly names: ExtraLoss
  readonly fits: boolean
}

const losses = ['content', 'names'] as const
type Loss = (typeof losses)[number]

export class Trials {
  /** By session: how many later uses there are. */
  readonly uses: Readonly<Record<Loss, Float64Array>>
  readonly today: Columns
  readonly all: Int32Array
  readonly #cases: readonly Case[]
  readonly #isCosted: readonly boolean[]
  readonly #known = new Map<string, Trial>()

  /** @param cases read with their text and for references */
  constructor(cases: readonly Case[]) {
    const unit = unitOf(cases)
    this.#cases = cases
    this.#isCosted = cases.map(({ pricing }) => pricing.unit === unit)
    this.all = Int32Array.from(cases, (_, at) => at)
    const uses = { content: Column.float64(), names: Column.float64() }
    this.today = this.#columns((facts) => {
      const figures = triedOn(facts, choose<Policy>(asRecorded), 0)
      uses.content.push(sourced(figures.references.headline))
      uses.names.push(sourced(figures.references.named))
      return figures
    })
    this.uses = { content: uses.content.values(), names: uses.names.values() }
  }

  get tried(): readonly Trial[] {
    return [...this.#known.values()]
  }

  /** Costs a replay of every session, where the candidate has not been tried. */
  try(candidate: Candidate): Trial {
    const { policy, budget, everywhere } = candidate
    const key = `${pluginWords(policy.plugin, policy.values)} ${budget}`
    const known = this.#known.get(key)
    if (known) return known
    const columns = this.#columns((facts) =>
      everywhere || isFor(policy.plugin, facts.trace.head)
        ? triedOn(facts, policy, budget)
        : triedOn(facts, choose<Policy>(asRecorded), 0),
    )
    const trial = { candidate, columns }
    this.#known.set(key, trial)
    return trial
  }

  /** @param sessions which of them count */
  outcome({ columns }: Trial, tolerance: Tolerance, sessions: ArrayLike<number> = this.all): Outcome {
    const of = (loss: Loss): ExtraLoss => extraLossIn(this.#sample(loss), tried(columns, loss), sessions)
    const isWithin = (loss: Loss): boolean => {
      const sum = (column: Float64Array) => sumOf(column, sessions)
      return sum(columns[loss]) <= allowedBy(tolerance, sum(this.today[loss]), sum(this.uses[loss]))
    }
    return {
      paid: sumOf(columns.paid, sessions),
      saving: savingIn(this.#sample('content'), tried(columns, 'content'), sessions),
      content: of('content'),
      names: of('names'),
      fits: losses.every(isWithin) && sumOf(columns.faults, sessions) <= sumOf(this.today.faults, sessions),
    }
  }

  /** Of these the cheapest that is within the tolerance and costs less than today; null if none is. */
  best(trials: readonly Trial[], tolerance: Tolerance, sessions: ArrayLike<number> = this.all): Trial | null {
    const fitting = trials
      .map((trial) => ({ trial, outcome: this.outcome(trial, tolerance, sessions) }))
      .filter(({ outcome }) => outcome.fits && outcome.saving.percent > 0)
    return fitting.sort((one, other) => one.outcome.paid - other.outcome.paid)[0]?.trial ?? null
  }

  #sample(loss: Loss): Sample {
    return { paid: this.today.paid, uses: this.uses[loss], lost: this.today[loss] }
  }

  #columns(of: (facts: Case) => Figures): Columns {
    const all = this.#cases.map((facts, at) => {
      const { cost, references, validity, overWindowRequests } = of(facts)
      const refused = refusals.reduce((sum, fault) => sum + validity[fault], 0)
      return {
        paid: this.#isCosted[at] ? cost.paid : 0,
        content: references.headline.sourceLost,
        names: references.named.sourceLost,
        faults: refused + validity.lostLatestUser + overWindowRequests,
      }
    })
    const column = (key: keyof Columns) => Float64Array.from(all, (one) => one[key])
    return { paid: column('paid'), content: column('content'), names: column('names'), faults: column('faults') }
  }
}

export function unitOf(cases: readonly Case[]): CostUnit {
  return cases.some(({ pricing }) => pricing.unit === 'usd') ? 'usd' : 'input-token-equivalents'
}

export function sumOf(column: Float64Array, sessions: ArrayLike<number>): number {
  let sum = 0
  for (let nth = 0; nth < sessions.length; nth++) sum += column[sessions[nth] as number] as number
  return sum
}

function tried({ paid, ...lost }: Columns, loss: Loss): Tried {
  const none = new Float64Array(paid.length)
  return { paid, unsure: none, depth: none, lost: lost[loss], cuts: true }
}

function triedOn(facts: Case, policy: Chosen<Policy>, budget: number): Figures {
  return figuresOf({ policy, facts, budget })
}
