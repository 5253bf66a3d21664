/**
 * The summary that only the provider can read: since 2026 OpenAI writes it, and Codex keeps it encrypted or not at all.
 * Behind a compaction Codex writes down how large it takes its history to be: a quarter of the bytes of the system prompt
 * and of each item as JSON. What is left of that without the items that can be read are the bytes of the summary.
 *
 * Read in openai/codex codex-rs/core/src/context_manager/history.rs (`estimate_token_count`), 2026-11.
 */

import { type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import { jsonText } from '../../../base/json-text.ts'
import type { Message } from '../../../model/message.ts'
import { unreadText } from '../../wire/unread.ts'

/** A compaction whose summary is hidden, until its size has been recorded. */
export interface HiddenSummary {
  readonly at: number
  readonly line: number
  /** What else took the place of the history. */
  readonly summary: readonly Message[]
  /** What Codex takes that and the system prompt to be, in tokens of its own; null if it is not known. */
  readonly rest: number | null
}

/**
 * Tokens where no size is recorded: it was 1,900 to 4,600, median 3,300, in seven compactions of gpt-5.5 with recorded
 * usage (2026-11-22).
 */
const usualTokens = 3_300

const bytesPerOwnToken = 4
/**
 * How many bytes of a summary are one token of the provider's. In 37 compactions of six owners with recorded usage the
 * summary took 0.89 of Codex's own tokens (median; 0.88 to 0.90 with any of the owners left out).
 */
const bytesPerToken = 4.5
/** What Codex takes an image to be. */
const imageBytes = 7_373

/** @returns Codex's own tokens of what it can read: the system prompt, and the items that took the place of the history */
export function ownTokens(prompt: string | undefined, items: readonly JsonObject[]): number | null {
  if (prompt === undefined) return null
  let tokens = inOwnTokens(Buffer.byteLength(prompt))
  for (const item of items) if (item.type !== 'compaction') tokens += inOwnTokens(bytesOf(item))
  return tokens
}

function bytesOf(item: JsonObject): number {
  let bytes = Buffer.byteLength(jsonText(item))
  for (const part of Array.isArray(item.content) ? item.content : []) {
    const { image_url: url } = objectOf(part) ?? {}
    if (stringOf(url)?.startsWith('data:')) bytes += imageBytes - (url as string).length
  }
  return bytes
}

const inOwnTokens = (bytes: number): number => Math.ceil(bytes / bytesPerOwnToken)

/**
 * The message that stands for a hidden summary, as large as that.
 * @param total of the whole history in Codex's own tokens, as it wrote it down; null if it did not
 */
export function hiddenSummary({ line, rest }: HiddenSummary, total: number | null): Message {
  const own = total === null || rest === null ? 0 : total - rest
  // An estimate of the rest that exceeds all of it says nothing.
  const tokens = own > 0 ? Math.round((own * bytesPerOwnToken) / bytesPerToken) : usualTokens
  const text = unreadText('a summary that only the provider can read', tokens)
  return { role: 'user', line, blocks: [{ type: 'text', text }], origin: 'injected' }
}
