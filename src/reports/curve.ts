/** What `curve` prints for people: the knee in a sentence, and a chart with a row for each budget. */
import { safe } from '../base/quoting.ts'
import type { Curve, CurvePoint, Curves } from '../model/curve.ts'
import { type CostUnit, fewestForPercent, type Losses, sourced } from '../model/run.ts'
import type { Tolerance } from '../model/tolerance.ts'
import { billWords, partialCost } from './bill.ts'
import { bar } from './chart.ts'
import { copiesSentence, copiesShare } from './copies.ts'
import { decisionLines } from './decision.ts'
import { dressAnswer, type Ink, inkFor } from './ink.ts'
import { broken } from './lines.ts'
import { notFailed } from './lost-words.ts'
import {
  compact,
  decimal,
  dollars,
  grouped,
  moneyCell,
  moneyDecimals,
  several,
  shareWords,
  signedTenths,
} from './numbers.ts'
import { fullPolicy } from './params.ts'
import type { Line, ReportOptions } from './report.ts'
import { clip, wrap } from './text.ts'

/** One curve as a chart; several side by side in one table. */
export function* renderCurves(curves: Curves, options: Pick<ReportOptions, 'width' | 'color'>): Iterable<string> {
  const width = Math.max(60, Math.floor(options.width) || 80)
  const ink = inkFor(options.color)
  const [first, ...others] = curves.curves
  if (!first) return
  const named = namesOf(curves.curves)
  const answers =
    others.length === 0
      ? answersOf(first, curves.tolerance)
      : curves.curves.map((curve) => `${named(curve)}: ${kneeWords(curve, curves.tolerance)}`)
  for (const answer of answers) for (const line of dressAnswer(broken(answer, width), ink)) yield `${line}\n`
  if (answers.length > 0) yield '\n'
  const names = others.length === 0 ? [`policy ${fullPolicy(first.policy, first.params)}`] : []
  yield* captions(
    first,
    [
      ...names,
      `estimator ${curves.curves
        .map(({ estimator }) => estimator)
        .filter(isFirst)
        .join(', ')}`,
    ],
    width,
    ink,
  )
  if (others.length === 0) {
    yield* chart(first, width, ink)
    if (answers.length === 0) return
    yield '\n'
    yield* lines([explained(first, ' · over: exchanges with a request over the budget'), ...copiesLine(first)], width)
    yield* decided(curves, width)
    return
  }
  yield* sideBySide(curves.curves, named, width, ink)
  yield '\n'
  yield* lines([explained(first, ` · ▸ ${knees(curves.tolerance)}`)], width)
  yield* decided(curves, width)
}

/** What to set, whatever policy the curve is of. */
function* decided({ decisions = [] }: Curves, width: number): Iterable<string> {
  if (decisions.length === 0) return
  yield '\n'
  yield* lines(decisionLines(decisions), width)
}

function isFirst(word: string, at: number, all: readonly string[]): boolean {
  return all.indexOf(word) === at
}

function* lines(texts: readonly Line[], width: number): Iterable<string> {
  for (const text of texts) for (const line of broken(text, width)) yield `${line}\n`
}

/** Names with only those params in which the curves of a policy differ. */
function namesOf(curves: readonly Curve[]): (curve: Curve) => string {
  const differs = (policy: string, key: string): boolean =>
    new Set(curves.filter((curve) => curve.policy === policy).map(({ params }) => JSON.stringify(params[key]))).size > 1
  return (curve) => {
    const telling = Object.entries(curve.params).filter(([key]) => differs(curve.policy, key))
    return fullPolicy(curve.policy, Object.fromEntries(telling))
  }
}

function* captions(curve: Curve, settings: readonly string[], width: number, ink: Ink): Iterable<string> {
  const { transcripts, exchanges, requests } = curve
  const caption = [
    ...settings,
    `${several(transcripts, 'transcript')}, ${several(exchanges, 'exchange')}, ${several(requests, 'request')}`,
  ].join(' · ')
  const bill = billWords(curve.bill, transcripts)
  const all = [caption, ...bill, ...partialCost(transcripts, curve.points[0]?.cost)]
  for (const line of all.flatMap((words) => wrap(safe(words), width, 0, 2))) yield `${ink.aside(line)}\n`
  yield '\n'
}

/** A row for each budget, the baseline below; for each policy its cost, how much that changes, and what is lost. */
function* sideBySide(
  curves: readonly Curve[],
  named: (curve: Curve) => string,
  width: number,
  ink: Ink,
): Iterable<string> {
  const column = 23
  const label = 10
  const amount = amountsOf(curves)
  const most = Math.max(1, Math.floor((width - label) / column))
  const [{ baseline }] = curves as readonly [Curve]
  for (let from = 0; from < curves.length; from += most) {
    const shown = curves.slice(from, from + most)
    if (from > 0) yield '\n'
    // Long names are wrapped.
    const names = shown.map((curve) => wrap(safe(named(curve)), column - 1, 0, 0))
    const height = names.reduce((most, { length }) => Math.max(most, length), 0)
    for (let line = 0; line < height; line++) {
      yield `${ink.answer(`${' '.repeat(label)}${names.map((name) => ` ${(name[line] ?? '').padStart(column - 1)}`).join('')}`.trimEnd())}\n`
    }
    yield `${`${'budget'.padStart(label)}${`${'cost'.padStart(9)}${'%'.padStart(7)}${'lost'.padStart(7)}`.repeat(shown.length)}`}\n`
    for (const [at, point] of (shown[0] as Curve).points.entries()) {
      const cells = shown.map((curve) => cell(curve, curve.points[at] as CurvePoint, amount, ink))
      yield `${budgetName(point).padStart(label)}${cells.join('')}\n`
    }
    const held = `${amount(baseline.paid).padStart(9)}${''.padStart(7)}${share(baseline.lost, baseline.total).padStart(7)}`
    yield ink.aside(`${safe(baseline.name).padStart(label)}${held}\n`)
  }
}

function cell(curve: Curve, point: CurvePoint, amount: (paid: number) => string, ink: Ink): string {
  const losses = judged(curve)?.(point) ?? null
  const isKnee = point.budget === curve.knee?.budget
  const cost = `${isKnee ? '▸' : ' '}${amount(point.cost.paid).padStart(8)}`
  const change = changeOf(point).padStart(7)
  const words = `${cost}${change}${(losses ? share(losses.sourceLost, sourced(losses)) : '').padStart(7)}`
  return isKnee ? ink.answer(words) : words
}

function share(part: number, whole: number): string {
  if (whole === 0) return '-'
  return whole < fewestForPercent ? `${part}/${whole}` : `${((100 * part) / whole).toFixed(1)} %`
}

/** "$263", "$0.41"; input tokens where no price is known */
function amountWords(amount: number, unit: CostUnit): string {
  return unit === 'usd' ? dollars(amount) : compact(amount)
}

/** How the costs of curves are written: all with as many decimals, so that they stand in line. */
function amountsOf(curves: readonly Curve[]): (paid: number) => string {
  const [{ baseline }] = curves as readonly [Curve]
  const paid = [baseline.paid, ...curves.flatMap(({ points }) => points.map(({ cost }) => cost.paid))]
  if (baseline.unit !== 'usd') return compact
  const decimals = paid.some((one) => one >= 100) ? 0 : moneyDecimals(paid)
  return (one) => moneyCell(one, decimals).replace(/(?=\d)/, '$')
}

/** "-28.4", "+106.0" */
function changeOf({ saved }: CurvePoint): string {
  return signedTenths(-saved.percent)
}

/** The answer for a single curve; none where later uses were not measured. */
function answersOf(curve: Curve, tolerance: Tolerance): string[] {
  const of = judged(curve)
  const last = curve.points.at(-1)
  if (!of || !last) return []
  if (sourced(of(last) as Losses) > 0) return [kneeSentence(curve, of, tolerance)]
  return ['Nothing to judge a budget by: no earlier content was used again.']
}

function kneeWords(curve: Curve, tolerance: Tolerance): string {
  const of = judged(curve)
  const total = of && curve.points[0] ? of(curve.points[0]) : null
  if (!of || !total || sourced(total) === 0) return 'no earlier content was used again.'
  return kneeSentence(curve, of, tolerance)
}

function knees({ over, percent }: Tolerance): string {
  return `the smallest budget that loses no more than ${over === 'baseline' ? `the baseline and ${percent} % more` : `${percent} %`}`
}

/** What is lost of content at a point; null for a curve without references. */
function judged({ points }: Curve): ((point: CurvePoint) => Losses | null) | null {
  return points.some(({ references }) => references) ? ({ references }) => references?.headline ?? null : null
}

function* chart(curve: Curve, width: number, ink: Ink): Iterable<string> {
  const { points, knee } = curve
  const lossesOf = judged(curve)
  const amount = amountsOf([curve])
  const losses = points.map((point) => lossesOf?.(point) ?? null)
  const lostWords = losses.map((lost) => (lost ? shareWords(lost.sourceLost, sourced(lost), 1) : ''))
  const lostWidth = lostWords.reduce((most, { length }) => Math.max(most, length), 0)
  // Beside the bars stand the budget with its mark, a figure for each bar, the cost, and the exchanges over budget.
  const bars = lossesOf ? 2 : 1
  const room = width - 9 - 9 - (lossesOf ? lostWidth + 2 : 0) - 8 - 7 - 7
  const cells = Math.max(2, Math.floor(room / bars))
  const head = (text: string, figure: number): string => clip(text, cells + figure).padEnd(cells + figure + 1)
  const lostHead = lossesOf ? head('lost', lostWidth + 1) : ''
  yield `${'budget'.padStart(8)} ${head('tokens saved', 8)}${lostHead}    cost      %   over`
  yield '\n'
  const drawn = (share: number, words: string, figure: number, colour: (text: string) => string): string =>
    `${colour(bar(share, cells))}${words.padStart(figure)} `
  for (const [at, point] of points.entries()) {
    const mark = point.budget === knee?.budget ? '▸' : ' '
    const lost = losses[at]
    const row = [
      `${mark}${budgetName(point).padStart(7)} `,
      drawn(point.savedPercent / 100, `${decimal(point.savedPercent, 1)} %`, 8, ink.good),
      lost ? drawn(lost.sourceLostPercent / 100, lostWords[at] as string, lostWidth + 1, ink.bad) : '',
      amount(point.cost.paid).padStart(8),
      changeOf(point).padStart(7),
      grouped(point.overBudgetExchanges).padStart(7),
    ].join('')
    yield `${mark === ' ' ? row : ink.answer(row)}\n`
  }
}

function budgetName(point: CurvePoint): string {
  return point.budget === 0 ? 'none' : short(point)
}

/** 0.72x, 1.04x, 2.4x, 12x */
function factor(value: number): string {
  if (!Number.isFinite(value)) return '-'
  return `${value >= 9.95 ? Math.round(value) : value.toFixed(value >= 1.995 ? 1 : 2)}x`
}

function explained(curve: Curve, more: string): string {
  const { points, baseline } = curve
  const last = points.at(-1)
  const losses = last ? judged(curve)?.(last) : null
  const lost = losses
    ? `lost: of ${several(sourced(losses), 'later use')} of earlier content, those that would find it gone · `
    : ''
  const held = `cost: of input and summaries · %: its change against ${baseline.name} (${amountWords(baseline.paid, baseline.unit)}${losses ? `, lost ${share(baseline.lost, baseline.total)}` : ''})`
  return `${lost}${held}${more}. ${notFailed}`
}

/** What is lost at the knee of the text that was copied, or at the smallest budget where there is none. */
function copiesLine({ points, knee }: Curve): string[] {
  const point = points.find(({ budget }) => budget === knee?.budget) ?? points[0]
  const copied = point?.references?.copied
  if (!point || !copied || copied.shown.requests === 0) return []
  return [`copies lost at ${budgetName(point)}: ${copiesShare(copied.shown)} ${copiesSentence(copied.shown)}.`]
}

/** "64k holds 99 % of what was used later; 100k costs 1.4x as much." */
function kneeSentence(
  { points, knee, baseline }: Curve,
  of: (point: CurvePoint) => Losses | null,
  tolerance: Tolerance,
): string {
  const at = points.findIndex(({ budget }) => budget === knee?.budget)
  const here = points[at]
  if (!knee || !here) {
    const best = points
      .map(of)
      .reduce((best, lost) => (lost && best && lost.sourceLost < best.sourceLost ? lost : best))
    return `No budget here holds ${percentWords(100 - allowed(tolerance, baseline))} of what was used later; the best holds ${heldWords(best as Losses)}.`
  }
  if (here.savedTokens === 0) {
    return at === 0
      ? `These transcripts never filled a window of ${short(here)}: nothing to tune.`
      : `Do not prune: every budget that prunes loses more than ${Math.round(10 * allowed(tolerance, baseline)) / 10} % of what was used later.`
  }
  const holds = `${short(here)} holds ${heldWords(of(here) as Losses)} of what was used later`
  // The next budget that loses nothing, or else no pruning at all, says what holding the rest would cost.
  const next = points.slice(at + 1).find((point) => of(point)?.sourceLost === 0) ?? points.at(-1)
  if (!next || next === here) return `${holds}.`
  const rest = knee.heldPercent < 100 && of(next)?.sourceLost === 0 ? ', which holds all of it,' : ''
  const cost = next.cost.paid / here.cost.paid
  if (!Number.isFinite(cost)) {
    return `${holds}; ${name(next)}${rest} sends ${factor(next.sentTokens / here.sentTokens)} the tokens.`
  }
  return `${holds}; ${name(next)}${rest} costs ${factor(cost) === '1.00x' ? 'the same' : `${factor(cost)} as much`}.`
}

/** How much may be lost, in percent. */
function allowed({ over, percent }: Tolerance, { lost, total }: Curve['baseline']): number {
  return percent + (over === 'baseline' && total > 0 ? (100 * lost) / total : 0)
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
  return held === all || all >= fewestForPercent
    ? percentWords((100 * held) / all)
    : `${grouped(held)} of ${grouped(all)}`
}

/**
 * The share that is held. It is never rounded up to all; otherwise it is rounded like the share that is lost, so that both
 * add up to 100.
 */
function percentWords(value: number): string {
  return value === 100 ? 'all' : `${Math.min(99.9, Math.round(value * 10) / 10)} %`
}
