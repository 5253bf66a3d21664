/**
 * Sessions of Factory's Droid: a header line, and a line per message with Anthropic's blocks.
 *
 * - What the user types and the results of tools are user messages; reminders of the program are text in them.
 * - A `compaction_state` becomes a recorded compaction; the history stays. Its anchor is the last message it summarised.
 * - Model and usage are in `*.settings.json` beside the file, the usage as sums over the session. Where single messages have a
 *   usage, that is the bill.
 * - System prompt and tools are not recorded.
 */
import { textOf, type Usage } from '../../model/message.ts'
import { bad, defineReader, type Outcome, type ReaderContext, type Reading, unknown, unlinked } from '../reader.ts'
import { addTurn } from '../wire/anthropic-turns.ts'
import { anthropicShapeWithResults, type JsonObject, objectOf, stringOf, textBlocks } from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import { injected, type Mark, Session, textIn } from '../wire/session.ts'
import { keys, kinds, optional } from '../wire/shape.ts'
import { sideCallOf } from '../wire/side-calls.ts'
import { usageOf, usageShape, withInput } from '../wire/usage.ts'

/** Records that no model sees. */
const unseen = new Set(['agent_turn_outcome', 'session_end', 'session_event', 'session_settings', 'todo_state'])

const recordShape = kinds('type', {
  message: keys({
    message: keys({ content: anthropicShapeWithResults, usage: optional(usageShape) }),
    usage: optional(usageShape),
  }),
  compaction_state: keys({ summaryText: 'string', anchorMessage: keys({ id: 'string' }) }),
})

export default defineReader({
  name: 'factory-droid',
  program: 'factory-droid',
  summary: "sessions of Factory's Droid",
  source: '~/.factory/sessions/*/*.jsonl',
  places: [
    {
      directories: ['~/.factory/sessions'],
      files: '**/*.jsonl',
      session: /(?:^|\/)([^/]+)\.jsonl$/,
    },
  ],
  shapes: [['type', 'id', 'title', 'sessionTitle', 'owner', 'cwd', 'message.role', 'message.content']],
  recognise(record) {
    const object = objectOf(record)
    if (!object) return 0
    if (isHeader(object)) return 1
    if (object.type === 'compaction_state' || (object.type === 'todo_state' && 'todos' in object)) return 0.9
    // pi's and goose's messages have a time of their own, and Claude Code's records a type that is a role.
    const message = objectOf(object.message)
    const isOthers = message !== undefined && ('timestamp' in message || 'created' in message)
    return object.type === 'message' && isMessage(message) && !isOthers ? 0.8 : 0
  },
  shape: recordShape,
  read: (context) => new Sessions(context),
})

class Sessions implements Reading {
  readonly #context: ReaderContext
  #header: JsonObject = {}
  #session = new Session()
  /** How many messages there were up to the message with each id, that one included. */
  #ends = new Map<string, number>()
  /** The ids of all records, because a message may follow any of them. */
  #ids = new Set<unknown>()
  /** The responses, as long as none of them has a usage of its own. */
  #uncounted: Mark[] | null = []

  constructor(context: ReaderContext) {
    this.#context = context
  }

  record(value: unknown, line: number): Outcome {
    const record = objectOf(value)
    if (!record || typeof record.type !== 'string') return bad
    if (record.type === 'session_start') {
      this.end()
      this.#header = record
      return 'used'
    }
    const isLinked = record.type !== 'message' || this.#isLinked(record)
    this.#ids.add(record.id)
    if (record.type === 'message') return this.#message(record, line, isLinked)
    if (record.type === 'compaction_state') return this.#compacted(record, line)
    return unseen.has(record.type) ? 'no-context' : unknown(record.type)
  }

  end(): void {
    const { id, cwd, callingSessionId } = this.#header
    const { model, tokenUsage } = settingsBeside(this.#context)
    this.#bill(withInput(usageOf(tokenUsage)), stringOf(model))
    this.#session.write(this.#context, {
      conversation: stringOf(id) ?? null,
      cwd: stringOf(cwd),
      parent: stringOf(callingSessionId),
      model: stringOf(model) || undefined,
    })
    this.#header = {}
    this.#session = new Session()
    this.#ends = new Map()
    this.#ids = new Set()
    this.#uncounted = []
  }

  /** Adds what the whole session was billed. */
  #bill(usage: Usage | undefined, model: string | undefined): void {
    const last = this.#uncounted?.at(-1)
    if (!usage || !last || !this.#uncounted) return
    const calls = this.#uncounted.length
    this.#session.sideCall(sideCallOf({ kind: 'summed', usage, calls, model, line: last.line, time: last.time }))
  }

  /** A session is one chain: only its first message follows none, or the header. Some versions do not say what a message follows. */
  #isLinked({ parentId }: JsonObject): boolean {
    if (parentId === undefined) return true
    const isFirst = parentId === null || parentId === this.#header.id
    return isFirst ? this.#session.length === 0 : this.#ids.has(parentId)
  }

  #message(record: JsonObject, line: number, isLinked: boolean): Outcome {
    const message = objectOf(record.message)
    if (!isMessage(message)) return bad
    if (!isLinked && this.#session.length > 0) this.#context.finding({ ...unlinked, line })
    else if (!isLinked && typeof record.parentId === 'string') {
      this.#session.beginWithoutHead(line)
      this.#context.finding({ code: 'missing-head', line })
    }
    const model = textIn(message, 'model')
    const about = {
      line,
      time: timeOf(record.timestamp),
      model,
      usage: withInput(usageOf(message.usage ?? record.usage)),
    }
    if (about.usage) this.#uncounted = null
    else if (message.role === 'assistant') this.#uncounted?.push({ line, time: about.time })
    addTurn(this.#session, message, about, isReminder(message, line) ? 'injected' : undefined)
    if (typeof record.id === 'string') this.#ends.set(record.id, this.#session.length)
    return 'used'
  }

  #compacted(record: JsonObject, line: number): Outcome {
    const blocks = textBlocks(record.summaryText)
    if (blocks.length === 0) return 'no-context'
    const anchor = stringOf(objectOf(record.anchorMessage)?.id)
    const keptFrom = anchor === undefined ? undefined : this.#ends.get(anchor)
    if (anchor !== undefined && keptFrom === undefined) this.#context.finding({ ...unlinked, line })
    this.#session.compaction([injected(blocks, line)], line, keptFrom)
    return 'used'
  }
}

/** Whether all of a user message was written by the program. */
function isReminder({ role, content }: JsonObject, line: number): boolean {
  if (role !== 'user') return false
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content]
  return parts.every((part) => {
    const text =
      typeof part === 'string' ? part : textOf({ role: 'user', line, blocks: textBlocks(objectOf(part)?.text) })
    return text.startsWith('<system-reminder>') && text.trimEnd().endsWith('</system-reminder>')
  })
}

/** A session `a.jsonl` has its settings in `a.settings.json`. */
function settingsBeside({ file, beside }: ReaderContext): JsonObject {
  const [, name] = /([^/\\]+)\.jsonl$/.exec(file) ?? []
  return (name === undefined ? undefined : objectOf(beside(`${name}.settings.json`))) ?? {}
}

function isHeader(record: JsonObject): boolean {
  return record.type === 'session_start' && typeof record.id === 'string'
}

function isMessage(message: JsonObject | undefined): message is JsonObject {
  const { role, content } = message ?? {}
  return (role === 'user' || role === 'assistant') && (typeof content === 'string' || Array.isArray(content))
}
