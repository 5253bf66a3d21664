/**
 * What a table of policies is read for, at any width: what it costs, against what, what is lost, what is still over.
 * Only tables have these columns; the data has the figures that they are made of.
 */
import type { Against, Cost, CostUnit } from '../../model/run.ts'
import type { Column } from '../column.ts'
import { type PromptGone, promptGoneField } from './cuts.ts'

/** A run, or a sum of runs. */
export interface Outcome {
  readonly cost: Pick<Cost, 'unit' | 'paid'>
  readonly against: Pick<
    Against,
    'baseline' | 'costInput' | 'summaries' | 'costSavedPercent' | 'headlineLost' | 'headlineTotal' | 'headlineLostOver'
  >
  readonly overBudgetRequests: number
  readonly invalidRequests: number
  readonly validity: PromptGone
}

/** The uses that found their content gone, and all uses of content; undefined if they were not measured. */
export function lossesOf({ against }: Pick<Outcome, 'against'>): { part: number; whole: number } | undefined {
  const { headlineLost, headlineLostOver, headlineTotal } = against
  if (headlineLost === undefined || headlineLostOver === undefined || headlineTotal === undefined) return undefined
  return { part: headlineLost + headlineLostOver, whole: headlineTotal }
}

/**
 * @param baseline its name; of a long one the header says only that it is one
 * @param unit of the costs: those in another are left out, because they cannot be compared
 * @param of the outcome of a row
 */
export function outcomeColumns<T>(baseline: string, unit: CostUnit, of: (item: T) => Outcome): Column<T>[] {
  return [
    {
      key: 'paid',
      header: 'cost',
      unit: unit === 'usd' ? 'money' : 'tokens',
      rank: 0,
      value: (item) =>
        of(item).cost.unit !== unit ? null : unit === 'usd' ? of(item).cost.paid : Math.round(of(item).cost.paid),
    },
    {
      key: 'against',
      header: `vs ${baseline.length > 10 ? 'baseline' : baseline}`,
      unit: 'change',
      rank: 0,
      value: (item) => -of(item).against.costSavedPercent,
    },
    {
      key: 'lost',
      header: 'lost',
      unit: 'percent',
      rank: 0,
      tone: 'bad',
      optional: true,
      share: (item) => lossesOf(of(item)),
      value: (item) => lossesOf(of(item))?.part,
    },
    ...counts.map(
      ([key, header, count, more]): Column<T> => ({
        ...{ key, header, unit: 'count', rank: 0, tone: 'bad', ...more },
        value: (item) => count(of(item)),
      }),
    ),
  ]
}

const counts = [
  ['over', 'over', (of: Outcome) => of.overBudgetRequests, {}],
  ['invalid', 'invalid', (of: Outcome) => of.invalidRequests, { rank: 1, quiet: true }],
  [
    'promptGone',
    'prompt gone',
    (of: Outcome) => promptGoneField.value(of.validity) as number,
    { rank: 1, quiet: true },
  ],
] as const
