/**
 * `mimir-shipped`: what mimir 0.1.2 did. The frontend sends the whole history with each question, so each question
 * starts without cuts. Before each request of the tool loop that is over 80 % of the budget, one cut keeps only the
 * newest messages: six, plus as many as the current exchange has added. If that is not enough, there is no second cut.
 *
 * Its faults are kept:
 * - The cut can separate a call from its results.
 * - The note of an earlier cut is a message like any other and is dropped by the next one, so the numbers do not add
 *   up.
 * - The message count at the start of the exchange is not updated by a cut, so after one only six messages are
 *   protected, and the question itself can leave.
 *
 * Law: view (each question sees the whole history again).
 */
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Window } from '../policy.ts'
import { contextNote, cutLength, programCounter, protectedMessages, pruneThreshold } from '../upstream/mimir.ts'

/**
 * Makes one cut if the request is over the threshold. @returns how many messages it dropped, an earlier note included
 */
export function pruneOnce(window: Window, fromCurrent: number): number {
  if (window.tokens <= pruneThreshold(window.budget, share)) return 0
  const skipped = cutLength(window.count, fromCurrent)
  for (let left = skipped; left > 0 && window.first; left--) window.drop(window.first, window.first)
  insertNote(window, skipped)
  return skipped
}

const share = 0.8

function insertNote(window: Window, skipped: number): void {
  if (skipped === 0) return
  const text = contextNote(skipped, window.count)
  window.insert(window.first, { role: 'system', blocks: [{ type: 'text', text }] })
}

/**
 * Cuts the whole history, restoring only what is kept. If the history is not over the threshold, it has never been: it
 * only grows, so there is nothing to restore.
 * @param first index of its first message
 * @param length number of its messages
 */
function pruneAfresh(window: Window, first: number, length: number): void {
  if (window.historyTokens <= pruneThreshold(window.budget, share)) return
  const skipped = cutLength(length, protectedMessages(length, length))
  window.restore(first + skipped)
  while (window.first && window.omitted < skipped) window.drop(window.first, window.first)
  insertNote(window, skipped)
}

export default definePolicy({
  name: 'mimir-shipped',
  summary: 'over 80 % of the budget, one cut to the last six messages and those of the current exchange',
  source: 'colliery-io/mimir 742a955, crates/mimir-dm/src/services/llm/chat_processor.rs',
  ownBudget: 128_000,
  kind: 'view',
  inserts: true,
  native: programCounter,
  availableIn: ['mimir'],
  start() {
    let asked = false
    // The history: index of its first message, its length, and its length when the user's question came.
    let first = 0
    let length = 0
    let atStart = 0
    return {
      message(_window, entry) {
        if (length === 0) first = entry.index
        length++
        asked ||= entry.isPrompt
      },
      request(window) {
        if (asked) {
          atStart = length
          pruneAfresh(window, first, length)
        } else pruneOnce(window, protectedMessages(window.count, atStart))
        asked = false
      },
    }
  },
})
