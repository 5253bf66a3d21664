/**
 * Cursor's agent transcripts: a line per message, with Anthropic's blocks behind `message.content`.
 *
 * Calls have no id, and most of their results are missing. Models, usage, system prompt and tools are not recorded, and times
 * only in the text of prompts, by newer versions: the size of what was sent cannot be known from such a file.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { recordReader } from '../frames.ts'
import { bad, unknown } from '../reader.ts'
import { addTurn } from '../wire/anthropic-turns.ts'
import { anthropicParts, anthropicShape } from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import { Session } from '../wire/session.ts'
import { keys, kinds, listOf, where } from '../wire/shape.ts'

/** A line of newer versions. */
const endOfTurn = 'turn_ended'

/** Keys of a line. Others belong to other programs. */
const ownKeys = new Set(['message', 'role', 'timestamp', 'timestamp_ms'])

const partShape = kinds('type', {
  ...anthropicParts,
  tool_use: keys({ name: 'string', input: 'object|string' }),
  tool_result: keys({ content: anthropicShape, is_error: 'boolean?' }),
})

export default recordReader({
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
  recognise: (record) => (isLine(record) ? 0.9 : 0),
  shape: where(({ type }) => type !== endOfTurn, keys({ message: keys({ content: listOf(partShape) }) })),
  begin: () => new Session(),
  record(record, { line }, session) {
    const { type, role } = record
    if (type === endOfTurn) return 'no-context'
    if (!isLine(record)) return 'role' in record ? bad : unknown(type)
    const content = itemsOf(objectOf(record.message)?.content).map(withoutCallId)
    const time = role === 'user' ? timeIn(stringOf(objectOf(content[0])?.text) ?? '') : undefined
    addTurn(session, { role, content }, { line, time })
  },
  end: (session, context) => session.write(context, { conversation: null, provider: 'anthropic' }),
})

/** A result names a call, but the call has no name: it answers the calls in their order. */
function withoutCallId(part: unknown): unknown {
  const { tool_use_id: _, ...rest } = objectOf(part) ?? {}
  return rest.type === 'tool_result' ? rest : part
}

/** `<timestamp>Wednesday, Aug 5, 2026, 7:16 PM (UTC+5:30)</timestamp>` in front of a prompt. */
function timeIn(prompt: string): number | undefined {
  const stamp =
    /^<timestamp>\w+, (\w+ \d+, \d{4}), (\d+:\d\d [AP]M) \(UTC(?:([+-]\d+)(?::(\d\d))?)?\)<\/timestamp>/.exec(prompt)
  if (!stamp) return undefined
  const [, day, hour, zone = '+0', minutes = '00'] = stamp
  const offset = (Math.abs(Number(zone)) * 60 + Number(minutes)) * (zone.startsWith('-') ? -1 : 1)
  const time = Date.parse(`${day} ${hour} UTC`) - offset * 60_000
  return Number.isNaN(time) ? undefined : timeOf(time)
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
