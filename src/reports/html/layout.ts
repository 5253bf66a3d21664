/** The frame of the page: its sections, and the controls that choose what they show. */
import type { Page } from '../../model/page.ts'
import { several } from '../numbers.ts'
import { safe } from '../safe.ts'
import { budgetWord, type Choice } from './choice.ts'
import { type Child, type Element, element } from './element.ts'
import { answerView } from './views/answer.ts'
import { compactionsView } from './views/compactions.ts'
import { qualityView } from './views/quality.ts'
import { pictureControls, pictureWords } from './views/session.ts'
import { missesView, partsView } from './views/spending.ts'
import { surenessView } from './views/sureness.ts'

export function layout(page: Page, choice: Choice): Element[] {
  if (page.sessions.length === 0) return [answerView(page), ...surenessView(page)]
  return [
    answerView(page),
    section(
      'what-if',
      'What another policy would have cost',
      controls(page, choice),
      slot('outcome', { 'aria-live': 'polite' }),
    ),
    section(
      'money-against-memory',
      'Money against memory',
      element(
        'p',
        { class: 'quiet' },
        'Each point is a policy at a budget. Left is cheaper, down loses less; nothing is better in both than the points on the dark line. Click one to choose it.',
      ),
      slot('trade'),
      element('p', { id: 'spot', class: 'spot-words' }, ' '),
      element(
        'details',
        {},
        element('summary', {}, 'The same as a table'),
        element('div', { class: 'scroll', id: 'trade-table' }),
      ),
    ),
    section(
      'sessions',
      several(page.sessions.length, 'session'),
      filter(),
      slot('list'),
      element('p', {}, element('button', { type: 'button', id: 'more', hidden: true })),
    ),
    section(
      'picture',
      'A session',
      element('p', { class: 'quiet' }, pictureWords(page)),
      page.pictures.length > 0 ? pictureControls(page) : [],
      slot('session-picture'),
      page.text === 'full'
        ? element('details', { id: 'messages' }, element('summary', {}, 'The messages'), slot('messages-shown'))
        : [],
    ),
    section(
      'where',
      'Where the tokens go',
      page.spending
        ? partsView(page.spending)
        : [element('p', {}, 'No usage is recorded: what was sent again and again, and what it cost, is not known.')],
    ),
    section(
      'misses',
      'Why the cache missed',
      page.spending
        ? missesView(page.spending)
        : [element('p', {}, 'No usage is recorded: nobody knows what the cache had.')],
    ),
    ...(page.compactions.length > 0
      ? [section('compactions', 'What compactions did', compactionsView(page.compactions))]
      : []),
    section('quality', 'Does it get worse as the window grows?', qualityView(page.quality)),
    section('sure', 'What was measured, and how sure it is', element('div', { class: 'columns' }, surenessView(page))),
  ]
}

function controls(page: Page, { policy, budget }: Choice): Element {
  const { budgets, policies } = page
  return element(
    'div',
    { class: 'controls' },
    element(
      'p',
      { class: 'field' },
      element('label', { for: 'policy' }, 'Policy'),
      element(
        'select',
        { id: 'policy', 'aria-describedby': 'summary' },
        policies.map(({ setting }, at) => element('option', { value: at, selected: at === policy }, safe(setting))),
      ),
      element('span', { class: 'quiet', id: 'summary' }),
    ),
    element(
      'p',
      { class: 'field' },
      element('label', { for: 'budget' }, 'Budget ', element('output', { id: 'budget-words', for: 'budget' })),
      element('input', {
        id: 'budget',
        type: 'range',
        min: 0,
        max: Math.max(0, budgets.length - 1),
        step: 1,
        value: budget,
      }),
      element(
        'span',
        { class: 'ends quiet', 'aria-hidden': 'true' },
        element('span', {}, budgetWord(page, 0)),
        element('span', {}, budgetWord(page, budgets.length - 1)),
      ),
    ),
    element(
      'p',
      { class: 'scope' },
      element('span', { id: 'scope' }),
      ' ',
      element('button', { type: 'button', id: 'all', hidden: true }, 'Back to all'),
    ),
  )
}

function filter(): Element {
  return element(
    'p',
    { class: 'field filter' },
    element('label', { for: 'filter' }, 'Filter'),
    element('input', { id: 'filter', type: 'search', autocomplete: 'off', spellcheck: 'false' }),
    element('span', { class: 'quiet', id: 'found', 'aria-live': 'polite' }),
  )
}

function section(id: string, title: string, ...children: readonly (Child | readonly Child[])[]): Element {
  return element(
    'section',
    { id, 'aria-labelledby': `${id}-title` },
    element('h2', { id: `${id}-title` }, title),
    children.flat(),
  )
}

function slot(id: string, attributes: Element['attributes'] = {}): Element {
  return element('div', { id, ...attributes })
}
