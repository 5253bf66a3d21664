/** The window of an agent: that of a replay, which also remembers what its summaries are to be written from. */
import type { Message } from '../model/message.ts'
import type { Inserted } from '../policies/policy.ts'
import type { Item } from '../simulator/item.ts'
import { EditableWindow } from '../simulator/window.ts'

/** A summary that a model has to write. A placeholder stands for it until then. */
export interface Asked {
  /** What it stands for: messages, and summaries that were asked for before it. */
  readonly read: readonly (Message | Asked)[]
  /** As many tokens as the policy reckons with. */
  readonly tokens: number
  readonly item: Item
  /** What the model wrote; null until then. */
  text: string | null
}

export class AgentWindow extends EditableWindow {
  /** In the order in which they were asked for. */
  readonly asked: Asked[] = []
  /** By its placeholder. */
  readonly #byMessage = new Map<Message | null, Asked>()

  override summarise(from: Item, to: Item, summary: Inserted, tokens?: number, keeps?: (entry: Item) => boolean): Item {
    const item = super.summarise(from, to, summary, tokens, keeps)
    // A summary with words of its own is not asked of anybody.
    if (tokens === undefined) return item
    const read = this.unwritten.get(item.message as Message) ?? []
    const asked: Asked = { read: read.map((one) => this.#byMessage.get(one) ?? one), tokens, item, text: null }
    this.asked.push(asked)
    this.#byMessage.set(item.message, asked)
    return item
  }

  /** What a model wrote takes the place of the placeholder. */
  tell(asked: Asked, text: string): void {
    asked.text = text
    if (!asked.item.inside) return
    this.replace(asked.item, text)
    // Nothing was thought since the placeholder came.
    this.unbind()
  }
}

/** The messages that a summary is to be written from: of those that nobody has written before it, their own. */
export function readFor(asked: Asked): Message[] {
  return asked.read.flatMap((one) => {
    if (!('item' in one)) return [one]
    return one.text === null ? readFor(one) : [one.item.message as Message]
  })
}
