/** The columns of requests: of all of a run, of an exchange, or of one. */
import type { Row } from '../../model/run.ts'
import { type Field, own } from '../column.ts'
import { higher, lessIsBetter } from './directions.ts'

/** The fields that a row of requests has in common with a run. */
export const tokenFields: readonly Field<Omit<Row, 'exchange' | 'request' | 'line' | 'requests'>>[] = lessIsBetter([
  own('fullTokens', 'full', 'tokens', 'sum over the requests without pruning', { cause: 'request', rank: 5 }),
  own('sentTokens', 'sent', 'tokens', 'sum over the requests, under the policy', { cause: 'request', rank: 1 }),
  own('savedTokens', 'saved', 'tokens', 'full − sent; negative when the policy adds more than it drops', {
    ...higher,
    cause: 'cut',
    least: Number.NEGATIVE_INFINITY,
    rank: 4,
  }),
  own('savedPercent', 'saved %', 'percent', 'saved / full', { ...higher, cause: 'cut' }),
  own('peakTokens', 'peak', 'tokens', 'the largest request sent', { cause: 'request', rank: 7 }),
  own('overBudgetRequests', 'over', 'count', 'requests sent with more tokens than the budget', {
    cause: 'request',
    rank: 3,
    quiet: true,
    tone: 'bad',
  }),
])

export const rowFields: readonly Field<Row>[] = [
  own('exchange', 'exchange', 'ordinal', 'index of the exchange; -1 before the first user message', {
    least: -1,
    rank: 0,
  }),
  own('request', 'request', 'ordinal', 'index of the first request of the row', { rank: 1 }),
  own('line', 'line', 'count', 'line of the message that answers it', { rank: 6 }),
  own('requests', 'requests', 'count', 'number of requests in the row', { rank: 8 }),
  ...tokenFields,
]
