/**
 * The tables of an export. Where the document on exchange boundaries of ikigai names a column, it has that name here,
 * so that its queries run as they stand: an agent there is a run here, one transcript under one policy.
 */
import type { TraceRun } from '../model/run.ts'
import type {
  Leaving,
  StoredCut,
  StoredExchange,
  StoredMessage,
  StoredReference,
  StoredRequest,
  StoredRun,
  StoredTranscript,
} from '../model/stored.ts'
import type { Column, Field, Unit } from '../reports/column.ts'
import { runColumns } from '../reports/columns/run.ts'
import { keyHash, uuidOf } from './ids.ts'
import { type ColumnType, column, nullable, type Table, type TableColumn, type Value } from './table.ts'

/** A row, with the id of what it is of: of a run, or for a transcript its own. */
type Of<Row> = { readonly id: string; readonly row: Row }

interface ExportedRun {
  readonly id: string
  readonly transcript: string
  readonly run: TraceRun & { readonly damagedLines: number }
}

const agent = <Row>(): TableColumn<Of<Row>> => column('agent_id', 'uuid', 'the run', ({ id }) => id)

/** What a column has of a row: a property by its name, or what is made of the row. */
type From<Row> = keyof Row | ((row: Row) => Value)

const valueFrom = <Row>(from: From<Row>): ((row: Row) => Value) =>
  typeof from === 'function' ? from : (row) => (row[from] ?? null) as Value

function own<Row>(name: string, from: From<Row>, type: ColumnType, meaning: string): TableColumn<Of<Row>> {
  const value = valueFrom(from)
  return column(name, type, meaning, ({ row }) => value(row))
}

const maybe: typeof own = (name, from, type, meaning) => ({ ...own(name, from, type, meaning), nullable: true })

/** When something left the window. */
function leaving<Row extends { readonly left: Leaving }>(what: string): TableColumn<Of<Row>>[] {
  return [
    maybe('evicted_at', ({ left }) => left.time, 'timestamp', `when ${what} left: the last recorded time before that`),
    maybe(
      'evicted_request',
      ({ left }) => left.request,
      'integer',
      `the first request without ${what}; the number of requests if it left after the last one`,
    ),
    maybe('evicted_by', ({ left }) => left.by, 'text', 'the policy; `reset` if the user cleared the history'),
  ]
}

const ofRun = { column: 'agent_id', table: 'runs', key: 'id' }

const transcripts: Table<Of<StoredTranscript>> = {
  name: 'transcripts',
  meaning: 'one recorded conversation',
  key: ['id'],
  columns: [
    column('id', 'uuid', 'the same in every export of this conversation of this file', ({ id }) => id),
    own('file', ({ head }) => head.file, 'text', 'as it was named'),
    maybe(
      'conversation',
      ({ head }) => head.conversation,
      'text',
      'its id in the file; null for the only conversation of a file without ids',
    ),
    own('format', ({ head }) => head.format, 'text', 'the reader that recognised it'),
    own('provider', ({ head }) => head.provider, 'text', 'the API it was recorded at'),
    maybe('model', ({ head }) => head.model, 'text', 'as recorded'),
    maybe('project', ({ head }) => head.cwd, 'text', 'the directory the agent worked in'),
    maybe('title', 'title', 'text', 'the user’s first words'),
    maybe('parent', ({ head }) => head.parent, 'text', 'of a sub-agent or a fork: the conversation it came from'),
    maybe(
      'inherited_messages',
      ({ head }) => head.forkMessage,
      'integer',
      'of a fork: how many of its messages are the parent’s',
    ),
    maybe('recorded_by', ({ head }) => head.version ?? null, 'text', 'the version of the program that recorded it'),
    maybe('started_at', 'firstTime', 'timestamp', 'its first recorded time'),
    maybe('ended_at', 'lastTime', 'timestamp', 'its last recorded time'),
    own('message_count', 'messages', 'integer', 'messages, without the system prompt'),
    own('exchange_count', 'exchanges', 'integer', 'exchanges'),
    own('request_count', 'requests', 'integer', 'requests'),
  ],
}

const types: Readonly<Record<Exclude<Unit, 'list'>, ColumnType>> = {
  text: 'text',
  count: 'integer',
  tokens: 'integer',
  ordinal: 'integer',
  percent: 'real',
  change: 'real',
  money: 'real',
  price: 'real',
  flag: 'boolean',
  record: 'text',
}

/** `cost.savedPercent` -> `cost_saved_percent`. */
const snake = (key: string): string =>
  key.replaceAll('.', '_').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A figure of a run as a column: every figure of the JSON that is one value. */
function figure(field: Field<never>): TableColumn<ExportedRun>[] {
  const { key, unit, meaning, whole, blocks = [] } = field
  if (unit === 'list') return []
  const required = !field.nullable && !field.optional && blocks.every((block) => !block.optional && !block.nullable)
  const value = (field as Column<never>).value as (run: unknown) => unknown
  const cell = ({ run }: ExportedRun): Value => {
    const found = value(run)
    if (found === undefined || found === null) return null
    return typeof found === 'object' ? JSON.stringify(found) : (found as Value)
  }
  const type = whole === false ? 'real' : types[unit]
  return [(required ? column : nullable)(snake(key), type, meaning, cell)]
}

const runs: Table<ExportedRun> = {
  name: 'runs',
  meaning: 'one transcript under one policy, budget and estimator, with every figure of `simulate --json`',
  key: ['id'],
  owner: { column: 'transcript_id', table: 'transcripts', key: 'id' },
  columns: [
    column('id', 'uuid', 'the `agent_id` of the other tables', ({ id }) => id),
    column('transcript_id', 'uuid', 'the transcript', ({ transcript }) => transcript),
    ...(runColumns as readonly Field<never>[]).flatMap(figure),
  ],
}

const messages: Table<Of<StoredMessage>> = {
  name: 'messages',
  meaning: 'one message of a transcript in one run',
  key: ['agent_id', 'id'],
  owner: ofRun,
  columns: [
    own('id', 'index', 'integer', 'its index in the transcript, from 0'),
    agent(),
    own('line', 'line', 'integer', 'its line in the file'),
    own('role', 'role', 'text', '`system`, `user`, `assistant` or `tool`'),
    own(
      'kind',
      'kind',
      'text',
      '`prompt` (starts an exchange), `queued` (typed while the agent worked), `injected` (by the harness), `system`, `response`, `call`, `result`',
    ),
    maybe('tool_name', 'tool', 'text', 'of a result its tool, of a call the tools it calls'),
    maybe('content', 'text', 'text', 'its text; null without `--content`'),
    own('token_count', 'tokens', 'integer', 'what it adds to its exchange'),
    maybe('created_at', 'time', 'timestamp', 'as recorded'),
    own('in_sliding_window', 'inside', 'boolean', 'inside at the end'),
    own('replaced', 'replaced', 'boolean', 'inside with other content: masked, truncated'),
    ...leaving<StoredMessage>('it'),
    maybe('exchange_id', 'exchange', 'integer', 'its exchange; null before the first user message'),
    maybe(
      'step',
      'step',
      'integer',
      'in its exchange, from 0: a response and the results that follow it; null before the first response',
    ),
    maybe(
      'request_id',
      'request',
      'integer',
      'the request that it answers, or the last before it; null before the first',
    ),
    maybe('rereads_id', 'rereads', 'integer', 'of a read: the last earlier result of the same file, url or search'),
  ],
}

const exchanges: Table<Of<StoredExchange>> = {
  name: 'exchanges',
  meaning: 'a user message up to the next one, in one run',
  key: ['agent_id', 'id'],
  owner: ofRun,
  columns: [
    own('id', 'index', 'integer', 'its number in the transcript, from 0'),
    agent(),
    own('start_msg_id', 'first', 'integer', 'its first message'),
    own('end_msg_id', 'last', 'integer', 'its last message'),
    own('state', 'state', 'text', '`complete`, `interrupted` or `open`'),
    own('title', 'title', 'text', 'the user’s first words'),
    own('token_count', 'tokens', 'integer', 'of its messages'),
    own('request_count', 'requests', 'integer', 'requests that it made'),
    own('tool_calls', 'toolCalls', 'integer', 'tool calls that it made'),
    maybe('created_at', 'time', 'timestamp', 'of its first message'),
    own('in_sliding_window', 'inside', 'boolean', 'something of it is inside at the end'),
    ...leaving<StoredExchange>('the last of it'),
  ],
}

const requests: Table<Of<StoredRequest>> = {
  name: 'requests',
  meaning: 'one call to the model in one run',
  key: ['agent_id', 'id'],
  owner: ofRun,
  columns: [
    own('id', 'index', 'integer', 'its number in the transcript, from 0'),
    agent(),
    maybe('exchange_id', 'exchange', 'integer', 'its exchange; null before the first user message'),
    own('response_msg_id', 'message', 'integer', 'the message that answers it'),
    own('line', 'line', 'integer', 'of that message'),
    maybe('model', 'model', 'text', 'the model that answered'),
    maybe('created_at', 'time', 'timestamp', 'when it was answered'),
    own('message_count', 'messages', 'integer', 'messages that it carries'),
    own('full_tokens', 'fullTokens', 'integer', 'without pruning'),
    own('sent_tokens', 'sentTokens', 'integer', 'under the policy'),
    own('over_budget', 'over', 'boolean', 'more than the budget'),
    own('cached_tokens', ({ bill }) => bill.cached, 'integer', 'of those sent, read from the prompt cache'),
    own('written_tokens', ({ bill }) => bill.written, 'integer', 'of those sent, written to it'),
    own('output_tokens', ({ bill }) => bill.outputTokens, 'integer', 'as recorded, else estimated'),
    own('cost_input', ({ bill }) => bill.input, 'real', 'in the unit of the run’s cost'),
    own('cost_output', ({ bill }) => bill.output, 'real', 'likewise'),
    maybe('recorded_input', ({ recorded }) => recorded?.input ?? null, 'integer', 'what the provider counted in all'),
    maybe('recorded_cached', ({ recorded }) => recorded?.cached ?? null, 'integer', 'of that, read from the cache'),
    maybe('recorded_written', ({ recorded }) => recorded?.written ?? null, 'integer', 'of that, written to it'),
    maybe('recorded_output', ({ recorded }) => recorded?.output ?? null, 'integer', 'what it counted of the answer'),
  ],
}

const cuts: Table<Of<StoredCut>> = {
  name: 'cuts',
  meaning: 'each time that the cutoff moved, in one run',
  key: ['agent_id', 'id'],
  owner: ofRun,
  columns: [
    own('id', 'index', 'integer', 'its number, from 0'),
    agent(),
    own('request_id', 'request', 'integer', 'the first request after it; the number of requests after the last'),
    maybe('created_at', 'time', 'timestamp', 'the last recorded time before it'),
    own('message_id', 'message', 'integer', 'the first message behind it; the number of messages if none is'),
    own('exchange_id', 'exchange', 'integer', 'of that message; -1 before the first user message'),
    own('line', 'line', 'integer', 'of that message; 0 when nothing stays inside'),
    own('exchange_count', 'exchanges', 'integer', 'exchanges that left'),
    own('tokens_before', 'tokensBefore', 'integer', 'of the window'),
    own('tokens_after', 'tokensAfter', 'integer', 'of the window'),
    maybe(
      'break_even_requests',
      'breakEvenRequests',
      'real',
      'requests until it has earned what rewriting the prompt cache costs; null if it never does',
    ),
  ],
}

const references: Table<Of<StoredReference>> = {
  name: 'references',
  meaning: 'each later use of what was said before, in one run. SQL wants this name in quotes',
  key: ['agent_id', 'id'],
  owner: ofRun,
  columns: [
    own('id', 'index', 'integer', 'its number, from 0'),
    agent(),
    own('request_id', 'request', 'integer', 'the request whose answer uses it'),
    own('message_id', 'message', 'integer', 'the message that uses it'),
    own('class', 'termClass', 'text', '`content`, `path`, `url`, `error`, `id`, `target`, `identifier` or `number`'),
    maybe(
      'key_hash',
      ({ termClass, term }) => (term === null ? null : keyHash(termClass === 'content' ? 'path' : termClass, term)),
      'text',
      'equal for uses of the same thing; null for content of unknown origin',
    ),
    maybe('mention_id', 'mention', 'integer', 'the last message that mentions it'),
    maybe('source_id', 'source', 'integer', 'the last that it can be known from: not the agent’s own words'),
    maybe(
      'lost',
      'lost',
      'text',
      '`source`: none of its sources is inside; `mention`: it has none, and no mention is inside; null: it is there',
    ),
    maybe('lost_at', ({ left }) => left.time, 'timestamp', 'when that source or mention had left'),
    maybe('lost_request', ({ left }) => left.request, 'integer', 'the first request without it'),
  ],
}

/** By the name that their rows have in what is stored of a run. */
const ofRuns = { messages, exchanges, requests, cuts, references }

/** In an order in which each follows what it points to. */
export const tables: readonly Table[] = [transcripts, runs, ...Object.values(ofRuns)]

/** A table and its rows. */
export interface Filled {
  readonly table: Table
  readonly rows: readonly never[]
}

/** One transcript and its runs, as rows of each table. */
export interface TranscriptRows {
  readonly id: string
  readonly agents: readonly string[]
  /** Of the transcript: how many messages it has. */
  readonly messages: number
  readonly filled: readonly Filled[]
}

/** A run, and what tells it from the other runs of its transcript. */
export interface KeyedRun {
  readonly key: unknown
  readonly stored: StoredRun
}

/**
 * @param nth how many transcripts before it in the same export have the same file and conversation
 * @param damagedLines of its file
 */
export function rowsOf(
  transcript: StoredTranscript,
  nth: number,
  runsOf: readonly KeyedRun[],
  damagedLines: number,
): TranscriptRows {
  const { file, conversation } = transcript.head
  const id = uuidOf(file, conversation, nth)
  const keyed = runsOf.map(({ key, stored }) => ({ agent: uuidOf(id, key), stored }))
  const filled = [
    fill(transcripts, [{ id, row: transcript }]),
    fill(
      runs,
      keyed.map(({ agent, stored }) => ({ id: agent, transcript: id, run: { ...stored.run, damagedLines } })),
    ),
    ...(Object.keys(ofRuns) as (keyof typeof ofRuns)[]).map((name) =>
      fill<Of<unknown>>(
        ofRuns[name],
        keyed.flatMap(({ agent, stored }) => stored[name].map((row) => ({ id: agent, row }))),
      ),
    ),
  ]
  return { id, agents: keyed.map(({ agent }) => agent), messages: transcript.messages, filled }
}

const fill = <Row>(table: Table<Row>, rows: readonly Row[]): Filled => ({
  table: table as unknown as Table,
  rows: rows as readonly never[],
})
