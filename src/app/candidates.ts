/**
 * What `recommend` tries where nothing is named: what a setting of the program turns on that recorded the transcripts, and
 * the primitives that name a common practice, for an agent of one's own. The other systems cannot be turned on elsewhere.
 */

import { type Chosen, choose } from '../base/chosen.ts'
import type { Budget } from '../model/budget.ts'
import type { TranscriptHead } from '../model/trace.ts'
import type { Card, PolicyWithCard } from '../policies/catalogue/card.ts'
import { policies, policyGroups } from '../policies/index.ts'

const groupOf = (key: string): readonly PolicyWithCard[] =>
  policyGroups.find((group) => group.key === key)?.policies ?? []
const agents = groupOf('agents')
const libraries = groupOf('libraries')

const practices: readonly (readonly [name: string, values: Readonly<Record<string, unknown>>])[] = [
  ['drop-oldest', {}],
  ['drop-steps', { scope: 'all' }],
  ['mask-tool-results', { scope: 'all', when: 'over' }],
  ['mask-tool-results', { scope: 'all' }],
  ['truncate-tool-results', {}],
  ['summarise-oldest', {}],
]

export function usualCandidates(): Chosen<PolicyWithCard>[] {
  const settings = [...agents, ...libraries].filter(({ turnOn }) => turnOn !== undefined)
  return [
    ...settings.map((policy) => choose(policy)),
    ...practices.map(([name, values]) => choose(policies.get(name), values)),
  ]
}

/** What the settings of each program turn on, by the format of its transcripts. */
export function settingsByProgram(): ReadonlyMap<string, readonly Chosen<PolicyWithCard>[]> {
  const settings = agents.filter(({ turnOn }) => turnOn !== undefined)
  const formats = new Set(settings.flatMap(({ availableIn }) => availableIn ?? []))
  const of = (format: string) => settings.filter(({ availableIn }) => availableIn?.includes(format))
  return new Map([...formats].map((format) => [format, of(format).map((policy) => choose(policy))]))
}

/**
 * Whether a person can have the policy in what recorded a transcript. The settings of a program are for its own transcripts;
 * what an API or a library offers is for agents that are none of the programs.
 */
export function isFor(
  policy: Partial<Card>,
  { format, provider }: Pick<TranscriptHead, 'format' | 'provider'>,
): boolean {
  const { availableIn } = policy
  if (availableIn?.includes(format)) return true
  if (agents.some((agent) => agent === policy)) return false
  const isProgram = agents.some((agent) => agent.availableIn?.includes(format))
  if (availableIn) return availableIn.includes(provider) && !isProgram
  return !libraries.some((library) => library === policy) || !isProgram
}

/** From a small window to the largest, about half as much again each time. */
export const usualBudgets: readonly Budget[] = [
  40_000, 60_000, 80_000, 100_000, 130_000, 160_000, 200_000, 300_000, 400_000, 600_000, 800_000,
]

/** Cutting as little as possible, and to three quarters and a half of the budget. */
export const usualTargets: readonly number[] = [1, 0.75, 0.5]
