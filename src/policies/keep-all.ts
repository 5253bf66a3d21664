/**
 * `keep-all`: the policy that never prunes. The baseline of every table. DISABLE_AUTO_COMPACT, with which Claude Code
 * does the same, is in 2.1.0 of its package and not in 2.0.76 (@anthropic-ai/claude-code, npm, read 2026-11).
 */
import { definePolicy } from './catalogue/define-policy.ts'

export default definePolicy({
  name: 'keep-all',
  summary: 'never prune: the baseline of every table',
  source: 'an agent without a context policy',
  monotone: true,
  wholePairs: true,
  turnOn: () => ({
    file: 'the environment',
    text: 'export DISABLE_AUTO_COMPACT=1',
    since: '2.1.0',
    note: 'never compacts by itself; /compact still does',
  }),
  start: () => ({}),
})
