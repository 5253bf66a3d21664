/** What the chosen policy and budget come to, against today. */
import { harms, type Page, type PagePolicy } from '../../../model/page.ts'
import { figureWords } from '../../answer.ts'
import { whereWords } from '../../decision.ts'
import { changeWords, grouped } from '../../numbers.ts'
import { budgetWord, type Choice, choiceWords, chosen, sentencesOf } from '../choice.ts'
import { copyable } from '../copyable.ts'
import { type Element, h } from '../element.ts'
import { bar, list } from '../parts.ts'

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
  const row = (label: string, cost: number, kind: string): Element =>
    h('tr', { class: kind })(
      h('th', { scope: 'row' })(label),
      h('td.length')(bar(cost, most, 'svg')),
      h('td.number')(amount(cost)),
    )
  return h('div.outcome')(
    h('p.counter')(
      h('strong#amount')(amount(paid), unit !== 'input-token-equivalents' ? [] : h('small')(' token equivalents')),
      ' ',
      h('span')(comparison(savedPercent, paid === today, amount(today))),
    ),
    list('ul.facts', rest),
    h('table.bars')(
      h('caption.hidden')('Cost of input'),
      h('tbody')(
        row('today', today, 'today'),
        row(choiceWords(page, choice), paid, 'chosen'),
        row('unpruned', unpruned, 'unpruned'),
      ),
    ),
    h('p.quiet')(
      policy.accepted[choice.budget] === false
        ? `The program does not accept ${budgetWord(page, choice.budget)}: everything stays as it is.`
        : turnOn === null
          ? 'No program has a setting for exactly this; it takes code.'
          : h('span')(`Turn it on ${whereWords(turnOn)} `, copyable(turnOn.text)),
    ),
    // The data that it names has dollars.
    unit === 'percent' ? [] : details(page, choice),
  )
}

function comparison(savedPercent: number, isSame: boolean, today: string): string {
  if (isSame) return `for input, the same as today`
  return `for input, ${changeWords(-savedPercent)} against today (${today})`
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
          ...harms.map((key) => [key, point[key]] as const),
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
  return h('details')(
    h('summary')('The figures, as simulate --output json has them'),
    h('table.exact')(
      h('tbody')(
        rows.map(([key, value]) => h('tr')(h('th', { scope: 'row' })(h('code')(key)), h('td.number')(exact(value)))),
      ),
    ),
  )
}
