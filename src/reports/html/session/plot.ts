/** The window, request by request: a stack of what fills it, where it was cut, and the context rule. */
import { these } from '../../../base/these.ts'
import type { PictureCut, PictureRun, SessionPicture } from '../../../model/session-picture.ts'
import { compact, grouped, ordinal, several } from '../../numbers.ts'
import { arcsOf } from './arcs.ts'
import { type Frame, largestOf, letter, most, type Piece, stepsTo } from './frame.ts'
import { laneOf } from './lane.ts'
import { short, tag, text } from './markup.ts'
import { outline, steps } from './outline.ts'
import { kindsOf } from './words.ts'

/** With more cuts than this, their lines would be a wall, and their labels all alike. */
const mostCuts = 40

/** What the requests would have been under another policy: drawn as a line above the stack. */
export interface OtherOutline {
  /** By column of the picture. */
  readonly sent: readonly number[]
  readonly words: string
}

export function plotOf(
  picture: SessionPicture,
  run: PictureRun,
  frame: Frame,
  { at, other }: { readonly at: number | null; readonly other: OtherOutline | null },
): Piece {
  const arcsHeight = run.arcs.length > 0 ? (frame.narrow ? 56 : 84) : 0
  const labels = arcsHeight + 16
  const height = frame.narrow ? 190 : 260
  const bottom = labels + height
  const lane = bottom + 5
  const peak = Math.max(most(run.sent), other ? most(other.sent) : 0)
  const { modelWindow, requests } = picture
  // A window of a million tokens would leave a session of a hundred thousand almost no height.
  const showsWindow = modelWindow !== null && modelWindow <= Math.max(peak, run.budget) * 1.6
  const top = Math.max(1, peak, run.budget, showsWindow ? modelWindow : 0) * 1.04
  const y = (tokens: number): number => Math.round(height * (1 - tokens / top))
  const rule = ruleAt(picture, run, at)
  const end = at ?? requests

  const grid = stepsTo(top, frame.narrow ? 4 : 5).map((tokens) => {
    const line = labels + y(tokens)
    return (
      tag('path', { class: 'grid', d: `M${frame.left} ${line + 0.5}H${short(frame.right)}` }) +
      tag('text', { class: 'soft small end', x: frame.left - 6, y: line + 4 }, text(compact(tokens)))
    )
  })
  const stack = tag(
    'g',
    {
      transform: `translate(${frame.left} ${labels}) scale(${Math.round(frame.columnWidth * 1e4) / 1e4} 1)`,
      'shape-rendering': 'crispEdges',
    },
    (other ? tag('g', { class: 'faded' }, areas(run, frame, y, height)) : areas(run, frame, y, height)) +
      (other ? tag('path', { class: 'other', d: steps(largestIn(other.sent, frame).map(y)) }) : ''),
  )
  const line = (name: string, x: number, from: number, to: number, words: string): string =>
    tag('path', { class: name, d: `M${short(x)} ${from}V${to}` }, tag('title', {}, text(words)))
  const cutAt = new Set(run.cuts.map(({ request }) => request))
  const recorded = picture.recorded
    .filter(({ request }) => !cutAt.has(request))
    .map(({ request, kind }) =>
      line('recorded', frame.x(request), labels, bottom, `before request ${ordinal(request)}: ${recordedWords[kind]}`),
    )
  const isDense = run.cuts.length > mostCuts
  const cuts = run.cuts.map((cut) =>
    line('cut', frame.x(cut.request), labels - 4, isDense ? labels + 4 : bottom, cutWords(cut)),
  )
  const level = (name: string, tokens: number): string =>
    tag('path', { class: name, d: `M${frame.left} ${labels + y(tokens) + 0.5}H${short(frame.right)}` })
  const limits = these(
    run.budget > 0 && { name: 'budget', tokens: run.budget, words: `budget ${compact(run.budget)}` },
    showsWindow && {
      name: 'model-window',
      tokens: modelWindow as number,
      words: `model's window ${compact(modelWindow as number)}`,
    },
  )
  const limitLabels = limits.map(({ tokens, words }, number) => {
    // The labels of the breaks are above the plot, so near its top a limit has its name below its line.
    const beside = labels + y(tokens) + (y(tokens) < 18 ? 14 : -4)
    // Two limits that are close to each other have their names at different ends of their lines.
    const place =
      number === 0 ? { class: 'small halo end', x: frame.right - 4 } : { class: 'small halo', x: frame.left + 6 }
    return tag('text', { ...place, y: beside }, text(words))
  })
  const markup = [
    ...grid,
    stack,
    ...limits.map(({ name, tokens }) => level(name, tokens)),
    ...recorded,
    ...cuts,
    ...breakLabels(picture, run, frame, labels - 6),
    ...limitLabels,
    arcsOf(run, frame, arcsHeight, end),
    laneOf(picture, run, frame, lane, end),
    rule === null ? '' : tag('path', { class: 'rule', d: `M${short(frame.x(rule))} ${labels}V${lane + 18}` }),
    at === null ? '' : veilOf(frame, at, labels, lane + 18),
    ...ticksOf(picture, frame, { rule, at }, lane + 30),
  ]
  return { markup: markup.filter((part) => part !== '').join('\n'), height: lane + 42 }
}

/** Each part as one area down to the bottom, the highest first, so that a part costs one outline. */
function areas(run: PictureRun, frame: Frame, y: (tokens: number) => number, height: number): string {
  const shown = largestOf(run.sent, frame)
  const sums = new Array<number>(shown.length).fill(0)
  const outlines = kindsOf(run.parts).map(({ name, words, note, tokens, share }) => {
    for (const [at, column] of shown.entries()) sums[at] = (sums[at] as number) + (tokens[column] ?? 0)
    const of = share > 0 ? `, ${share} % of all that was sent` : ''
    return tag(
      'path',
      { class: name, d: outline(sums.map(y), height) },
      tag('title', {}, text(`${words}: ${note}${of}`)),
    )
  })
  return outlines.reverse().join('\n')
}

const largestIn = (values: readonly number[], frame: Frame): number[] =>
  largestOf(values, frame).map((column) => values[column] ?? 0)

const recordedWords = {
  compaction: 'the agent compacted its history',
  clearing: 'the agent cleared old results',
  reset: 'the user cleared the history',
} as const

function cutWords({ request, cuts, tokensBefore, tokensAfter }: PictureCut): string {
  const many = cuts === 1 ? 'a cut' : several(cuts, 'cut')
  return `before request ${ordinal(request)}: ${many}, ${grouped(tokensBefore)} to ${grouped(tokensAfter)} tokens`
}

/** What left at each break, as far as there is room: a label that would overlap the one before it is left out. */
function breakLabels(picture: SessionPicture, run: PictureRun, frame: Frame, y: number): string[] {
  const cut = new Map(run.cuts.map((one) => [one.request, one]))
  const labels = [
    ...(run.cuts.length > mostCuts ? [] : run.cuts).map(({ request, tokensBefore, tokensAfter }) => ({
      request,
      words: `−${compact(Math.max(0, tokensBefore - tokensAfter))}`,
    })),
    ...picture.recorded.flatMap(({ request, kind }) =>
      kind === 'clearing' || cut.has(request)
        ? []
        : [{ request, words: kind === 'compaction' ? 'compacted' : 'cleared' }],
    ),
  ].sort((one, other) => one.request - other.request)
  let taken = frame.left
  return labels.flatMap(({ request, words }) => {
    const half = (words.length * letter(11)) / 2
    const x = Math.min(frame.right - half, Math.max(frame.left + half, frame.x(request)))
    if (x - half < taken) return []
    taken = x + half + 8
    return [tag('text', { class: 'small soft middle', x, y }, text(words))]
  })
}

/**
 * Where the context rule stands before a request: at the first message that is still inside. Null if nothing has left.
 */
export function ruleAt({ recorded, requests }: SessionPicture, { cuts }: PictureRun, at: number | null): number | null {
  const end = at ?? requests
  const cut = cuts.findLast(({ request }) => request <= end)
  const reset = recorded.findLast(({ request, kind }) => kind === 'reset' && request <= end)
  if (reset && (!cut || reset.request >= cut.request)) return reset.request
  return cut ? cut.rule : null
}

/** Veils the requests after the moment that is shown: they have not happened yet. */
function veilOf(frame: Frame, at: number, top: number, bottom: number): string {
  const x = frame.x(at)
  const veil = { class: 'canvas veil', x, y: top - 3, width: Math.max(0, frame.right - x), height: bottom - top - 2 }
  return tag('rect', veil) + tag('path', { class: 'moment', d: `M${short(x)} ${top}V${bottom}` })
}

/**
 * Numbers of requests, the moment and the context rule. Where two labels overlap, the one that is later in this list is
 * left out.
 */
function ticksOf(
  { requests }: SessionPicture,
  frame: Frame,
  { rule, at }: { readonly rule: number | null; readonly at: number | null },
  y: number,
): string[] {
  const middle = (request: number): number => (frame.x(request) + frame.x(request + 1)) / 2
  const steps = stepsTo(requests, frame.narrow ? 4 : 8).slice(1)
  const ticks = [
    ...(at === null ? [] : [{ x: frame.x(at), words: `request ${ordinal(at)}`, marks: true }]),
    ...(rule === null ? [] : [{ x: frame.x(rule), words: 'context', marks: true }]),
    ...(requests === 0 ? [] : [{ x: frame.left, words: 'request 1', marks: false }]),
    ...steps.map((step) => ({ x: middle(step - 1), words: grouped(step), marks: false })),
  ]
  const taken: { from: number; to: number }[] = []
  return ticks.flatMap(({ x, words, marks }) => {
    const half = (words.length * letter(11)) / 2
    const centre = Math.max(frame.left + half, Math.min(frame.right - half, x))
    const [from, to] = [centre - half - 6, centre + half + 6]
    if (taken.some((other) => from < other.to && to > other.from)) return []
    taken.push({ from, to })
    return [tag('text', { class: marks ? 'small strong middle' : 'soft small middle', x: centre, y }, words)]
  })
}
