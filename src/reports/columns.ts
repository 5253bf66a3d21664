/**
 * Each column once: its key in the data, its header for people, its unit, and where its value comes from. A format
 * brings only a formatter per unit, so a new figure is one line here and appears in every format.
 */
import type { ExchangeSummary } from '../model/history.ts'
import type { References, Row, Run } from '../model/run.ts'

/**
 * `ordinal` is an index: from 0 in data, from 1 for people. A `price` is
 * never rounded. A `flag` is true or false, for people a word or nothing. A `list` is its length for people and no part of flat data;
 * a `record` is one flat column for each of its keys, and `key=value` words for people.
 */
export type Unit = 'text' | 'count' | 'tokens' | 'percent' | 'money' | 'price' | 'ordinal' | 'flag' | 'list' | 'record'

export interface Column<T> {
  /** As in the JSON; the key of a nested value is written with dots. */
  readonly key: string
  readonly header: string
  readonly unit: Unit
  /** When a table is too narrow the highest rank gives way first; 0 never does. Left out: only in formats for data. */
  readonly rank?: number
  /** Tables leave the column out while it tells nothing: all zero or absent, or the same text everywhere. */
  readonly quiet?: boolean
  /** A path: a table cuts its middle, and the end of anything else. */
  readonly path?: boolean
  /** Prose: a table breaks it between words instead of cutting it. */
  readonly wraps?: boolean
  /** Not every run has the value: flat data leaves the column out when none does. */
  readonly optional?: boolean
  /** What a value above zero is. */
  readonly tone?: 'good' | 'bad'
  value(item: T): unknown
}

const classes = ['path', 'url', 'error', 'id', 'target', 'identifier', 'number'] as const
const counts = ['total', 'mentionLost', 'sourceLost', 'selfSourced'] as const
const losses = ['total', 'selfSourced', 'mentionLost', 'mentionLostPercent', 'sourceLost', 'sourceLostPercent'] as const

function referenceColumn(
  key: string,
  value: (references: References) => number,
  more: Partial<Column<Run>> = {},
): Column<Run> {
  return {
    key: `references.${key}`,
    header: key,
    unit: key.endsWith('Percent') ? 'percent' : key.endsWith('Tokens') ? 'tokens' : 'count',
    optional: true,
    value: (run) => (run.references ? value(run.references) : undefined),
    ...more,
  }
}

const shownLoss = { header: 'lost %', rank: 1, quiet: true, tone: 'bad' } as const
const shownFaults = { header: 'refetched', rank: 6, quiet: true, tone: 'bad' } as const

const referenceColumns: readonly Column<Run>[] = [
  ...losses.map((key) => referenceColumn(key, (references) => references[key])),
  ...classes.flatMap((name) =>
    counts.map((key) => referenceColumn(`byClass.${name}.${key}`, ({ byClass }) => byClass[name][key])),
  ),
  ...(['user', 'assistant'] as const).flatMap((author) =>
    counts.map((key) => referenceColumn(`${author}.${key}`, (references) => references[author][key])),
  ),
  referenceColumn('exchangesHit', ({ exchangesHit }) => exchangesHit),
  ...(['refresh', 'redundant', 'fault', 'faultTokens'] as const).map((key) =>
    referenceColumn(`rereads.${key}`, ({ rereads }) => rereads[key], key === 'fault' ? shownFaults : {}),
  ),
  ...losses.map((key) =>
    referenceColumn(`headline.${key}`, ({ headline }) => headline[key], key === 'sourceLostPercent' ? shownLoss : {}),
  ),
  ...losses.map((key) => referenceColumn(`warm.${key}`, ({ warm }) => warm[key])),
]

/** In the order of the JSON. */
export const runColumns: readonly Column<Run>[] = [
  { key: 'transcript', header: 'transcript', unit: 'text', rank: 0, path: true, value: (run) => run.transcript },
  { key: 'conversation', header: 'conversation', unit: 'text', value: (run) => run.conversation },
  { key: 'format', header: 'format', unit: 'text', rank: 11, value: (run) => run.format },
  { key: 'model', header: 'model', unit: 'text', rank: 10, value: (run) => run.model },
  { key: 'policy', header: 'policy', unit: 'text', rank: 0, value: (run) => run.policy },
  { key: 'params', header: 'knobs', unit: 'record', value: (run) => run.params },
  { key: 'budget', header: 'budget', unit: 'tokens', rank: 0, value: (run) => run.budget },
  { key: 'estimator', header: 'estimator', unit: 'text', rank: 0, value: (run) => run.estimator },
  { key: 'provider', header: 'provider', unit: 'text', value: (run) => run.provider },
  { key: 'messages', header: 'messages', unit: 'count', rank: 9, value: (run) => run.messages },
  { key: 'exchanges', header: 'exchanges', unit: 'count', rank: 8, value: (run) => run.exchanges },
  { key: 'requests', header: 'requests', unit: 'count', rank: 6, value: (run) => run.requests },
  {
    key: 'damagedLines',
    header: 'damaged',
    unit: 'count',
    rank: 6,
    quiet: true,
    tone: 'bad',
    value: (run) => run.damagedLines,
  },
  { key: 'preambleTokens', header: 'preamble', unit: 'tokens', rank: 12, value: (run) => run.preambleTokens },
  { key: 'preambleSource', header: 'preamble is', unit: 'text', rank: 13, value: (run) => run.preambleSource },
  { key: 'fullTokens', header: 'full', unit: 'tokens', rank: 2, value: (run) => run.fullTokens },
  { key: 'sentTokens', header: 'sent', unit: 'tokens', rank: 1, value: (run) => run.sentTokens },
  { key: 'savedTokens', header: 'saved', unit: 'tokens', rank: 4, value: (run) => run.savedTokens },
  { key: 'savedPercent', header: 'saved %', unit: 'percent', rank: 0, tone: 'good', value: (run) => run.savedPercent },
  { key: 'peakTokens', header: 'peak', unit: 'tokens', rank: 7, value: (run) => run.peakTokens },
  {
    key: 'overBudgetRequests',
    header: 'over',
    unit: 'count',
    rank: 3,
    quiet: true,
    tone: 'bad',
    value: (run) => run.overBudgetRequests,
  },
  {
    key: 'overWindowRequests',
    header: 'over model',
    unit: 'count',
    rank: 7,
    quiet: true,
    value: (run) => run.overWindowRequests,
  },
  { key: 'cuts', header: 'cuts', unit: 'list', rank: 3, value: (run) => run.cuts },
  { key: 'cutoff.exchange', header: 'from exchange', unit: 'ordinal', value: (run) => run.cutoff?.exchange ?? null },
  { key: 'cutoff.message', header: 'from message', unit: 'ordinal', value: (run) => run.cutoff?.message ?? null },
  { key: 'cutoff.line', header: 'from line', unit: 'count', value: (run) => run.cutoff?.line ?? null },
  ...(['orphanResults', 'orphanCalls', 'firstNotUser', 'emptyMessages', 'lostLatestUser'] as const).map(
    (fault): Column<Run> => ({
      key: `validity.${fault}`,
      header: fault,
      unit: 'count',
      value: (run) => run.validity[fault],
    }),
  ),
  ...(
    [
      ['requests', 'compared', 'count'],
      ['inputTokens', 'recorded', 'tokens'],
      ['biasPercent', 'estimator bias %', 'percent'],
      ['meanAbsolutePercent', 'estimator off %', 'percent'],
    ] as const
  ).map(
    ([key, header, unit]): Column<Run> => ({
      key: `recorded.${key}`,
      header,
      unit,
      optional: true,
      ...(key === 'meanAbsolutePercent' && { rank: 8, quiet: true }),
      value: (run) => run.recorded?.[key],
    }),
  ),
  {
    key: 'believedTokens',
    header: 'believed',
    unit: 'tokens',
    rank: 5,
    quiet: true,
    optional: true,
    value: (run) => run.believedTokens,
  },
  { key: 'cost.unit', header: 'cost unit', unit: 'text', value: (run) => run.cost.unit },
  { key: 'cost.pricesAsOf', header: 'prices of', unit: 'text', value: (run) => run.cost.pricesAsOf },
  { key: 'cost.input', header: 'cost', unit: 'money', rank: 6, value: (run) => run.cost.input },
  { key: 'cost.inputFull', header: 'cost unpruned', unit: 'money', value: (run) => run.cost.inputFull },
  { key: 'cost.output', header: 'output cost', unit: 'money', value: (run) => run.cost.output },
  {
    key: 'cost.summaries',
    header: 'summaries cost',
    unit: 'money',
    rank: 7,
    quiet: true,
    value: (run) => run.cost.summaries,
  },
  {
    key: 'cost.savedPercent',
    header: 'cost saved %',
    unit: 'percent',
    rank: 1,
    tone: 'good',
    value: (run) => run.cost.savedPercent,
  },
  { key: 'cost.cacheHitPercent', header: 'hit %', unit: 'percent', rank: 7, value: (run) => run.cost.cacheHitPercent },
  {
    key: 'cost.cacheHitPercentFull',
    header: 'hit unpruned %',
    unit: 'percent',
    value: (run) => run.cost.cacheHitPercentFull,
  },
  {
    key: 'cost.prefixBreaks',
    header: 'breaks',
    unit: 'count',
    rank: 8,
    quiet: true,
    value: (run) => run.cost.prefixBreaks,
  },
  {
    key: 'cost.recordedHitPercent',
    header: 'hit recorded %',
    unit: 'percent',
    rank: 9,
    quiet: true,
    optional: true,
    value: (run) => run.cost.recordedHitPercent,
  },
  ...referenceColumns,
]

/** A row of a run, with the run it is of. */
export interface RunRow {
  readonly run: Run
  readonly row: Row
}

/** Which run a row is of. */
const identity = ['transcript', 'conversation', 'policy', 'params', 'budget', 'estimator']

export const rowColumns: readonly Column<RunRow>[] = [
  ...runColumns
    .filter((column) => identity.includes(column.key))
    .map((column): Column<RunRow> => ({ ...column, value: ({ run }) => column.value(run) })),
  { key: 'exchange', header: 'exchange', unit: 'ordinal', rank: 0, value: ({ row }) => row.exchange },
  { key: 'request', header: 'request', unit: 'ordinal', rank: 1, value: ({ row }) => row.request },
  { key: 'line', header: 'line', unit: 'count', rank: 6, value: ({ row }) => row.line },
  { key: 'requests', header: 'requests', unit: 'count', rank: 8, value: ({ row }) => row.requests },
  ...runColumns
    .filter((column) => /^(full|sent|saved|peak|overBudget)/.test(column.key))
    .map((column): Column<RunRow> => ({ ...column, value: ({ row }) => row[column.key as keyof Row] })),
]

/** The columns that flat data has: records are spread, lists and what nobody has left out. */
export function flatColumns<T>(columns: readonly Column<T>[], items: readonly T[]): Column<T>[] {
  return columns.flatMap((column): Column<T>[] => {
    if (column.unit === 'list') return []
    if (column.unit === 'record') return spread(column, items)
    if (column.optional && items.every((item) => column.value(item) === undefined)) return []
    return [column]
  })
}

function spread<T>(column: Column<T>, items: readonly T[]): Column<T>[] {
  const keys = new Set<string>()
  for (const item of items) for (const key of Object.keys(column.value(item) ?? {})) keys.add(key)
  return [...keys].map((key) => ({
    key: `${column.key}.${key}`,
    header: key,
    unit: 'text',
    value: (item) => {
      const record = (column.value(item) ?? {}) as Readonly<Record<string, unknown>>
      return Object.hasOwn(record, key) ? record[key] : null
    },
  }))
}

export const exchangeColumns: readonly Column<ExchangeSummary>[] = [
  {
    key: 'transcript',
    header: 'transcript',
    unit: 'text',
    rank: 1,
    path: true,
    quiet: true,
    value: ({ transcript }) => transcript,
  },
  {
    key: 'conversation',
    header: 'conversation',
    unit: 'text',
    rank: 8,
    quiet: true,
    value: ({ conversation }) => conversation,
  },
  { key: 'exchange', header: 'exchange', unit: 'ordinal', rank: 0, value: ({ exchange }) => exchange },
  { key: 'firstLine', header: 'line', unit: 'count', rank: 4, value: ({ firstLine }) => firstLine },
  { key: 'lastLine', header: 'to', unit: 'count', rank: 7, value: ({ lastLine }) => lastLine },
  { key: 'messages', header: 'messages', unit: 'count', rank: 5, value: ({ messages }) => messages },
  { key: 'requests', header: 'requests', unit: 'count', rank: 6, value: ({ requests }) => requests },
  { key: 'toolCalls', header: 'calls', unit: 'count', rank: 3, value: ({ toolCalls }) => toolCalls },
  { key: 'tokens', header: 'tokens', unit: 'tokens', rank: 0, value: ({ tokens }) => tokens },
  { key: 'state', header: 'state', unit: 'text', rank: 2, value: ({ state }) => state },
  { key: 'title', header: 'first words', unit: 'text', rank: 0, value: ({ title }) => title },
]
