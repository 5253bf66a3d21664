/**
 * The items of a response that is not complete yet, and the messages between them: a tool runs as soon as its call is
 * written, so results come while the response goes on. Whether it was one response or several is known at its token count.
 */
import { defined } from '../../../base/defined.ts'
import type { Block, Message, Usage } from '../../../model/message.ts'

/** An item that the model wrote. */
export interface Written {
  readonly role: undefined
  readonly line: number
  readonly blocks: readonly Block[]
  readonly time: number | undefined
  readonly model: string | undefined
}

export class PendingResponse {
  #items: (Message | Written)[] = []

  get length(): number {
    return this.#items.length
  }

  /** As they were recorded. */
  get items(): readonly (Message | Written)[] {
    return this.#items
  }

  add(item: Message | Written): void {
    this.#items.push(item)
  }

  /** The items as one response, the one that was counted, and after it the messages in between. */
  counted(usage: Usage, responseId?: string): Message[] {
    const items = this.#taken()
    const messages = items.filter((item) => !isWritten(item))
    // The results come first: nothing may stand between a call and its result.
    return [
      assembled(items.filter(isWritten), usage, responseId),
      ...messages.filter(({ role }) => role === 'tool'),
      ...messages.filter(({ role }) => role !== 'tool'),
    ]
  }

  /** The items in their order, if there was no count: items of the model with nothing in between are one response. */
  uncounted(): Message[] {
    const messages: Message[] = []
    let run: Written[] = []
    for (const item of this.#taken()) {
      if (isWritten(item)) {
        run.push(item)
        continue
      }
      if (run.length > 0) messages.push(assembled(run))
      run = []
      messages.push(item)
    }
    if (run.length > 0) messages.push(assembled(run))
    return messages
  }

  #taken(): (Message | Written)[] {
    const items = this.#items
    this.#items = []
    return items
  }
}

function isWritten(item: Message | Written): item is Written {
  return item.role === undefined
}

function assembled(items: readonly Written[], usage?: Usage, responseId?: string): Message {
  const { line, time, model } = items[0] as Written
  const blocks = items.flatMap(({ blocks }) => blocks)
  return { role: 'assistant', line, blocks, ...defined({ model, time, usage, responseId }) }
}
