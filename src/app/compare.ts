/**
 * Policies side by side: the runs of many transcripts added up to a row for each policy, knobs, budget and estimator;
 * which rows are best in what, which of them nothing beats, and which one to take.
 */
import { plugWords } from '../check/labels.ts'
import { paretoFront } from '../measures/pareto.ts'
import {
  type Comparison,
  type ComparisonCost,
  type ComparisonReferences,
  type ComparisonRow,
  losesReferences,
  type Recommendation,
} from '../model/comparison.ts'
import { addLosses, type CostUnit, percent, type Run, type Simulation, type Validity } from '../model/run.ts'
import type { Policy } from '../policies/policy.ts'
import type { Chosen } from '../simulator/simulate.ts'

/** What every other row is measured against. */
export const unpruned = 'keep-all'

/** It tells what the agent did in these transcripts, and can do nothing in others. */
const notToTake = 'as-recorded'

/** Each policy that has a `target`, once with each of these instead of its own; the others as they are. */
export function overTargets(chosen: readonly Chosen<Policy>[], targets: readonly number[]): Chosen<Policy>[] {
  return chosen.flatMap(({ plug, values }) =>
    Object.hasOwn(plug.params, 'target')
      ? targets.map((target) => ({ plug, values: { ...values, target } }))
      : [{ plug, values }],
  )
}

/** @param recommends whether to say which row to take */
export function comparisonOf(
  { schemaVersion, runs, diagnostics }: Simulation,
  policies: readonly Chosen<Policy>[],
  recommends: boolean,
): Comparison {
  const rows = compareRuns(runs, policies)
  const faults = new Set(Object.keys(rows[0]?.validity ?? {}))
  return {
    schemaVersion,
    rows,
    ...(recommends ? { recommendation: recommend(rows) } : {}),
    // Faults are a policy's, and counted in its row; the rest is about the input.
    diagnostics: diagnostics.filter(({ code }) => !faults.has(code)),
  }
}

/**
 * A row for each policy, knobs, budget and estimator, cheapest first; rows of different estimators are not compared.
 *
 * @param policies those of the plan: what is a default is theirs to say
 */
export function compareRuns(runs: readonly Run[], policies: readonly Chosen<Policy>[]): ComparisonRow[] {
  const plugs = new Map(policies.map(({ plug }) => [plug.name, plug]))
  const groups = new Map<string, Run[]>()
  for (const run of runs) {
    const key = JSON.stringify([run.policy, run.params, run.budget, askedOf(run)])
    const group = groups.get(key)
    if (group) group.push(run)
    else groups.set(key, [run])
  }
  const rows = [...groups.values()].map((group): Summed => {
    const { policy, params } = group[0] as Run
    return sum(group, plugWords(plugs.get(policy) ?? { name: policy, params: {} }, params))
  })
  return [...new Set(rows.map(({ estimator }) => estimator))].flatMap((estimator) => {
    const counted = rows.filter((row) => row.estimator === estimator).sort(cheapestFirst)
    const best = bestOf(counted)
    const front = new Set(paretoFront(counted, [({ cost }) => cost.paid, lossOf(counted)]))
    return counted.map((row) => ({
      ...row,
      front: front.has(row),
      best: best.filter(({ has }) => has(row)).map(({ key }) => key),
    }))
  })
}

/** One row for `auto`, whatever it came to in each transcript. */
function askedOf({ estimator, estimatorAsked }: Run): string {
  return estimatorAsked ?? estimator
}

type Summed = Omit<ComparisonRow, 'front' | 'best'>

function sum(runs: readonly Run[], setting: string): Summed {
  const [run] = runs as readonly [Run]
  const { policy, params, budget } = run
  const total = (value: (run: Run) => number): number => runs.reduce((sum, run) => sum + value(run), 0)
  const fullTokens = total((run) => run.fullTokens)
  const sentTokens = total((run) => run.sentTokens)
  return {
    setting,
    policy,
    params,
    budget,
    estimator: askedOf(run),
    transcripts: runs.length,
    requests: total((run) => run.requests),
    fullTokens,
    sentTokens,
    savedTokens: fullTokens - sentTokens,
    savedPercent: percent(fullTokens - sentTokens, fullTokens),
    peakTokens: runs.reduce((peak, run) => Math.max(peak, run.peakTokens), 0),
    overBudgetRequests: total((run) => run.overBudgetRequests),
    overWindowRequests: total((run) => run.overWindowRequests),
    cuts: total((run) => run.cuts.length),
    invalidRequests: total((run) => run.exact.invalidRequests),
    validity: {
      orphanResults: total((run) => run.validity.orphanResults),
      orphanCalls: total((run) => run.validity.orphanCalls),
      firstNotUser: total((run) => run.validity.firstNotUser),
      emptyMessages: total((run) => run.validity.emptyMessages),
      lostLatestUser: total((run) => run.validity.lostLatestUser),
    },
    cost: costOf(runs, sentTokens),
    ...referencesOf(runs),
  }
}

function referencesOf(runs: readonly Run[]): { references?: ComparisonReferences } {
  const all = runs.flatMap(({ references }) => references ?? [])
  if (all.length === 0) return {}
  return { references: { ...addLosses(all), headline: addLosses(all.map(({ headline }) => headline)) } }
}

/**
 * Dollars and token equivalents have no sum, so the transcripts without a price are left out of the amounts where others
 * have one: they are the same for every policy.
 */
function costOf(runs: readonly Run[], sentTokens: number): ComparisonCost {
  const isPriced = ({ cost }: Run): boolean => cost.unit === 'usd'
  const unit: CostUnit = runs.some(isPriced) ? 'usd' : 'input-token-equivalents'
  const counted = unit === 'usd' ? runs.filter(isPriced) : runs
  const amount = (key: 'input' | 'inputFull' | 'output' | 'summaries'): number =>
    millionths(counted.reduce((sum, { cost }) => sum + cost[key], 0))
  const [input, inputFull, summaries] = [amount('input'), amount('inputFull'), amount('summaries')]
  return {
    unit,
    transcripts: counted.length,
    pricesAsOf: counted.map(({ cost }) => cost.pricesAsOf).sort()[0] as string,
    paid: millionths(input + summaries),
    input,
    inputFull,
    output: amount('output'),
    summaries,
    savedPercent: percent(inputFull - input - summaries, inputFull),
    cacheHitPercent: percent(
      runs.reduce((sum, { exact }) => sum + exact.cacheHitTokens, 0),
      sentTokens,
    ),
    prefixBreaks: runs.reduce((sum, { cost }) => sum + cost.prefixBreaks, 0),
  }
}

function millionths(amount: number): number {
  return Math.round(amount * 1e6) / 1e6
}

function cheapestFirst(a: Summed, b: Summed): number {
  return a.cost.paid - b.cost.paid || (a.setting < b.setting ? -1 : a.setting > b.setting ? 1 : a.budget - b.budget)
}

/**
 * What the agent had to do without: references, or, where they were not measured or no row has lost any, tokens. A policy
 * that adds more than it drops has kept no more for it.
 */
function lossOf(rows: readonly Summed[]): (row: Summed) => number {
  return losesReferences(rows)
    ? ({ references }) => references?.headline.sourceLost ?? 0
    : ({ sentTokens, fullTokens }) => -Math.min(sentTokens, fullTokens)
}

/** What rows can be best in, with the figure that is then the lowest. */
const merits: readonly (readonly [key: string, figure: (row: Summed) => number])[] = [
  ['sentTokens', (row) => row.sentTokens],
  ['savedTokens', (row) => -row.savedTokens],
  ['savedPercent', (row) => -row.savedPercent],
  ['peakTokens', (row) => row.peakTokens],
  ['overBudgetRequests', (row) => row.overBudgetRequests],
  ['invalidRequests', (row) => row.invalidRequests],
  ['cost.paid', ({ cost }) => cost.paid],
  ['cost.savedPercent', ({ cost }) => -cost.savedPercent],
  ['cost.cacheHitPercent', ({ cost }) => -cost.cacheHitPercent],
  ['cost.prefixBreaks', ({ cost }) => cost.prefixBreaks],
  ['references.headline.sourceLostPercent', ({ references }) => references?.headline.sourceLostPercent ?? 0],
]

/** Where all rows are the same none is best. */
function bestOf(rows: readonly Summed[]): { key: string; has: (row: Summed) => boolean }[] {
  return merits.flatMap(([key, figure]) => {
    const best = rows.reduce((least, row) => Math.min(least, figure(row)), Infinity)
    return rows.every((row) => figure(row) === best) ? [] : [{ key, has: (row: Summed) => figure(row) === best }]
  })
}

/**
 * The cheapest row that no provider would refuse more of than it refuses of the unpruned history, kind of fault by kind,
 * and that has the fewest requests over its budget among those: none, where that can be had. Of two as cheap the one
 * that keeps more. Rows of the first estimator only.
 *
 * @returns null when there is no row that can be taken, or nothing unpruned to measure it against
 */
export function recommend(rows: readonly ComparisonRow[]): Recommendation | null {
  const counted = rows.filter(({ estimator }) => estimator === rows[0]?.estimator)
  const candidates = counted.flatMap((row) => {
    const keepAll = counted.find(({ policy, budget }) => policy === unpruned && budget === row.budget)
    return keepAll && row.policy !== notToTake && !addsFaults(row.validity, keepAll.validity) ? [{ row, keepAll }] : []
  })
  const fewest = candidates.reduce((least, { row }) => Math.min(least, row.overBudgetRequests), Infinity)
  const [taken] = candidates
    .filter(({ row }) => row.overBudgetRequests === fewest)
    .sort((a, b) => a.row.cost.paid - b.row.cost.paid || b.row.sentTokens - a.row.sentTokens)
  if (!taken) return null
  const { row, keepAll } = taken
  return {
    setting: row.setting,
    policy: row.policy,
    params: row.params,
    budget: row.budget,
    estimator: row.estimator,
    unit: row.cost.unit,
    paid: row.cost.paid,
    savedTokens: row.savedTokens,
    savedPercent: row.savedPercent,
    costSavedPercent: row.cost.savedPercent,
    requests: row.requests,
    overBudgetRequests: row.overBudgetRequests,
    invalidRequests: row.invalidRequests,
    ...(row.references ? { sourceLostPercent: row.references.headline.sourceLostPercent } : {}),
    keepAll: {
      paid: keepAll.cost.paid,
      overBudgetRequests: keepAll.overBudgetRequests,
      invalidRequests: keepAll.invalidRequests,
    },
  }
}

function addsFaults(faults: Validity, before: Validity): boolean {
  return (Object.keys(faults) as (keyof Validity)[]).some((fault) => faults[fault] > before[fault])
}
