/**
 * The tables of an export. Where the document on exchange boundaries of ikigai names a column, it has that name here, so
 * that its queries run as they stand: an agent there is a run here, one transcript under one policy.
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

/** A row of a run. */
type Of<Row> = { readonly agent: string; readonly row: Row }

interface TranscriptRow {
  readonly id: string
  readonly transcript: StoredTranscript
}

interface RunRow {
  readonly id: string
  readonly transcript: string
  readonly run: TraceRun & { readonly damagedLines: number }
}

const agent = <Row>(): TableColumn<Of<Row>> => column('agent_id', 'uuid', 'the run', (of) => of.agent)

function own<Row>(name: string, type: ColumnType, meaning: string, value: (row: Row) => Value): TableColumn<Of<Row>> {
  return column(name, type, meaning, ({ row }) => value(row))
}

function maybe<Row>(name: string, type: ColumnType, meaning: string, value: (row: Row) => Value): TableColumn<Of<Row>> {
  return nullable(name, type, meaning, ({ row }) => value(row))
}

/** When something left the window. */
function leaving<Row extends { readonly left: Leaving }>(what: string): TableColumn<Of<Row>>[] {
  return [
    maybe('evicted_at', 'timestamp', `when ${what} left: the last recorded time before that`, ({ left }) => left.time),
    maybe(
      'evicted_request',
      'integer',
      `the first request without ${what}; the number of requests if it left after the last one`,
      ({ left }) => left.request,
    ),
    maybe('evicted_by', 'text', 'the policy; `reset` if the user cleared the history', ({ left }) => left.by),
  ]
}

const ofRun = { column: 'agent_id', table: 'runs', key: 'id' }

const transcripts: Table<TranscriptRow> = {
  name: 'transcripts',
  meaning: 'one recorded conversation',
  key: ['id'],
  columns: [
    column('id', 'uuid', 'the same in every export of this conversation of this file', ({ id }) => id),
    column('file', 'text', 'as it was named', ({ transcript }) => transcript.head.file),
    nullable(
      'conversation',
      'text',
      'its id in the file; null for the only conversation of a file without ids',
      ({ transcript }) => transcript.head.conversation,
    ),
    column('format', 'text', 'the reader that recognised it', ({ transcript }) => transcript.head.format),
    column('provider', 'text', 'the API it was recorded at', ({ transcript }) => transcript.head.provider),
    nullable('model', 'text', 'as recorded', ({ transcript }) => transcript.head.model),
    nullable('project', 'text', 'the directory the agent worked in', ({ transcript }) => transcript.head.cwd),
    nullable('title', 'text', 'the user’s first words', ({ transcript }) => transcript.title),
    nullable(
      'parent',
      'text',
      'of a sub-agent or a fork: the conversation it came from',
      ({ transcript }) => transcript.head.parent,
    ),
    nullable(
      'inherited_messages',
      'integer',
      'of a fork: how many of its messages are the parent’s',
      ({ transcript }) => transcript.head.forkMessage,
    ),
    nullable(
      'recorded_by',
      'text',
      'the version of the program that recorded it',
      ({ transcript }) => transcript.head.version ?? null,
    ),
    nullable('started_at', 'timestamp', 'its first recorded time', ({ transcript }) => transcript.firstTime),
    nullable('ended_at', 'timestamp', 'its last recorded time', ({ transcript }) => transcript.lastTime),
    column('message_count', 'integer', 'messages, without the system prompt', ({ transcript }) => transcript.messages),
    column('exchange_count', 'integer', 'exchanges', ({ transcript }) => transcript.exchanges),
    column('request_count', 'integer', 'requests', ({ transcript }) => transcript.requests),
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
function snake(key: string): string {
  return key.replaceAll('.', '_').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** A figure of a run as a column: every figure of the JSON that is one value. */
function figure(field: Field<never>): TableColumn<RunRow>[] {
  const { key, unit, meaning, whole, blocks = [] } = field
  if (unit === 'list') return []
  const required = !field.nullable && !field.optional && blocks.every((block) => !block.optional && !block.nullable)
  const value = (field as Column<never>).value as (run: unknown) => unknown
  const cell = ({ run }: RunRow): Value => {
    const found = value(run)
    if (found === undefined || found === null) return null
    return typeof found === 'object' ? JSON.stringify(found) : (found as Value)
  }
  const type = whole === false ? 'real' : types[unit]
  return [(required ? column : nullable)(snake(key), type, meaning, cell)]
}

const runs: Table<RunRow> = {
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
    own('id', 'integer', 'its index in the transcript, from 0', ({ index }) => index),
    agent(),
    own('line', 'integer', 'its line in the file', ({ line }) => line),
    own('role', 'text', '`system`, `user`, `assistant` or `tool`', ({ role }) => role),
    own(
      'kind',
      'text',
      '`prompt` (starts an exchange), `queued` (typed while the agent worked), `injected` (by the harness), `system`, `response`, `call`, `result`',
      ({ kind }) => kind,
    ),
    maybe('tool_name', 'text', 'of a result its tool, of a call the tools it calls', ({ tool }) => tool),
    maybe('content', 'text', 'its text; null without `--content`', ({ text }) => text),
    own('token_count', 'integer', 'what it adds to its exchange', ({ tokens }) => tokens),
    maybe('created_at', 'timestamp', 'as recorded', ({ time }) => time),
    own('in_sliding_window', 'boolean', 'inside at the end', ({ inside }) => inside),
    own('replaced', 'boolean', 'inside with other content: masked, truncated', ({ replaced }) => replaced),
    ...leaving<StoredMessage>('it'),
    maybe('exchange_id', 'integer', 'its exchange; null before the first user message', ({ exchange }) => exchange),
    maybe(
      'step',
      'integer',
      'in its exchange, from 0: a response and the results that follow it; null before the first response',
      ({ step }) => step,
    ),
    maybe(
      'request_id',
      'integer',
      'the request that it answers, or the last before it; null before the first',
      ({ request }) => request,
    ),
    maybe(
      'rereads_id',
      'integer',
      'of a read: the last earlier result of the same file, url or search',
      ({ rereads }) => rereads,
    ),
  ],
}

const exchanges: Table<Of<StoredExchange>> = {
  name: 'exchanges',
  meaning: 'a user message up to the next one, in one run',
  key: ['agent_id', 'id'],
  owner: ofRun,
  columns: [
    own('id', 'integer', 'its number in the transcript, from 0', ({ index }) => index),
    agent(),
    own('start_msg_id', 'integer', 'its first message', ({ first }) => first),
    own('end_msg_id', 'integer', 'its last message', ({ last }) => last),
    own('state', 'text', '`complete`, `interrupted` or `open`', ({ state }) => state),
    own('title', 'text', 'the user’s first words', ({ title }) => title),
    own('token_count', 'integer', 'of its messages', ({ tokens }) => tokens),
    own('request_count', 'integer', 'requests that it made', ({ requests }) => requests),
    own('tool_calls', 'integer', 'tool calls that it made', ({ toolCalls }) => toolCalls),
    maybe('created_at', 'timestamp', 'of its first message', ({ time }) => time),
    own('in_sliding_window', 'boolean', 'something of it is inside at the end', ({ inside }) => inside),
    ...leaving<StoredExchange>('the last of it'),
  ],
}

const requests: Table<Of<StoredRequest>> = {
  name: 'requests',
  meaning: 'one call to the model in one run',
  key: ['agent_id', 'id'],
  owner: ofRun,
  columns: [
    own('id', 'integer', 'its number in the transcript, from 0', ({ index }) => index),
    agent(),
    maybe('exchange_id', 'integer', 'its exchange; null before the first user message', ({ exchange }) => exchange),
    own('response_msg_id', 'integer', 'the message that answers it', ({ message }) => message),
    own('line', 'integer', 'of that message', ({ line }) => line),
    maybe('model', 'text', 'the model that answered', ({ model }) => model),
    maybe('created_at', 'timestamp', 'when it was answered', ({ time }) => time),
    own('message_count', 'integer', 'messages that it carries', ({ messages }) => messages),
    own('full_tokens', 'integer', 'without pruning', ({ fullTokens }) => fullTokens),
    own('sent_tokens', 'integer', 'under the policy', ({ sentTokens }) => sentTokens),
    own('over_budget', 'boolean', 'more than the budget', ({ over }) => over),
    own('cached_tokens', 'integer', 'of those sent, read from the prompt cache', ({ bill }) => bill.cached),
    own('written_tokens', 'integer', 'of those sent, written to it', ({ bill }) => bill.written),
    own('output_tokens', 'integer', 'as recorded, else estimated', ({ bill }) => bill.outputTokens),
    own('cost_input', 'real', 'in the unit of the run’s cost', ({ bill }) => bill.input),
    own('cost_output', 'real', 'likewise', ({ bill }) => bill.output),
    maybe('recorded_input', 'integer', 'what the provider counted in all', ({ recorded }) => recorded?.input ?? null),
    maybe('recorded_cached', 'integer', 'of that, read from the cache', ({ recorded }) => recorded?.cached ?? null),
    maybe('recorded_written', 'integer', 'of that, written to it', ({ recorded }) => recorded?.written ?? null),
    maybe('recorded_output', 'integer', 'what it counted of the answer', ({ recorded }) => recorded?.output ?? null),
  ],
}

const cuts: Table<Of<StoredCut>> = {
  name: 'cuts',
  meaning: 'each time that the cutoff moved, in one run',
  key: ['agent_id', 'id'],
  owner: ofRun,
  columns: [
    own('id', 'integer', 'its number, from 0', ({ index }) => index),
    agent(),
    own(
      'request_id',
      'integer',
      'the first request after it; the number of requests after the last',
      (row) => row.request,
    ),
    maybe('created_at', 'timestamp', 'the last recorded time before it', ({ time }) => time),
    own(
      'message_id',
      'integer',
      'the first message behind it; the number of messages if none is',
      (row) => row.message,
    ),
    own('exchange_id', 'integer', 'of that message; -1 before the first user message', ({ exchange }) => exchange),
    own('line', 'integer', 'of that message; 0 when nothing stays inside', ({ line }) => line),
    own('exchange_count', 'integer', 'exchanges that left', ({ exchanges }) => exchanges),
    own('tokens_before', 'integer', 'of the window', ({ tokensBefore }) => tokensBefore),
    own('tokens_after', 'integer', 'of the window', ({ tokensAfter }) => tokensAfter),
    maybe(
      'break_even_requests',
      'real',
      'requests until it has earned what rewriting the prompt cache costs; null if it never does',
      ({ breakEvenRequests }) => breakEvenRequests,
    ),
  ],
}

const references: Table<Of<StoredReference>> = {
  name: 'references',
  meaning: 'each later use of what was said before, in one run. SQL wants this name in quotes',
  key: ['agent_id', 'id'],
  owner: ofRun,
  columns: [
    own('id', 'integer', 'its number, from 0', ({ index }) => index),
    agent(),
    own('request_id', 'integer', 'the request whose answer uses it', ({ request }) => request),
    own('message_id', 'integer', 'the message that uses it', ({ message }) => message),
    own(
      'class',
      'text',
      '`content`, `path`, `url`, `error`, `id`, `target`, `identifier` or `number`',
      ({ termClass }) => termClass,
    ),
    maybe(
      'key_hash',
      'text',
      'equal for uses of the same thing; null for content of unknown origin',
      ({ termClass, term }) => (term === null ? null : keyHash(termClass === 'content' ? 'path' : termClass, term)),
    ),
    maybe('mention_id', 'integer', 'the last message that mentions it', ({ mention }) => mention),
    maybe(
      'source_id',
      'integer',
      'the last that it can be known from: not the agent’s own words',
      ({ source }) => source,
    ),
    maybe(
      'lost',
      'text',
      '`source`: none of its sources is inside; `mention`: it has none, and no mention is inside; null: it is there',
      ({ lost }) => lost,
    ),
    maybe('lost_at', 'timestamp', 'when that source or mention had left', ({ left }) => left.time),
    maybe('lost_request', 'integer', 'the first request without it', ({ left }) => left.request),
  ],
}

/** In an order in which each follows what it points to. */
export const tables: readonly Table[] = [transcripts, runs, messages, exchanges, requests, cuts, references]

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
  const each = <Row>(of: (stored: StoredRun) => readonly Row[]): Of<Row>[] =>
    keyed.flatMap(({ agent, stored }) => of(stored).map((row) => ({ agent, row })))
  const filled = [
    fill(transcripts, [{ id, transcript }]),
    fill(
      runs,
      keyed.map(({ agent, stored }) => ({ id: agent, transcript: id, run: { ...stored.run, damagedLines } })),
    ),
    fill(
      messages,
      each((stored) => stored.messages),
    ),
    fill(
      exchanges,
      each((stored) => stored.exchanges),
    ),
    fill(
      requests,
      each((stored) => stored.requests),
    ),
    fill(
      cuts,
      each((stored) => stored.cuts),
    ),
    fill(
      references,
      each((stored) => stored.references),
    ),
  ]
  return { id, agents: keyed.map(({ agent }) => agent), messages: transcript.messages, filled }
}

function fill<Row>(table: Table<Row>, rows: readonly Row[]): Filled {
  return { table: table as unknown as Table, rows: rows as readonly never[] }
}
