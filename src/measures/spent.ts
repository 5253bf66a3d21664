/** What the provider billed: the recorded usage of each request, at the prices of its time. docs/cost.md. */
import type { Usage } from '../model/message.ts'
import { type CallsByTerm, callsByTerm, type PriceTerm, termCalls } from '../model/price-terms.ts'
import type { CacheFit, Spent } from '../model/run.ts'
import type { Sizes } from '../model/sizes.ts'
import { type ByKind, tokenKinds } from '../model/spending.ts'
import type { SideCall, Trace } from '../model/trace.ts'
import { lookupModel } from '../models/lookup.ts'
import { type AtTerms, atTerms, type Rates, ratesAt, scaled } from '../models/pricing.ts'
import type { ModelTable } from '../models/table.ts'
import { rounded } from './cost.ts'
import { outputOf } from './output.ts'

/** A call with recorded usage, or several calls of which only the sum is recorded. */
export interface BilledCall {
  /** A search is a part of its request: a fee, and no call. */
  readonly calls: number
  readonly tokens: ByKind
  /** US dollars; null where the model that answered has no known price. */
  readonly cost: ByKind | null
  /** Of the terms that are not the usual ones, those that it is priced at. */
  readonly pricedTerms: readonly PriceTerm[]
}

/** A request with recorded usage. */
export interface BilledRequest extends BilledCall {
  readonly request: number
  readonly usage: Usage
  readonly rates: Rates | null
  /** The recorded output is less than what can be seen, and is estimated. */
  readonly estimatedOutput: boolean
}

/**
 * The requests that the provider billed, in order.
 * @param model the one that all requests are priced as; null for those that the transcript names
 */
export function* billedRequests(
  trace: Trace,
  sizes: Sizes,
  model: string | null,
  table: ModelTable,
): Generator<BilledRequest> {
  for (let request = 0; request < trace.requests; request++) {
    const usage = trace.usage(request)
    if (!usage) continue
    const price = priceOf(model ?? trace.requestModel(request), usage.input, table, trace.requestTime(request), usage)
    const rates = price?.rates ?? null
    const output = outputOf(trace, sizes, request)
    const tokens = tokensOf(usage, output.tokens)
    const cost = rates && costOf(tokens, rates)
    const pricedTerms = price?.priced ?? []
    yield { request, calls: 1, usage, tokens, cost, rates, pricedTerms, estimatedOutput: output.estimated }
  }
}

/** The calls that the provider billed beside the requests, in the order of `trace.sideCalls`. */
export function billedSideCalls(trace: Trace, model: string | null, table: ModelTable): BilledCall[] {
  return trace.sideCalls.map((call) => {
    const { kind, usage, time, calls = 1 } = call
    const tokens = tokensOf(usage, usage.output)
    const isSearch = kind === 'search'
    const at = isSearch ? ({ terms: ['search'] } as const) : usage
    const price = priceOf(model ?? call.model ?? trace.head.model, inputOfOne(call), table, time, at)
    const cost = price && costOf(tokens, price.rates)
    const fee = isSearch && price ? price.search * calls : 0
    return {
      calls: isSearch ? 0 : calls,
      tokens,
      cost: cost && { ...cost, input: cost.input + fee },
      pricedTerms: price?.priced ?? [],
    }
  })
}

/**
 * The input of one call. Long requests may have a higher price; a sum does not say how long each request was, so their
 * average decides.
 */
const inputOfOne = ({ usage, calls = 1 }: SideCall): number => usage.input / calls

/** Null where the model is not known, or has no known price. */
function priceOf(
  model: string | null,
  input: number,
  table: ModelTable,
  time: number,
  { terms = [] }: Pick<Usage, 'terms'>,
): (AtTerms & { readonly rates: Rates }) | null {
  const info = model === null ? undefined : lookupModel(model, table)
  const rates = info && ratesAt(info, input, table, time)
  if (!rates) return null
  const at = atTerms(info, terms, table)
  return { ...at, rates: scaled(rates, at.factor) }
}

function tokensOf({ input, cacheRead, cacheWrite, cacheWrite1h }: Usage, output: number): ByKind {
  return {
    input: Math.max(0, input - cacheRead - cacheWrite),
    cacheRead,
    cacheWrite: cacheWrite - cacheWrite1h,
    cacheWrite1h,
    output,
  }
}

function costOf(tokens: ByKind, rates: Rates): ByKind {
  return {
    input: rates.input * tokens.input,
    cacheRead: rates.read * tokens.cacheRead,
    cacheWrite: rates.write * tokens.cacheWrite,
    cacheWrite1h: rates.write1h * tokens.cacheWrite1h,
    output: rates.output * tokens.output,
  }
}

/** A model answered that is given away. */
const isFree = ({ tokens, cost }: BilledCall): boolean =>
  cost !== null && tokenKinds.some((kind) => tokens[kind] > 0) && tokenKinds.every((kind) => cost[kind] === 0)

/** What the input of a request cost: all kinds of tokens but the output. */
export const inputCost = (cost: ByKind): number =>
  tokenKinds.reduce((sum, kind) => (kind === 'output' ? sum : sum + cost[kind]), 0)

/**
 * Calls with recorded usage, and those of them to models without a known price, by model; an empty name for no model.
 */
export interface RecordedCalls {
  readonly recordedCalls: number
  readonly requestsWithoutUsage: number
  readonly unpriced: readonly (readonly [model: string, calls: number])[]
  /** Those that were billed at other terms than the usual ones. */
  readonly terms: CallsByTerm
}

/** @param model as in `billedRequests` */
export function recordedCallsOf(trace: Trace, model: string | null, table: ModelTable): RecordedCalls {
  const unpriced = new Map<string, number>()
  const terms: CallsByTerm[number][] = []
  let recordedCalls = 0
  const count = (answered: string | null, input: number, time: number, usage: Usage, calls = 1): void => {
    recordedCalls += calls
    const name = model ?? answered
    const price = priceOf(name, input, table, time, usage)
    for (const one of termCalls(usage.terms ?? [], price?.priced ?? [], calls)) terms.push(one)
    if (price) return
    unpriced.set(name ?? '', (unpriced.get(name ?? '') ?? 0) + calls)
  }
  for (let request = 0; request < trace.requests; request++) {
    const usage = trace.usage(request)
    if (usage) count(trace.requestModel(request), usage.input, trace.requestTime(request), usage)
  }
  for (const call of trace.sideCalls) {
    if (call.kind === 'search') continue
    count(call.model ?? trace.head.model, inputOfOne(call), call.time, call.usage, call.calls)
  }
  return {
    recordedCalls,
    requestsWithoutUsage: requestsWithoutUsage(trace),
    unpriced: [...unpriced],
    terms: callsByTerm(terms),
  }
}

/** The number of requests that have no recorded usage, and are part of no recorded sum either. */
export function requestsWithoutUsage(trace: Trace): number {
  let count = 0
  for (let request = 0; request < trace.requests; request++) if (!trace.usage(request)) count++
  const summed = trace.sideCalls.reduce((sum, { kind, calls = 1 }) => (kind === 'summed' ? sum + calls : sum), 0)
  return Math.max(0, count - summed)
}

/**
 * @param model the one that all requests are priced as; null for those that the transcript names
 * @returns null where no usage is recorded, or where a model with usage has no known price: without it the bill would be
 *   too small. Also where one is given away: what the policies cost is then not in dollars (`pricingOf`)
 */
export function spentOf(
  trace: Trace,
  sizes: Sizes,
  model: string | null,
  table: ModelTable,
): Omit<Spent, keyof CacheFit> | null {
  let input = 0
  let output = 0
  let beside = 0
  let requests = 0
  let estimatedOutputs = 0
  for (const request of billedRequests(trace, sizes, model, table)) {
    const { cost, estimatedOutput } = request
    if (!cost || isFree(request)) return null
    input += inputCost(cost)
    output += cost.output
    if (estimatedOutput) estimatedOutputs++
    requests++
  }
  const sideCalls = billedSideCalls(trace, model, table)
  for (const call of sideCalls) {
    const { cost } = call
    if (!cost || isFree(call)) return null
    beside += inputCost(cost) + cost.output
  }
  if (requests + sideCalls.length === 0) return null
  return {
    usd: rounded(input + output + beside),
    input: rounded(input),
    output: rounded(output),
    beside: rounded(beside),
    requests,
    sideCalls: sideCalls.reduce((sum, { calls }) => sum + calls, 0),
    estimatedOutputs,
  }
}
