/** Rows of the `messages` table as exported to JSON: every field may have any type. */

import { type JsonObject, objectOf } from '../../../base/json.ts'
import { parsedJson } from '../../../base/json-text.ts'
import type { Shape } from '../../reader.ts'
import { timeOf } from '../../wire/bodies.ts'
import { both, keys, kinds, optional, where } from '../../wire/shape.ts'
import { usageOf, usageShape } from '../../wire/usage.ts'

export interface Row {
  readonly id: number | null
  readonly kind: string
  readonly content: unknown
  readonly data: JsonObject
  readonly agent: string | null
  readonly time: number | undefined
  readonly line: number
  /** It was stopped, or says that the exchange was. */
  readonly interrupted: boolean
}

const saidShape = keys({ content: 'string' })

const thoughtShape = keys({
  thinking: optional(keys({ text: 'string' })),
  redacted_thinking: optional(keys({ data: 'string' })),
})

const callShape = keys({ tool_call_id: 'string', tool_name: 'string', tool_args: 'string' })

export const idShape: Shape = (value) => (numberOf(value) === null ? '' : null)

/** What every row must hold: rewinds and forks name rows by their ids, and their times order them. */
export const recordShape = keys({
  id: idShape,
  agent_uuid: 'string?',
  session_id: 'string|number?',
  created_at: 'string?',
  interrupted: 'boolean?',
})

/** What a row of a kind that holds context must hold besides. */
export const rowShape = kinds('kind', {
  system: saidShape,
  user: saidShape,
  assistant: both(saidShape, keys({ data: both(thoughtShape, keys({ finish_reason: 'string?' })) })),
  tool_call: keys({ data: both(callShape, thoughtShape) }),
  tool_result: keys({ data: keys({ tool_call_id: 'string', output: 'string', success: 'boolean?' }) }),
  tool: saidShape,
  // A row of usage without any counts is left out.
  usage: where(({ data }) => usageOf(data) !== undefined, keys({ data: usageShape })),
})

export function rowOf(record: JsonObject, kind: string, line: number): Row {
  const agent = record.agent_uuid ?? record.session_id
  return {
    id: numberOf(record.id),
    kind,
    content: record.content,
    data: dataOf(record.data),
    agent: typeof agent === 'string' || typeof agent === 'number' ? String(agent) : null,
    time: timeOf(withWholeZone(record.created_at)),
    line,
    interrupted: record.interrupted === true || kind === 'interrupted',
  }
}

/** Sorted by time, then by id; by id alone if a time is missing; in the order of the file if ids are missing too. */
export function inOrder(rows: readonly Row[]): readonly Row[] {
  const timed = rows.every(({ time }) => time !== undefined)
  if (!timed && rows.some(({ id }) => id === null)) return rows
  return rows.toSorted((a, b) => (timed && (a.time as number) - (b.time as number)) || (a.id ?? 0) - (b.id ?? 0))
}

/** Ids have 64 bits, and some drivers write such numbers as text. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** PostgreSQL prints JSONB as text unless JSON is requested. */
function dataOf(data: unknown): JsonObject {
  return objectOf(typeof data === 'string' ? parsedJson(data) : data) ?? {}
}

/** PostgreSQL writes `+00` for `+00:00`. */
function withWholeZone(time: unknown): unknown {
  return typeof time === 'string' ? time.replace(/(?<=:\d\d(?:\.\d+)?)([+-]\d\d)$/, '$1:00') : time
}
