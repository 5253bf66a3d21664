/**
 * `ikigai-shipped`: what ikigai's C program did. It does not count the serialized request. A cache holds one count per
 * turn: how much the recorded input grew when the turn ended normally, else the bytes of its messages divided by four.
 * While the sum, with the system prompt, is over the budget and more than one turn is left, the oldest turn leaves.
 *
 * Its faults are kept: (a) the first turn's growth includes the system prompt, which is then added again; (b) a turn's
 * final answer counts towards the next turn's growth; (c) if the input did not grow, the estimate is used; (d) a result
 * that comes after the next user message stays when its call leaves. An interrupted turn is not recorded and prunes
 * nothing. Not simulated are (e) rewinding, (f) a display that shows a fixed budget, (g) the provider's counting API,
 * as the simulator is offline, and the summaries it wrote in the background. The recorded input is what the agent of
 * the transcript sent, not what this policy would have sent.
 *
 * Law: monotone, sticky.
 */
import type { Message } from '../../model/message.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { thousands } from '../catalogue/thousands.ts'
import { ikigaiCounter, messageBytes, TokenCache } from '../upstream/ikigai.ts'

export default definePolicy({
  name: 'ikigai-shipped',
  summary: 'drop whole exchanges, oldest first, by the recorded growth of the input',
  source: 'mgreenly/ikigai, apps/ikigai/token_cache.c and agent_state.c',
  ownBudget: 100_000,
  monotone: true,
  text: true,
  native: ikigaiCounter,
  availableIn: ['ikigai'],
  turnOn: (_values, budget) => ({
    file: 'the environment',
    text: `export IKIGAI_SLIDING_CONTEXT_TOKENS=${budget}`,
    note: `drops above ${thousands(budget)}`,
  }),
  start() {
    let base = 0
    const starts: boolean[] = []
    // bytes[i] is the size of the first i messages.
    const bytes = [0]
    let preamble = 0
    const cache = new TokenCache({
      length: () => starts.length,
      isUser: (index) => starts[index] === true,
      estimate: (from, to) => Math.floor(((bytes[to] ?? 0) - (bytes[from] ?? 0)) / 4),
      systemEstimate: () => preamble,
    })
    return {
      message(_window, entry) {
        if (starts.length === 0) base = entry.index
        starts.push(entry.isPrompt)
        bytes.push((bytes.at(-1) ?? 0) + messageBytes(entry.message as Message))
        if (entry.isPrompt) cache.addTurn()
      },
      exchangeEnd(window, { answered, recordedInput }) {
        if (!answered) return
        preamble = window.preambleTokens
        cache.budget = window.budget
        cache.recordTurn(recordedInput ?? cache.previousInput)
        cache.pruneToBudget()
        while (window.first && window.first.index < base + cache.contextStart) window.drop(window.first, window.first)
      },
    }
  },
})
