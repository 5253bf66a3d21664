/**
 * `spring-window`: `MessageWindowChatMemory` of Spring AI. Whenever messages are added and there are more than `max`
 * (`>`), the oldest leave; the cut then moves forward to the next message of the user, as newer versions do (`snap`;
 * without it the window may begin with results). System messages stay. If no message of the user follows, the cut stays
 * where it is. The results of a step are one message.
 *
 * Law: sticky, monotone (it ignores the budget). Worked example, `max=3`: of [user, answer, user, answer] the last two
 * stay, as the cut moves from the answer to the user.
 */
import { flag, integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { composed } from '../knobs/knobs.ts'

export default definePolicy({
  name: 'spring-window',
  version: '1.1',
  summary: 'keep the last messages, beginning with one of the user',
  source: 'spring-projects/spring-ai 0024e4dd, MessageWindowChatMemory (without `snap`); fd3fd6ec70 (2026)',
  trigger: 'no budget; acts at more than `max` messages',
  unlike: '`strands-window` acts after exchanges only; `cap-messages` counts system messages and each result',
  params: {
    max: integer({ default: 20, min: 1, help: 'most messages; with more, it acts' }),
    snap: flag({ default: true, help: 'move the cutoff so that the window begins with a user message' }),
  },
  monotone: true,
  budgetless: true,
  turnOn: ({ max }) => ({
    file: 'your code, with Spring AI',
    text: `MessageWindowChatMemory.builder().maxMessages(${max}).build()`,
  }),
  start: ({ max, snap }) =>
    composed({
      trigger: `units:${max}`,
      unit: 'batch',
      protect: 'system',
      target: `keep:${max}`,
      repair: snap ? 'user' : 'none',
    }),
})
