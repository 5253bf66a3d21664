/**
 * `recorded`: the provider's own count for the requests that really happened. The tokens that a request added to the one
 * before are recorded, and are divided among the messages in between in proportion to their calibrated sizes. Requests
 * that never happened (a pruned window, the history after a compaction) are sums of the same sizes.
 */

import { type RecordedRequest, recordedRequests } from '../model/recorded.ts'
import type { Joins } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import { calibratedScale } from './calibration.ts'
import { best, uncorrected } from './counting.ts'
import { defineEstimator, type Scale, tokenScale } from './estimator.ts'

/** A message gets at least a quarter and at most four times its calibrated size; the next ones make up for the rest. */
const most = 4

export default defineEstimator({
  name: 'recorded',
  summary: "the provider's own count for the requests that happened; calibrated for all others",
  version: 4,
  source: 'docs/estimators.md',
  exact: false,
  params: {},
  meter: (context) => best(context).meter,
  uncorrected,
  scale(trace, index, _values, context) {
    const counting = best(context)
    const { meter, label, short } = counting
    const calibrated = calibratedScale(trace, index, counting, context)
    if (!calibrated) return { ...tokenScale, label }
    const { sizes, preambleTokens } = anchored(trace, calibrated, meter.joins(trace.preamble))
    return {
      ...calibrated,
      ...(preambleTokens !== null && { preambleTokens }),
      of: (message) => sizes[message]!,
      label: `recorded(${short})`,
    }
  },
})

/**
 * Units by message, so that their sums come as near to the recorded usage as additive sizes can, and the preamble for
 * which the first request has its recorded size.
 */
function anchored(
  trace: Trace,
  scale: Scale,
  joins: Joins,
): { readonly sizes: Float64Array; readonly preambleTokens: number | null } {
  const sizes = Float64Array.from({ length: trace.length }, (_, message) => scale.of?.(message) ?? 0)
  // Summaries are both in a request and in its anchor, so they can count as 0 here.
  const { passing } = scale
  const { requests } = recordedRequests(trace, {
    ...{ of: (message) => sizes[message]!, message: () => 0, joins },
    ...(passing && { passing }),
  })
  let preambleTokens: number | null = null
  let last: RecordedRequest | null = null
  let debt = 0
  for (const one of requests) {
    const base: RecordedRequest | null = last && last.anchor === one.anchor ? last : one.anchor
    if (base !== last) debt = 0
    last = one
    if (!base) {
      preambleTokens ??= Math.max(0, one.input - scale.tokens(one.units))
      continue
    }
    const [from, to] = [trace.requestAt(base.request), trace.requestAt(one.request)]
    let own = 0
    for (let message = from; message < to; message++) own += sizes[message]!
    if (own <= 0) continue
    const between = one.units - base.units - own // the joins
    const wanted = scale.units(one.input) - scale.units(base.input) - between + debt
    const given = Math.min(most * own, Math.max(own / most, wanted))
    debt = wanted - given
    for (let message = from; message < to; message++) sizes[message]! *= given / own
  }
  return { sizes, preambleTokens }
}
