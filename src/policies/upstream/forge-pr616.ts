/**
 * The sliding window of forge's unmerged pull request 616 (tailcallhq/forge at 891b8fa9, forge_domain/src/compaction).
 * It takes a user message after a call for the call's result, so real results are separated from their calls.
 */
import { isUser, type Kind, type Range } from './forge.ts'

/** Moves the ends of a range outwards if they would separate a call from the user message after it. */
export function adjustRange(kinds: readonly Kind[], range: Range): Range {
  let { start, end } = range
  while (start > 0 && kinds[start - 1] === 't' && isUser(kinds[start])) start--
  if (kinds[end] === 't' && isUser(kinds[end + 1])) end++
  return { start, end }
}

/** Indices of the messages that stay: every system message, and the newest `retain` messages. */
export function slidingWindow(kinds: readonly Kind[], retain: number): number[] {
  const all = [...kinds.keys()]
  if (retain >= kinds.length || kinds.length <= 1) return all
  const { start } = adjustRange(kinds, { start: kinds.length - retain, end: kinds.length - 1 })
  return all.filter((index) => index >= start || kinds[index] === 's')
}

/** Whether more than a fifth of the messages is gone: only then the result is used. */
export function isSignificant(before: number, after: number): boolean {
  return before > 0 && Math.floor(((before - after) * 100) / before) > 20
}
