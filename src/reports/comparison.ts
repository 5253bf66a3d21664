/** The comparison of policies as a sheet: its columns, and notes about its order, and its marks. */
import { type Comparison, type ComparisonCost, type ComparisonRow, losesAny } from '../model/comparison.ts'
import type { Copied, Losses, LossTotals, PolicyBounds, Today } from '../model/run.ts'
import { amountWords, answerSentence } from './answer.ts'
import { partialCost } from './bill.ts'
import { type Column, dataOf, type Field, own, pickAs, within } from './column.ts'
import { costFields, todayBlock, todayFields } from './columns/money.ts'
import { type Outcome, outcomeColumns } from './columns/outcome.ts'
import {
  boundFields,
  boundsBlock,
  copiedBlock,
  copiedColumns,
  headlineBlock,
  lossFields,
  namedBlock,
  ratedLosses,
  referencesBlock,
} from './columns/references.ts'
import { runColumns } from './columns/run.ts'
import { costedColumn, sumMeaning, transcriptsColumn } from './columns/total.ts'
import { decisionLines } from './decision.ts'
import { copiesNotes, diagnosticNotes } from './notes.ts'
import { askedBudget, budgetWords, grouped } from './numbers.ts'
import type { Overview } from './overview.ts'
import { decisionData } from './recommendation.ts'
import type { Note, Sheet } from './report.ts'

type Path = (row: ComparisonRow) => unknown

/** A row before it is compared with the others. */
type Sums = Omit<ComparisonRow, 'front' | 'best'>

const judged = { judged: true } as const

const sums: readonly Field<Sums>[] = [
  own('setting', 'policy', 'text', 'as it is typed, params at their defaults left out', { rank: 0, wraps: true }),
  ...pickAs(runColumns, 'policy', { header: 'name' }),
  ...pickAs(runColumns, 'params'),
  ...pickAs(runColumns, 'budget', { rank: 0 }),
  ...pickAs(runColumns, 'budgetAsked'),
  ...pickAs(runColumns, 'estimator', { rank: 0 }),
  transcriptsColumn,
  ...pickAs(runColumns, 'requests'),
  ...pickAs(runColumns, 'fullTokens'),
  ...pickAs(runColumns, 'sentTokens', { ...judged, rank: 2 }),
  ...pickAs(runColumns, 'savedTokens', judged),
  ...pickAs(runColumns, 'savedPercent', judged),
  ...pickAs(runColumns, 'peakTokens', { ...judged, rank: 6, meaning: 'the largest request of all' }),
  ...pickAs(runColumns, 'overBudgetRequests', judged),
  ...pickAs(runColumns, 'overWindowRequests'),
  own('cuts', 'cuts', 'count', 'how many', { rank: 8 }),
  own(
    'invalidRequests',
    'invalid',
    'count',
    'requests that a provider would refuse, and would not without the policy',
    {
      ...judged,
      better: 'lower',
    },
  ),
  ...pickAs(runColumns, 'validity'),
  own('thinkingLostTokens', 'thinking lost', 'tokens', 'the sum of `thinkingLostTokens` where it is known', {
    better: 'lower',
    rank: 7,
    quiet: true,
  }),
  ...within<Sums, ComparisonCost>('cost', { meaning: sumMeaning }, [
    ...pickAs(costFields, 'unit'),
    costedColumn,
    ...pickAs(costFields, 'pricesAsOf'),
    ...pickAs(costFields, 'paid', { ...judged, header: 'cost' }),
    ...pickAs(costFields, 'input'),
    ...pickAs(costFields, 'inputFull'),
    ...pickAs(costFields, 'output'),
    ...pickAs(costFields, 'summaries'),
    ...pickAs(costFields, 'savedPercent', { ...judged, header: 'cheaper %' }),
    ...pickAs(costFields, 'cacheHitPercent', { ...judged, rank: 4 }),
    ...pickAs(costFields, 'prefixBreaks', { ...judged, rank: 7 }),
  ]),
  ...within<Sums, Today>('today', todayBlock, todayFields),
  ...within<Sums, LossTotals>('references', referencesBlock, [
    ...(lossFields as readonly Field<LossTotals>[]),
    ...within<LossTotals, Losses>('headline', headlineBlock, ratedLosses(judged)),
    ...within<LossTotals, Losses>('named', namedBlock, lossFields),
    ...within<LossTotals, Copied>('copied', copiedBlock, copiedColumns),
  ]),
  ...within<Sums, PolicyBounds>('bounds', boundsBlock, boundFields),
]

/** The columns in which rows can be best. */
export const judgedColumns = sums.filter((field) => field.judged)

/** In the order of the JSON. */
export const comparisonColumns: readonly Field<ComparisonRow>[] = [
  ...sums,
  own(
    'front',
    'front',
    'flag',
    'on the Pareto front of cost.paid against references.headline.sourceLost, or, where no row has lost one or they were not measured, against tokens kept, which are sentTokens, at most fullTokens: no other row of the estimator costs less and loses as little, or loses less and costs as little',
  ),
  own(
    'best',
    'best',
    'list',
    'keys in which no other row of the estimator is better; a key in which all rows are the same is in none',
    { items: 'text', values: judgedColumns.map(({ key }) => key) },
  ),
]

/** @param overview of the comparison's runs */
export function comparisonSheet(comparison: Comparison, overview: Overview): Sheet<ComparisonRow> {
  const { rows, diagnostics, decisions } = comparison
  const possible = rows.filter(({ bounds }) => bounds === undefined)
  return {
    answers: decisions ? decisionLines(decisions) : answersOf(possible),
    captions: [
      overview.extentSentence(),
      ...overview.captions(),
      ...partialCost(rows[0]?.transcripts, rows[0]?.cost),
      reading(rows),
    ],
    columns: comparisonColumns,
    shown: shownColumns(rows, overview),
    items: rows,
    marked: ({ front }, key) => front && key === 'setting',
    notes: [
      ...boundNotes(rows),
      ...overview.countingNotes(),
      ...copiesNotesOf(possible),
      ...lossNotes(possible, overview.baseline),
      ...diagnosticNotes(diagnostics),
    ],
    data: {
      ...comparison,
      ...(decisions && { decisions: decisions.map(decisionData) }),
      rows: rows.map(dataOf(comparisonColumns)),
    },
  }
}

function reading(rows: readonly ComparisonRow[]): string {
  const possible = rows.filter(({ bounds }) => bounds === undefined)
  const front = losesAny(possible) ? 'losing more' : 'keeping less'
  const behind = [
    ...(possible.some(({ invalidRequests }) => invalidRequests > 0) ? ['those that a provider would refuse'] : []),
    ...(possible.length < rows.length ? ['clairvoyant, which knows the future'] : []),
  ]
  return `${['cheapest first', ...behind].join(', then ')} · * = nothing costs less without ${front}`
}

/**
 * The cheapest row that does no harm, and the cheapest of these that loses no more than the baseline. Where that one costs
 * more, the baseline itself is the cheapest that loses no more, and it says so.
 */
function answersOf(rows: readonly ComparisonRow[]): string[] {
  const [first] = rows
  if (!first) return []
  const name = nameOf(rows, { budgets: false })
  const harmless = rows.filter(
    (row) =>
      row.estimator === first.estimator &&
      row.invalidRequests === 0 &&
      row.validity.lostLatestUser <= row.today.lostLatestUser &&
      row.policy !== 'as-recorded',
  )
  const [cheapest] = harmless
  const careful = harmless.find(({ against }) => (against.headlineLostOver ?? 0) <= 0)
  const said = (words: string, row: ComparisonRow) =>
    `${words}: ${answerSentence({ ...outcomeOf(row), name: name(row) })}`
  return [
    ...(cheapest ? [said('Cheapest', cheapest)] : []),
    ...(careful && careful !== cheapest ? [said(carefulWords(careful), careful)] : []),
  ]
}

function carefulWords({ against: { baseline, costSaved } }: ComparisonRow): string {
  return costSaved <= 0
    ? `Nothing that loses no more than ${baseline} costs less. The nearest`
    : `Cheapest that loses no more than ${baseline}`
}

function outcomeOf(row: ComparisonRow): Outcome & Pick<ComparisonRow, 'budget' | 'budgetAsked'> {
  return { ...row, lostLatestUser: row.validity.lostLatestUser }
}

const naming = ['setting', 'budget', 'estimator']

/**
 * The columns that name a row, those of its outcome, and whatever else there is room for. What all rows share is said above
 * the table.
 */
function shownColumns(rows: readonly ComparisonRow[], { baseline, unit }: Overview): Column<ComparisonRow>[] {
  const others = comparisonColumns.filter(({ key }) => !naming.includes(key))
  const names = comparisonColumns.flatMap((column): Column<ComparisonRow>[] => {
    if (!naming.includes(column.key)) return []
    const value = column.key === 'budget' ? askedBudget : column.value
    const varies = rows.some((row) => value(row) !== value(rows[0] as ComparisonRow))
    return varies || column.key === 'setting' ? [{ ...column, value }] : []
  })
  return [...names, ...outcomeColumns(baseline, unit, outcomeOf), ...others]
}

/** A row's name, with whatever distinguishes it from the others. */
function nameOf(
  rows: readonly ComparisonRow[],
  say: { readonly budgets?: false } = {},
): (row: Pick<ComparisonRow, 'setting' | 'budget' | 'budgetAsked' | 'estimator'>) => string {
  const several = (value: Path): boolean => new Set(rows.map(value)).size > 1
  const [budgets, estimators] = [say.budgets ?? several(askedBudget), several(({ estimator }) => estimator)]
  return (row) =>
    [row.setting, ...(budgets ? [budgetWords(row)] : []), ...(estimators ? [row.estimator] : [])].join(' · ')
}

/** For each budget a sentence: what no policy can be below, and what the one reaches that knows the future. */
function boundNotes(rows: readonly ComparisonRow[]): Note[] {
  const name = nameOf(rows)
  const sentences = rows.flatMap((row) => {
    const { bounds, cost, references } = row
    if (!bounds || !references) return []
    const { total, sourceLost } = references.headline
    const paid = (amount: number) => amountWords(amount, cost.unit)
    const reached = total === 0 ? 'pays' : `loses ${grouped(sourceLost)} of ${grouped(total)} later uses for`
    const fewest = bounds.lost === 0 ? '' : `loses fewer than ${grouped(bounds.lost)}, and none `
    return [
      `${name(row)}, which knows the future, ${reached} ${paid(cost.paid)}.`,
      `Of the policies that keep messages whole and stay within the budget, none ${fewest}${total === 0 ? '' : 'that loses no more than that '}costs less than ${paid(bounds.paid)}. The system prompt and the tools alone cost ${paid(bounds.preamble)}.`,
    ]
  })
  return sentences.length === 0 ? [] : [{ title: 'The best that is possible', items: [{ name: '', sentences }] }]
}

function copiesNotesOf(rows: readonly ComparisonRow[]): Note[] {
  const name = nameOf(rows)
  const named = rows.flatMap((row) => (row.references ? [{ name: name(row), copied: row.references.copied }] : []))
  return copiesNotes(named, named[0]?.copied)
}

/** Notes about policies that send less than the baseline but cost more, because they break the prompt cache. */
function lossNotes(rows: readonly ComparisonRow[], baseline: string): Note[] {
  const name = nameOf(rows)
  const losing = rows.filter(({ against }) => against.savedTokens > 0 && against.costSaved < 0)
  if (losing.length === 0) return []
  const [verb, them] = losing.length === 1 ? ['sends', 'it breaks'] : ['send', 'they break']
  const cost = losing.length === 1 ? 'costs' : 'cost'
  const sentence = `${losing.map(name).join(', ')}: ${verb} fewer tokens than ${baseline} and ${cost} more, because ${them} the prompt cache`
  return [{ title: 'Tokens saved, money lost', tone: 'bad', items: [{ name: '', sentences: [sentence] }] }]
}
