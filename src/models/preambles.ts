/**
 * What programs send in front of a conversation, system prompt and tools, in whole sessions that others recorded: what is
 * known of a transcript whose beginning is missing. `tools/fit/preambles.mjs` measures it.
 */
import type { TranscriptHead } from '../model/trace.ts'
import { preambles } from './preambles.data.ts'
import type { UsualPreamble } from './table.ts'

/** What the program and version of a transcript usually send; null where that is not known. */
export function usualPreamble({ format, version }: Pick<TranscriptHead, 'format' | 'version'>): UsualPreamble | null {
  const known = preambles.table.filter(({ program }) => program === format)
  const at = known.findLastIndex(({ from }) => version !== undefined && compareVersions(from, version) <= 0)
  return known[Math.max(0, at)] ?? null
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map((part) => Number.parseInt(part, 10) || 0))
  for (let at = 0; at < 3; at++) {
    const difference = (left![at] ?? 0) - (right![at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
