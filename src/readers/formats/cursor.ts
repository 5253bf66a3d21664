/**
 * Cursor's agent transcripts: a line per message, with Anthropic's blocks behind `message.content`.
 *
 * Calls have no id, and most of their results are missing. Times, models, usage, system prompt and tools are not recorded:
 * the size of what was sent cannot be known from such a file.
 */
import { bad, defineReader, type Outcome, type ReaderContext, type Reading, unknown } from '../reader.ts'
import { addTurn } from '../wire/anthropic-turns.ts'
import { anthropicParts, anthropicShape, type JsonObject, objectOf } from '../wire/blocks.ts'
import { Session } from '../wire/session.ts'
import { keys, kinds, listOf } from '../wire/shape.ts'

/** Keys of a line. Others belong to other programs. */
const ownKeys = new Set(['message', 'role', 'timestamp', 'timestamp_ms'])

const partShape = kinds('type', {
  ...anthropicParts,
  tool_use: keys({ name: 'string', input: 'object|string' }),
  tool_result: keys({ content: anthropicShape, is_error: 'boolean?' }),
})

export default defineReader({
  name: 'cursor',
  program: 'cursor',
  summary: "Cursor's agent transcripts",
  source: '~/.cursor/projects/*/agent-transcripts/*.jsonl, */*.jsonl',
  places: [
    {
      directories: ['~/.cursor/projects'],
      files: '*/agent-transcripts/**/*.jsonl',
      session: /(?:^|\/)([^/]+)\.jsonl$/,
      subagents: '*/agent-transcripts/*/subagents/*.jsonl',
    },
  ],
  shapes: [['role', 'message.content']],
  recognise(record) {
    const object = objectOf(record)
    return object && isLine(object) ? 0.9 : 0
  },
  shape: keys({ message: keys({ content: listOf(partShape) }) }),
  read: (context) => new Lines(context),
})

class Lines implements Reading {
  readonly #context: ReaderContext
  readonly #session = new Session()

  constructor(context: ReaderContext) {
    this.#context = context
  }

  record(value: unknown, line: number): Outcome {
    const record = objectOf(value)
    if (!record) return bad
    if (!isLine(record)) return 'role' in record ? bad : unknown(record.type)
    const { content } = objectOf(record.message) ?? {}
    const parts = (content as readonly unknown[]).map(withoutCallId)
    addTurn(this.#session, { role: record.role, content: parts }, { line })
    return 'used'
  }

  end(): void {
    this.#session.write(this.#context, { conversation: null, provider: 'anthropic' })
  }
}

/** A result names a call, but the call has no name: it answers the calls in their order. */
function withoutCallId(part: unknown): unknown {
  const { tool_use_id: _, ...rest } = objectOf(part) ?? {}
  return rest.type === 'tool_result' ? rest : part
}

function isLine(record: JsonObject): boolean {
  if (record.role !== 'user' && record.role !== 'assistant') return false
  const message = objectOf(record.message)
  return (
    Array.isArray(message?.content) &&
    message.role === undefined &&
    Object.keys(record).every((key) => ownKeys.has(key))
  )
}
