/** The columns of what was spent. */
import { priceTerms, type TermCalls } from '../../model/price-terms.ts'
import {
  type Billed,
  type ByKind,
  type CauseSpending,
  type CellSpending,
  type DaySpending,
  type DefinitionSpending,
  type KindSpending,
  type Missed,
  type MissSpending,
  type ModelSpending,
  missCauses,
  type PartSpending,
  type ProjectSpending,
  type RecordedCost,
  type ResultSpending,
  type SessionSpending,
  type SpendingSum,
  type SpendingTotal,
  spendingParts,
  type ToolSpending,
  tokenKinds,
} from '../../model/spending.ts'
import { fewestDrawn, sparkline } from '../chart.ts'
import { type Column, type Field, nullable, own, pickAs, within, withValues } from '../column.ts'
import { runColumns } from './run.ts'

const kindWords: Readonly<Record<keyof ByKind, readonly [header: string, meaning: string]>> = {
  input: ['input', 'neither read from the cache nor written to it'],
  cacheRead: ['cache read', 'read from the cache'],
  cacheWrite: ['cache write', "written to the cache for its usual lifetime (Anthropic's five minutes)"],
  cacheWrite1h: ['cache write 1h', 'written to the cache for an hour'],
  output: ['output', 'as recorded, or what can be seen of it where that is more'],
}

const missedFields: readonly Field<Missed>[] = [
  own('requests', 'misses', 'count', 'requests that read less from the cache than the request before had there', {
    rank: 5,
    quiet: true,
  }),
  own('tokens', 'missed tokens', 'tokens', 'tokens that had been there and were paid in full', {
    rank: 6,
    quiet: true,
  }),
  own('usd', 'misses USD', 'money', 'what they cost beyond a read; null where no price is known', {
    ...nullable,
    rank: 1,
    quiet: true,
  }),
]

const sumFields: readonly Field<Omit<SpendingSum, 'percent'>>[] = [
  own('requests', 'requests', 'count', 'requests with recorded usage', { rank: 2 }),
  own('unpricedRequests', 'no price', 'count', 'requests to models without a known price: in the tokens alone', {
    rank: 4,
    quiet: true,
  }),
  own('usd', 'USD', 'money', 'US dollars; null where no request has a price', { ...nullable, rank: 0 }),
  ...within<Omit<SpendingSum, 'percent'>, ByKind>(
    'tokens',
    { meaning: 'tokens by kind' },
    tokenKinds.map((kind, index) => {
      const [header, meaning] = kindWords[kind]
      return own<ByKind>(kind, header, 'tokens', meaning, { rank: 7 + index, quiet: true })
    }),
  ),
  ...within<Omit<SpendingSum, 'percent'>, ByKind>(
    'cost',
    { meaning: 'US dollars by kind, of the requests with a price' },
    tokenKinds.map((kind) =>
      own<SpendingSum['cost']>(kind, `${kindWords[kind][0]} USD`, 'money', kindWords[kind][1], nullable),
    ),
  ),
  ...within<Omit<SpendingSum, 'percent'>, Missed>(
    'missed',
    { meaning: 'what the cache had not served although the request before had it there' },
    missedFields,
  ),
]

/** Quiet: without prices it is always zero. */
export const percentOfAll = own<{ readonly percent: number }>('percent', '%', 'percent', 'of all that was spent', {
  rank: 1,
  quiet: true,
})

const shareFields = [...sumFields, percentOfAll] as readonly Field<SpendingSum>[]

const projectFields: readonly Field<Pick<ProjectSpending, 'project' | 'cwd'>>[] = [
  own('project', 'project', 'text', 'the end of the directory that tells it apart', {
    ...nullable,
    rank: 0,
    path: true,
  }),
  own('cwd', 'directory', 'text', 'the directory the agent worked in, as recorded', nullable),
]
const modelField = own<Pick<ModelSpending, 'model'>>('model', 'model', 'text', 'as recorded', { ...nullable, rank: 0 })
const dayField = own<Pick<DaySpending, 'day'>>('day', 'day (UTC)', 'text', 'ISO date, in UTC', { ...nullable, rank: 0 })

export const projectColumns: readonly Field<ProjectSpending>[] = [...projectFields, ...shareFields]
export const modelColumns: readonly Field<ModelSpending>[] = [modelField, ...shareFields]
export const dayColumns: readonly Field<DaySpending>[] = [dayField, ...shareFields]
export const cellColumns: readonly Field<CellSpending>[] = [...projectFields, modelField, dayField, ...shareFields]

const titleField = own<Pick<SessionSpending, 'title'>>('title', 'first words', 'text', "the user's first words", {
  ...nullable,
  rank: 0,
})
const programField = own<Pick<SessionSpending, 'format'>>(
  'format',
  'program',
  'text',
  'the format it was recorded in',
  { rank: 4 },
)
const promptField = own<Pick<SessionSpending, 'largestPrompt'>>(
  'largestPrompt',
  'largest',
  'tokens',
  'input of the largest request, as recorded; null where none is',
  { ...nullable, rank: 3 },
)
const curveField = own<Pick<SessionSpending, 'promptCurve'>>(
  'promptCurve',
  'window',
  'list',
  'input of the requests of its own transcript, in their order, as recorded: the largest of each of at most 12 stretches',
  { items: 'tokens' },
)
const withoutUsageField = own<Pick<SessionSpending, 'requestsWithoutUsage'>>(
  'requestsWithoutUsage',
  'no usage',
  'count',
  'requests without recorded usage: in no sum',
  { rank: 5, quiet: true },
)

export const sessionColumns: readonly Field<SessionSpending>[] = [
  own('session', 'session', 'text', 'the id the format gives it, else null', nullable),
  own('file', 'file', 'text', 'the file that holds the session itself, or the first of its sub-agents'),
  programField,
  ...projectFields,
  modelField,
  titleField,
  own('first', 'from', 'text', 'when the first response was recorded; null where the format has no times', nullable),
  own('last', 'to', 'text', 'when the last response was recorded', nullable),
  own('transcripts', 'transcripts', 'count', 'itself, and those of its sub-agents or forks'),
  withoutUsageField,
  promptField,
  curveField,
  ...shareFields,
]

const [moneyField, requestsField] = ['usd', 'requests'].map((key) =>
  shareFields.find((field) => field.key === key),
) as [Field<SpendingSum>, Field<SpendingSum>]

/** What a table shows of sessions: the figures stand in front, as the texts take what room is left. */
export const shownSessionColumns: readonly Column<SessionSpending>[] = [
  moneyField,
  percentOfAll,
  { key: 'day', header: 'date', unit: 'text', rank: 1, quiet: true, value: ({ last }) => last?.slice(0, 10) ?? null },
  requestsField,
  withoutUsageField,
  promptField,
  {
    key: 'curve',
    header: 'window curve',
    unit: 'text',
    rank: 3,
    optional: true,
    uncut: true,
    value: ({ promptCurve }) =>
      promptCurve.length < fewestDrawn ? undefined : sparkline(promptCurve, promptCurve.length),
  },
  { ...programField, rank: 3 },
  { ...modelField, rank: 5 },
  { ...(projectFields[0] as Column<Pick<ProjectSpending, 'project' | 'cwd'>>), rank: 4 },
  titleField,
]

export const kindColumns: readonly Field<KindSpending>[] = [
  own('kind', 'tokens', 'text', 'what they are billed as', { rank: 0, values: tokenKinds }),
  own('tokens', 'number', 'tokens', 'how many', { rank: 0 }),
  own('usd', 'USD', 'money', 'null where no request has a price', { ...nullable, rank: 0 }),
  percentOfAll,
]

/** What a table shows of kinds: the headers that other tables have for them. */
export const shownKindColumns: readonly Column<KindSpending>[] = withValues<KindSpending>(kindColumns, {
  kind: ({ kind }) => kindWords[kind][0],
})

const toolFields: readonly Field<Pick<PartSpending, 'tool' | 'server'>>[] = [
  own('tool', 'tool', 'text', "of a tool's results, where their call is known", { ...nullable, rank: 0 }),
  own('server', 'MCP server', 'text', 'the MCP server the tool is of', { ...nullable, rank: 1, quiet: true }),
]
const carriedTokens = own<{ readonly carriedTokens: number }>(
  'carriedTokens',
  'carried',
  'tokens',
  "tokens of it in all requests together: each request's recorded input, shared out by the sizes of its parts",
  { rank: 0 },
)
const carriedUsd = own<{ readonly usd: number | null }>(
  'usd',
  'USD',
  'money',
  'its share of what the input of those requests cost; null where no request has a price',
  { ...nullable, rank: 0 },
)

const ownTokens = own<{ readonly tokens: number }>('tokens', 'tokens', 'tokens', 'of it by itself, as estimated', {
  rank: 2,
})
const carriedFields: readonly Field<Omit<PartSpending, 'part'>>[] = [
  carriedTokens,
  own('amplification', 'times', 'count', 'carriedTokens / tokens: how often a token of it was sent', {
    rank: 1,
    whole: false,
  }),
  own('tokensPercent', '% of input', 'percent', 'of the tokens of all requests', { rank: 2 }),
  carriedUsd,
  { ...percentOfAll, rank: 0 },
]

export const partColumns: readonly Field<PartSpending>[] = [
  own(
    'part',
    'part',
    'text',
    '`head`: system prompt, and tools whose definition is not recorded; `definition`: of a tool; `summary`: what a compaction put in; `injected`: what the harness added; `tool`: results; `output`: what was answered; `beside`: calls outside the conversation (turns that were taken back, advice of another model, summaries, requests of which only the sum is recorded)',
    { rank: 0, values: spendingParts },
  ),
  ...toolFields,
  own('count', 'messages', 'count', 'how many there are', { rank: 3 }),
  ownTokens,
  ...carriedFields,
]

export const toolColumns: readonly Field<ToolSpending>[] = [
  own('of', 'of', 'text', '`results` of the tool; `rest`: all else of the input; `output`: what was answered', {
    values: ['results', 'rest', 'output'],
  }),
  ...toolFields,
  own('count', 'results', 'count', 'how many there are', { rank: 3 }),
  ownTokens,
  ...carriedFields,
]

export const definitionColumns: readonly Field<DefinitionSpending>[] = [
  own('of', 'of', 'text', '`definition` of a tool; `rest`: all else that was spent', {
    values: ['definition', 'rest'],
  }),
  ...toolFields,
  own('calls', 'calls', 'count', 'of the tool, in the transcripts that define it; 0: never called', { rank: 0 }),
  own('count', 'defined in', 'count', 'transcripts that define it', { rank: 3 }),
  ownTokens,
  ...carriedFields,
]

export const shownDefinitionColumns: readonly Column<DefinitionSpending>[] = withValues<DefinitionSpending>(
  definitionColumns,
  {
    tool: ({ of, tool }) => (of === 'rest' ? '(all else)' : (tool ?? '(unknown)')),
    calls: ({ of, calls }) => (of === 'rest' ? null : calls),
  },
)

const namedParts = { rest: '(the rest of the input)', output: '(output)' } as const

/** What a table shows of tools: rows that belong to no tool say so in the name column. */
export const shownToolColumns: readonly Column<ToolSpending>[] = withValues<ToolSpending>(toolColumns, {
  tool: ({ of, tool }) => (of === 'results' ? (tool ?? '(unknown)') : namedParts[of]),
})

export const place = [
  ...pickAs(runColumns, 'transcript', { rank: 0 }),
  ...pickAs(runColumns, 'conversation'),
  own<{ readonly line: number }>('line', 'line', 'count', 'in the file', { rank: 0 }),
]

export const resultColumns: readonly Field<ResultSpending>[] = [
  ...place,
  ...toolFields,
  own('requests', 'requests', 'count', 'requests that carried it', { rank: 1 }),
  own('tokens', 'tokens', 'tokens', 'of it by itself, as estimated', { rank: 1 }),
  carriedTokens,
  carriedUsd,
  { ...percentOfAll, rank: 0 },
]

export const causeColumns: readonly Field<CauseSpending>[] = [
  own('cause', 'why the cache missed', 'text', 'the first that holds: docs/spend.md', { rank: 0, values: missCauses }),
  ...(missedFields as readonly Field<CauseSpending>[]).map((field) => ({ ...field, rank: 0, quiet: false })),
  { ...percentOfAll, rank: 0 },
  own('tokensPercent', '% of missed', 'percent', 'of the tokens of all misses', { rank: 1 }),
]
export const missColumns: readonly Field<MissSpending>[] = [
  ...place,
  own('request', 'request', 'ordinal', 'index of the request', { rank: 2 }),
  own('cause', 'cause', 'text', 'why the cache missed', { rank: 0, values: missCauses }),
  own('pause', 'pause s', 'count', 'seconds since the request before; null where no time is recorded', {
    ...nullable,
    rank: 1,
    whole: false,
  }),
  own('tokens', 'missed', 'tokens', 'tokens that had been in the cache and were paid in full', { rank: 0 }),
  own('usd', 'USD', 'money', 'what they cost beyond a read; null where no price is known', { ...nullable, rank: 0 }),
  { ...percentOfAll, rank: 0 },
]

export const spendingTotalColumns: readonly Field<SpendingTotal>[] = [
  own('transcripts', 'transcripts', 'count', 'transcripts that were read'),
  own('withoutUsage', 'no usage', 'count', 'those among them without any recorded usage'),
  own('allRequests', 'all requests', 'count', 'requests of the history, with recorded usage or without'),
  own('sideCalls', 'side calls', 'count', 'calls outside the conversation with recorded usage: among `requests`'),
  own('requestsWithoutUsage', 'requests without', 'count', 'requests of the others without recorded usage'),
  own('repeatedResponses', 'repeated', 'count', 'responses that an earlier file has, too: they are counted there'),
  own(
    'estimatedOutputs',
    'estimated',
    'count',
    'responses whose recorded output is less than what can be seen of it, and is estimated',
  ),
  own(
    'withoutReads',
    'no reads',
    'count',
    'transcripts whose usage leaves out what was read from the cache: they cost at most what is counted',
  ),
  own('since', 'since', 'text', 'the first day, in UTC', nullable),
  own('until', 'until', 'text', 'the last day, in UTC', nullable),
  ...(sumFields as readonly Field<SpendingTotal>[]),
  ...within<SpendingTotal, Billed>(
    'billed',
    { meaning: '`usd` by what it was billed for, as `spent` of a run has it' },
    [
      own('input', 'input billed', 'money', 'input of requests of the history'),
      own('output', 'output billed', 'money', 'output of requests of the history'),
      own('beside', 'billed beside', 'money', 'input and output of calls outside the conversation'),
    ],
  ),
  own('pricesAsOf', 'prices of', 'text', 'ISO date of the oldest source of the prices'),
  own(
    'missedPercent',
    'missed %',
    'percent',
    'missed.tokens of all tokens that were not read from the cache: tokens.input + tokens.cacheWrite + tokens.cacheWrite1h',
  ),
]

export const termColumns: readonly Field<TermCalls>[] = [
  own('term', 'terms', 'text', 'of what the provider bills otherwise', { values: priceTerms }),
  own('calls', 'calls', 'count', 'calls with recorded usage'),
  own('priced', 'priced', 'count', 'those that are priced at it; the others are priced as any other call'),
]

export const recordedCostColumns: readonly Field<RecordedCost>[] = [
  own('format', 'program', 'text', 'the format it was recorded in'),
  own('model', 'model', 'text', 'as recorded; null for whole sessions', nullable),
  own('calls', 'calls', 'count', 'whose cost is recorded, and known here'),
  own('recordedUsd', 'recorded USD', 'money', 'what the program itself recorded that they cost'),
  own('usd', 'USD', 'money', 'what they cost here'),
  own(
    'kind',
    'tokens',
    'text',
    "the kind whose price alone is another one in the program's table; null where nothing tells",
    nullable,
  ),
  own('rate', 'USD per million', 'price', 'that price', nullable),
]
