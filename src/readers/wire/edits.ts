/**
 * Finds what an agent took out of its context, in formats that record each request beside the whole history. A request
 * has one message for each message of the history before it, in the same order; where its content is another one than
 * before, the agent has replaced it.
 */

import { objectOf } from '../../base/json.ts'
import type { Block } from '../../model/message.ts'
import type { TranscriptWriter } from '../reader.ts'
import { sameMessage } from './growing.ts'

export class Edits {
  readonly #writer: TranscriptWriter
  readonly #blocks: (content: unknown) => Block[]
  /** Each message as it was sent last, or as the history has it, and its place in the transcript. */
  readonly #held: { value: unknown; readonly index: number | null }[] = []

  /** @param blocks the canonical form of a message's content */
  constructor(writer: TranscriptWriter, blocks: (content: unknown) => Block[]) {
    this.#writer = writer
    this.#blocks = blocks
  }

  /** @param index of the message in the transcript; null if it is part of the preamble, or no message */
  add(value: unknown, index: number | null): void {
    this.#held.push({ value, index })
  }

  /** A request of all messages so far. One of other messages (an attempt that was taken back) says nothing of them. */
  request(messages: readonly unknown[], line: number): void {
    const held = this.#held
    const roleOf = (value: unknown) => objectOf(value)?.role
    if (messages.length !== held.length) return
    if (!messages.every((message, at) => roleOf(message) === roleOf(held[at]?.value))) return
    const left = new Map<number, readonly Block[]>()
    for (const [at, message] of messages.entries()) {
      const before = held[at]
      if (!before || before.index === null || sameMessage(before.value, message)) continue
      before.value = message
      left.set(before.index, this.#blocks(objectOf(message)?.content))
    }
    if (left.size > 0) this.#writer.clearing({ at: this.#writer.length, left, restored: false, line })
  }
}
