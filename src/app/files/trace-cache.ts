/**
 * What an earlier run has read of a file, so that a run with another policy, another budget or another command does not read
 * it again: its traces as plain data, and the report on the file.
 */
import { deserialize, serialize } from 'node:v8'
import { keyOf } from '../../base/key.ts'
import { isSystemError } from '../../base/system-errors.ts'
import { estimators } from '../../estimators/index.ts'
import { agentCalls } from '../../measures/agent-calls.ts'
import type { Memos } from '../../model/memos.ts'
import { type DigestKind, noDigest, type PlainTrace, Trace } from '../../model/trace.ts'
import { type Checkpoint, isContinued, readGrowing, worthCheckpoint } from '../../readers/growing.ts'
import type { Source } from '../../readers/lines/source.ts'
import { type FileReport, type ReadOptions, readTranscripts } from '../../readers/read.ts'
import { references, referencesWithoutCopies } from '../../references/digest.ts'
import { nativeCounters, type Plan } from '../plan.ts'

/**
 * Keeps parts of bytes for files, as long as these do not change. A part may be lost at any time, but what is found is what
 * was kept. None of the methods throws: a run without it comes to the same result.
 */
export interface TraceCache {
  /**
   * The parts that were kept of a source that has not changed since; null where there are none.
   * @param way how it is read: whatever changes what is read has to change this
   */
  find(source: Source, way: string): Kept | null
  /** Whether there seem to be parts of a source, as far as can be told without a look at them. */
  has(source: Source, way: string): boolean
  /** Begins to keep a source that is read anew; null where it could not be told from another later. */
  draft(source: Source, way: string): TraceDraft | null
  /** Where the reading of a source stopped that may be appended to; null for one that has been at rest, or is small. */
  checkpointOf(source: Source, way: string): KeptCheckpoint | null
}

/** The one checkpoint that is kept of a source. */
export interface KeptCheckpoint {
  find(): Uint8Array | null
  keep(checkpoint: Uint8Array): void
}

export interface Kept {
  readonly parts: Iterable<Uint8Array>
  /** Whether the source is still what it was. */
  isCurrent(): boolean
  /** Begins to keep other parts in their place; null where no more can be kept. */
  redraft(): TraceDraft | null
}

export interface TraceDraft {
  /** The source to be read: what lies beside it and is looked at is noted. */
  readonly source: Source
  add(part: Uint8Array): void
  /** All of the source is read. Keeps the parts, unless something has changed meanwhile. */
  complete(): void
  /** Leaves nothing, unless it is complete. */
  discard(): void
}

/** How a source is read for a plan. */
export interface Way {
  readonly plan: Plan
  readonly digest: DigestKind
  readonly options: ReadOptions
}

/**
 * Reads a source, or hands over what is kept of it.
 * @param needsText of each trace that is kept, in their order: whether `done` asks for its text, where the text is to be read
 * @throws CtxwinError as `readTranscripts`
 */
export async function readThrough(
  source: Source,
  how: Way,
  traces: TraceCache | null,
  done: (trace: Trace) => void,
  needsText: (trace: Trace) => boolean,
): Promise<FileReport> {
  const { options } = how
  const way = keyOfWay(how)
  if (!traces || way === null) return readTranscripts(source, options, done)
  const kept = keptOf(source, how, traces)
  if (kept) return handOver(source, kept, how, done, options.keepMessages ? needsText : () => false)
  const checkpoint = options.keepMessages ? null : traces.checkpointOf(source, way)
  const draft = traces.draft(source, way)
  if (!draft) return readOn(source, options, checkpoint, done)
  const less = checkpoint === null ? lessOf(source, how, traces) : null
  if (less) return handOverMore(source, less, how, done, draft)
  try {
    let isWhole = true
    const report = await readOn(draft.source, options, checkpoint, (trace) => {
      const plain = trace.plain()
      isWhole &&= isShallow(plain)
      if (isWhole) keepTrace(trace, plain, draft, done)
      else done(trace)
    })
    draft.add(serialize(report))
    if (isWhole) draft.complete()
    return report
  } finally {
    draft.discard()
  }
}

/** What is found out of the trace while it is handed over is kept with it. */
function keepTrace(trace: Trace, plain: PlainTrace, draft: TraceDraft, done: (trace: Trace) => void): void {
  draft.add(serialize(plain))
  const memos: Memos = new Map()
  trace.keep(memos)
  done(trace)
  draft.add(serialize(memos))
}

/** Reads what was appended since the checkpoint, if all before it is still the same; else everything. */
async function readOn(
  source: Source,
  options: ReadOptions,
  kept: KeptCheckpoint | null,
  done: (trace: Trace) => void,
): Promise<FileReport> {
  const { path } = source
  if (kept === null || path === undefined) return readTranscripts(source, options, done)
  let given = 0
  const give = (trace: Trace): void => {
    given++
    done(trace)
  }
  try {
    const last = checkpointIn(kept.find())
    const from = last && isContinued(path, last) ? last : null
    const grown = await readGrowing(
      { ...source, path },
      { ...options, torn: 'read', fewest: worthCheckpoint },
      from,
      give,
    )
    if (grown?.checkpoint && grown.checkpoint !== from) kept.keep(serialize(grown.checkpoint))
    if (grown) return grown.report
  } catch (error) {
    // The ordinary way of reading reports this in words for people.
    if (!isSystemError(error)) throw error
  }
  return readRest(source, options, given, done)
}

function checkpointIn(bytes: Uint8Array | null): Checkpoint | null {
  try {
    return bytes && (deserialize(bytes) as Checkpoint)
  } catch {
    return null
  }
}

/** Whether each transcript of a source is kept, and `knows` says so of it. */
export function isKnown(source: Source, how: Way, traces: TraceCache, knows: (trace: Trace) => boolean): boolean {
  const kept = keptOf(source, how, traces)
  return (
    kept !== null && [...entriesOf({ ...kept, redraft: () => null })].every((one) => knows(kept.revived(one, null)))
  )
}

/** What is kept of a source, with what is wanted of it. */
interface KeptMore extends Kept {
  revived(kept: KeptTrace, messages: Trace['messages']): Trace
}

/** What was kept in the way that is wanted, or in one that leaves more. */
function keptOf(source: Source, how: Way, traces: TraceCache): KeptMore | null {
  for (const { way, partOf } of waysOf(how)) {
    const kept = traces.find(source, way)
    if (kept)
      return { ...kept, revived: (one, messages) => revived(one, how.digest, messages, partOf(one.plain.digest)) }
  }
  return null
}

/** What was kept in a way that leaves less of the text, and all else that is wanted. */
function lessOf(source: Source, how: Way, traces: TraceCache): Kept | null {
  for (let { lighter } = how.digest; lighter; { lighter } = lighter.kind) {
    const kept = traces.find(source, keyOfWay({ ...how, digest: lighter.kind }) as string)
    if (kept) return kept
  }
  return null
}

/** Hands over what is kept, and the report; from the first trace on whose text is needed, all with their text. */
async function handOver(
  source: Source,
  kept: KeptMore,
  how: Way,
  done: (trace: Trace) => void,
  needsText: (trace: Trace) => boolean,
): Promise<FileReport> {
  const entries = entriesOf(kept)
  try {
    for (let given = 0; ; given++) {
      const next = entries.next()
      if (next.done) return next.value
      const trace = kept.revived(next.value, null)
      if (needsText(trace)) return await handOverWithText(source, kept, how, done, entries, { given, next: next.value })
      done(trace)
    }
  } finally {
    entries.return(null as never)
  }
}

/**
 * Hands over what is kept together with the messages' text, which is never kept: the source is read again for that alone, and
 * nothing of it is measured. A source that changes meanwhile is measured from there on.
 * @param from how many traces have been handed over, and the one that comes next
 */
async function handOverWithText(
  source: Source,
  kept: KeptMore,
  { options }: Way,
  done: (trace: Trace) => void,
  entries: ReturnType<typeof entriesOf>,
  from: { readonly given: number; readonly next: KeptTrace },
): Promise<FileReport> {
  let [count, met] = [from.given, 0]
  try {
    return await readTranscripts(source, { ...options, sizersFor: () => [], digestFor: () => null }, (bare) => {
      if (met++ < from.given) return
      const next = count === from.given ? { done: false as const, value: from.next } : entries.next()
      if (next.done || !kept.isCurrent()) throw new Changed()
      done(kept.revived(next.value, bare.messages))
      count++
    })
  } catch (error) {
    if (!(error instanceof Changed)) throw error
  } finally {
    // The report on the file stands behind the last trace.
    if (kept.isCurrent()) entries.next()
  }
  return readRest(source, options, count, done)
}

/** Hands over what is kept with more of the text than was: the source is read again for that, and no message is sized. */
async function handOverMore(
  source: Source,
  less: Kept,
  { digest, options }: Way,
  done: (trace: Trace) => void,
  draft: TraceDraft,
): Promise<FileReport> {
  const entries = entriesOf({ ...less, redraft: () => null })
  let count = 0
  try {
    const report = await readTranscripts(draft.source, { ...options, sizersFor: () => [] }, (bare) => {
      const next = entries.next()
      if (next.done || !less.isCurrent()) throw new Changed()
      const plain = { ...next.value.plain, digest: bare.plain().digest }
      keepTrace(Trace.of(plain, digest, bare.messages), plain, draft, done)
      count++
    })
    draft.add(serialize(report))
    draft.complete()
    return report
  } catch (error) {
    if (!(error instanceof Changed)) throw error
  } finally {
    draft.discard()
    entries.return(null as never)
  }
  return readRest(source, options, count, done)
}

/** Reads a source anew. @param given how many of its traces were handed over before */
function readRest(
  source: Source,
  options: ReadOptions,
  given: number,
  done: (trace: Trace) => void,
): Promise<FileReport> {
  let met = 0
  return readTranscripts(source, options, (trace) => {
    if (met++ >= given) done(trace)
  })
}

/** The source is not any more what was kept of it. */
class Changed extends Error {}

function revived({ plain, memos }: KeptTrace, kind: DigestKind, messages: Trace['messages'], digest: unknown): Trace {
  const trace = Trace.of({ ...plain, digest }, kind, messages)
  trace.keep(memos)
  return trace
}

interface KeptTrace {
  readonly plain: PlainTrace
  readonly memos: Memos
}

/**
 * The traces of an entry, which are followed by their memos; the report is its last part. Where this run finds out more
 * of a trace before it asks for the next one, all is kept once more with that.
 */
function* entriesOf({ parts, redraft }: Kept): Generator<KeptTrace, FileReport> {
  let draft: TraceDraft | null = null
  try {
    let [count, last]: [number, Uint8Array | null] = [0, null]
    for (const part of parts) {
      if (last === null) {
        last = part
        continue
      }
      const memos = deserialize(part) as Memos
      const known = memos.size
      yield { plain: deserialize(last) as PlainTrace, memos }
      const isMore = memos.size > known && memos.size <= most
      if (isMore && draft === null) {
        draft = redraft()
        for (const before of first(parts, draft ? count : 0)) draft?.add(before)
      }
      draft?.add(last)
      draft?.add(isMore ? serialize(memos) : part)
      count += 2
      last = null
    }
    const report = last as Uint8Array | null
    draft?.add(report as Uint8Array)
    draft?.complete()
    return deserialize(report as Uint8Array) as FileReport
  } finally {
    draft?.discard()
  }
}

/** Of a transcript: who tries a hundred prices, or tunes for an hour, need not have all of it found. */
const most = 2000

function* first<Item>(items: Iterable<Item>, count: number): Generator<Item> {
  let left = count
  for (const item of items) {
    if (left-- <= 0) return
    yield item
  }
}

/**
 * The key of how a source is read: of everything that changes what a trace or a report holds, besides the bytes of the source,
 * its name and the program itself. Null where there is none: code of the user's own reads or counts, and what
 * `--measure native` counts belongs to the policies. And where nothing but the text is wanted.
 */
export function keyOfWay({ plan, digest, options }: Way): string | null {
  const { keepMessages, ...read } = options
  const isOurs = plan.estimators.every(({ plugin }) => estimators.all.includes(plugin))
  if (typeof read.format !== 'string' || !isOurs || nativeCounters(plan).length > 0) return null
  if (keepMessages && plan.estimators.length === 0) return null
  return keyOf({
    ...read,
    estimators: plan.estimators.map(({ plugin: { name, version }, values }) => ({ name, version, values })),
    model: plan.model ?? null,
    provider: plan.provider ?? null,
    digest: digest.name,
  })
}

/** A way of reading that leaves all that is wanted of a source's text, and more. */
interface RicherWay {
  readonly way: string
  /** What is wanted, out of what the digest of that way was as plain data. */
  partOf(plain: unknown): unknown
}

/** Of those that are kept beside each other, the one with least first. */
const kinds: readonly DigestKind[] = [noDigest, agentCalls, referencesWithoutCopies, references]

/** The ways of reading that leave all that is wanted, the one without anything else first; none where none can be named. */
export function waysOf(how: Way): RicherWay[] {
  const itself = { kind: how.digest, partOf: (plain: unknown) => plain }
  const richer = kinds.flatMap((kind) => {
    const partOf = kind === how.digest ? null : partOfKind(kind, how.digest)
    return partOf === null ? [] : [{ kind, partOf }]
  })
  return [itself, ...richer].flatMap(({ kind, partOf }) => {
    const way = keyOfWay({ ...how, digest: kind })
    return way === null ? [] : [{ way, partOf }]
  })
}

/** How a digest's plain data has that of another kind; null where it does not. */
function partOfKind({ lighter }: DigestKind, wanted: DigestKind): ((plain: unknown) => unknown) | null {
  if (!lighter) return null
  if (lighter.kind === wanted) return lighter.partOf
  const inner = partOfKind(lighter.kind, wanted)
  return inner && ((plain) => inner(lighter.partOf(plain)))
}

/** In levels: far below what the engine can write, and read back on a stack that is half full. */
const deepest = 200

/** Whether what stands in a trace as it was recorded (system prompt, tools, summaries) nests no deeper than can be kept. */
function isShallow({ preamble, compactions, clearings }: PlainTrace): boolean {
  const left: [value: unknown, depth: number][] = [[[preamble, compactions, clearings], 0]]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [value, depth] = next
    if (typeof value !== 'object' || value === null) continue
    if (depth > deepest) return false
    const inner = value instanceof Map ? value.values() : Object.values(value)
    for (const one of inner) left.push([one, depth + 1])
  }
  return true
}
