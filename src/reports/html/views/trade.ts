/** Money against memory: every policy at every budget, what it costs to the right, what it loses upwards. */
import { isHarmless, type Page, type PagePoint } from '../../../model/page.ts'
import { amountWords } from '../../answer.ts'
import { countWords, grouped, several } from '../../numbers.ts'
import { budgetWord, type Choice, choiceWords } from '../choice.ts'
import { type Element, h } from '../element.ts'
import { beats, type Weighed } from '../front.ts'
import { table } from '../parts.ts'
import { acrossWords, type Dot, scatter } from '../scatter.ts'

interface TriedPoint extends Pick<Choice, 'policy' | 'budget'> {
  readonly point: PagePoint
}

/** Every setting that can be had, once: a policy that ignores the budget has a single point. */
export function spotsOf({ policies }: Page): TriedPoint[] {
  return policies.flatMap(({ points, heedsBudget, accepted }, policy) =>
    points
      .map((point, budget) => ({ policy, budget, point }))
      .filter(({ budget }) => accepted[budget] === true)
      .slice(0, heedsBudget ? undefined : 1),
  )
}

export const paidAt = ({ costInput, summaries }: Pick<PagePoint, 'costInput' | 'summaries'>): number =>
  costInput + summaries

/** "ikigai at 100k: $292, 12/727 later uses lost" */
export const spotWords = (page: Page, { point, ...choice }: TriedPoint): string =>
  `${choiceWords(page, choice)}: ${pointWords(page, point)}`

const pointWords = ({ unit, today }: Page, point: Pick<PagePoint, 'costInput' | 'summaries' | 'lost'>): string =>
  `${amountWords(paidAt(point), unit)}, ${countWords(point.lost, today.uses)} later uses lost`

/** @param width in pixels */
export function tradeView(page: Page, choice: Pick<Choice, 'policy' | 'budget'>, width: number): Element {
  const { today, unpruned, unit } = page
  const { uses } = today
  const spots = spotsOf(page)
  const rate = (lost: number): number => (uses === 0 ? 0 : (1000 * lost) / uses)
  const own = spots.filter(({ policy }) => policy === choice.policy)
  const isChosen = ({ policy, budget }: TriedPoint): boolean =>
    policy === choice.policy && (budget === choice.budget || own.length === 1)
  const dots = spots.map((spot, index): Dot => {
    const { point, policy } = spot
    return {
      ...{ cost: paidAt(point), lost: rate(point.lost), index, words: spotWords(page, spot) },
      // The line of the chosen policy is told by its budgets.
      short:
        policy === choice.policy && own.length > 1 && !isChosen(spot)
          ? budgetWord(page, spot.budget)
          : choiceWords(page, spot),
      ...(!isHarmless(point) && { kind: 'unfit' as const }),
      ...{ own: policy === choice.policy, chosen: isChosen(spot) },
    }
  })
  const world = (point: Pick<PagePoint, 'costInput' | 'summaries' | 'lost'>, kind: 'present' | 'whole'): Dot => {
    const short = kind === 'present' ? 'today' : 'unpruned'
    return { cost: paidAt(point), lost: rate(point.lost), kind, short, words: `${short}: ${pointWords(page, point)}` }
  }
  const chosen = spots.find(isChosen)
  return scatter({
    dots: [...dots, world(today, 'present'), world(unpruned, 'whole')],
    ...{ width, height: 320 },
    label: `Cost of input against later uses lost: ${spots.length} points. Today: ${pointWords(page, today)}. Unpruned: ${pointWords(page, unpruned)}.${chosen ? ` Chosen: ${spotWords(page, chosen)}.` : ''} The table below has them all.`,
    across: acrossWords('input and summaries, before re-reading', unit),
    unit,
    hasUses: uses > 0,
  })
}

/** How many points cost less than today, in one sentence. */
export function tradeSentence(page: Page): string {
  const spots = spotsOf(page)
  const today = paidAt(page.today)
  const cheaper = spots.filter(({ point }) => paidAt(point) < today)
  const safe = cheaper.filter(({ point }) => point.lost <= page.today.lost)
  const recorded = 'the recorded agents, who read again what they missed'
  if (cheaper.length === 0) return `None of ${several(spots.length, 'point')} costs less than today.`
  const losing =
    safe.length === 0
      ? `none of those loses as little as ${recorded}`
      : `${grouped(safe.length)} of those ${safe.length === 1 ? 'loses' : 'lose'} no more than ${recorded}`
  return `${grouped(cheaper.length)} of ${several(spots.length, 'point')} ${cheaper.length === 1 ? 'costs' : 'cost'} less than today; ${losing}.`
}

/** The points as a table, where one can be chosen without a mouse. */
export function tradeTable(page: Page, choice: Pick<Choice, 'policy' | 'budget'>): Element {
  const { unit, today } = page
  const spots = spotsOf(page)
  const weighed = (point: Pick<PagePoint, 'costInput' | 'summaries' | 'lost'>): Weighed => ({
    ...{ cost: paidAt(point), lost: point.lost },
  })
  const isBest = ({ point }: TriedPoint): boolean => point.front && !beats(weighed(today), weighed(point))
  return table(
    'Every policy at every budget',
    [
      h('th', { scope: 'col' })('policy'),
      h('th', { scope: 'col', class: 'number' })('cost'),
      h('th', { scope: 'col', class: 'number' })('lost'),
      h('th', { scope: 'col' })(''),
    ],
    [...spots.entries()]
      .sort(([, a], [, b]) => paidAt(a.point) - paidAt(b.point))
      .map(([index, spot]) => {
        const isChosen = spot.policy === choice.policy && spot.budget === choice.budget
        return h('tr', isChosen ? { class: 'chosen' } : {})(
          h('th', { scope: 'row' })(
            h('button', { type: 'button', 'data-spot': index, class: 'plain' })(choiceWords(page, spot)),
          ),
          h('td.number')(amountWords(paidAt(spot.point), unit)),
          h('td.number')(countWords(spot.point.lost, today.uses)),
          h('td.quiet')(isBest(spot) ? 'nothing is better in both' : ''),
        )
      }),
  )
}
