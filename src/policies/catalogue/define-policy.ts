/** Makes a policy with its card from one flat declaration. */
import type { Params } from '../../base/param.ts'
import type { Policy } from '../policy.ts'
import type { PolicyWithCard } from './card.ts'

/** What a policy must declare; the rest has defaults: sticky, no params, neither monotone nor keeping whole pairs. */
export type PolicyDefinition<P extends Params> = Pick<Policy<P>, 'name' | 'start'> & Partial<PolicyWithCard<P>>

export function definePolicy<const P extends Params = Readonly<Record<never, never>>>(
  policy: PolicyDefinition<P>,
): PolicyWithCard<P> {
  return {
    summary: '',
    source: '',
    params: {} as P,
    kind: 'sticky',
    monotone: false,
    wholePairs: false,
    text: false,
    ...policy,
    ...(policy.version !== undefined && { aliases: [...(policy.aliases ?? []), `${policy.name}@${policy.version}`] }),
  }
}
