/**
 * What a program recorded itself that calls cost, beside what they cost here. Its own table of prices may be another
 * one: where only the price of one kind of tokens differs, that price follows from the calls, and nothing else does.
 */
import { type ByKind, isApart, type RecordedCost, type TokenKind, tokenKinds } from '../model/spending.ts'
import { rounded } from './cost.ts'
import type { BilledCall } from './spent.ts'

/**
 * Between which prices a kind of tokens must have stood, in US dollars per million, if no other kind had another price.
 */
export interface Bounds {
  readonly least: number
  readonly most: number
}

/**
 * Calls to one model, of one program, whose cost is known here and was recorded. Dollars are billionths, to add up the
 * same in any order.
 */
export interface CostTally {
  readonly calls: number
  readonly recorded: number
  readonly here: number
  readonly bounds: Readonly<Record<TokenKind, Bounds>>
}

/** No price is as high. */
const dearest = 1e6

/** In US dollars: programs round what a call cost. */
const roundedTo = 1e-6

const billion = 1e9

/**
 * @param cost what the call cost here
 * @param recorded in US dollars
 * @param tells whether its tokens are those that the program priced: output that is estimated here is not
 */
export function tallyOf({ calls, tokens }: BilledCall, cost: ByKind, recorded: number, tells: boolean): CostTally {
  const here = tokenKinds.reduce((sum, kind) => sum + cost[kind], 0)
  const boundsOf = (kind: TokenKind): Bounds => {
    if (!tells) return { least: 0, most: dearest }
    const count = tokens[kind]
    const slack = roundedTo * calls
    if (count === 0)
      return Math.abs(recorded - here) <= slack ? { least: 0, most: dearest } : { least: dearest, most: 0 }
    const perMillion = (usd: number): number => (1e6 * usd) / count
    const rate = perMillion(recorded - here + cost[kind])
    return { least: Math.max(0, rate - perMillion(slack)), most: Math.min(dearest, rate + perMillion(slack)) }
  }
  return { calls, recorded: Math.round(billion * recorded), here: Math.round(billion * here), bounds: byKind(boundsOf) }
}

export function together(one: CostTally, other: CostTally): CostTally {
  return {
    calls: one.calls + other.calls,
    recorded: one.recorded + other.recorded,
    here: one.here + other.here,
    bounds: byKind((kind) => ({
      least: Math.max(one.bounds[kind].least, other.bounds[kind].least),
      most: Math.min(one.bounds[kind].most, other.bounds[kind].most),
    })),
  }
}

const byKind = (boundsOf: (kind: TokenKind) => Bounds) =>
  Object.fromEntries(tokenKinds.map((kind) => [kind, boundsOf(kind)])) as Record<TokenKind, Bounds>

/** Fewer calls can agree by chance. */
const fewestCalls = 3

export function recordedCost(tally: CostTally, format: string, model: string | null): RecordedCost {
  const { calls, recorded, here, bounds } = tally
  const possible = tokenKinds.filter((kind) => bounds[kind].least <= bounds[kind].most && bounds[kind].most < dearest)
  const [kind] = possible
  const isTold = kind !== undefined && possible.length === 1 && calls >= fewestCalls && isApart(recorded, here)
  const rate = isTold ? (bounds[kind].least + bounds[kind].most) / 2 : null
  return {
    format,
    model,
    calls,
    recordedUsd: rounded(recorded / billion),
    usd: rounded(here / billion),
    kind: isTold ? kind : null,
    rate: rate === null ? null : Number(rate.toPrecision(3)),
  }
}
