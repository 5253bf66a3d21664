/** Policies side by side as a sheet: its columns, and in words how it is sorted, what its marks mean and what to take. */
import { type Comparison, type ComparisonRow, losesReferences, type Recommendation } from '../model/comparison.ts'
import type { Losses } from '../model/run.ts'
import type { Column } from './columns.ts'
import { diagnosticNotes } from './notes.ts'
import { grouped, money, several } from './numbers.ts'
import { costWords, type Overview, partialCost } from './overview.ts'
import type { Note, Sheet } from './report.ts'

type Path = (row: ComparisonRow) => unknown

const faults = ['orphanResults', 'orphanCalls', 'firstNotUser', 'emptyMessages', 'lostLatestUser'] as const
const amounts = ['input', 'inputFull', 'output', 'summaries'] as const

const losses = ['total', 'selfSourced', 'mentionLost', 'mentionLostPercent', 'sourceLost', 'sourceLostPercent'] as const

function lossColumns(block: string, value: (row: ComparisonRow) => Losses | undefined): Column<ComparisonRow>[] {
  return losses.map((name) => {
    const key = `${block}.${name}`
    const shown = key === 'references.headline.sourceLostPercent' ? { header: 'lost %', rank: 0, quiet: true } : {}
    const unit = name.endsWith('Percent') ? 'percent' : 'count'
    return { key, header: name, unit, optional: true, ...shown, value: (row) => value(row)?.[name] }
  })
}

/** In the order of the JSON. */
export const comparisonColumns: readonly Column<ComparisonRow>[] = [
  { key: 'setting', header: 'policy', unit: 'text', rank: 0, wraps: true, value: (row) => row.setting },
  { key: 'policy', header: 'name', unit: 'text', value: (row) => row.policy },
  { key: 'params', header: 'knobs', unit: 'record', value: (row) => row.params },
  { key: 'budget', header: 'budget', unit: 'tokens', rank: 0, value: (row) => row.budget },
  { key: 'estimator', header: 'estimator', unit: 'text', rank: 0, value: (row) => row.estimator },
  { key: 'transcripts', header: 'transcripts', unit: 'count', value: (row) => row.transcripts },
  { key: 'requests', header: 'requests', unit: 'count', value: (row) => row.requests },
  { key: 'fullTokens', header: 'full', unit: 'tokens', value: (row) => row.fullTokens },
  { key: 'sentTokens', header: 'sent', unit: 'tokens', rank: 5, value: (row) => row.sentTokens },
  { key: 'savedTokens', header: 'saved', unit: 'tokens', value: (row) => row.savedTokens },
  { key: 'savedPercent', header: 'saved %', unit: 'percent', rank: 0, value: (row) => row.savedPercent },
  { key: 'peakTokens', header: 'peak', unit: 'tokens', rank: 6, value: (row) => row.peakTokens },
  {
    key: 'overBudgetRequests',
    header: 'over',
    unit: 'count',
    rank: 0,
    quiet: true,
    value: (row) => row.overBudgetRequests,
  },
  { key: 'overWindowRequests', header: 'over model', unit: 'count', value: (row) => row.overWindowRequests },
  { key: 'cuts', header: 'cuts', unit: 'count', rank: 8, value: (row) => row.cuts },
  {
    key: 'invalidRequests',
    header: 'invalid',
    unit: 'count',
    rank: 0,
    quiet: true,
    value: (row) => row.invalidRequests,
  },
  ...faults.map(
    (fault): Column<ComparisonRow> => ({
      key: `validity.${fault}`,
      header: fault,
      unit: 'count',
      value: ({ validity }) => validity[fault],
    }),
  ),
  { key: 'cost.unit', header: 'cost unit', unit: 'text', value: ({ cost }) => cost.unit },
  { key: 'cost.transcripts', header: 'costed', unit: 'count', value: ({ cost }) => cost.transcripts },
  { key: 'cost.pricesAsOf', header: 'prices of', unit: 'text', value: ({ cost }) => cost.pricesAsOf },
  { key: 'cost.paid', header: 'cost', unit: 'money', rank: 1, value: ({ cost }) => cost.paid },
  ...amounts.map(
    (key): Column<ComparisonRow> => ({
      key: `cost.${key}`,
      header: key,
      unit: 'money',
      value: ({ cost }) => cost[key],
    }),
  ),
  {
    key: 'cost.savedPercent',
    header: 'cheaper %',
    unit: 'percent',
    rank: 0,
    value: ({ cost }) => cost.savedPercent,
  },
  { key: 'cost.cacheHitPercent', header: 'hit %', unit: 'percent', rank: 4, value: ({ cost }) => cost.cacheHitPercent },
  { key: 'cost.prefixBreaks', header: 'breaks', unit: 'count', rank: 7, value: ({ cost }) => cost.prefixBreaks },
  ...lossColumns('references', ({ references }) => references),
  ...lossColumns('references.headline', ({ references }) => references?.headline),
  { key: 'front', header: 'front', unit: 'flag', rank: 0, value: (row) => row.front },
]

/** @param overview of the runs the comparison was made of */
export function comparisonSheet(comparison: Comparison, overview: Overview): Sheet<ComparisonRow> {
  const { rows, recommendation, diagnostics } = comparison
  return {
    captions: [...overview.captions(), ...partialCost(rows[0]?.transcripts, rows[0]?.cost), reading(rows)],
    columns: comparisonColumns.flatMap((column) => shownColumn(column, rows)),
    items: rows,
    marked: ({ best }, key) => best.includes(key),
    notes: [
      ...overview.countingNotes(),
      ...lossNotes(rows),
      ...(recommendation === undefined ? [] : [recommendationNote(recommendation)]),
      ...diagnosticNotes(diagnostics),
    ],
    data: comparison,
  }
}

function reading(rows: readonly ComparisonRow[]): string {
  const front = losesReferences(rows) ? 'losing more references' : 'keeping less'
  return `cheapest first, then by name · * best of its column · front: nothing costs less without ${front}`
}

/** What is the same in every row is said above the table; data has it all the same. */
function shownColumn(column: Column<ComparisonRow>, rows: readonly ComparisonRow[]): Column<ComparisonRow>[] {
  if (column.key !== 'budget' && column.key !== 'estimator') return [column]
  const varies = rows.some((row) => column.value(row) !== column.value(rows[0] as ComparisonRow))
  const { rank: _, ...forData } = column
  return [varies ? column : forData]
}

/** A row's name, with what it takes to tell it from the others. */
function nameOf(
  rows: readonly ComparisonRow[],
): (row: Pick<ComparisonRow, 'setting' | 'budget' | 'estimator'>) => string {
  const several = (value: Path): boolean => new Set(rows.map(value)).size > 1
  const [budgets, estimators] = [several(({ budget }) => budget), several(({ estimator }) => estimator)]
  return ({ setting, budget, estimator }) =>
    [setting, ...(budgets ? [grouped(budget)] : []), ...(estimators ? [estimator] : [])].join(' · ')
}

/** Pruning that sends less and costs more, because it breaks the prompt cache. */
function lossNotes(rows: readonly ComparisonRow[]): Note[] {
  const name = nameOf(rows)
  const losing = rows.filter(({ savedTokens, cost }) => savedTokens > 0 && cost.paid > cost.inputFull)
  if (losing.length === 0) return []
  const [verb, them] = losing.length === 1 ? ['sends', 'it breaks'] : ['send', 'they break']
  const cost = losing.length === 1 ? 'costs' : 'cost'
  const sentence = `${losing.map(name).join(', ')}: ${verb} fewer tokens and ${cost} more than unpruned, because ${them} the prompt cache`
  return [{ title: 'Tokens saved, money lost', tone: 'bad', items: [{ name: '', sentences: [sentence] }] }]
}

function recommendationNote(found: Recommendation | null): Note {
  const title = 'Recommended'
  if (!found) {
    const why = 'every policy makes requests that a provider would refuse and that are fine unpruned'
    return { title, items: [{ name: 'none of these', sentences: [why] }] }
  }
  const { setting, budget, estimator, unit, paid, keepAll, requests } = found
  const of = `of ${several(requests, 'request')}`
  const stays = found.overBudgetRequests === 0 ? 'stay under the budget' : 'come closest to the budget'
  const over =
    found.overBudgetRequests === 0
      ? `none ${of} is over the budget, ${grouped(keepAll.overBudgetRequests)} would be unpruned`
      : `${grouped(found.overBudgetRequests)} ${of} are over the budget, ${grouped(keepAll.overBudgetRequests)} would be unpruned, and no other has fewer`
  const invalid =
    found.invalidRequests === 0
      ? 'a provider would refuse none'
      : `a provider would refuse ${grouped(found.invalidRequests)}, and ${grouped(keepAll.invalidRequests)} unpruned`
  return {
    title,
    items: [
      {
        name: `${setting} · budget ${grouped(budget)} tokens · ${estimator}`,
        sentences: [
          `the cheapest of those that ${stays}: ${money(paid)} ${costWords[unit]}, ${than(found.costSavedPercent, 'less', 'more')} than the ${money(keepAll.paid)} unpruned, for ${than(found.savedPercent, 'fewer', 'more')} tokens`,
          `${over}; ${invalid}`,
          ...(found.sourceLostPercent
            ? [`${found.sourceLostPercent.toFixed(2)} % of the references back to something would have found it gone`]
            : []),
        ],
      },
    ],
  }
}

/** "12.50 % less", "0.60 % more" */
function than(percent: number, below: string, above: string): string {
  return `${Math.abs(percent).toFixed(2)} % ${percent < 0 ? above : below}`
}
