/** One message of the window's list, and what its neighbours add to its size. */
import type { Message, Role } from '../model/message.ts'
import { type Joins, joinOf } from '../model/sizes.ts'
import type { Entry } from '../policies/policy.ts'

/** One message in or out of the window. Its fields are the policy's `Entry`, writable here. */
export class Item implements Entry {
  readonly index: number
  readonly role: Role
  readonly exchange: number
  readonly isPrompt: boolean
  readonly calls: number
  readonly call: number
  readonly isResponse: boolean
  /** Items that share one wire message have the same group. */
  readonly group: number
  /** Never less than that of an item in front of it: the index, and a fraction more for what stands behind that. */
  readonly place: number
  isEmpty: boolean
  message: Message | null
  inside = true
  replaced = false
  next: Item | null = null
  previous: Item | null = null
  /** Units without its place in the request. */
  size: number
  believedSize: number

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
      | 'group'
      | 'place'
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
    this.group = fields.group
    this.place = fields.place
    this.isEmpty = fields.isEmpty
    this.message = fields.message
    this.size = fields.size
    this.believedSize = fields.believedSize
  }
}

/** Units that an item adds beyond its own, standing behind `previous`. */
export function joinBehind(joins: Joins, previous: Item | null, item: Item): number {
  return joinOf(joins, previous === null, isJoined(previous, item))
}

/** Whether an item standing behind `previous` shares one wire message with it. */
export function isJoined(previous: Item | null, item: Item): boolean {
  return item.group >= 0 && previous?.group === item.group
}
