/** What each budget of a grid would save and lose, over all transcripts: in one pass where the policy allows it. */

import type { Chosen } from '../base/chosen.ts'
import { CtxwinError } from '../base/errors.ts'
import type { Estimator } from '../estimators/estimator.ts'
import { rounded } from '../measures/cost.ts'
import { type Budget, shareOf } from '../model/budget.ts'
import type { Curve, CurvePart, CurvePoint, Knee } from '../model/curve.ts'
import { hasLateResult } from '../model/exchanges.ts'
import { percent, type Rereads, sourced, type TraceRun } from '../model/run.ts'
import { allowedBy, type Tolerance } from '../model/tolerance.ts'
import type { Trace } from '../model/trace.ts'
import type { Policy } from '../policies/policy.ts'
import type { Baseline } from '../simulator/baseline.ts'
import type { Case, Ceiling } from '../simulator/case.ts'
import { onePass } from '../simulator/one-pass.ts'
import { Rows } from '../simulator/rows.ts'
import { type Cell, simulateOne } from '../simulator/simulate.ts'
import { caseOf, casesOf, fixedBaseline, type Plan } from './plan.ts'
import { RunSum } from './sum.ts'

/** One curve of a plan. */
interface Asked {
  readonly policy: Chosen<Policy>
  readonly estimator: Chosen<Estimator>
  /** The number of the estimator in the plan. */
  readonly index: number
}

/** One transcript: for each curve of the plan a part for each budget of the grid. */
export interface TranscriptParts {
  readonly exchanges: number
  readonly requests: number
  /** The budgets of the grid in this transcript. */
  readonly ceilings: readonly Ceiling[]
  readonly parts: readonly (readonly CurvePart[])[]
  /** The baseline, counted by each estimator. */
  readonly baselines: readonly TraceRun[]
}

/** Adds up transcripts; the budgets of the plan are the grid. */
export class CurveBuilder {
  readonly #plan: Plan
  /** Ascending. */
  readonly #budgets: readonly Budget[]
  readonly #curves: { readonly asked: Asked; readonly sums: Sum[]; method: Curve['method'] }[]
  readonly #baseline: Baseline
  /** For each estimator. */
  readonly #baselines: readonly RunSum[]
  #transcripts = 0
  #exchanges = 0
  #requests = 0

  /**
   * @throws CtxwinError for tokens and shares of a window in one grid: which of them is larger depends on the transcript; and
   * for the policies' own, which are no grid
   */
  constructor(plan: Plan) {
    this.#plan = plan
    this.#baseline = fixedBaseline(plan)
    this.#baselines = plan.estimators.map(() => new RunSum())
    const budgets = [...new Set(plan.budgets)]
    const kinds = new Set(budgets.filter((budget) => budget !== 0).map((budget) => shareOf(budget) === null))
    if (kinds.size > 1 || budgets.includes('own')) {
      throw new CtxwinError('usage', 'give all budgets of a curve in tokens, or all as shares of the model’s window')
    }
    // 0, which is no budget, sorts as the largest.
    this.#budgets = budgets.sort((a, b) => (sizeOf(a) || Infinity) - (sizeOf(b) || Infinity))
    this.#curves = plan.policies.flatMap((policy) =>
      plan.estimators.map((estimator, index) => ({
        asked: { policy, estimator, index },
        sums: this.#budgets.map((budget) => new Sum(budget)),
        method: canPass(policy, plan.native === true) ? 'one-pass' : 'replay',
      })),
    )
  }

  /** What a transcript would add: nothing of it is added yet. */
  measure(trace: Trace): TranscriptParts {
    let exchanges = 0
    for (let index = 0; index < trace.length; index++) if (trace.isPrompt(index)) exchanges++
    const plan = this.#plan
    const cases = casesOf(trace, plan)
    const facts = caseOf(trace, plan)
    const ceilings = this.#budgets.map((budget) => facts.ceiling(budget, {}))
    const ofCurve = this.#curves.map(({ asked }) => [asked.policy, cases[asked.index] as Case] as const)
    return {
      exchanges,
      requests: trace.requests,
      ceilings,
      parts: ofCurve.map(([policy, facts]) => partsOf(policy, facts, ceilings)),
      baselines: cases.map((facts) => simulateOne({ policy: this.#baseline.policy, facts, budget: 0 }, [])),
    }
  }

  /** @param transcript as this builder measured it */
  add({ exchanges, requests, ceilings, parts, baselines }: TranscriptParts): void {
    for (const [nth, run] of baselines.entries()) this.#baselines[nth]?.add(run)
    this.#transcripts++
    this.#exchanges += exchanges
    this.#requests += requests
    for (const [nth, { sums }] of this.#curves.entries()) {
      for (const [at, part] of (parts[nth] ?? []).entries()) sums[at]?.add(part, ceilings[at] as Ceiling)
    }
  }

  /**
   * @param tolerance what a knee may lose
   * @param trim leave out the budgets at which nothing is pruned any more, and the smallest beyond sixteen
   */
  result(tolerance: Tolerance, trim: boolean): Curve[] {
    const curves = this.#curves.map(({ asked, sums, method }): Curve => {
      const held = this.#baselines[asked.index] as RunSum
      const { cost, references } = held
      const paid = cost.input + cost.summaries
      const points = sums.map((sum) => sum.result(paid))
      const losses = references?.headline
      return {
        policy: asked.policy.plugin.name,
        params: asked.policy.values,
        estimator: asked.estimator.plugin.name,
        method,
        transcripts: this.#transcripts,
        exchanges: this.#exchanges,
        requests: this.#requests,
        bill: held.spent,
        baseline: {
          name: this.#baseline.name,
          unit: cost.unit,
          paid: rounded(paid),
          lost: losses?.sourceLost ?? 0,
          total: losses ? sourced(losses) : 0,
        },
        points,
        knee: null,
      }
    })
    const [from, to] = trim ? telling(curves) : [0, this.#budgets.length]
    return curves.map((curve) => {
      const points = curve.points.slice(from, to)
      return { ...curve, points, knee: kneeOf(points, tolerance, curve.baseline.lost) }
    })
  }
}

const mostPoints = 16

/** The range of budgets that say something: from the last that are all the same to the first that prunes nothing. */
function telling(curves: readonly Curve[]): [from: number, to: number] {
  const enough = curves.map(({ points }) => {
    const at = points.findIndex(({ savedTokens, overBudgetRequests }) => savedTokens === 0 && overBudgetRequests === 0)
    return at < 0 ? points.length : at + 1
  })
  const to = enough.reduce((most, at) => Math.max(most, at), 0)
  const isFloor = (at: number) => curves.every(({ points }) => points[at]?.sentTokens === points[at + 1]?.sentTokens)
  let from = Math.max(0, to - mostPoints)
  while (from + 1 < to && isFloor(from)) from++
  return [from, to]
}

function kneeOf(points: readonly CurvePoint[], tolerance: Tolerance, before: number): Knee | null {
  for (const { budget, budgetAsked, references } of points) {
    const losses = references?.headline
    if (!losses || sourced(losses) === 0) continue
    if (losses.sourceLost <= allowedBy(tolerance, before, sourced(losses))) {
      const asked = budgetAsked === undefined ? {} : { budgetAsked }
      return { budget, ...asked, heldPercent: percent(sourced(losses) - losses.sourceLost, sourced(losses)) }
    }
  }
  return null
}

function sizeOf(budget: Budget): number {
  return shareOf(budget) ?? Number(budget)
}

function canPass({ plugin, values }: Chosen<Policy>, native: boolean): boolean {
  return Boolean(plugin.suffix?.(values)) && !(native && plugin.native)
}

function partsOf(policy: Chosen<Policy>, facts: Case, ceilings: readonly Ceiling[]): CurvePart[] {
  const { plugin, values } = policy
  // With a late result, what stays is no suffix: exchanges are bound together, and a result without its call is not taken in.
  const canBe = canPass(policy, facts.inputs.native) && !(plugin.wholePairs && hasLateResult(facts.trace))
  const rule = canBe ? plugin.suffix?.(values) : null
  if (!rule) return ceilings.map((ceiling) => replayed({ policy, facts, ...ceiling }))
  const budgets = ceilings.map(({ budget }) => budget)
  return onePass(facts, rule, budgets)
}

/** The same figures from a replay. */
function replayed(cell: Cell): CurvePart {
  const rows = new Rows('exchange', cell.budget)
  const run = simulateOne(cell, [rows])
  const over = rows.result().filter(({ exchange, overBudgetRequests }) => exchange >= 0 && overBudgetRequests > 0)
  const { references } = run
  return {
    fullTokens: run.fullTokens,
    sentTokens: run.sentTokens,
    peakTokens: run.peakTokens,
    overBudgetRequests: run.overBudgetRequests,
    overBudgetExchanges: over.length,
    cost: run.cost,
    ...(references ? { references: { ...references, ...readsOf(references.rereads) } } : {}),
  }
}

function readsOf({ fault, known, foretold }: Rereads): Pick<PointReferences, 'faults' | 'known' | 'foretold'> {
  return { faults: fault, known, foretold }
}

type PointReferences = NonNullable<CurvePoint['references']>

const pointCounts = ['exchangesHit', 'partlyLost', 'faults', 'known', 'foretold'] as const

/** One budget, over all transcripts. */
class Sum {
  /** The most of the transcripts. */
  #ceiling: Ceiling
  readonly #sum = new RunSum()
  #overExchanges = 0
  readonly #counts = { exchangesHit: 0, partlyLost: 0, faults: 0, known: 0, foretold: 0 }

  constructor(budget: Budget) {
    this.#ceiling = typeof budget === 'number' ? { budget } : { budget: 0, budgetAsked: budget }
  }

  add(part: CurvePart, ceiling: Ceiling): void {
    this.#ceiling = { ...ceiling, budget: Math.max(this.#ceiling.budget, ceiling.budget) }
    this.#sum.add(part)
    this.#overExchanges += part.overBudgetExchanges
    for (const key of pointCounts) this.#counts[key] += part.references?.[key] ?? 0
  }

  /** @param before what the baseline costs */
  result(before: number): CurvePoint {
    const { fullTokens, sentTokens, savedTokens, savedPercent, peakTokens, overBudgetRequests, cost } = this.#sum
    return {
      ...this.#ceiling,
      fullTokens,
      sentTokens,
      savedTokens,
      savedPercent,
      peakTokens,
      overBudgetRequests,
      overBudgetExchanges: this.#overExchanges,
      cost,
      saved: {
        cost: rounded(before - cost.input - cost.summaries),
        percent: percent(before - cost.input - cost.summaries, before),
      },
      ...this.#references(),
    }
  }

  #references(): Pick<CurvePoint, 'references'> {
    if (!this.#sum.references) return {}
    const { headline, named, copied, ...all } = this.#sum.references
    return { references: { ...all, ...this.#counts, headline, named, copied } }
  }
}
