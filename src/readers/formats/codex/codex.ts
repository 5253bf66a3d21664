/**
 * Codex CLI's rollout files (`~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`), and those from before September 2025,
 * which hold bare items.
 *
 * - A response is what the model wrote between two token counts. Its count is written only after the tools have run, so
 *   tool results are recorded between its items; here they follow it. Without counts, a response is a sequence of the
 *   model's items with nothing in between.
 * - `event_msg` repeats the items for the screen: only its token counts, rollbacks and task boundaries are read.
 * - The system prompt is recorded, the built-in tools are not.
 */

import { type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import { setOf } from '../../../base/words.ts'
import type { Block, Message, Preamble, Usage } from '../../../model/message.ts'
import {
  bad,
  defineReader,
  type Outcome,
  type ReaderContext,
  type Reading,
  type Shape,
  type TranscriptWriter,
  tell,
  unknown,
} from '../../reader.ts'
import { responsesBlocks, responsesPartsShape } from '../../wire/blocks.ts'
import { definitionsShape, timeOf } from '../../wire/bodies.ts'
import { isItem, isMessage, itemShape, responseBlocks, resultOf } from '../../wire/responses.ts'
import { both, keys, kinds, listOf, oddIn, optional, orNull } from '../../wire/shape.ts'
import { sideCallOf } from '../../wire/side-calls.ts'
import { atTier } from '../../wire/usage.ts'
import { countsShape, infoShape, ownTotal, type PlainCounts, TokenCounts } from './counts.ts'
import { type HiddenSummary, hiddenSummary, ownTokens } from './hidden-summary.ts'
import { Inheritance, type PlainInheritance, parentOf } from './inheritance.ts'
import { PendingResponse, type Written } from './pending.ts'

const lineTypes = setOf(`
  compacted event_msg inter_agent_communication_metadata response_item session_meta token_usage_record turn_context
  world_state
`)

/** Events for the screen: the model sees their content in an item, or not at all. */
const shown = setOf(`
  agent_message agent_message_delta agent_reasoning agent_reasoning_delta agent_reasoning_raw_content
  agent_reasoning_raw_content_delta agent_reasoning_section_break apply_patch_approval_request background_event
  collab_agent_interaction_begin collab_agent_interaction_end collab_agent_spawn_begin collab_agent_spawn_end
  collab_close_begin collab_close_end collab_resume_begin collab_resume_end collab_waiting_begin collab_waiting_end
  context_compacted deprecation_notice dynamic_tool_call_request dynamic_tool_call_response elicitation_request
  entered_review_mode error exec_approval_request exec_command_begin exec_command_end exec_command_output_delta
  exited_review_mode get_history_entry_response guardian_assessment image_generation_begin image_generation_end
  item_completed item_started list_custom_prompts_response list_skills_response mcp_list_tools_response
  mcp_startup_complete mcp_startup_update mcp_tool_call_begin mcp_tool_call_end model_reroute patch_apply_begin
  patch_apply_end plan_update raw_response_item request_user_input session_configured shutdown_complete
  skills_update_available stream_error sub_agent_activity terminal_interaction thread_goal_updated thread_name_updated
  turn_diff undo_completed undo_started user_message view_image_tool_call warning web_search_begin web_search_end
`)

/** User messages that begin like this are context that the program added. */
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

const handedShape = keys({ content: responsesPartsShape })
/** Codex writes content as parts, where the API also allows a text. */
const ownItemShape = both(keys({ content: optional(responsesPartsShape) }), itemShape)

const codexItemShape: Shape = (item) => (objectOf(item)?.type === 'agent_message' ? handedShape : ownItemShape)(item)

// An item that is no object is counted as bad where the summary is read.
const replacementShape = listOf((item) => (objectOf(item) ? codexItemShape(item) : null))
const hiddenShape = keys({ replacement_history: replacementShape })
const compactedShape = keys({ message: 'string', replacement_history: optional(replacementShape) })

/**
 * Versions that name the provider write beside it the system prompt or, like older ones, the user's instructions, or null.
 */
const instructedShape: Shape = (head) => {
  const has = (key: string): boolean => Object.hasOwn(Object(head), key)
  return has('base_instructions') || has('instructions') || !has('model_provider') ? null : 'base_instructions'
}

const headShape = keys({
  id: 'string',
  base_instructions: optional(keys({ text: 'string' })),
  dynamic_tools: optional(definitionsShape),
})

const lineShape = kinds('type', {
  session_meta: keys({ payload: both(headShape, instructedShape) }),
  response_item: keys({ payload: codexItemShape }),
  token_usage_record: keys({ payload: keys({ usage: countsShape }) }),
  event_msg: keys({ payload: kinds('type', { token_count: keys({ info: orNull(infoShape) }) }) }),
  // Without a text, the summary is among the items that took the place of the history.
  compacted: keys({
    payload: (payload) => (objectOf(payload)?.message === '' ? hiddenShape : compactedShape)(payload),
  }),
})

/** A document is checked item by item. */
const recordShape: Shape = (value) => {
  const record = objectOf(value) ?? {}
  if (objectOf(record.payload)) return lineShape(record)
  return isDocument(record) || isOldHead(record) || record.record_type === 'state' ? null : codexItemShape(record)
}

export default defineReader({
  name: 'codex',
  program: 'codex',
  summary: 'Codex CLI rollouts',
  source: '~/.codex/sessions/*/*/*/rollout-*.jsonl',
  places: ['sessions', 'archived_sessions'].map((directory) => ({
    directories: [`$CODEX_HOME/${directory}`, `~/.codex/${directory}`],
    files: '**/rollout-*.{json,jsonl}',
    session: /rollout-[\dT-]*?-([\da-f]{8}-[^/]+)\.jsonl?$/,
  })),
  shapes: [
    ['timestamp', 'type', 'payload', 'payload.type', 'payload.role'],
    ['id', 'timestamp', 'instructions'],
    ['session', 'items', 'session.id', 'session.instructions', 'items.role'],
  ],
  recognise(record) {
    const object = objectOf(record)
    if (!object) return 0
    if (objectOf(object.payload)) return lineTypes.has(object.type) ? 1 : 0
    if (isDocument(object) || object.record_type === 'state') return 1
    if (isOldHead(object)) return 0.9
    return typeof object.type === 'string' && isItem(object) ? 0.6 : 0
  },
  shape: recordShape,
  read: (context) => new Rollout(context),
  resume: (context, plain, [writer]) => new Rollout(context, plain as PlainRollout, writer),
})

/** A billed response of which no item was recorded: of a compaction, or one that was broken off. */
interface Alone {
  readonly usage: Usage
  readonly id: string | undefined
  readonly model: string | undefined
  readonly time: number | undefined
  readonly line: number
}

/** What is known of a session between two lines, as plain data. */
class State {
  preamble: Preamble = { system: [], complete: false }
  /** The system prompt, if the head has it. */
  prompt: string | undefined
  hasJustCompacted = false
  hidden: HiddenSummary | undefined
  hasHead = false
  id: unknown
  model: string | undefined
  window: number | undefined
  /** The service tier of the session, as it was last set. */
  tier: unknown
  alone: Alone | null = null
  /** The first thread of the family, of which forks copy lines; undefined where it is not named. */
  thread: string | undefined
  turn: string | undefined
  /** The index of each user message: a rollback counts them. */
  turns: number[] = []
  /** A task goes from the user's request until the agent is idle. Older files do not mark tasks. */
  inTask = false
  hasAnswered = false
  /** How many messages in front are instructions that did not last. */
  passing = 0
}

interface PlainRollout extends State {
  readonly pending: readonly (Message | Written)[]
  readonly counts: PlainCounts
  readonly inheritance: PlainInheritance | null
}

class Rollout implements Reading {
  readonly #context: ReaderContext
  #opened: TranscriptWriter | undefined
  readonly #state = new State()
  /** The items of the current response, until its token count or something else ends it. */
  readonly #pending = new PendingResponse()
  readonly #counts: TokenCounts
  #inheritance: Inheritance | null

  /** @param plain as `state` gave it, and the transcript that was being written then; default: the start of a file */
  constructor(context: ReaderContext, plain?: PlainRollout, writer?: TranscriptWriter) {
    const { pending = [], counts, inheritance = null, ...state } = plain ?? {}
    this.#context = context
    this.#opened = writer
    Object.assign(this.#state, state)
    for (const item of pending) this.#pending.add(item)
    this.#counts = new TokenCounts(counts)
    this.#inheritance = inheritance && new Inheritance(inheritance)
  }

  state(): PlainRollout {
    const inheritance = this.#inheritance?.plain ?? null
    return { ...this.#state, pending: this.#pending.items, counts: this.#counts.plain, inheritance }
  }

  record(value: unknown, line: number): Outcome {
    const record = objectOf(value)
    const payload = objectOf(record?.payload)
    if (!record) return bad
    if (payload) {
      this.#inherit(record)
      return this.#line(record, payload, line)
    }
    if (lineTypes.has(record.type)) return bad
    if (isDocument(record)) return this.#document(record)
    if (isOldHead(record)) return this.#head(record, line)
    return record.record_type === 'state' ? 'no-context' : this.#item(record, timeOf(record.timestamp), line)
  }

  end(): void {
    this.#endCompaction(null)
    this.#endResponse()
    this.#endInheritance()
    this.#bill('taken-back')
  }

  /** Looks whether a line of a fork is the first of its own. */
  #inherit(record: JsonObject): void {
    const inheritance = this.#inheritance
    if (!inheritance) return
    if (inheritance.endsBefore(record)) this.#endInheritance()
    else if (inheritance.isNumbered) this.#inherits(inheritance)
  }

  /** From here on until `#endInheritance`, what is read is the parent's: its responses count there. */
  #inherits(inheritance: Inheritance): void {
    if (inheritance.isFound) return
    inheritance.found()
    this.#writer.describe({ forkMessage: Number.MAX_SAFE_INTEGER })
  }

  #endInheritance(): void {
    const inheritance = this.#inheritance
    this.#inheritance = null
    if (!inheritance?.isFound) return
    this.#endCompaction(null)
    this.#endResponse()
    this.#state.alone = null
    this.#writer.describe({ forkMessage: this.#writer.length })
  }

  #line(record: JsonObject, payload: JsonObject, line: number): Outcome {
    switch (record.type) {
      case 'response_item':
        return this.#item(payload, timeOf(record.timestamp), line)
      case 'event_msg':
        return this.#event(payload, timeOf(record.timestamp), line)
      case 'token_usage_record':
        this.#counted(this.#counts.record(payload), {
          id: stringOf(payload.response_id),
          time: timeOf(record.timestamp),
          line,
        })
        return 'used'
      case 'session_meta':
        return this.#head(payload, line, timeOf(record.timestamp))
      case 'turn_context':
        this.#state.model = stringOf(payload.model) ?? this.#state.model
        this.#state.turn = stringOf(payload.turn_id) ?? this.#state.turn
        return 'used'
      case 'compacted':
        return this.#compacted(payload, line)
      default:
        return lineTypes.has(record.type) ? 'no-context' : unknown(record.type)
    }
  }

  /** Files of the TypeScript version of April 2025: a session is one document. */
  #document(document: JsonObject): Outcome {
    this.#head(objectOf(document.session) ?? {}, 1)
    for (const [index, item] of (document.items as unknown[]).entries()) {
      const object = objectOf(item)
      const outcome = object ? this.#item(object, timeOf(object.timestamp), index + 1) : bad
      tell(this.#context, typeof outcome === 'object' ? outcome : oddIn(codexItemShape, item), index + 1)
    }
    return 'used'
  }

  /** Reads the first head only: it is repeated when a session is resumed, and a fork also contains its parent's. */
  #head(head: JsonObject, line: number, time = timeOf(head.timestamp)): Outcome {
    // A fork of a fork has the heads of both in front, the oldest last.
    if (this.#counts.total.input === 0) this.#state.thread = stringOf(head.id) ?? this.#state.thread
    if (this.#state.hasHead) {
      const isParents = head.id !== this.#state.id && this.#writer.length + this.#pending.length === 0
      if (this.#inheritance && isParents) this.#inherits(this.#inheritance)
      return 'no-context'
    }
    this.#state.hasHead = true
    this.#state.id = head.id
    this.#writer.describe({
      conversation: stringOf(head.id) ?? null,
      cwd: stringOf(head.cwd),
      parent: parentOf(head),
      version: stringOf(head.cli_version),
    })
    this.#inheritance = Inheritance.of(head, time)
    const text = stringOf(objectOf(head.base_instructions)?.text)
    this.#state.prompt = text
    const system: Message[] = text === undefined ? [] : [{ role: 'system', line, blocks: [{ type: 'text', text }] }]
    const tools = Array.isArray(head.dynamic_tools) && head.dynamic_tools.length > 0 ? head.dynamic_tools : undefined
    this.#state.preamble = {
      system: [...system, ...this.#state.preamble.system],
      complete: false,
      ...(tools && { tools }),
    }
    this.#writer.preamble(this.#state.preamble)
    return 'used'
  }

  get #writer(): TranscriptWriter {
    this.#opened ??= this.#context.open({ conversation: null, provider: 'openai' })
    return this.#opened
  }

  #item(item: JsonObject, time: number | undefined, line: number): Outcome {
    this.#endCompaction(null)
    const blocks = responseBlocks(item)
    const result = resultOf(item, line)
    if (blocks) {
      this.#state.hasAnswered = true
      this.#state.hasJustCompacted = false
      this.#bill('taken-back')
      this.#pending.add({ role: undefined, line, blocks, time, model: this.#state.model })
    } else if (result) this.#add(result, time)
    else if (item.type === 'agent_message') this.#said(item, !this.#state.hasAnswered, time, line)
    else if (item.type === 'ghost_snapshot') return 'no-context'
    else if (!isMessage(item)) return unknown(item.type)
    else if (item.role === 'user') this.#said(item, asksSomething(item.content), time, line)
    else if (item.role === 'developer' || item.role === 'system') this.#instructed(item, time, line)
    else return bad
    return 'used'
  }

  /** A message of the user, of the program in the user's name, or of another agent. */
  #said(item: JsonObject, asks: boolean, time: number | undefined, line: number): void {
    const message: Message = { role: 'user', line, blocks: responsesBlocks(item.content) }
    if (!asks) {
      this.#add({ ...message, origin: 'injected' }, time)
      return
    }
    const queued = this.#state.inTask && this.#state.hasAnswered
    if (!queued) this.#endResponse()
    this.#add(queued ? { ...message, origin: 'queued' } : message, time)
  }

  /** Instructions before the first message belong to the preamble; later ones are messages where they were given. */
  #instructed(item: JsonObject, time: number | undefined, line: number): void {
    const message: Message = { role: 'system', line, blocks: responsesBlocks(item.content) }
    if (this.#writer.length > this.#state.passing || this.#pending.length > 0) {
      for (const one of this.#state.hasJustCompacted ? this.#unrepeated(message) : [message]) this.#add(one, time)
      return
    }
    const [passing, lasting] = [true, false].map((is) => message.blocks.filter((block) => isPassing(block) === is))
    this.#state.preamble = {
      ...this.#state.preamble,
      system: [...this.#state.preamble.system, { ...message, blocks: lasting! }],
    }
    this.#writer.preamble(this.#state.preamble)
    if (passing!.length === 0) return
    this.#state.passing++
    this.#add({ ...message, blocks: passing! }, time)
  }

  #add(message: Message, time: number | undefined): void {
    const timed = time === undefined ? message : { ...message, time }
    if (this.#pending.length > 0) this.#pending.add(timed)
    else this.#write(timed)
  }

  #write(message: Message): void {
    if (message.role === 'user' && message.origin !== 'injected') this.#state.turns.push(this.#writer.length)
    this.#writer.message(message)
  }

  #event(event: JsonObject, time: number | undefined, line: number): Outcome {
    switch (event.type) {
      case 'token_count':
        this.#sized(objectOf(event.info)?.model_context_window)
        this.#measured(objectOf(event.info))
        this.#counted(this.#counts.next(objectOf(event.info)), { id: this.#placeId(), time, line })
        return 'used'
      case 'task_started':
      case 'turn_started':
        this.#state.turn = stringOf(event.turn_id) ?? this.#state.turn
        this.#sized(event.model_context_window)
        this.#endResponse()
        this.#state.inTask = true
        this.#state.hasAnswered = false
        return 'used'
      case 'task_complete':
      case 'turn_complete':
      case 'turn_aborted':
        this.#endResponse()
        this.#state.inTask = false
        this.#state.hasAnswered = false
        return 'used'
      case 'thread_settings_applied':
        this.#state.tier = objectOf(event.thread_settings)?.service_tier
        return 'no-context'
      case 'thread_rolled_back':
        return this.#rollBack(event.num_turns)
      default:
        return shown.has(event.type) ? 'no-context' : unknown(event.type)
    }
  }

  /** Notes the window of the session. It changes with the model, and the newest one counts. */
  #sized(window: unknown): void {
    if (window === this.#state.window || typeof window !== 'number' || !(window > 0)) return
    this.#state.window = window
    this.#writer.describe({ window })
  }

  /** What a response without an id of its own is known by, in copies of it too: its thread, its turn, and the sums with it. */
  #placeId(): string | undefined {
    const { input, output } = this.#counts.total
    if (this.#state.thread === undefined || input === 0) return undefined
    return `${this.#state.thread}/${this.#state.turn ?? ''}/${input}/${output}`
  }

  #counted(counts: Usage | undefined, { id, time, line }: Omit<Alone, 'usage' | 'model'>): void {
    if (!counts) return
    const usage = atTier(counts, this.#state.tier)
    this.#bill('taken-back')
    if (this.#pending.length > 0) this.#endResponse(usage, id)
    else this.#state.alone = { usage, id, model: this.#state.model, time, line }
  }

  /** Bills a response without an item. */
  #bill(kind: 'summary' | 'taken-back'): void {
    if (this.#state.alone && !this.#inheritance?.isFound) {
      const { id, ...call } = this.#state.alone
      this.#writer.sideCall(sideCallOf({ kind, ...call }))
    }
    this.#state.alone = null
  }

  /** @param usage the count for everything that is pending, which is then one response */
  #endResponse(usage?: Usage, id?: string): void {
    if (this.#pending.length === 0) return
    const messages = usage ? this.#pending.counted(usage, id) : this.#pending.uncounted()
    for (const message of messages) this.#write(message)
  }

  #rollBack(turns: unknown): Outcome {
    this.#endCompaction(null)
    this.#endResponse()
    if (typeof turns !== 'number' || !(turns >= 1)) return bad
    const first = Math.max(0, this.#state.turns.length - Math.floor(turns))
    const start = this.#state.turns[first]
    if (start === undefined) return 'used'
    this.#writer.rewind(start)
    this.#state.turns.length = first
    return 'used'
  }

  /** The agent saw a replacement from here on: it becomes a recorded compaction, not a part of the history. */
  #compacted(
    { replacement_history: replacement, message, compaction_response_id: id = this.#state.alone?.id }: JsonObject,
    line: number,
  ): Outcome {
    this.#endCompaction(null)
    this.#endResponse()
    this.#bill(id === this.#state.alone?.id ? 'summary' : 'taken-back')
    const at = this.#writer.length
    this.#state.hasJustCompacted = true
    if (!Array.isArray(replacement)) {
      // Before 2026 it was only a text, sent as a user message.
      const summary: Message[] = [{ role: 'user', line, origin: 'injected', blocks: responsesBlocks(message) }]
      this.#writer.compaction({ at, keptFrom: at, summary, line })
      return 'used'
    }
    const items = replacement.map(objectOf).filter((item) => item !== undefined)
    for (let lost = replacement.length - items.length; lost > 0; lost--) this.#context.finding({ ...bad, line })
    const summary = this.#readable(items, line)
    if (stringOf(message)) this.#writer.compaction({ at, keptFrom: at, summary, line })
    else this.#state.hidden = { at, line, summary, rest: ownTokens(this.#state.prompt, items) }
    return 'used'
  }

  /** Other counts may be repeated before the one that was taken after the compaction. */
  #measured(info: JsonObject | undefined): void {
    const total = ownTotal(info)
    if (total !== null) this.#endCompaction(total)
  }

  /** @param total what Codex has just written down of the size of its history, in its own tokens; null for nothing */
  #endCompaction(total: number | null): void {
    if (!this.#state.hidden) return
    const { at, line, summary } = this.#state.hidden
    const replaced = [...summary, hiddenSummary(this.#state.hidden, total)]
    this.#writer.compaction({ at, keptFrom: at, summary: replaced, sealed: true, line })
    this.#state.hidden = undefined
  }

  /**
   * After a compaction the program repeats its instructions as they are now. What the preamble has is left out, also of another
   * edition that begins the same; it does not have a mode that came later.
   */
  #unrepeated(message: Message): Message[] {
    const known = this.#state.preamble.system.flatMap(({ blocks }) => blocks.map(wordsOf))
    const blocks = message.blocks.filter((block) => {
      const start = wordsOf(block).slice(0, alike)
      return !known.some((words) => words.startsWith(start))
    })
    return blocks.length > 0 ? [{ ...message, blocks }] : []
  }

  /** The items that replaced the history, as far as they can be read. */
  #readable(items: readonly JsonObject[], line: number): Message[] {
    return items
      .filter(({ type }) => type !== 'compaction')
      .map((item) => replacing(item, line))
      .flatMap((replaced) => (replaced.role === 'system' ? this.#unrepeated(replaced) : [replaced]))
  }
}

/** Instructions that have this many first characters in common are editions of the same text. */
const alike = 32

const wordsOf = (block: Block): string => (block.type === 'text' ? block.text : '')
/** A mode that the user leaves again: behind a compaction it is gone, or there as it is then. */
const isPassing = (block: Block): boolean => wordsOf(block).startsWith('<collaboration_mode># Plan Mode')

function isDocument(record: JsonObject): boolean {
  return objectOf(record.session) !== undefined && Array.isArray(record.items)
}

function isOldHead(record: JsonObject): boolean {
  return record.type === undefined && typeof record.id === 'string' && 'instructions' in record && 'timestamp' in record
}

function asksSomething(content: unknown): boolean {
  const parts = Array.isArray(content) ? content : [content]
  return parts.some((part) => {
    const text = typeof part === 'string' ? part : objectOf(part)?.text
    return typeof text !== 'string' || !wrappers.some((wrapper) => text.startsWith(wrapper))
  })
}

/** An item that replaced the history, as the message that the agent saw. */
function replacing(item: JsonObject, line: number): Message {
  const written = responseBlocks(item)
  if (written) return { role: 'assistant', line, blocks: written }
  const result = resultOf(item, line)
  if (result) return result
  const blocks = responsesBlocks(item.content)
  return item.role === 'user' ? { role: 'user', line, blocks, origin: 'injected' } : { role: 'system', line, blocks }
}
