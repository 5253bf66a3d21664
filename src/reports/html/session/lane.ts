/** The exchanges, and which of them are in the window. */
import type { PictureExchange, PictureRun, SessionPicture } from '../../../model/session-picture.ts'
import { grouped, ordinal } from '../../numbers.ts'
import { clip } from '../../text.ts'
import { type Frame, letter } from './frame.ts'
import { tag, text } from './markup.ts'

export function laneOf(picture: SessionPicture, run: PictureRun, frame: Frame, y: number, end: number): string {
  const outside = new Set(
    run.absences.filter(({ from, to }) => from <= end && (to === null || to > end)).map(({ exchange }) => exchange),
  )
  const shown: { first: PictureExchange; last: PictureExchange; x: number; right: number; gone: boolean }[] = []
  for (const one of picture.exchanges) {
    if (one.from >= one.to || one.from >= end) continue
    const [x, right] = [frame.x(one.from), frame.x(Math.min(one.to, end))]
    const gone = outside.has(one.exchange)
    const before = shown.at(-1)
    // Neighbours that are too narrow to be told apart are drawn as one.
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
