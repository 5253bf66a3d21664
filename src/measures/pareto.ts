/**
 * Which setting to take: runs added up by policy, knobs and budget, the ones no other beats, and the cheapest that stays
 * under a budget. It says what the figures say and no more: what the agent would have missed is the other measures' part.
 */
import { type CostUnit, percent, type Run } from '../model/run.ts'

/** One policy with its knobs and its budget, over all transcripts. */
export interface Setting {
  readonly policy: string
  readonly params: Run['params']
  readonly budget: number
  readonly estimator: string
  readonly transcripts: number
  /** Null where the transcripts' costs are in different units: then each counts as a share of what it costs unpruned. */
  readonly unit: CostUnit | null
  /** Input and summaries. */
  readonly cost: number
  /** Input, had nothing been pruned. */
  readonly costFull: number
  readonly costSavedPercent: number
  readonly fullTokens: number
  /** Tokens the agent could still see, summed over the requests. */
  readonly sentTokens: number
  readonly peakTokens: number
  /** What a provider would refuse, counted as `validity` counts it. */
  readonly faults: number
}

/** One setting for each policy, knobs, budget and estimator, in the order they are met. */
export function settingsOf(runs: readonly Run[]): Setting[] {
  const groups = new Map<string, Run[]>()
  for (const run of runs) {
    const key = JSON.stringify([run.policy, run.params, run.budget, run.estimator])
    const group = groups.get(key)
    if (group) group.push(run)
    else groups.set(key, [run])
  }
  return [...groups.values()].map(settingOf)
}

function settingOf(runs: readonly Run[]): Setting {
  const { policy, params, budget, estimator, cost } = runs[0] as Run
  const unit = runs.every((run) => run.cost.unit === cost.unit) ? cost.unit : null
  const sum = (value: (run: Run) => number): number => runs.reduce((total, run) => total + value(run), 0)
  const scale = (run: Run): number => (unit === null ? 1 / (run.cost.inputFull || 1) : 1)
  const spent = sum((run) => (run.cost.input + run.cost.summaries) * scale(run))
  const costFull = sum((run) => run.cost.inputFull * scale(run))
  return {
    policy,
    params,
    budget,
    estimator,
    transcripts: runs.length,
    unit,
    cost: spent,
    costFull,
    costSavedPercent: percent(costFull - spent, costFull),
    fullTokens: sum((run) => run.fullTokens),
    sentTokens: sum((run) => run.sentTokens),
    peakTokens: runs.reduce((most, run) => Math.max(most, run.peakTokens), 0),
    faults: sum((run) => Object.values(run.validity).reduce((total, count) => total + count, 0)),
  }
}

/**
 * The Pareto front: the items that no other is at least as good as in every respect, and better in one. Items that are
 * equal in all respects stay together.
 * @param losses what is to be small, each as a number; negate what is to be large
 */
export function paretoFront<T>(items: readonly T[], losses: readonly ((item: T) => number)[]): T[] {
  const values = items.map((item) => losses.map((loss) => loss(item)))
  const beats = (one: readonly number[], other: readonly number[]): boolean =>
    one.every((value, at) => value <= (other[at] as number)) && one.some((value, at) => value < (other[at] as number))
  return items.filter((_, at) => !values.some((one) => beats(one, values[at] as readonly number[])))
}

/** The front of cost against what the agent could still see. */
export function cheapAndFull(settings: readonly Setting[]): Setting[] {
  return paretoFront(settings, [({ cost }) => cost, ({ sentTokens }) => -sentTokens])
}

export interface Recommendation {
  /** The cheapest of those that fit; of two as cheap, the one that keeps more. Null when none fits. */
  readonly best: Setting | null
  /** All that fit, cheapest first. */
  readonly fitting: readonly Setting[]
  /** Those with a request over the budget, the smallest peak first. */
  readonly over: readonly Setting[]
  /** Those a provider would refuse more often than the transcripts themselves bring with them. */
  readonly refused: readonly Setting[]
}

/**
 * The cheapest policy and setting that stays under a budget, with the figures it rests on. A setting fits when no request it
 * sends is over the budget, and it brings no fault that another setting does not have.
 * @param budget tokens, of each request
 */
export function recommend(settings: readonly Setting[], budget: number): Recommendation {
  const faults = settings.reduce((least, setting) => Math.min(least, setting.faults), Infinity)
  const refused = settings.filter((setting) => setting.faults > faults)
  const sound = settings.filter((setting) => setting.faults === faults)
  const over = sound.filter(({ peakTokens }) => peakTokens > budget).sort((a, b) => a.peakTokens - b.peakTokens)
  const fitting = sound
    .filter(({ peakTokens }) => peakTokens <= budget)
    .sort((a, b) => a.cost - b.cost || b.sentTokens - a.sentTokens)
  return { best: fitting[0] ?? null, fitting, over, refused }
}
