/** Notes below the table, in sentences: where cuts were made, what a provider would refuse, which lines are damaged. */
import { type Cut, type Diagnostic, type Fault, faults, type Run, type Simulation } from '../model/run.ts'
import { faultWords } from './columns/cuts.ts'
import { grouped, money, ordinal, several } from './numbers.ts'
import type { Note, ReportOptions } from './report.ts'
import type { RunNames } from './run-names.ts'

/** The most items of a note; the data formats have them all. */
const most = 10

/** @param names of the runs */
export function notesOf({ runs, diagnostics }: Simulation, names: RunNames, cuts: ReportOptions['cuts']): Note[] {
  return [
    ...names.overview.countingNotes(),
    ...cutNotes(runs, names, cuts),
    ...lossNotes(runs, names),
    ...faultNotes(runs, names),
    ...diagnosticNotes(diagnostics),
  ]
}

function cutNotes(runs: readonly Run[], names: RunNames, which: ReportOptions['cuts']): Note[] {
  const cut = runs.filter((run) => run.cuts.length > 0)
  if (which === 'none' || cut.length === 0) return []
  const shown = which === 'all' ? cut : cut.slice(0, most)
  const items = shown.map((run) => {
    const sentences: string[] = []
    for (const one of run.cuts) {
      sentences.push(cutSentence(one, run))
      if (which === 'first') break
    }
    const rest = run.cuts.length - sentences.length
    return {
      name: names.nameOf(run),
      sentences: rest > 0 ? [...sentences, `… ${several(rest, 'more cut')}`] : sentences,
    }
  })
  const hidden = cut.length - shown.length
  const rest = hidden > 0 ? [{ name: `… ${several(hidden, 'more run')} with cuts: see --cuts all`, sentences: [] }] : []
  return [{ title: 'Cuts', items: [...items, ...rest] }]
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
  if (breakEvenRequests === 0) return ', the cache was already cold'
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

/** Notes about runs that send less but cost more, because they break the prompt cache. */
function lossNotes(runs: readonly Run[], names: RunNames): Note[] {
  const items = runs
    .filter(({ savedTokens, cost }) => savedTokens > 0 && cost.input + cost.summaries > cost.inputFull)
    .map((run) => ({ name: names.nameOf(run), sentences: [lossSentence(run)] }))
  return shorten({ title: 'Tokens saved, money lost', tone: 'bad', items }, 'run')
}

/** "24.70 % fewer tokens cost 2.40 times as much, 1.93 instead of 0.80 USD: 12 of 40 requests break …" */
function lossSentence({ savedPercent, requests, cost }: Run): string {
  const spent = cost.input + cost.summaries
  const unit = cost.unit === 'usd' ? 'USD' : 'input tokens'
  const times = cost.inputFull > 0 ? `${(spent / cost.inputFull).toFixed(2)} times as much` : 'more'
  return [
    `${savedPercent.toFixed(2)} % fewer tokens cost ${times}, ${money(spent)} instead of ${money(cost.inputFull)} ${unit}`,
    `${grouped(cost.prefixBreaks)} of ${several(requests, 'request')} break the prompt cache`,
  ].join(': ')
}

function faultNotes(runs: readonly Run[], names: RunNames): Note[] {
  const items = runs.flatMap((run) => {
    const sentences = faults.filter((fault) => run.validity[fault] > 0).map((fault) => faultSentence(fault, run))
    return sentences.length > 0 ? [{ name: names.nameOf(run), sentences }] : []
  })
  return shorten({ title: 'A provider would refuse', tone: 'bad', items }, 'run')
}

function faultSentence(fault: Fault, run: Run): string {
  const first = run.firstFaults?.find((one) => one.fault === fault)
  const where = first ? ` (first: request ${ordinal(first.request)}, line ${first.line})` : ''
  return `${several(run.validity[fault], 'request')}: ${faultWords[fault]}${where}`
}

export function diagnosticNotes(diagnostics: readonly Diagnostic[]): Note[] {
  // Faults of a run are listed above, with their counts.
  const ofInput = diagnostics.filter(({ code }) => !Object.hasOwn(faultWords, code))
  const places = new Map<string, { file: string; message: string; line: number; count: number }>()
  for (const { file, line, code, message, count } of ofInput) {
    const place = places.get(`${code} ${file}`) ?? { file, message, line, count: 0 }
    place.count += count ?? 1
    places.set(`${code} ${file}`, place)
  }
  const items = [...places.values()].map(({ file, message, line, count }) => ({
    name: line === 0 ? file : `${file}:${line}`,
    sentences: [count === 1 ? message : `${message} (and ${several(count - 1, 'more line')})`],
  }))
  return shorten({ title: 'About the input', items }, 'kind')
}

function shorten(note: Note, thing: string): Note[] {
  if (note.items.length === 0) return []
  const hidden = note.items.length - most
  if (hidden <= 0) return [note]
  const rest = { name: `… ${several(hidden, `more ${thing}`)}: see --output json`, sentences: [] }
  return [{ ...note, items: [...note.items.slice(0, most), rest] }]
}
