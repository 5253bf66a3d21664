/**
 * A response in the making, and what stands between its items: a tool runs as soon as its call is written, so results
 * come while the response goes on. Whether that was one response or several is known when its tokens are counted.
 */
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

  add(item: Message | Written): void {
    this.#items.push(item)
  }

  /** All of it as the one response that was counted, and behind it what stood in between. */
  counted(usage: Usage): Message[] {
    const items = this.#taken()
    const messages = items.filter((item) => !isWritten(item))
    // Results first: nothing may stand between a call and its result.
    return [
      assembled(items.filter(isWritten), usage),
      ...messages.filter(({ role }) => role === 'tool'),
      ...messages.filter(({ role }) => role !== 'tool'),
    ]
  }

  /** As it stands, where no count came: whatever the model wrote without anything in between is a response. */
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

function assembled(items: readonly Written[], usage?: Usage): Message {
  const { line, time, model } = items[0] as Written
  return {
    role: 'assistant',
    line,
    blocks: items.flatMap(({ blocks }) => blocks),
    ...(model !== undefined && { model }),
    ...(time !== undefined && { time }),
    ...(usage && { usage }),
  }
}
