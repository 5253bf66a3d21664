/** One message of the window's linked list. */
import type { Message, Role } from '../model/message.ts'
import type { Entry } from '../policies/policy.ts'

/** One message, inside the window or dropped. Policies see it as an `Entry`; here its fields can be changed. */
export class Item implements Entry {
  readonly index: number
  readonly role: Role
  readonly exchange: number
  readonly isPrompt: boolean
  readonly calls: number
  readonly call: number
  readonly isResponse: boolean
  readonly isInjected: boolean
  /** Items that share one wire message have the same group. */
  readonly group: number
  /** Orders items: the index in the transcript; for an inserted message, that of the one before plus a fraction. */
  readonly place: number
  /** See `shapes`; that it continues a message depends on what is in front of it. */
  shape: number
  isEmpty: boolean
  message: Message | null
  inside = true
  replaced = false
  /** Something before its reasoning has changed (bound-thoughts.ts), */
  unbound = false
  /** so that it was taken out of what the policy would send. */
  stripped = false
  /** What that came to is counted. */
  isLost = false
  next: Item | null = null
  previous: Item | null = null
  /** Units, without its join. */
  size: number
  believedSize: number
  /**
   * Units of its join, and what the window ends with behind it (see `Joins`); before it is inside, nothing is known of
   * that.
   */
  join = 0
  end = -1
  believedJoin = 0
  believedEnd = -1

  constructor(
    fields: Pick<
      Item,
      | 'index'
      | 'role'
      | 'exchange'
      | 'isPrompt'
      | 'calls'
      | 'call'
      | 'isResponse'
      | 'isInjected'
      | 'group'
      | 'place'
      | 'shape'
      | 'isEmpty'
      | 'message'
      | 'size'
      | 'believedSize'
    >,
  ) {
    this.index = fields.index
    this.role = fields.role
    this.exchange = fields.exchange
    this.isPrompt = fields.isPrompt
    this.calls = fields.calls
    this.call = fields.call
    this.isResponse = fields.isResponse
    this.isInjected = fields.isInjected
    this.group = fields.group
    this.place = fields.place
    this.shape = fields.shape
    this.isEmpty = fields.isEmpty
    this.message = fields.message
    this.size = fields.size
    this.believedSize = fields.believedSize
  }
}

/** Whether an item that comes after `previous` shares one wire message with it. */
export const isJoined = (previous: Item | null, item: Item): boolean =>
  item.group >= 0 && previous?.group === item.group
