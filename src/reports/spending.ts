/** What was spent, as tables: the answer in words first, then where it went and why the cache missed. */
import { priceTerms } from '../model/price-terms.ts'
import {
  type ByKind,
  type CauseSpending,
  type CellSpending,
  type DaySpending,
  inputParts,
  type KindSpending,
  type Missed,
  type MissSpending,
  type ModelSpending,
  missCauses,
  type PartSpending,
  type ProjectSpending,
  type ResultSpending,
  type Spending,
  type SpendingSum,
  type SpendingTotal,
  type TermSpending,
  tokenKinds,
} from '../model/spending.ts'
import { termsWords, unpricedWords } from './bill.ts'
import { causeWords } from './cause-words.ts'
import { type Column, dataOf, type Field, own, pickAs, within } from './column.ts'
import { runColumns } from './columns/run.ts'
import { diagnosticNotes } from './notes.ts'
import { grouped, money, several } from './numbers.ts'
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
    tokenKinds.map((kind) => own<ByKind>(kind, `${kindWords[kind][0]} USD`, 'money', kindWords[kind][1])),
  ),
  ...within<Omit<SpendingSum, 'percent'>, Missed>(
    'missed',
    { meaning: 'what the cache had not served although the request before had it there' },
    missedFields,
  ),
]

const percentOfAll = own<{ readonly percent: number }>('percent', '%', 'percent', 'of all that was spent', { rank: 1 })

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

export const kindColumns: readonly Field<KindSpending>[] = [
  own('kind', 'tokens', 'text', 'what they are billed as', { rank: 0, values: tokenKinds }),
  own('tokens', 'number', 'tokens', 'how many', { rank: 0 }),
  own('usd', 'USD', 'money', 'null where no request has a price', { ...nullable, rank: 0 }),
  percentOfAll,
]

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

export const partColumns: readonly Field<PartSpending>[] = [
  own(
    'part',
    'part',
    'text',
    '`head`: system prompt and tools; `summary`: what a compaction put in; `injected`: what the harness added; `tool`: results; `beside`: calls counted outside the history (turns that were taken back, advice of another model, summaries, requests of which only the sum is recorded)',
    { rank: 0, values: inputParts },
  ),
  ...toolFields,
  own('count', 'messages', 'count', 'how many there are', { rank: 3 }),
  own('tokens', 'tokens', 'tokens', 'of it by itself, as estimated', { rank: 2 }),
  carriedTokens,
  own('amplification', 'times', 'count', 'carriedTokens / tokens: how often a token of it was sent', {
    rank: 1,
    whole: false,
  }),
  carriedUsd,
  own('percent', '% of input', 'percent', 'of the tokens of all requests', { rank: 1 }),
]

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
]

export const causeColumns: readonly Field<CauseSpending>[] = [
  own('cause', 'why the cache missed', 'text', 'the first that holds: docs/spend.md', { rank: 0, values: missCauses }),
  ...(missedFields as readonly Field<CauseSpending>[]).map((field) => ({ ...field, rank: 0, quiet: false })),
  own('percent', '% of missed', 'percent', 'of the tokens of all misses', { rank: 1 }),
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
]

export const spendingTotalColumns: readonly Field<SpendingTotal>[] = [
  own('transcripts', 'transcripts', 'count', 'transcripts that were read'),
  own('withoutUsage', 'no usage', 'count', 'those among them without any recorded usage'),
  own('requestsWithoutUsage', 'requests without', 'count', 'requests of the others without recorded usage'),
  own('repeatedResponses', 'repeated', 'count', 'responses that an earlier file has, too: they are counted there'),
  own(
    'estimatedOutputs',
    'estimated',
    'count',
    'responses whose recorded output is less than what can be seen of it, and is estimated',
  ),
  own('since', 'since', 'text', 'the first day, in UTC', nullable),
  own('until', 'until', 'text', 'the last day, in UTC', nullable),
  ...(sumFields as readonly Field<SpendingTotal>[]),
  own('pricesAsOf', 'prices of', 'text', 'ISO date of the oldest source of the prices'),
  own(
    'missedPercent',
    'missed %',
    'percent',
    'missed.tokens of all tokens that were not read from the cache: tokens.input + tokens.cacheWrite + tokens.cacheWrite1h',
  ),
]

const termColumns: readonly Field<TermSpending>[] = [
  own('term', 'terms', 'text', 'of what the provider bills otherwise: priced as any other call', {
    values: priceTerms,
  }),
  own('calls', 'calls', 'count', 'calls with recorded usage'),
]

/** The tables there are, by what `--by` calls them, in the order in which people see them. */
const tables = {
  project: ['projects', projectColumns, 'By project'],
  model: ['models', modelColumns, 'By model'],
  day: ['days', dayColumns, 'By day, the newest first'],
  kind: ['kinds', kindColumns, 'Tokens by kind'],
  part: ['parts', partColumns, 'What the input was made of, and how often it was sent again'],
  result: ['results', resultColumns, 'The dearest results of tools'],
  cause: ['causes', causeColumns, 'Why the cache missed'],
  miss: ['misses', missColumns, 'The dearest misses'],
} as const

/** The columns of each list of the JSON, in its order. */
export const spendingLists: Readonly<Record<string, readonly Field<never>[]>> = Object.fromEntries([
  ...Object.values(tables).map(([key, columns]) => [key, columns]),
  ['cells', cellColumns],
  ['terms', termColumns],
])

export type SpendingTable = keyof typeof tables
export const spendingTables = Object.keys(tables) as SpendingTable[]

/**
 * The sheets that people read, one below the other.
 * @param most rows of each table
 */
export function spendingSheets(spending: Spending, only: SpendingTable | null, most: number): Sheet<never>[] {
  const names = only === null ? spendingTables : [only]
  const found = names.filter((name) => only !== null || spending[tables[name][0]].length > 0)
  return found.map((name, index) => {
    const [key, columns, title] = tables[name]
    const all: readonly unknown[] = spending[key]
    const shown = only === null ? all.slice(0, most) : all
    const hidden = all.length - shown.length
    const more = hidden > 0 ? ` (${grouped(hidden)} more: --by ${name})` : ''
    const { items, directory } = withShortNames(shown)
    return {
      answers: index === 0 ? answer(spending) : [],
      captions: [],
      title: `${title}${directory && `, in ${directory}`}${more}`,
      columns: columns as unknown as readonly Column<never>[],
      items: items as never[],
      marked: () => false,
      notes: index === found.length - 1 ? notesOf(spending) : [],
      data: null,
    }
  })
}

/** The items with their files shortened to what tells them apart, and the directory that these share. */
function withShortNames(items: readonly unknown[]): { items: readonly unknown[]; directory: string } {
  const placed = items as readonly { readonly transcript?: string }[]
  const directory = commonDirectory(placed.flatMap(({ transcript }) => transcript ?? []))
  if (directory === '') return { items, directory }
  const named = placed.map((item) => ({ ...item, transcript: item.transcript?.slice(directory.length) }))
  return { items: named, directory }
}

/** One table as data. Without a name: the sums of each project, model and day; for JSON everything. */
export function spendingData(spending: Spending, only: SpendingTable | null): Sheet<never> {
  const columns = (only === null ? cellColumns : tables[only][1]) as unknown as readonly Column<never>[]
  const items = (only === null ? spending.cells : spending[tables[only][0]]) as readonly never[]
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
function answer({ total, projects, causes }: Spending): string[] {
  const { transcripts, requests, requestsWithoutUsage, since, until, usd, cost, missed, missedPercent } = total
  const days = since === null ? '' : since === until ? `, ${since}` : `, ${since} to ${until}`
  const all = requests + requestsWithoutUsage
  const sent = all > requests ? `${grouped(requests)} of ${several(all, 'request')}` : several(requests, 'request')
  const of = `in ${several(transcripts, 'transcript')}, ${sent}${days}`
  const input = tokenKinds.reduce((sum, kind) => (kind === 'output' ? sum : sum + cost[kind]), 0)
  const spent =
    usd === null
      ? `no price is known for any of ${several(requests, 'request')} in ${several(transcripts, 'transcript')}${days}: tokens only`
      : `spent ${money(usd)} USD ${of}: input ${money(input)}, output ${money(cost.output)}`
  const [first] = projects
  const [top] = causes
  const share =
    usd !== null && usd > 0 && missed.usd !== null ? ` (${((100 * missed.usd) / usd).toFixed(1)} % of it)` : ''
  return [
    spent,
    ...(first && projects.length > 1 && first.usd !== null
      ? [
          `most of it in ${first.project ?? 'no recorded directory'}: ${money(first.usd)} USD (${first.percent.toFixed(1)} %)`,
        ]
      : []),
    ...(top
      ? [
          `${several(missed.requests, 'cache miss').replace(/s$/, (end) => (missed.requests === 1 ? end : 'es'))} ${missed.usd === null ? '' : `cost ${money(missed.usd)} USD${share}, and `}paid again for ${missedPercent.toFixed(1)} % of what was not read from the cache; most of all because ${causeWords[top.cause]} (${top.percent.toFixed(1)} %)`,
        ]
      : []),
  ]
}

function notesOf({ total, models, terms, diagnostics }: Spending): Note[] {
  const { withoutUsage, requestsWithoutUsage, unpricedRequests, repeatedResponses, estimatedOutputs, usd } = total
  const sentences = [
    ...(withoutUsage > 0
      ? [`${several(withoutUsage, 'transcript')} without recorded usage: nothing of them is counted`]
      : []),
    ...(requestsWithoutUsage > 0
      ? [
          withoutUsage > 0
            ? `${several(requestsWithoutUsage, 'request')} without recorded usage in the others: not counted either`
            : `${several(requestsWithoutUsage, 'request')} without recorded usage: not counted`,
        ]
      : []),
    ...(unpricedRequests > 0 && usd !== null
      ? [
          `${unpricedWords(models.map((one) => [one.model ?? '', one.unpricedRequests]))}: in the tokens, not in the money`,
        ]
      : []),
    ...(terms.length > 0 ? [termsWords(terms.map(({ term, calls }) => [term, calls]))] : []),
    ...(repeatedResponses > 0 ? [`${several(repeatedResponses, 'response')} in more than one file: counted once`] : []),
    ...(estimatedOutputs > 0
      ? [
          `${several(estimatedOutputs, 'response')} with less output recorded than can be seen: what can be seen is counted`,
        ]
      : []),
  ]
  return [
    ...(sentences.length > 0 ? [{ title: 'What is counted', items: [{ name: '', sentences }] }] : []),
    ...diagnosticNotes(diagnostics),
  ]
}
