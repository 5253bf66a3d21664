/** Holds estimators to recorded usage that they have not seen, transcript by transcript: what `calibrate` prints. */
import bytes from '../estimators/bytes.ts'
import { tokensPerByte } from '../estimators/calibration.ts'
import type { Calibrated, CalibrationSummary } from '../model/calibrated.ts'
import { recordedRequests } from '../model/recorded.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import { type ForeseenRequest, foresee, foreseeFrom, type Predictions } from '../simulator/foresight.ts'
import { caseOf, casesOf, type Plan } from './plan.ts'

/** The plan to read with: a last estimator measures bytes, for tokens per byte. */
export function planWithBytes(plan: Plan): Plan {
  return { ...plan, estimators: [...plan.estimators, { plugin: bytes, values: { bytesPerToken: 4 } }] }
}

/** @param plan as `planWithBytes` makes it. @returns nothing for a transcript without a request to compare */
export function calibrateTrace(trace: Trace, plan: Plan): Calibrated[] {
  const { whole } = trace
  const last = plan.estimators.length - 1
  const perByte = tokensPerByte(trace, last, bytes.meter(caseOf(trace, plan).context, { bytesPerToken: 4 }))
  return casesOf(trace, plan)
    .slice(0, last)
    .flatMap((facts): Calibrated[] => {
      const { sizes, counted, estimator: asked, foreseen } = facts
      const { recorded } = facts.bill
      if (!recorded) return []
      return [
        {
          transcript: trace.head.file,
          conversation: trace.head.conversation,
          format: trace.head.format,
          model: trace.head.model,
          estimator: counted.label,
          asked,
          ...recorded,
          foresight: foreseen.foresight,
          foresightTest: foreseen.test,
          predictionInterval: facts.intervalOf(recorded.inputTokens, recorded.requests),
          preambleTokens: sizes.tokens(sizes.preamble),
          tokensPerByte: perByte === null ? null : Math.round(perByte * 1e4) / 1e4,
          leftOut: recordedRequests(trace, sizes).leftOut,
          worst: foreseen.worst.map((one) => ({ ...one, line: whole.line(whole.requestAt(one.request)) })),
        },
      ]
    })
}

/**
 * Requests behind the first cut, predicted by the plan's first estimator. What another transcript has of it, too, tells how
 * its messages are counted, and is predicted there.
 */
export function foreseeTrace(trace: Trace, plan: Plan): Predictions {
  const { whole } = trace
  const { test, requests } = foresee(whole, countedByFirst(plan))
  return { test, requests: requests.filter(({ request }) => trace.isResponse(whole.requestAt(request))) }
}

/** Requests from number `from` on, predicted by the plan's first estimator from the usage of those before. */
export function foreseeTraceFrom(trace: Trace, plan: Plan, from: number): ForeseenRequest[] {
  return foreseeFrom(trace, countedByFirst(plan), from)
}

function countedByFirst(plan: Plan): (trace: Trace) => Sizes {
  return (seen) => caseOf(seen, plan).sizes
}

/**
 * One line an estimator that was asked for, in the order they were met: how far off requests are whose usage it had not seen. A
 * transcript counts as one, however long.
 */
export function summarise(rows: readonly Calibrated[]): CalibrationSummary[] {
  const byName = new Map<string, Calibrated[]>()
  for (const row of rows) byName.set(row.asked, [...(byName.get(row.asked) ?? []), row])
  return [...byName].map(([estimator, own]) => {
    const tested = own.flatMap(({ foresight }) => foresight ?? [])
    const errors = tested.map((one) => one.meanAbsolutePercent).sort((a, b) => a - b)
    return {
      estimator,
      transcripts: tested.length,
      requests: tested.reduce((sum, one) => sum + one.requests, 0),
      median: quantile(errors, 0.5),
      p90: quantile(errors, 0.9),
      worst: errors.at(-1) ?? null,
    }
  })
}

/** The smallest value that so large a share of them does not exceed. */
function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}
