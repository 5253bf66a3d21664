/**
 * Duragent's sessions: `events.jsonl` (with `events.archive.jsonl` in front, if there is one), and `state.json`.
 *
 * - A step is kept until the next one begins: older files write each call on a line of its own after the message.
 * - A user message that comes while the agent's tools run is queued; an error or the end of the session ends the running.
 * - Approvals, status changes, errors and silent messages (group chat that the agent was not asked about) are no context.
 * - An event whose number has been read already is a duplicate, or is contained in the snapshot before it.
 * - Results are recorded truncated, and by default events are deleted once they are in the snapshot: the whole history of
 *   a session is recorded only with compaction off, or in the archive.
 * - The system prompt, the tools, the model and its provider are not recorded. Messages are counted in OpenAI's form,
 *   which `state.json` has.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { setOf } from '../../base/words.ts'
import type { Block } from '../../model/message.ts'
import { recordReader, Underway } from '../frames.ts'
import { bad, duplicate, type Outcome, type Shape, type TranscriptWriter, tell, unknown } from '../reader.ts'
import { callBlock, jsonBlock, textBlocks } from '../wire/blocks.ts'
import { OpenCalls } from '../wire/calls.ts'
import type { Draft } from '../wire/conversations.ts'
import type { Mark } from '../wire/session.ts'
import { both, keys, kinds, listOf, oddIn, optional, someOf } from '../wire/shape.ts'
import { usageOf, usageShape } from '../wire/usage.ts'

/** Events that are part of the conversation. */
const said = setOf('user_message assistant_response assistant_message tool_call tool_result tools_skipped')

const types = setOf(
  'session_start session_end approval_required approval_decision status_change error silent_message',
  said,
)

/** Arguments that were not JSON are recorded as null. */
const callShape = keys({ call_id: 'string', tool_name: 'string', arguments: 'object|string|null' })

const eventShape = both(
  keys({ seq: 'number' }),
  kinds('type', {
    user_message: keys({ content: 'string' }),
    assistant_response: keys({
      content: 'string',
      tool_calls: optional(listOf(callShape)),
      usage: optional(usageShape),
    }),
    assistant_message: keys({ content: 'string', usage: optional(usageShape) }),
    tool_call: callShape,
    tool_result: keys({ call_id: 'string', result: keys({ content: 'string', success: 'boolean' }) }),
    tools_skipped: keys({ reason: 'string' }),
  }),
)

const saidShape = keys({ content: 'string' })

const storedShape = kinds('role', {
  system: saidShape,
  user: saidShape,
  steering: saidShape,
  assistant: someOf({
    content: 'string',
    tool_calls: listOf(keys({ id: 'string', function: keys({ name: 'string', arguments: 'string' }) })),
  }),
  tool: keys({ content: 'string', tool_call_id: 'string' }),
})

const snapshotShape: Shape = (value) => keys({ [checkpointOf(value as JsonObject)]: 'number' })(value)

export default recordReader({
  name: 'duragent',
  program: 'duragent',
  summary: "Duragent's events and snapshots",
  source: '.duragent/sessions/*/events.jsonl, events.archive.jsonl, state.json',
  places: [{ directories: ['.duragent/sessions'], files: '*/events.jsonl', session: /^([^/]+)\// }],
  shapes: [
    ['seq', 'timestamp', 'type', 'content'],
    ['session_id', 'schema_version', 'conversation', 'conversation.role', 'last_event_seq'],
  ],
  recognise: (record) => isSnapshot(record) || (types.has(record.type) && 'seq' in record && 'timestamp' in record),
  shape: (value) => (isSnapshot(value as JsonObject) ? snapshotShape : eventShape)(value),
  begin: (context) => new Events(context),
  record: (record, mark, events) => events.add(record, mark),
  end: (events) => events.end(),
})

class Events extends Underway {
  #session: Session | null = null
  #isFirst = true
  /**
   * A snapshot, held until it is known whether it is the whole file. If it is, its messages are numbered 1, 2, …; else all
   * have its line.
   */
  #held: JsonObject | null = null

  add(record: JsonObject, mark: Mark): Outcome {
    const { line } = mark
    if (this.#held) this.#snapshot(this.#held, () => 1)
    this.#held = null
    if (!isSnapshot(record)) return types.has(record.type) ? this.#event(record, mark) : unknown(record.type)
    if (line === 1) this.#held = record
    else this.#snapshot(record, () => line)
    return 'used'
  }

  end(): void {
    if (this.#held) this.#snapshot(this.#held, (index) => index + 1)
    this.#session?.end()
  }

  #event(event: JsonObject, mark: Mark): Outcome {
    const { type } = event
    const seq = typeof event.seq === 'number' ? event.seq : null
    // Event numbers restart with every session.
    if (type === 'session_start' && this.#session && (seq === null || seq <= this.#session.seq)) this.#end()
    this.#session ??= this.#open(null, mark.line)
    if (seq !== null && seq <= this.#session.seq) return duplicate
    if (!this.#session.event(event, mark)) return bad
    this.#session.seq = seq ?? this.#session.seq
    return said.has(type) ? 'used' : 'no-context'
  }

  /** Begins a session with a snapshot's messages. Events up to its checkpoint are in it; later ones follow as events. */
  #snapshot(snapshot: JsonObject, lineOf: (index: number) => number): void {
    this.#end()
    const session = this.#open(stringOf(snapshot.session_id) ?? null, lineOf(0))
    this.#session = session
    const checkpoint = snapshot[checkpointOf(snapshot)]
    if (typeof checkpoint === 'number') session.seq = checkpoint
    for (const [index, value] of (snapshot.conversation as unknown[]).entries()) {
      const message = objectOf(value)
      const isStored = message !== undefined && session.stored(message, lineOf(index))
      tell(this.context, isStored ? oddIn(storedShape, message) : bad, lineOf(index))
    }
  }

  #open(name: string | null, line: number): Session {
    const conversation = name ?? (this.#isFirst ? null : `line:${line}`)
    this.#isFirst = false
    return new Session(this.context.open({ conversation, provider: 'openai' }))
  }

  #end(): void {
    this.#session?.end()
    this.#session = null
  }
}

class Session {
  /** Number of the newest event that was read. */
  seq = -1
  readonly #writer: TranscriptWriter
  readonly #calls = new OpenCalls()
  /** The newest response and the messages after it. */
  #step: Draft[] = []
  /** The agent is still working: its newest response called tools. */
  #works = false

  constructor(writer: TranscriptWriter) {
    this.#writer = writer
    writer.preamble({ system: [], complete: false })
  }

  /** @returns whether the event has the shape of its kind */
  event(event: JsonObject, { line, time }: Mark): boolean {
    const add = (message: Draft): true => {
      if (time !== undefined) message.time = time
      this.#step.push(message)
      return true
    }
    switch (event.type) {
      case 'user_message': {
        const message: Draft = { role: 'user', line, blocks: textBlocks(event.content) }
        if (this.#works) message.origin = 'queued'
        else this.#flush()
        return add(message)
      }
      case 'assistant_response':
      case 'assistant_message': {
        this.#flush()
        const calls = itemsOf(event.tool_calls).map(eventCall)
        this.#works = calls.length > 0
        const blocks = this.#calls.make([...textBlocks(event.content), ...calls])
        const usage = usageOf(event.usage)
        return add({ role: 'assistant', line, blocks, ...(usage && { usage }) })
      }
      case 'tool_call': {
        const calls = this.#calls.make([eventCall(event)])
        const response = this.#step.find(({ role }) => role === 'assistant')
        this.#works = true
        if (!response) return add({ role: 'assistant', line, blocks: calls })
        response.blocks = [...response.blocks, ...calls]
        return true
      }
      case 'tool_result': {
        const result = objectOf(event.result)
        if (!result) return false
        const message = this.#result(event.call_id, textBlocks(result.content), line)
        if (result.success === false) message.isError = true
        return add(message)
      }
      case 'tools_skipped': {
        if (!Array.isArray(event.call_ids)) return false
        const text = `Skipped: ${stringOf(event.reason) ?? ''}`
        for (const id of event.call_ids) add(this.#result(id, textBlocks(text), line))
        return true
      }
      case 'error':
      case 'session_start':
      case 'session_end':
        this.#works = false
    }
    return true
  }

  /** Adds a message of a snapshot. @returns whether it has the shape of a message */
  stored(message: JsonObject, line: number): boolean {
    const blocks = textBlocks(message.content)
    switch (message.role) {
      case 'user':
      case 'system':
        this.#step.push({ role: message.role, line, blocks })
        break
      case 'steering':
        this.#step.push({ role: 'user', line, blocks, origin: 'injected' })
        break
      case 'assistant': {
        const calls = itemsOf(message.tool_calls).map(storedCall)
        this.#works = calls.length > 0
        this.#step.push({ role: 'assistant', line, blocks: this.#calls.make([...blocks, ...calls]) })
        break
      }
      case 'tool':
        this.#step.push(this.#result(message.tool_call_id, blocks, line))
        break
      default:
        return false
    }
    this.#flush()
    return true
  }

  end(): void {
    this.#flush()
    this.#writer.close()
  }

  #result(id: unknown, blocks: Block[], line: number): Draft {
    return { role: 'tool', line, blocks, ...this.#calls.answer(stringOf(id) ?? '', undefined) }
  }

  #flush(): void {
    for (const message of this.#step) this.#writer.message(message)
    this.#step = []
  }
}

function isSnapshot(record: JsonObject): boolean {
  return Array.isArray(record.conversation) && 'session_id' in record && 'last_event_seq' in record
}

/** The key of the newest event in the conversation of a snapshot. */
function checkpointOf(snapshot: JsonObject): string {
  return snapshot.schema_version === '1' ? 'last_event_seq' : 'checkpoint_seq'
}

function eventCall(value: unknown): Block {
  const call = objectOf(value)
  return call ? callBlock(call.call_id, call.tool_name, call.arguments ?? {}) : jsonBlock(value)
}

function storedCall(value: unknown): Block {
  const call = objectOf(value)
  const what = objectOf(call?.function)
  return call && what ? callBlock(call.id, what.name, what.arguments ?? '') : jsonBlock(value)
}
