/** Policies that drop, cut, clear and insert, each as on the command line. */
import type { Plan } from '../../src/app/plan.ts'
import { choose } from '../../src/base/chosen.ts'
import { givenIn } from '../../src/base/param.ts'
import bytes from '../../src/estimators/bytes.ts'
import { policies } from '../../src/policies/index.ts'

export const tried = [
  'drop-oldest',
  'drop-steps',
  'mask-tool-results:keepFirst=0,keepLast=1',
  'truncate-tool-results:max=9',
  'insert-notice',
  'cap-messages:max=6',
  'langchain-clear-tool-uses:keep=1,clearInputs=true',
  'anthropic-clear-tool-uses:keep=1,clearInputs=true',
  'vercel-prune:toolCalls=before-last-2-messages',
  'knobs:trigger=always,unit=result,operation=offload+clear-inputs,protect=last:1,target=all',
]

export const planFor = (policy: string, budget: number): Plan => {
  const [name = '', ...given] = policy.split(':')
  return {
    policies: [choose(policies.get(name), given.length === 0 ? {} : givenIn(name, given.join(':')))],
    estimators: [choose(bytes)],
    budgets: [budget],
  }
}
