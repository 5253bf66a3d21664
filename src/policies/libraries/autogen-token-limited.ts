/**
 * `autogen-token-limited`: AutoGen's `TokenLimitedChatCompletionContext`. While the request has more tokens than the
 * limit (`>`), the message in the middle of the list leaves, that is at half its length, rounded down. Then results
 * leave whose call has left. The results of a step are one message, and leave as a whole if any call is missing.
 *
 * Faults: calls stay without their results, which providers refuse; the latest prompt can leave. AutoGen looks at the
 * whole history each time; here what has left stays out, so the beginning may be shorter than AutoGen's.
 *
 * Law: sticky. Worked example, messages of one token, limit 3: of five the third leaves, then the fourth: the first two
 * and the last stay.
 */

import { definePolicy } from '../catalogue/define-policy.ts'
import { composed } from '../knobs/knobs.ts'

export default definePolicy({
  name: 'autogen-token-limited',
  version: '0.7',
  summary: 'drop messages from the middle while over the limit',
  source: 'microsoft/autogen 0b607df5, autogen_core/model_context/_token_limited_chat_completion_context.py (2026)',
  trigger: '`token_limit`, of the whole request; acts above it',
  unlike: '`autogen-head-tail` counts messages; `drop-oldest` drops whole exchanges from the front',
  turnOn: (_, budget) => ({
    file: 'your code, with AutoGen, in AssistantAgent(…)',
    text: `model_context=TokenLimitedChatCompletionContext(client, token_limit=${budget})`,
  }),
  start: () => composed({ unit: 'batch', protect: 'nothing', order: 'middle', repair: 'results' }),
})
