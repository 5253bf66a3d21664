/** Makes a baseline of the watched figures of these runs, merged with an older one's entries for what was not read. */
import type { Run } from '../model/run.ts'
import { offPercent, type UsageSums } from '../model/witness.ts'
import { isFigureOf } from '../reports/column.ts'
import type { Section } from './assertions.ts'
import {
  type AgreedUsage,
  type Baseline,
  baselineVersion,
  checksumOf,
  type Entry,
  filesOfBaseline,
  type KnownRun,
  type MadeWith,
  readBaseline,
  usageShape,
  whyIncomparable,
} from './baseline.ts'
import { finding, notFigureWords } from './evaluate.ts'
import { type Metric, metrics, watched } from './metrics.ts'
import type { Outcome } from './outcome.ts'

/** @param sections the assertions there are */
export function makeBaseline(runs: readonly Run[], madeWith: MadeWith, sections: readonly Section[]): Baseline {
  const keys = watchedWith(sections)
  const files = new Map<string, Entry[]>()
  for (const run of runs) {
    const entries = files.get(run.transcript) ?? []
    files.set(run.transcript, entries)
    entries.push(entryOf(run, keys))
  }
  return { madeWith, files: sorted(files) }
}

/** As it stands in the file. */
export const baselineData = ({ madeWith, files }: Baseline): object => ({
  schemaVersion: baselineVersion,
  madeWith,
  files: Object.fromEntries(files),
})

const sorted = (files: Iterable<[string, readonly Entry[]]>): Baseline['files'] =>
  new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)))

function entryOf(run: Run, keys: readonly Metric[]): Entry {
  const { conversation, policy, budget, estimator, witness } = run
  const usage = agreedUsage(witness?.usage ?? null)
  const figures: KnownRun = { conversation, policy, budget, estimator, values: valuesOf(run, keys), usage }
  return { ...figures, sum: checksumOf(figures) }
}

/** The fit, rounded to the digits that matter. */
function agreedUsage(sums: UsageSums | null): AgreedUsage | null {
  if (sums === null) return null
  const { requests, inputTokens, fit } = sums
  const kept = {
    preamble: rounded(Math.max(0, fit.preamble), 2),
    factor: rounded(fit.factor, 6),
    thought: rounded(fit.thought, 6),
  }
  const agreed = { requests, inputTokens, ...kept, offPercent: rounded(offPercent(sums, kept), 2) }
  // Sums that overflowed can be held to nothing.
  return usageShape(agreed) === null ? agreed : null
}

const rounded = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits

function watchedWith(sections: readonly Section[]): readonly Metric[] {
  const asserted = sections.flatMap((section) => [...section.values()].map((assertion) => assertion?.metric.key))
  return metrics.filter(({ key }) => watched.includes(key) || asserted.includes(key))
}

/** Outcomes for figures that no baseline can hold: a sum that overflowed, a share of nothing. */
export function unfit(runs: readonly Run[], sections: readonly Section[]): Outcome[] {
  const keys = watchedWith(sections)
  return runs.flatMap((run) =>
    keys.flatMap((metric) => {
      const value = metric.value(run)
      if (value === null || isFigureOf(metric, value)) return []
      const about = { file: run.transcript, metric: metric.key, message: notFigureWords(metric, value) }
      return [{ ...finding(`baseline/${metric.key}`, 'error'), ...about }]
    }),
  )
}

/**
 * A new baseline with an older one's entries for other files, and for other transcripts of files that were not read
 * whole.
 * @param isGone whether a file that the new baseline lacks no longer exists
 * @param leftOut files of which a setting left transcripts out
 * @returns `baseline` is null if the old figures were made in another way, or are damaged, and cannot be merged
 */
export function mergeBaselines(
  old: string,
  fresh: Baseline,
  isGone: (file: string) => boolean,
  leftOut: ReadonlySet<string>,
): { readonly baseline: Baseline | null; readonly kept: readonly string[]; readonly dropped: readonly string[] } {
  const readable = readBaseline(old)
  const sound = readable && !whyIncomparable(readable, fresh.madeWith, '', true) ? readable : null
  /** The entries that the new baseline has no run for; null where that cannot be told. */
  const others = (file: string): readonly Entry[] | null => {
    const measured = new Set(fresh.files.get(file)?.map(({ conversation }) => conversation))
    return sound?.files.get(file)?.filter(({ conversation }) => !measured.has(conversation)) ?? null
  }
  const missing = filesOfBaseline(old).filter((file) => {
    if (!fresh.files.has(file)) return true
    return leftOut.has(file) && others(file)?.length !== 0
  })
  const dropped = missing.filter(isGone)
  const goners = new Set(dropped)
  const kept = missing.filter((file) => !goners.has(file))
  if (kept.length === 0) return { baseline: fresh, kept, dropped }
  const files = new Map(fresh.files)
  for (const file of kept) {
    const own = others(file)
    if (own === null) return { baseline: null, kept, dropped }
    files.set(file, [...(files.get(file) ?? []), ...own])
  }
  return { baseline: { ...fresh, files: sorted(files) }, kept, dropped }
}

function valuesOf(run: Run, keys: readonly Metric[]): Record<string, number> {
  return Object.fromEntries(
    keys.flatMap((metric) => {
      const value = metric.value(run)
      // What is left out for that reason is reported by `unfit`.
      return value === null || !isFigureOf(metric, value) ? [] : [[metric.key, value]]
    }),
  )
}
