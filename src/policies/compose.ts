/**
 * Composes a policy from others, as a config file declares it: a list of steps, each a policy or primitive with its
 * params. At each occasion the steps act in order, each on the window that the one before has left.
 */
import type { Chosen } from '../base/chosen.ts'
import { CtxwinError } from '../base/errors.ts'
import { resolveParams } from '../base/param.ts'
import type { PolicyWithCard } from './catalogue/card.ts'
import { definePolicy } from './catalogue/define-policy.ts'
import { policies } from './index.ts'
import { keepsPairs, type Policy, type PolicyContext } from './policy.ts'

/** One step: `{ dropOldest: { keepLast: 1 } }`, or the name alone. */
export type Step = string | { readonly [policy: string]: Readonly<Record<string, unknown>> }

const stepsKnown = new WeakMap<Policy, readonly Chosen<PolicyWithCard>[]>()

/** What a policy that `compose` made was made of; nothing for any other. */
export function stepsOf(policy: Policy): readonly Chosen<PolicyWithCard>[] {
  return stepsKnown.get(policy) ?? []
}

/**
 * @param name its name in reports
 * @throws CtxwinError naming the step that is not a policy, or the param it does not have
 */
export function compose(name: string, steps: readonly Step[]): PolicyWithCard {
  if (!Array.isArray(steps) || steps.length === 0)
    throw new CtxwinError('bad-value', `policy ${name}`, steps, 'a list of at least one step')
  const parts = steps.map((step) => {
    const [[key, given] = ['', {}], ...more] =
      typeof step === 'string' ? [[step, {}] as const] : Object.entries(step ?? {})
    if (key === '' || more.length > 0) {
      throw new CtxwinError('bad-value', `policy ${name}`, step, 'a step: one policy with its params')
    }
    const plugin = policies.get(key)
    if (given !== null && (typeof given !== 'object' || Array.isArray(given))) {
      throw new CtxwinError('bad-value', `policy ${name}: ${key}`, given, 'an object of params')
    }
    const values = resolveParams(plugin.name, plugin.params, (given ?? {}) as Readonly<Record<string, unknown>>)
    return { plugin, values }
  })
  const plugins = parts.map(({ plugin }) => plugin)
  const composed = definePolicy({
    name,
    summary: parts.map(({ plugin }) => plugin.name).join(', then '),
    source: 'the configuration',
    params: {},
    kind: plugins.some((plugin) => plugin.kind === 'view') ? 'view' : 'sticky',
    // Two monotone steps need not be monotone together: the second acts on what the first has left.
    monotone: false,
    // `keep-pairs` as the last step repairs the pairs that the others broke.
    wholePairs:
      parts.every(({ plugin, values }) => keepsPairs(plugin, values)) || plugins.at(-1)?.name === 'keep-pairs',
    ...(plugins.some((plugin) => plugin.inserts) ? { inserts: true as const } : {}),
    text: plugins.some((plugin) => plugin.text),
    start(_values, context: PolicyContext) {
      const runs = parts.map(({ plugin, values }) => plugin.start(values, context))
      return {
        message: (window, entry) => {
          for (const run of runs) if (entry.inside) run.message?.(window, entry)
        },
        request: (window, moment) => {
          for (const run of runs) run.request?.(window, moment)
        },
        exchangeEnd: (window, moment) => {
          for (const run of runs) run.exchangeEnd?.(window, moment)
        },
      }
    },
  })
  stepsKnown.set(composed, parts)
  return composed
}
