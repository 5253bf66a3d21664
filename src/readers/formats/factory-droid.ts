/**
 * Sessions of Factory's Droid: a header line, and a line per message with Anthropic's blocks.
 *
 * - What the user types and the results of tools are user messages; reminders of the program are text in them.
 * - A `compaction_state` becomes a recorded compaction; the history stays. Its anchor is the last message it summarised.
 * - Model and usage are in `*.settings.json` beside the file, the usage as sums over the session. Where single messages have a
 *   usage, that is the bill.
 * - System prompt and tools are not recorded.
 */

import { type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { setOf } from '../../base/words.ts'
import { textOf, type Usage } from '../../model/message.ts'
import { kind, kindsBy, recordReader, Underway } from '../frames.ts'
import { bad, type Outcome, type ReaderContext, unlinked } from '../reader.ts'
import { addTurn } from '../wire/anthropic-turns.ts'
import { anthropicShapeWithResults, textBlocks } from '../wire/blocks.ts'
import { injected, type Mark, Session, textIn } from '../wire/session.ts'
import { keys, optional } from '../wire/shape.ts'
import { sideCallOf } from '../wire/side-calls.ts'
import { usageOf, usageShape, withInput } from '../wire/usage.ts'

const records = kindsBy<DroidSession>(
  'type',
  {
    session_start: kind(null, () => 'used'),
    message: kind(
      {
        message: keys({ content: anthropicShapeWithResults, usage: optional(usageShape) }),
        usage: optional(usageShape),
      },
      (record, mark, session) => session.message(record, mark),
    ),
    compaction_state: kind(
      { summaryText: 'string', anchorMessage: keys({ id: 'string' }) },
      (record, { line }, session) => session.compacted(record, line),
    ),
  },
  setOf('agent_turn_outcome session_end session_event session_settings todo_state'),
)

export default recordReader({
  name: 'factory-droid',
  program: 'factory-droid',
  summary: "sessions of Factory's Droid",
  source: '~/.factory/sessions/*/*.jsonl',
  places: [{ directories: ['~/.factory/sessions'], files: '**/*.jsonl', session: /(?:^|\/)([^/]+)\.jsonl$/ }],
  shapes: [['type', 'id', 'title', 'sessionTitle', 'owner', 'cwd', 'message.role', 'message.content']],
  recognise(record) {
    if (record.type === 'session_start' && typeof record.id === 'string') return 1
    if (record.type === 'compaction_state' || (record.type === 'todo_state' && 'todos' in record)) return 0.9
    // pi's and goose's messages have a time of their own, and Claude Code's records a type that is a role.
    const message = objectOf(record.message)
    const isOthers = message !== undefined && ('timestamp' in message || 'created' in message)
    return record.type === 'message' && isMessage(message) && !isOthers ? 0.8 : 0
  },
  shape: records.shape,
  begin: (context, head) => new DroidSession(context, head),
  begins: ({ type }) => type === 'session_start',
  record(record, mark, session) {
    const outcome = records.read(record, mark, session)
    if (typeof record.type === 'string') session.ids.add(record.id)
    return outcome
  },
  end: (session) => session.write(),
})

class DroidSession extends Underway {
  readonly #session = new Session()
  /** How many messages there were up to the message with each id, that one included. */
  readonly #ends = new Map<unknown, number>()
  /** The ids of all records, because a message may follow any of them. */
  readonly ids = new Set<unknown>()
  /** The responses, as long as none of them has a usage of its own. */
  #uncounted: Mark[] | null = []

  write(): void {
    const { id, cwd, callingSessionId } = this.head
    const { model, tokenUsage } = settingsBeside(this.context)
    this.#bill(withInput(usageOf(tokenUsage)), stringOf(model))
    this.#session.write(this.context, { conversation: id, cwd, parent: callingSessionId, model: model || undefined })
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
    const isFirst = parentId === null || parentId === this.head.id
    return isFirst ? this.#session.length === 0 : this.ids.has(parentId)
  }

  message(record: JsonObject, mark: Mark): Outcome {
    const isLinked = this.#isLinked(record)
    const message = objectOf(record.message)
    if (!isMessage(message)) return bad
    const { line } = mark
    if (!isLinked && this.#session.length > 0) this.context.finding({ ...unlinked, line })
    else if (!isLinked && typeof record.parentId === 'string') {
      this.#session.beginWithoutHead(line)
      this.context.finding({ code: 'missing-head', line })
    }
    const usage = withInput(usageOf(message.usage ?? record.usage))
    if (usage) this.#uncounted = null
    else if (message.role === 'assistant') this.#uncounted?.push(mark)
    const about = { ...mark, model: textIn(message, 'model'), usage }
    addTurn(this.#session, message, about, isReminder(message, line) ? 'injected' : undefined)
    if (typeof record.id === 'string') this.#ends.set(record.id, this.#session.length)
    return 'used'
  }

  compacted(record: JsonObject, line: number): Outcome {
    const blocks = textBlocks(record.summaryText)
    if (blocks.length === 0) return 'no-context'
    const anchor = stringOf(objectOf(record.anchorMessage)?.id)
    const keptFrom = this.#ends.get(anchor)
    if (anchor !== undefined && keptFrom === undefined) this.context.finding({ ...unlinked, line })
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

function isMessage(message: JsonObject | undefined): message is JsonObject {
  const { role, content } = message ?? {}
  return (role === 'user' || role === 'assistant') && (typeof content === 'string' || Array.isArray(content))
}
