/** Compares estimators with recorded usage, transcript by transcript: what `calibrate` prints. */
import bytes from '../estimators/bytes.ts'
import { tokensPerByte } from '../estimators/calibration.ts'
import { judge } from '../measures/usage.ts'
import type { Calibrated, CalibrationSummary } from '../model/calibrated.ts'
import { recordedRequests } from '../model/recorded.ts'
import { roundPercent } from '../model/run.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import { type Foreseen, type ForeseenRequest, foresee, foreseeFrom } from '../simulator/foresight.ts'
import { caseOf, casesOf, type Plan } from './plan.ts'

const mostWorst = 3

/** The plan to read with: a last estimator measures bytes, for tokens per byte. */
export function planWithBytes(plan: Plan): Plan {
  return { ...plan, estimators: [...plan.estimators, { plugin: bytes, values: { bytesPerToken: 4 } }] }
}

/** @param plan as `planWithBytes` makes it. @returns nothing for a transcript without a request to compare */
export function calibrateTrace(trace: Trace, plan: Plan): Calibrated[] {
  const last = plan.estimators.length - 1
  const perByte = tokensPerByte(trace, last, bytes.meter(caseOf(trace, plan).context, { bytesPerToken: 4 }))
  return casesOf(trace, plan)
    .slice(0, last)
    .flatMap((facts): Calibrated[] => {
      const { sizes, counted, estimator: asked, foreseen } = facts
      const { requests, recounts, leftOut } = recordedRequests(trace, sizes)
      if (requests.length === 0) return []
      const { errors, inputTokens, biasPercent, meanAbsolutePercent } = judge(requests, ({ units }) =>
        sizes.tokens(sizes.preamble + units),
      )
      const worst = requests.map(({ request, input }, at) => ({
        request,
        line: trace.line(trace.requestAt(request)),
        recorded: input,
        errorPercent: roundPercent(errors[at]!),
      }))
      worst.sort((a, b) => Math.abs(b.errorPercent) - Math.abs(a.errorPercent) || a.request - b.request)
      return [
        {
          transcript: trace.head.file,
          conversation: trace.head.conversation,
          format: trace.head.format,
          model: trace.head.model,
          estimator: counted.label,
          asked,
          requests: requests.length,
          inputTokens,
          biasPercent: roundPercent(biasPercent),
          meanAbsolutePercent: roundPercent(meanAbsolutePercent),
          unexplainedCuts: recounts.filter(({ unexplained }) => unexplained).length,
          foresight: foreseen.foresight,
          foresightTest: foreseen.test,
          predictionInterval: facts.intervalOf(inputTokens, requests.length),
          preambleTokens: sizes.tokens(sizes.preamble),
          tokensPerByte: perByte === null ? null : Math.round(perByte * 1e4) / 1e4,
          leftOut,
          worst: worst.slice(0, mostWorst),
        },
      ]
    })
}

/**
 * Requests behind the first cut, predicted by the plan's first estimator. What another transcript has of it, too, tells how
 * its messages are counted, and is predicted there.
 */
export function foreseeTrace(trace: Trace, plan: Plan): Foreseen {
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

/** One line an estimator that was asked for, in the order they were met. A transcript counts as one, however long. */
export function summarise(rows: readonly Calibrated[]): CalibrationSummary[] {
  const byName = new Map<string, Calibrated[]>()
  for (const row of rows) byName.set(row.asked, [...(byName.get(row.asked) ?? []), row])
  return [...byName].map(([estimator, own]) => {
    const errors = own.map((row) => row.meanAbsolutePercent).sort((a, b) => a - b)
    const foreseen = own.flatMap((row) => row.foresight?.meanAbsolutePercent ?? []).sort((a, b) => a - b)
    return {
      estimator,
      transcripts: own.length,
      requests: own.reduce((sum, row) => sum + row.requests, 0),
      median: quantile(errors, 0.5) ?? 0,
      p90: quantile(errors, 0.9) ?? 0,
      worst: errors.at(-1) ?? 0,
      foresightMedian: quantile(foreseen, 0.5),
    }
  })
}

/** The smallest value that so large a share of them does not exceed. */
function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}
