/**
 * `ikigai-shipped`: what ikigai's C program did. Not the serialized request is counted but each turn, once, by a cache:
 * by how much the recorded input grew when the turn ended well, else by the bytes of its messages divided by four. While
 * the sum, with the system prompt, is over the budget and more than one turn is left, the oldest leaves.
 *
 * Its faults, kept: (a) the first turn's growth holds the system prompt, which is added again; (b) a turn's final answer
 * falls into the next turn's growth; (c) where the input did not grow, the estimate is used. An interrupted turn is never
 * recorded and prunes nothing. Not here: (d) rewinding, which no transcript of ours does, (e) a display that shows a fixed
 * budget, (f) the provider's own count, which cannot be asked offline, and the summaries it wrote in the background. The
 * recorded input is that of the agent which made the transcript, whatever it sent.
 *
 * Law: whole pairs, sticky. Not monotone in what it believes, but the same loop as `ikigai`.
 */
import type { Message } from '../../model/message.ts'
import { definePolicy } from '../policy.ts'
import { ikigaiCounter, messageBytes, TokenCache } from '../upstream/ikigai.ts'

export default definePolicy({
  name: 'ikigai-shipped',
  summary: 'drop whole exchanges, oldest first, by the recorded growth of the input',
  source: 'mgreenly/ikigai, apps/ikigai/token_cache.c and agent_state.c',
  params: {},
  kind: 'sticky',
  monotone: true,
  wholePairs: true,
  text: true,
  native: ikigaiCounter,
  start() {
    let base = 0
    let starts: boolean[] = []
    // bytes[i]: of the first i messages.
    let bytes = [0]
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
      reset() {
        cache.reset()
        starts = []
        bytes = [0]
      },
    }
  },
})
