/**
 * The columns of a run. Each column of ctxwin is declared once, here or beside this file: its key in the data, its
 * header for people, its unit, its meaning, which direction is better, and its value. A new figure is one line, and
 * appears in every format, in the limits of `check`, in the published schemas and in docs/metrics.md.
 */
import {
  type Cost,
  type Cutoff,
  type PolicyBounds,
  preambleSources,
  type RecordedUsage,
  type References,
  type Run,
  type Spent,
  type Today,
  type Validity,
} from '../../model/run.ts'
import { type Field, own, showAs, type Topic, within } from '../column.ts'
import { cutFields, cutoffFields, validityFields } from './cuts.ts'
import { higher, lower } from './directions.ts'
import { costFields, costMeaning, spentBlock, spentFields, todayBlock, todayFields } from './money.ts'
import { foresightColumns, recordedFields } from './recorded.ts'
import { boundFields, boundsBlock, lostReferenceFields, referenceFields, referencesBlock } from './references.ts'
import { rowFields, tokenFields } from './requests.ts'

/** Fields of one section of docs/metrics.md. */
const about = <T>(topic: Topic, fields: readonly Field<T>[]): Field<T>[] => fields.map((field) => ({ ...field, topic }))

/** In the order of the JSON. */
export const runColumns: readonly Field<Run>[] = [
  ...about<Run>('identity', [
    own('transcript', 'transcript', 'text', 'the file, as the user named it', { rank: 0, path: true }),
    own(
      'conversation',
      'conversation',
      'text',
      'its id in the file; null for the only conversation of a file without ids',
      { nullable: true },
    ),
    own('copyOf', 'copy of', 'text', 'the file in which the same session was found before: totals count it once', {
      optional: true,
      path: true,
      quiet: true,
      rank: 5,
    }),
    own('format', 'format', 'text', 'the reader that recognised it', { rank: 11 }),
    own('model', 'model', 'text', 'as recorded, or as `--model` says', { nullable: true, rank: 10 }),
    own('policy', 'policy', 'text', 'the policy that pruned', { rank: 0 }),
    own('params', 'params', 'record', 'all params of the policy'),
    own('budget', 'budget', 'tokens', 'the ceiling of the window; 0 = none, and nothing is over budget', { rank: 0 }),
    own(
      'budgetAsked',
      'asked',
      'text',
      'the budget as it was asked for: a share of the model’s context window, or `own`, the policy’s own',
      { optional: true },
    ),
    own('estimator', 'estimator', 'text', 'the estimator that counted: `calibrated(claude-4.6)`', { rank: 0 }),
    own('provider', 'provider', 'text', 'the API that the requests are built for', {
      values: ['anthropic', 'openai', 'google'],
    }),
    own('messages', 'messages', 'count', 'canonical messages, without the system prompt', {
      ...higher,
      input: 'extent',
      rank: 9,
    }),
    own('exchanges', 'exchanges', 'count', 'exchanges found', { ...higher, input: 'extent', rank: 8 }),
    own('requests', 'requests', 'count', 'requests found', { ...higher, input: 'extent', rank: 6 }),
    own(
      'requestsElsewhere',
      'elsewhere',
      'count',
      'requests that an earlier file has, too: they count there, and are history here',
      { optional: true, quiet: true, rank: 9 },
    ),
    own(
      'recordedCalls',
      'recorded calls',
      'count',
      'calls with recorded usage: of the requests, and beside them (`spent.sideCalls`)',
      higher,
    ),
    own('requestsWithoutUsage', 'without usage', 'count', 'requests without recorded usage', lower),
    own('unpricedCalls', 'unpriced calls', 'count', 'recorded calls to models without a known price', lower),
    own('damagedLines', 'damaged', 'count', 'lines of the file that lost content; each is named in `diagnostics`', {
      ...lower,
      cause: 'damage',
      input: 'file',
      rank: 6,
      quiet: true,
      tone: 'bad',
    }),
    own('preambleTokens', 'preamble', 'tokens', 'size of the preamble, which is part of every request', {
      ...lower,
      rank: 12,
    }),
    own(
      'preambleSource',
      'preamble is',
      'text',
      '`recorded`, `inferred` from recorded usage, `given` by `--preamble`, `usual` for the program or as in your other sessions of it, or `none`',
      { values: [...preambleSources], rank: 13 },
    ),
    own(
      'unknownHistoryTokens',
      'unknown history',
      'tokens',
      'of what was said before a transcript that begins in the middle, the preamble not among them',
      { ...lower, rank: 12, quiet: true, optional: true },
    ),
  ]),
  ...about<Run>('tokens', [
    // Tables show the columns of outcome.ts in place of these two.
    ...tokenFields.map((field) =>
      ['savedTokens', 'overBudgetRequests'].includes(field.key)
        ? { ...showAs(field, {}), ...(field.key === 'overBudgetRequests' && { shownAs: 'over' }) }
        : field,
    ),
    own(
      'overWindowRequests',
      'over model',
      'count',
      "requests that would exceed the model's context window without pruning",
      { ...lower, rank: 7, quiet: true },
    ),
    own('cuts', 'cuts', 'list', 'each event that moved the cutoff', {
      ...lower,
      cause: 'item',
      rank: 3,
      items: cutFields,
    }),
    ...within<Run, Cutoff>(
      'cutoff',
      { meaning: 'the first message inside the window at the end; null while everything is', nullable: true },
      cutoffFields,
    ),
  ]),
  ...about<Run>('validity', [
    ...within<Run, Validity>(
      'validity',
      { meaning: 'requests that have a fault which the policy added: what the transcript has anyway is not counted' },
      validityFields,
    ),
    own(
      'thinkingLostTokens',
      'thinking lost',
      'tokens',
      'reasoning that is not sent any more, because something before it has changed; null where nobody knows of the model',
      { ...lower, rank: 7, quiet: true, nullable: true },
    ),
  ]),
  ...about<Run>('recorded', [
    ...within<Run, RecordedUsage>(
      'recorded',
      { meaning: 'what of recorded usage can be compared with a count', optional: true },
      recordedFields,
    ),
    ...foresightColumns,
    own('believedTokens', 'believed', 'tokens', 'with `--measure native`: the total that the policy itself counted', {
      ...lower,
      rank: 5,
      quiet: true,
      optional: true,
    }),
  ]),
  ...about<Run>('money', [
    ...within<Run, Cost>('cost', { meaning: costMeaning }, costFields),
    ...within<Run, Spent>('spent', spentBlock, spentFields),
    ...within<Run, Today>('today', todayBlock, todayFields),
  ]),
  ...about<Run>('references', within<Run, References>('references', referencesBlock, referenceFields)).map(
    (field): Field<Run> => ({ ...field, cause: 'cut' }),
  ),
  ...about<Run>('references', within<Run, PolicyBounds>('bounds', boundsBlock, boundFields)),
  ...about<Run>('tokens', [
    own('rows', 'rows', 'list', 'with `--by exchange` or `request`: the requests of each exchange, or each request', {
      items: rowFields,
      optional: true,
    }),
  ]),
  ...about<Run>('references', [
    own('lost', 'lost', 'list', 'with `--by reference`: each use that found what it uses gone from the window', {
      items: lostReferenceFields,
      optional: true,
    }),
  ]),
]
