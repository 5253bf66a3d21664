/** What a transcript holds, and how that agrees with what the provider counted: what `check` looks at besides figures. */
import bytes from '../../estimators/bytes.ts'
import { usageSums } from '../../estimators/calibration.ts'
import type { Run, TraceRun } from '../../model/run.ts'
import type { Witness } from '../../model/witness.ts'
import { type Case, measuredBy } from '../../simulator/case.ts'

/** The runs of a transcript's cases at so many budgets, each with the witness of the estimator that counted it. */
export function withWitness(runs: readonly TraceRun[], cases: readonly Case[], budgets: number): TraceRun[] {
  const witnesses = cases.map(witnessOf)
  // By policy, then by estimator, then by budget.
  const ofRun = (nth: number) => Math.floor(nth / budgets) % witnesses.length
  return runs.map((run, nth) => ({ ...run, witness: witnesses[ofRun(nth)] as Witness }))
}

export interface BytesPerToken {
  readonly bytes: number
  /** The transcripts whose recorded usage says so. */
  readonly transcripts: number
}

/** What no text that people write with agents is outside of. A fit that is has found something else. */
const [fewestBytes, mostBytes] = [2, 6]
const fewestRequests = 4

/**
 * How many bytes make a token, as most of the transcripts recorded it: the middle one of all that recorded enough usage. Null where
 * none says anything likely.
 * @param runs counted by `bytes` with its default, each with its witness
 */
export function recordedBytesPerToken(runs: readonly Run[]): BytesPerToken | null {
  const usual = bytes.params.bytesPerToken.default
  const found = new Map<string, number>()
  for (const { transcript, conversation, witness } of runs) {
    const usage = witness?.usage
    if (usage && usage.requests >= fewestRequests)
      found.set(JSON.stringify([transcript, conversation]), usual / usage.fit.factor)
  }
  const likely = [...found.values()].filter((one) => one >= fewestBytes && one <= mostBytes).sort((a, b) => a - b)
  const middle = likely[likely.length >> 1]
  return middle === undefined ? null : { bytes: Math.round(middle * 100) / 100, transcripts: likely.length }
}

function witnessOf({ trace, inputs, context }: Case): Witness {
  const { at, meter, scale } = measuredBy(trace, inputs)
  const perUnit = scale.uncorrected ?? 1 / scale.units(1)
  let units = meter.preamble(trace.preamble)
  for (let message = 0; message < trace.length; message++) units += trace.units(message, at)
  for (const { summary, restored = [] } of trace.compactions) {
    for (const message of [...summary, ...restored]) units += meter.message(message)
  }
  for (const { left } of trace.clearings) {
    for (const [message, blocks] of left) units += meter.message(trace.withContent(message, blocks))
  }
  return {
    // Rounded so that one byte of difference shows, and no noise of floating-point sums.
    contentTokens: Math.round(units * perUnit * 100) / 100,
    usage: usageSums(trace, at, meter, perUnit, context.model),
  }
}
