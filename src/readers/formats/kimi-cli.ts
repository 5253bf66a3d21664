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

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { setOf } from '../../base/words.ts'
import { kind, kindsBy, recordReader } from '../frames.ts'
import type { Outcome, ReaderContext } from '../reader.ts'
import { ChatMapping, chatShape } from '../wire/chat.ts'
import type { Entry } from '../wire/growing.ts'
import { both } from '../wire/shape.ts'
import { noTokens, tokens } from '../wire/usage.ts'

const roles = setOf('system user assistant tool')

const marks = kindsBy<Lines>(
  'role',
  {
    _system_prompt: kind({ content: 'string' }, ({ content }, _, lines) => {
      lines.system = content
    }),
    _usage: kind({ token_count: 'any' }, ({ token_count }, _, lines) => lines.count(tokens(token_count))),
  },
  setOf('_checkpoint'),
)

export default recordReader({
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
  shape: both(marks.shape, (record) => chatShape(inChat(objectOf(record) ?? {}))),
  recognise: ({ role }) => marks.has(role),
  isElsewhere({ beside }) {
    const log = beside('wire.jsonl')
    return Array.isArray(log) && log.some((record) => objectOf(objectOf(record)?.message)?.type === 'TurnBegin')
  },
  begin: () => new Lines(),
  record: (record, mark, lines) =>
    roles.has(record.role) ? lines.add(record, mark.line) : marks.read(record, mark, lines),
  end: (lines, context) => lines.write(context),
})

class Lines {
  system: unknown
  readonly #messages: Entry[] = []
  /** The window since the newest message; undefined if nothing counted it. */
  #window: number | undefined
  /** The newest response, with the window in front of it, until the window behind it is known. */
  #response: { readonly entry: Entry; readonly input: number } | null = null

  add(record: JsonObject, line: number): void {
    const entry: Entry = { value: inChat(record), line, ...(isOfProgram(record) && { as: 'injected' }) }
    this.#response = record.role === 'assistant' && this.#window !== undefined ? { entry, input: this.#window } : null
    this.#window = undefined
    this.#messages.push(entry)
  }

  count(window: number | undefined): Outcome {
    if (window === undefined) return 'no-context'
    if (this.#response) {
      const { entry, input } = this.#response
      entry.reply = { usage: { ...noTokens, input, output: window - input } }
      this.#response = null
    }
    this.#window = window
    return 'used'
  }

  write(context: ReaderContext): void {
    if (this.#messages.length === 0) return
    const writer = context.open({ conversation: null, provider: 'openai' })
    const mapping = new ChatMapping({ complete: false, system: stringOf(this.system) }, writer, () => {})
    for (const entry of this.#messages) mapping.add(entry)
    mapping.end()
    writer.close()
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
