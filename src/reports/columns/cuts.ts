/** The columns of a cut, of the cutoff, and of the faults that a policy adds to requests. */
import { type Cut, type Cutoff, type Fault, faults, type TakenFault, type Validity } from '../../model/run.ts'
import { type Field, own } from '../column.ts'
import { lower } from './directions.ts'

export const cutFields: readonly Field<Cut>[] = [
  own(
    'request',
    'request',
    'ordinal',
    'the first that goes out after it; the number of requests when it falls after the last one',
  ),
  own(
    'exchange',
    'exchange',
    'ordinal',
    'of the first message behind the cut; -1 before the first user message, the number of exchanges when nothing stays inside',
    { least: -1 },
  ),
  own('message', 'message', 'ordinal', 'the first message behind the cut'),
  own('line', 'line', 'count', 'of that message; 0 when nothing stays inside'),
  own('evictedExchanges', 'left', 'list', 'the exchanges that left', { items: 'ordinal' }),
  own('tokensBefore', 'before', 'tokens', 'of the window before the cut'),
  own('tokensAfter', 'after', 'tokens', 'of the window after it'),
  own(
    'breakEvenRequests',
    'breaks even',
    'count',
    'requests until the cut has earned what rewriting the prompt cache costs; 0 with no cache to lose; absent when it never does, and when no request follows',
    { optional: true, whole: false },
  ),
]

export const cutoffFields: readonly Field<Cutoff>[] = [
  own('exchange', 'from exchange', 'ordinal', 'the exchange of that message; -1 before the first user message', {
    least: -1,
  }),
  own('message', 'from message', 'ordinal', 'the index of that message'),
  own('line', 'from line', 'count', 'the line of that message in the file'),
]

/** Each fault in words. */
export const faultWords: Readonly<Record<Fault, string>> = {
  orphanResults: 'tool results without their call',
  orphanCalls: 'tool calls without their results',
  firstNotUser: "the first message is not the user's",
  emptyMessages: 'empty messages',
  lostLatestUser: 'the newest user message is gone, and no summary stands for it (a provider takes that)',
  thinkingLost:
    'reasoning is left out, because something before it has changed (sent as it was, it is refused: docs/turn-on.md)',
}

/** What a note about a fault that no provider refuses is called. */
export const faultTitles: Readonly<Record<TakenFault, string>> = {
  lostLatestUser: 'Newest prompt gone',
  thinkingLost: 'Thinking lost',
}

/** The one of these that is told by itself wherever a policy is judged. */
export type PromptGone = Pick<Validity, 'lostLatestUser'>
export const promptGoneField = own<PromptGone>(
  'lostLatestUser',
  'prompt gone',
  'count',
  'requests without the newest user message or a summary of it',
  lower,
)

export const validityFields: readonly Field<Validity>[] = faults.map((fault) =>
  own(fault, fault, 'count', faultWords[fault], {
    ...lower,
    cause: 'fault',
    ...(fault === promptGoneField.key && { shownAs: promptGoneField.header }),
  }),
)
