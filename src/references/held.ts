/**
 * Tells whether an occurrence of a thing (a term, a piece of content, an anchor of copied text) is still in the window.
 */
import type { Presence } from '../measures/measure.ts'
import type { Message } from '../model/message.ts'
import type { Trace } from '../model/trace.ts'
import type { Occurrences } from './occurrences.ts'

/** The things that blocks contain, remembered as long as the transcript holds the blocks. */
export type Reading = WeakMap<Message['blocks'], ReadonlySet<number>>

export function remembered(
  reading: Reading,
  read: (message: Message) => ReadonlySet<number>,
): (message: Message) => ReadonlySet<number> {
  return (message) => {
    const things = reading.get(message.blocks) ?? read(message)
    reading.set(message.blocks, things)
    return things
  }
}

type Chain = 'older' | 'olderSource'

/** Walks longer than this are remembered. */
const longWalk = 16

export class Held {
  readonly #trace: Trace
  readonly #occurrences: Occurrences
  /** The things in a message. */
  readonly #thingsIn: (message: Message) => ReadonlySet<number>
  /** The things in messages whose content was replaced. */
  readonly #replaced = new Map<
    number,
    { message: Message; readonly text: string; readonly things: ReadonlySet<number> }
  >()
  /** By thing: the messages that may contain it only since their content was replaced. */
  readonly #anew = new Map<number, Set<number>>()
  /** By message: which of its things are listed there. */
  readonly #listed = new Map<number, ReadonlySet<number>>()
  /** By thing: how many of the policy's own messages inside contain it. */
  readonly #inserted = new Map<number, number>()
  #moved = 0
  /** Copies of the chains that skip what is gone for good. */
  readonly #shortened: { older: Int32Array | null; olderSource: Int32Array | null } = { older: null, olderSource: null }
  #seen = 0

  constructor(trace: Trace, occurrences: Occurrences, thingsIn: (message: Message) => ReadonlySet<number>) {
    this.#trace = trace
    this.#occurrences = occurrences
    this.#thingsIn = thingsIn
  }

  /**
   * Reads what has been replaced since the last call. It is called only when needed: a message that is as recorded and
   * says the thing is found without it.
   */
  #readReplaced(presence: Presence): void {
    for (; this.#seen < presence.replaced.length; this.#seen++) {
      const index = presence.replaced[this.#seen] as number
      const message = presence.replacement(index)
      if (!message) continue
      const things = this.#read(index, message)
      // A view writes the same again before each request.
      if (things === this.#listed.get(index)) continue
      this.#listed.set(index, things)
      for (const thing of things) {
        const messages = this.#anew.get(thing) ?? new Set()
        this.#anew.set(thing, messages.add(index))
      }
    }
  }

  /**
   * Whether nothing inside says the thing any more.
   * @param from the first message inside
   * @param place the newest occurrence that counts
   * @param horizon where the request ends
   */
  isLost(presence: Presence, from: number, thing: number, place: number, horizon: number, chain: Chain): boolean {
    return !this.#holds(presence, from, thing, place, chain) && !this.#saysAnew(presence, thing, horizon, chain)
  }

  #holds(presence: Presence, from: number, thing: number, place: number, chain: Chain): boolean {
    const occurrences = this.#occurrences
    const stays = presence.returns === 0
    const links = (stays ? this.#shortened[chain] : null) ?? occurrences[chain]
    let at = place
    let steps = 0
    for (; at >= 0; at = links[at] as number, steps++) {
      const message = occurrences.message[at] as number
      if (message < from) at = -1
      if (at < 0 || this.#says(presence, message, thing)) break
    }
    if (steps > longWalk && stays) this.#shorten(chain, place, at)
    return at >= 0
  }

  /** Whether the policy wrote the thing itself: in place of a message before `horizon`, or in a message of its own. */
  #saysAnew(presence: Presence, thing: number, horizon: number, chain: Chain): boolean {
    this.#readReplaced(presence)
    for (const index of this.#anew.get(thing) ?? []) {
      const counts =
        presence.replacement(index) !== null && (chain === 'older' || this.#trace.role(index) !== 'assistant')
      if (counts && index < horizon && this.#says(presence, index, thing)) return true
    }
    this.#readInserted(presence)
    return (this.#inserted.get(thing) ?? 0) > 0
  }

  /** Reads the policy's own messages, only when needed: most notices have left again by then and are never read. */
  #readInserted({ moved }: Presence): void {
    if (this.#moved === moved.length) return
    const sums = new Map<Message, number>()
    for (; this.#moved < moved.length; this.#moved++) {
      const { message, by } = moved[this.#moved] as Presence['moved'][number]
      sums.set(message, (sums.get(message) ?? 0) + by)
    }
    for (const [message, by] of sums) {
      if (by === 0) continue
      for (const thing of this.#thingsIn(message)) {
        this.#inserted.set(thing, (this.#inserted.get(thing) ?? 0) + by)
      }
    }
  }

  #shorten(chain: Chain, place: number, end: number): void {
    const links = this.#shortened[chain] ?? this.#occurrences[chain].slice()
    this.#shortened[chain] = links
    for (let at = place; at > end; ) {
      const next = links[at] as number
      links[at] = end
      at = next
    }
  }

  #says(presence: Presence, index: number, thing: number): boolean {
    if (!presence.has(index)) return false
    const message = presence.replacement(index)
    return message === null || this.#read(index, message).has(thing)
  }

  #read(index: number, message: Message): ReadonlySet<number> {
    let known = this.#replaced.get(index)
    if (known?.message === message) return known.things
    const text = message.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
    if (known?.text === text) known.message = message
    else {
      known = { message, text, things: this.#thingsIn(message) }
      this.#replaced.set(index, known)
    }
    return known.things
  }
}
