/** The command that prints a figure of a check again. */
import { type Metric, policyOf } from '../app/door.ts'
import type { Plan, Run } from '../index.ts'
import type { Resolved } from './config.ts'
import { listOf, textOf } from './options.ts'
import { flagFor, type SettingKey } from './settings.ts'

/** Settings that change figures, or whether there are any, besides those of a run's own; named where they are not what they are without a word. */
const others = [
  'model',
  'preamble',
  'provider',
  'measure',
  'prices',
  'format',
  'maxUnpacked',
] as const satisfies readonly SettingKey[]

/** @returns the command line for a run's figure: everything that counts is named, whatever config file stands about */
export function reproduction(
  settings: ReadonlyMap<string, Resolved>,
  plan: Plan,
): (run: Run, metric: Pick<Metric, 'key'>) => string {
  const policies = listOf(settings, 'policy')
  const policyWords = new Map(
    plan.policies.map(({ plugin, values }, index) => [
      policyOf({ policy: plugin.name, params: values }),
      policies[index],
    ]),
  )
  const estimators = listOf(settings, 'estimator')
  const rest = others
    .filter((key) => settings.get(key)?.origin !== 'default')
    .flatMap((key) => [flagFor(key), textOf(settings, key)])
  return (run, { key }) =>
    [
      'ctxwin',
      'simulate',
      run.transcript.startsWith('-') && run.transcript !== '-' ? `./${run.transcript}` : run.transcript,
      '--budget',
      String(run.budget),
      '--policy',
      policyWords.get(policyOf(run)) ?? run.policy,
      '--estimator',
      // An estimator may stand in the list twice, with other params; its runs do not tell which.
      estimators
        .filter((_, index) => plan.estimators[index]?.plugin.name === (run.estimatorAsked ?? run.estimator))
        .join(','),
      ...rest,
      ...(key === 'exchangeTokens' ? ['--by', 'exchange'] : []),
    ]
      .map(quote)
      .join(' ')
}

/** As a word of a POSIX shell. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
