/**
 * `autogen-buffered`: AutoGen's `BufferedChatCompletionContext`: the last `bufferSize` messages. If the first of them
 * is the results of a step, it is left out, too. The results of a step are one message.
 *
 * Law: sticky: a view whose boundary never moves back equals it. Monotone: it ignores the budget. Worked example,
 * `bufferSize=3`: of [user, call, result, answer, user] the results would come first, so the answer and the user stay.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { composed } from '../knobs/knobs.ts'

export default definePolicy({
  name: 'autogen-buffered',
  version: '0.7',
  summary: 'keep the last messages, without results at their beginning',
  source: 'microsoft/autogen 027ecf0a3, autogen_core/model_context/_buffered_chat_completion_context.py (2026)',
  trigger: 'no budget; acts at more than `bufferSize` messages',
  unlike: '`cap-messages` counts each result and keeps results without their call',
  params: { bufferSize: integer({ default: 20, min: 1, help: 'last messages that stay' }) },
  monotone: true,
  budgetless: true,
  turnOn: ({ bufferSize }) => ({
    file: 'your code, with AutoGen, in AssistantAgent(…)',
    text: `model_context=BufferedChatCompletionContext(buffer_size=${bufferSize})`,
  }),
  start: ({ bufferSize }) =>
    composed({
      trigger: 'always',
      unit: 'batch',
      protect: `last:${bufferSize}`,
      target: 'all',
      repair: 'leading-results',
    }),
})
