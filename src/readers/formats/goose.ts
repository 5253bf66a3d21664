/**
 * goose's sessions: the lines of its files until version 1.9 (a head, then a message a line), and since then the output of
 * `goose session export --format json` and of `goose run --output-format stream-json`.
 *
 * - Calls and results are parts of messages; results have the role `user`. What a tool wrote for the user alone is not sent.
 * - A message that the agent does not see (`agentVisible: false`) was summarised: it stays in the history, and the messages
 *   for the agent alone behind it become a recorded compaction. The context that newer versions send behind each prompt is
 *   for the agent alone, too, and starts no exchange.
 * - Newer versions count each response; else the head counts the newest request, beside sums. System prompt and tools are
 *   not recorded.
 * - In the stream a response is several messages with one id. Elsewhere one with several calls is a message for each, with the
 *   call's result behind it and the same thoughts in front.
 * - The database has what each request was billed (`usage_ledger`), without the message that it belongs to. What no message came
 *   of is a call beside the history: a compaction, a response that failed.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { setOf } from '../../base/words.ts'
import type { Block, Message, Usage } from '../../model/message.ts'
import { readItems, recordReader, Underway } from '../frames.ts'
import { bad, type Outcome, tell, unknown } from '../reader.ts'
import { callBlock, jsonBlock, opaque, textBlocks, urlBlock } from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import type { Draft } from '../wire/conversations.ts'
import { injected, type Mark, Session, textIn } from '../wire/session.ts'
import { both, keys, kinds, listOf, oddIn, optional, orText, someOf, where, which } from '../wire/shape.ts'
import { sideCallOf } from '../wire/side-calls.ts'
import { noTokens, tokens, usageBy, withInput } from '../wire/usage.ts'
import { usageKeys } from '../wire/usage-keys.ts'

/** Parts for the screen. */
const unseen = setOf(`
  actionRequired contextLengthExceeded conversationCompacted error summarizationRequested systemNotification
  toolConfirmationRequest
`)

const partTypes = setOf(
  'document frontendToolRequest image reasoning redactedThinking text thinking toolRequest toolResponse',
  unseen,
)

const text = keys({ text: 'string' })
const medium = keys({ data: 'string', mimeType: 'string' })
const thoughtShape = someOf({ thinking: 'string', text: 'string' })

const callShape = keys({
  id: 'string',
  toolCall: kinds('status', {
    // A tool may need no arguments.
    success: keys({ value: keys({ name: 'string', arguments: 'arguments?' }) }),
    error: keys({ error: 'string' }),
  }),
})

/** The content of a result, in the form of the Model Context Protocol. */
const contentShape = listOf(
  orText(
    kinds('type', {
      text,
      image: medium,
      resource: keys({ resource: someOf({ text: 'string', blob: 'string', uri: 'string' }) }),
    }),
  ),
)

const valueShape = keys({ content: contentShape, isError: 'boolean?' })

const resultShape = keys({
  id: 'string',
  toolResult: kinds('status', {
    success: keys({ value: which((value) => (Array.isArray(value) ? contentShape : valueShape), [valueShape]) }),
    error: keys({ error: 'string' }),
  }),
})

/** Counts may be null, because some providers count nothing. */
const countedShape = where(
  (counts) => Object.values(counts).some((count) => typeof count === 'number'),
  keys({ inputTokens: 'any', outputTokens: 'any', cacheReadTokens: 'amount?', cacheWriteTokens: 'amount?' }),
)

const messageShape = keys({
  id: 'string?',
  content: listOf(
    orText(
      kinds('type', {
        text,
        thinking: thoughtShape,
        reasoning: thoughtShape,
        redactedThinking: keys({ data: 'string' }),
        image: medium,
        document: medium,
        toolRequest: callShape,
        frontendToolRequest: callShape,
        toolResponse: resultShape,
      }),
    ),
  ),
  metadata: optional(
    keys({ agentVisible: 'boolean', userVisible: 'boolean', turnContext: 'boolean?', usage: optional(countedShape) }),
  ),
})

/** The head of older versions has no id: its messages are the lines that follow. */
const headShape = both(
  where(({ id }) => id !== undefined, someOf({ conversation: 'list', messages: 'list' })),
  keys({
    input_tokens: 'amount?',
    output_tokens: 'amount?',
    accumulated_input_tokens: 'any?',
    accumulated_output_tokens: 'any?',
  }),
)

export default recordReader({
  name: 'goose',
  program: 'goose',
  summary: "goose's database, its sessions until 1.9, session exports and the stream of `goose run`",
  source:
    '~/.local/share/goose/sessions/sessions.db, *.jsonl beside it, output of `goose session export --format json`',
  places: [
    ['$GOOSE_PATH_ROOT/data/sessions', '$XDG_DATA_HOME/goose/sessions', '~/.local/share/goose/sessions'],
    ['$APPDATA/Block/goose/data/sessions'],
    ['$APPDATA/Block/goose/sessions'],
  ].map((directories) => ({ directories, files: '{*.jsonl,sessions.db}', session: /^([^/]+)\.jsonl$/ })),
  shapes: [
    ['working_dir', 'description', 'message_count', 'total_tokens', 'role', 'created', 'content'],
    ['type', 'message.created', 'message.metadata', 'message.role', 'message.content', 'total_tokens'],
    ['working_dir', 'conversation', 'conversation.content', 'conversation.created', 'message_count'],
  ],
  recognise(record) {
    if (isHead(record)) return 1
    const message = messageIn(record)
    if (!isKnown(message)) return 0
    const types = itemsOf(message.content).map((part) => objectOf(part)?.type)
    return types.some((type) => type === 'toolRequest' || type === 'toolResponse') ? 1 : 0.6
  },
  begin: (context, head) => new GooseSession(context, head),
  begins: isHead,
  record(record, { line }, session, context) {
    if (!isHead(record)) return session.message(messageIn(record), line)
    tell(context, oddIn(headShape, record), line)
    const messages = record.conversation ?? record.messages
    readItems(context, Array.isArray(messages) ? messages : [], null, (message, at) => session.message(message, at))
  },
  end: (session) => session.write(),
})

class GooseSession extends Underway {
  readonly #session = new Session()
  /** The id of the newest message, if it is a response that more of the stream may continue. */
  #growing: string | undefined
  /** Messages for the agent alone, behind some that it no longer sees. */
  #summary: Message[] = []
  #hasForgotten = false
  /** Responses have counts of their own. */
  #isCounted = false
  /** When the newest response was made. */
  #responded: unknown
  readonly #responses: Draft[] = []

  write(): void {
    const { id, usage_ledger, working_dir, model_config } = this.head
    this.#endSummary()
    if (Array.isArray(usage_ledger)) this.#bill(usage_ledger)
    const usage = this.#isCounted ? undefined : newestUsage(this.head)
    if (usage && this.#session.length > 0) this.#session.continueResponse([], usage)
    const model = textIn(objectOf(model_config), 'model_name')
    this.#session.write(this.context, { conversation: id, cwd: working_dir, model })
  }

  message(record: JsonObject, line: number): Outcome {
    const outcome = this.#put(record, line)
    tell(this.context, outcome === 'used' ? oddIn(messageShape, record) : null, line)
    return outcome
  }

  #put(record: JsonObject, line: number): Outcome {
    if (!isMessage(record)) {
      if ('role' in record || 'content' in record) return bad
      return streamed.has(record.type) ? 'no-context' : unknown(record.type)
    }
    const { agentVisible, userVisible, turnContext } = objectOf(record.metadata) ?? {}
    const parts = itemsOf(record.content).map((part) => objectOf(part) ?? { type: 'text', text: part })
    const isForAgent = userVisible === false && agentVisible !== false
    if (isForAgent && turnContext !== true && this.#hasForgotten) {
      const blocks = parts.flatMap(partBlocks)
      this.#summary.push(record.role === 'assistant' ? { role: 'assistant', line, blocks } : injected(blocks, line))
      return 'used'
    }
    this.#endSummary()
    const seen = parts.filter(({ type }) => !unseen.has(type))
    if (seen.length === 0) return 'no-context'
    if (!seen.some(({ type }) => partTypes.has(type))) return unknown(seen[0]?.type)
    if (agentVisible === false) this.#hasForgotten = true
    const mark = { line, time: timeOf(record.created) }
    if (record.role === 'assistant') this.#answered(record, seen.flatMap(partBlocks), mark)
    else this.#asked(seen, mark, isForAgent)
    return 'used'
  }

  #answered({ id, created, metadata }: JsonObject, blocks: readonly Block[], mark: Mark): void {
    const { inference, usage: counts } = objectOf(metadata) ?? {}
    const calls = blocks.filter(({ type }) => type === 'call')
    const isSplit = !counts && calls.length > 0 && this.#session.last?.role === 'tool' && created === this.#responded
    if (isSplit) {
      this.#session.continueResponse(calls)
      return
    }
    this.#responded = created
    const usage = objectOf(counts)?.isCompaction === true ? undefined : withInput(usageBy(usageKeys.goose, counts))
    if (usage) this.#isCounted = true
    if (typeof id === 'string' && id === this.#growing) {
      this.#session.streamResponse(blocks, usage)
      return
    }
    this.#session.response(blocks, {
      ...mark,
      model: textIn(objectOf(inference), 'resolvedModel', 'requestedModel'),
      usage,
    })
    if (this.#session.last?.role === 'assistant') this.#responses.push(this.#session.last)
    this.#growing = stringOf(id)
  }

  #asked(parts: readonly JsonObject[], mark: Mark, isForAgent: boolean): void {
    this.#growing = undefined
    const results = parts.filter(({ type }) => type === 'toolResponse')
    for (const { id, toolResult } of results) {
      const { value, status, error } = objectOf(toolResult) ?? {}
      const isError = status === 'error' || objectOf(value)?.isError === true
      const content = Array.isArray(value) ? value : (objectOf(value)?.content ?? error ?? value)
      this.#session.result(itemsOf(content).flatMap(contentBlocks), { ...mark, id, isError })
    }
    const origin = isForAgent ? 'injected' : results.length > 0 ? 'queued' : undefined
    this.#session.prompt(parts.flatMap(partBlocks), mark, origin)
  }

  /** Gives each response its row: the one with its own counts, else the first that is left. What is left then is no response. */
  #bill(ledger: readonly unknown[]): void {
    const rows = ledger.flatMap((value) => {
      const row = objectOf(value)
      const usage = withInput(usageBy(usageKeys.gooseLedger, row))
      return row && usage ? [{ row, usage, isSummary: row.is_compaction === 1 }] : []
    })
    const take = (response: Draft, isIts: (usage: Usage) => boolean): void => {
      const at = rows.findIndex(({ usage, isSummary }) => !isSummary && isIts(usage))
      const [found] = at < 0 ? [] : rows.splice(at, 1)
      if (found) response.usage = found.usage
    }
    for (const response of this.#responses) {
      const { input, output } = response.usage ?? {}
      if (input !== undefined) take(response, (usage) => usage.input === input && usage.output === output)
    }
    for (const response of this.#responses) if (!response.usage) take(response, () => true)
    if (this.#responses.some(({ usage }) => usage)) this.#isCounted = true
    for (const { row, usage, isSummary } of rows) {
      const [kind, time] = [isSummary ? 'summary' : 'taken-back', timeOf(row.created_timestamp)] as const
      this.#session.sideCall(sideCallOf({ kind, usage, model: textIn(row, 'model'), time, line: 1 }))
    }
  }

  #endSummary(): void {
    const [first] = this.#summary
    if (first) this.#session.compaction(this.#summary, first.line)
    if (first) this.#hasForgotten = false
    this.#summary = []
  }
}

function partBlocks(part: JsonObject): Block[] {
  switch (part.type) {
    case 'text':
      return textBlocks(part.text)
    case 'thinking':
    case 'reasoning':
      return typeof (part.thinking ?? part.text) === 'string'
        ? [{ type: 'thinking', text: (part.thinking ?? part.text) as string }]
        : [jsonBlock(part)]
    case 'redactedThinking':
      return [opaque(part.data)]
    case 'image':
      return [mediaBlock('image', part)]
    case 'document':
      return [mediaBlock('document', part)]
    case 'frontendToolRequest':
    case 'toolRequest': {
      const call = objectOf(objectOf(part.toolCall)?.value)
      return [callBlock(part.id, call?.name, call?.arguments ?? objectOf(part.toolCall)?.error ?? {})]
    }
    case 'toolResponse':
      return []
    default:
      return unseen.has(part.type) ? [] : [jsonBlock(part)]
  }
}

/** A part of a result, in the form of the Model Context Protocol. */
function contentBlocks(value: unknown): Block[] {
  const part = objectOf(value)
  if (!part) return textBlocks(value)
  const audience = objectOf(part.annotations)?.audience
  if (Array.isArray(audience) && audience.length > 0 && !audience.includes('assistant')) return []
  if (part.type === 'image') return [mediaBlock('image', part)]
  const resource = objectOf(part.resource)
  return textBlocks(part.text ?? resource?.text ?? (resource ? jsonBlock(resource).text : jsonBlock(part).text))
}

function mediaBlock(type: 'image' | 'document', { mimeType, data }: JsonObject): Block {
  return urlBlock(type, `data:${stringOf(mimeType) ?? ''};base64,${stringOf(data) ?? ''}`)
}

function newestUsage(head: JsonObject): Usage | undefined {
  const input = tokens(head.input_tokens)
  if (input === undefined || input === 0) return undefined
  return { ...noTokens, input, output: tokens(head.output_tokens) ?? 0 }
}

function isHead(record: JsonObject): boolean {
  if (typeof record.working_dir !== 'string' || record.role !== undefined) return false
  return ['conversation', 'description', 'message_count'].some((key) => Object.hasOwn(record, key))
}

/** Other kinds of events in the stream, which hold no messages. */
const streamed = setOf('complete error model_change notification')

/** A line of the stream has the message inside. */
function messageIn(record: JsonObject): JsonObject {
  return (record.type === 'message' && objectOf(record.message)) || record
}

function isMessage({ role, content }: JsonObject): boolean {
  return (role === 'user' || role === 'assistant') && Array.isArray(content)
}

/** Whether all of the message is of goose's kinds. */
function isKnown(message: JsonObject): boolean {
  if (!isMessage(message) || typeof message.created !== 'number') return false
  return itemsOf(message.content).every((part) => partTypes.has(objectOf(part)?.type))
}
