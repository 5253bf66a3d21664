/**
 * Kimi CLI's context file: messages in OpenAI's form, a line each, with marks between them. Read from MoonshotAI/kimi-cli
 * (soul/context.py@07a7f1736e, session.py@02a40bfed2, soul/kimisoul.py) on 2026-11-23.
 *
 * - `_usage` is the window: what went in, written in front of a response, and what went in and came out, behind it. The difference
 *   is the output. What was read from a cache is not recorded.
 * - A window that is compacted, or taken back to a checkpoint, goes on in a file of its own: this one never had the rest.
 * - What stands in `<system>` alone is the program's, in the user's name.
 * - Times, models and tools are not recorded; the system prompt is, in newer versions.
 * - Newer versions have a log beside it (kimi-wire.ts), which says what each request came to: the session is read from that.
 */
import type { Usage } from '../../model/message.ts'
import { bad, defineReader, type Outcome, type ReaderContext, type Reading, unknown } from '../reader.ts'
import { itemsOf, type JsonObject, objectOf, stringOf } from '../wire/blocks.ts'
import { ChatMapping, chatShape } from '../wire/chat.ts'
import type { Entry } from '../wire/growing.ts'
import { both, keys, kinds } from '../wire/shape.ts'
import { tokens } from '../wire/usage.ts'

const recordShape = both(
  kinds('role', {
    _system_prompt: keys({ content: 'string' }),
    _usage: keys({ token_count: 'any' }),
  }),
  (record) => chatShape(inChat(objectOf(record) ?? {})),
)

const marks = new Set<unknown>(['_system_prompt', '_usage', '_checkpoint'])
const roles = new Set<unknown>(['system', 'user', 'assistant', 'tool'])

export default defineReader({
  name: 'kimi-cli',
  program: 'kimi-cli',
  summary: "Kimi CLI's context files",
  source: '~/.kimi/sessions/*/*/context.jsonl',
  places: [
    {
      directories: ['$KIMI_SHARE_DIR/sessions', '~/.kimi/sessions'],
      files: '*/*/context.jsonl',
      session: /([^/]+)\/context\.jsonl$/,
    },
  ],
  shapes: [['role', 'content', 'tool_calls', 'tool_call_id', 'token_count', 'id']],
  shape: recordShape,
  recognise: (record) => (marks.has(objectOf(record)?.role) ? 1 : 0),
  read(context) {
    const log = context.beside('wire.jsonl')
    const isLogged =
      Array.isArray(log) && log.some((record) => objectOf(objectOf(record)?.message)?.type === 'TurnBegin')
    return isLogged ? { record: () => 'no-context', end: () => {} } : new Lines(context)
  },
})

class Lines implements Reading {
  readonly #context: ReaderContext
  readonly #messages: Entry[] = []
  #system: unknown
  /** The window since the newest message; undefined if nothing counted it. */
  #window: number | undefined
  /** The newest response, with the window in front of it, until the window behind it is known. */
  #response: { readonly entry: Entry; readonly input: number } | null = null

  constructor(context: ReaderContext) {
    this.#context = context
  }

  record(value: unknown, line: number): Outcome {
    const record = objectOf(value)
    if (!record) return bad
    const { role } = record
    if (role === '_system_prompt') {
      this.#system = record.content
      return 'used'
    }
    if (role === '_checkpoint') return 'no-context'
    if (role === '_usage') return this.#count(tokens(record.token_count))
    if (!roles.has(role)) return unknown(role)
    const entry: Entry = { value: inChat(record), line, ...(isOfProgram(record) && { as: 'injected' }) }
    this.#response = role === 'assistant' && this.#window !== undefined ? { entry, input: this.#window } : null
    this.#window = undefined
    this.#messages.push(entry)
    return 'used'
  }

  end(): void {
    if (this.#messages.length === 0) return
    const writer = this.#context.open({ conversation: null, provider: 'openai' })
    const opening = { complete: false, ...(typeof this.#system === 'string' && { system: this.#system }) }
    const mapping = new ChatMapping(opening, writer, () => {})
    for (const entry of this.#messages) mapping.add(entry)
    mapping.end()
    writer.close()
  }

  #count(window: number | undefined): Outcome {
    if (window === undefined) return 'no-context'
    if (this.#response) {
      const { entry, input } = this.#response
      const usage: Usage = { input, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: window - input }
      entry.reply = { usage }
      this.#response = null
    }
    this.#window = window
    return 'used'
  }
}

/** Its thoughts have a name of their own. */
function inChat(record: JsonObject): JsonObject {
  if (!Array.isArray(record.content)) return record
  const content = record.content.map((value) => {
    const part = objectOf(value)
    return part?.type === 'think' ? { type: 'thinking', thinking: part.think } : value
  })
  return { ...record, content }
}

function isOfProgram({ role, content }: JsonObject): boolean {
  const texts = itemsOf(content).map((part) => stringOf(part) ?? stringOf(objectOf(part)?.text) ?? '')
  return role === 'user' && texts.length > 0 && texts.every((text) => /^<system>[\s\S]*<\/system>$/.test(text.trim()))
}
