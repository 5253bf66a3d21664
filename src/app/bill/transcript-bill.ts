/**
 * What was billed of a transcript: the one sum of money that `ctxwin` alone, `sessions` and `spend` show. Every call with a
 * known price is in it, whatever the other calls are.
 */
import { type BilledCall, type BilledRequest, billedRequests, billedSideCalls } from '../../measures/spent.ts'
import type { Spent } from '../../model/run.ts'
import type { Sizes } from '../../model/sizes.ts'
import type { Trace } from '../../model/trace.ts'
import type { ModelTable } from '../../models/table.ts'
import { type Amounts, Sum } from './spending-sum.ts'

/** By request: all that the transcript was billed for, and those that count here and in no file before this one. */
export interface Billed {
  readonly all: ReadonlyMap<number, BilledRequest>
  readonly counted: ReadonlyMap<number, BilledRequest>
  /** Calls outside the conversation, in the order of those that count here. */
  readonly beside: readonly BilledCall[]
}

/**
 * @param part the transcript without the requests that count elsewhere
 * @param sizes of the whole transcript
 * @param model the one that all requests are priced as; null for those that the transcript names
 */
export function billedOf(part: Trace, sizes: Sizes, model: string | null, table: ModelTable): Billed {
  const trace = part.whole
  const all = new Map<number, BilledRequest>()
  const counted = new Map<number, BilledRequest>()
  for (const one of billedRequests(trace, sizes, model, table)) {
    all.set(one.request, one)
    if (part.isResponse(trace.requestAt(one.request))) counted.set(one.request, one)
  }
  return { all, counted, beside: billedSideCalls(part, model, table) }
}

export function sumOf({ counted, beside }: Billed): Sum {
  const sum = new Sum()
  for (const request of counted.values()) sum.add(request)
  for (const call of beside) sum.addBeside(call)
  return sum
}

/** The sum, and how many of its calls have a price. */
export interface TranscriptBill extends Pick<Spent, 'requests' | 'sideCalls' | 'estimatedOutputs'> {
  readonly sum: Amounts
}

export function transcriptBill(billed: Billed): TranscriptBill {
  const requests = [...billed.counted.values()].filter(({ cost }) => cost !== null)
  return {
    requests: requests.length,
    sideCalls: billed.beside.reduce((count, { calls, cost }) => count + (cost === null ? 0 : calls), 0),
    estimatedOutputs: requests.filter(({ estimatedOutput }) => estimatedOutput).length,
    sum: sumOf(billed),
  }
}
