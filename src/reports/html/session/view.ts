/**
 * The picture of a session, as SVG: a pure function of the data, the same for a file and for the page. From left to right
 * the requests, each a stack of what fills its window; above them arcs from what had left to where it was used; below them
 * the exchanges, and what the requests cost by what the prompt cache had of them.
 */
import type {
  PictureCut,
  PictureExchange,
  PicturePart,
  PictureRun,
  SessionPicture,
} from '../../../model/session-picture.ts'
import { amountWords } from '../../answer.ts'
import { compact, dollars, grouped, ordinal, several, shortBudget } from '../../numbers.ts'
import { paramWords } from '../../params.ts'
import { clip, widthOf } from '../../text.ts'
import { type Frame, frameOf, largestOf, stepsTo, summed } from './frame.ts'
import { isolated, short, tag, text } from './markup.ts'
import { sessionStyle, tints } from './style.ts'

export interface SessionViewOptions {
  /** Pixels, from 320. */
  readonly width: number
  /** Which of the picture's runs; default the first. */
  readonly run?: number
  /** The context rule stands as before this request; default null, the end. */
  readonly at?: number | null
  /** Whether title, facts and legend are part of it: the page may say them itself. Default true. */
  readonly heading?: boolean
  readonly legend?: boolean
}

/** A piece of the picture, drawn from `y` = 0 on. */
interface Piece {
  readonly markup: string
  readonly height: number
}

/** The picture as an `svg` element, whose style is `sessionStyle`. */
export function sessionView(picture: SessionPicture, options: SessionViewOptions): string {
  return drawn(picture, options, '')
}

/** The picture as a file of its own: it has its style, and its canvas. */
export function sessionSvg(picture: SessionPicture, options: SessionViewOptions): string {
  return `${drawn(picture, options, tag('style', {}, sessionStyle))}\n`
}

function drawn(picture: SessionPicture, options: SessionViewOptions, style: string): string {
  const { width, run: number = 0, at = null, heading = true, legend = true } = options
  const run = picture.runs[number] as PictureRun
  const frame = frameOf(picture, width)
  const pieces = [
    ...(heading ? [headingOf(picture, run, frame)] : []),
    plotOf(picture, run, frame, at),
    stripOf(picture, run, frame),
    ...(legend ? [legendOf(picture, run, frame)] : []),
  ]
  let y = 8
  const body = pieces
    .map(({ markup, height }) => {
      const placed = tag('g', { transform: `translate(0 ${short(y)})` }, markup)
      y += height
      return placed
    })
    .join('\n')
  const title = picture.title === null ? 'A session' : `“${clip(picture.title, 120)}”`
  return tag(
    'svg',
    {
      ...(style === '' ? {} : { xmlns: 'http://www.w3.org/2000/svg' }),
      class: 'session-picture',
      role: 'img',
      'aria-labelledby': 'session-title session-desc',
      width,
      height: y,
      viewBox: `0 0 ${width} ${short(y)}`,
    },
    [
      tag('title', { id: 'session-title' }, text(`${title}: what filled its window`)),
      tag('desc', { id: 'session-desc' }, text(descriptionOf(picture, run), 2000)),
      style,
      style === '' ? '' : tag('rect', { class: 'canvas', width, height: y, rx: 6 }),
      body,
    ]
      .filter((part) => part !== '')
      .join('\n'),
  )
}

// --- words

function policyWords({ policy, params, budget, budgetAsked }: PictureRun): string {
  const words = paramWords(params)
  const named = words === '' ? policy : `${policy} (${clip(words.replaceAll(',', ', '), 60)})`
  return budget === 0 ? named : `${named} at ${shortBudget({ budget, ...(budgetAsked && { budgetAsked }) })}`
}

function factsOf(picture: SessionPicture, run: PictureRun): string[] {
  const uses = lossesOf(run)
  const compactions = picture.recorded.filter(({ kind }) => kind === 'compaction').length
  return [
    several(picture.requests, 'request'),
    ...(picture.model === null ? [] : [clip(picture.model, 40)]),
    policyWords(run),
    several(cutsIn(run.cuts), 'cut'),
    ...(compactions > 0
      ? [`${grouped(compactions)} recorded ${compactions === 1 ? 'compaction' : 'compactions'}`]
      : []),
    `${amountWords(run.costInput + run.costSummaries, picture.unit)} for input`,
    uses.all === 0 ? 'nothing used later had left' : `${several(uses.all, 'later use')} of what had left`,
  ]
}

function descriptionOf(picture: SessionPicture, run: PictureRun): string {
  const peak = most(run.sent)
  const { gone } = lossesOf(run)
  const parts = run.parts.map((part) => `${partWords(part).name} ${part.share} %`)
  const facts = factsOf(picture, run)
  return `${facts.join(', ')}. The largest request has ${grouped(peak)} tokens. What the requests carried: ${parts.join(', ')}. Of ${grouped(gone)} of the later uses nothing was left in the window.`
}

function lossesOf({ arcs }: PictureRun): { all: number; gone: number; mentioned: number } {
  let [gone, mentioned] = [0, 0]
  for (const arc of arcs) {
    if (arc.gone) gone += arc.uses
    else mentioned += arc.uses
  }
  return { all: gone + mentioned, gone, mentioned }
}

const cutsIn = (cuts: readonly PictureCut[]): number => cuts.reduce((sum, cut) => sum + cut.cuts, 0)

function partWords({ kind, tool }: Pick<PicturePart, 'kind' | 'tool'>): { name: string; note: string } {
  switch (kind) {
    case 'preamble':
      return { name: 'Preamble', note: 'system prompt and tools' }
    case 'unknown':
      return { name: 'Before', note: 'what came before this file' }
    case 'inserted':
      return { name: 'Put in', note: 'summaries and notices in place of what left' }
    case 'program':
      return { name: 'Program', note: 'its reminders, and the surroundings' }
    case 'user':
      return { name: 'User', note: 'what was asked' }
    case 'assistant':
      return { name: 'Assistant', note: 'answers and calls' }
    case 'thinking':
      return { name: 'Thinking', note: 'as far as it is sent again' }
    case 'tool':
      return tool === null ? { name: 'Other tools', note: 'their results' } : { name: tool, note: 'results' }
  }
}

/** The class of a part: a tint of the accent for each tool, greys for all else. */
function classesOf(parts: readonly PicturePart[]): string[] {
  let tint = 0
  return parts.map(({ kind, tool }) => (kind !== 'tool' ? kind : `tint${tool === null ? tints - 1 : tint++}`))
}

// --- heading

/** Roughly, of a system's sans-serif letters: a name of unknown letters is rather cut too early than too late. */
const letter = (size: number): number => size * 0.56

function headingOf(picture: SessionPicture, run: PictureRun, frame: Frame): Piece {
  const margin = 12
  const room = frame.width - 2 * margin
  const title = picture.title ?? picture.conversation ?? picture.transcript
  const lines = wrapped(factsOf(picture, run), Math.floor(room / letter(12)))
  const words = [
    tag('text', { class: 'title', x: margin, y: 18 }, isolated(title, Math.floor(room / letter(15)))),
    ...lines.map((line, at) => tag('text', { class: 'soft', x: margin, y: 38 + 17 * at }, text(line))),
  ]
  return { markup: words.join('\n'), height: 38 + 17 * lines.length }
}

/** Facts in lines, as many in each as there is room for. */
function wrapped(facts: readonly string[], most: number): string[] {
  const lines: string[] = []
  for (const fact of facts) {
    const last = lines.at(-1)
    const longer = `${last} · ${fact}`
    if (last !== undefined && widthOf(longer) <= most) lines[lines.length - 1] = longer
    else lines.push(clip(fact, most))
  }
  return lines
}

// --- plot

/** Where a policy cuts at every turn, lines would be a wall, and their labels all the same. */
const mostCuts = 40

function plotOf(picture: SessionPicture, run: PictureRun, frame: Frame, at: number | null): Piece {
  const arcsHeight = run.arcs.length > 0 ? (frame.narrow ? 56 : 84) : 0
  const labels = arcsHeight + 16
  const height = frame.narrow ? 190 : 260
  const bottom = labels + height
  const lane = bottom + 5
  const peak = most(run.sent)
  const { modelWindow, requests } = picture
  // A window of a million would press a session of a hundred thousand flat.
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
    areas(run, frame, y, height),
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
  const limits = [
    ...(run.budget > 0 ? [{ name: 'budget', tokens: run.budget, words: `budget ${compact(run.budget)}` }] : []),
    ...(showsWindow
      ? [
          {
            name: 'model-window',
            tokens: modelWindow as number,
            words: `model's window ${compact(modelWindow as number)}`,
          },
        ]
      : []),
  ]
  const limitLabels = limits.map(({ tokens, words }, number) => {
    // At the top of the plot the labels of the breaks are near, so there the name stands below its line.
    const beside = labels + y(tokens) + (y(tokens) < 18 ? 14 : -4)
    // Two limits that are close to each other say their names at different ends.
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
  const classes = classesOf(run.parts)
  const sums = new Array<number>(shown.length).fill(0)
  const outlines = run.parts.map((part, number) => {
    for (const [at, column] of shown.entries()) sums[at] = (sums[at] as number) + (part.tokens[column] ?? 0)
    const { name, note } = partWords(part)
    return tag(
      'path',
      { class: classes[number] as string, d: outline(sums.map(y), height) },
      tag('title', {}, text(`${name}: ${note}, ${part.share} % of all that was sent`)),
    )
  })
  return outlines.reverse().join('\n')
}

/** A step for each level, from left to right in units of columns, closed at the bottom. */
function outline(levels: readonly number[], bottom: number): string {
  let path = `M0 ${bottom}`
  let [level, length] = [bottom, 0]
  for (const next of levels) {
    if (next !== level) {
      path += `${length > 0 ? `h${length}` : ''}V${next}`
      level = next
      length = 0
    }
    length++
  }
  return `${path}h${length}V${bottom}z`
}

const most = (values: readonly number[]): number => values.reduce((largest, value) => Math.max(largest, value), 0)

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

/** Where the context rule stands before a request: at the first message that is still inside. Null if nothing has left. */
function ruleAt({ recorded, requests }: SessionPicture, { cuts }: PictureRun, at: number | null): number | null {
  const end = at ?? requests
  const cut = cuts.findLast(({ request }) => request <= end)
  const reset = recorded.findLast(({ request, kind }) => kind === 'reset' && request <= end)
  if (reset && (!cut || reset.request >= cut.request)) return reset.request
  return cut ? cut.rule : null
}

/** What comes after the moment that is shown has not happened yet. */
function veilOf(frame: Frame, at: number, top: number, bottom: number): string {
  const x = frame.x(at)
  const veil = { class: 'canvas veil', x, y: top - 3, width: Math.max(0, frame.right - x), height: bottom - top - 2 }
  return tag('rect', veil) + tag('path', { class: 'moment', d: `M${short(x)} ${top}V${bottom}` })
}

/** More arcs than this are a cloud: those that are near each other become one. */
const mostArcs = 240

interface Arc {
  readonly x1: number
  readonly x2: number
  readonly gone: boolean
  readonly words: string
  uses: number
}

function arcsOf(run: PictureRun, frame: Frame, height: number, end: number): string {
  const used = run.arcs.filter(({ to }) => to < end)
  let arcs = merged(used, frame, 1)
  for (let grain = 2; arcs.length > mostArcs; grain *= 2) arcs = merged(used, frame, grain)
  if (arcs.length === 0) return ''
  const longest = most(arcs.map(({ x1, x2 }) => x2 - x1)) || 1
  const paths = arcs.map(({ x1, x2, gone, uses, words }) => {
    const rise = (height - 4) * Math.sqrt(Math.max(4, x2 - x1) / longest)
    const name = gone ? ' gone' : ''
    // The top of such a curve is three quarters of the way to its controls.
    const top = short(height - (rise * 4) / 3)
    const d = `M${short(x1)} ${height}C${short(x1)} ${top} ${short(x2)} ${top} ${short(x2)} ${height}`
    const more = uses > 1 ? `, and ${grouped(uses - 1)} more` : ''
    const told = tag('title', {}, text(`${words}${more}: ${gone ? 'nothing of it is left' : 'a mention is left'}`))
    return (
      tag('path', { class: `arc${name}`, d, 'stroke-width': Math.min(4, 1 + Math.log2(uses) / 3) }, told) +
      tag('circle', { class: `dot${name}`, cx: x2, cy: height, r: 2 })
    )
  })
  const opacity = arcs.length > 120 ? '0.35' : arcs.length > 60 ? '0.5' : '0.7'
  return tag('g', { opacity }, paths.join('\n'))
}

/** Arcs that begin and end within the same `grain` columns as one, those with a mention left first. */
function merged(arcs: PictureRun['arcs'], frame: Frame, grain: number): Arc[] {
  const all = new Map<string, Arc>()
  const place = (request: number): number => Math.floor((frame.x(request) - frame.left) / (frame.columnWidth * grain))
  for (const { from, to, gone, uses, examples } of arcs) {
    const key = `${place(from)} ${place(to)} ${gone}`
    const known = all.get(key)
    if (known) {
      known.uses += uses
      continue
    }
    const term = examples[0]?.term ?? null
    const of = term === null ? '' : ` of ${clip(term, 60)}`
    const words = `request ${ordinal(to)} uses what request ${ordinal(from)} had${of}`
    all.set(key, { x1: frame.x(from), x2: frame.x(to), gone, uses, words })
  }
  return [...all.values()].sort((one, other) => Number(one.gone) - Number(other.gone))
}

function laneOf(picture: SessionPicture, run: PictureRun, frame: Frame, y: number, end: number): string {
  const outside = new Set(
    run.absences.filter(({ from, to }) => from <= end && (to === null || to > end)).map(({ exchange }) => exchange),
  )
  const shown: { first: PictureExchange; last: PictureExchange; x: number; right: number; gone: boolean }[] = []
  for (const one of picture.exchanges) {
    if (one.from >= one.to || one.from >= end) continue
    const [x, right] = [frame.x(one.from), frame.x(Math.min(one.to, end))]
    const gone = outside.has(one.exchange)
    const before = shown.at(-1)
    // Those that are too narrow to be told apart are one.
    if (before && before.gone === gone && right - before.x < narrowest) {
      before.last = one
      before.right = right
    } else shown.push({ first: one, last: one, x, right, gone })
  }
  return shown
    .map(({ first, last, x, right, gone }) => {
      const width = Math.max(0.8, right - x - 1)
      const number = ordinal(first.exchange)
      const isWide = first === last && width > number.length * letter(10) + 6
      const label = { class: `lane-number middle${gone ? ' soft' : ''}`, x: x + width / 2, y: y + 10.5 }
      return tag(
        'g',
        { 'data-exchange': first.exchange },
        tag('title', {}, text(exchangeWords(first, last, gone))) +
          tag('rect', { class: `lane${gone ? ' gone' : ''}`, x, y, width, height: 14, rx: width > 6 ? 2 : null }) +
          (isWide ? tag('text', label, text(number)) : ''),
      )
    })
    .join('\n')
}

/** Pixels. */
const narrowest = 3

function exchangeWords(first: PictureExchange, last: PictureExchange, gone: boolean): string {
  const where = gone ? 'outside the window' : 'in the window'
  if (first !== last) return `Exchanges ${ordinal(first.exchange)} to ${ordinal(last.exchange)} · ${where}`
  const { exchange, title, tokens, tools, firstLine, lastLine } = first
  const called = tools.map(([name, calls]) => `${clip(name, 30)} ${grouped(calls)}`).join(', ')
  return [
    `Exchange ${ordinal(exchange)}${title === null ? '' : `: “${clip(title, 120)}”`}`,
    `${grouped(tokens)} tokens`,
    `lines ${grouped(firstLine)} to ${grouped(lastLine)}`,
    ...(called === '' ? [] : [called]),
    where,
  ].join(' · ')
}

/** Numbers of requests, the moment and the context rule; those that come later in this list yield to those before. */
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

// --- the prompt cache

function stripOf(picture: SessionPicture, run: PictureRun, frame: Frame): Piece {
  const { readCost, addedCost, missedCost } = run.cache
  const height = frame.narrow ? 44 : 60
  const layers = [
    ['read', summed(readCost, frame)],
    ['added', summed(addedCost, frame)],
    ['missed', summed(missedCost, frame)],
  ] as const
  const totals = layers[0][1].map((_, at) => layers.reduce((sum, [, costs]) => sum + (costs[at] as number), 0))
  const dearest = most(totals)
  const top = 18
  const sums = totals.map(() => 0)
  const y = (cost: number): number => (dearest === 0 ? height : Math.round(height * (1 - cost / dearest)))
  const outlines = layers.map(([name, costs]) => {
    for (const [at, cost] of costs.entries()) sums[at] = (sums[at] as number) + cost
    return tag('path', { class: name, d: outline(sums.map(y), height) })
  })
  const markup = [
    tag('text', { class: 'small soft', x: frame.left, y: 11 }, text(perRequest(picture, frame))),
    tag('path', { class: 'grid', d: `M${frame.left} ${top + 0.5}H${short(frame.right)}` }),
    tag('text', { class: 'soft small end', x: frame.left - 6, y: top + 4 }, text(axisCost(picture, dearest))),
    tag(
      'g',
      {
        transform: `translate(${frame.left} ${top}) scale(${Math.round(frame.columnWidth * 1e4) / 1e4} 1)`,
        'shape-rendering': 'crispEdges',
      },
      outlines.reverse().join('\n'),
    ),
    tag('path', { class: 'grid', d: `M${frame.left} ${top + height + 0.5}H${short(frame.right)}` }),
  ]
  return { markup: markup.join('\n'), height: top + height + 16 }
}

function perRequest({ requestsPerColumn }: SessionPicture, { folded }: Frame): string {
  const many = requestsPerColumn * folded
  return `What the input of ${many === 1 ? 'each request' : `each ${grouped(many)} requests`} costs`
}

const axisCost = (picture: SessionPicture, cost: number): string =>
  picture.unit === 'usd' ? dollars(cost) : compact(cost)

// --- legend

interface Sign {
  readonly mark: string
  readonly name: string
  readonly figure?: string
  readonly note: string
}

function legendOf(picture: SessionPicture, run: PictureRun, frame: Frame): Piece {
  const classes = classesOf(run.parts)
  const square = (name: string): string => tag('rect', { class: name, width: 12, height: 12, y: -10, rx: 2 })
  const stroke = (name: string, d: string): string => tag('path', { class: name, d })
  const parts = run.parts.map((part, number): Sign => {
    const { name, note } = partWords(part)
    return { mark: square(classes[number] as string), name, figure: `${part.share.toFixed(1)} %`, note }
  })
  const { gone, mentioned } = lossesOf(run)
  const total = (key: keyof PictureRun['cache']): number => run.cache[key].reduce((sum, value) => sum + value, 0)
  const cache = (
    [
      ['read', 'Cache read', 'had by the request before'],
      ['added', 'New', 'paid for the first time'],
      ['missed', 'Cache missed', 'was cached, is paid again'],
    ] as const
  ).map(
    ([key, name, note]): Sign => ({
      mark: square(key),
      name,
      figure: `${compact(total(key))}, ${amountWords(total(`${key}Cost`), picture.unit)}`,
      note,
    }),
  )
  const signs: Sign[] = [
    ...(run.budget > 0
      ? [{ mark: stroke('budget', 'M0 -4H12'), name: 'Budget', note: `the size at which ${run.policy} cuts` }]
      : []),
    ...(run.cuts.length > 0
      ? [{ mark: stroke('cut', 'M6 -11V2'), name: 'Cut', note: 'the policy takes out what is oldest' }]
      : []),
    ...(picture.recorded.length > 0
      ? [{ mark: stroke('recorded', 'M6 -11V2'), name: 'Recorded', note: 'the agent itself compacted or cleared' }]
      : []),
    ...(ruleAt(picture, run, null) === null
      ? []
      : [{ mark: stroke('rule', 'M6 -11V2'), name: 'Context', note: 'what stands left of it has left the window' }]),
    { mark: square('lane'), name: 'Exchange', note: 'from question to answer; pale: outside' },
    ...(gone > 0
      ? [
          {
            mark: stroke('arc gone', 'M0 1C0 -13 12 -13 12 1'),
            name: 'Gone',
            figure: grouped(gone),
            note: 'used later, nothing of it left',
          },
        ]
      : []),
    ...(mentioned > 0
      ? [
          {
            mark: stroke('arc', 'M0 1C0 -13 12 -13 12 1'),
            name: 'Mentioned',
            figure: grouped(mentioned),
            note: 'used later, only its name left',
          },
        ]
      : []),
  ]
  const groups = [parts, [...signs, ...cache]]
  const width = frame.narrow ? frame.width - 24 : (frame.width - 24) / 2
  const line = 19
  let y = 12
  let height = 0
  const markup = groups.map((group, number) => {
    const x = frame.narrow ? 12 : 12 + number * width
    if (!frame.narrow) y = 12
    const lines = group.map(({ mark, name, figure, note }) => {
      const shown = clip(name, 24)
      const head = [shown, ...(figure === undefined ? [] : [figure])].join(' ')
      const room = Math.floor((width - 34) / letter(12)) - widthOf(head)
      const words = [
        tag('tspan', { class: 'strong words' }, text(shown)),
        ...(figure === undefined ? [] : [tag('tspan', { dx: 6 }, text(figure))]),
        ...(room < 8 ? [] : [tag('tspan', { class: 'soft', dx: 6 }, text(note, room))]),
      ]
      const placed = tag(
        'g',
        { transform: `translate(${short(x)} ${short(y)})` },
        `${mark}${tag('text', { x: 20 }, words.join(''))}`,
      )
      y += line
      return placed
    })
    height = Math.max(height, y)
    return lines.join('\n')
  })
  return { markup: markup.join('\n'), height }
}
