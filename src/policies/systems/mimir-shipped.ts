/**
 * `mimir-shipped`: what mimir 0.1.2 did. The frontend sends the whole history with each question, so pruning starts afresh
 * there. Before each request of the tool loop, over 80 % of the budget, one cut is made to the newest messages: six, and
 * as many as the request under way has added. There is no second cut when that is not enough.
 *
 * Its faults, kept: the cut falls between a call and its results; the note of an earlier cut is a message like any other,
 * is dropped by the next, and the numbers do not add up; the message count at the start of the request is never taken
 * anew, so after a cut only six messages are protected and the question itself can go.
 * Law: view (each question sees the whole history again).
 */
import { definePolicy, type Window } from '../policy.ts'
import { contextNote, counter, cutLength, protectedMessages, pruneThreshold } from '../upstream/mimir.ts'

/** One cut, when the request is over the threshold. @returns how many messages it took, the note of an earlier cut included */
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
 * The cut of the whole history, without putting all of it back first. A history only grows: one that is not over the
 * threshold has never been cut.
 * @param first index of its first message
 * @param length its messages
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
  summary: 'over 80 % of the budget, one cut to the last six messages and those of the request under way',
  source: 'colliery-io/mimir 742a955, crates/mimir-dm/src/services/llm/chat_processor.rs',
  params: {},
  kind: 'view',
  monotone: false,
  wholePairs: false,
  inserts: true,
  text: false,
  native: counter,
  start() {
    let asked = false
    // Of the history: its first index, its length, and its length when the user's question came.
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
      reset() {
        length = 0
        asked = false
      },
    }
  },
})
