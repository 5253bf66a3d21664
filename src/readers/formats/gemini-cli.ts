/**
 * Gemini CLI's chats: one document, or since 0.40 a header line and then a line per message.
 *
 * - A line may repeat a message's id, and then replaces it: responses grow while they stream. `$rewindTo` takes back a
 *   message and what follows it, `$set` changes the header; with `messages` it is the history after a compression.
 * - A `gemini` message is one response with its calls, and with their results, which become messages of their own.
 *   A call whose answer was waited for is recorded apart if a notice came in between.
 * - A compression becomes a recorded compaction, and outputs that the program masks a recorded clearing; the history stays.
 * - Thoughts are recorded as summaries. System prompt and tools are not recorded.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { jsonText } from '../../base/json-text.ts'
import { setOf } from '../../base/words.ts'
import type { Block, Usage } from '../../model/message.ts'
import { readItems, recordReader } from '../frames.ts'
import { bad, type Outcome, type ReaderContext, type Shape, unknown } from '../reader.ts'
import { callBlock } from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import { type FunctionResult, functionResults, googleBlocks, googleMessages, partShape } from '../wire/google.ts'
import { Session, textIn } from '../wire/session.ts'
import { both, keys, kinds, listLike, listOf, oneOrList, optional, orText, where } from '../wire/shape.ts'
import { usageBy } from '../wire/usage.ts'
import { usageKeys } from '../wire/usage-keys.ts'

/** Notices on the screen. */
const notices = setOf('error info warning')
const types = setOf('gemini user', notices)

const contentShape = oneOrList(orText(partShape))

/** A call that has ended has a result. */
const endedShape = keys({ result: contentShape })

const callShape = both(
  keys({ id: 'string', name: 'string', args: 'object', result: optional(contentShape) }),
  kinds('status', { success: endedShape, error: endedShape, cancelled: endedShape }),
)

/** In a document a response is complete: what it wrote is its content or calls. */
const answeredShape = where(
  ({ type, content, tokens }) => type === 'gemini' && content === '' && Number(objectOf(tokens)?.output) > 0,
  keys({ toolCalls: 'list' }),
)

const messageShape = kinds('type', {
  user: keys({ content: contentShape }),
  gemini: keys({
    content: contentShape,
    thoughts: optional(listOf(keys({ subject: 'string', description: 'string' }))),
    toolCalls: optional(listOf(callShape)),
    tokens: optional(keys({ input: 'any', output: 'any', cached: 'any', thoughts: 'amount?', tool: 'amount?' })),
  }),
})

/** A header line has no messages of its own: they are the lines behind it. */
const headShape = keys({ messages: optional(listLike(keys({ timestamp: 'any' }))) })

const toldShape = both(messageShape, answeredShape)

const storedShape = both(keys({ id: 'string', timestamp: 'string', type: 'string' }), messageShape)

const changesShape = keys({ $set: keys({ messages: optional(listOf(storedShape)) }) })

const lineShape: Shape = (record) => {
  const { $rewindTo, $set } = record as JsonObject
  if ($rewindTo !== undefined) return null
  return ($set === undefined ? messageShape : changesShape)(record)
}

export default recordReader({
  name: 'gemini-cli',
  program: 'gemini-cli',
  summary: "Gemini CLI's chats, as one document or one message per line",
  source: '~/.gemini/tmp/*/chats/session-*.json, session-*.jsonl',
  places: [
    {
      directories: ['$GEMINI_CLI_HOME/.gemini/tmp', '~/.gemini/tmp'],
      files: '*/chats/**/*.{json,jsonl}',
      session: /(?:^|\/)(?:session-[\dT-]+-)?([^/]+)\.jsonl?$/,
      subagents: '*/chats/*/*.jsonl',
    },
  ],
  shapes: [
    ['sessionId', 'projectHash', 'startTime', 'messages', 'messages.type', 'messages.content'],
    ['sessionId', 'projectHash', 'startTime', 'id', 'timestamp', 'type', 'content'],
  ],
  recognise(record) {
    if (isHeader(record) || typeof record.$rewindTo === 'string' || objectOf(record.$set)) return 1
    if (!isMessage(record)) return 0
    return record.type === 'gemini' ? 1 : 0.4
  },
  shape: (record) => (isHeader(record as JsonObject) ? headShape : lineShape)(record),
  begin: (_, head) => new Chat(head),
  // A session that is resumed may repeat its header.
  begins: (record, { header }) =>
    isHeader(record) && (header.sessionId !== record.sessionId || record.messages !== undefined),
  record(record, { line }, chat, context) {
    if (isHeader(record)) return chat.begin(record, context)
    const changes = objectOf(record.$set)
    if (typeof record.$rewindTo === 'string') chat.rewind(record.$rewindTo)
    else if (!changes) return chat.add(record, line)
    else return Array.isArray(changes.messages) ? chat.replace(changes.messages, line) : 'no-context'
  },
  end: (chat, context) => chat.write(context),
})

interface Entry {
  readonly record: JsonObject
  readonly line: number
}

/** The agent's own history from here on: the ids of its messages, and those of them that were not said before. */
interface Replacement {
  readonly kept: ReadonlySet<string>
  readonly summary: readonly Entry[]
  /** Results whose content was replaced, by the id of their call. */
  readonly masked: ReadonlyMap<string, readonly Block[]>
  /** Whether messages left, or were replaced by others. */
  readonly isCompaction: boolean
  /** Id of the last message in front of it. */
  readonly after: string | undefined
  readonly line: number
}

class Chat {
  readonly header: JsonObject
  /** By id. A map keeps its order when an entry is replaced. */
  readonly #entries = new Map<string, Entry>()
  #replacements: Replacement[] = []
  readonly #takenBack: Entry[] = []
  /** Ids of the messages that the agent has no longer, and of those that took their place. */
  readonly #gone = new Set<string>()
  readonly #put = new Set<string>()
  /** Ids of the calls whose results have been masked. */
  readonly #masked = new Set<string>()

  constructor(header: JsonObject) {
    this.header = header
  }

  begin(header: JsonObject, context: ReaderContext): Outcome {
    if (header !== this.header) return 'no-context'
    readItems(context, itemsOf(header.messages), toldShape, (message, at) => this.add(message, at))
    return 'used'
  }

  add(record: JsonObject, line: number): Outcome {
    const type = stringOf(record.type) ?? ''
    if (!types.has(type)) return type === '' ? bad : unknown(type)
    if (!isMessage(record)) return bad
    const id = record.id as string
    this.#entries.set(id, { record, line: this.#entries.get(id)?.line ?? line })
    return notices.has(type) ? 'no-context' : 'used'
  }

  /** Takes back a message and everything after it; everything if there is no such message, as the program does. */
  rewind(to: string): void {
    let found = !this.#entries.has(to)
    for (const [id, entry] of this.#entries) {
      found ||= id === to
      if (!found) continue
      this.#takenBack.push(entry)
      this.#entries.delete(id)
    }
    this.#replacements = this.#replacements.filter(({ after }) => after === undefined || this.#entries.has(after))
  }

  replace(messages: readonly unknown[], line: number): Outcome {
    const entries = messages
      .map(objectOf)
      .filter((message) => message !== undefined)
      .filter(isMessage)
    const kept = new Set(entries.map(({ id }) => id as string))
    const after = [...this.#entries.keys()].at(-1)
    const summary = entries.filter(({ id }) => !this.#entries.has(id as string)).map((record) => ({ record, line }))
    const isNew = summary.some(({ record }) => !this.#put.has(record.id as string))
    const leaving = [...this.#entries].filter(
      ([id, { record }]) => !kept.has(id) && !this.#gone.has(id) && !notices.has(record.type),
    )
    const masked = new Map(entries.flatMap((record) => this.#maskedIn(record)))
    if (!isNew && leaving.length === 0 && masked.size === 0) return 'no-context'
    for (const id of masked.keys()) this.#masked.add(id)
    for (const [id] of leaving) this.#gone.add(id)
    for (const { record } of summary) this.#put.add(record.id as string)
    const isCompaction = isNew || leaving.length > 0
    this.#replacements.push({ kept, summary, masked, after, line, isCompaction })
    return 'used'
  }

  /** The results in a message that are other than they were, by the id of their call. */
  #maskedIn(record: JsonObject): (readonly [string, readonly Block[]])[] {
    const before = this.#entries.get(record.id as string)
    if (!before) return []
    const were = new Map(resultsIn(before.record))
    return resultsIn(record).filter(([id, blocks]) => {
      const old = were.get(id)
      return old !== undefined && !this.#masked.has(id) && jsonText(old) !== jsonText(blocks)
    })
  }

  write(context: ReaderContext): void {
    const session = new Session()
    const starts = new Map<string, number>()
    const [first] = this.#replacements
    if (first && first.after === undefined) this.#apply(session, first, starts)
    for (const [id, entry] of this.#entries) {
      starts.set(id, session.length)
      write(entry, session)
      for (const replacement of this.#replacements) {
        if (replacement.after === id) this.#apply(session, replacement, starts)
      }
    }
    for (const { record, line } of this.#takenBack) {
      const model = textIn(record, 'model')
      session.tookBack({ line, time: timeOf(record.timestamp), model, usage: usageIn(record.tokens) })
    }
    const { sessionId, kind, directories } = this.header
    const isSubagent = kind === 'subagent'
    session.write(context, {
      conversation: sessionId,
      provider: 'google',
      ...(isSubagent && {
        // A sub-agent's file lies in a directory named after its parent.
        parent: /\/chats\/([^/]+)\/[^/]+$/.exec(context.file.replaceAll('\\', '/'))?.[1],
        cwd: itemsOf(directories)[0],
      }),
    })
  }

  #apply(session: Session, replacement: Replacement, starts: ReadonlyMap<string, number>): void {
    const { kept, summary, masked, line } = replacement
    session.clearing(masked, line)
    if (!replacement.isCompaction) return
    const keptFrom = [...starts].find(([id]) => kept.has(id))?.[1]
    const messages = summary.flatMap(({ record }) => googleMessages(record, line))
    session.compaction(messages, line, keptFrom)
  }
}

function write({ record, line }: Entry, session: Session): void {
  const time = timeOf(record.timestamp)
  if (record.type === 'user') {
    const blocks = googleBlocks(record.content)
    const [first] = blocks
    const text = first?.type === 'text' ? first.text.trimStart() : ''
    // Commands of the program itself.
    if (/^[/?]/.test(text) && blocks.length === 1) return
    const isInjected = /^<(?:session|hook)_context>/.test(text)
    session.prompt(blocks, { line, time }, isInjected ? 'injected' : undefined)
  }
  if (record.type !== 'gemini') return
  const calls = itemsOf(record.toolCalls)
    .map(objectOf)
    .filter((call) => call !== undefined)
  const blocks = responseBlocks(record, calls)
  const usage = usageIn(record.tokens)
  const { last } = session
  const goesOn = !usage && !record.content && last?.role === 'assistant' && !last.blocks.some(isCall)
  // Its thoughts are those of the response that follows, and recorded there too.
  if (goesOn) session.continueResponse(blocks.filter(isCall))
  else session.response(blocks, { line, time, usage, model: textIn(record, 'model') })
  for (const call of calls) writeResults(call, line, session)
}

function resultsIn(record: JsonObject): (readonly [string, readonly Block[]])[] {
  return itemsOf(record.toolCalls).flatMap((value) => {
    const call = objectOf(value)
    const id = stringOf(call?.id) ?? ''
    const own = functionResults(call?.result).find((result) => result.id === '' || result.id === id)
    return own && id !== '' ? [[id, own.blocks] as const] : []
  })
}

function writeResults(call: JsonObject, line: number, session: Session): void {
  const time = timeOf(call.timestamp)
  const id = stringOf(call.id) ?? ''
  const failed = call.status === 'error' || call.status === 'cancelled'
  // One list may hold the results of all parallel calls.
  const results = functionResults(call.result).filter((result) => result.id === '' || id === '' || result.id === id)
  const blocks = googleBlocks(call.result)
  const plain: FunctionResult[] = blocks.length > 0 ? [{ id, name: stringOf(call.name), blocks, isError: false }] : []
  for (const result of results.length > 0 ? results : plain) {
    const { name, isError } = result
    session.result(result.blocks, { line, time, id: id || result.id, name, isError: isError || failed })
  }
}

/** Newer versions keep all parts of a response in its content, older ones its text only. */
function responseBlocks(record: JsonObject, calls: readonly JsonObject[]): Block[] {
  const content = googleBlocks(record.content)
  const thoughts = content.some(({ type }) => type === 'thinking')
    ? []
    : itemsOf(record.thoughts).flatMap(thoughtBlocks)
  if (content.some(isCall)) return [...thoughts, ...content]
  return [...thoughts, ...content, ...calls.map(({ id, name, args }) => callBlock(id, name, args ?? {}))]
}

function isCall({ type }: Block): boolean {
  return type === 'call'
}

function thoughtBlocks(value: unknown): Block[] {
  const thought = objectOf(value)
  const text = [thought?.subject, thought?.description].filter((part) => typeof part === 'string' && part !== '')
  return text.length > 0 ? [{ type: 'thinking', text: text.join('\n') }] : []
}

function usageIn(value: unknown): Usage | undefined {
  const usage = usageBy(usageKeys.geminiCli, value)
  return usage && usage.input + usage.output !== 0 ? usage : undefined
}

function isHeader(record: JsonObject): boolean {
  return typeof record.sessionId === 'string' && typeof record.projectHash === 'string'
}

function isMessage(record: JsonObject): boolean {
  if (typeof record.id !== 'string' || typeof record.timestamp !== 'string' || !('content' in record)) return false
  return types.has(record.type)
}
