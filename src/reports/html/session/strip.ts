/** What the requests cost, by what the prompt cache had of them. */
import type { PictureRun, SessionPicture } from '../../../model/session-picture.ts'
import { figureWords } from '../../answer.ts'
import { grouped } from '../../numbers.ts'
import { type Frame, most, type Piece, summed } from './frame.ts'
import { short, tag, text } from './markup.ts'
import { outline } from './outline.ts'

/** @param other something else is drawn above it, of which it does not tell */
export function stripOf(picture: SessionPicture, run: PictureRun, frame: Frame, other: boolean): Piece {
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
    tag(
      'text',
      { class: 'small soft', x: frame.left, y: 11 },
      text(`${perRequest(picture, frame)}${other ? ', as recorded' : ''}`),
    ),
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

const axisCost = (picture: SessionPicture, cost: number): string => figureWords(cost, picture.unit)
