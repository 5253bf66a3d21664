/** What shortens the context of a session where nobody names a policy: its program's own way, at the window of its model. */
import { type Chosen, choose } from '../../base/chosen.ts'
import type { Trace, TranscriptHead } from '../../model/trace.ts'
import type { Policy } from '../../policies/policy.ts'
import ikigai from '../../policies/systems/ikigai.ts'
import { caseOf, type Plan } from '../plan.ts'
import { ownPolicyOf, programOf } from './candidates.ts'

/** Of a model that is not known. */
const usualWindow = 200_000

/** The policy of the program that recorded it; null where it has none, nobody knows it, or it needs the text, which is not kept. */
export function ownCompaction(head: Pick<TranscriptHead, 'format'>): Chosen<Policy> | null {
  const own = ownPolicyOf(programOf(head))
  return own && (!own.text || own.withoutText) ? choose<Policy>(own) : null
}

/** The plan with the session's own policy and budget, where it names none. */
export function withOwn(trace: Trace, plan: Plan): Plan {
  const [named] = plan.policies
  if (named && plan.budgets.length > 0) return plan
  const own = named ? null : ownCompaction(trace.head)
  // Where no program's way is known, ikigai's.
  const policy = named ?? own ?? choose<Policy>(ikigai)
  if (plan.budgets.length > 0) return { ...plan, policies: [policy] }
  return { ...plan, policies: [policy], budgets: [own ? (caseOf(trace, plan).window ?? usualWindow) : 'own'] }
}
