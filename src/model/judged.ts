/** What losses are judged by, where one figure has to stand for all: in `curve` and `recommend`. */
import { type LossCounts, sourced } from './run.ts'

/** `headline`: content. `named`: paths, urls, errors, ids and targets. */
export const judges = ['headline', 'named', 'all'] as const
export type Judge = (typeof judges)[number]

/** A percentage of fewer things than this is not meaningful. */
export const fewest = 30

interface Judged extends LossCounts {
  readonly headline: LossCounts
  readonly named: LossCounts
}

/** The losses that a judge looks at. */
export function lossesOf<L extends Judged>(references: L, judge: Judge): LossCounts {
  return judge === 'all' ? references : references[judge]
}

/** The first judge with enough later uses for a percentage; if none has enough, the first that has any. */
export function judgeOf(references: readonly Judged[]): Judge {
  const has = (least: number) => (judge: Judge) => references.some((one) => sourced(lossesOf(one, judge)) >= least)
  return judges.find(has(fewest)) ?? judges.find(has(1)) ?? 'all'
}
