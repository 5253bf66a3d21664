/**
 * Reads many files one after the other, and hands over their transcripts, measured as a plan needs them. A response that
 * two of the files have counts in the first; a file counts whole or not at all.
 */
import { door } from '../../base/door.ts'
import { CtxwinError } from '../../base/errors.ts'
import { method, optional } from '../../base/plain-shape.ts'
import type { Redaction } from '../../model/redaction.ts'
import type { By, Diagnostic } from '../../model/run.ts'
import type { DigestKind, Trace } from '../../model/trace.ts'
import { readers } from '../../readers/index.ts'
import type { Source } from '../../readers/lines/source.ts'
import { damageOf, type FileReport, wordsOf } from '../../readers/read.ts'
import type { Reader } from '../../readers/reader.ts'
import { digestFor, needsMessages, ofItsSizes, type Plan, restOn, restsOn, sizersFor } from '../plan.ts'
import { canReadAgain, type OtherSessions, otherSessions, restsOnOthers, toldOf } from './other-sessions.ts'
import { keysOf, Responses } from './responses.ts'
import { isKnown, readThrough, type TraceCache, type Way, waysOf } from './trace-cache.ts'

export interface ReadSettings {
  /** A reader or the name of one; `auto`, the default, tells it by the first records of each file. */
  readonly format?: string | Reader
  /** In bytes, default 4 GB: a compressed file that unpacks to more is refused. */
  readonly largestUnpacked?: number
  /** The column of a table that holds the conversations; default: messages, conversations, trajectory or history. */
  readonly column?: string | null
  /** Branches of a conversation that were left are transcripts, too, in formats that keep them all. */
  readonly branches?: boolean
  /** Keep the text of the messages, beyond what the plan needs. */
  readonly keepMessages?: boolean
  /** Whether a transcript counts; asked once for each, in the order of its file. Default: all count. */
  readonly accepts?: (trace: Trace, source: Source) => boolean
  /** Keeps this of the messages' text, instead of what the plan needs of it. */
  readonly digest?: DigestKind
  /** Finer rows in each run. */
  readonly by?: By
  /** @internal What is printed in place of the words of a transcript. */
  readonly redaction?: Redaction | null
  /** @internal What earlier runs have read. */
  readonly traces?: TraceCache | null
  /** @internal What the sessions of the run tell of each other; default: those of the sources. */
  readonly others?: OtherSessions | null
}

/**
 * Reads one file and hands over the transcripts that count, measured as the plan needs them. From the first on that rests on what
 * other sessions tell, they come from a second reading, unless that is known before the first.
 * @throws CtxwinError when the file cannot be read or holds no transcript
 */
async function readSource(
  source: Source,
  plan: Plan,
  settings: ReadSettings,
  done: (trace: Trace) => void,
  needsText: (trace: Trace) => boolean,
): Promise<FileReport> {
  const { others, accepts, traces = null } = settings
  const how = wayOf(plan, settings)
  let known = others?.found(plan) ?? null
  const rests = (trace: Trace): boolean => others != null && canReadAgain(source) && restsOnOthers(trace, plan)
  const tell = (trace: Trace): void => {
    if (known && rests(trace)) restOn(trace, toldOf(trace, known))
  }
  // How many transcripts are done with, and whether the next one counts and waits for the second reading.
  let [taken, waits] = [0, false]
  const reading = async (): Promise<FileReport> => {
    let at = 0
    const take = (trace: Trace): void => {
      if (at++ !== taken) return
      if (waits || accepts?.(trace, source) !== false) {
        waits = known === null && rests(trace)
        if (waits) return
        tell(trace)
        done(trace)
      }
      taken++
    }
    const wants = (trace: Trace): boolean => {
      if (at !== taken || (known === null && rests(trace))) return false
      tell(trace)
      return needsText(trace)
    }
    const report = await readThrough(source, how, traces, take, wants)
    if (report.transcripts === 0) throw emptiness(source.name, report)
    return report
  }
  const report = await reading()
  if (!waits || !others) return report
  known = await others.find(how)
  return reading()
}

export function wayOf(plan: Plan, settings: ReadSettings): Way {
  const digest = settings.digest ?? digestFor(plan)
  const options = {
    format: settings.format ?? 'auto',
    sizersFor: sizersFor(plan),
    ofItsSizes: ofItsSizes(plan),
    ...(settings.largestUnpacked !== undefined && { largestUnpacked: settings.largestUnpacked }),
    column: settings.column ?? null,
    branches: settings.branches === true,
    digestFor: digest.of,
    keepMessages: settings.keepMessages === true || needsMessages(plan),
  }
  return { plan, digest, options }
}

/**
 * Those of the sources that seem to be kept for the plan, and need not be read: to guess how long a run takes.
 * @param knows whether a transcript can be measured without its text: where that is wanted, the first that is kept stands for all
 */
export function keptOf(
  sources: readonly Source[],
  plan: Plan,
  settings: ReadSettings,
  knows: (trace: Trace) => boolean = () => false,
): ReadonlySet<Source> {
  const { traces } = settings
  const how = wayOf(plan, settings)
  const kept = sources.filter((source) => waysOf(how).some(({ way }) => traces?.has(source, way)))
  const [first] = kept
  if (!first || !traces || (how.options.keepMessages && !isKnown(first, how, traces, knows))) return new Set()
  return new Set(kept)
}

function emptiness(file: string, report: FileReport): CtxwinError {
  const { records, leftOut, damagedLines, problems } = report
  if (leftOut === 0 && problems.length === 0) return new CtxwinError('empty', file)
  const damaged = damageOf(report)
  if (records > 0 && damagedLines === 0) {
    const silent = problems.find(({ code }) => code === 'no-content')
    const why = silent ? wordsOf(silent) : 'its records have no message of a conversation'
    return new CtxwinError('no-transcript', file, why)
  }
  if (records > 0) return new CtxwinError('damaged', file, `${damaged}, and the rest has no message of a conversation`)
  const damage = problems.filter(({ code }) => code !== 'nul-bytes')
  const first = damage.find(({ code }) => !isNoJson.has(code))
  if (first) {
    const why = first.code === 'torn-compression' ? '' : ` (line ${first.line}: ${wordsOf(first)})`
    return new CtxwinError('damaged', file, `${damaged}, and nothing is left${why}`)
  }
  if (damage.length > 0) return new CtxwinError('damaged', file, `none of its ${damagedLines} lines is JSON`)
  return new CtxwinError('damaged', file, 'it is nothing but NUL bytes')
}

/** Kinds of damage that leave a line without any JSON. */
const isNoJson: ReadonlySet<string> = new Set(['not-json', 'torn-line'])

/** The result of reading one source: the report on the file, and what `take` returned for each of its transcripts. */
export interface SourceRead<T> {
  readonly source: Source
  readonly report: FileReport
  readonly taken: readonly T[]
  readonly copies: readonly Diagnostic[]
}

/**
 * Called for a source that gave nothing. A CtxwinError means that it cannot be read or holds no transcript, or with the code
 * `empty` that it is an empty one; any other error is a bug of ctxwin or of a plugin.
 */
export type Unread = (source: Source, error: unknown) => void

/**
 * Reads many sources, one after the other. A source counts whole or not at all: if it fails, none of its transcripts is
 * returned.
 * @param sources each is read to its end before the next
 * @param take computes what is needed of a transcript; the transcript itself is not kept
 * @param unread called for each source that failed; the others are still read. Without it the first such source throws.
 * @throws CtxwinError when `settings.format` names no reader
 */
export async function* readSources<T>(
  sources: Iterable<Source>,
  plan: Plan,
  settings: ReadSettings,
  take: (trace: Trace, copyOf: string | null) => Iterable<T>,
  unread?: Unread,
): AsyncGenerator<SourceRead<T>> {
  const gather = {
    start: (): T[] => [],
    add(taken: T[], trace: Trace, copyOf: string | null) {
      for (const one of take(trace, copyOf)) taken.push(one)
    },
  }
  for await (const { part, ...read } of foldSources(sources, plan, settings, gather, unread)) {
    yield { ...read, taken: part }
  }
}

const enter = door('ctxwin', {
  sources: [
    (value: unknown) => (typeof value === 'object' && Symbol.iterator in Object(value) ? null : ''),
    'a list of sources as `openFile` gives them',
  ],
  unread: [optional(method), 'a function'],
})

/** What is made of the transcripts of a file. */
export interface Fold<Part> {
  start(): Part
  /**
   * Whether `add` asks for the text of a transcript of which all else is kept; default: it does where the plan does.
   * @param of a copy counts in another file as a whole, and a part without some responses that do
   */
  needsText?(trace: Trace, of: 'whole' | 'part' | 'copy'): boolean
  /**
   * @param trace without the responses that count elsewhere
   * @param copyOf all of them do: in the file that has the transcript, too, which is whole here
   */
  add(part: Part, trace: Trace, copyOf: string | null): void
}

/**
 * Like `readSources`, for sums: only what `add` keeps of a transcript stays in memory.
 * @param responses those that other files are known to have
 */
export async function* foldSources<Part>(
  sources: Iterable<Source>,
  plan: Plan,
  asked: ReadSettings,
  { start, needsText, add }: Fold<Part>,
  unread?: Unread,
  responses = new Responses(),
): AsyncGenerator<Omit<SourceRead<never>, 'taken'> & { readonly part: Part }> {
  const given = enter({ sources, unread }).sources
  const settings = { ...asked, others: asked.others === undefined ? othersAmong(given, asked) : asked.others }
  // An error of the settings is the same for every source, so it ends the run.
  const { format = 'auto' } = settings
  if (typeof format === 'string' && format !== 'auto') readers.get(format)
  for (const source of given) {
    if (typeof source?.name !== 'string' || typeof source.chunks !== 'object')
      throw new CtxwinError(
        'usage',
        'ctxwin: each of `sources` has to be one that `openFile` gives, or { name, chunks }',
      )
    const { redaction } = settings
    const shown = redaction ? { ...source, name: redaction.file(source.name) } : source
    const part = start()
    const copies: Diagnostic[] = []
    let report: FileReport
    let accepted = 0
    const done = (read: Trace): void => {
      const trace = redaction ? read.redacted(redaction) : read
      if (redaction) restOn(trace, restsOn(read))
      accepted++
      const keys = keysOf(trace)
      const found = responses.found(keys)
      if (found.size < keys.length || found.size === 0) {
        add(part, found.size === 0 ? trace : trace.withoutRequests(new Set(found.keys())), null)
        return
      }
      const original = [...found.values()].find((file) => file !== null) ?? shown.name
      copies.push(copyDiagnostic(shown.name, original))
      add(part, trace, original)
    }
    const asksForText = (read: Trace): boolean => {
      if (redaction || !needsText) return true
      const keys = keysOf(read)
      const known = responses.known(keys)
      return needsText(read, known === 0 ? 'whole' : known < keys.length ? 'part' : 'copy')
    }
    try {
      report = await readSource(source, plan, settings, done, asksForText)
    } catch (error) {
      responses.end(null)
      if (unread) unread(source, error)
      else if (!(error instanceof CtxwinError && error.code === 'empty')) throw error
      continue
    }
    responses.end(shown.name)
    // Problems of a file that does not count are not reported.
    if (accepted > 0) yield { source: shown, report, part, copies }
  }
}

/** Null for an iterator: what it gave is gone. */
function othersAmong(sources: Iterable<Source>, { traces = null }: ReadSettings): OtherSessions | null {
  const isOnce = (sources as Partial<Iterator<Source>>).next !== undefined
  return isOnce ? null : otherSessions([...sources], traces)
}

export function copyDiagnostic(file: string, original: string): Diagnostic {
  const message = `the session that ${original} has too: counted once in totals`
  return { file, line: 0, code: 'copy', message }
}

export function problemsOf(file: string, report: Pick<FileReport, 'problems'>): Diagnostic[] {
  return report.problems.map((problem) => {
    const { line, code, count } = problem
    return { file, line, code, message: wordsOf(problem), ...(count !== undefined && { count }) }
  })
}
