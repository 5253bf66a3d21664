/**
 * `mastra-limiter`: `TokenLimiterProcessor` of Mastra, on the prompt of each request. From the newest message
 * backwards, what still fits the limit stays (`<=`); a call and the results right behind it are one. `mode=best-fit`,
 * the default, skips what does not fit and goes on with older messages, which leaves holes; `contiguous` stops there.
 * 24 tokens are reserved. System messages in between always stay.
 *
 * Faults: where nothing fits, Mastra refuses the request (`TripWire`); here the preamble goes out alone. Mastra looks
 * at the whole history each time, so with `best-fit` an old message can come back after a newer one has left; here what
 * has left stays out. Its own counter (tokenx, and 3.8 tokens a message) is not used.
 *
 * Law: whole pairs where results follow their calls, sticky. Worked example, limit 124, messages of 10, 200 (a pair)
 * and 60: `best-fit` keeps 10 and 60, `contiguous` only 60.
 */
import { choice } from '../../base/param.ts'
import { javascriptString } from '../../base/quoting.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { composed } from '../knobs/knobs.ts'

/** The limit less the reserved tokens. */
const room = '1-24'

export default definePolicy({
  name: 'mastra-limiter',
  version: '1.71.0',
  summary: 'keep what fits from the newest backwards, skipping what does not',
  source: '@mastra/core 1.71.0, processors, TokenLimiterProcessor; npm (2026-11)',
  package: { name: '@mastra/core', version: '1.71.0', on: '2026-11' },
  trigger: '`limit`, of the whole prompt; acts at more than that less 24 tokens',
  unlike: '`fill-newest` and `langchain-trim` stop at the first message that does not fit',
  params: {
    mode: choice({
      default: 'best-fit',
      of: ['best-fit', 'contiguous'],
      help: 'what happens after the first message that does not fit',
    }),
  },
  turnOn: ({ mode }, budget) => ({
    file: 'your code, with Mastra',
    text: `new Agent({ inputProcessors: [new TokenLimiterProcessor({ limit: ${budget}, trimMode: ${javascriptString(mode)} })] })`,
  }),
  start: ({ mode }) =>
    composed({
      trigger: `over:${room}`,
      unit: 'pair',
      protect: 'system',
      order: mode === 'best-fit' ? 'best-fit' : 'oldest',
      target: `watermark:${room}`,
      repair: 'none',
    }),
})
