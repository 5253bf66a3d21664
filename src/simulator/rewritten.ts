/**
 * Messages of a transcript with another text. Policies that cut a result alike, and a view that cuts it again for each
 * request, get the same message, so that it is counted and looked through only once.
 */
import type { Message } from '../model/message.ts'
import type { Sizes } from '../model/sizes.ts'

/** A mask that names how much it masks is another text each time, so only the latest are kept. */
const most = 4

/** Those of one transcript. */
export class Rewritten {
  readonly #texts = new Map<number, Map<string, Message>>()
  /** By content: its units in each role, by each way of counting. */
  readonly #units = new WeakMap<
    Message['blocks'],
    { readonly role: string; readonly by: Sizes; readonly units: number }[]
  >()

  /** @param write makes the message that has this text in place of message `index` */
  message(index: number, text: string, write: () => Message): Message {
    const texts = this.#texts.get(index) ?? new Map<string, Message>()
    this.#texts.set(index, texts)
    let message = texts.get(text)
    if (!message) {
      message = write()
      texts.set(text, message)
      if (texts.size > most) texts.delete(texts.keys().next().value as string)
    }
    return message
  }

  /**
   * Units of a message that a policy inserts. One that attaches the same files again at each cut, at each of many
   * budgets, has them counted once: the content is that of the transcript, and stays the same list of blocks.
   */
  unitsOf(message: Message, by: Sizes): number {
    const known = this.#units.get(message.blocks) ?? []
    const same = known.find((one) => one.by === by && one.role === message.role)
    if (same) return same.units
    const units = by.message(message)
    this.#units.set(message.blocks, [...known, { role: message.role, by, units }])
    return units
  }
}
