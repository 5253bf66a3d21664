/** The columns of sums of runs. */
import type { Today, Total, TotalCost, TotalSpent } from '../../model/run.ts'
import { type Field, own, pick, within } from '../column.ts'
import { lower } from './directions.ts'
import { costFields, spentBlock, spentFields, todayBlock, todayFields } from './money.ts'
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

export const totalCostColumns: readonly Field<Pick<Total, 'cost'>>[] = within<Pick<Total, 'cost'>, TotalCost>(
  'cost',
  { meaning: sumMeaning },
  [
    ...pick(costFields, ['unit']),
    costedColumn,
    ...pick(costFields, [
      'pricesAsOf',
      'paid',
      'input',
      'inputFull',
      'output',
      'summaries',
      'savedPercent',
      'prefixBreaks',
    ]),
  ],
)

/** In the order of the JSON. */
export const totalColumns: readonly Field<Total>[] = [
  ...pick(runColumns, ['policy']),
  own('params', 'params', 'record', 'only if the list has the same policy with other params', {
    optional: true,
  }),
  ...pick(runColumns, ['budget', 'budgetAsked', 'estimator']),
  transcriptsColumn,
  ...pick(runColumns, ['fullTokens', 'sentTokens', 'savedTokens', 'savedPercent', 'overBudgetRequests']),
  own(
    'invalidRequests',
    'invalid',
    'count',
    'requests that a provider would refuse, and would not without the policy',
    lower,
  ),
  own('lostLatestUser', 'prompt gone', 'count', 'requests without the newest user message or a summary of it', lower),
  ...totalCostColumns,
  ...within<Total, TotalSpent>('spent', { ...spentBlock, meaning: 'the bills of the transcripts that have one' }, [
    ...(spentFields as readonly Field<TotalSpent>[]),
    own<TotalSpent>('transcripts', 'billed transcripts', 'count', 'how many have one'),
  ]),
  ...within<Total, Today>('today', todayBlock, todayFields),
]
