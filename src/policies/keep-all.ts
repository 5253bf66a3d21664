/** `keep-all`: the policy that never prunes. The baseline of every table. */
import { definePolicy } from './catalogue/define-policy.ts'

export default definePolicy({
  name: 'keep-all',
  summary: 'never prune: the baseline of every table',
  source: 'an agent without a context policy',
  params: {},
  kind: 'sticky',
  monotone: true,
  wholePairs: true,
  text: false,
  turnOn: () => 'Claude Code: DISABLE_AUTO_COMPACT=1',
  start: () => ({}),
})
