/**
 * Measures how much of what the agent copied is gone from a run's window. What it copied is what stood in the window
 * that it really had: with that it wrote what it wrote.
 */

import type { Measure, Presence, Request } from '../../measures/measure.ts'
import type { Message } from '../../model/message.ts'
import { type CopiedByKind, type CopyKind, copyKinds, ofEachKind } from '../../model/run.ts'
import type { Trace } from '../../model/trace.ts'
import type { ReferenceDigest } from '../digest.ts'
import { Held, type Reading, remembered } from '../held.ts'
import { anchorLength } from './anchors.ts'
import { shortestCopy } from './copied-digest.ts'
import { type Copies, findCopies } from './copies.ts'

/** What a request copied, and what of it stands in the window, in characters: by kind, in the order of `copyKinds`. */
interface Judged {
  readonly copied: Int32Array
  readonly kept: Int32Array
}

/** A request that copied. Messages are given by index, -1 where nothing is gone. */
export interface CopyingRequest {
  readonly request: number
  /** Into which texts; null for all. */
  readonly kind: CopyKind | null
  /** In characters. */
  readonly copied: number
  readonly kept: number
  /** The message with the first copy of which something is gone, and the newest source of what is gone. */
  readonly message: number
  readonly source: number
}

/**
 * Copies, which of their anchors count (null for all), and how many characters each request copied of these, by kind.
 */
export interface CountedCopies {
  readonly copies: Copies
  readonly had: Uint8Array | null
  readonly characters: Int32Array
}

/** Whether at least a quarter of it is gone. */
export const isLost = ({ copied, kept }: Pick<CopyingRequest, 'copied' | 'kept'>): boolean =>
  (copied - kept) * 4 >= copied

/** @param had see `RecordedCopies` */
export function countedCopies(copies: Copies, had: Uint8Array | null): CountedCopies {
  const requests = copies.starts.length - 1
  const characters = new Int32Array(requests * copyKinds.length)
  for (let request = 0; request < requests; request++) {
    if (copies.starts[request] === copies.starts[request + 1]) continue
    characters.set(charactersOf(copies, request, had, null), request * copyKinds.length)
  }
  return { copies, had, characters }
}

/** @param isHeld whether an anchor of `copies` stands in the window; it is asked of those that count; null: all do */
function judgeCopies(
  { copies, had, characters }: CountedCopies,
  request: number,
  isHeld: ((nth: number) => boolean) | null,
): Judged {
  const copied = characters.subarray(request * copyKinds.length, (request + 1) * copyKinds.length)
  return { copied, kept: isHeld === null ? copied : charactersOf(copies, request, had, isHeld) }
}

const hasCopies = ({ copies: { starts } }: CountedCopies, request: number): boolean =>
  starts[request] !== starts[request + 1]

/** How many characters those anchors cover together that a request copied, that count, and that are held; by kind. */
function charactersOf(
  { starts, anchorStarts, at, kind }: Copies,
  request: number,
  had: Uint8Array | null,
  isHeld: ((nth: number) => boolean) | null,
): Int32Array {
  const sums = new Int32Array(copyKinds.length)
  for (let copy = starts[request] as number; copy < (starts[request + 1] as number); copy++) {
    let [kept, keptTo] = [0, -anchorLength]
    for (let nth = anchorStarts[copy] as number; nth < (anchorStarts[copy + 1] as number); nth++) {
      if (had?.[nth] === 0 || isHeld?.(nth) === false) continue
      const from = at[nth] as number
      kept += Math.min(anchorLength, from + anchorLength - keptTo)
      keptTo = from + anchorLength
    }
    sums[kind[copy] as number] = (sums[kind[copy] as number] as number) + kept
  }
  return sums
}

/** Counts requests by what they lost. */
class CopiedTally {
  readonly #all = { requests: 0, lost: 0, shares: 0 }
  readonly #byKind = ofEachKind(() => ({ requests: 0, lost: 0, shares: 0 }))

  /** What copied nothing is not counted. */
  add(judged: Judged): void {
    for (const { kind, copied, kept } of partsOf(judged)) {
      const counts = kind === null ? this.#all : this.#byKind[kind]
      counts.requests++
      counts.shares += Math.round(((copied - kept) / copied) * 1e6)
      if (isLost({ copied, kept })) counts.lost++
    }
  }

  get counts(): CopiedByKind {
    return { ...this.#all, byKind: ofEachKind((kind) => ({ ...this.#byKind[kind] })) }
  }
}

/** All together, and each kind of which anything was copied. */
function partsOf({ copied, kept }: Judged): Pick<CopyingRequest, 'kind' | 'copied' | 'kept'>[] {
  const sum = (values: Int32Array) => values.reduce((total, one) => total + one, 0)
  const kinds = copyKinds.map((kind, nth) => ({ kind, copied: copied[nth] as number, kept: kept[nth] as number }))
  return [{ kind: null, copied: sum(copied), kept: sum(kept) }, ...kinds].filter(({ copied }) => copied > 0)
}

/** By transcript: its copies, and what policies have written of them. */
const known = new WeakMap<
  ReferenceDigest,
  { readonly copies: Copies; readonly anchorsOf: (message: Message) => ReadonlySet<number> }
>()

/** @param trace complete, and read with the digest */
export const copiesOf = (trace: Trace, digest: ReferenceDigest): Copies => knownOf(trace, digest).copies

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

  /**
   * @returns whether an anchor stands in the window of the request that goes out before `message`, as the window is now
   */
  isHeldIn(presence: Presence, message: number): (nth: number) => boolean {
    const { place, anchor, occurrences } = this.#copies
    const { from } = presence
    // Neighbours mostly have one source, and mostly it stands there as it was.
    let source = -1
    let stands = false
    return (nth) => {
      const newest = place[nth] as number
      const one = occurrences.message[newest] as number
      if (one !== source) stands = presence.has(one) && presence.replacement(one) === null
      source = one
      return stands || !this.#held.isLost(presence, from, anchor[newest] as number, newest, message, 'older')
    }
  }
}

export class LostCopies implements Measure<CopiedByKind> {
  readonly #text: CountedCopies
  readonly #held: HeldCopies
  readonly #tally = new CopiedTally()
  readonly #told: ((one: CopyingRequest) => void) | null

  /** @param told called with each request that copied, in their order: with all of it, and with each kind */
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
    if (!hasCopies(this.#text, index)) return
    const isHeld = presence?.pruned ? this.#held.isHeldIn(presence, message) : null
    const judged = judgeCopies(this.#text, index, isHeld)
    this.#tally.add(judged)
    if (!this.#told) return
    for (const part of partsOf(judged))
      this.#told({ request: index, ...part, ...this.#placeOf(index, part.kind, isHeld) })
  }

  result(): CopiedByKind {
    return this.#tally.counts
  }

  #placeOf(
    request: number,
    kind: CopyKind | null,
    isHeld: ((nth: number) => boolean) | null,
  ): Pick<CopyingRequest, 'message' | 'source'> {
    const { copies, had } = this.#text
    let [message, source] = [-1, -1]
    if (isHeld === null) return { message, source }
    for (let copy = copies.starts[request] as number; copy < (copies.starts[request + 1] as number); copy++) {
      if (kind !== null && copyKinds[copies.kind[copy] as number] !== kind) continue
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
  /**
   * By anchor of the transcript's copies: 1 where it stood in the window, in a run that is long enough; null for all.
   */
  readonly had: Uint8Array | null
  readonly floor: CopiedByKind
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
    if (!hasCopies(this.#text, index)) return
    const had = this.#had
    let isAll = true
    const isIn = presence?.pruned ? this.#held.isHeldIn(presence, message) : null
    const isHeld = (nth: number): boolean => {
      if (isIn === null || isIn(nth)) return true
      had[nth] = 0
      isAll = false
      return false
    }
    this.#tally.add(judgeCopies(this.#text, index, isIn && isHeld))
    if (isAll) return
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
