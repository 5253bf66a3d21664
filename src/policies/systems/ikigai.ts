/**
 * `ikigai`: the rule of the ikigai sliding context window. When the agent goes idle, the serialized next request is
 * counted; while it is over the budget and more than one exchange is left, the oldest exchange leaves whole. Equal to
 * the budget is kept. The newest exchange always stays, even alone over budget. Messages before the first user message
 * leave with the first cut.
 *
 * It does not summarise, and it counts the request by the run's estimator, not by recorded deltas: see `ikigai-shipped`.
 * Law: monotone (with `target` 1), whole pairs, sticky.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../policy.ts'
import { dropOldestExchanges } from '../primitives/drop-oldest.ts'
import { ikigaiCounter } from '../upstream/ikigai.ts'
import { lowWater, target } from '../watermark.ts'

export default definePolicy({
  name: 'ikigai',
  summary: 'drop whole exchanges, oldest first, when an exchange ends over budget',
  source: 'ikigai, Sliding Context Window (rel-13), Pruning Mechanics',
  params: { keepLast: integer({ default: 1, min: 1, help: 'newest exchanges that are never dropped' }), target },
  kind: 'sticky',
  monotone: true,
  wholePairs: true,
  text: false,
  native: ikigaiCounter,
  differs: [
    {
      matter: 'what is counted',
      document: 'the serialized next request',
      program: 'each turn once: the recorded growth of the input, else floor(bytes / 4) of its text',
    },
    {
      matter: 'the system prompt',
      document: 'part of the request',
      program: "added to the first turn's growth, which holds it already",
    },
    {
      matter: 'an interrupted exchange',
      document: 'pruned like any other',
      program: "records nothing and prunes nothing; it falls into the next turn's growth",
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
      matter: 'the rule in the scrollback',
      document: 'after the response that triggered pruning',
      program: 'before the first message that is sent',
    },
  ],
  suffix: ({ keepLast, target }) => (target === 1 ? { of: 'exchange', on: 'exchangeEnd', keepLast } : null),
  start: ({ keepLast, target }) => ({
    exchangeEnd(window) {
      const goal = lowWater(window, target)
      if (goal !== null) dropOldestExchanges(window, goal, keepLast)
    },
  }),
})
