/**
 * Forge's compaction as it runs today (tailcallhq/forgecode at 6ed5d37: forge_domain/src/compact/strategy.rs, agent.rs,
 * context.rs, forge_app/src/compact.rs): one contiguous range from the first assistant message on is replaced by one
 * summary. These are pure functions of the kinds of the messages; ranges include both ends.
 */
import { isAssistant, type Kind, type Range } from './forge.ts'

/** The range to replace if the newest `retain` messages stay; null if there is none. */
export function evictionRange(kinds: readonly Kind[], retain: number): Range | null {
  const start = kinds.findIndex(isAssistant)
  if (start < 0 || retain >= kinds.length) return null
  let end = kinds.length - retain - 1
  if (start > end) return null
  if (kinds[end] === 't') return end === start ? null : { start, end: end - 1 }
  if (kinds[end] === 'r' && kinds[end + 1] === 'r') {
    // The range would end among the results of a call: step back over them, and over the call.
    while (end >= start && kinds[end] === 'r') end--
    end--
  }
  return end >= start ? { start, end } : null
}

/**
 * `evict_as_count`: the index at which `fraction` of the tokens is reached. Upstream uses this index as the number of
 * messages to *retain*, so evicting a fifth removes about four fifths. The fault is kept.
 */
export function retainByEviction(kinds: readonly Kind[], tokens: readonly number[], fraction: number, total: number) {
  let budget = Math.ceil(Math.min(fraction, 1) * total)
  for (const [index, kind] of kinds.entries()) {
    if (kind === 's') continue
    budget = Math.max(0, budget - (tokens[index] ?? 0))
    if (budget === 0) return index
  }
  return Math.max(0, kinds.length - 1)
}

/** The configured threshold, but at most a share of the model's window (70 % and 128k if unknown). */
export function effectiveThreshold(threshold: number | null, share: number | null, window: number | null): number {
  return Math.min(threshold ?? 100_000, Math.floor((window ?? 128_000) * (share ?? 0.7)))
}

/** The context's tokens: what the provider counted up to the last message if that is recorded, else an estimate. */
export function contextTokens(
  lastUsage: number,
  estimate: () => number,
): { kind: 'actual' | 'approx'; tokens: number } {
  return lastUsage > 0 ? { kind: 'actual', tokens: lastUsage } : { kind: 'approx', tokens: estimate() }
}

/** The indices that are kept before and after the summary. Attachments leave wherever they are. */
export function compress(kinds: readonly Kind[], { start, end }: Range): { before: number[]; after: number[] } {
  const before: number[] = []
  const after: number[] = []
  for (const [index, kind] of kinds.entries()) {
    if (kind === 'd' || (index >= start && index <= end)) continue
    if (index < start) before.push(index)
    else after.push(index)
  }
  return { before, after }
}

/**
 * The summary gets the sum of the usages it replaces. If it is last in the context, that is then taken for its size.
 */
export function summaryUsage(usages: readonly number[]): number {
  return usages.reduce((sum, usage) => sum + usage, 0)
}
