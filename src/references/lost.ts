/**
 * What a run's window would have lost: for each use, in the request it belongs to, whether an earlier occurrence of the
 * term is still inside. For a window that keeps a suffix that is one look at the last occurrence; for masks, holes and
 * pins it is a walk back over the occurrences that are gone, which a run does not walk twice.
 */

import type { Measure, Presence, Request } from '../measures/measure.ts'
import type { Message } from '../model/message.ts'
import { addLosses, type LossCounts, type References, type TermClass, termClasses } from '../model/run.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import type { ReferenceDigest } from './digest.ts'
import { type Counts, none } from './losses.ts'
import { type Copy, type Resolved, resolveReferences } from './resolve.ts'
import { headlineClasses } from './terms/extractor.ts'

/** Told of each use that is lost, by its number among the uses. */
export type LostUse = (use: number, mentionLost: boolean, sourceLost: boolean) => void

export class LostReferences implements Measure<References> {
  readonly #trace: Trace
  readonly #resolved: Resolved
  readonly #sizes: Sizes
  readonly #lost: LostUse
  readonly #all = none()
  readonly #warm = none()
  readonly #classes = termClasses.map(none)
  readonly #user = none()
  readonly #assistant = none()
  readonly #hit: Uint8Array
  readonly #rereads = { refresh: 0, redundant: 0, fault: 0 }
  readonly #held: Held
  #faultUnits = 0
  #reread = 0

  constructor(trace: Trace, digest: ReferenceDigest, sizes: Sizes, lost: LostUse = () => {}) {
    this.#trace = trace
    this.#resolved = resolveReferences(trace, digest)
    this.#sizes = sizes
    this.#lost = lost
    this.#hit = new Uint8Array(this.#resolved.exchanges.length)
    this.#held = new Held(trace, this.#resolved)
  }

  request({ index, message, sent }: Request): void {
    const { uses } = this.#resolved
    const { presence } = sent
    const to = uses.starts[index + 1] as number
    if (presence) this.#held.update(presence)
    for (let use = uses.starts[index] as number; use < to; use++) this.#judge(use, presence)
    this.#judgeRereads(index, message, presence)
  }

  result(): References {
    const byClass = Object.fromEntries(termClasses.map((name, at) => [name, { ...this.#classes[at] }]))
    const headline = termClasses.flatMap((name, at) => (headlineClasses.has(name) ? (this.#classes[at] ?? []) : []))
    return {
      ...addLosses([this.#all]),
      byClass: byClass as Record<TermClass, LossCounts>,
      user: { ...this.#user },
      assistant: { ...this.#assistant },
      exchangesHit: this.#hit.reduce((sum, hit) => sum + hit, 0),
      rereads: { ...this.#rereads, faultTokens: this.#faultUnits === 0 ? 0 : this.#sizes.tokens(this.#faultUnits) },
      headline: addLosses(headline),
      warm: addLosses([this.#warm]),
    }
  }

  #judge(use: number, presence: Presence | null): void {
    const { uses, digest, exchanges } = this.#resolved
    const term = uses.term[use] as number
    const message = uses.message[use] as number
    const mention = uses.mention[use] as number
    const source = uses.source[use] as number
    const isLost = (place: number, chain: Chain): boolean =>
      presence !== null &&
      place >= 0 &&
      !this.#held.holds(presence, term, place, chain) &&
      !this.#held.saysAnew(presence, term, message, chain)
    const mentionLost = isLost(mention, 'older')
    const sourceLost = isLost(source, 'olderSource')
    const author = this.#trace.role(message) === 'user' ? this.#user : this.#assistant
    const tallies = [this.#all, this.#classes[digest.classes[term] as number] as Counts, author]
    if (presence?.pruned) tallies.push(this.#warm)
    for (const tally of tallies) {
      tally.total++
      if (source < 0) tally.selfSourced++
      if (mentionLost) tally.mentionLost++
      if (sourceLost) tally.sourceLost++
    }
    if (!mentionLost && !sourceLost) return
    const exchange = exchanges.holding(message)
    if (exchange >= 0) this.#hit[exchange] = 1
    this.#lost(use, mentionLost, sourceLost)
  }

  #judgeRereads(request: number, answer: number, presence: Presence | null): void {
    const { rereads } = this.#resolved
    for (; rereads[this.#reread]?.request === request; this.#reread++) {
      const { result, changed, copy } = rereads[this.#reread] as (typeof rereads)[number]
      if (changed) this.#rereads.refresh++
      else if (hasCopy(presence, copy, answer)) this.#rereads.redundant++
      else {
        this.#rereads.fault++
        this.#faultUnits += this.#sizes.of(result)
      }
    }
  }
}

/** What comes after the answer was asked for at the same time, and the window is not to blame. */
function hasCopy(presence: Presence | null, copies: Copy | null, answer: number): boolean {
  if (presence === null) return true
  for (let copy = copies; copy; copy = copy.older) {
    if (copy.message > answer) return true
    if (copy.message < presence.from) return false
    if (presence.has(copy.message) && presence.replacement(copy.message) === null) return true
  }
  return false
}

type Chain = 'older' | 'olderSource'

/** A walk is worth remembering when it was longer than this. */
const longWalk = 16

/** Whether a window still holds an occurrence of a term. */
class Held {
  readonly #trace: Trace
  readonly #resolved: Resolved
  /** What is said by the messages whose content was replaced. */
  readonly #replaced = new Map<number, { readonly text: string; readonly terms: ReadonlySet<number> }>()
  /** The messages that may say a term only since their content was replaced. */
  readonly #anew = new Map<number, Set<number>>()
  /** How many of the policy's own messages inside say a term. */
  readonly #inserted = new Map<number, number>()
  #moved = 0
  /** Chains in which a run skips what is gone for good. */
  readonly #shortened: { older: Int32Array | null; olderSource: Int32Array | null } = { older: null, olderSource: null }
  #seen = 0

  constructor(trace: Trace, resolved: Resolved) {
    this.#trace = trace
    this.#resolved = resolved
  }

  /** Reads what has been replaced since. */
  update(presence: Presence): void {
    for (; this.#seen < presence.replaced.length; this.#seen++) {
      const index = presence.replaced[this.#seen] as number
      const message = presence.replacement(index)
      if (!message) continue
      for (const term of this.#read(index, message)) {
        const messages = this.#anew.get(term) ?? new Set()
        this.#anew.set(term, messages.add(index))
      }
    }
  }

  /** @param place the newest occurrence that counts */
  holds(presence: Presence, term: number, place: number, chain: Chain): boolean {
    const { occurrences } = this.#resolved
    const stays = presence.returns === 0
    const links = (stays ? this.#shortened[chain] : null) ?? occurrences[chain]
    const { from } = presence
    let at = place
    let steps = 0
    for (; at >= 0; at = links[at] as number, steps++) {
      const message = occurrences.message[at] as number
      if (message < from) at = -1
      if (at < 0 || this.#says(presence, message, term)) break
    }
    if (steps > longWalk && stays) this.#shorten(chain, place, at)
    return at >= 0
  }

  /** The policy wrote the term itself: in place of a message before `horizon`, or in a message of its own. */
  saysAnew(presence: Presence, term: number, horizon: number, chain: Chain): boolean {
    for (const index of this.#anew.get(term) ?? []) {
      const counts =
        presence.replacement(index) !== null && (chain === 'older' || this.#trace.role(index) !== 'assistant')
      if (counts && index < horizon && this.#says(presence, index, term)) return true
    }
    this.#readInserted(presence)
    return (this.#inserted.get(term) ?? 0) > 0
  }

  /** Only when it is asked for: most notices have left again by then, and are never read. */
  #readInserted({ moved }: Presence): void {
    if (this.#moved === moved.length) return
    const sums = new Map<Message, number>()
    for (; this.#moved < moved.length; this.#moved++) {
      const { message, by } = moved[this.#moved] as Presence['moved'][number]
      sums.set(message, (sums.get(message) ?? 0) + by)
    }
    for (const [message, by] of sums) {
      if (by === 0) continue
      for (const term of this.#resolved.digest.termsOf(message)) {
        this.#inserted.set(term, (this.#inserted.get(term) ?? 0) + by)
      }
    }
  }

  #shorten(chain: Chain, place: number, end: number): void {
    const links = this.#shortened[chain] ?? this.#resolved.occurrences[chain].slice()
    this.#shortened[chain] = links
    for (let at = place; at > end; ) {
      const next = links[at] as number
      links[at] = end
      at = next
    }
  }

  #says(presence: Presence, index: number, term: number): boolean {
    if (!presence.has(index)) return false
    const message = presence.replacement(index)
    return message === null || this.#read(index, message).has(term)
  }

  #read(index: number, message: Message): ReadonlySet<number> {
    const text = message.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
    let known = this.#replaced.get(index)
    if (known?.text !== text) {
      known = { text, terms: this.#resolved.digest.termsOf(message) }
      this.#replaced.set(index, known)
    }
    return known.terms
  }
}
