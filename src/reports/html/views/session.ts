/** A session: its picture, as it was or under the choice. */
import { these } from '../../../base/these.ts'
import type { Page, PageCells, PagePicture, PageSession } from '../../../model/page.ts'
import type { PictureRun, SessionPicture } from '../../../model/session-picture.ts'
import { amountWords } from '../../answer.ts'
import { grouped, several } from '../../numbers.ts'
import { clip } from '../../text.ts'
import { budgetOf, type Choice, cellAt, choiceWords } from '../choice.ts'
import { type Element, h, leaf } from '../element.ts'
import type { SeriesRows } from '../series.ts'
import { sessionView } from '../session/view.ts'
import { sessionName } from './list.ts'

/** The session whose picture is shown: the chosen one, or the dearest. */
export const picturedSession = ({ session }: Pick<Choice, 'session'>): number => session ?? 0

/** @returns SVG as text, in which words of the transcript are escaped */
export function pictureMarkup(
  page: Page,
  choice: Choice,
  pictured: PagePicture,
  asItWas: boolean,
  width: number,
): string {
  const { picture, runs, of } = pictured
  const index = asItWas ? 0 : (of[choice.policy]?.[choice.budget] ?? 0)
  const run = runs[index] as PictureRun
  // Runs that are the same at several budgets are there once, with one of these budgets; the title has the chosen one.
  const at = run.budget === 0 ? {} : budgetOf(page, choice.budget)
  const title = picture.title === null ? null : titleFor(picture.title, width)
  const shown: SessionPicture = { ...picture, title, runs: [{ ...run, ...(index > 0 && at) }] }
  return sessionView(shown, { width })
}

/** The title has to fit into one line of the page, whose letters may be wider than the picture's. */
const titleFor = (title: string, width: number): string => clip(title, Math.floor(width / 11))

/**
 * The picture of a session of which the page has the figures alone; under the choice its outline is a line over what
 * was recorded.
 */
export function seriesMarkup(page: Page, choice: Choice, rows: SeriesRows, asItWas: boolean, width: number): string {
  const session = page.sessions[picturedSession(choice)] as PageSession
  const { series, title, model, today, cells, transcripts, costed } = session
  const cell = cellAt(cells[choice.policy] as PageCells, choice.budget)
  const sent = (rows.tokens[0] ?? []).map((_, column) =>
    rows.tokens.reduce((sum, row) => sum + (row[column] as number), 0),
  )
  const share = page.inPercent === null ? 1 : 100 / page.inPercent
  const [read = [], added = [], missed = []] = rows.cost.map((row) => row.map((cost) => share * cost))
  const run: PictureRun = {
    ...{ policy: 'as-recorded', params: {}, budget: 0, sent, cuts: [], absences: [], arcs: [], costSummaries: 0 },
    largest: sent.map((_, column) => column * series.requestsPerColumn),
    parts: series.parts.map((part, at) => ({ ...part, tokens: rows.tokens[at] as number[], share: 0 })),
    cache: { read, added, missed, readCost: read, addedCost: added, missedCost: missed },
    costInput: today.paid / 1e6,
  }
  const shown: SessionPicture = {
    ...{
      transcript: session.file,
      conversation: session.session,
      title: titleFor(title ?? sessionName(session), width),
      model,
    },
    ...{ estimator: '', preambleSource: 'none', unit: page.unit, modelWindow: null, exchanges: [], runs: [run] },
    ...{ requests: series.requests, requestsPerColumn: series.requestsPerColumn, columns: sent.length },
    recorded: series.recorded,
  }
  const compactions = series.recorded.filter(({ kind }) => kind === 'compaction').length
  const { paid, lost } = asItWas ? today : cell
  const facts = these(
    asItWas ? 'as recorded' : choiceWords(page, choice),
    several(series.requests, 'request'),
    model !== null && clip(model, 40),
    compactions > 0 && several(compactions, 'recorded compaction'),
    costed && `${amountWords(paid / 1e6, page.unit)} for input${transcripts > 1 ? ', sub-agents and all' : ''}`,
    lost === 0 ? 'no content used later had left' : `${several(lost, 'later use')} of content that had left`,
  )
  const outline = asItWas ? null : outlineOf(session, choice, rows, sent.length)
  const other = outline && { sent: outline, words: `under ${choiceWords(page, choice)}; the stack is as recorded` }
  return sessionView(shown, { width, facts, other, coarse: true })
}

/** By column; rows of policies may have fewer columns than the picture, each the largest of two, four or more. */
function outlineOf(
  { series }: PageSession,
  { policy, budget }: Choice,
  { runs }: SeriesRows,
  columns: number,
): number[] {
  const of = series.of[policy] ?? []
  const row = runs[of[Math.min(budget, of.length - 1)] ?? 0] ?? []
  let folded = 1
  while (Math.ceil(columns / folded) > row.length && folded < columns) folded *= 2
  return Array.from({ length: columns }, (_, column) => row[Math.floor(column / folded)] ?? 0)
}

/** The most sessions in the list beside the picture; the table has all of them. */
const mostNamed = 100

export function pictureControls({ sessions }: Page): Element {
  return h('div.picture-controls')(
    h('p.field')(
      h('label', { for: 'pictured' })('Session'),
      h('select#pictured')(sessions.slice(0, mostNamed).map((session, at) => pictureOption(session, at))),
    ),
    h('fieldset')(
      h('legend.hidden')('What is shown'),
      radio('was', 'as it was', true),
      radio('then', 'under the setting tried above', false),
    ),
  )
}

export const pictureOption = (session: PageSession, at: number): Element =>
  h('option', { value: at })(sessionName(session).slice(0, 100))

const radio = (id: string, words: string, checked: boolean): Element =>
  h('label')(leaf('input', { type: 'radio', name: 'shown', id, checked }), ` ${words}`)

/** The messages of a session, where the page has them. */
export function messagesView({ messages = [] }: PagePicture): Element {
  return h('ol.messages')(
    messages.map(({ role, line, text, more }) =>
      h('li')(
        h('p.quiet')(`line ${grouped(line)} · ${role}`),
        h('pre')(text),
        more > 0 ? h('p.quiet')(`… ${several(more, 'more character')}`) : [],
      ),
    ),
  )
}

/** What the pictures of most sessions do not have. */
export function pictureWords({ pictures, sessions }: Page): string {
  const all =
    'Each column is a request, or several, as high as the tokens sent. Choose a session here or in the table above.'
  if (pictures.length >= sessions.length) return all
  return pictures.length === 0
    ? `${all} Exchanges and what was used after it had left are in ctxwin history FILE --output svg.`
    : `${all} ${pictures.length === 1 ? 'The dearest has' : `The ${several(pictures.length, 'dearest session')} have`} exchanges and lost uses besides; ctxwin history FILE --output svg draws them for any.`
}
