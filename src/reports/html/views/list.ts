/** The sessions, a row each. */
import type { Page, PageCells, PageSession } from '../../../model/page.ts'
import { percent } from '../../../model/run.ts'
import { billedWords, figureWords } from '../../answer.ts'
import { dayOf } from '../../days.ts'
import { changeWords, compact, countWords, grouped } from '../../numbers.ts'
import { placeNames } from '../../project-names.ts'
import { clipMiddle } from '../../text.ts'
import { type Choice, cellAt } from '../choice.ts'
import { type Element, h } from '../element.ts'
import { sparkline } from './sparkline.ts'

export interface ListColumn {
  readonly key: string
  readonly header: string
  /** Which end is shown first. */
  readonly first: 'ascending' | 'descending'
  /** Left out where there is little room. */
  readonly wide?: true
  readonly order: (session: PageSession, cell: Record<keyof PageCells, number>) => number | string
}

export const listColumns: readonly ListColumn[] = [
  { key: 'name', header: 'session', first: 'ascending', order: (session) => sessionName(session).toLowerCase() },
  { key: 'last', header: 'last used', first: 'descending', wide: true, order: ({ last }) => last ?? '' },
  { key: 'peak', header: 'window', first: 'descending', order: (session) => peakOf(session) },
  { key: 'requests', header: 'requests', first: 'descending', wide: true, order: ({ requests }) => requests },
  { key: 'spent', header: 'spent', first: 'descending', wide: true, order: ({ spent }) => spent ?? -1 },
  { key: 'today', header: 'input now', first: 'descending', wide: true, order: ({ today }) => today.paid },
  { key: 'paid', header: 'if set', first: 'descending', order: (_, { paid }) => paid },
  {
    key: 'saved',
    header: 'change',
    first: 'ascending',
    order: ({ today }, { paid }) => -percent(today.paid - paid, today.paid),
  },
  { key: 'lost', header: 'lost if set', first: 'descending', wide: true, order: (_, { lost }) => lost },
]

export interface ListOrder {
  readonly key: string
  readonly direction: 'ascending' | 'descending'
  /** Words that a session has to have. */
  readonly filter: string
}

/** The indices of the sessions that are shown, in their order. */
export function listed(
  { sessions }: Page,
  { policy, budget }: Choice,
  { key, direction, filter }: ListOrder,
): number[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  const column = listColumns.find((one) => one.key === key) as ListColumn
  const sign = direction === 'ascending' ? 1 : -1
  const found = sessions.flatMap((session, index) => {
    const text = [
      sessionName(session),
      placeOf(sessions)(session.project),
      session.project,
      session.file,
      session.model,
      session.format,
    ]
      .join(' ')
      .toLowerCase()
    if (!words.every((word) => text.includes(word))) return []
    return [{ index, value: column.order(session, cellAt(session.cells[policy] as PageCells, budget)) }]
  })
  return found
    .sort(({ value: a, index: i }, { value: b, index: j }) => (a < b ? -sign : a > b ? sign : i - j))
    .map(({ index }) => index)
}

/** The row of a session; the cells of a choice have a class `then`. */
export function rowView(page: Page, choice: Choice, index: number): Element {
  const session = page.sessions[index] as PageSession
  const { last, requests, spent, project, model, today, costed } = session
  const about = [
    placeOf(page.sessions)(project) ?? '',
    model ?? '',
    session.transcripts > 1 ? `${session.transcripts} transcripts` : '',
  ]
  const cell = (key: string, ...children: (string | Element)[]): Element => h('td', { class: classOf(key) })(children)
  return h('tr', { 'data-session': index, class: choice.session === index ? 'chosen' : null })(
    h('th', { scope: 'row' })(
      h('button', {
        type: 'button',
        class: 'plain',
        'aria-pressed': String(choice.session === index),
        title: session.title ? null : session.file,
      })(session.title || shortFileName(session.file, 17)),
      h('span.quiet')(about.filter(Boolean).join(' · ')),
    ),
    cell('last', last === null ? '' : dayOf(Date.parse(last))),
    cell('peak', sparkline(session), h('span.quiet', { 'aria-hidden': 'true' })(compact(peakOf(session)))),
    cell('requests', grouped(requests)),
    cell('spent', spent === null ? '–' : billedWords(spent, page.unit)),
    cell('today', costed ? figureWords(today.paid / 1e6, page.unit) : '–'),
    thenCells(page, choice, index).map(([key, words]) => cell(key, words)),
  )
}

/** What of a row depends on the choice. */
export function thenCells(page: Page, { policy, budget }: Choice, index: number): [key: string, words: string][] {
  const { today, costed, cells } = page.sessions[index] as PageSession
  const { paid, lost } = cellAt(cells[policy] as PageCells, budget)
  return [
    ['paid', costed ? figureWords(paid / 1e6, page.unit) : '–'],
    ['saved', costed ? changeWords(-percent(today.paid - paid, today.paid)) : '–'],
    ['lost', today.uses === 0 ? '–' : countWords(lost, today.uses)],
  ]
}

export function headView({ key, direction }: ListOrder): Element {
  return h('tr')(
    listColumns.map((column) =>
      h('th', {
        scope: 'col',
        class: column.key === 'name' ? null : classOf(column.key),
        'aria-sort': column.key === key ? direction : 'none',
      })(h('button', { type: 'button', class: 'plain', 'data-key': column.key })(column.header)),
    ),
  )
}

function classOf(key: string): string {
  const column = listColumns.find((one) => one.key === key)
  const isNumber = key !== 'last' && key !== 'peak'
  return [isNumber ? 'number' : '', column?.wide ? 'wide' : '', `of-${key}`].filter(Boolean).join(' ')
}

type NameOf = ReturnType<typeof placeNames>
const places = new WeakMap<Page['sessions'], NameOf>()

/** What the projects of a page are called: found out once, of all of them. */
function placeOf(sessions: Page['sessions']): NameOf {
  const names = places.get(sessions) ?? placeNames(sessions.map(({ project }) => project))
  places.set(sessions, names)
  return names
}

export function sessionName({ title, file }: Pick<PageSession, 'title' | 'file'>): string {
  return title === null || title === '' ? lastPart(file) : title
}

/** The name of a file, with its middle left out where it has more characters than fit on a line of a narrow screen. */
export const shortFileName = (path: string, characters: number): string => clipMiddle(lastPart(path), characters)

const lastPart = (path: string): string => path.split(/[\\/]/).filter(Boolean).at(-1) ?? path

function peakOf({ growth }: PageSession): number {
  return growth.reduce((most, tokens) => Math.max(most, tokens), 0)
}
