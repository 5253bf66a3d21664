/** What `curve` prints: for people a chart, one row per budget, and the knee in a sentence; for data one row per point. */
import { type Curve, type CurvePoint, type Curves, judgedBy, type Knee } from '../model/curve.ts'
import { fewest } from '../model/judged.ts'
import { type Losses, sourced } from '../model/run.ts'
import { bar } from './chart.ts'
import { type Field, own, pick, pickAs, showAs, through, within } from './column.ts'
import {
  headlineBlock,
  lossFields,
  namedBlock,
  partlyLostField,
  ratedLosses,
  referencesBlock,
  rereadFields,
} from './columns/references.ts'
import { runColumns } from './columns/run.ts'
import { totalCostColumns } from './columns/total.ts'
import { compact, grouped, several, shareWords } from './numbers.ts'
import { billWords, paramWords, partialCost } from './overview.ts'
import type { ReportOptions } from './report.ts'
import { safe } from './safe.ts'
import { type Ink, inkFor } from './table.ts'
import { clip, wrap } from './text.ts'

/** A point with the curve it is of. */
export interface PointRow {
  readonly curve: Curve
  readonly point: CurvePoint
}

export function pointRows({ curves }: Curves): PointRow[] {
  return curves.flatMap((curve) => curve.points.map((point) => ({ curve, point })))
}

type PointReferences = NonNullable<CurvePoint['references']>

function ofCurve(fields: readonly Field<Curve>[]): Field<PointRow>[] {
  return fields.map((field) => through(field, ({ curve }) => curve))
}

function ofPoint(fields: readonly Field<CurvePoint>[]): Field<PointRow>[] {
  return fields.map((field) => through(field, ({ point }) => point))
}

/** In the order of the JSON, for the formats that have a row for each point. */
export const pointColumns: readonly Field<PointRow>[] = [
  ...ofCurve(pickAs(runColumns, 'policy', { rank: 0 })),
  ...ofCurve(pickAs(runColumns, 'params')),
  ...ofCurve(pickAs(runColumns, 'estimator', { rank: 6 })),
  ...ofPoint(pickAs(runColumns, 'budget', { rank: 0 })),
  ...ofPoint(pickAs(runColumns, 'budgetAsked')),
  {
    key: 'knee',
    header: 'knee',
    unit: 'flag',
    meaning: 'the smallest budget that loses no more than the tolerance',
    rank: 1,
    value: ({ curve, point }) => curve.knee?.budget === point.budget,
  },
  ...ofPoint([
    ...pickAs(runColumns, 'fullTokens', { rank: 3 }),
    ...pickAs(runColumns, 'sentTokens', { rank: 3 }),
    ...pickAs(runColumns, 'savedTokens', { rank: 3 }),
    ...pickAs(runColumns, 'savedPercent', { rank: 0 }),
    ...pickAs(runColumns, 'peakTokens'),
    ...pickAs(runColumns, 'overBudgetRequests'),
    own('overBudgetExchanges', 'exchanges over', 'count', 'exchanges with a request over the budget', { rank: 2 }),
    ...totalCostColumns.map((field) => showAs(field, field.key === 'cost.savedPercent' ? { rank: 1 } : {})),
    ...within<CurvePoint, PointReferences>('references', referencesBlock, [
      ...(lossFields as readonly Field<PointReferences>[]),
      own('exchangesHit', 'exchanges hit', 'count', 'exchanges with a loss, in either tier'),
      partlyLostField,
      own('faults', 'refetched', 'count', 'fetches of what had not changed and was no longer inside'),
      ...pick(rereadFields, ['known', 'foretold']),
      ...within<PointReferences, Losses>('headline', headlineBlock, ratedLosses({ rank: 0 })),
      ...within<PointReferences, Losses>('named', namedBlock, lossFields),
    ]),
  ]),
]

export function* renderCurves(curves: Curves, options: Pick<ReportOptions, 'width' | 'color'>): Iterable<string> {
  const width = Math.max(60, Math.floor(options.width) || 80)
  const ink = inkFor(options.color)
  for (const [index, curve] of curves.curves.entries()) {
    if (index > 0) yield '\n'
    yield* renderCurve(curve, curves.tolerancePercent, width, ink)
  }
}

function* renderCurve(curve: Curve, tolerance: number, width: number, ink: Ink): Iterable<string> {
  const { policy, params, estimator, transcripts, exchanges, requests } = curve
  const words = paramWords(params)
  const caption = [
    `policy ${policy}${words === '' ? '' : `:${words}`}`,
    `estimator ${estimator}`,
    `${several(transcripts, 'transcript')}, ${several(exchanges, 'exchange')}, ${several(requests, 'request')}`,
  ].join(' · ')
  const bill = billWords(curve.bill, transcripts, null)
  const captions = [caption, ...bill, ...partialCost(transcripts, curve.points[0]?.cost)]
  for (const line of captions.flatMap((words) => wrap(safe(words), width, 0, 2))) yield `${ink.dim(line)}\n`
  yield '\n'
  yield* chart(curve, width, ink)
  yield '\n'
  for (const sentence of sentences(curve, tolerance)) {
    for (const line of wrap(sentence, width, 0, 2)) yield `${line}\n`
  }
}

/** The figures by which a curve is judged: those of its knee. */
function judged({ points, knee }: Curve): ((point: CurvePoint) => Losses | null) | null {
  if (!points.some(({ references }) => references)) return null
  const of = knee?.of ?? judgedBy(points)
  return ({ references }) => (references ? (of === 'all' ? references : references[of]) : null)
}

const judgedWords: Readonly<Record<Knee['of'], string>> = {
  headline: 'of content',
  named: 'of paths, urls, errors, ids and searches',
  all: 'of terms',
}

function* chart(curve: Curve, width: number, ink: Ink): Iterable<string> {
  const { points, knee } = curve
  const lossesOf = judged(curve)
  const losses = points.map((point) => lossesOf?.(point) ?? null)
  const lostWords = losses.map((lost) => (lost ? shareWords(lost.sourceLost, sourced(lost), 1) : ''))
  const lostWidth = lostWords.reduce((most, { length }) => Math.max(most, length), 0)
  // Budget and mark; behind each bar its figure; cost, exchanges over budget.
  const bars = lossesOf ? 2 : 1
  const room = width - 9 - 9 - (lossesOf ? lostWidth + 2 : 0) - 8 - 7
  const cells = Math.max(4, Math.floor(room / bars))
  const head = (text: string, figure: number): string => clip(text, cells + figure).padEnd(cells + figure + 1)
  const lostHead = lossesOf ? head('lost', lostWidth + 1) : ''
  yield ink.bold(`${'budget'.padStart(8)} ${head('tokens saved', 8)}${lostHead}    cost   over`)
  yield '\n'
  const drawn = (share: number, words: string, figure: number, colour: (text: string) => string): string =>
    `${colour(bar(share, cells))}${words.padStart(figure)} `
  for (const [at, point] of points.entries()) {
    const mark = point.budget === knee?.budget ? '▸' : ' '
    const lost = losses[at]
    const row = [
      `${mark}${(point.budget === 0 ? 'none' : short(point)).padStart(7)} `,
      drawn(point.savedPercent / 100, `${point.savedPercent.toFixed(1)} %`, 8, ink.good),
      lost ? drawn(lost.sourceLostPercent / 100, lostWords[at] as string, lostWidth + 1, ink.bad) : '',
      factor(costOf(point) / (point.cost.inputFull || 1)).padStart(8),
      grouped(point.overBudgetExchanges).padStart(7),
    ].join('')
    yield `${mark === ' ' ? row : ink.bold(row)}\n`
  }
}

function costOf({ cost }: CurvePoint): number {
  return cost.input + cost.summaries
}

/** 0.72x, 1.04x, 2.4x, 12x */
function factor(value: number): string {
  if (!Number.isFinite(value)) return '-'
  return `${value >= 9.95 ? Math.round(value) : value.toFixed(value >= 1.995 ? 1 : 2)}x`
}

function sentences(curve: Curve, tolerance: number): string[] {
  const { points, knee } = curve
  const of = judged(curve)
  const last = points.at(-1)
  if (!of || !last) return []
  const total = sourced(of(last) as Losses)
  if (total === 0) return ['Nothing that was said before was used again: there is nothing to lose.']
  const explained = [
    `lost: share of ${several(total, 'later use')} ${judgedWords[knee?.of ?? judgedBy(points)]} whose source had left the window. cost: of the input, as a multiple of never pruning. over: exchanges with a request over the budget.`,
    'It is exposure, not failure: the agent might have asked again.',
  ].join(' ')
  return [kneeSentence(curve, of, tolerance), '', explained]
}

/** "64k holds 99 % of what was used later; 100k costs 1.4x as much." */
function kneeSentence({ points, knee }: Curve, of: (point: CurvePoint) => Losses | null, tolerance: number): string {
  const at = points.findIndex(({ budget }) => budget === knee?.budget)
  const here = points[at]
  if (!knee || !here) {
    const best = points
      .map(of)
      .reduce((best, lost) => (lost && best && lost.sourceLost < best.sourceLost ? lost : best))
    return `No budget here holds ${percentWords(100 - tolerance)} of what was used later; the best holds ${heldWords(best as Losses)}.`
  }
  const holds = `${name(here)} holds ${heldWords(of(here) as Losses)} of what was used later`
  // What holding the rest would take, or else what not pruning at all would.
  const next = points.slice(at + 1).find((point) => of(point)?.sourceLost === 0) ?? points.at(-1)
  if (!next || next === here) return `${holds}.`
  const rest = knee.heldPercent < 100 && of(next)?.sourceLost === 0 ? ', which holds all of it,' : ''
  const cost = costOf(next) / costOf(here)
  if (!Number.isFinite(cost)) {
    return `${holds}; ${name(next)}${rest} sends ${factor(next.sentTokens / here.sentTokens)} the tokens.`
  }
  return `${holds}; ${name(next)}${rest} costs ${factor(cost) === '1.00x' ? 'the same' : `${factor(cost)} as much`}.`
}

function name(point: CurvePoint): string {
  return point.savedTokens === 0 ? 'never pruning' : short(point)
}

/** 8k, 1.5k, 128k, 50% */
function short({ budget, budgetAsked }: CurvePoint): string {
  return budgetAsked ?? compact(budget).replace('.0', '')
}

/** What was not lost: "all", "98.5 %"; of a few things "11 of 12". */
function heldWords(losses: Losses): string {
  const all = sourced(losses)
  const held = all - losses.sourceLost
  return held === all || all >= fewest ? percentWords((100 * held) / all) : `${grouped(held)} of ${grouped(all)}`
}

/** Never rounded up to all. */
function percentWords(value: number): string {
  return value === 100 ? 'all' : `${Math.floor(value * 10) / 10} %`
}
