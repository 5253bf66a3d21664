/**
 * What is said of many runs without showing them: what was read, what is the same in every run, how far the estimators
 * are off. It takes one run after the other and keeps none, because a comparison has more runs than memory holds.
 */
import { these } from '../base/these.ts'
import { BillSum } from '../model/billed.ts'
import { callsByTerm } from '../model/price-terms.ts'
import {
  type Against,
  askedOf,
  type CostUnit,
  type Foresight,
  type PreambleSource,
  type PredictionInterval,
  type Run,
  type Spent,
  type TotalSpent,
  type TraceRun,
} from '../model/run.ts'
import { WithoutUsageSum } from '../model/without-usage.ts'
import { estimatedWords, spentWords, termsWords, unpricedWords, withoutUsageWords } from './bill.ts'
import { daysBetween } from './days.ts'
import { changeWords, grouped, several, signedTenths } from './numbers.ts'
import type { Note } from './report.ts'

/** What no policy prunes, explained where it stands first. */
const preambleName = 'preamble (system prompt, tools)'

/** A run without its cuts, which do not matter here. */
type OverviewRun = Omit<TraceRun, 'cuts'> & Partial<Pick<Run, 'damagedLines'>>

/** What a caption says where it is the same in every run. */
const settings = {
  estimator: (run: OverviewRun) => run.estimator,
  format: (run: OverviewRun) => run.format,
  model: (run: OverviewRun) => run.model,
  preamble: (run: OverviewRun) => run.preambleSource,
}
type Setting = keyof typeof settings
const settingKeys = Object.keys(settings) as Setting[]

/** Of one transcript. */
interface Extent {
  readonly requests: number
  /** Responses that an earlier file has, too: they are not among the requests. */
  readonly elsewhere: number
  /** When it was recorded, in milliseconds since the epoch; NaN where that is not recorded. */
  readonly first: number
  readonly last: number
  readonly recordedCalls: number
  readonly requestsWithoutUsage: number
  readonly unpriced: TraceRun['unpriced']
  readonly terms: TraceRun['terms']
}

/** How far an estimator is off in one transcript. */
type Deviation = Pick<Run, 'foresight' | 'foresightTest' | 'predictionInterval' | 'sentTokens'>

/** "held-out error 1.9 % (40 requests of 2 transcripts)" */
function errorOf(parts: readonly Foresight[]): string {
  const requests = parts.reduce((sum, one) => sum + one.requests, 0)
  const absolute = parts.reduce((sum, one) => sum + one.requests * one.meanAbsolutePercent, 0)
  return `held-out error ${(absolute / requests).toFixed(1)} % (${several(requests, 'request')} of ${several(parts.length, 'transcript')})`
}

/**
 * What to expect where nothing was tested: the widest of the intervals.
 * "in 44 others of the format nine of ten estimates were -12.0 to +9.0 % off"
 */
function expectedOf(intervals: readonly PredictionInterval[]): string {
  if (intervals.length === 0) return 'ctxwin help truth says what to expect'
  let [low, high, most] = [0, 0, 0]
  let isOfFormat = true
  for (const { basis, lowPercent, highPercent, transcripts } of intervals) {
    low = Math.min(low, lowPercent)
    high = Math.max(high, highPercent)
    most = Math.max(most, transcripts)
    if (basis === 'all') isOfFormat = false
  }
  const off = `${signedTenths(low)} to ${changeWords(high)} off`
  if (intervals.every(({ basis }) => basis === 'transcript'))
    return `by what the recorded usage leaves open nine of ten are ${off}`
  const of = isOfFormat ? `${grouped(most)} others of the format` : `${several(most, 'transcript')} of other formats`
  return `in ${of} nine of ten estimates were ${off}`
}

export class Overview {
  runs = 0
  /** Transcripts whose session was found before. Only their number is counted. */
  copies = 0
  /** By file and conversation. */
  readonly #extents = new Map<string, Map<string | null, Extent>>()
  readonly #copied = new Set<string>()
  /** The files, copies included. */
  readonly #files = new Set<string>()
  readonly #damaged = new Map<string, number>()
  readonly #values = Object.fromEntries(settingKeys.map((key) => [key, new Set()])) as Record<Setting, Set<unknown>>
  readonly #preambles = new Map<PreambleSource, number>()
  /** By policy that is a setting of one program: the transcripts of others that it was tried on. */
  readonly #foreign = new Map<string, Set<string>>()
  readonly #units = new Set<CostUnit>()
  #pricesAsOf = ''
  /** By estimator, file and conversation. */
  readonly #deviations = new Map<string, Map<string, Deviation>>()
  #baseline: Against | undefined
  /** By file and conversation: requests of the baseline that are over the model's window. */
  readonly #overWindow = new Map<string, Map<string | null, number>>()
  /** By the estimator that was asked for, then by file and conversation. */
  readonly #bills = new Map<string, Map<string, Spent>>()

  add(run: OverviewRun): void {
    if (run.copyOf !== undefined) {
      this.#files.add(run.transcript)
      this.#copied.add(JSON.stringify([run.transcript, run.conversation]))
      this.copies = this.#copied.size
      return
    }
    if (this.runs++ === 0) this.#pricesAsOf = run.cost.pricesAsOf
    const { transcript, conversation, requests, preambleSource, estimator } = run
    this.#files.add(transcript)
    const extents = inner(this.#extents, transcript)
    const elsewhere = run.requestsElsewhere ?? 0
    const { first, last } = run.session
    const { recordedCalls, requestsWithoutUsage, unpriced, terms } = run
    const calls = { recordedCalls, requestsWithoutUsage, unpriced, terms }
    if (!extents.has(conversation)) extents.set(conversation, { requests, elsewhere, first, last, ...calls })
    if (run.foreign) {
      const seen = this.#foreign.get(run.policy) ?? new Set()
      this.#foreign.set(run.policy, seen.add(JSON.stringify([transcript, conversation])))
    }
    this.#baseline ??= run.against
    const hypothetical = run.against.overWindowRequests
    if (hypothetical > 0) inner(this.#overWindow, transcript).set(conversation, hypothetical)
    for (const key of settingKeys) this.#values[key].add(settings[key](run))
    this.#preambles.set(preambleSource, (this.#preambles.get(preambleSource) ?? 0) + 1)
    this.#units.add(run.cost.unit)
    this.damage(transcript, run.damagedLines ?? 0)
    const key = JSON.stringify([transcript, conversation])
    if (run.spent) inner(this.#bills, askedOf(run)).set(key, run.spent)
    const { foresight, foresightTest, predictionInterval, sentTokens } = run
    if (foresightTest === 'no-usage' && !predictionInterval) return
    const known = inner(this.#deviations, estimator)
    // Without usage the interval is of the run itself, and the least sure has the smallest windows.
    if (foresightTest === 'no-usage' && (known.get(key)?.sentTokens ?? Infinity) <= sentTokens) return
    known.set(key, { foresight, foresightTest, predictionInterval, sentTokens })
  }

  /** Adds the damaged lines of a file, which are known when it has been read to its end. */
  damage(file: string, lines: number): void {
    if (lines > 0) this.#damaged.set(file, lines)
  }

  /** Adds the counts of another. */
  merge(other: Overview): void {
    if (this.runs === 0) this.#pricesAsOf = other.#pricesAsOf
    this.runs += other.runs
    for (const file of other.#files) this.#files.add(file)
    this.#baseline ??= other.#baseline
    for (const [file, requests] of other.#overWindow) addAll(inner(this.#overWindow, file), requests)
    for (const [file, extents] of other.#extents) addAll(inner(this.#extents, file), extents)
    addAll(this.#damaged, other.#damaged)
    for (const key of settingKeys) for (const value of other.#values[key]) this.#values[key].add(value)
    for (const [source, count] of other.#preambles) {
      this.#preambles.set(source, (this.#preambles.get(source) ?? 0) + count)
    }
    for (const unit of other.#units) this.#units.add(unit)
    for (const [policy, transcripts] of other.#foreign) {
      this.#foreign.set(policy, new Set([...(this.#foreign.get(policy) ?? []), ...transcripts]))
    }
    for (const [estimator, deviations] of other.#deviations) addAll(inner(this.#deviations, estimator), deviations)
    for (const [estimator, bills] of other.#bills) addAll(inner(this.#bills, estimator), bills)
  }

  get transcripts(): number {
    return this.#all().length
  }

  get damagedLines(): number {
    return [...this.#damaged.values()].reduce((sum, lines) => sum + lines, 0)
  }

  /** The directory that all transcripts share, with its slash; empty where there is none. */
  get directory(): string {
    return commonDirectory([...this.#files])
  }

  /** How many conversations of a file there are. */
  conversations(file: string): number {
    return this.#extents.get(file)?.size ?? 0
  }

  /** Dollars, where anything has a price. */
  get unit(): CostUnit {
    return this.#units.has('usd') ? 'usd' : 'input-token-equivalents'
  }

  /** The name of what the runs are held against. */
  get baseline(): string {
    return this.#baseline?.baseline ?? 'today'
  }

  /**
   * What was read, and what was spent: "40 transcripts in logs/ · 3,415 requests · 2 Aug to 20 Nov 2026 · spent $407:
   * $364 for input (cache foreseen in 3,300 of 3,415 requests; the rest: 115 after a pause)"
   */
  extentSentence(): string {
    const all = this.#all()
    const [file] = this.#extents.keys()
    const where = this.directory ? ` in ${this.directory}` : ''
    const what =
      all.length === 1 ? file?.slice(commonDirectory([file]).length) : several(all.length, 'transcript') + where
    const copies =
      this.copies === 0 ? [] : [`${this.copies === 1 ? 'a copy' : `${grouped(this.copies)} copies`} left out`]
    const damaged = this.damagedLines === 0 ? [] : [several(this.damagedLines, 'damaged line')]
    const elsewhere = all.reduce((sum, extent) => sum + extent.elsewhere, 0)
    const shared = elsewhere === 0 ? [] : [`${grouped(elsewhere)} more are in an earlier file, too`]
    const bill = this.#bill()
    return [
      what,
      ...copies,
      several(this.#requests(), 'request'),
      ...shared,
      ...damaged,
      ...this.#days(),
      ...spentWords(bill, all.length),
      ...[...this.#foreign].map(
        ([policy, { size }]) => `${policy} tried on ${several(size, 'transcript')} of other programs, too`,
      ),
    ].join(' · ')
  }

  /** What is the same in every run, and how to read the figures. */
  captions(): string[] {
    const bill = this.#bill()
    const output = estimatedWords(bill?.estimatedOutputs ?? 0)
    return [
      this.#settingsCaption(),
      ...this.#baselineCaption(),
      ...this.#withoutUsageCaption(),
      ...this.#recordedCaption(),
      ...output,
    ]
  }

  #withoutUsageCaption(): string[] {
    // Where several estimators count a transcript, the last.
    const each = new Map([...this.#deviations.values()].flatMap((of) => [...of]))
    const sum = new WithoutUsageSum()
    for (const one of each.values()) sum.add(one)
    return withoutUsageWords(sum.total, this.unit)
  }

  /** How much has no recorded usage, and how much no known price: what was spent leaves both out. */
  #recordedCaption(): string[] {
    const all = this.#all()
    const calls = all.reduce((sum, extent) => sum + extent.recordedCalls, 0)
    const without = all.reduce((sum, extent) => sum + extent.requestsWithoutUsage, 0)
    const unpriced = all.flatMap((extent) => extent.unpriced)
    const terms = callsByTerm(all.flatMap((extent) => extent.terms))
    return these(
      calls > 0 && without > 0 && `${several(without, 'request')} ${without === 1 ? 'has' : 'have'} no recorded usage`,
      unpriced.length > 0 && unpricedWords(unpriced),
      termsWords(terms),
    )
  }

  /** By the first estimator: the bill is the same for all, and how its cache was foreseen nearly the same. */
  #bill(): TotalSpent | null {
    const sum = new BillSum()
    const [bills] = this.#bills.values()
    for (const spent of bills?.values() ?? []) sum.add(spent)
    return sum.total
  }

  #requests(): number {
    return this.#all().reduce((sum, extent) => sum + extent.requests, 0)
  }

  #days(): string[] {
    const all = this.#all().filter(({ first }) => !Number.isNaN(first))
    if (all.length === 0) return []
    const first = all.reduce((least, extent) => Math.min(least, extent.first), Infinity)
    const last = all.reduce((most, extent) => Math.max(most, extent.last), -Infinity)
    return [daysBetween(first, last)]
  }

  /** How far each estimator is from what providers recorded, where they did and it had not seen it. */
  countingNotes(): Note[] {
    const sentences = [...this.#deviations].flatMap(([name, deviations]) => {
      const all = [...deviations.values()]
      const foreseen = all.flatMap(({ foresight }) => foresight ?? [])
      // Where no usage is recorded a caption says it.
      const untested = all.filter(({ foresight, foresightTest }) => foresight === null && foresightTest !== 'no-usage')
      const expected = expectedOf(untested.flatMap(({ predictionInterval }) => predictionInterval ?? []))
      const where = foreseen.length === 0 ? '' : ` in ${several(untested.length, 'transcript')}`
      const words = [
        ...(foreseen.length === 0 ? [] : [errorOf(foreseen)]),
        ...(untested.length === 0 ? [] : [`not tested${where}: ${expected}`]),
      ]
      return words.length === 0 ? [] : [`${name}: ${words.join('; ')}`]
    })
    return sentences.length === 0 ? [] : [{ title: 'Token count error', items: [{ name: '', sentences }] }]
  }

  #all(): Extent[] {
    return [...this.#extents.values()].flatMap((extents) => [...extents.values()])
  }

  /**
   * "estimator bytes · format openai-chat · model gpt-5 · preamble (system prompt, tools) recorded · prices of
   * 2026-09-23"
   */
  #settingsCaption(): string {
    const same = (key: Setting): unknown => (this.#values[key].size === 1 ? [...this.#values[key]][0] : undefined)
    const said = (key: Setting): string[] => (same(key) ? [`${key} ${same(key)}`] : [])
    const preamble = same('preamble')
    return [
      ...said('estimator'),
      ...said('format'),
      ...said('model'),
      preamble === undefined
        ? this.#mixedPreambles()
        : preamble === 'none'
          ? `no ${preambleName}`
          : `${preambleName} ${preamble}`,
      ...(this.#units.has('usd')
        ? [`prices of ${this.#pricesAsOf}`]
        : ['no price is known: cost is in uncached input tokens']),
    ].join(' · ')
  }

  /** What the percentages are relative to, where that is not today. */
  #baselineCaption(): string[] {
    if (this.baseline === 'today') return []
    const over = [...this.#overWindow.values()].flatMap((of) => [...of.values()]).reduce((sum, one) => sum + one, 0)
    const hypothetical =
      over === 0 ? '' : `. That is hypothetical: ${grouped(over)} of its requests would not fit into the model’s window`
    return [`percentages are against ${this.baseline}${hypothetical}`]
  }

  #mixedPreambles(): string {
    return `${preambleName} ${[...this.#preambles].map(([source, count]) => `${source} in ${grouped(count)}`).join(', ')}`
  }
}

export function overviewOf(runs: Iterable<Run>): Overview {
  const overview = new Overview()
  for (const run of runs) overview.add(run)
  return overview
}

/** The directory that all files share, with its slash; empty where there is none. */
export function commonDirectory(files: readonly string[]): string {
  let common = files[0] ?? ''
  for (const file of files) {
    while (!file.startsWith(common)) common = common.slice(0, common.slice(0, -1).lastIndexOf('/') + 1)
  }
  return common.slice(0, common.lastIndexOf('/') + 1)
}

/** The map under a key, created if it is missing. */
function inner<Key, Value>(maps: Map<string, Map<Key, Value>>, key: string): Map<Key, Value> {
  const known = maps.get(key) ?? new Map<Key, Value>()
  maps.set(key, known)
  return known
}

function addAll<Key, Value>(to: Map<Key, Value>, from: ReadonlyMap<Key, Value>): void {
  for (const [key, value] of from) to.set(key, value)
}
