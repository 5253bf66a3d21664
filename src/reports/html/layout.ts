/** The frame of the page: its sections, and the controls that choose what they show. */
import type { Page } from '../../model/page.ts'
import { grouped, several } from '../numbers.ts'
import type { Choice } from './choice.ts'
import { type Child, type Element, h, leaf } from './element.ts'
import { section } from './section.ts'
import { compactionsView } from './views/compactions.ts'
import { firstView } from './views/first.ts'
import { qualityView } from './views/quality.ts'
import { pictureControls, pictureWords } from './views/session.ts'
import { missesView, partsView } from './views/spending.ts'
import { surenessView } from './views/sureness.ts'
import { tradeSentence } from './views/trade.ts'

/** A chapter of the page's story; null where there is nothing to tell. */
interface Chapter {
  readonly id: string
  readonly title: (page: Page) => string
  readonly tell: (page: Page, choice: Choice) => readonly (Child | readonly Child[])[] | null
}

/**
 * Behind the first screen: what else could be set, which sessions, where the money went, what compactions and large
 * windows do to the work, and how sure all of it is. A view that not every page has stands between these, and tells
 * null where it has nothing.
 */
const chapters: readonly Chapter[] = [
  { id: 'what-if', title: () => 'Try a setting', tell: whatIf },
  {
    id: 'sessions',
    title: (page) => several(page.sessions.length, 'session'),
    tell: ({ sessions }) => [
      filter(),
      slot('list'),
      h('p')(leaf('button', { type: 'button', id: 'more', hidden: true })),
      sessions.length > mostPrinted
        ? h('p.only-print')(
            `The first ${grouped(mostPrinted)} as the page sorts them; it has all ${grouped(sessions.length)}.`,
          )
        : [],
    ],
  },
  {
    id: 'picture',
    title: () => 'A session, request by request',
    tell: (page) => [
      h('p.quiet')(pictureWords(page)),
      pictureControls(page),
      slot('session-picture'),
      page.text === 'full' ? h('details#messages')(h('summary')('The messages'), slot('messages-shown')) : [],
    ],
  },
  {
    id: 'where',
    title: ({ unit }) => (unit === 'percent' ? 'Where it went' : 'Where the money went'),
    tell: ({ spending, unit }) =>
      spending
        ? partsView(spending, unit)
        : ['No usage is recorded: what was sent again and again, and what it cost, is not known.'].map(paragraph),
  },
  {
    id: 'misses',
    title: () => 'Why the cache missed',
    tell: ({ spending, unit }) =>
      spending ? missesView(spending, unit) : ['No usage is recorded: nobody knows what the cache had.'].map(paragraph),
  },
  {
    id: 'compactions',
    title: () => 'What compactions did',
    tell: ({ compactions, unit }) => (compactions.length > 0 ? compactionsView(compactions, unit) : null),
  },
  { id: 'quality', title: () => 'Does it get worse as the window grows?', tell: ({ quality }) => qualityView(quality) },
  {
    id: 'sure',
    title: () => 'What was measured, and how sure it is',
    tell: (page) => [h('div.columns')(surenessView(page))],
  },
]

/** How many sessions are printed, and shown until somebody asks for all; `page.css` repeats the number. */
export const mostPrinted = 12

export function layout(page: Page, choice: Choice): Element[] {
  if (page.sessions.length === 0) return [firstView(page), ...surenessView(page)]
  return [
    firstView(page),
    ...chapters.flatMap(({ id, title, tell }) => {
      const told = tell(page, choice)
      return told === null ? [] : [section(id, title(page), told.flat())]
    }),
  ]
}

function paragraph(words: string): Element {
  return h('p')(words)
}

function whatIf(page: Page, choice: Choice): (Child | readonly Child[])[] {
  return [
    h('p.quiet')(
      'Your sessions are replayed as if the setting had been on: what goes into each request, and what that costs. What agents would read again is not in these amounts; it is in those above.',
    ),
    h('div.what-if')(controls(page, choice), slot('outcome', { 'aria-live': 'polite' })),
    h('p.quiet#trade-sentence')(tradeSentence(page)),
    slot('trade'),
    h('p#spot.spot-words')(' '),
    h('details#as-table')(h('summary')('The same as a table'), leaf('div.scroll#trade-table')),
  ]
}

function controls(page: Page, { policy }: Choice): Element {
  const { policies } = page
  return h('div.controls')(
    h('p.field')(
      h('label', { for: 'policy' })('Policy'),
      h('select#policy', { 'aria-describedby': 'summary' })(
        policies.map(({ setting }, at) => h('option', { value: at, selected: at === policy })(setting)),
      ),
      leaf('span.quiet#summary'),
    ),
    h('p.field')(
      h('label', { for: 'budget', id: 'budget-label' })('Budget ', leaf('output#budget-words', { for: 'budget' })),
      leaf('input#budget', { type: 'range', min: 0, max: 0, step: 1, value: 0 }),
      leaf('span.ends.quiet#budget-ends', { 'aria-hidden': 'true' }),
    ),
    h('p.scope')(leaf('span#scope'), ' ', h('button', { type: 'button', id: 'all', hidden: true })('Back to all')),
  )
}

function filter(): Element {
  return h('p.field.filter')(
    h('label', { for: 'filter' })('Filter'),
    leaf('input#filter', { type: 'search', autocomplete: 'off', spellcheck: 'false' }),
    leaf('span.quiet#found', { 'aria-live': 'polite' }),
  )
}

function slot(id: string, attributes: Element['attributes'] = {}): Element {
  return leaf('div', { id, ...attributes })
}
