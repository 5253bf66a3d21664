/** Title and facts above the plot. */
import type { SessionPicture } from '../../../model/session-picture.ts'
import { clip, widthOf } from '../../text.ts'
import { type Frame, letter, type Piece } from './frame.ts'
import { isolated, tag, text } from './markup.ts'

export function headingOf(picture: SessionPicture, facts: readonly string[], frame: Frame): Piece {
  const margin = 12
  const room = frame.width - 2 * margin
  const title = picture.title ?? picture.conversation ?? picture.transcript
  const lines = wrapped(facts, Math.floor(room / letter(12)))
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
