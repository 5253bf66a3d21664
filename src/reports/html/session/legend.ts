/** A line for each sign of the picture. */
import { these } from '../../../base/these.ts'
import type { PictureRun, SessionPicture } from '../../../model/session-picture.ts'
import { amountWords } from '../../answer.ts'
import { compact, grouped } from '../../numbers.ts'
import { clip, widthOf } from '../../text.ts'
import { type Frame, letter, type Piece } from './frame.ts'
import { short, tag, text } from './markup.ts'
import { type OtherOutline, ruleAt } from './plot.ts'
import { kindsOf, lossesOf } from './words.ts'

interface Sign {
  readonly mark: string
  readonly name: string
  readonly figure?: string
  readonly note: string
}

const square = (name: string): string => tag('rect', { class: name, width: 12, height: 12, y: -10, rx: 2 })
const stroke = (name: string, d: string): string => tag('path', { class: name, d })

/** The kinds in the stack, from its top to its bottom. */
function stackSigns(run: PictureRun, coarse: boolean): Sign[] {
  const kinds = kindsOf(run.parts).reverse()
  return kinds.map(({ name, words, note, share }) => ({
    ...{ mark: square(name), name: words, note },
    ...(!coarse && { figure: `${share.toFixed(1)} %` }),
  }))
}

const cacheWords = [
  ['read', 'Cache read', 'had by the request before'],
  ['added', 'New', 'paid for the first time'],
  ['missed', 'Cache missed', 'was cached, is paid again'],
] as const

function cacheSigns({ unit }: SessionPicture, { cache }: PictureRun, coarse: boolean): Sign[] {
  const total = (key: keyof PictureRun['cache']): number => cache[key].reduce((sum, value) => sum + value, 0)
  return cacheWords.map(([key, name, note]) => ({
    ...{ mark: square(key), name, note },
    ...(!coarse && { figure: `${compact(total(key))}, ${amountWords(total(`${key}Cost`), unit)}` }),
  }))
}

function lineSigns(picture: SessionPicture, run: PictureRun, other: OtherOutline | null): Sign[] {
  const lost = lossesOf(run)
  const sign = (mark: string, name: string, note: string): Sign => ({ mark, name, note })
  const [flat, upright] = ['M0 -4H12', 'M6 -11V2']
  return these(
    other && sign(stroke('other', flat), 'Line', other.words),
    run.budget > 0 && sign(stroke('budget', flat), 'Budget', `the size at which ${run.policy} cuts`),
    run.cuts.length > 0 && sign(stroke('cut', upright), 'Cut', 'the policy takes out what is oldest'),
    picture.recorded.length > 0 &&
      sign(stroke('recorded', upright), 'Recorded', 'the agent itself compacted or cleared'),
    ruleAt(picture, run, null) !== null &&
      sign(stroke('rule', upright), 'Context', 'what stands left of it has left the window'),
    picture.exchanges.length > 0 && sign(square('lane'), 'Exchange', 'from question to answer; pale: outside'),
    lost > 0 && {
      ...sign(stroke('arc', 'M0 1C0 -13 12 -13 12 1'), 'Gone', 'content used later, nothing of it left'),
      figure: grouped(lost),
    },
  )
}

export function legendOf(
  picture: SessionPicture,
  run: PictureRun,
  frame: Frame,
  { other, coarse }: { readonly other: OtherOutline | null; readonly coarse: boolean },
): Piece {
  const groups = [stackSigns(run, coarse), [...lineSigns(picture, run, other), ...cacheSigns(picture, run, coarse)]]
  const width = frame.narrow ? frame.width - 24 : (frame.width - 24) / 2
  const [line, below] = [19, 15]
  let y = 12
  let height = 0
  const markup = groups.map((group, number) => {
    const x = frame.narrow ? 12 : 12 + number * width
    if (!frame.narrow) y = 12
    const lines = group.map(({ mark, name, figure, note }) => {
      const shown = clip(name, 24)
      const head = [shown, ...(figure === undefined ? [] : [figure])].join(' ')
      const room = Math.floor((width - 34) / letter(12))
      const isBelow = widthOf(head) + widthOf(note) > room
      // On a line of its own where there is no room beside the name.
      const where = isBelow ? { x: 20, dy: below } : { dx: 6 }
      const words = [
        tag('tspan', { class: 'strong words' }, text(shown)),
        ...(figure === undefined ? [] : [tag('tspan', { dx: 6 }, text(figure))]),
        tag('tspan', { class: 'soft', ...where }, text(note, room)),
      ]
      const placed = tag(
        'g',
        { transform: `translate(${short(x)} ${short(y)})` },
        `${mark}${tag('text', { x: 20 }, words.join(''))}`,
      )
      y += isBelow ? line + below : line
      return placed
    })
    height = Math.max(height, y)
    return lines.join('\n')
  })
  return { markup: markup.join('\n'), height }
}
