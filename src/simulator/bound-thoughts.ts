/**
 * Which reasoning is still bound to what stands before it, for providers that check that (`bindsThoughts`): a thought
 * is taken back as long as everything before it is as it was when it was thought. Reasoning itself is not a part of
 * that, but what is left of it has to be an unbroken run. Anthropic, "Prefix checks on thinking blocks", has both
 * rules.
 */
import { jsonText } from '../base/json-text.ts'
import type { Message } from '../model/message.ts'
import { isThought, withoutThoughts } from '../model/thoughts.ts'
import type { Item } from './item.ts'

/**
 * What a message says: its index where it is as recorded, less than 0 where all but its reasoning is, else the index
 * and its words.
 */
type Said = number | string

export class BoundThoughts {
  /** Messages whose reasoning is bound and stands, oldest first; those that have left are among them. */
  readonly #standing: Item[] = []
  /** The oldest of them may be gone. */
  #oldest = 0
  /**
   * The least place at which anything has changed since the last `unbound`, and those at which reasoning alone was
   * taken out.
   */
  #changed = Number.POSITIVE_INFINITY
  #taken: number[] = []
  /** For a window whose edits may be undone and made again: what it said when it was last looked at. */
  #said: Said[] | null
  readonly #original: (index: number) => Message | null
  readonly #known = new WeakMap<Message, Said>()

  /** @param undoes whether edits may be undone and made again, so that what was touched need not have changed */
  constructor(undoes: boolean, original: (index: number) => Message | null) {
    this.#said = undoes ? [] : null
    this.#original = original
  }

  /** A message has come. */
  add(item: Item, hasThoughts: boolean): void {
    if (hasThoughts) this.#standing.push(item)
    this.#said?.push(item.index)
  }

  /** Something came or left at a place, or says something else. */
  change(place: number): void {
    this.#changed = Math.min(this.#changed, place)
  }

  /** The content of a message was replaced. @param before what it was, and not what is in the item now */
  rewrite({ index, place, message, replaced }: Item, before: Message): void {
    this.#compare(place, index, replaced ? this.#saidBy(index, before) : index, this.#saidBy(index, message as Message))
  }

  /** The history starts anew. */
  clear(): void {
    this.#standing.length = this.#oldest = 0
    this.#changed = Number.POSITIVE_INFINITY
    this.#taken = []
    if (this.#said) this.#said = []
  }

  /**
   * @param first of the window
   * @returns the messages whose reasoning is bound to what has changed since the last call
   */
  unbound(first: Item | null): Item[] {
    const standing = this.#standing
    if (!this.#said && this.#changed === Number.POSITIVE_INFINITY && this.#taken.length === 0) return []
    // What has left may come back where edits are undone.
    if (this.#said) {
      this.#look(first)
      this.#oldest = 0
    }
    while (this.#oldest < standing.length && !keeps(standing[this.#oldest]!)) this.#oldest++
    const oldest = standing[this.#oldest]?.place ?? Number.POSITIVE_INFINITY
    const from = this.#taken.reduce((least, place) => (place > oldest ? Math.min(least, place) : least), this.#changed)
    this.#changed = Number.POSITIVE_INFINITY
    this.#taken = []
    let length = standing.length
    while (length > 0 && standing[length - 1]!.place > from) length--
    this.#oldest = Math.min(this.#oldest, length)
    return standing.splice(length)
  }

  /** Finds out where the window says something else than when it was last looked at. */
  #look(first: Item | null): void {
    const before = this.#said as Said[]
    const said: Said[] = []
    this.#changed = Number.POSITIVE_INFINITY
    this.#taken = []
    for (let item = first; item; item = item.next) {
      const { index, place, replaced, message } = item
      const own = index >= 0 && !replaced ? index : this.#saidBy(index, message as Message)
      const at = said.push(own) - 1
      if (at < before.length) this.#compare(place, index, before[at] as Said, own)
    }
    this.#said = said
  }

  #compare(place: number, index: number, before: Said, now: Said): void {
    if (before === now) return
    if (index >= 0 && before === index && now === withoutReasoning(index)) this.#taken.push(place)
    // A message in the place of an earlier one stands behind what has left.
    else this.change(index > indexOf(before) ? place - 1 : place)
  }

  /** @param index of the transcript's message that it is; -1 for none */
  #saidBy(index: number, message: Message): Said {
    const known = this.#known.get(message)
    if (known !== undefined) return known
    const original = index < 0 ? null : this.#original(index)
    const written = wordsOf(message)
    const isSame = original !== null && wordsOf(original) === written
    const said = !isSame ? `${index} ${written}` : message.blocks.some(isThought) ? index : withoutReasoning(index)
    this.#known.set(message, said)
    return said
  }
}

const withoutReasoning = (index: number): number => -1 - index

const indexOf = (said: Said): number =>
  typeof said === 'string' ? Number.parseInt(said, 10) : said < 0 ? withoutReasoning(said) : said

const keeps = ({ inside, replaced, unbound }: Item): boolean => inside && !replaced && !unbound

const wordsOf = (message: Message): string => jsonText(withoutThoughts(message).blocks)
