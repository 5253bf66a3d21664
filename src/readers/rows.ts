/**
 * Rows of tables: data sets keep a conversation in a column of a Parquet file, of a CSV file or of JSONL, as a list or as
 * JSON text. What stands in the cell is then recognised like any record.
 */

import { type JsonObject, objectOf } from '../base/json.ts'
import { parsedJson } from '../base/json-text.ts'
import { wordsIn } from '../base/words.ts'

/** The columns that are looked at where nobody names one, in this order. */
export const conversationColumns = wordsIn('messages conversations conversation trajectory history')

/** What a row says of its conversation besides: readers of message lists know these keys. */
export const rowKeys = wordsIn('id conversation_id session_id thread_id instance_id model tools system system_prompt')

/**
 * The record that a row holds; the row itself if there is none in it.
 * @param column the one that was named, or null for the first usual one
 */
export function recordOfRow(row: unknown, column: string | null): unknown {
  const cell = cellOf(row, column)
  if (cell === null) return row
  if (!Array.isArray(cell)) return cell
  const about: Record<string, unknown> = {}
  for (const key of rowKeys) {
    const value = (row as JsonObject)[key]
    if (key !== column && value !== undefined && value !== null) about[key] = value
  }
  const { instance_id, id = instance_id, ...rest } = about
  // ShareGPT's elements have no role.
  const name = cell.some((element) => objectOf(element)?.role !== undefined) ? 'messages' : 'conversations'
  return { ...(id !== undefined && { id }), ...rest, [name]: cell }
}

/** Whether a row has a conversation as JSON text, which no reader takes for one. */
export function isTextRow(row: unknown): boolean {
  const object = objectOf(row)
  return conversationColumns.some((name) => typeof object?.[name] === 'string') && cellOf(row, null) !== null
}

function cellOf(row: unknown, column: string | null): readonly unknown[] | JsonObject | null {
  const object = objectOf(row)
  if (!object) return null
  for (const name of column === null ? conversationColumns : [column]) {
    const cell = object[name]
    const content = typeof cell === 'string' ? parsed(cell) : cell
    if (Array.isArray(content)) return content
    const inner = objectOf(content)
    if (inner) return inner
  }
  return null
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  return parsedJson(text)
}
