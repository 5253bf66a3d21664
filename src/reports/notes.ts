/** Notes below the table, in sentences: where cuts were made, what a provider would refuse, which lines are damaged. */
import {
  addCopied,
  type Copied,
  type Cut,
  type Diagnostic,
  type Fault,
  noCopied,
  type Run,
  refusals,
  type Simulation,
} from '../model/run.ts'
import { amountWords } from './answer.ts'
import { faultTitles, faultWords } from './columns/cuts.ts'
import { copiesSentence, copiesShare } from './copies.ts'
import { grouped, ordinal, several } from './numbers.ts'
import type { Note, ReportOptions } from './report.ts'
import type { RunNames } from './run-names.ts'

/** The most items of a note; the data formats have them all. */
const most = 10

/** @param names of the runs */
export function notesOf({ runs, diagnostics }: Simulation, names: RunNames, cuts: ReportOptions['cuts']): Note[] {
  const own = runs.filter(({ copyOf }) => copyOf === undefined)
  return [
    ...names.overview.countingNotes(),
    ...cutNotes(own, names, cuts),
    ...runCopiesNotes(own, names),
    ...lossNotes(own, names),
    ...faultNotes(own, names),
    ...diagnosticNotes(diagnostics),
  ]
}

function runCopiesNotes(runs: readonly Run[], names: RunNames): Note[] {
  const copiedOf = ({ references }: Run) => references?.copied ?? noCopied
  // The floor is of a transcript, and the same in all its runs.
  const ofTranscripts = new Map(runs.map((run) => [`${run.transcript} ${run.conversation}`, copiedOf(run)]))
  const rows = runs.map((run): NamedCopies => ({ name: names.nameOf(run), copied: copiedOf(run) }))
  return copiesNotes(rows, [...ofTranscripts.values()].reduce(addCopied, noCopied))
}

interface NamedCopies {
  readonly name: string
  readonly copied: Copied
}

/**
 * Who loses most of what was copied, what that means, and the floor under it: the table may have no room for the
 * column.
 *
 * @param whole with the floor under all rows; undefined where nothing was measured
 */
export function copiesNotes(rows: readonly NamedCopies[], whole: Copied | undefined): Note[] {
  const losing = rows.filter(({ copied }) => copied.shown.lost > 0)
  if (!whole || losing.length === 0) return []
  const shown = losing.toSorted((one, other) => other.copied.shown.lost - one.copied.shown.lost).slice(0, mostLosing)
  const named = shown.map(({ name, copied }) => `${name} ${copiesShare(copied.shown)}`)
  const rest = losing.length - shown.length
  const more = rest > 0 ? [`${grouped(rest)} more`] : []
  const sentences = [[...named, ...more].join(', '), copiesSentence(whole.shown)]
  return [{ title: 'Copies lost', items: [{ name: '', sentences }] }]
}

const mostLosing = 3

function cutNotes(runs: readonly Run[], names: RunNames, which: ReportOptions['cuts']): Note[] {
  const cut = runs.filter((run) => run.cuts.length > 0)
  if (which === 'none' || cut.length === 0) return []
  if (which === 'first' && names.overview.transcripts > 1) {
    const count = cut.reduce((sum, run) => sum + run.cuts.length, 0)
    const sentence = `${several(count, 'cut')} in ${grouped(cut.length)} of ${several(runs.length, 'run')}: list them with --cuts all`
    return [{ title: 'Cuts', items: [{ name: '', sentences: [sentence] }] }]
  }
  const items = cut.map((run) => {
    const sentences: string[] = []
    for (const one of run.cuts) {
      sentences.push(cutSentence(one, run))
      if (which === 'first') break
    }
    const rest = run.cuts.length - sentences.length
    return {
      name: names.nameOf(run),
      sentences: rest > 0 ? [...sentences, `… ${several(rest, 'more cut')}: --cuts all`] : sentences,
    }
  })
  return [{ title: 'Cuts', items }]
}

/** "before request 5: dropped exchanges 1-2; the window starts at exchange 3 (line 9), 2,400 → 900 tokens" */
export function cutSentence(cut: Cut, { requests, exchanges, messages }: Run): string {
  const when = cut.request >= requests ? 'after the last request' : `before request ${ordinal(cut.request)}`
  const start =
    cut.message >= messages || cut.exchange >= exchanges
      ? 'nothing stays inside'
      : cut.exchange < 0
        ? `the window starts at message ${ordinal(cut.message)} (line ${cut.line})`
        : `the window starts at exchange ${ordinal(cut.exchange)} (line ${cut.line})`
  const left = cut.evictedExchanges
  const dropped = left.length === 0 ? '' : `dropped ${left.length === 1 ? 'exchange' : 'exchanges'} ${ranges(left)}; `
  const tokens = `${grouped(cut.tokensBefore)} → ${grouped(cut.tokensAfter)} tokens`
  return `${when}: ${dropped}${start}, ${tokens}${breakEven(cut)}`
}

function breakEven({ breakEvenRequests }: Cut): string {
  if (breakEvenRequests === undefined) return ''
  if (breakEvenRequests === 0) return ', at no extra cost: the cache had expired'
  const count = Math.ceil(breakEvenRequests)
  return `, breaks even after ${several(count, 'request')}`
}

/** Ascending indices as ranges that count from 1: "1-2, 5". */
function ranges(indices: readonly number[]): string {
  const runs: [number, number][] = []
  for (const index of indices) {
    const last = runs.at(-1)
    if (last && index === last[1] + 1) last[1] = index
    else runs.push([index, index])
  }
  return runs.map(([from, to]) => (from === to ? ordinal(from) : `${ordinal(from)}-${ordinal(to)}`)).join(', ')
}

/** Notes about runs that send less than the baseline but cost more, because they break the prompt cache. */
function lossNotes(runs: readonly Run[], names: RunNames): Note[] {
  const losing = runs.filter(({ against }) => against.savedTokens > 0 && against.costSaved < 0)
  if (losing.length === 0) return []
  const sentences =
    names.overview.transcripts > 1 && losing.length > 3
      ? [
          `${grouped(losing.length)} of ${several(runs.length, 'run')} send fewer tokens than ${names.overview.baseline} and cost more`,
        ]
      : losing.map((run) => `${names.nameOf(run)}: ${lossSentence(run)}`)
  return [{ title: 'Tokens saved, money lost', tone: 'bad', items: [{ name: '', sentences }] }]
}

/** "24.7 % fewer tokens cost 2.40 times as much, $1.93 instead of $0.80: 12 of 40 requests break the prompt cache" */
function lossSentence({ requests, cost, against }: Run): string {
  const [paid, before] = [cost.paid, against.costInput + against.summaries]
  const times = before > 0 ? `${(paid / before).toFixed(2)} times as much` : 'more'
  const amounts = `${amountWords(paid, cost.unit)} instead of ${amountWords(before, cost.unit)}`
  return `${against.savedPercent.toFixed(1)} % fewer tokens cost ${times}, ${amounts}: ${grouped(cost.prefixBreaks)} of ${several(requests, 'request')} break the prompt cache`
}

/**
 * What a provider would refuse, and then requests that it would take although the newest prompt or reasoning is gone.
 */
function faultNotes(runs: readonly Run[], names: RunNames): Note[] {
  return [
    ...faultNote('A provider would refuse', refusals, runs, names),
    ...Object.entries(faultTitles).flatMap(([fault, title]) => faultNote(title, [fault as Fault], runs, names)),
  ]
}

function faultNote(title: string, kinds: readonly Fault[], runs: readonly Run[], names: RunNames): Note[] {
  const items = runs.flatMap((run) => {
    const sentences = kinds.filter((fault) => run.validity[fault] > 0).map((fault) => faultSentence(fault, run))
    return sentences.length > 0 ? [{ name: names.nameOf(run), sentences }] : []
  })
  if (items.length <= 3) return shorten({ title, tone: 'bad', items }, 'run')
  const sentences = kinds.flatMap((fault) => {
    const own = runs.filter(({ validity }) => validity[fault] > 0)
    const count = own.reduce((sum, { validity }) => sum + validity[fault], 0)
    return count === 0 ? [] : [`${several(count, 'request')} in ${several(own.length, 'run')}: ${faultWords[fault]}`]
  })
  return [{ title, tone: 'bad', items: [{ name: '', sentences }] }]
}

function faultSentence(fault: Fault, run: Run): string {
  const first = run.firstFaults?.find((one) => one.fault === fault)
  const where = first ? ` (first: request ${ordinal(first.request)}, line ${first.line})` : ''
  return `${several(run.validity[fault], 'request')}: ${faultWords[fault]}${where}`
}

export function diagnosticNotes(diagnostics: readonly Diagnostic[]): Note[] {
  // Faults of runs have notes of their own, above, so they are left out here.
  const ofInput = diagnostics.filter(({ code }) => !Object.hasOwn(faultWords, code))
  const kinds = new Map<string, { first: Diagnostic; files: Set<string>; count: number }>()
  const manyFiles = new Set(ofInput.map(({ file }) => file)).size > 3
  for (const one of ofInput) {
    // With many files each kind of problem is told once, with its first place, and each copy once for its original.
    const key = manyFiles ? `${one.code} ${one.code === 'copy' ? one.message : ''}` : `${one.code} ${one.file}`
    const kind = kinds.get(key) ?? { first: one, files: new Set(), count: 0 }
    kind.files.add(one.file)
    kind.count += one.count ?? 1
    kinds.set(key, kind)
  }
  const items = [...kinds.values()].map(({ first: { file, line, message }, files, count }) => {
    const rest = files.size > 1 ? ` (${several(count, 'time')} in ${several(files.size, 'file')})` : moreLines(count)
    return { name: line === 0 ? file : `${file}:${line}`, sentences: [`${message}${rest}`] }
  })
  return shorten({ title: 'About the input', tone: 'warning', items }, 'kind')
}

const moreLines = (count: number): string => (count === 1 ? '' : ` (and ${several(count - 1, 'more line')})`)

function shorten(note: Note, thing: string): Note[] {
  if (note.items.length === 0) return []
  const hidden = note.items.length - most
  if (hidden <= 0) return [note]
  const rest = { name: `… ${several(hidden, `more ${thing}`)}: see --output json`, sentences: [] }
  return [{ ...note, items: [...note.items.slice(0, most), rest] }]
}
