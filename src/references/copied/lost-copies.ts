/**
 * Measures how much of what the agent copied is gone from a run's window. What it copied is what stood in the window that it really
 * had: with that it wrote what it wrote.
 */

import type { Measure, Presence, Request } from '../../measures/measure.ts'
import type { Message } from '../../model/message.ts'
import type { CopiedCounts } from '../../model/run.ts'
import type { Trace } from '../../model/trace.ts'
import type { ReferenceDigest } from '../digest.ts'
import { Held, type Reading, remembered } from '../held.ts'
import { anchorLength } from './anchors.ts'
import { shortestCopy } from './copied-digest.ts'
import { type Copies, findCopies } from './copies.ts'

/** What a request copied, and what of it stands in the window, in characters. */
interface Judged {
  readonly copied: number
  readonly kept: number
}

/** A request that copied. Messages are given by index, -1 where nothing is gone. */
export interface CopyingRequest extends Judged {
  readonly request: number
  /** The message with the first copy of which something is gone, and the newest source of what is gone. */
  readonly message: number
  readonly source: number
}

/** Copies, which of their anchors count (null for all), and how many characters each request copied of these. */
export interface CountedCopies {
  readonly copies: Copies
  readonly had: Uint8Array | null
  readonly characters: Int32Array
}

/** Whether at least a quarter of it is gone. */
export const isLost = ({ copied, kept }: Judged): boolean => (copied - kept) * 4 >= copied

/** @param had see `RecordedCopies` */
export function countedCopies(copies: Copies, had: Uint8Array | null): CountedCopies {
  if (had === null) return { copies, had, characters: copies.characters }
  const characters = copies.characters.map((_, request) => charactersOf(copies, request, (nth) => had[nth] === 1))
  return { copies, had, characters }
}

/** @param isHeld whether an anchor of `copies` stands in the window; it is asked of those that count */
export function judgeCopies(text: CountedCopies, request: number, isHeld: (nth: number) => boolean): Judged {
  const { copies, had } = text
  const copied = text.characters[request] as number
  if (copied === 0) return { copied, kept: 0 }
  return { copied, kept: charactersOf(copies, request, had ? (nth) => had[nth] === 1 && isHeld(nth) : isHeld) }
}

/** How many characters those anchors cover together that a request copied, and that count. */
function charactersOf({ starts, anchorStarts, at }: Copies, request: number, counts: (nth: number) => boolean): number {
  let kept = 0
  for (let copy = starts[request] as number; copy < (starts[request + 1] as number); copy++) {
    let keptTo = -anchorLength
    for (let nth = anchorStarts[copy] as number; nth < (anchorStarts[copy + 1] as number); nth++) {
      if (!counts(nth)) continue
      const from = at[nth] as number
      kept += Math.min(anchorLength, from + anchorLength - keptTo)
      keptTo = from + anchorLength
    }
  }
  return kept
}

/** Counts requests by what they lost. */
export class CopiedTally {
  readonly #counts = { requests: 0, lost: 0, shares: 0 }

  /** What copied nothing is not counted. */
  add(judged: Judged): void {
    const { copied, kept } = judged
    if (copied === 0) return
    this.#counts.requests++
    this.#counts.shares += Math.round(((copied - kept) / copied) * 1e6)
    if (isLost(judged)) this.#counts.lost++
  }

  get counts(): CopiedCounts {
    return { ...this.#counts }
  }
}

/** By transcript: its copies, and what policies have written of them. */
const known = new WeakMap<
  ReferenceDigest,
  { readonly copies: Copies; readonly anchorsOf: (message: Message) => ReadonlySet<number> }
>()

/** @param trace complete, and read with the digest */
export function copiesOf(trace: Trace, digest: ReferenceDigest): Copies {
  return knownOf(trace, digest).copies
}

function knownOf(trace: Trace, digest: ReferenceDigest) {
  const found = known.get(digest)
  if (found) return found
  // Nothing of it is kept for later runs: to find it again takes no longer than to unpack it.
  const copies = findCopies(trace, digest)
  const reading: Reading = new WeakMap()
  const anchorsOf = remembered(reading, (message) => digest.anchorsOf(message, digest.copied.anchors))
  const made = { copies, anchorsOf }
  known.set(digest, made)
  return made
}

/** Of a window, request by request. */
class HeldCopies {
  readonly #copies: Copies
  readonly #held: Held

  constructor(trace: Trace, digest: ReferenceDigest) {
    const { copies, anchorsOf } = knownOf(trace, digest)
    this.#copies = copies
    this.#held = new Held(trace, copies.occurrences, anchorsOf)
  }

  isHeld(nth: number, message: number, presence: Presence): boolean {
    const { place, anchor } = this.#copies
    const newest = place[nth] as number
    return !this.#held.isLost(presence, presence.from, anchor[newest] as number, newest, message, 'older')
  }
}

export class LostCopies implements Measure<CopiedCounts> {
  readonly #text: CountedCopies
  readonly #held: HeldCopies
  readonly #tally = new CopiedTally()
  readonly #told: ((one: CopyingRequest) => void) | null

  /** @param told called with each request that copied, in their order */
  constructor(
    trace: Trace,
    digest: ReferenceDigest,
    text: CountedCopies,
    told: ((one: CopyingRequest) => void) | null = null,
  ) {
    this.#text = text
    this.#held = new HeldCopies(trace, digest)
    this.#told = told
  }

  request({ index, message, sent: { presence } }: Request): void {
    const copied = this.#text.characters[index] as number
    if (copied === 0) return
    const isHeld = presence?.pruned ? (nth: number) => this.#held.isHeld(nth, message, presence) : null
    const judged = isHeld ? judgeCopies(this.#text, index, isHeld) : { copied, kept: copied }
    this.#tally.add(judged)
    if (!this.#told) return
    const place = isHeld ? this.#placeOf(index, isHeld) : { message: -1, source: -1 }
    this.#told({ request: index, ...judged, ...place })
  }

  result(): CopiedCounts {
    return this.#tally.counts
  }

  #placeOf(request: number, isHeld: (nth: number) => boolean): Pick<CopyingRequest, 'message' | 'source'> {
    const { copies, had } = this.#text
    let [message, source] = [-1, -1]
    for (let copy = copies.starts[request] as number; copy < (copies.starts[request + 1] as number); copy++) {
      for (let nth = copies.anchorStarts[copy] as number; nth < (copies.anchorStarts[copy + 1] as number); nth++) {
        if (had?.[nth] === 0 || isHeld(nth)) continue
        if (message < 0) message = copies.message[copy] as number
        source = Math.max(source, copies.occurrences.message[copies.place[nth] as number] as number)
      }
    }
    return { message, source }
  }
}

/** What was copied from the windows that the agent really had, and what looks lost in these. */
export interface RecordedCopies {
  /** By anchor of the transcript's copies: 1 where it stood in the window, in a run that is long enough; null for all. */
  readonly had: Uint8Array | null
  readonly floor: CopiedCounts
}

/** Watches the replay of the recorded agent. */
export class CopiesHad implements Measure<RecordedCopies> {
  /** Before the first edit the window holds all. */
  readonly waits = true
  readonly #text: CountedCopies
  readonly #held: HeldCopies
  readonly #had: Uint8Array
  readonly #tally = new CopiedTally()
  #isAll = true

  constructor(trace: Trace, digest: ReferenceDigest) {
    this.#text = countedCopies(copiesOf(trace, digest), null)
    this.#held = new HeldCopies(trace, digest)
    this.#had = new Uint8Array(this.#text.copies.at.length).fill(1)
  }

  request({ index, message, sent: { presence } }: Request): void {
    const copied = this.#text.characters[index] as number
    if (copied === 0) return
    const had = this.#had
    const judged = presence?.pruned
      ? judgeCopies(this.#text, index, (nth) => {
          const isHeld = this.#held.isHeld(nth, message, presence)
          if (!isHeld) had[nth] = 0
          return isHeld
        })
      : { copied, kept: copied }
    this.#tally.add(judged)
    if (judged.kept === copied) return
    this.#isAll = false
    this.#dropShort(index)
  }

  result(): RecordedCopies {
    return { had: this.#isAll ? null : this.#had, floor: this.#tally.counts }
  }

  /** Takes out what is left of copies, where that is too short to be one. */
  #dropShort(request: number): void {
    const { starts, anchorStarts, at } = this.#text.copies
    const had = this.#had
    for (let copy = starts[request] as number; copy < (starts[request + 1] as number); copy++) {
      const end = anchorStarts[copy + 1] as number
      let from = -1
      let last = -1
      for (let nth = anchorStarts[copy] as number; nth <= end; nth++) {
        if (nth < end && had[nth] === 0) continue
        const goesOn = nth < end && last >= 0 && (at[nth] as number) <= (at[last] as number) + anchorLength
        if (!goesOn) {
          if (last >= 0 && (at[last] as number) + anchorLength - (at[from] as number) < shortestCopy)
            had.fill(0, from, last + 1)
          from = nth
        }
        last = nth
      }
    }
  }
}
