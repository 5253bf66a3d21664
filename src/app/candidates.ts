/**
 * What `recommend` tries where nothing is named: what a person can turn on, and the primitives that name a common practice.
 * The other systems are left out, as nobody can turn them on in another program.
 */
import type { Budget } from '../model/budget.ts'
import { policies } from '../policies/index.ts'
import type { Policy } from '../policies/policy.ts'
import { type Chosen, choose } from '../simulator/simulate.ts'

const practices: readonly (readonly [name: string, values: Readonly<Record<string, unknown>>])[] = [
  ['drop-oldest', {}],
  ['drop-steps', { scope: 'all' }],
  ['mask-tool-results', { scope: 'all', when: 'over' }],
  ['mask-tool-results', { scope: 'all' }],
  ['truncate-tool-results', {}],
  ['summarise-oldest', {}],
]

/** @returns each once, in the order of the registry and then of the practices */
export function usualCandidates(): Chosen<Policy>[] {
  return practices.map(([name, values]) => choose(policies.get(name), values))
}

/** From a small window to the largest, about half as much again each time. */
export const usualBudgets: readonly Budget[] = [
  40_000, 60_000, 80_000, 100_000, 130_000, 160_000, 200_000, 300_000, 400_000, 600_000, 800_000,
]

/** Cutting as little as possible, and to three quarters and a half of the budget. */
export const usualTargets: readonly number[] = [1, 0.75, 0.5]
