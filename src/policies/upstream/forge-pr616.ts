/**
 * The sliding window that forge's pull request 616 coded and never merged (tailcallhq/forge at 891b8fa9,
 * forge_domain/src/compaction). Its authors took a user message behind a call for the call's result, so results proper do
 * get parted from their calls.
 */
import { isUser, type Kind, type Range } from './forge.ts'

/** Moves the ends of a range outwards where a call and the user message behind it would be parted. */
export function adjustRange(kinds: readonly Kind[], range: Range): Range {
  let { start, end } = range
  while (start > 0 && kinds[start - 1] === 't' && isUser(kinds[start])) start--
  if (kinds[end] === 't' && isUser(kinds[end + 1])) end++
  return { start, end }
}

/** Indices that stay: every system message, and the newest `retain` messages. */
export function slidingWindow(kinds: readonly Kind[], retain: number): number[] {
  const all = [...kinds.keys()]
  if (retain >= kinds.length || kinds.length <= 1) return all
  const { start } = adjustRange(kinds, { start: kinds.length - retain, end: kinds.length - 1 })
  return all.filter((index) => index >= start || kinds[index] === 's')
}

/** A result is used only when more than a fifth of the messages is gone. */
export function isSignificant(before: number, after: number): boolean {
  return before > 0 && Math.floor(((before - after) * 100) / before) > 20
}
