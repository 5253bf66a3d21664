/** What was spent, as tables: the answer in words first, then where it went and why the cache missed. */
import { priceTerms, type TermCalls } from '../model/price-terms.ts'
import {
  type AgentSpending,
  type Billed,
  type ByKind,
  type CauseSpending,
  type CellSpending,
  type CompactionEffects,
  type CompactionSpending,
  type CompactionSum,
  type DaySpending,
  type DefinitionSpending,
  type HeldUses,
  type KindSpending,
  type Mishaps,
  type Missed,
  type MissSpending,
  type ModelSpending,
  missCauses,
  type PartSpending,
  type ProjectSpending,
  type RecordedCost,
  type RereadSpending,
  type ResultSpending,
  type SessionSpending,
  type Spending,
  type SpendingSum,
  type SpendingTotal,
  spendingParts,
  type ToolSpending,
  tokenKinds,
} from '../model/spending.ts'
import { recordedCostWords, sideCallWords, termsWords, unpricedWords } from './bill.ts'
import { causeWords } from './cause-words.ts'
import { fewestDrawn, sparkline } from './chart.ts'
import { type Column, dataOf, type Field, own, pickAs, type Share, within } from './column.ts'
import { runColumns } from './columns/run.ts'
import { daysBetween } from './days.ts'
import { shareWords } from './in-shares.ts'
import { diagnosticNotes } from './notes.ts'
import { compact, dollars, grouped, several } from './numbers.ts'
import { commonDirectory } from './overview.ts'
import type { Note, Sheet } from './report.ts'

const nullable = { nullable: true } as const

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

/** Quiet, as it says nothing where nothing has a price. */
const percentOfAll = own<{ readonly percent: number }>('percent', '%', 'percent', 'of all that was spent', {
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
  {
    rank: 4,
  },
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
const shownKindColumns: readonly Column<KindSpending>[] = kindColumns.map((column) =>
  column.key === 'kind' ? { ...column, value: ({ kind }) => kindWords[kind][0] } : column,
)

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

const shownDefinitionColumns: readonly Column<DefinitionSpending>[] = definitionColumns.map(
  (column): Column<DefinitionSpending> => {
    if (column.key === 'tool')
      return { ...column, value: ({ of, tool }) => (of === 'rest' ? '(all else)' : (tool ?? '(unknown)')) }
    return column.key === 'calls' ? { ...column, value: ({ of, calls }) => (of === 'rest' ? null : calls) } : column
  },
)

const namedParts = { rest: '(the rest of the input)', output: '(output)' } as const

/** What a table shows of tools: the rows that are of none are named in the column of their names. */
const shownToolColumns: readonly Column<ToolSpending>[] = toolColumns.map((column) =>
  column.key === 'tool'
    ? { ...column, value: ({ of, tool }) => (of === 'results' ? (tool ?? '(unknown)') : namedParts[of]) }
    : column,
)

const place = [
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

const rereadFields: readonly Field<RereadSpending>[] = [
  own('over', 'looked at', 'count', 'requests that were looked at: 15, or as many as there are to the next compaction'),
  own('requests', 'requests', 'count', 'those of them that read something that had been read before'),
  own('tokens', 'tokens', 'tokens', 'of the results of these reads, each counted once, as estimated'),
  own('usd', 'USD', 'money', 'what the results cost in the requests that carried them', nullable),
]
const heldFields: readonly Field<HeldUses>[] = [
  own('used', 'used', 'count', 'later uses of what the compaction dropped'),
  own('kept', 'kept', 'count', 'those of them whose thing stood in what the agent put in its place'),
]
const mishapFields: readonly Field<Mishaps>[] = [
  own('over', 'requests', 'count', 'requests that were looked at: 15, or as many as there are on both sides'),
  own('results', 'results', 'count', 'results of tools in them, but for those that the user rejected or stopped'),
  own('failed', 'failed', 'count', 'those of them that say that the call failed'),
  own('rejected', 'rejected', 'count', 'calls that the user did not allow'),
  own('interrupted', 'stopped', 'count', 'requests behind which the user stopped the agent'),
  own('prompts', 'prompts', 'count', 'what the user typed'),
  own('corrected', 'corrected', 'count', 'what of it begins like a correction'),
]
const effectFields: readonly Field<CompactionEffects>[] = [
  ...within<CompactionEffects, RereadSpending>(
    'rereads',
    { meaning: 'what was read again in the requests behind it; null where nothing tells', nullable: true },
    rereadFields,
  ),
  ...within<CompactionEffects, RereadSpending>(
    'rereadsBefore',
    { meaning: 'the same in the requests in front of it', nullable: true },
    rereadFields,
  ),
  ...within<CompactionEffects, HeldUses>(
    'heldContent',
    {
      meaning: 'later uses of content that it dropped, and what its summary held; null where nothing tells',
      nullable: true,
    },
    heldFields,
  ),
  ...within<CompactionEffects, HeldUses>(
    'heldNamed',
    { meaning: 'the same of paths, urls, errors, ids and targets', nullable: true },
    heldFields,
  ),
  ...within<CompactionEffects, HeldUses>(
    'heldCopied',
    {
      meaning: 'the same of requests that copied text: those that would find at least a quarter of it gone, and do not',
      nullable: true,
    },
    heldFields,
  ),
  ...within<CompactionEffects, Mishaps>(
    'mishaps',
    {
      meaning: 'what went wrong in the requests behind it; null where nothing was measured, or one side has no request',
      nullable: true,
    },
    mishapFields,
  ),
  ...within<CompactionEffects, Mishaps>(
    'mishapsBefore',
    { meaning: 'the same in as many requests in front of it', nullable: true },
    mishapFields,
  ),
]
/** Of what compactions did, the figures of each by itself. */
export const compactionColumns: readonly Field<CompactionSpending>[] = [
  own('of', 'of', 'text', '`compaction`, or `rest`: all that was spent on anything else', {
    values: ['compaction', 'rest'],
  }),
  own('transcript', 'transcript', 'text', 'the file', { ...nullable, rank: 0, path: true, quiet: true }),
  own('conversation', 'conversation', 'text', 'the id the format gives it, else null', nullable),
  own('format', 'program', 'text', 'the format it was recorded in', { ...nullable, rank: 4, quiet: true }),
  own('version', 'version', 'text', 'of the program, where the format says', nullable),
  own('line', 'line', 'count', 'in the file', { ...nullable, rank: 3 }),
  own('request', 'request', 'ordinal', 'the first request behind it; null where none is', { ...nullable, rank: 0 }),
  own('time', 'when (UTC)', 'text', 'when that was answered, else the last one before it', { ...nullable, rank: 6 }),
  own('tokensBefore', 'before', 'tokens', 'recorded input of the request before it', { ...nullable, rank: 0 }),
  own('tokensAfter', 'after', 'tokens', 'recorded input of the first request behind it', { ...nullable, rank: 0 }),
  own('summaryUsd', 'summary USD', 'money', 'what the call cost that wrote the summary; null where none is recorded', {
    ...nullable,
    rank: 2,
    quiet: true,
  }),
  own('rewrittenTokens', 'rewritten', 'tokens', 'tokens that had to be written to the cache again', { rank: 4 }),
  own('rewrittenUsd', 'rewrite USD', 'money', 'what they cost beyond a read', { ...nullable, rank: 4 }),
  own('usd', 'USD', 'money', 'summary and rewriting together; null where no request has a price', {
    ...nullable,
    rank: 1,
  }),
  { ...percentOfAll, rank: 3 } as Field<CompactionSpending>,
  ...(effectFields as readonly Field<CompactionSpending>[]),
]

export const compactionSumColumns: readonly Field<CompactionSum>[] = [
  own('program', 'program', 'text', 'null for transcripts of no program that ctxwin knows of', nullable),
  own('compactions', 'compactions', 'count', 'how many were recorded'),
  own('transcripts', 'transcripts', 'count', 'in so many transcripts'),
  own('tokensBefore', 'before', 'tokens', 'median of the recorded input of the request before each', nullable),
  own('tokensAfter', 'after', 'tokens', 'median of the recorded input of the first request behind each', nullable),
  own('rewrittenTokens', 'rewritten', 'tokens', 'tokens that had to be written to the cache again'),
  own('usd', 'USD', 'money', 'summaries and rewriting together; null where no request has a price', nullable),
  ...(effectFields as readonly Field<CompactionSum>[]),
]

const shareOfUses = ({ used, kept }: HeldUses): Share => ({ part: kept, whole: used })

/** What a table shows of compactions: in front what was done, behind it what it led to. */
export const shownCompactionColumns: readonly Column<CompactionSpending>[] = [
  ...compactionColumns
    .filter(({ key, rank }) => rank !== undefined && !key.includes('.'))
    .map((column): Column<CompactionSpending> => {
      if (column.key === 'request')
        return { ...column, value: ({ of, request }) => (of === 'rest' ? 'all else' : request) }
      if (column.key === 'time') return { ...column, value: ({ time }) => time?.slice(0, 16).replace('T', ' ') ?? null }
      return column
    }),
  { key: 'again', header: 'read again', unit: 'tokens', rank: 1, value: ({ rereads }) => rereads?.tokens ?? null },
  {
    key: 'againBefore',
    header: 'read before',
    unit: 'tokens',
    rank: 2,
    value: ({ rereadsBefore }) => rereadsBefore?.tokens ?? null,
  },
  {
    key: 'againRequests',
    header: 'in requests',
    unit: 'percent',
    rank: 4,
    value: () => null,
    share: ({ rereads }) => rereads && { part: rereads.requests, whole: rereads.over },
  },
  { key: 'againUsd', header: 'again USD', unit: 'money', rank: 2, value: ({ rereads }) => rereads?.usd ?? null },
  {
    key: 'heldContent',
    header: 'content kept',
    unit: 'percent',
    rank: 1,
    value: () => null,
    share: ({ heldContent }) => heldContent && shareOfUses(heldContent),
  },
  {
    key: 'heldCopied',
    header: 'copies kept',
    unit: 'percent',
    rank: 3,
    value: () => null,
    share: ({ heldCopied }) => heldCopied && shareOfUses(heldCopied),
  },
]

export const agentColumns: readonly Field<AgentSpending>[] = [
  own(
    'of',
    'of',
    'text',
    '`agent`; `call`: a call of which no sub-agent was read; `rest`: all that was spent on anything else',
    { values: ['agent', 'call', 'rest'] },
  ),
  own('transcript', 'transcript', 'text', "the sub-agent's own file", {
    ...nullable,
    rank: 3,
    path: true,
    quiet: true,
  }),
  own('conversation', 'conversation', 'text', 'the id the format gives it, else null', nullable),
  own('format', 'program', 'text', 'the format it was recorded in', { ...nullable, rank: 5, quiet: true }),
  own('model', 'model', 'text', 'the first one that answered', { ...nullable, rank: 4 }),
  own('caller', 'called in', 'text', 'the file of the call that started it; null where it is not known', {
    ...nullable,
    rank: 0,
    path: true,
    quiet: true,
  }),
  own('callLine', 'line', 'count', 'of the response that makes it', { ...nullable, rank: 0 }),
  own('joinedBy', 'joined by', 'text', 'an id that both have, or the prompt; null where it is not joined', {
    ...nullable,
    values: ['id', 'prompt'],
    rank: 6,
  }),
  own('calls', 'calls', 'count', 'that it answered: several where it was taken up again'),
  own('requests', 'requests', 'count', 'with recorded usage', { rank: 0 }),
  own('usd', 'USD', 'money', 'what they cost; null where no request has a price', { ...nullable, rank: 0 }),
  { ...percentOfAll, rank: 3 } as Field<AgentSpending>,
  own('workTokens', 'work', 'tokens', 'all that it said and was told behind its prompt, as estimated', {
    ...nullable,
    rank: 1,
  }),
  own(
    'returnedTokens',
    'returned',
    'tokens',
    'what its caller was given of that, as estimated; null where it came later, or is not recorded',
    { ...nullable, rank: 1 },
  ),
  own('contextTokens', 'window', 'tokens', "what the caller's window held at the call", { ...nullable, rank: 2 }),
  own('behindRequests', 'behind', 'count', "the caller's requests that carried the result", { ...nullable, rank: 4 }),
  own('inlineUsd', 'inline USD', 'money', "what the same steps would have cost in the caller's window: an estimate", {
    ...nullable,
    rank: 1,
  }),
]

/**
 * What a table shows of sub-agents: the last row is named in the column of lines, and a sub-agent of which no call is known by its own
 * file, in brackets.
 */
const shownAgentColumns: readonly Column<AgentSpending>[] = agentColumns.map((column): Column<AgentSpending> => {
  switch (column.key) {
    case 'caller':
      return { ...column, value: ({ caller, transcript }) => caller ?? (transcript && `(${transcript})`) }
    case 'callLine':
      return { ...column, value: ({ of, callLine }) => (of === 'rest' ? 'all else' : (callLine ?? 'not known')) }
    case 'requests':
      return { ...column, value: ({ of, requests }) => (of === 'agent' ? requests : null) }
    default:
      return column
  }
})

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

const termColumns: readonly Field<TermCalls>[] = [
  own('term', 'terms', 'text', 'of what the provider bills otherwise', {
    values: priceTerms,
  }),
  own('calls', 'calls', 'count', 'calls with recorded usage'),
  own('priced', 'priced', 'count', 'those that are priced at it; the others are priced as any other call'),
]

const recordedCostColumns: readonly Field<RecordedCost>[] = [
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

interface Table {
  readonly list: keyof Spending
  readonly columns: readonly Field<never>[]
  /** What people see of a row, where that is something else. */
  readonly shown?: readonly Column<never>[]
  readonly title: string
  /** It is shown only where it is asked for. */
  readonly alone?: true
}

/** The tables there are, by what `--by` calls them, in the order in which people see them. */
const tables = {
  project: { list: 'projects', columns: projectColumns, title: 'By project' },
  model: { list: 'models', columns: modelColumns, title: 'By model' },
  // Alone, as it has words of the user, which no other table has.
  session: { list: 'sessions', columns: sessionColumns, shown: shownSessionColumns, title: 'By session', alone: true },
  day: { list: 'days', columns: dayColumns, title: 'By day, the newest first' },
  kind: { list: 'kinds', columns: kindColumns, shown: shownKindColumns, title: 'Tokens by kind' },
  part: {
    list: 'parts',
    columns: partColumns,
    title: 'By part of the input, with how many times it was sent, and the output',
  },
  tool: {
    list: 'tools',
    columns: toolColumns,
    shown: shownToolColumns,
    title: 'By tool, and everything else',
    alone: true,
  },
  definition: {
    list: 'definitions',
    columns: definitionColumns,
    shown: shownDefinitionColumns,
    title: 'By tool definition, and everything else',
    alone: true,
  },
  compaction: {
    list: 'compactions',
    columns: compactionColumns,
    shown: shownCompactionColumns,
    title: 'By compaction, and everything else',
    alone: true,
  },
  agent: {
    list: 'agents',
    columns: agentColumns,
    shown: shownAgentColumns,
    title: 'By sub-agent, with the call that started it, and everything else',
    alone: true,
  },
  result: { list: 'results', columns: resultColumns, title: 'The dearest tool results' },
  cause: { list: 'causes', columns: causeColumns, title: 'Why the cache missed' },
  miss: { list: 'misses', columns: missColumns, title: 'The dearest cache misses' },
} as const satisfies Readonly<Record<string, Table>>

/** The columns of each list of the JSON, in its order. */
export const spendingLists: Readonly<Record<string, readonly Field<never>[]>> = Object.fromEntries([
  ...Object.values(tables).map(({ list, columns }) => [list, columns]),
  ['compactionSums', compactionSumColumns],
  ['cells', cellColumns],
  ['terms', termColumns],
  ['recordedCosts', recordedCostColumns],
])

export type SpendingTable = keyof typeof tables
export const spendingTables = Object.keys(tables) as SpendingTable[]

/**
 * The sheets that people read, one below the other.
 * @param most rows of each table
 */
export function spendingSheets(spending: Spending, only: SpendingTable | null, most: number): Sheet<never>[] {
  const isShown = (name: SpendingTable): boolean => {
    const { list, alone }: Table = tables[name]
    return alone !== true && (spending[list] as readonly unknown[]).length > 0
  }
  const found = only === null ? spendingTables.filter(isShown) : [only]
  return found.map((name, index) => {
    const { list, columns, shown: seen, title }: Table = tables[name]
    const all = spending[list] as readonly unknown[]
    const shown = only === null ? all.slice(0, most) : all
    const hidden = all.length - shown.length
    const more = hidden > 0 ? ` (${grouped(hidden)} more: --by ${name})` : ''
    const { items, directory } = withShortNames(shown)
    return {
      answers: index === 0 ? answer(spending) : [],
      captions:
        name === 'definition' && all.length === 0
          ? ['No tool definition is recorded.']
          : name === 'agent'
            ? agentCaptions(spending.agents)
            : [],
      title: `${title}${directory && `, in ${directory}`}${more}`,
      columns,
      ...(seen && { shown: seen }),
      items: items as never[],
      marked: () => false,
      notes: [
        ...(name === 'compaction' ? mishapNotes(spending.compactionSums) : []),
        ...(index === found.length - 1 ? spendingNotes(spending) : []),
      ],
      data: null,
    }
  })
}

/** "The call that started it is known for 2 of 3 sub-agents"; "4 calls to sub-agents without a transcript" */
function agentCaptions(rows: readonly AgentSpending[]): string[] {
  const agents = rows.filter(({ of }) => of === 'agent')
  const joined = agents.filter(({ joinedBy }) => joinedBy !== null)
  const unread = rows.filter(({ of }) => of === 'call').length
  if (agents.length + unread === 0) return ['There are no sub-agents, and no calls to one.']
  const known = joined.filter(({ usd, inlineUsd }) => usd !== null && inlineUsd !== null)
  const sum = (of: (row: AgentSpending) => number | null) => known.reduce((total, row) => total + (of(row) ?? 0), 0)
  return [
    ...(agents.length > 0
      ? [`The call that started it is known for ${grouped(joined.length)} of ${several(agents.length, 'sub-agent')}`]
      : []),
    ...(known.length > 0
      ? [
          `${several(known.length, 'sub-agent')} cost ${dollars(sum(({ usd }) => usd))}; in the windows of their callers the same steps would have cost about ${dollars(sum(({ inlineUsd }) => inlineUsd))}, an estimate (ctxwin help spend)`,
        ]
      : []),
    ...(unread > 0 ? [`${several(unread, 'call')} to sub-agents without a transcript`] : []),
  ]
}

/** The items with their files shortened to what tells them apart, and the directory that these share. */
function withShortNames(items: readonly unknown[]): { items: readonly unknown[]; directory: string } {
  const placed = items as readonly { readonly transcript?: string | null; readonly caller?: string | null }[]
  const directory = commonDirectory(placed.flatMap(({ transcript, caller }) => [transcript ?? [], caller ?? []].flat()))
  if (directory === '') return { items, directory }
  const short = (file: string | null | undefined) => file?.slice(directory.length)
  const named = placed.map((item) => ({ ...item, transcript: short(item.transcript), caller: short(item.caller) }))
  return { items: named, directory }
}

/** What went wrong around compactions, by program. */
function mishapNotes(sums: readonly CompactionSum[]): Note[] {
  const items = sums.flatMap(({ program, mishaps: behind, mishapsBefore: before }) =>
    behind && before && behind.results + before.results > 0
      ? [{ name: program ?? 'other programs', sentences: [mishapWords(before, behind)] }]
      : [],
  )
  const title = 'What went wrong before compactions, and in as many requests after'
  return items.length === 0 ? [] : [{ title, items }]
}

/** "calls that failed: 7 of 92 before, 6 of 100 after; the user corrected 1 and 0 times, stopped 2 and 1 times (55 requests on each side)" */
export function mishapWords(before: Mishaps, behind: Mishaps): string {
  const calls = `calls that failed: ${grouped(before.failed)} of ${grouped(before.results)} before, ${grouped(behind.failed)} of ${grouped(behind.results)} after`
  const said = (['corrected', 'interrupted', 'rejected'] as const).flatMap((key) => {
    const times = `${grouped(before[key])} and ${grouped(behind[key])}`
    return before[key] + behind[key] > 0 ? [`${mishapVerbs[key]} ${times} times`] : []
  })
  const user = said.length > 0 ? `the user ${said.join(', ')}` : 'the user corrected, stopped and rejected nothing'
  return `${calls}; ${user} (${several(behind.over, 'request')} on each side)`
}

const mishapVerbs = { corrected: 'corrected', interrupted: 'stopped', rejected: 'rejected' } as const

/** What the compactions of one transcript did, for people. @param sums the same in sum */
export function compactionSheet(
  compactions: readonly CompactionSpending[],
  sums: readonly CompactionSum[],
): Sheet<CompactionSpending> {
  const { length } = compactions
  const sum = (of: (one: CompactionSpending) => number | null | undefined) =>
    compactions.reduce((total, one) => total + (of(one) ?? 0), 0)
  const silent = compactions.every((one) => one.summaryUsd === null)
    ? `, without the ${length === 1 ? 'call that wrote its summary (it is' : 'calls that wrote their summaries (they are'} not recorded)`
    : ''
  const usd = compactions.some((one) => one.usd !== null)
    ? ` That cost ${dollars(sum((one) => one.usd))}${silent}.`
    : ''
  const again = compactions.some(({ rereads }) => rereads !== null)
    ? ` ${compact(sum(({ rereads }) => rereads?.tokens))} tokens were read again in the requests after ${length === 1 ? 'it' : 'them'}, and ${compact(sum(({ rereadsBefore }) => rereadsBefore?.tokens))} in as many requests before.`
    : ''
  return {
    answers: [
      length === 0
        ? 'as-recorded: the agent never compacted'
        : `as-recorded: the agent compacted ${several(length, 'time')}.${usd}${again}`,
    ],
    captions: [],
    columns: compactionColumns,
    shown: length === 0 ? [] : shownCompactionColumns,
    items: compactions,
    marked: () => false,
    notes: mishapNotes(sums),
    data: null,
  }
}

/** One table as data. Without a name: the sums of each project, model and day; for JSON everything. */
export function spendingData(spending: Spending, only: SpendingTable | null): Sheet<never> {
  const columns = (only === null ? cellColumns : tables[only].columns) as readonly Column<never>[]
  const items = (only === null ? spending.cells : spending[tables[only].list]) as readonly never[]
  return { captions: [], columns, items, marked: () => false, notes: [], data: jsonOf(spending) }
}

function jsonOf(spending: Spending): unknown {
  const lists = Object.entries(spendingLists).map(([key, columns]) => {
    const rows = spending[key as keyof Spending] as readonly never[]
    return [key, rows.map(dataOf(columns))]
  })
  return {
    schemaVersion: spending.schemaVersion,
    total: dataOf(spendingTotalColumns)(spending.total),
    ...Object.fromEntries(lists),
    diagnostics: spending.diagnostics,
  }
}

/** The first lines: what all of it comes to. */
function answer({ total, projects, causes, definitions }: Spending): string[] {
  const { transcripts, usd } = total
  const [first] = projects
  const [top] = causes
  return [
    spentSentence(total, several(transcripts, 'transcript')),
    ...(first && projects.length > 1 && first.usd !== null
      ? [
          `Most of it in ${first.project ?? 'no recorded directory'}: ${dollars(first.usd)} (${first.percent.toFixed(1)} %)`,
        ]
      : []),
    ...(top ? [missedWords(total, top)] : []),
    ...definedWords(definitions, usd),
  ]
}

/**
 * "101 cache misses cost $10.29 (14.4 % of it): 53.4 % of the tokens sent uncached had been in the cache before. Main cause: the
 * pause was longer than the cache lives (83.3 % of these tokens)"
 */
function missedWords({ usd, missed, missedPercent }: SpendingTotal, top: CauseSpending): string {
  const share =
    usd !== null && usd > 0 && missed.usd !== null ? ` (${((100 * missed.usd) / usd).toFixed(1)} % of it)` : ''
  const cost = missed.usd === null ? ':' : ` cost ${dollars(missed.usd)}${share}:`
  return `${several(missed.requests, 'cache miss', 'cache misses')}${cost} ${missedPercent.toFixed(1)} % of the tokens sent uncached had been in the cache before. Main cause: ${causeWords[top.cause]} (${top.tokensPercent.toFixed(1)} % of these tokens)`
}

/** "The definitions of 12 tools are 8.3 % of the input ($1.20); 3 of them were never called: 2.1 % ($0.31)" */
function definedWords(definitions: readonly DefinitionSpending[], all: number | null): string[] {
  const own = definitions.filter(({ of }) => of === 'definition')
  if (own.length === 0) return []
  const sum = (rows: readonly DefinitionSpending[]): string => {
    const tokens = rows.reduce((total, { tokensPercent }) => total + tokensPercent, 0)
    const usd = rows.reduce((total, row) => total + (row.usd ?? 0), 0)
    const money = all === null ? '' : ` (${dollars(usd)})`
    return `${tokens.toFixed(1)} %${rows === own ? ' of the input' : ''}${money}`
  }
  const idle = own.filter(({ calls }) => calls === 0)
  const never =
    idle.length === 0
      ? ''
      : idle.length === own.length
        ? `; ${own.length === 1 ? 'it was never' : 'none of them was ever'} called`
        : `; ${grouped(idle.length)} of them ${idle.length === 1 ? 'was' : 'were'} never called: ${sum(idle)}`
  return [`The definitions of ${several(own.length, 'tool')} are ${sum(own)}${never}`]
}

/**
 * "Spent $823 in 125 transcripts, 3 Sep 2025 to 20 Aug 2026: input $727, output $95.32, 40 calls outside the conversation $0.62.
 * Usage is recorded for 10,540 of 10,546 requests"
 */
export function spentSentence(total: SpendingTotal, things: string): string {
  const { requests, allRequests: all, sideCalls, since, until, usd, billed } = total
  const days = since === null || until === null ? '' : `, ${daysBetween(Date.parse(since), Date.parse(until))}`
  if (usd === null) return `No price is known for any of ${several(requests, 'call')} in ${things}${days}: tokens only`
  const own = requests - sideCalls
  const sent =
    all > own ? `Usage is recorded for ${grouped(own)} of ${several(all, 'request')}` : several(all, 'request')
  const beside = sideCalls + billed.beside > 0 ? `, ${sideCallWords(sideCalls)} ${dollars(billed.beside)}` : ''
  return `Spent ${dollars(usd)} in ${things}${days}: input ${dollars(billed.input)}, output ${dollars(billed.output)}${beside}. ${sent}`
}

/** "10,540 of 10,546 requests in 125 transcripts, 812M tokens; shares are of …" */
export function shareSentence({ requests, allRequests, sideCalls, transcripts, tokens }: SpendingTotal): string {
  const own = requests - sideCalls
  const counted = allRequests > own ? `${grouped(own)} of ${several(allRequests, 'request')}` : several(own, 'request')
  const all = Object.values(tokens).reduce((sum, count) => sum + count, 0)
  return `${counted} in ${several(transcripts, 'transcript')}, ${compact(all)} tokens; ${shareWords}`
}

export function spendingNotes({
  total,
  models,
  terms,
  recordedCosts,
  diagnostics,
}: Pick<Spending, 'total' | 'models' | 'terms' | 'recordedCosts' | 'diagnostics'>): Note[] {
  const { withoutUsage, requestsWithoutUsage, unpricedRequests, repeatedResponses, estimatedOutputs, usd } = total
  const { withoutReads } = total
  const sentences = [
    ...(withoutUsage > 0 ? [`${several(withoutUsage, 'transcript')} without recorded usage: not counted`] : []),
    ...(requestsWithoutUsage > 0
      ? [
          withoutUsage > 0
            ? `${several(requestsWithoutUsage, 'request')} without recorded usage in the others: not counted, either`
            : `${several(requestsWithoutUsage, 'request')} without recorded usage: not counted`,
        ]
      : []),
    ...(unpricedRequests > 0 && usd !== null
      ? [
          `${unpricedWords(models.map((one) => [one.model ?? '', one.unpricedRequests]))}; their tokens are counted, their cost is not`,
        ]
      : []),
    ...termsWords(terms),
    ...recordedCostWords(recordedCosts, dollars),
    ...(repeatedResponses > 0 ? [`${several(repeatedResponses, 'response')} in more than one file: counted once`] : []),
    ...(estimatedOutputs > 0
      ? [
          `${several(estimatedOutputs, 'response')} with too little output recorded: counted by ${estimatedOutputs === 1 ? 'its' : 'their'} text`,
        ]
      : []),
    ...(withoutReads > 0
      ? [
          `${several(withoutReads, 'transcript')} without a record of what was read from the cache: counted as if nothing was, so the bill may have been lower`,
        ]
      : []),
  ]
  return [
    ...(sentences.length > 0 ? [{ title: 'What is counted', items: [{ name: '', sentences }] }] : []),
    ...diagnosticNotes(diagnostics),
  ]
}
