/**
 * The figures a check can limit: every column of a run that declares which direction is better, so a new column needs
 * no line here, and a few that combine others.
 */
import { wordsIn } from '../base/words.ts'
import type { CutList, Diagnostic, Fault, Row, Run } from '../model/run.ts'
import type { Cause, Field } from '../reports/column.ts'
import { runColumns } from '../reports/columns/run.ts'
import { ordinal } from '../reports/numbers.ts'

export interface Metric extends Pick<Field<Run>, 'key' | 'unit' | 'input' | 'least' | 'whole'> {
  readonly better: NonNullable<Field<Run>['better']>
  /** Null if the run has no such figure. A value that is not finite is a figure, and a finding. */
  value(run: Run): number | null
  /**
   * Where to look when the figure is beyond its limit.
   * @param damage the first of each file, as `firstDamage` finds it
   */
  cause(run: Run, limit: number, damage: ReadonlyMap<string, Diagnostic>): Place
}

/** Line 0 if no line is more relevant than the others. */
export interface Place {
  readonly line: number
  readonly words?: string
}

/** The columns that declare a direction, and figures that combine others. */
export function metricsOf(columns: readonly Field<Run>[]): Metric[] {
  const ofColumns = columns.flatMap((column): Metric[] => {
    const { key, unit, better, input, least, whole, cause } = column
    if (!better) return []
    const range = { ...(least !== undefined && { least }), ...(whole !== undefined && { whole }) }
    const value = (run: Run) => numberOf(column, run)
    const place = cause ? causes[cause](column) : () => nowhere
    return [{ key, unit, better, ...(input && { input }), ...range, value, cause: place }]
  })
  return [...ofColumns, ...composed]
}

function numberOf({ unit, value }: Field<Run>, run: Run): number | null {
  const found = value(run)
  if (unit === 'list') return (found as { readonly length: number } | undefined)?.length ?? null
  return typeof found === 'number' ? found : null
}

const nowhere: Place = { line: 0 }

const at = (found: { readonly line: number } | null | undefined): Place => (found ? { line: found.line } : nowhere)

const causes: Readonly<Record<Cause, (column: Field<Run>) => Metric['cause']>> = {
  item:
    ({ value }) =>
    (run, limit) =>
      at((value(run) as Pick<CutList, 'at'>).at(Math.max(0, Math.floor(limit)))),
  request:
    ({ key }) =>
    ({ rows = [] }) => {
      const figure = (row: Row) => row[key as keyof Row]
      const most = best(rows, figure)
      return at(most && figure(most) > 0 ? most : null)
    },
  cut:
    () =>
    ({ cuts }) =>
      at(cuts.at(0)),
  fault:
    ({ key }) =>
    (run) =>
      faultOf(run, [key.split('.').at(-1) as Fault]),
  damage:
    () =>
    ({ transcript }, _, damage) => {
      const first = damage.get(transcript)
      return first ? { line: first.line, words: `first: ${first.message}` } : nowhere
    },
}

function faultOf({ firstFaults = [] }: Run, faults: readonly Fault[]): Place {
  const first = firstFaults.find(({ fault }) => faults.includes(fault))
  return first ? { line: first.line, words: `first in request ${ordinal(first.request)}` } : nowhere
}

/** In percentage points, the most that a policy can be worse by, of a probe: no run has it, `check --journal` does. */
export const probeWorse: Metric = {
  key: 'probeWorse',
  unit: 'percent',
  least: 0,
  better: 'lower',
  value: () => null,
  cause: () => nowhere,
}

const composed: readonly Metric[] = [
  probeWorse,
  // All that the transcript holds, before recorded usage corrects how it is counted: where that is, every other figure
  // of tokens can stay what it was while the text changes.
  {
    key: 'contentTokens',
    unit: 'tokens',
    whole: false,
    better: 'higher',
    value: ({ witness }) => witness?.contentTokens ?? null,
    cause: () => nowhere,
  },
  // The tokens that the requests of the largest exchange sent together: an agent that runs in circles shows here first.
  {
    key: 'exchangeTokens',
    unit: 'tokens',
    better: 'lower',
    value: (run) => dearestExchange(run)?.tokens ?? null,
    cause: (run) => at(dearestExchange(run)),
  },
  // Requests with half a pair of tool call and result: providers refuse them either way.
  {
    key: 'orphanedPairs',
    unit: 'count',
    better: 'lower',
    value: ({ validity }) => validity.orphanResults + validity.orphanCalls,
    cause: (run) => faultOf(run, ['orphanResults', 'orphanCalls']),
  },
]

export const metrics: readonly Metric[] = metricsOf(runColumns)

/** How much a transcript holds. If that falls, every other figure falls with it without being better. */
export const extent: readonly string[] = [
  ...metrics.filter(({ input }) => input === 'extent').map(({ key }) => key),
  'contentTokens',
]

/** Always in a baseline; so is each figure with an assertion. */
export const watched: readonly string[] = [
  ...extent,
  ...wordsIn(`
    sentTokens peakTokens exchangeTokens cuts overBudgetRequests overWindowRequests orphanedPairs damagedLines
  `),
]

/** Short names, with the key of each. */
const aliases: Readonly<Record<string, string>> = {
  tokens: 'sentTokens',
  lostReferencePercent: 'references.sourceLostPercent',
  exchangesHit: 'references.exchangesHit',
  savedTodayPercent: 'today.savedPercent',
  costSavedTodayPercent: 'today.costSavedPercent',
  headlineLostOverToday: 'today.headlineLostOver',
  estimatorErrorPercent: 'foresight.meanAbsolutePercent',
}

export type Bound = 'max' | 'min'

export interface Assertable {
  readonly metric: Metric
  readonly bound: Bound
}

/** By the name of the assertion: `cost.savedPercent` is asserted as `minCostSavedPercent`. */
export function assertablesOf(metrics: readonly Metric[]): ReadonlyMap<string, Assertable> {
  const named = metrics.map((metric) => [metric.key, metric] as const)
  const byKey = new Map(named)
  const aliased = Object.entries(aliases).flatMap(([name, key]) => {
    const metric = byKey.get(key)
    return metric ? [[name, metric] as const] : []
  })
  return new Map(
    [...named, ...aliased].flatMap(([name, metric]) =>
      (['max', 'min'] as const).map((bound) => [assertionName(bound, name), { metric, bound }] as const),
    ),
  )
}

export const assertables = assertablesOf(metrics)

export function assertionName(bound: Bound, key: string): string {
  return bound + key.replaceAll(/(?:^|\.)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The exchange with the most tokens sent, all its requests together, and the line of its first response. */
function dearestExchange({ rows }: Run): { tokens: number; line: number } | null {
  const exchanges = new Map<number, { tokens: number; line: number }>()
  for (const { exchange, sentTokens, line } of rows ?? []) {
    const sum = exchanges.get(exchange)
    if (sum) sum.tokens += sentTokens
    else exchanges.set(exchange, { tokens: sentTokens, line })
  }
  return best([...exchanges.values()], ({ tokens }) => tokens)
}

/** Diagnostics that mean a damaged line. */
const damage = wordsIn(`
  not-json torn-line line-too-long torn-document torn-compression other-checksum no-end too-deep invalid-escape
  invalid-utf8 bad-record bad-shape bad-usage unknown-response no-message missing-link
`)

/** By file, the first of its diagnostics that is about a damaged line. */
export function firstDamage(diagnostics: readonly Diagnostic[]): ReadonlyMap<string, Diagnostic> {
  const first = new Map<string, Diagnostic>()
  for (const diagnostic of diagnostics) {
    if (damage.includes(diagnostic.code) && !first.has(diagnostic.file)) first.set(diagnostic.file, diagnostic)
  }
  return first
}

/** The first of the items with the highest figure. */
export function best<T>(items: readonly T[], figure: (item: T) => number): T | null {
  let found: T | null = null
  for (const item of items) if (found === null || figure(item) > figure(found)) found = item
  return found
}
