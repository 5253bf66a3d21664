/**
 * `adk-truncate`: `TruncatingContextCompactor` of Google's ADK for JavaScript. If there are more than `threshold` +
 * `preserveLeading` events (`>`), the oldest behind the first `preserveLeading` leave. An event is a message; the
 * results of a step are one.
 *
 * Fault: it looks at no pairs, so the window may begin with results without their calls.
 *
 * Law: sticky, monotone (it ignores the budget). Worked example, `threshold=4`: of [user, call, result, answer, user,
 * answer] the last four stay, beginning with the result.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { composed } from '../knobs/knobs.ts'

export default definePolicy({
  name: 'adk-truncate',
  version: '2.0.0',
  summary: 'drop the oldest events behind the first few',
  source: 'google/adk-js 48598121, core/src/context/truncating_context_compactor.ts; @google/adk 2.0.0 (2026)',
  package: { name: '@google/adk', version: '2.0.0', on: '2026-11' },
  trigger: 'no budget; acts at more than `threshold` + `preserveLeading` events',
  unlike: '`autogen-head-tail` says how many were skipped and leaves parted results out',
  params: {
    threshold: integer({ default: 40, min: 1, help: 'last events that stay' }),
    preserveLeading: integer({ default: 0, min: 0, help: 'first events that stay' }),
  },
  monotone: true,
  budgetless: true,
  turnOn: ({ threshold, preserveLeading }) => ({
    file: 'your code, with the ADK',
    text: `new TruncatingContextCompactor({ threshold: ${threshold}, preserveLeadingEvents: ${preserveLeading} })`,
  }),
  start: ({ threshold, preserveLeading }) =>
    composed({
      trigger: 'always',
      unit: 'batch',
      protect: `first:${preserveLeading}+last:${threshold}`,
      target: 'all',
      repair: 'none',
    }),
})
