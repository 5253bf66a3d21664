/**
 * `strands-window`: `SlidingWindowConversationManager` of the Strands Agents SDK. After each exchange, if there are
 * more than `windowSize` messages (`>`), the oldest leave; the cut moves forward to the next message that the user
 * typed. If there is none, it moves to the next call that has its results, and the last typed message before that stays
 * as an anchor; if there is no such call either, nothing leaves. Results that follow one another are one message.
 *
 * If a request is over the model's window (the budget), the provider refuses it, and the manager reduces until it fits
 * or finds nothing more: first it shortens texts of over 450 characters in the oldest message with results to 200 +
 * 200, and once that is done it cuts as above; if there are not too many messages, the first two.
 *
 * Faults: the cut may go far beyond what is necessary (of nine messages it keeps three), or not be possible, so that
 * the history stays over its own window. Not simulated: pinned messages, and compression at a share of the window.
 *
 * Law: sticky, whole pairs where results follow their calls. Worked example, `windowSize=3`, of [user, call, result,
 * call, result, answer, user, answer, user] the last three stay.
 */
import { flag, integer } from '../../base/param.ts'
import type { Block, Message } from '../../model/message.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry, Window } from '../policy.ts'
import { dropAll, type LibraryMessage, libraryMessages } from './library-messages.ts'

const preserved = 200
const longest = 2 * preserved + 50

function shortened(block: Block): Block {
  if (block.type === 'image' || block.type === 'document')
    return { type: 'text', text: `[${block.type}: ${block.mediaType}, source: bytes, ${block.bytes} bytes]` }
  if (block.type !== 'text' || block.text.length <= longest) return block
  const removed = block.text.length - 2 * preserved
  const text = `${block.text.slice(0, preserved)}\n<truncated chars="${removed}"/>\n${block.text.slice(-preserved)}`
  return { type: 'text', text }
}

/** @returns whether any result of the oldest message with results was shortened */
function shortenOldest(window: Window, messages: readonly LibraryMessage[]): boolean {
  let isShorter = false
  for (const entry of messages.find(([{ role }]) => role === 'tool') ?? []) {
    const { blocks } = entry.message as Message
    const after = blocks.map(shortened)
    if (after.every((block, index) => block === blocks[index])) continue
    window.replace(entry, after)
    isShorter = true
  }
  return isShorter
}

/** @returns whether anything left */
function trim(window: Window, messages: readonly LibraryMessage[], windowSize: number): boolean {
  const role = (index: number): Entry['role'] | undefined => messages[index]?.[0].role
  const start = messages.length <= windowSize ? 2 : messages.length - windowSize
  let cut = start
  while (cut < messages.length && role(cut) !== 'user') cut++
  let anchor = -1
  if (cut === messages.length && windowSize > 0) {
    cut = start
    while (cut < messages.length && !((messages[cut]?.[0].calls ?? 0) > 0 && role(cut + 1) === 'tool')) cut++
    if (cut < messages.length) for (anchor = cut - 1; anchor >= 0 && role(anchor) !== 'user'; ) anchor--
    if (anchor < 0) return false
  }
  if (cut > messages.length) return false
  const leaving = messages.slice(0, cut).filter((_, index) => index !== anchor)
  dropAll(window, leaving)
  return leaving.length > 0
}

export default definePolicy({
  name: 'strands-window',
  version: '1.19.0',
  summary: 'after each exchange, keep the last messages, beginning with one that the user typed',
  source: '@strands-agents/sdk 1.19.0, sliding-window-conversation-manager; npm (2026-11)',
  package: { name: '@strands-agents/sdk', version: '1.19.0', on: '2026-11' },
  ownBudget: 'window',
  trigger:
    "the model's window, over which the provider refuses; acts after exchanges of more than `windowSize` messages",
  unlike: '`cap-messages` cuts to the number; `spring-window` counts at every message',
  params: {
    windowSize: integer({ default: 40, min: 0, help: 'most messages; with more, it acts' }),
    truncateResults: flag({
      default: true,
      help: 'when a request is refused, shorten results before dropping messages',
    }),
  },
  text: true,
  turnOn: ({ windowSize, truncateResults }) => ({
    file: 'your code, with Strands',
    text: `new Agent({ conversationManager: new SlidingWindowConversationManager({ windowSize: ${windowSize}, shouldTruncateResults: ${truncateResults} }) })`,
  }),
  start: ({ windowSize, truncateResults }) => ({
    request(window) {
      while (window.tokens > window.budget) {
        const messages = libraryMessages(window.first)
        if (truncateResults && shortenOldest(window, messages)) continue
        if (!trim(window, messages, windowSize)) return
      }
    },
    exchangeEnd(window) {
      const messages = libraryMessages(window.first)
      if (messages.length > windowSize) trim(window, messages, windowSize)
    },
  }),
})
