/**
 * What a message is worth: how likely it is used later, by one of three ways to tell, and what a lost use is held to
 * cost.
 */
import type { Deed } from './contents.ts'
import { type Signals, signals } from './signals.ts'
import shipped from './weights.data.json' with { type: 'json' }

/** Coefficients of a logistic regression, by signal; what is left out is 0. */
export type Weights = Readonly<Record<string, number>> & { readonly intercept: number }

/** By how a message is told to be of use. */
export interface ValueModels {
  readonly learned: Weights
  readonly age: Weights
}

export const shippedModels: ValueModels = shipped

/** Weight of a use of content in the fit; a use of a name weighs 1. */
export const contentWeight = shipped.contentWeight

export interface Valuing {
  /** The chance that the message is used later. */
  chance(known: Signals, place: number): number
  /** The assumed cost of a lost use, in tokens at the price of input. */
  readonly price: number
}

/** @param odds a factor on the odds that the coefficients give */
export function byWeights(weights: Weights, price: number, odds: number): Valuing {
  const vector = Float64Array.from(signals, (name) => weights[name] ?? 0)
  const values = new Float64Array(signals.length)
  const intercept = weights.intercept + Math.log(odds)
  return {
    price,
    chance(known, place) {
      known.read(place, values)
      let sum = intercept
      for (let at = 0; at < values.length; at++) sum += (values[at] as number) * (vector[at] as number)
      return 1 / (1 + Math.exp(-sum))
    },
  }
}

/** Surely used while it is young, and surely not behind that: by how many requests, for each kind of message. */
export function byStay(edits: number, shell: number, rest: number): Valuing {
  const stays: Partial<Record<Deed | string, number>> = { read: edits, edit: edits, shell, search: shell }
  return {
    price: 1e12,
    chance: (known, place) => (known.ageOf(place) <= (stays[known.kindOf(place)] ?? rest) ? 1 : 0),
  }
}
