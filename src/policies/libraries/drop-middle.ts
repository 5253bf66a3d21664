/** Middle-out: what is dropped is taken from the middle of what is left. */
import type { Window } from '../policy.ts'
import { dropAll, libraryMessages } from './library-messages.ts'

/** Drops the message at half of the list, rounded down, while the request is over `goal` tokens. @returns whether any left */
export function dropMiddle(window: Window, goal: number): boolean {
  if (window.tokens <= goal) return false
  const messages = libraryMessages(window.first)
  // What is left are the messages before `head` and those from `tail` on.
  let head = messages.length
  let tail = messages.length
  while (window.tokens > goal) {
    const middle = Math.floor((head + messages.length - tail) / 2)
    if (tail === messages.length && head === tail) {
      head = middle
      tail = middle
    }
    const message = middle < head ? messages[--head] : messages[tail++]
    if (!message) break
    dropAll(window, [message])
  }
  return true
}
