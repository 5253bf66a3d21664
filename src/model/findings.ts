/**
 * What has been found out of a transcript and is the same under every policy and budget, as plain data. It is kept with what
 * was read of the transcript: a later run need not find it out again.
 */
import type { Trace } from './trace.ts'

/** By what was found, in words that name all that it depends on besides the transcript and how it was read. */
export type Findings = Map<string, unknown>

const kept = new WeakMap<Trace, Findings>()

/** From now on, what is found out of the transcript is added to `findings`, and what is there is not found out again. */
export function keepFindings(trace: Trace, findings: Findings): void {
  kept.set(trace, findings)
}

/** @param find its result is plain data, and changes with nothing that neither `words` nor the reading names */
export function finding<Found>(trace: Trace, words: string, find: () => Found): Found {
  const findings = kept.get(trace)
  if (findings?.has(words)) return findings.get(words) as Found
  const found = find()
  findings?.set(words, found)
  return found
}
