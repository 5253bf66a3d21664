/**
 * The picture of a session, as SVG: a pure function of the data, the same for a file and for the page. From left to
 * right the requests, each a stack of what fills its window; above them arcs from what had left to where it was used;
 * below them the exchanges, and what the requests cost by what the prompt cache had of them.
 */
import type { PictureRun, SessionPicture } from '../../../model/session-picture.ts'
import { compact, grouped } from '../../numbers.ts'
import { clip } from '../../text.ts'
import { frameOf, most } from './frame.ts'
import { headingOf } from './heading.ts'
import { legendOf } from './legend.ts'
import { short, tag, text } from './markup.ts'
import { type OtherOutline, plotOf } from './plot.ts'
import { stripOf } from './strip.ts'
import { sessionStyle } from './style.ts'
import { factsOf, kindsOf } from './words.ts'

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
  /** Facts to print beside it. Default: those of the run. */
  readonly facts?: readonly string[]
  /** What the requests would have been under another policy; default none. */
  readonly other?: OtherOutline | null
  /** Sums over its columns would be too coarse to be told. Default false. */
  readonly coarse?: boolean
}

/** The picture as an `svg` element, whose style is `sessionStyle`. */
export const sessionView = (picture: SessionPicture, options: SessionViewOptions): string => drawn(picture, options, '')

/** The picture as a file of its own: it has its style, and its canvas. */
export const sessionSvg = (picture: SessionPicture, options: SessionViewOptions): string =>
  `${drawn(picture, options, tag('style', {}, sessionStyle))}\n`

function drawn(picture: SessionPicture, options: SessionViewOptions, style: string): string {
  const { width, run: number = 0, at = null, heading = true, legend = true, other = null, coarse = false } = options
  const run = picture.runs[number] as PictureRun
  const frame = frameOf(picture, width)
  const facts = options.facts ?? factsOf(picture, run)
  const pieces = [
    ...(heading ? [headingOf(picture, facts, frame)] : []),
    plotOf(picture, run, frame, { at, other }),
    stripOf(picture, run, frame, other !== null),
    ...(legend ? [legendOf(picture, run, frame, { other, coarse })] : []),
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
      tag('desc', { id: 'session-desc' }, text(descriptionOf(run, facts, coarse), 2000)),
      style,
      style === '' ? '' : tag('rect', { class: 'canvas', width, height: y, rx: 6 }),
      body,
    ]
      .filter((part) => part !== '')
      .join('\n'),
  )
}

function descriptionOf(run: PictureRun, facts: readonly string[], coarse: boolean): string {
  const peak = most(run.sent)
  const kinds = kindsOf(run.parts).map(({ words, share }) => (coarse ? words : `${words} ${share} %`))
  return `${facts.join(', ')}. The largest request has ${coarse ? compact(peak) : grouped(peak)} tokens. What the requests carried: ${kinds.join(', ')}.`
}
