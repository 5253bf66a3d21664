/**
 * The usual size of a program's preamble (system prompt and tools), for transcripts whose beginning is missing. It was
 * measured on complete sessions by `tools/fit/preambles.mjs`.
 */
import type { TranscriptHead } from '../model/trace.ts'
import { preambles } from './preambles.data.ts'
import type { UsualPreamble } from './table.ts'

/** The usual preamble of a transcript's program and version; null if it is not known. */
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
