import { type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import { jsonText } from '../../../base/json-text.ts'
import { setOf } from '../../../base/words.ts'
import type { Block, Message } from '../../../model/message.ts'
import type { Compaction } from '../../../model/trace.ts'
import { bad, type Outcome, type ReaderContext } from '../../reader.ts'
import { callBlock, textBlocks } from '../../wire/blocks.ts'
import { OpenCalls } from '../../wire/calls.ts'
import type { Draft } from '../../wire/conversations.ts'
import type { Mark } from '../../wire/session.ts'
import { spokenBy } from '../../wire/spoken.ts'
import { tokensOf } from './chat.ts'

const note = '[Context note: '

/** A message of the conversation, in the form of the newest context that contains it. */
interface Entry {
  readonly message: Draft
  /** The content as recorded, for comparing contexts. */
  content: unknown
  /** A context has contained it. Until then it is known only from its event, whose wording may differ. */
  sent: boolean
  /** Of a tool message: the recorded id of its call. */
  callId: string
  /** Of a response: its calls, without ids. */
  readonly calls: Block[]
}

interface Places {
  /** For each entry the index of its message in the context; a hole if the context lacks it. */
  readonly places: readonly (number | undefined)[]
  /** How many messages at the start of the context are known entries. */
  readonly known: number
}

/** Builds the conversation of one session from its events. Each context repeats the conversation, so it is kept once. */
export class ChatLog {
  readonly #entries: Entry[] = []
  /** Indices of the messages that start a new history; `#base` is the newest of them. */
  readonly #resets = new Set<number>()
  #base = 0
  readonly #compactions: Compaction[] = []
  #system: Message[] = []
  #toolless = false
  #model: string | undefined
  /** The user's question from its event, until a context gives it exactly. */
  #prompt: Draft | null = null
  /** A pruning that an event reported, until a context shows its result. */
  #pruned: { readonly after: unknown; readonly line: number } | null = null
  #response: Entry | null = null

  asked(content: unknown, { line, time }: Mark): void {
    this.#prompt = draft('user', content, line, time)
  }

  instructed(content: unknown, line: number): void {
    if (this.#system.length === 0) this.#system = [draft('system', content, line, undefined)]
  }

  calls(model: unknown): void {
    this.#model = stringOf(model) ?? this.#model
  }

  pruned(after: unknown, line: number): void {
    this.#pruned = { after, line }
  }

  context({ messages: recorded, tools_enabled, tools_count }: JsonObject, { line, time }: Mark): Outcome {
    if (!Array.isArray(recorded)) return bad
    this.#toolless = tools_enabled === false || tools_count === 0
    const messages = recorded.map(objectOf)
    if (!messages.every((message) => message !== undefined && roles.has(message.role))) return bad
    this.#context(messages as JsonObject[], line, time)
    return 'used'
  }

  write(session: string, context: ReaderContext): void {
    const model = this.#entries.find(({ message }) => message.model !== undefined)?.message.model
    const writer = context.open({ conversation: session, provider: spokenBy(model) })
    writer.describe({ model })
    writer.preamble({ system: this.#system, complete: this.#toolless })
    const open = new OpenCalls()
    for (const [index, { message, calls, callId }] of this.#entries.entries()) {
      if (this.#resets.has(index)) writer.reset()
      if (message.role === 'user') open.endStep()
      if (message.role === 'assistant') message.blocks = open.make([...message.blocks, ...this.#named(calls, index)])
      if (message.role === 'tool') Object.assign(message, open.answer(callId, message.toolName))
      writer.message(message)
    }
    for (const compaction of this.#compactions) writer.compaction(compaction)
    writer.close()
  }

  /** The calls of a response with the ids of their results, which follow it in the same order. */
  #named(calls: readonly Block[], response: number): Block[] {
    return calls.map((call, index) => {
      const result = this.#entries[response + 1 + index]
      return call.type === 'call' && result?.message.role === 'tool' ? { ...call, id: result.callId } : call
    })
  }

  answered(record: JsonObject, { line, time }: Mark): void {
    if (this.#prompt) this.#add(this.#prompt, null, false)
    this.#prompt = null
    if (this.#pruned) this.#tellPruned(this.#pruned)
    const message = draft('assistant', record.content, line, time)
    const usage = tokensOf(record.tokens)
    if (usage) message.usage = usage
    if (this.#model !== undefined) message.model = this.#model
    this.#response = this.#add(message, record.content, false)
  }

  called({ tool_name, args, result, success }: JsonObject, { line, time }: Mark): Outcome {
    if (!this.#response) return bad
    this.#response.calls.push(callBlock('', tool_name, args ?? {}))
    const message = draft('tool', result, line, time)
    if (typeof tool_name === 'string') message.toolName = tool_name
    if (success === false) message.isError = true
    this.#add(message, result, false)
    return 'used'
  }

  #add(message: Draft, content: unknown, sent: boolean): Entry {
    const entry: Entry = { message, content, sent, callId: '', calls: [] }
    this.#entries.push(entry)
    return entry
  }

  /** Reads the messages of one request; only the last of them are new. */
  #context(messages: readonly JsonObject[], line: number, time: number | undefined): void {
    const first = messages.findIndex(({ role }) => role !== 'system')
    const leading = messages.slice(0, first === -1 ? messages.length : first)
    const rest = messages.slice(leading.length)
    const notes = leading.filter(isNote)
    this.#system = leading.filter((message) => !isNote(message)).map(({ content }) => draft('system', content, line))
    this.#prompt = null
    const { places, known } = this.#placesOf(rest, notes.length > 0)
    if (known === 0 && notes.length === 0) this.#startAnew()
    const kept = known === 0 ? this.#entries.length : places.findIndex((place) => place !== undefined)
    for (const [index, place] of places.entries()) {
      if (place !== undefined) respell(this.#entries[index] as Entry, rest[place] as JsonObject)
    }
    for (const message of rest.slice(known)) {
      const entry = this.#add(draft(message.role as Message['role'], '', line, time), message.content, true)
      respell(entry, message)
    }
    if (notes.length > 0) this.#remember(kept, notes, line)
    this.#response = null
    this.#pruned = null
  }

  /**
   * Finds the entries in a context. A complete context begins with the first entry, a pruned one with any entry; both end
   * with the newest. If messages were left out or edited, as many as possible are matched in order; the entries stay.
   */
  #placesOf(messages: readonly JsonObject[], pruned: boolean): Places {
    const last = pruned ? this.#entries.length - 1 : this.#base
    for (let start = this.#base; start <= last; start++) {
      const found = this.#matched(start, messages, true)
      if (found) return found
    }
    return this.#matched(this.#base, messages, false) ?? { places: [], known: 0 }
  }

  /** @param whole whether every entry from `start` on that an earlier context contained must be in this one */
  #matched(start: number, messages: readonly JsonObject[], whole: boolean): Places | null {
    const places: (number | undefined)[] = []
    let known = 0
    for (let index = start; index < this.#entries.length; index++) {
      const entry = this.#entries[index] as Entry
      const message = messages[known]
      if (message !== undefined && isSame(entry, message)) places[index] = known++
      else if (whole && entry.sent) return null
    }
    return known === 0 ? null : { places, known }
  }

  #startAnew(): void {
    this.#base = this.#entries.length
    if (this.#base > 0) this.#resets.add(this.#base)
  }

  #remember(keptFrom: number, notes: readonly JsonObject[], line: number): void {
    // The note of an earlier pruning is repeated in the next contexts.
    if (this.#compactions.at(-1)?.keptFrom === keptFrom) return
    const summary = notes.map(({ content }) => draft('system', content, line))
    this.#compactions.push({ at: this.#entries.length, keptFrom, summary, line })
  }

  /** Without a context, the event's count of messages says what was kept: the system prompt, the note, and the newest. */
  #tellPruned({ after, line }: { readonly after: unknown; readonly line: number }): void {
    const at = this.#entries.length
    const kept = typeof after === 'number' ? Math.max(0, Math.floor(after) - 1 - this.#system.length) : 0
    this.#compactions.push({ at, keptFrom: Math.max(0, at - kept), summary: [], line })
    this.#pruned = null
  }
}

const roles = setOf('system user assistant tool')

function isNote({ content }: JsonObject): boolean {
  return typeof content === 'string' && content.startsWith(note)
}

/** A message known only from its event may differ in its wording (not a user's), but never in its role. */
function isSame({ message, content, sent }: Entry, { role, content: other }: JsonObject): boolean {
  if (message.role !== role) return false
  return content === other || (!sent && role !== 'user') || (typeof other === 'object' && same(content, other))
}

function same(a: unknown, b: unknown): boolean {
  return jsonText(a) === jsonText(b)
}

/** Takes over a message's content from a context, which is what was really sent. */
function respell(entry: Entry, { content, tool_call_id }: JsonObject): void {
  entry.sent = true
  entry.content = content
  entry.callId = stringOf(tool_call_id) ?? ''
  entry.message.blocks = textBlocks(content)
}

function draft(role: Message['role'], content: unknown, line: number, time?: number): Draft {
  return { role, line, blocks: textBlocks(content), ...(time !== undefined && { time }) }
}
