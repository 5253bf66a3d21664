/**
 * Who can have which policy, and what is tried where nothing is named. The settings of a program are for its own transcripts;
 * what an API or a library offers, and the compositions of common practice, are for agents that are no program of others.
 */

import { type Chosen, choose } from '../../base/chosen.ts'
import type { Budget } from '../../model/budget.ts'
import type { TraceRun } from '../../model/run.ts'
import type { TranscriptHead } from '../../model/trace.ts'
import type { Card, PolicyWithCard } from '../../policies/catalogue/card.ts'
import { policies, policyGroups } from '../../policies/index.ts'
import type { Policy } from '../../policies/policy.ts'
import { readers } from '../../readers/index.ts'
import type { Ceiling } from '../../simulator/case.ts'

/** What every other row of a comparison is measured against. */
export const unpruned = 'keep-all'

/** What none of them can be below, as it knows the future. */
export const bound = 'clairvoyant'

const groupOf = (key: string): readonly PolicyWithCard[] =>
  policyGroups.find((group) => group.key === key)?.policies ?? []
const agents = groupOf('agents')
const libraries = groupOf('libraries')

type Values = Readonly<Record<string, unknown>>

/** A common practice: a primitive, and the composition of knobs that does the same, for people to build into their agent. */
interface Practice {
  readonly name: string
  readonly values: Values
  composition(values: Values): string
}

const practices: readonly Practice[] = [
  {
    name: 'drop-oldest',
    values: {},
    composition: ({ keepLast, target }) => `unit=exchange,protect=exchanges:${keepLast},target=watermark:${target}`,
  },
  {
    name: 'drop-steps',
    values: { scope: 'all' },
    composition: ({ keepLast, target }) => `unit=step,protect=last:${keepLast},target=watermark:${target}`,
  },
  {
    name: 'mask-tool-results',
    values: { scope: 'all', when: 'over' },
    composition: ({ keepFirst, keepLast, target }) =>
      `unit=result,protect=first:${keepFirst}+last:${keepLast},operation=mask,target=watermark:${target}`,
  },
  {
    name: 'mask-tool-results',
    values: { scope: 'all' },
    composition: ({ keepFirst, keepLast }) =>
      `trigger=always,unit=result,protect=first:${keepFirst}+last:${keepLast},operation=mask,target=all`,
  },
  {
    name: 'truncate-tool-results',
    values: {},
    composition: ({ max, keep }) =>
      `trigger=ingest,unit=result,protect=nothing,operation=truncate:${max}:${keep},target=all`,
  },
  {
    name: 'summarise-oldest',
    values: {},
    composition: ({ tokens, keepLast, target }) =>
      `unit=exchange,protect=exchanges:${keepLast},operation=summarise:${tokens},target=watermark:${target}`,
  },
]

/** The program whose own record a transcript is; null for one of an agent of one's own: its requests, its logs, its traces. */
export function programOf({ format }: Pick<TranscriptHead, 'format'>): string | null {
  return readers.has(format) ? (readers.get(format).program ?? null) : null
}

/** What can be set in a program; for null what can be built into an agent of one's own. */
export function settingsFor(program: string | null): Chosen<PolicyWithCard>[] {
  if (program !== null) {
    const own = policies.all.filter(({ turnOn, availableIn }) => turnOn && availableIn?.includes(program))
    return own.map((policy) => choose(policy))
  }
  return [
    ...libraries.filter(({ turnOn }) => turnOn !== undefined).map((policy) => choose(policy)),
    ...practices.map(({ name, values }) => choose(policies.get(name), values)),
  ]
}

/** How a program shortens its context by itself; null where it does not, or nobody knows how. */
export function ownPolicyOf(program: string | null): PolicyWithCard | null {
  const isOwn = ({ compacts, availableIn }: PolicyWithCard): boolean =>
    compacts === true && program !== null && availableIn?.includes(program) === true
  return policies.all.find(isOwn) ?? null
}

/** What can be set in any program: each is for the transcripts of its own. */
export function allSettings(): Chosen<PolicyWithCard>[] {
  const programs = new Set(readers.all.flatMap(({ program = [] }) => program))
  return [...programs].flatMap(settingsFor)
}

/** What low watermarks, too, leave of a practice: the composition that does the same, as `--policy` takes it; else null. */
export function compositionOf({ plugin, values }: Chosen<Pick<PolicyWithCard, 'name' | 'params'>>): string | null {
  const isPractice = ({ name, values: own }: Practice): boolean =>
    name === plugin.name &&
    Object.entries(plugin.params).every(
      ([key, { default: usual }]) => key === 'target' || values[key] === (key in own ? own[key] : usual),
    )
  const practice = practices.find(isPractice)
  return practice ? `knobs:${practice.composition(values)}` : null
}

/** Whether a person can have the policy in what recorded a transcript. */
export function isFor(policy: Partial<Card>, head: Pick<TranscriptHead, 'format' | 'provider'>): boolean {
  const { availableIn } = policy
  const program = programOf(head)
  if (availableIn) return availableIn.includes(program ?? head.provider)
  const isOf = (group: readonly PolicyWithCard[]): boolean => group.some((one) => one === policy)
  return !isOf(agents) && (program === null || !isOf(libraries))
}

/** Whether a program accepts these params and this budget in tokens, if one has the policy at all. */
export function isAccepted({ plugin, values }: Chosen<Policy & Partial<Card>>, budget: number): boolean {
  return plugin.turnOn?.(values, budget) !== null
}

/** How what a policy comes to is found at each of many budgets. */
interface Finding<Part> {
  /** What there is at a budget that the program does not accept; null if that does not matter. */
  readonly otherwise: ((ceiling: Ceiling) => Part) | null
  /** @param last what a smaller budget came to, where nothing but the budget is another at this one; else null */
  at(ceiling: Ceiling, last: Part | null): Part
  /** Whether nothing changes any more at larger budgets. */
  isLast(part: Part): boolean
}

/**
 * What a policy comes to at each budget. Where a policy does nothing at one budget it does nothing at a larger one: that is not
 * replayed again. A policy of the user's own promises nothing of the kind.
 */
export function atEach<Part>(
  policy: Chosen<Policy & Partial<Card>>,
  ceilings: readonly Ceiling[],
  { otherwise, at, isLast }: Finding<Part>,
): Part[] {
  const parts = new Map<Ceiling, Part>()
  let last: Part | null = null
  for (const ceiling of ceilings.toSorted((a, b) => a.budget - b.budget)) {
    if (otherwise && !isAccepted(policy, ceiling.budget)) {
      parts.set(ceiling, otherwise(ceiling))
      continue
    }
    const goesOn: boolean = last !== null && policy.plugin.module === undefined && isLast(last)
    last = at(ceiling, goesOn ? last : null)
    parts.set(ceiling, last)
  }
  return ceilings.map((ceiling) => parts.get(ceiling) as Part)
}

/** The runs, of which those say so under a policy that only people with another program can have. */
export function withForeign(runs: Iterable<TraceRun>, policies: readonly Chosen<Policy & Partial<Card>>[]): TraceRun[] {
  const owners = new Map(policies.map(({ plugin }) => [plugin.name, plugin]))
  return Array.from(runs, (run): TraceRun => {
    const policy = owners.get(run.policy)
    return policy?.availableIn && !isFor(policy, run) ? { ...run, foreign: true } : run
  })
}

/** From a small window to the largest, about half as much again each time. */
export const usualBudgets: readonly Budget[] = [
  40_000, 60_000, 80_000, 100_000, 130_000, 160_000, 200_000, 300_000, 400_000, 600_000, 800_000,
]

/** Cutting as little as possible, and to three quarters and a half of the budget. */
export const usualTargets: readonly number[] = [1, 0.75, 0.5]

/** Each policy that has a `target`, once with each of these instead of its own; the others as they are. */
export function overTargets<P extends Policy>(chosen: readonly Chosen<P>[], targets: readonly number[]): Chosen<P>[] {
  return chosen.flatMap(({ plugin, values }) => {
    // The target of `knobs` is a word, not a fraction.
    const { target: param } = plugin.params
    const taken = targets.filter((target) => param?.parse(target) === target)
    return taken.length > 0 ? taken.map((target) => ({ plugin, values: { ...values, target } })) : [{ plugin, values }]
  })
}
