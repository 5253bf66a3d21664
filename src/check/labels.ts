/** Labels of runs and figures for messages. */

import type { Params } from '../base/param.ts'
import type { Run } from '../model/run.ts'
import type { Unit } from '../reports/column.ts'
import { budgetWords, grouped } from '../reports/numbers.ts'
import { paramWords } from '../reports/params.ts'

/** The policy with its params, as it is written on the command line: `ikigai:keepLast=1`. */
export function policyOf({ policy, params }: Pick<Run, 'policy' | 'params'>): string {
  const words = paramWords(params)
  return words === '' ? policy : `${policy}:${words}`
}

/**
 * A plugin as a user would write it, with the params that differ from their defaults. So a param that a later version
 * adds does not change the label.
 */
export function pluginWords(plugin: { readonly name: string; readonly params: Params }, values: Run['params']): string {
  const turned = Object.entries(values).filter(([key, value]) => value !== plugin.params[key]?.default)
  return policyOf({ policy: plugin.name, params: Object.fromEntries(turned) })
}

/** "ikigai:keepLast=1 · 100,000 · auto" */
export const configurationOf = (run: Run): string =>
  `${policyOf(run)} · ${budgetWords(run)} · ${run.estimatorAsked ?? run.estimator}`

/** What distinguishes a run from others of its file: the conversation and the configuration, each only if needed. */
export function labelsOf(runs: readonly Run[]): (run: Run) => string {
  const conversations = new Map<string, Set<string | null>>()
  for (const { transcript, conversation } of runs) {
    conversations.set(transcript, (conversations.get(transcript) ?? new Set()).add(conversation))
  }
  const several = new Set(runs.map(configurationOf)).size > 1
  return (run) => {
    const alone = (conversations.get(run.transcript)?.size ?? 0) < 2
    return [...(alone ? [] : [run.conversation ?? 'no id']), ...(several ? [configurationOf(run)] : [])].join(' · ')
  }
}

// More digits than a report shows, or 0.001 over a limit of 0 would read "0, at most 0 allowed".
let english: Intl.NumberFormat | undefined

export function figure(value: number, unit: Unit, money = ''): string {
  const suffix = unit === 'percent' ? ' %' : unit === 'money' ? ` ${money}` : ''
  // The fast path: a hundred thousand transcripts have a million figures, nearly all of them integers.
  if (Number.isSafeInteger(value)) return grouped(value) + suffix
  // Created on first use: that takes longer than many simulations.
  english ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: 6, signDisplay: 'negative' })
  return english.format(value) + suffix
}

/** Rounded: differences of decimals would show binary fractions. */
export const difference = (actual: number, limit: number): number => Math.round((actual - limit) * 1e6) / 1e6
