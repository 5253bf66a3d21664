/**
 * Messages of a transcript with another text. Policies that cut a result alike, and a view that cuts it again for each
 * request, get the same message, so that it is counted and looked through only once.
 */
import type { Message } from '../model/message.ts'

/** A mask that names how much it masks is another text each time, so only the latest are kept. */
const most = 4

/** Those of one transcript. */
export class Rewritten {
  readonly #texts = new Map<number, Map<string, Message>>()

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
}
