/** What the chosen policy and budget come to, against today. */
import type { Page, PagePolicy } from '../../../model/page.ts'
import { figureWords } from '../../answer.ts'
import { whereWords } from '../../decision.ts'
import { changeWords, grouped } from '../../numbers.ts'
import { budgetWord, type Choice, choiceWords, chosen, sentencesOf } from '../choice.ts'
import { copyable } from '../copyable.ts'
import { type Element, element } from '../element.ts'
import { place } from '../figures.ts'

export function outcomeView(page: Page, choice: Choice): Element {
  const figures = chosen(page, choice)
  const { paid, today, unpruned, savedPercent } = figures
  const { unit } = page
  // The unit is named once, beside the largest of the figures.
  const amount = (cost: number): string => figureWords(cost, unit)
  const [, ...rest] = sentencesOf(figures)
  const policy = page.policies[choice.policy] as PagePolicy
  const turnOn = policy.turnOn[choice.budget] ?? null
  const most = Math.max(paid, today, unpruned)
  const bar = (label: string, cost: number, kind: string): Element =>
    element(
      'tr',
      { class: kind },
      element('th', { scope: 'row' }, label),
      element('td', { class: 'length' }, barOf(cost, most)),
      element('td', { class: 'number' }, amount(cost)),
    )
  return element(
    'div',
    { class: 'outcome' },
    element(
      'p',
      { class: 'counter' },
      element(
        'strong',
        { id: 'amount' },
        amount(paid),
        unit !== 'input-token-equivalents' ? [] : element('small', {}, ' token equivalents'),
      ),
      ' ',
      element('span', {}, comparison(savedPercent, paid === today, amount(today))),
    ),
    element(
      'ul',
      { class: 'facts' },
      [...rest].map((sentence) => element('li', {}, sentence)),
    ),
    element(
      'table',
      { class: 'bars' },
      element('caption', { class: 'hidden' }, 'Cost of input'),
      element(
        'tbody',
        {},
        bar('today', today, 'today'),
        bar(choiceWords(page, choice), paid, 'chosen'),
        bar('unpruned', unpruned, 'unpruned'),
      ),
    ),
    element(
      'p',
      { class: 'quiet' },
      policy.accepted[choice.budget] === false
        ? `The program does not accept ${budgetWord(page, choice.budget)}: everything stays as it is.`
        : turnOn === null
          ? 'No program has a setting for exactly this; it takes code.'
          : element('span', {}, `Turn it on ${whereWords(turnOn)} `, copyable(turnOn.text)),
    ),
    // The data that it names has dollars.
    unit === 'percent' ? [] : details(page, choice),
  )
}

function comparison(savedPercent: number, isSame: boolean, today: string): string {
  if (isSame) return `for input, the same as today`
  return `for input, ${changeWords(-savedPercent)} against today (${today})`
}

function barOf(amount: number, most: number): Element {
  return element(
    'svg',
    { viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    element('rect', { x: 0, y: 0, width: most > 0 ? place((100 * amount) / most) : 0, height: 8 }),
  )
}

/** The figures as `simulate --output json` has them. */
function details(page: Page, choice: Choice): Element {
  const { policy, budget, session } = choice
  const point = (page.policies[policy] as PagePolicy).points[budget] as PagePolicy['points'][number]
  const { paid, today, sentTokens, lost, uses } = chosen(page, choice)
  const rows: (readonly [string, number])[] =
    session === null
      ? [
          ['cost.input', point.costInput],
          ['cost.summaries', point.summaries],
          ['today.costInput', page.today.costInput],
          ['today.summaries', page.today.summaries],
          ['today.costSaved', point.costSaved],
          ['today.costSavedPercent', point.costSavedPercent],
          ['sentTokens', sentTokens],
          ['overBudgetRequests', point.overBudgetRequests],
          ['invalidRequests', point.invalidRequests],
          ['lostLatestUser', point.lostLatestUser],
          ['today.headlineLost', page.today.lost],
          ['today.headlineLostOver', lost - page.today.lost],
          ['today.headlineTotal', uses],
        ]
      : [
          ['cost.input + cost.summaries', paid],
          ['today.costInput + today.summaries', today],
          ['sentTokens', sentTokens],
          ['references.headline.sourceLost', lost],
        ]
  const exact = (value: number): string => (Number.isInteger(value) ? grouped(value) : String(value))
  return element(
    'details',
    {},
    element('summary', {}, 'The figures, as simulate --output json has them'),
    element(
      'table',
      { class: 'exact' },
      element(
        'tbody',
        {},
        rows.map(([key, value]) =>
          element(
            'tr',
            {},
            element('th', { scope: 'row' }, element('code', {}, key)),
            element('td', { class: 'number' }, exact(value)),
          ),
        ),
      ),
    ),
  )
}
