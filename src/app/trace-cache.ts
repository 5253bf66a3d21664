/**
 * What an earlier run has read of a file, so that a run with another policy, another budget or another command does not read
 * it again: its traces as plain data, and the report on the file.
 */
import { deserialize, serialize } from 'node:v8'
import { estimators } from '../estimators/index.ts'
import { type Findings, keepFindings } from '../model/findings.ts'
import { type DigestKind, type PlainTrace, Trace } from '../model/trace.ts'
import type { Source } from '../readers/lines/source.ts'
import { type FileReport, type ReadOptions, readTranscripts } from '../readers/read.ts'
import { nativeCounters, type Plan } from '../simulator/plan.ts'

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
}

export interface Kept {
  readonly parts: Iterable<Uint8Array>
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
 * @throws CtxwinError as `readTranscripts`
 */
export async function readThrough(
  source: Source,
  how: Way,
  traces: TraceCache | null,
  done: (trace: Trace) => void,
): Promise<FileReport> {
  const { digest, options } = how
  const way = traces && wordsOfWay(how)
  if (!traces || !way) return readTranscripts(source, options, done)
  const kept = traces.find(source, way)
  if (kept) return handOver(kept, digest, done)
  const draft = traces.draft(source, way)
  if (!draft) return readTranscripts(source, options, done)
  try {
    let isWhole = true
    const report = await readTranscripts(draft.source, options, (trace) => {
      const plain = trace.plain()
      isWhole &&= isShallow(plain)
      if (!isWhole) return done(trace)
      draft.add(serialize(plain))
      const findings: Findings = new Map()
      keepFindings(trace, findings)
      done(trace)
      draft.add(serialize(findings))
    })
    draft.add(serialize(report))
    if (isWhole) draft.complete()
    return report
  } finally {
    draft.discard()
  }
}

/**
 * Hands over the traces of an entry, which are followed by their findings; the report is its last part. Where this run finds
 * out more, all is kept once more with that.
 */
function handOver(kept: Kept, digest: DigestKind, done: (trace: Trace) => void): FileReport {
  let draft: TraceDraft | null = null
  try {
    let [count, last]: [number, Uint8Array | null] = [0, null]
    for (const part of kept.parts) {
      if (last === null) {
        last = part
        continue
      }
      const findings = deserialize(part) as Findings
      const known = findings.size
      const trace = Trace.of(deserialize(last) as PlainTrace, digest)
      keepFindings(trace, findings)
      done(trace)
      const isMore = findings.size > known && findings.size <= most
      if (isMore && draft === null) {
        draft = kept.redraft()
        for (const before of first(kept.parts, draft ? count : 0)) draft?.add(before)
      }
      draft?.add(last)
      draft?.add(isMore ? serialize(findings) : part)
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

/** Of a transcript: who tries a hundred prices need not have them all found. */
const most = 100

function* first<Item>(items: Iterable<Item>, count: number): Generator<Item> {
  let left = count
  for (const item of items) {
    if (left-- <= 0) return
    yield item
  }
}

/**
 * How a source is read: everything that changes what a trace or a report holds, besides the bytes of the source, its name
 * and the program itself. Null where that cannot be named: the text of messages is wanted, or code of the user's own reads
 * or counts; what `--measure native` counts belongs to the policies.
 */
export function wordsOfWay({ plan, digest, options }: Way): string | null {
  const { format, column, branches, largestUnpacked, keepMessages } = options
  const isOurs = plan.estimators.every(({ plugin }) => estimators.all.includes(plugin))
  if (keepMessages || typeof format !== 'string' || !isOurs || nativeCounters(plan).length > 0) return null
  return JSON.stringify({
    format,
    column,
    branches,
    largestUnpacked,
    estimators: plan.estimators.map(({ plugin: { name, version }, values }) => ({ name, version, values })),
    model: plan.model ?? null,
    provider: plan.provider ?? null,
    digest: digest.name,
  })
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
