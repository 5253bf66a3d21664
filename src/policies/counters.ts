/**
 * How programs count that estimate tokens by the length of the text: a message's text, thinking, and calls with their
 * input.
 */

import { utf8Length } from '../base/bytes.ts'
import { jsonText } from '../base/json-text.ts'
import type { Message } from '../model/message.ts'
import type { NativeCounter } from './policy.ts'

/** The length of all text that a message brings into a request; images and documents have none. */
export function textLength(message: Message, lengthOf: (text: string) => number): number {
  let length = 0
  for (const block of message.blocks) {
    if (block.type === 'text' || block.type === 'thinking') length += lengthOf(block.text)
    else if (block.type === 'call') {
      length += lengthOf(block.name)
      length += lengthOf(typeof block.input === 'string' ? block.input : jsonText(block.input ?? {}))
    }
  }
  return length
}

const characters = (text: string): number => text.length

/** As most programs in JavaScript count: by UTF-16 units. */
export const charsOverFour: NativeCounter = {
  summary: 'ceil(characters / 4) per message; tool definitions are not counted',
  message: (message) => Math.ceil(textLength(message, characters) / 4),
  preamble: ({ system }) => system.reduce((sum, message) => sum + Math.ceil(textLength(message, characters) / 4), 0),
}

export const bytesOverFour: NativeCounter = {
  summary: 'ceil(bytes / 4) per message; tool definitions are not counted',
  message: (message) => Math.ceil(textLength(message, utf8Length) / 4),
  preamble: ({ system }) => system.reduce((sum, message) => sum + Math.ceil(textLength(message, utf8Length) / 4), 0),
}
