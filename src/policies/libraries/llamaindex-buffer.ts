/**
 * `llamaindex-buffer`: `ChatMemoryBuffer` of LlamaIndex. While the history has more tokens than the limit (`>`), the
 * oldest message leaves, and then others that must not come first. The default limit is three quarters of the model's
 * window.
 *
 * - `language=python`: then a result that comes first leaves, then an assistant message that comes first (one each). If
 *   the last message alone is over the limit, nothing is sent.
 * - `language=js`: then one assistant message that comes first leaves. The last message stays if it is over the limit;
 *   but if it is the assistant's, and all in front of it has left, nothing is sent.
 *
 * Fault: if the first message is a call, that leaves, and the window begins with its result.
 *
 * Law: sticky: a view whose beginning only moves forward equals it. Worked example, messages of one token, limit 3: of
 * [user, answer, user, answer, user] the last three stay; of [user, call, result, answer, user] too, beginning with the
 * result.
 */
import { choice } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Window } from '../policy.ts'

function dropFirst(window: Window): void {
  if (window.first) window.drop(window.first, window.first)
}

export default definePolicy({
  name: 'llamaindex-buffer',
  version: '0.14',
  summary: 'drop the oldest messages over the limit, then a result and an answer that come first',
  source:
    'run-llama/llama_index 089743e7, llama_index/core/memory/chat_memory_buffer.py (2026); llamaindex 0.12.1, npm (2026-11)',
  package: { name: 'llamaindex', version: '0.12.1', on: '2026-11' },
  trigger: '`token_limit`, of the whole request; acts above it',
  unlike: '`fill-newest` skips all leading results and no answers',
  params: {
    language: choice({
      default: 'python',
      of: ['python', 'js'],
      help: 'follow the library for Python or the one for JavaScript',
    }),
  },
  turnOn: ({ language }, budget) =>
    language === 'js'
      ? { file: 'your code, with LlamaIndex', text: `new ChatMemoryBuffer({ tokenLimit: ${budget} })` }
      : { file: 'your code, with LlamaIndex', text: `ChatMemoryBuffer.from_defaults(token_limit=${budget})` },
  start({ language }) {
    let isEmptied = false
    const skip = (window: Window) => {
      if (language === 'python' && window.first?.role === 'tool') dropFirst(window)
      if (window.first?.role === 'assistant') dropFirst(window)
    }
    /** What is over the limit without a way out is sent by the library for JavaScript. */
    const isLast = (window: Window) => language === 'js' && window.first === window.last
    return {
      request(window) {
        if (isEmptied && language === 'python') skip(window)
        isEmptied = false
        while (window.first && window.tokens > window.budget && !isLast(window)) {
          dropFirst(window)
          skip(window)
        }
        isEmptied = window.omitted > 0 && window.first === null
      },
    }
  },
})
