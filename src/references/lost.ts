/**
 * Measures what a run's window would have lost: for each use, whether an earlier occurrence of the term is still inside
 * at its request. For a window that is a suffix, only the last occurrence has to be checked; with masks, gaps and kept
 * messages it is a walk back over the occurrences that are gone, which a run does not repeat.
 */

import type { Measure, Presence, Request } from '../measures/measure.ts'
import type { Message } from '../model/message.ts'
import { addLosses, namedClasses, type References, type TermClass, termClasses } from '../model/run.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import type { ReferenceDigest } from './digest.ts'
import { Held, type Reading, remembered } from './held.ts'
import { type Counts, none } from './losses.ts'
import type { Copy } from './reads.ts'
import { originOf, type Resolved, resolveReferences } from './resolve.ts'

/** A use that found what it uses gone, or not. Messages are given by index, -1 for none. */
export interface Loss {
  readonly termClass: TermClass
  /** For content: the target that it is from; null if it is not known. */
  readonly term: string | null
  readonly request: number
  readonly message: number
  /** The last message that mentions it, and the last that is a source of it. */
  readonly mention: number
  readonly source: number
  readonly mentionLost: boolean
  readonly sourceLost: boolean
}

export class LostReferences implements Measure<Omit<References, 'copied'>> {
  readonly #trace: Trace
  readonly #resolved: Resolved
  readonly #sizes: Sizes
  readonly #told: ((use: Loss) => void) | null
  readonly #every: boolean
  /** By class: the uses that found the last mention gone, or the last source. */
  readonly #mentionLost = new Int32Array(termClasses.length)
  readonly #sourceLost = new Int32Array(termClasses.length)
  /** Uses since the window was first edited. */
  readonly #warm = { total: 0, selfSourced: 0 }
  readonly #hit: Uint8Array
  readonly #rereads = { refresh: 0, redundant: 0, fault: 0 }
  readonly #heldTerms: Held
  readonly #heldPieces: Held
  #partlyLost = 0
  #known = 0
  #foretold = 0
  #faultUnits = 0
  #read = 0

  /**
   * @param told called with each loss, in the order of requests
   * @param which `every`: with each use, whether it is lost or not
   */
  constructor(
    trace: Trace,
    digest: ReferenceDigest,
    sizes: Sizes,
    told: ((use: Loss) => void) | null = null,
    which: 'lost' | 'every' = 'lost',
  ) {
    const resolved = resolveReferences(trace, digest)
    this.#trace = trace
    this.#resolved = resolved
    this.#sizes = sizes
    this.#told = told
    this.#every = which === 'every'
    this.#hit = new Uint8Array(resolved.exchanges.length)
    const termsOf = (message: Message) => {
      const { spellings } = resolved
      const ones = Array.from(digest.termsOf(message), (term) => spellings.one(term))
      return new Set([...ones, ...ones.flatMap((one) => [...spellings.folders(one)])])
    }
    const known = readings.get(resolved) ?? { terms: new WeakMap(), pieces: new WeakMap() }
    readings.set(resolved, known)
    this.#heldTerms = new Held(trace, resolved.occurrences, remembered(known.terms, termsOf))
    const piecesOf = (message: Message) => digest.piecesOf(message, resolved.pieces)
    this.#heldPieces = new Held(trace, resolved.content.occurrences, remembered(known.pieces, piecesOf))
  }

  request({ index, message, sent }: Request): void {
    const { presence } = sent
    // Until a policy has edited it, a window holds everything that was ever said.
    if (presence?.pruned) this.#judge(index, presence)
    else if (this.#every) this.#judge(index, null)
    this.#judgeReads(index, message, presence)
  }

  result(): Omit<References, 'copied'> {
    const classes = this.#resolved.counts.map(
      (counts, at): Counts => ({
        ...counts,
        mentionLost: this.#mentionLost[at] as number,
        sourceLost: this.#sourceLost[at] as number,
      }),
    )
    const byClass = Object.fromEntries(termClasses.map((name, at) => [name, { ...classes[at] }])) as Record<
      TermClass,
      Counts
    >
    const all = classes.reduce(sumOf, none())
    const faultTokens = this.#faultUnits === 0 ? 0 : this.#sizes.tokens(this.#faultUnits)
    return {
      ...addLosses([all]),
      byClass,
      exchangesHit: this.#hit.reduce((sum, hit) => sum + hit, 0),
      partlyLost: this.#partlyLost,
      rereads: { ...this.#rereads, faultTokens, known: this.#known, foretold: this.#foretold },
      headline: addLosses([byClass.content]),
      named: addLosses(termClasses.filter((name) => namedClasses.has(name)).map((name) => byClass[name])),
      // Nothing is lost before the first edit, so every loss is a warm one.
      warm: addLosses([{ ...all, ...this.#warm }]),
    }
  }

  /** @param presence null: nothing is lost */
  #judge(request: number, presence: Presence | null): void {
    const { uses, content } = this.#resolved
    const from = presence?.from ?? 0
    const to = uses.starts[request + 1] as number
    for (let use = uses.starts[request] as number; use < to; use++) this.#judgeTerm(use, request, presence, from)
    const end = content.uses.starts[request + 1] as number
    for (let use = content.uses.starts[request] as number; use < end; use++)
      this.#judgeContent(use, request, presence, from)
  }

  #judgeTerm(use: number, request: number, presence: Presence | null, from: number): void {
    const { uses, digest, occurrences } = this.#resolved
    const term = uses.term[use] as number
    const message = uses.message[use] as number
    const mention = uses.mention[use] as number
    const source = uses.source[use] as number
    const termClass = digest.classes[term] as number
    let [mentionLost, sourceLost] = [false, false]
    if (presence) {
      mentionLost = this.#heldTerms.isLost(presence, from, term, mention, message, 'older')
      sourceLost = source >= 0 && this.#heldTerms.isLost(presence, from, term, source, message, 'olderSource')
      this.#warm.total++
      if (source < 0) this.#warm.selfSourced++
      if (mentionLost || sourceLost) this.#count(termClass, message, mentionLost, sourceLost)
    }
    if (!this.#told || !(this.#every || mentionLost || sourceLost)) return
    this.#told({
      termClass: termClasses[termClass] as TermClass,
      term: this.#trace.redaction.text(digest.keys[term] as string),
      request,
      message,
      mention: occurrences.message[mention] as number,
      source: source < 0 ? -1 : (occurrences.message[source] as number),
      mentionLost,
      sourceLost,
    })
  }

  #judgeContent(use: number, request: number, presence: Presence | null, from: number): void {
    const { digest, content } = this.#resolved
    const { uses } = content
    const message = uses.message[use] as number
    let isLost = false
    if (presence) {
      const held = this.#heldOf(use, message, presence, from)
      if (held === 'some') this.#partlyLost++
      isLost = held === 'none'
      this.#warm.total++
      if (isLost) this.#count(contentClass, message, true, true)
    }
    if (!this.#told || !(this.#every || isLost)) return
    const target = uses.target[use] as number
    const newest = uses.newest[use] as number
    const term = target < 0 ? originOf(this.#trace, this.#resolved, newest) : (digest.targets[target] as string)
    this.#told({
      termClass: 'content',
      term: term === null ? null : this.#trace.redaction.text(term),
      request,
      message,
      mention: newest,
      source: newest,
      mentionLost: isLost,
      sourceLost: isLost,
    })
  }

  /** Whether all, some or none of the pieces of a use are inside. */
  #heldOf(use: number, message: number, presence: Presence, from: number): 'all' | 'some' | 'none' {
    const { uses, piece } = this.#resolved.content
    let [held, gone] = [false, false]
    const end = uses.pieceStarts[use + 1] as number
    for (let at = uses.pieceStarts[use] as number; at < end; at++) {
      const place = uses.places[at] as number
      if (this.#heldPieces.isLost(presence, from, piece[place] as number, place, message, 'older')) gone = true
      else held = true
      if (held && gone) return 'some'
    }
    return held ? 'all' : 'none'
  }

  #count(termClass: number, message: number, mentionLost: boolean, sourceLost: boolean): void {
    if (mentionLost) this.#mentionLost[termClass]!++
    if (sourceLost) this.#sourceLost[termClass]!++
    const exchange = this.#resolved.exchanges.holding(message)
    if (exchange >= 0) this.#hit[exchange] = 1
  }

  #judgeReads(request: number, answer: number, presence: Presence | null): void {
    const { reads } = this.#resolved
    for (; reads[this.#read]?.request === request; this.#read++) {
      const { result, again, known } = reads[this.#read] as (typeof reads)[number]
      this.#known += known.length
      for (const copy of known) if (!hasCopy(presence, copy, answer)) this.#foretold++
      if (again === null) continue
      if (again.changed) this.#rereads.refresh++
      else if (hasCopy(presence, again.copy, answer)) this.#rereads.redundant++
      else {
        this.#rereads.fault++
        this.#faultUnits += this.#sizes.of(result)
      }
    }
  }
}

/** A policy that puts a file of the transcript back after each cut, at each of many budgets, has it read only once. */
const readings = new WeakMap<Resolved, { readonly terms: Reading; readonly pieces: Reading }>()

const contentClass = termClasses.indexOf('content')

const sumOf = (sum: Counts, counts: Counts): Counts => ({
  total: sum.total + counts.total,
  mentionLost: sum.mentionLost + counts.mentionLost,
  sourceLost: sum.sourceLost + counts.sourceLost,
  selfSourced: sum.selfSourced + counts.selfSourced,
})

/**
 * Whether a copy is inside. A copy after the response was requested at the same time, so the window is not to blame.
 */
function hasCopy(presence: Presence | null, copies: Copy | null, answer: number): boolean {
  if (presence === null) return true
  for (let copy = copies; copy; copy = copy.older) {
    if (copy.message > answer) return true
    if (copy.message < presence.from) return false
    if (presence.has(copy.message) && presence.replacement(copy.message) === null) return true
  }
  return false
}
