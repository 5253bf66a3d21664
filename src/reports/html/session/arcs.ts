/** Arcs from what had left the window to where it was used. */
import type { PictureRun } from '../../../model/session-picture.ts'
import { grouped, ordinal } from '../../numbers.ts'
import { clip } from '../../text.ts'
import { type Frame, most } from './frame.ts'
import { short, tag, text } from './markup.ts'

/** More arcs than this could not be told apart, so those that are near each other are drawn as one. */
const mostArcs = 240

interface Arc {
  readonly x1: number
  readonly x2: number
  readonly words: string
  uses: number
}

export function arcsOf(run: PictureRun, frame: Frame, height: number, end: number): string {
  const used = run.arcs.filter(({ to }) => to < end)
  let arcs = merged(used, frame, 1)
  for (let grain = 2; arcs.length > mostArcs; grain *= 2) arcs = merged(used, frame, grain)
  if (arcs.length === 0) return ''
  const longest = most(arcs.map(({ x1, x2 }) => x2 - x1)) || 1
  const paths = arcs.map(({ x1, x2, uses, words }) => {
    const rise = (height - 4) * Math.sqrt(Math.max(4, x2 - x1) / longest)
    // The top of a Bézier curve is three quarters of the way to its control points.
    const top = short(height - (rise * 4) / 3)
    const d = `M${short(x1)} ${height}C${short(x1)} ${top} ${short(x2)} ${top} ${short(x2)} ${height}`
    const more = uses > 1 ? `, and ${grouped(uses - 1)} more` : ''
    const told = tag('title', {}, text(`${words}${more}: nothing of it is left`))
    return (
      tag('path', { class: 'arc', d, 'stroke-width': Math.min(4, 1 + Math.log2(uses) / 3) }, told) +
      tag('circle', { class: 'dot', cx: x2, cy: height, r: 2 })
    )
  })
  const opacity = arcs.length > 120 ? '0.35' : arcs.length > 60 ? '0.5' : '0.7'
  return tag('g', { opacity }, paths.join('\n'))
}

/** Arcs that begin and end within the same `grain` columns as one. */
function merged(arcs: PictureRun['arcs'], frame: Frame, grain: number): Arc[] {
  const all = new Map<string, Arc>()
  const place = (request: number): number => Math.floor((frame.x(request) - frame.left) / (frame.columnWidth * grain))
  for (const { from, to, uses, examples } of arcs) {
    const key = `${place(from)} ${place(to)}`
    const known = all.get(key)
    if (known) {
      known.uses += uses
      continue
    }
    const term = examples[0]?.term ?? null
    const of = term === null ? '' : ` of ${clip(term, 60)}`
    const words = `request ${ordinal(to)} uses what request ${ordinal(from)} had${of}`
    all.set(key, { x1: frame.x(from), x2: frame.x(to), uses, words })
  }
  return [...all.values()]
}
