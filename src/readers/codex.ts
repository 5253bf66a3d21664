/**
 * Codex CLI's rollout files (`~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`), and those from before September 2025,
 * which hold bare items.
 *
 * - A response is what the model wrote between two counts of tokens. Its count is written only after the tools have run,
 *   so results stand between its items, and come behind it here. Where no count comes, a response is what the model
 *   wrote without anything in between.
 * - `event_msg` repeats the items for the screen: only its counts, its rollbacks and the ends of its tasks are read.
 * - The system prompt is recorded, the built-in tools are not.
 */
import type { Message, Preamble, Usage } from '../model/message.ts'
import { type JsonObject, objectOf, responsesBlocks, stringOf } from './blocks.ts'
import { timeOf } from './bodies.ts'
import { TokenCounts } from './codex/counts.ts'
import { PendingResponse } from './codex/pending.ts'
import type { Reader, ReaderContext, Reading, TranscriptWriter } from './reader.ts'
import { isMessage, responseBlocks, resultOf } from './responses.ts'

const lineTypes = new Set([
  'compacted',
  'event_msg',
  'inter_agent_communication_metadata',
  'response_item',
  'session_meta',
  'turn_context',
  'world_state',
])

/** User messages that begin like this are context that the program adds by itself. */
const wrappers = [
  '# AGENTS.md instructions',
  '<apps_instructions>',
  '<collaboration_mode>',
  '<environment_context>',
  '<hook_context>',
  '<model_switch>',
  '<multi_agent_mode>',
  '<permissions instructions>',
  '<plugins_instructions>',
  '<recommended_plugins>',
  '<skill>',
  '<skills_instructions>',
  '<subagent_notification>',
  '<turn_aborted>',
  '<user_action>',
  '<user_instructions>',
  '<user_shell_command>',
]

const reader: Reader = {
  name: 'codex',
  summary: 'Codex CLI rollouts',
  source: '~/.codex/sessions/*/*/*/rollout-*.jsonl',
  recognise(record) {
    const object = objectOf(record)
    if (!object) return 0
    if (objectOf(object.payload)) return typeof object.type === 'string' && lineTypes.has(object.type) ? 1 : 0
    if (isDocument(object) || object.record_type === 'state') return 1
    if (isOldHead(object)) return 0.9
    return typeof object.type === 'string' && isItem(object) ? 0.6 : 0
  },
  read: (context) => new Rollout(context),
}

export default reader

class Rollout implements Reading {
  readonly #context: ReaderContext
  #opened: TranscriptWriter | undefined
  #preamble: Preamble = { system: [], complete: false }
  #hasHead = false
  #model: string | undefined
  /** From the first item of a response on, until its count or something else ends it. */
  readonly #pending = new PendingResponse()
  readonly #counts = new TokenCounts()
  /** Where each message of a user stands: what a rollback counts. */
  #turns: number[] = []
  /** A task begins with what the user asks and ends when the agent goes idle; older files do not mark them. */
  #inTask = false
  #hasAnswered = false
  readonly #unknown = new Set<unknown>()

  constructor(context: ReaderContext) {
    this.#context = context
  }

  record(value: unknown, line: number): void {
    const record = objectOf(value)
    const payload = objectOf(record?.payload)
    if (!record) this.#bad(line)
    else if (payload) this.#line(record, payload, line)
    else if (lineTypes.has(stringOf(record.type) ?? '')) this.#bad(line)
    else if (isDocument(record)) this.#document(record)
    else if (isOldHead(record)) this.#head(record, line)
    else if (record.record_type !== 'state') this.#item(record, timeOf(record.timestamp), line)
  }

  end(): void {
    this.#endResponse()
  }

  #line(record: JsonObject, payload: JsonObject, line: number): void {
    switch (record.type) {
      case 'response_item':
        this.#item(payload, timeOf(record.timestamp), line)
        return
      case 'event_msg':
        this.#event(payload)
        return
      case 'session_meta':
        this.#head(payload, line)
        return
      case 'turn_context':
        this.#model = stringOf(payload.model) ?? this.#model
        return
      case 'compacted':
        this.#compacted(payload, line)
        return
      default:
        if (!lineTypes.has(stringOf(record.type) ?? '')) this.#unknownKind(record.type, line)
    }
  }

  /** Codex was a TypeScript program in 2025-04, and a session one document. */
  #document(document: JsonObject): void {
    this.#head(objectOf(document.session) ?? {}, 1)
    for (const [index, item] of (document.items as unknown[]).entries()) {
      const object = objectOf(item)
      if (object) this.#item(object, timeOf(object.timestamp), index + 1)
      else this.#bad(index + 1)
    }
  }

  /** It is written again when a session is taken up, and a fork carries its parent's: the first one is this session's. */
  #head(head: JsonObject, line: number): void {
    if (this.#hasHead) return
    this.#hasHead = true
    const spawn = objectOf(objectOf(objectOf(head.source)?.subagent)?.thread_spawn)
    const parent = [head.forked_from_id, head.parent_thread_id, spawn?.parent_thread_id].find((id) => stringOf(id))
    this.#writer.describe({
      conversation: stringOf(head.id) ?? null,
      ...(typeof head.cwd === 'string' && { cwd: head.cwd }),
      ...(typeof parent === 'string' && { parent }),
    })
    const { text } = objectOf(head.base_instructions) ?? {}
    const system: Message[] =
      typeof text === 'string' ? [{ role: 'system', line, blocks: [{ type: 'text', text }] }] : []
    const tools = Array.isArray(head.dynamic_tools) && head.dynamic_tools.length > 0 ? head.dynamic_tools : undefined
    this.#preamble = { system: [...system, ...this.#preamble.system], complete: false, ...(tools && { tools }) }
    this.#writer.preamble(this.#preamble)
  }

  get #writer(): TranscriptWriter {
    this.#opened ??= this.#context.open({ conversation: null, provider: 'openai' })
    return this.#opened
  }

  #item(item: JsonObject, time: number | undefined, line: number): void {
    const blocks = responseBlocks(item)
    if (blocks) {
      this.#hasAnswered = true
      this.#pending.add({ role: undefined, line, blocks, time, model: this.#model })
      return
    }
    const result = resultOf(item, line)
    if (result) this.#add(result, time)
    else if (item.type === 'agent_message') this.#said(item, !this.#hasAnswered, time, line)
    else if (!isMessage(item)) this.#unknownKind(item.type, line)
    else if (item.role === 'user') this.#said(item, asksSomething(item.content), time, line)
    else if (item.role === 'developer' || item.role === 'system') this.#instructed(item, time, line)
    else this.#bad(line)
  }

  /** A message of the user's, of the program in the user's name, or of another agent. */
  #said(item: JsonObject, asks: boolean, time: number | undefined, line: number): void {
    const message: Message = { role: 'user', line, blocks: responsesBlocks(item.content) }
    if (!asks) {
      this.#add({ ...message, origin: 'injected' }, time)
      return
    }
    const queued = this.#inTask && this.#hasAnswered
    if (!queued) this.#endResponse()
    this.#add(queued ? { ...message, origin: 'queued' } : message, time)
  }

  /** Instructions in front of everything are sent in front of everything; later ones stand where they were given. */
  #instructed(item: JsonObject, time: number | undefined, line: number): void {
    const message: Message = { role: 'system', line, blocks: responsesBlocks(item.content) }
    if (this.#writer.length > 0 || this.#pending.length > 0) {
      this.#add(message, time)
      return
    }
    this.#preamble = { ...this.#preamble, system: [...this.#preamble.system, message] }
    this.#writer.preamble(this.#preamble)
  }

  #add(message: Message, time: number | undefined): void {
    const timed = time === undefined ? message : { ...message, time }
    if (this.#pending.length > 0) this.#pending.add(timed)
    else this.#write(timed)
  }

  #write(message: Message): void {
    if (message.role === 'user' && message.origin !== 'injected') this.#turns.push(this.#writer.length)
    this.#writer.message(message)
  }

  #event(event: JsonObject): void {
    switch (event.type) {
      case 'token_count':
        this.#counted(objectOf(event.info))
        return
      case 'task_started':
      case 'turn_started':
        this.#endResponse()
        this.#inTask = true
        this.#hasAnswered = false
        return
      case 'task_complete':
      case 'turn_complete':
      case 'turn_aborted':
        this.#endResponse()
        this.#inTask = false
        this.#hasAnswered = false
        return
      case 'thread_rolled_back':
        this.#rollBack(event.num_turns)
    }
  }

  #counted(info: JsonObject | undefined): void {
    const usage = this.#counts.next(info)
    if (usage) this.#endResponse(usage)
  }

  /** @param usage what was counted for all that is pending: then it is one response */
  #endResponse(usage?: Usage): void {
    if (this.#pending.length === 0) return
    const messages = usage ? this.#pending.counted(usage) : this.#pending.uncounted()
    for (const message of messages) this.#write(message)
  }

  #rollBack(turns: unknown): void {
    this.#endResponse()
    if (typeof turns !== 'number' || !(turns >= 1)) return
    const first = Math.max(0, this.#turns.length - Math.floor(turns))
    const start = this.#turns[first]
    if (start === undefined) return
    this.#writer.rewind(start)
    this.#turns.length = first
  }

  /** From here on the agent saw the replacement, which the history does not hold. */
  #compacted(payload: JsonObject, line: number): void {
    this.#endResponse()
    const at = this.#writer.length
    this.#writer.compaction({ at, keptFrom: at, summary: summaryOf(payload, line), line })
  }

  #unknownKind(type: unknown, line: number): void {
    if (type === 'ghost_snapshot') return
    const kind = stringOf(type)
    if (this.#unknown.has(kind)) return
    this.#unknown.add(kind)
    this.#context.finding({ code: 'unknown-record', line }, false)
  }

  #bad(line: number): void {
    this.#context.finding({ code: 'bad-record', line }, true)
  }
}

function isDocument(record: JsonObject): boolean {
  return objectOf(record.session) !== undefined && Array.isArray(record.items)
}

function isOldHead(record: JsonObject): boolean {
  return record.type === undefined && typeof record.id === 'string' && 'instructions' in record && 'timestamp' in record
}

function isItem(record: JsonObject): boolean {
  if (isMessage(record)) return Array.isArray(record.content) && record.content.some(isResponsesPart)
  return responseBlocks(record) !== undefined || resultOf(record, 0) !== undefined
}

function isResponsesPart(part: unknown): boolean {
  const type = objectOf(part)?.type
  return type === 'input_text' || type === 'output_text'
}

function asksSomething(content: unknown): boolean {
  const parts = Array.isArray(content) ? content : [content]
  return parts.some((part) => {
    const text = typeof part === 'string' ? part : objectOf(part)?.text
    return typeof text !== 'string' || !wrappers.some((wrapper) => text.startsWith(wrapper))
  })
}

/** The items that took the place of the history; before 2026 only a text, which the agent was told in the user's name. */
function summaryOf(payload: JsonObject, line: number): Message[] {
  if (!Array.isArray(payload.replacement_history)) {
    return [{ role: 'user', line, origin: 'injected', blocks: responsesBlocks(payload.message) }]
  }
  return payload.replacement_history.flatMap((value): Message[] => {
    const item = objectOf(value)
    if (!item) return []
    const written = responseBlocks(item)
    if (written) return [{ role: 'assistant', line, blocks: written }]
    const result = resultOf(item, line)
    if (result) return [result]
    const blocks = responsesBlocks(item.content)
    return [
      item.role === 'user' ? { role: 'user', line, blocks, origin: 'injected' } : { role: 'system', line, blocks },
    ]
  })
}
