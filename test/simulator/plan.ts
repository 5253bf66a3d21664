/** A plan of one policy and one budget, sized by bytes. */

import type { Plan } from '../../src/app/plan.ts'
import type { Chosen } from '../../src/base/chosen.ts'
import bytes from '../../src/estimators/bytes.ts'
import type { Policy } from '../../src/policies/policy.ts'

export function planOf(policy: Chosen<Policy>, budget: number): Plan {
  return {
    policies: [policy],
    estimators: [{ plugin: bytes, values: { bytesPerToken: 4 } }],
    budgets: [budget],
    preamble: 'auto',
    model: null,
    provider: null,
    native: false,
  }
}
