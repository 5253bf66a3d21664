/** The answer: what `ctxwin` alone says. */
import type { Page } from '../../../model/page.ts'
import { safe } from '../../safe.ts'
import { copyable } from '../copyable.ts'
import { type Element, element } from '../element.ts'

const textWords = {
  none: 'This page has no word of the transcripts: sessions, projects and tools have numbers instead of names.',
  words:
    'This page has sizes, names of tools and files, and the first words of exchanges. No other text of the transcripts is in it.',
  full: 'This page has the messages of the sessions with a picture: mind who gets it.',
} as const

export function answerView({ answer, text }: Page): Element {
  const [first, ...rest] = answer
  // The first line says what it comes to, and behind its colon what that is of.
  const [headline = '', ...more] = (first?.words ?? 'No transcripts').split(': ')
  return element(
    'header',
    { class: 'answer' },
    element('p', { class: 'mark' }, element('b', {}, 'ctxwin'), ' report'),
    element('h1', {}, safe(headline)),
    more.length > 0 ? element('p', {}, safe(more.join(': '))) : [],
    rest.map(({ words, command, program }) =>
      element(
        'p',
        {},
        program ? [element('strong', {}, safe(program.name)), ': '] : [],
        safe(words),
        command === null ? [] : [' ', copyable(command)],
      ),
    ),
    element('p', { class: 'quiet' }, textWords[text]),
  )
}
