/** Which runs of many a table shows, and in which order: all runs of a transcript stay together. */
import { compareTexts } from '../base/compare.ts'
import type { Run } from '../model/run.ts'
import { lossesOf } from './columns/outcome.ts'
import type { ReportOptions, Sort } from './report.ts'
import type { RunNames } from './run-names.ts'

/** How many transcripts are shown by default. */
const most = 10

const figures: Readonly<Record<Exclude<Sort, 'name'>, (run: Run) => number>> = {
  cost: ({ cost }) => cost.paid,
  tokens: ({ sentTokens }) => sentTokens,
  lost: ({ against, ...run }) => lossesOf({ ...run, against })?.part ?? 0,
  saved: ({ against }) => against.costSaved,
}

export interface Arranged {
  readonly runs: readonly Run[]
  /** How many transcripts are not shown. */
  readonly hidden: number
}

/**
 * A transcript has the place of its run with the highest figure. Amounts in dollars come before those without a price.
 */
export function arrange(
  runs: readonly Run[],
  names: RunNames,
  { sort = 'cost', top = most }: Pick<ReportOptions, 'sort' | 'top'>,
): Arranged {
  const transcripts = new Map<string, Run[]>()
  for (const run of runs) {
    const key = JSON.stringify([run.transcript, run.conversation])
    const own = transcripts.get(key)
    if (own) own.push(run)
    else transcripts.set(key, [run])
  }
  const groups = [...transcripts.values()].map((own) => ({
    own,
    name: names.transcriptOf(own[0] as Run),
    priced: sort === 'cost' || sort === 'saved' ? own.some(({ cost }) => cost.unit === 'usd') : true,
    figure: sort === 'name' ? 0 : own.reduce((high, run) => Math.max(high, figures[sort](run)), -Infinity),
  }))
  if (sort === 'name') groups.sort((a, b) => compareTexts(a.name, b.name))
  else groups.sort((a, b) => Number(b.priced) - Number(a.priced) || b.figure - a.figure)
  return { runs: groups.slice(0, top).flatMap(({ own }) => own), hidden: Math.max(0, groups.length - top) }
}
