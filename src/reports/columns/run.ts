/**
 * Declares each column once: its key in the data, its header for people, its unit, its meaning, which direction is better,
 * and its value. A new figure is one line here, and appears in every format, in the limits of `check`, in the published
 * schemas and in docs/metrics.md.
 */
import type { ExchangeSummary } from '../../model/history.ts'
import {
  type Cost,
  type Cut,
  type Cutoff,
  type Fault,
  type Foresight,
  faults,
  foresightTests,
  type LossCounts,
  type Losses,
  type LostReference,
  lossCounts,
  type RecordedUsage,
  type References,
  type Rereads,
  type Row,
  type Run,
  type Spent,
  sourced,
  type Today,
  type Total,
  type TotalCost,
  type TotalSpent,
  termClasses,
  type Validity,
} from '../../model/run.ts'
import { type Column, type Field, own, pick, pickAs, type Topic, through, within } from '../column.ts'

const lower = { better: 'lower' } as const
const higher = { better: 'higher' } as const

/** Fields of one section of docs/metrics.md. */
function about<T>(topic: Topic, fields: readonly Field<T>[]): Field<T>[] {
  return fields.map((field) => ({ ...field, topic }))
}

const cutFields: readonly Field<Cut>[] = [
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

const cutoffFields: readonly Field<Cutoff>[] = [
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
  lostLatestUser: 'the newest user message is gone (a provider takes that)',
}

const validityFields: readonly Field<Validity>[] = faults.map((fault) =>
  own(fault, fault, 'count', faultWords[fault], { ...lower, cause: 'fault' }),
)

export const costFields: readonly Field<Cost>[] = [
  own('unit', 'cost unit', 'text', "`usd`, or `input-token-equivalents` where the model's price is unknown", {
    values: ['usd', 'input-token-equivalents'],
  }),
  own('pricesAsOf', 'prices of', 'text', 'the date of the oldest source of the prices'),
  own('input', 'cost', 'money', 'all input through the prompt cache', { ...lower, rank: 6 }),
  own('inputFull', 'cost unpruned', 'money', 'the same without pruning', lower),
  own('output', 'output cost', 'money', 'output as recorded, else estimated; the same for every policy', lower),
  own('summaries', 'summaries cost', 'money', 'what it costs to write summaries', { ...lower, rank: 7, quiet: true }),
  own(
    'savedPercent',
    'cost saved %',
    'percent',
    '(inputFull − input − summaries) / inputFull; negative when pruning loses money',
    { ...higher, rank: 1, tone: 'good' },
  ),
  own('cacheHitPercent', 'hit %', 'percent', 'tokens read from the cache / tokens sent', { ...higher, rank: 7 }),
  own('cacheHitPercentFull', 'hit unpruned %', 'percent', 'the same without pruning', higher),
  own('prefixBreaks', 'breaks', 'count', 'requests that do not begin with the whole of the request before', {
    ...lower,
    rank: 8,
    quiet: true,
  }),
  own(
    'recordedHitPercent',
    'hit recorded %',
    'percent',
    "the hit rate that the provider recorded for the agent's own requests",
    { ...higher, rank: 9, quiet: true, optional: true },
  ),
]
const spentFields: readonly Field<Spent>[] = [
  own('usd', 'billed', 'money', 'input and output, in US dollars', { ...lower, rank: 9, quiet: true }),
  own('input', 'input billed', 'money', 'of the input alone: what `today.costInput` is held against', {
    ...lower,
    rank: 7,
    quiet: true,
  }),
  own('output', 'output billed', 'money', 'of the output alone', lower),
  own('requests', 'billed requests', 'count', 'requests with recorded usage; the others are no part of it', lower),
  own(
    'estimatedOutputs',
    'outputs estimated',
    'count',
    'those of which less output is recorded than can be seen: it is estimated',
    lower,
  ),
]
const spentBlock = {
  meaning:
    'what the provider billed: recorded usage at the prices of the time of each request; null where none is recorded, where it leaves out the cache, or a model has no known price',
  nullable: true,
}

export const todayFields: readonly Field<Today>[] = [
  own('sentTokens', 'sent today', 'tokens', 'sum over the requests', lower),
  own('costInput', 'cost today', 'money', 'all input through the prompt cache', lower),
  own('summaries', 'summaries today', 'money', 'the calls that wrote its summaries', lower),
  own('headlineLost', 'lost today', 'count', 'uses of content that found it gone; absent with `--no-references`', {
    ...lower,
    optional: true,
  }),
  own('headlineTotal', 'uses today', 'count', 'uses of content that had a source; absent likewise', {
    ...lower,
    optional: true,
  }),
  own(
    'headlineLostOver',
    'lost over today',
    'count',
    'lost under the policy − lost today; negative when it loses fewer',
    {
      ...lower,
      optional: true,
      least: Number.NEGATIVE_INFINITY,
    },
  ),
  own('overWindowRequests', 'over model today', 'count', "requests that are over the model's context window", lower),
  own('lostLatestUser', 'prompt gone today', 'count', 'requests without the newest user message', lower),
  own('savedTokens', 'saved on today', 'tokens', 'sent today − sent; negative when the policy sends more', {
    ...higher,
    least: Number.NEGATIVE_INFINITY,
  }),
  own('savedPercent', 'saved on today %', 'percent', 'that, of what is sent today', higher),
  own(
    'costSaved',
    'cost saved on today',
    'money',
    'input and summaries today − under the policy; negative when dearer',
    {
      ...higher,
      least: Number.NEGATIVE_INFINITY,
    },
  ),
  own('costSavedPercent', 'cost saved on today %', 'percent', 'that, of what today costs', higher),
]
export const todayBlock = {
  meaning:
    'what the recorded agent did itself, replayed in the same model (as-recorded), and what the run saves against it; in the unit of `cost`',
}

export const costMeaning = 'money through the prompt cache: docs/cost.md'

export const lossFields: readonly Field<Losses>[] = [
  own(
    'total',
    'uses',
    'count',
    're-references: uses of a term that occurred before, each term once per request',
    lower,
  ),
  own(
    'selfSourced',
    'self-sourced',
    'count',
    "uses of terms that only the assistant ever wrote: never source-lost, not in that tier's denominator",
    lower,
  ),
  own('mentionLost', 'mention lost', 'count', 'no earlier mention is inside the window', lower),
  own('mentionLostPercent', 'mention lost', 'percent', 'mentionLost / total', {
    ...lower,
    share: ({ mentionLost, total }) => ({ part: mentionLost, whole: total }),
  }),
  own('sourceLost', 'lost', 'count', 'there was a source, and none is inside the window', lower),
  own('sourceLostPercent', 'lost', 'percent', 'sourceLost / (total − selfSourced)', {
    ...lower,
    share: (losses) => ({ part: losses.sourceLost, whole: sourced(losses) }),
  }),
]
const lossCountFields: readonly Field<LossCounts>[] = pick(lossFields, lossCounts)

/** The loss fields, with changes to the rate that tables show. */
export const ratedLosses = (shown: Partial<Field<Losses>>): Field<Losses>[] =>
  lossFields.map((field) => (field.key === 'sourceLostPercent' ? { ...field, ...shown } : field))
export const headlineBlock = { meaning: 'the same counts for content alone: what tables show', part: true }
export const namedBlock = { meaning: 'the same counts for paths, urls, errors, ids and targets', part: true }

export const referencesBlock = {
  meaning:
    'later uses of what had left the window: docs/references.md. Exposure, not failure; absent with `--no-references`',
  optional: true,
}

export const rereadFields: readonly Field<Rereads>[] = [
  own('refresh', 'refreshed', 'count', 'the target was written since, or the result differs', lower),
  own('redundant', 'redundant', 'count', 'unchanged, and a copy is still inside', lower),
  own('fault', 'refetched', 'count', 'unchanged, and the copy has left the window', {
    ...lower,
    rank: 6,
    quiet: true,
    tone: 'bad',
  }),
  own('faultTokens', 'refetched tokens', 'tokens', 'tokens of the results that faults fetched again', lower),
  own(
    'known',
    'read again',
    'count',
    'reads of a file or url that had been read before, whatever the tool and the lines',
    lower,
  ),
  own('foretold', 'foretold', 'count', 'those of them of which nothing that had been read was inside', lower),
]

export const partlyLostField = own<{ readonly partlyLost: number }>(
  'partlyLost',
  'partly lost',
  'count',
  'uses of content of which some was inside the window, and not all',
  lower,
)

const referenceFields: readonly Field<References>[] = [
  ...(lossFields as readonly Field<References>[]),
  ...within<References, References['byClass']>(
    'byClass',
    { meaning: 'the same counts by class of term', part: true },
    termClasses.flatMap((name) =>
      within<References['byClass'], LossCounts>(name, { meaning: `of the class ${name}`, part: true }, lossCountFields),
    ),
  ),
  ...within<References, LossCounts>(
    'user',
    { meaning: 'the same counts for references by the user', part: true },
    lossCountFields,
  ),
  ...within<References, LossCounts>(
    'assistant',
    { meaning: 'the same counts for references by the agent', part: true },
    lossCountFields,
  ),
  own('exchangesHit', 'exchanges hit', 'count', 'exchanges with a loss, in either tier', lower),
  partlyLostField,
  ...within<References, Rereads>(
    'rereads',
    {
      meaning:
        'fetches of what had been fetched before: by the same tool in the same lines, or, where it says so, at all',
    },
    rereadFields,
  ),
  ...within<References, Losses>('headline', headlineBlock, ratedLosses({ rank: 1, quiet: true, tone: 'bad' })),
  ...within<References, Losses>(
    'named',
    namedBlock,
    ratedLosses({ header: 'named lost', rank: 5, quiet: true, tone: 'bad' }),
  ),
  ...within<References, Losses>(
    'warm',
    { meaning: 'only the requests after the window was first pruned', part: true },
    lossFields,
  ),
]

export const recordedFields: readonly Field<RecordedUsage>[] = [
  own('requests', 'compared', 'count', 'requests with recorded usage that can be compared', lower),
  own('inputTokens', 'recorded', 'tokens', 'the total that the provider counted for them', lower),
  own('biasPercent', 'estimator bias %', 'percent', '(estimated − recorded) / recorded, over the sums', lower),
  own('meanAbsolutePercent', 'estimator off %', 'percent', 'mean of the absolute error per request', {
    ...lower,
    rank: 8,
    quiet: true,
  }),
  own(
    'unexplainedCuts',
    'unexplained',
    'count',
    'times that the context shrank and nothing recorded says why; `as-recorded` lets the oldest results go there',
    { ...lower, quiet: true },
  ),
]

const foresightFields: readonly Field<Foresight>[] = [
  own('requests', 'unseen', 'count', 'requests that were predicted, their usage kept from the count', lower),
  own('meanAbsolutePercent', 'unseen off %', 'percent', 'mean of the absolute error per such request', {
    ...lower,
    rank: 8,
    quiet: true,
  }),
  own('biasPercent', 'unseen bias %', 'percent', '(predicted − recorded) / recorded, over the sums', lower),
]

export const foresightColumns: readonly Field<Pick<Run, 'foresight' | 'foresightTest'>>[] = [
  ...within<Pick<Run, 'foresight'>, Foresight>(
    'foresight',
    { meaning: 'the same where it could not see: null where that cannot be tested', nullable: true },
    foresightFields,
  ),
  own(
    'foresightTest',
    'unseen is',
    'text',
    '`cut`: what is behind the first cut; `half`: the second half, where nothing was cut; else why there is no test',
    { values: [...foresightTests] },
  ),
]

/** The fields that a row of requests has in common with a run. */
const tokenFields: readonly Field<Omit<Row, 'exchange' | 'request' | 'line' | 'requests'>>[] = [
  own('fullTokens', 'full', 'tokens', 'sum over the requests without pruning', {
    ...lower,
    cause: 'request',
    rank: 2,
  }),
  own('sentTokens', 'sent', 'tokens', 'sum over the requests, under the policy', {
    ...lower,
    cause: 'request',
    rank: 1,
  }),
  own('savedTokens', 'saved', 'tokens', 'full − sent; negative when the policy adds more than it drops', {
    ...higher,
    cause: 'cut',
    least: Number.NEGATIVE_INFINITY,
    rank: 4,
  }),
  own('savedPercent', 'saved %', 'percent', 'saved / full', { ...higher, cause: 'cut', rank: 0, tone: 'good' }),
  own('peakTokens', 'peak', 'tokens', 'the largest request sent', { ...lower, cause: 'request', rank: 7 }),
  own('overBudgetRequests', 'over', 'count', 'requests sent with more tokens than the budget', {
    ...lower,
    cause: 'request',
    rank: 3,
    quiet: true,
    tone: 'bad',
  }),
]

const rowFields: readonly Field<Row>[] = [
  own('exchange', 'exchange', 'ordinal', 'index of the exchange; -1 before the first user message', {
    least: -1,
    rank: 0,
  }),
  own('request', 'request', 'ordinal', 'index of the first request of the row', { rank: 1 }),
  own('line', 'line', 'count', 'line of the message that answers it', { rank: 6 }),
  own('requests', 'requests', 'count', 'number of requests in the row', { rank: 8 }),
  ...tokenFields,
]

const lostReferenceFields: readonly Field<LostReference>[] = [
  own('request', 'request', 'ordinal', 'the one whose window it was gone from', { rank: 1 }),
  own('line', 'line', 'count', 'of the message that uses it', { rank: 0 }),
  own('sourceLine', 'source line', 'count', 'of its latest source; null where the agent alone had said it', {
    nullable: true,
    rank: 3,
  }),
  own('class', 'class', 'text', 'what kind of thing it is', { rank: 0, values: termClasses }),
  own('term', 'term', 'text', 'the thing; of content the file or target that the text is of, null where nothing says', {
    nullable: true,
    rank: 0,
    path: true,
  }),
  own(
    'tier',
    'tier',
    'text',
    '`source`: it had a source, and none is inside; `mention`: it had none, and no mention is inside',
    {
      values: ['source', 'mention'],
      rank: 4,
    },
  ),
  own('by', 'by', 'text', 'who uses it', { values: ['user', 'assistant'], rank: 5, quiet: true }),
]

/** In the order of the JSON. */
export const runColumns: readonly Field<Run>[] = [
  ...about<Run>('identity', [
    own('transcript', 'transcript', 'text', 'the file, as the user named it', { rank: 0, path: true }),
    own(
      'conversation',
      'conversation',
      'text',
      'its id in the file; null for the only conversation of a file without ids',
      {
        nullable: true,
      },
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
    own('budget', 'budget', 'tokens', 'the ceiling of the window; 0 = no pruning, and nothing is over budget', {
      rank: 0,
    }),
    own('budgetAsked', 'asked', 'text', 'the budget as a share of the model’s context window, if it was asked for so', {
      optional: true,
    }),
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
      '`recorded`, `inferred` from recorded usage, `given` by `--preamble`, or `none`',
      { values: ['recorded', 'inferred', 'given', 'none'], rank: 13 },
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
    ...tokenFields,
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
  ]),
  ...about<Run>('recorded', [
    ...within<Run, RecordedUsage>(
      'recorded',
      { meaning: 'the estimator compared with recorded usage', optional: true },
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

/** A row of a run, with its run. */
export interface RunRow {
  readonly run: Run
  readonly row: Row
}

/** The fields that identify a row's run. */
const ofRun = pick(runColumns, ['transcript', 'conversation', 'policy', 'params', 'budget', 'estimator'])

export const rowColumns: readonly Field<RunRow>[] = [
  ...ofRun.map((field) => through(field, ({ run }: RunRow) => run)),
  ...rowFields.map((field) => through(field, ({ row }: RunRow) => row)),
]

/** A lost reference, with its run. */
export interface RunLoss {
  readonly run: Run
  readonly loss: LostReference
}

export const lossColumns: readonly Field<RunLoss>[] = [
  ...ofRun.map((field) => through(field, ({ run }: RunLoss) => run)),
  ...lostReferenceFields.map((field) => through(field, ({ loss }: RunLoss) => loss)),
]

export const runRows = (run: Run): RunRow[] => (run.rows ?? []).map((row) => ({ run, row }))
export const runLosses = (run: Run): RunLoss[] => (run.lost ?? []).map((loss) => ({ run, loss }))

/** The columns of a simulation's report: of a run, of a finer row, or of a lost reference. */
export interface SimulationColumns {
  readonly run: readonly Column<Run>[]
  readonly row: readonly Column<RunRow>[]
  readonly loss: readonly Column<RunLoss>[]
}

export const simulationColumns: SimulationColumns = { run: runColumns, row: rowColumns, loss: lossColumns }

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
    ...pick(costFields, ['pricesAsOf', 'input', 'inputFull', 'output', 'summaries', 'savedPercent', 'prefixBreaks']),
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
  ...pick(runColumns, ['fullTokens', 'sentTokens', 'savedTokens', 'savedPercent']),
  ...totalCostColumns,
  ...within<Total, TotalSpent>('spent', { ...spentBlock, meaning: 'the bills of the transcripts that have one' }, [
    ...(spentFields as readonly Field<TotalSpent>[]),
    own<TotalSpent>('transcripts', 'billed transcripts', 'count', 'how many have one'),
  ]),
  ...within<Total, Today>('today', todayBlock, todayFields),
]

export const exchangeColumns: readonly Column<ExchangeSummary>[] = [
  ...pickAs(runColumns, 'transcript', { rank: 1, quiet: true }),
  ...pickAs(runColumns, 'conversation', { rank: 8, quiet: true }),
  ...pickAs(rowFields, 'exchange', { rank: 0 }),
  { key: 'firstLine', header: 'line', unit: 'count', rank: 4, value: ({ firstLine }) => firstLine },
  { key: 'lastLine', header: 'to', unit: 'count', rank: 7, value: ({ lastLine }) => lastLine },
  ...pickAs(runColumns, 'messages', { rank: 5 }),
  ...pickAs(runColumns, 'requests', { rank: 6 }),
  { key: 'toolCalls', header: 'calls', unit: 'count', rank: 3, value: ({ toolCalls }) => toolCalls },
  { key: 'tokens', header: 'tokens', unit: 'tokens', rank: 0, value: ({ tokens }) => tokens },
  { key: 'state', header: 'state', unit: 'text', rank: 2, value: ({ state }) => state },
  { key: 'title', header: 'first words', unit: 'text', rank: 0, value: ({ title }) => title },
]
