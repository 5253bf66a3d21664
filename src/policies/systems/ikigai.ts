/**
 * `ikigai`: the rule of ikigai's sliding context window. When the agent goes idle, the serialized next request is
 * counted. While it is over the budget and more than one exchange is left, the oldest exchange leaves as a whole. A
 * request of exactly the budget is kept, and so is the newest exchange even if it alone is over budget. Exchanges from
 * a call to a late result leave together. Messages before the first user message leave with the first cut.
 *
 * The request is counted with the run's estimator, not by the growth of recorded usage as in `ikigai-shipped`.
 * Law: monotone (with `target` 1), whole pairs, sticky.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { dropOldestExchanges } from '../primitives/drop-oldest.ts'
import { lowWater, target } from '../watermark.ts'

export default definePolicy({
  name: 'ikigai',
  summary: 'drop whole exchanges, oldest first, when an exchange ends over budget',
  source: 'ikigai, Sliding Context Window (rel-13), Pruning Mechanics',
  ownBudget: 100_000,
  params: { keepLast: integer({ default: 1, min: 1, help: 'newest exchanges that are never dropped' }), target },
  monotone: true,
  wholePairs: true,
  native: { summary: 'bytes of the serialized request / 4, as the estimator `bytes`', estimator: 'bytes' },
  differs: [
    {
      matter: 'what is counted',
      document: 'the serialized next request',
      program: 'each turn once: the recorded growth of the input, else floor(bytes / 4) of its text',
    },
    {
      matter: 'the system prompt',
      document: 'part of the request',
      program: "added to the first turn's growth, which includes it already",
    },
    {
      matter: 'an interrupted exchange',
      document: 'pruned like any other',
      program: "records nothing and prunes nothing; it counts towards the next turn's growth",
    },
    {
      matter: 'a result that comes after the next user message',
      document: 'the turns from its call to it leave together',
      program: 'stays when its call leaves',
    },
    {
      matter: 'a budget of 0',
      document: 'no pruning',
      program: 'prunes to one turn; the environment variable refuses it',
    },
    {
      matter: 'summaries',
      document: 'deferred to a later release',
      program: 'up to six, inside the same budget (not simulated)',
    },
    {
      matter: 'the divider in the scrollback',
      document: 'after the response that triggered pruning',
      program: 'before the first message that is sent',
    },
  ],
  start: ({ keepLast, target }) => ({
    exchangeEnd(window) {
      const goal = lowWater(window, target)
      if (goal !== null) dropOldestExchanges(window, goal, keepLast)
    },
  }),
})
