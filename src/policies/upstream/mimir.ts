/**
 * The rules of mimir's chat processor (MIMIR-I-0024, and crates/mimir-dm/src/services/llm/chat_processor.rs at
 * 742a955).
 */

import { type Message, textOf } from '../../model/message.ts'
import type { NativeCounter } from '../policy.ts'
import { estimateTokens } from '../text.ts'

const contentTokens = (message: Message): number => estimateTokens(textOf(message))

/** The program adds ten for each message. */
export const messageTokens = (message: Message): number => contentTokens(message) + 10

/** Of the content alone: calls and tool definitions are not counted. */
const counting = (perMessage: string, message: (message: Message) => number): NativeCounter => ({
  summary: `floor(bytes / 4)${perMessage} per message, content only; tool definitions are not counted`,
  message,
  preamble: ({ system }) => system.reduce((sum, one) => sum + message(one), 0),
})

export const documentCounter = counting('', contentTokens)
export const programCounter = counting(' + 10', messageTokens)

/** The tokens above which pruning starts. Upstream multiplies 32-bit floats and truncates. */
export function pruneThreshold(maxTokens: number, share: number): number {
  return Math.trunc(Math.fround(Math.fround(maxTokens) * Math.fround(share)))
}

/** How many of the newest messages always stay: those of the current exchange, and three pairs. */
export function protectedMessages(messages: number, atStart: number): number {
  return Math.max(0, messages - atStart) + 6
}

/** How many of `history` messages (without the system prompt) the cut drops. */
export function cutLength(history: number, fromCurrent: number): number {
  return Math.max(0, history - Math.max(fromCurrent, 6))
}

export function contextNote(skipped: number, kept: number): string {
  return `[Context note: ${skipped} earlier messages were truncated to manage context window. The conversation continues from the most recent ${kept} messages.]`
}
