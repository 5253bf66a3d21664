/** The columns of sums of runs. */
import {
  type Losses,
  type LossTotals,
  type Sums,
  type Today,
  type Total,
  type TotalCost,
  type TotalSpent,
  totalCostKeys,
} from '../../model/run.ts'
import { type Field, own, pick, through, within } from '../column.ts'
import { promptGoneField } from './cuts.ts'
import { lower } from './directions.ts'
import { costFields, spentBlock, spentFields, todayBlock, todayFields } from './money.ts'
import { headlineBlock, lossFields, namedBlock, referencesBlock } from './references.ts'
import { runColumns } from './run.ts'

/** How many transcripts a sum is of. */
export const transcriptsColumn = own<{ readonly transcripts: number }>(
  'transcripts',
  'transcripts',
  'count',
  'number of transcripts in the sum',
)

export const sumMeaning =
  "amounts cover the transcripts with a known price; without any, all transcripts in token equivalents; the cache's figures cover all transcripts"
export const costedColumn = own<{ readonly transcripts: number }>(
  'transcripts',
  'costed',
  'count',
  'number of transcripts that the amounts cover',
)

const [unitKey, ...costKeys] = totalCostKeys

const totalCostColumns: readonly Field<Pick<Sums, 'cost'>>[] = within<Pick<Sums, 'cost'>, TotalCost>(
  'cost',
  { meaning: sumMeaning },
  [...pick(costFields, [unitKey]), costedColumn, ...pick(costFields, costKeys)],
)

const invalidColumn = own<Sums>(
  'invalidRequests',
  'invalid',
  'count',
  'requests that a provider would refuse, and would not without the policy',
  lower,
)

/** In the order of the JSON. */
export const totalColumns: readonly Field<Total>[] = [
  ...pick(runColumns, ['policy']),
  own('params', 'params', 'record', 'only if the list has the same policy with other params', { optional: true }),
  ...pick(runColumns, ['budget', 'budgetAsked', 'estimator']),
  transcriptsColumn,
  ...pick(runColumns, ['fullTokens', 'sentTokens', 'savedTokens', 'savedPercent', 'overBudgetRequests']),
  invalidColumn,
  through(promptGoneField, ({ validity }) => validity),
  ...totalCostColumns.filter(({ key }) => key !== 'cost.cacheHitPercent'),
  ...within<Total, TotalSpent>('spent', { ...spentBlock, meaning: 'the bills of the transcripts that have one' }, [
    ...(spentFields as readonly Field<TotalSpent>[]),
    own<TotalSpent>('transcripts', 'billed transcripts', 'count', 'how many have one'),
  ]),
  ...within<Total, Today>('today', todayBlock, todayFields),
]

/** All that a policy at a budget comes to. */
export const sumColumns: readonly Field<Sums>[] = [
  transcriptsColumn,
  ...pick(runColumns, ['requests', 'fullTokens', 'sentTokens', 'savedTokens', 'savedPercent', 'peakTokens']),
  ...pick(runColumns, ['overBudgetRequests', 'overWindowRequests']),
  own('cuts', 'cuts', 'count', 'how many'),
  invalidColumn,
  ...pick(runColumns, ['validity']),
  own('thinkingLostTokens', 'thinking lost', 'tokens', 'the sum of `thinkingLostTokens` where it is known', lower),
  ...totalCostColumns,
  ...within<Sums, Today>('today', todayBlock, todayFields),
  ...within<Sums, LossTotals>('references', referencesBlock, [
    ...(lossFields as readonly Field<LossTotals>[]),
    ...within<LossTotals, Losses>('headline', headlineBlock, lossFields),
    ...within<LossTotals, Losses>('named', namedBlock, lossFields),
  ]),
]
