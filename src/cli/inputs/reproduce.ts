/** Writes the command that prints a figure of a check again. */

import type { Plan, Run } from '../../app/index.ts'
import { pathWord, shellCommand } from '../../base/quoting.ts'
import { policyOf } from '../../check/labels.ts'
import type { Metric } from '../../check/metrics.ts'
import { howRead } from './commands.ts'
import type { Settings } from './config.ts'
import { listOf, textOf, valueFor } from './options.ts'
import { flagFor } from './settings.ts'

/** Further settings that change figures; named if they are not at their defaults. */
const others = ['model', 'preamble', 'provider', 'measure', 'prices', ...howRead] as const

/** @returns the command line for a run's figure: it names every setting that matters, whatever the config file says */
export function reproduction(settings: Settings, plan: Plan): (run: Run, metric: Pick<Metric, 'key'>) => string | null {
  const policies = listOf(settings, 'policy')
  const policyWords = new Map(
    plan.policies.map(({ plugin, values }, index) => [
      policyOf({ policy: plugin.name, params: values }),
      policies[index],
    ]),
  )
  const estimators = listOf(settings, 'estimator')
  const rest = others
    .filter((key) => settings.get(key)?.origin !== 'default' && (key !== 'branches' || valueFor(settings, key)))
    .flatMap((key) => (key === 'branches' ? [flagFor(key)] : [flagFor(key), textOf(settings, key)]))
  // A run names its estimator without params: where the list has it twice, both are repeated.
  const estimatorsOf = (run: Run) =>
    estimators.filter((_, index) => plan.estimators[index]?.plugin.name === (run.estimatorAsked ?? run.estimator))
  const commandOf = (run: Run, key: string): string =>
    shellCommand([
      ...['ctxwin', 'simulate', pathWord(run.transcript)],
      ...['--budget', run.budgetAsked ?? String(run.budget)],
      ...['--policy', policyWords.get(policyOf(run)) ?? run.policy],
      ...['--estimator', estimatorsOf(run).join(',')],
      ...rest,
      ...(key === 'exchangeTokens' ? ['--by', 'exchange'] : []),
    ])
  // Only `check` computes this figure, so there is no command that shows it.
  return (run, { key }) => (key === 'contentTokens' ? null : commandOf(run, key))
}
