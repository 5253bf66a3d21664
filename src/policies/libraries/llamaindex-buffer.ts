/**
 * `llamaindex-buffer`: `ChatMemoryBuffer` of LlamaIndex. While the history has more tokens than the limit (`>`), the oldest
 * message leaves, then a result that comes first, then an assistant message that comes first (one each). If the last message
 * alone is over the limit, nothing is sent. The default limit is three quarters of the model's window.
 *
 * Fault: if the first message is then a call, that leaves, and the window begins with its result.
 *
 * Law: sticky: a view whose beginning only moves forward equals it. Worked example, messages of one token, limit 3: of [user,
 * answer, user, answer, user] the last three stay; of [user, call, result, answer, user] too, beginning with the result.
 */
import { definePolicy, type Window } from '../policy.ts'

function dropFirst(window: Window): void {
  if (window.first) window.drop(window.first, window.first)
}

export default definePolicy({
  name: 'llamaindex-buffer',
  version: '0.14',
  summary: 'drop the oldest messages over the limit, then a result and an answer that come first',
  source: 'run-llama/llama_index 089743e7, llama_index/core/memory/chat_memory_buffer.py (2026)',
  trigger: '`token_limit`, of the whole request; acts above it',
  unlike: '`fill-newest` skips all leading results and no answers',
  kind: 'sticky',
  turnOn: (_, budget) => `LlamaIndex: ChatMemoryBuffer.from_defaults(token_limit=${budget})`,
  start() {
    let isEmptied = false
    const skip = (window: Window) => {
      if (window.first?.role === 'tool') dropFirst(window)
      if (window.first?.role === 'assistant') dropFirst(window)
    }
    return {
      request(window) {
        if (isEmptied) skip(window)
        isEmptied = false
        while (window.first && window.tokens > window.budget) {
          dropFirst(window)
          skip(window)
        }
        isEmptied = window.omitted > 0 && window.first === null
      },
      reset() {
        isEmptied = false
      },
    }
  },
})
