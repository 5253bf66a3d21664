/** Runs and figures in words. */

import type { Params } from '../base/param.ts'
import type { Run } from '../model/run.ts'
import type { Unit } from '../reports/column.ts'
import { grouped } from '../reports/numbers.ts'
import { paramWords } from '../reports/overview.ts'

/** The policy with its params, as it is written on the command line: `ikigai:keepLast=1`. */
export function policyOf({ policy, params }: Pick<Run, 'policy' | 'params'>): string {
  const words = paramWords(params)
  return words === '' ? policy : `${policy}:${words}`
}

/**
 * A plugin as somebody would write it: with the params that are not at their defaults. A param that a later version adds
 * leaves the words the same.
 */
export function pluginWords(plugin: { readonly name: string; readonly params: Params }, values: Run['params']): string {
  const turned = Object.entries(values).filter(([key, value]) => value !== plugin.params[key]?.default)
  return policyOf({ policy: plugin.name, params: Object.fromEntries(turned) })
}

/** "ikigai:keepLast=1 · 100,000 · auto" */
export function configurationOf(run: Run): string {
  return `${policyOf(run)} · ${figure(run.budget, 'tokens')} · ${run.estimatorAsked ?? run.estimator}`
}

/** What tells a run from the others of its file: the conversation and the configuration, each only where it has to. */
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

// More digits than a report shows: 0.001 over a limit of 0 must not read "0, at most 0 allowed".
let english: Intl.NumberFormat | undefined

export function figure(value: number, unit: Unit, money = ''): string {
  const suffix = unit === 'percent' ? ' %' : unit === 'money' ? ` ${money}` : ''
  // A hundred thousand transcripts have a million figures, nearly all of them whole.
  if (Number.isSafeInteger(value)) return grouped(value) + suffix
  // Made when it is needed: that takes longer than many a simulation.
  english ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 })
  return english.format(value) + suffix
}

/** Differences of figures with decimals would show the binary fractions behind them. */
export function difference(actual: number, limit: number): number {
  return Math.round((actual - limit) * 1e6) / 1e6
}
