/** A session: its picture, under the choice or as it was. */
import type { Page, PagePicture, PageSession } from '../../../model/page.ts'
import type { PictureRun, SessionPicture } from '../../../model/session-picture.ts'
import { grouped, several } from '../../numbers.ts'
import { safe } from '../../safe.ts'
import { clip } from '../../text.ts'
import { budgetOf, type Choice } from '../choice.ts'
import { type Element, element } from '../element.ts'
import { sessionView } from '../session/view.ts'
import { nameOf } from './list.ts'

/** The picture of the chosen session, or of the dearest one; null where the chosen one has none. */
export function picturedBy({ pictures }: Page, { session }: Pick<Choice, 'session'>): PagePicture | null {
  return (session === null ? pictures[0] : pictures.find((one) => one.session === session)) ?? null
}

/** @returns SVG as text, in which words of the transcript are escaped */
export function pictureMarkup(page: Page, choice: Choice, asItWas: boolean, width: number): string | null {
  const pictured = picturedBy(page, choice)
  if (!pictured) return null
  const { picture, runs, of } = pictured
  const index = asItWas ? 0 : (of[choice.policy]?.[choice.budget] ?? 0)
  const run = runs[index] as PictureRun
  // Runs that are the same at several budgets are there once, with one of these budgets; the title has the chosen one.
  const at = run.budget === 0 ? {} : budgetOf(page, choice.budget)
  // The title has to fit into one line of the page, whose letters may be wider than the picture's.
  const title = picture.title === null ? null : clip(picture.title, Math.floor(width / 11))
  const shown: SessionPicture = { ...picture, title, runs: [{ ...run, ...(index > 0 && at) }] }
  return sessionView(shown, { width })
}

export function pictureControls(page: Page): Element {
  const { pictures, sessions } = page
  return element(
    'div',
    { class: 'picture-controls' },
    element(
      'p',
      { class: 'field' },
      element('label', { for: 'pictured' }, 'Session'),
      element(
        'select',
        { id: 'pictured' },
        pictures.map(({ session }) =>
          element('option', { value: session }, safe(nameOf(sessions[session] as PageSession)).slice(0, 100)),
        ),
      ),
    ),
    element(
      'fieldset',
      {},
      element('legend', { class: 'hidden' }, 'What is shown'),
      radio('then', 'under the choice', true),
      radio('was', 'as it was', false),
    ),
  )
}

function radio(id: string, words: string, checked: boolean): Element {
  return element('label', {}, element('input', { type: 'radio', name: 'shown', id, checked }), ` ${words}`)
}

/** The messages of a session, where the page has them. */
export function messagesView({ messages = [] }: PagePicture): Element {
  return element(
    'ol',
    { class: 'messages' },
    messages.map(({ role, line, text, more }) =>
      element(
        'li',
        {},
        element('p', { class: 'quiet' }, `line ${grouped(line)} · ${role}`),
        element('pre', {}, text.split('\n').map(safe).join('\n')),
        more > 0 ? element('p', { class: 'quiet' }, `… ${several(more, 'more character')}`) : [],
      ),
    ),
  )
}

/** What is said where the chosen session has no picture. */
export function pictureWords({ pictures, sessions }: Page): string {
  if (pictures.length === sessions.length) return ''
  return pictures.length === 0
    ? 'No session could be read a second time, which its picture takes. ctxwin history FILE --output svg draws one.'
    : `Pictures of the ${pictures.length === 1 ? 'dearest session' : several(pictures.length, 'dearest session')} of ${grouped(sessions.length)} are here, as more would make the page too large; ctxwin history FILE --output svg draws any.`
}
