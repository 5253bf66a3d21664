/**
 * The bounds that stand in a comparison beside `clairvoyant`: what no policy can be below. docs/policies.md says what
 * they leave out of account; each thing left out can only make a bound lower.
 *
 * `lost` and `paid` are for policies that do as programs do: each message is in a request as it was recorded or not at
 * all; one that left does not come back; what came since the request before is sent, behind the system prompt and the
 * tools, but for results whose call was sent before, and may have left; and a request is over the budget only where one
 * with just what came, and the newest prompt, would be. `preamble` is for any policy.
 *
 * Money: a request costs at least what it must have, if the cache serves all of it that any request has had before: the
 * preamble, and what is needed of the history. That costs at least its reading, and what is new at least its writing.
 */

import type { CacheBehaviour } from '../measures/cache-behaviour.ts'
import { rounded } from '../measures/cost.ts'
import { isCold } from '../measures/prompt-cache.ts'
import type { PolicyBounds } from '../model/run.ts'
import { type Sizes, unitsWithin } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import type { Pricing } from '../models/pricing.ts'
import type { ReferenceDigest } from '../references/digest.ts'
import { fewestLost } from '../references/fewest-lost.ts'
import { type Need, needsOf } from '../references/needs.ts'

interface Priced {
  readonly sizes: Sizes
  readonly pricing: Pricing
  readonly cache: CacheBehaviour
}

/**
 * @param budget in tokens; 0 = none
 * @param losing `paid` is for policies that lose at most so many uses of content
 */
export function boundsOf(
  trace: Trace,
  digest: ReferenceDigest,
  by: Priced,
  budget: number,
  losing: number,
): PolicyBounds {
  const least = leastRequests(trace, by.sizes, budget)
  // A source that is new in this request has to be sent anyway.
  const needs = needsOf(trace, digest, by.sizes).map((need) => ({ ...need, from: Math.max(need.from, need.first + 1) }))
  const rooms = least.map(({ units, fits }) =>
    fits && budget > 0 ? by.sizes.units(budget) + 1 - by.sizes.preamble - units : Infinity,
  )
  const preamble = least.reduce((sum, _, request) => sum + costOf(request, 0, by), 0)
  return {
    lost: fewestLost(needs, rooms),
    paid: rounded(Math.max(preamble, leastPaid(least, needs, by, losing))),
    preamble: rounded(preamble),
  }
}

interface Least {
  /** Of the messages that came since the request before, and that no policy leaves out. */
  readonly units: number
  /** Whether a request with them and the newest prompt can be within the budget. */
  readonly fits: boolean
}

function leastRequests(trace: Trace, sizes: Sizes, budget: number): Least[] {
  const least: Least[] = []
  const within = unitsWithin(trace, sizes)
  let index = 0
  let prompt = -1
  let calls = 0
  for (let request = 0; request < trace.requests; request++) {
    const from = index
    const sent = calls
    let [units, most] = [0, sizes.preamble]
    for (; index < trace.requestAt(request); index++) {
      if (trace.isReset(index)) [units, most] = [0, sizes.preamble]
      if (trace.isPrompt(index)) prompt = index
      calls += trace.callCount(index)
      const isLate = trace.role(index) === 'tool' && trace.call(index) >= 0 && trace.call(index) < sent
      const added = within(index)
      if (!isLate) units += added.least
      most += added.most
    }
    if (prompt >= 0 && prompt < from) most += within(prompt).most
    least.push({ units, fits: budget === 0 || sizes.tokens(most) <= budget })
  }
  return least
}

function leastPaid(least: readonly Least[], needs: readonly Need[], by: Priced, losing: number): number {
  const { sizes, pricing } = by
  /** By request: what the units before it cost, each in all requests up to there, if they are read in each. */
  const reading = new Float64Array(least.length + 1)
  let paid = 0
  for (const [request, { units, fits }] of least.entries()) {
    paid += costOf(request, fits ? units : 0, by)
    const rates = pricing.rates(sizes.tokens(sizes.preamble), request)
    const price = isServed(request, by) ? rates.read : rates.input
    reading[request + 1] = (reading[request] as number) + price * tokensPerUnit(sizes)
    // Both counts are rounded to whole tokens, so their sum may be one less than the whole.
    if (fits) paid -= rates.write
  }
  const prices = needs
    .filter(({ from, request }) => from <= request)
    .map(({ from, request, units }) => units * ((reading[request + 1] as number) - (reading[from] as number)))
    .sort((a, b) => b - a)
  return paid + prices.slice(losing).reduce((sum, price) => sum + price, 0)
}

/** A request with so many units that are new behind the preamble. */
function costOf(request: number, units: number, { sizes, pricing, cache }: Priced): number {
  const shared = isServed(request, { pricing, cache }) ? sizes.tokens(sizes.preamble) : 0
  const tokens = sizes.tokens(sizes.preamble + units)
  return cache.input(request, tokens, cache.hit(request, shared, tokens), pricing.rates(tokens, request))
}

const isServed = (request: number, { pricing, cache }: Pick<Priced, 'pricing' | 'cache'>): boolean =>
  pricing.rule !== null && !isCold(cache.clock, request)

const many = 2 ** 30

const tokensPerUnit = (sizes: Sizes): number => (sizes.tokens(many) - 1) / many
