/** What the provider billed: recorded usage at the prices of the time of each request, docs/cost.md. */
import type { Spent } from '../model/run.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import { lookupModel } from '../models/lookup.ts'
import { ratesAt } from '../models/pricing.ts'
import type { ModelTable } from '../models/table.ts'
import { rounded } from './cost.ts'
import { outputOf } from './output.ts'

/**
 * @param model the one that all requests are priced as; null for those that the transcript names
 * @returns null where no usage is recorded, or a model with usage has no price: part of a bill is no bill
 */
export function spentOf(trace: Trace, sizes: Sizes, model: string | null, table: ModelTable): Spent | null {
  let input = 0
  let output = 0
  let requests = 0
  let estimatedOutputs = 0
  for (let request = 0; request < trace.requests; request++) {
    const usage = trace.usage(request)
    if (!usage) continue
    const name = model ?? trace.requestModel(request)
    const info = name === null ? undefined : lookupModel(name, table)
    const rates = info && ratesAt(info, usage.input, table, trace.requestTime(request))
    if (!rates) return null
    const { cacheRead, cacheWrite, cacheWrite1h } = usage
    const plain = Math.max(0, usage.input - cacheRead - cacheWrite)
    input += rates.input * plain + rates.read * cacheRead
    input += rates.write * (cacheWrite - cacheWrite1h) + rates.write1h * cacheWrite1h
    const answer = outputOf(trace, sizes, request)
    output += rates.output * answer.tokens
    if (answer.estimated) estimatedOutputs++
    requests++
  }
  if (requests === 0) return null
  return { usd: rounded(input + output), input: rounded(input), output: rounded(output), requests, estimatedOutputs }
}
