/**
 * Finds the uses that are re-references and the fetches that are re-reads: everything about them that does not depend
 * on the window, computed once when the transcript is complete. A run only has to check whether a message is inside.
 */

import { Column } from '../base/column.ts'
import { once } from '../base/once.ts'
import { Exchanges } from '../model/exchanges.ts'
import { type LossCounts, termClasses } from '../model/run.ts'
import type { Trace } from '../model/trace.ts'
import type { Pieces } from './content/content-digest.ts'
import { piecesOf, type ResolvedContent, resolveContent } from './content/content-uses.ts'
import type { ReferenceDigest } from './digest.ts'
import { type Counts, none as noLosses } from './losses.ts'
import type { Occurrences } from './occurrences.ts'
import { type Read, resolveReads } from './reads.ts'
import { aliasesOf } from './terms/aliases.ts'

/** Uses of terms that occurred before, in the order of requests, each term once per request. */
export interface Uses {
  readonly count: number
  readonly term: Int32Array
  /** The message that uses it. */
  readonly message: Int32Array
  /** The last earlier occurrence, and the last earlier one that is a source, as indices of occurrences; -1 for none. */
  readonly mention: Int32Array
  readonly source: Int32Array
  /** Where the uses of request r begin; one entry more than there are requests. */
  readonly starts: Uint32Array
}

/** What takes long to find out, as plain data. */
interface Found {
  readonly uses: Uses
  readonly occurrences: Occurrences
  readonly content: ResolvedContent
  /** By class: how many uses there are. None is lost yet. */
  readonly counts: readonly LossCounts[]
  /** By target: the first target that is another spelling of it, or itself. */
  readonly spelled: Int32Array
}

export interface Resolved extends Omit<Found, 'spelled'> {
  readonly digest: ReferenceDigest
  readonly exchanges: Exchanges
  readonly spellings: Spellings
  /** The numbers of the pieces of content. */
  readonly pieces: Pieces
  readonly reads: readonly Read[]
}

const resolved = new WeakMap<ReferenceDigest, Resolved>()

/** @param trace complete, and read with the digest */
export function resolveReferences(trace: Trace, digest: ReferenceDigest): Resolved {
  let found = resolved.get(digest)
  if (!found) {
    // A run that takes what an earlier one has found asks for these only where a policy writes text of its own.
    const spellings = once(() => new Spellings(digest))
    const pieces = once(() => piecesOf(digest))
    const { spelled, ...plain } = trace.memo('references', () => findUses(trace, digest, spellings(), pieces()))
    found = {
      ...plain,
      digest,
      exchanges: new Exchanges(trace),
      reads: resolveReads(trace, digest, (target) => spelled[target] as number),
      get spellings() {
        return spellings()
      },
      get pieces() {
        return pieces()
      },
    }
    resolved.set(digest, found)
  }
  return found
}

/** The uses of request `from` and later ones alone, where that is all that is asked: in half of the time. */
export function usesFrom(
  trace: Trace,
  digest: ReferenceDigest,
  from: number,
): Pick<Resolved, 'uses' | 'occurrences' | 'content'> {
  const content = resolveContent(trace, digest, piecesOf(digest, messageOf(trace, from)), from)
  return { ...resolveTerms(trace, digest, new Spellings(digest), from), content }
}

/** Where request `from` is answered, or the transcript ends. */
const messageOf = (trace: Trace, from: number): number => (from < trace.requests ? trace.requestAt(from) : trace.length)

function findUses(trace: Trace, digest: ReferenceDigest, spellings: Spellings, pieces: Pieces): Found {
  const terms = resolveTerms(trace, digest, spellings)
  const content = resolveContent(trace, digest, pieces)
  const firsts = new Map<string, number>()
  const spelled = Int32Array.from(digest.targets, (_, target) => {
    const key = targetKey(digest, spellings, target)
    const first = firsts.get(key) ?? target
    firsts.set(key, first)
    return first
  })
  return { ...terms, content, counts: countsOf(digest, terms.uses, content), spelled }
}

function countsOf(digest: ReferenceDigest, uses: Uses, content: ResolvedContent): LossCounts[] {
  const counts = termClasses.map(noLosses)
  const { classes } = digest
  for (let use = 0; use < uses.count; use++) {
    const own = counts[classes[uses.term[use] as number] as number] as Counts
    own.total++
    if ((uses.source[use] as number) < 0) own.selfSourced++
  }
  ;(counts[termClasses.indexOf('content')] as Counts).total += content.uses.count
  return counts
}

/**
 * Where the message's text is from: the key of what its call (made or answered) reads or writes; null if there is none.
 */
export function originOf(trace: Trace, { digest, spellings }: Resolved, message: number): string | null {
  const first = trace.call(message)
  const calls = trace.role(message) === 'assistant' ? trace.callCount(message) : first < 0 ? 0 : 1
  for (let call = first; call < first + calls; call++) {
    for (const target of digest.targetsOfCall(call)) return targetKey(digest, spellings, target)
  }
  return null
}

/** The key of a target, the same for all its spellings. */
function targetKey(digest: ReferenceDigest, spellings: Spellings, target: number): string {
  const key = digest.targets[target] as string
  const term = digest.idOf('path', key)
  return term < 0 ? key : (digest.keys[spellings.one(term)] as string)
}

const none: readonly number[] = []

/** Which terms of a transcript are spellings of the same path, and which folders a path mentions. */
export class Spellings {
  readonly #ones: Int32Array
  readonly #folders = new Map<number, Set<number>>()

  constructor(digest: ReferenceDigest) {
    const path = termClasses.indexOf('path')
    const { classes } = digest
    this.#ones = Int32Array.from(digest.keys, (_, term) => term)
    // Messages that were taken back may have left terms that no other message has.
    const occurs = new Uint8Array(digest.keys.length)
    for (let at = 0; at < digest.occurrences.length; at++) occurs[digest.occurrences.at(at)] = 1
    const paths = this.#ones.filter((term) => classes[term] === path && occurs[term] === 1)
    const roots = aliasesOf(Array.from(paths, (term) => digest.keys[term] as string))
    for (const [at, term] of paths.entries()) this.#ones[term] = paths[roots[at] as number] as number
    for (const term of paths) {
      for (const folder of digest.foldersOf(digest.keys[term] as string)) {
        this.#addFolder(this.one(term), this.one(folder))
      }
    }
  }

  /** The term of which it is another spelling; itself unless it is a path. */
  one(term: number): number {
    return this.#ones[term] as number
  }

  /** The folders of a path that are terms as well: mentioning the path mentions them. */
  folders(one: number): Iterable<number> {
    return this.#folders.get(one) ?? none
  }

  #addFolder(path: number, folder: number): void {
    const folders = this.#folders.get(path) ?? new Set()
    this.#folders.set(path, folders.add(folder))
  }
}

/** @param from the first request whose uses are wanted */
function resolveTerms(
  trace: Trace,
  digest: ReferenceDigest,
  spellings: Spellings,
  from = 0,
): { uses: Uses; occurrences: Occurrences } {
  const ignored = ordinaryTerms(trace, digest, spellings)
  const said = { message: Column.int32(), older: Column.int32(), olderSource: Column.int32() }
  const count = digest.keys.length
  const heeded = from > 0 ? heededFrom(digest, spellings, messageOf(trace, from)) : null
  const last = new Int32Array(count).fill(-1)
  const lastSource = new Int32Array(count).fill(-1)
  const usedAt = new Int32Array(count).fill(-1)
  const uses = { term: Column.int32(), message: Column.int32(), mention: Column.int32(), source: Column.int32() }
  const starts = new Uint32Array(trace.requests + 1)
  let request = -1

  const use = (term: number, message: number, horizon: number): void => {
    if (ignored[term] || usedAt[term] === request) return
    const mention = before(last[term] as number, said.older, said.message, horizon)
    if (mention < 0) return
    usedAt[term] = request
    uses.term.push(term)
    uses.message.push(message)
    uses.mention.push(mention)
    uses.source.push(before(lastSource[term] as number, said.olderSource, said.message, horizon))
  }
  const say = (one: number, message: number): void => {
    const place = last[one] as number
    if (place >= 0 && said.message.at(place) === message) return
    said.message.push(message)
    said.older.push(place)
    said.olderSource.push(lastSource[one] as number)
    last[one] = said.message.length - 1
    if (trace.role(message) !== 'assistant') lastSource[one] = last[one] as number
  }
  const sayAll = (term: number, message: number): void => {
    if (heeded?.[term] === 0) return
    const one = spellings.one(term)
    say(one, message)
    for (const folder of spellings.folders(one)) say(folder, message)
  }

  const known: number[][] = []
  const termsOfTarget = (target: number): readonly number[] => {
    known[target] ??= digest.idsOf(digest.targets[target] as string)
    return known[target]
  }

  for (let index = 0; index < trace.length; index++) {
    if (trace.isReset(index)) {
      last.fill(-1)
      lastSource.fill(-1)
    }
    if (trace.isResponse(index)) starts[++request] = uses.term.length
    const [start, end] = [digest.start(index), digest.start(index + 1)]
    if (trace.role(index) === 'assistant' && request >= from) {
      // Earlier messages of the same response were not part of the request.
      const horizon = trace.requestAt(request)
      for (let at = start; at < end; at++) use(spellings.one(digest.occurrences.at(at)), index, horizon)
    }
    for (let at = start; at < end; at++) sayAll(digest.occurrences.at(at), index)
    // A result mentions its call's targets even if its text does not.
    const call = trace.role(index) === 'tool' ? trace.call(index) : -1
    if (call < 0) continue
    for (const target of digest.targetsOfCall(call)) for (const term of termsOfTarget(target)) sayAll(term, index)
  }
  starts.fill(uses.term.length, request + 1)
  return {
    uses: {
      count: uses.term.length,
      term: uses.term.values(),
      message: uses.message.values(),
      mention: uses.mention.values(),
      source: uses.source.values(),
      starts,
    },
    occurrences: { message: said.message.values(), older: said.older.values(), olderSource: said.olderSource.values() },
  }
}

/** By term: whether a message from `start` on has it in any spelling, or has one of its folders. */
function heededFrom(digest: ReferenceDigest, spellings: Spellings, start: number): Uint8Array {
  const used = new Uint8Array(digest.keys.length)
  for (let at = digest.start(start); at < digest.occurrences.length; at++) {
    used[spellings.one(digest.occurrences.at(at))] = 1
  }
  return used.map((_, term) => {
    const one = spellings.one(term)
    if (used[one] === 1) return 1
    for (const folder of spellings.folders(one)) if (used[folder] === 1) return 1
    return 0
  })
}

/** The newest occurrence of the chain before message `horizon`. */
function before(place: number, older: Ints, message: Ints, horizon: number): number {
  let at = place
  while (at >= 0 && message.at(at) >= horizon) at = older.at(at)
  return at
}

type Ints = Column<Int32Array>

/** Terms that every request contains (system prompt, tool names), and that therefore refer to nothing. */
function ordinaryTerms(trace: Trace, digest: ReferenceDigest, spellings: Spellings): Uint8Array {
  const ignored = new Uint8Array(digest.keys.length)
  digest.nameTools(trace)
  for (const name of digest.names) for (const term of digest.idsOf(name)) ignored[spellings.one(term)] = 1
  for (const message of trace.preamble.system)
    for (const term of digest.termsOf(message)) ignored[spellings.one(term)] = 1
  return ignored
}
