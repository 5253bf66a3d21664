/**
 * The baseline: a file, to be committed, with the figures of each transcript that somebody agreed to. This file defines
 * and reads it; make-baseline.ts writes it, compare-baseline.ts compares runs with it.
 *
 * It is merged by git and edited by people, so what is read is not trusted: each entry has a sum over itself. Entries
 * of different files can come from different branches, and a file may be renamed by hand, but an entry whose figures
 * were changed, left out or mixed from two sides of a merge is a finding, and never a gate that holds less than it
 * seems to.
 */
import { compareTexts } from '../base/compare.ts'
import { CtxwinError } from '../base/errors.ts'
import { fingerprint } from '../base/fingerprint.ts'
import { lineOfFault } from '../base/json-fault.ts'
import { type Places, placesIn } from '../base/json-places.ts'
import { amount, count, number, object, orNull, record, string } from '../base/plain-shape.ts'
import { shellCommand } from '../base/quoting.ts'
import type { Budget } from '../model/budget.ts'
import type { Fit, UsageSums } from '../model/witness.ts'
import { isFigureOf } from '../reports/column.ts'
import { metrics, watched } from './metrics.ts'

/** Of the form of the file. */
export const baselineVersion = 2

/** What the figures depend on besides the transcripts. If it differs, figures cannot be compared. */
export interface MadeWith {
  /** As written, with the params that are not at their defaults: `bytes`, `bytes:bytesPerToken=3`. */
  readonly estimators: readonly { readonly name: string; readonly version: number }[]
  readonly policies: readonly string[]
  readonly budgets: readonly Budget[]
  readonly preamble: number | 'auto'
  readonly model: string | null
  readonly provider: string | null
  readonly measure: string
  readonly format: string
}

/** What was recorded, and the fit to it; see src/model/witness.ts. */
export interface AgreedUsage extends Pick<UsageSums, 'requests' | 'inputTokens'>, Fit {
  readonly offPercent: number
}

export interface KnownRun {
  readonly conversation: string | null
  readonly policy: string
  readonly budget: number
  /** The estimator that was used: for `auto`, `calibrated(claude-4.6)` for example. */
  readonly estimator: string
  readonly values: Readonly<Record<string, number>>
  /** Null where none is recorded. */
  readonly usage: AgreedUsage | null
}

export interface Entry extends KnownRun {
  readonly sum: string
}

export interface Baseline {
  readonly madeWith: MadeWith
  /** Sorted by name. */
  readonly files: ReadonlyMap<string, readonly Entry[]>
}

/** What is wrong with an entry. */
export interface EntryFault {
  readonly file: string
  /** Of the baseline. */
  readonly line: number
  readonly message: string
}

/** A baseline as it was read. Files with a fault are not in `files`: nothing can be held to them. */
export interface ReadBaseline extends Baseline {
  readonly faults: readonly EntryFault[]
  /** The line where the entries of a file begin. */
  lineOf(file: string): number
}

const remake = 'make it anew with --update-baseline'

/**
 * @param name how to call the file in a message
 * @throws CtxwinError if it is not a baseline, or nothing in it can be held to
 */
export function parseBaseline(text: string, name: string): ReadBaseline {
  const refuse = (line: number, why: string) => new CtxwinError('config', line > 0 ? `${name}:${line}` : name, why)
  const shape = shapeOf(text)
  if (shape === null) {
    const conflict = lineOfConflict(text)
    if (conflict > 0)
      throw refuse(conflict, `a merge conflict is not settled here: take one of its sides, and ${remake}`)
    const line = isJson(text) || text.trim() === '' ? 0 : lineOfFault(text)
    const what = line > 0 ? 'it is not JSON from here on' : 'it is no baseline'
    throw refuse(line, `${what}: remove it, or name another file with --baseline`)
  }
  if (shape.schemaVersion !== baselineVersion) throw refuse(0, `it is no baseline of this version: ${remake}`)
  const places = placesIn(text, 3)
  const twice = places.doubled.find(({ path: [part, file] }) => part !== 'files' || file === undefined)
  if (twice) throw refuse(twice.line, `"${twice.path.join('.')}" stands here a second time: ${remake}`)
  const baseline = readFiles(shape, places)
  if (baseline.files.size + baseline.faults.length === 0) throw refuse(0, `there is no entry in it: ${remake}`)
  return baseline
}

function readFiles({ madeWith, files: given }: Shape, places: Places): ReadBaseline {
  const files = new Map<string, readonly Entry[]>()
  const faults: EntryFault[] = []
  const twice = new Map(places.doubled.map((one) => [one.path[1], one]))
  for (const [file, entries] of Object.entries(given)) {
    const before = faults.length
    const fault = (line: number, what: string) => faults.push({ file, line, message: `${what}: ${remake}` })
    const again = twice.get(file)
    if (again) {
      const key = again.path.at(-1)
      fault(
        again.line,
        again.path.length === 2 ? `${file} stands here a second time` : `${file}: "${key}" stands here a second time`,
      )
    } else if (!Array.isArray(entries) || entries.length === 0) {
      fault(places.lineOf(['files', file]), `${file} has no list of entries`)
    } else {
      for (const [index, entry] of entries.entries()) {
        const what = whatIsWrong(entry)
        if (what !== null) fault(places.lineOf(['files', file, index]), `the entry of ${file} ${what}`)
      }
    }
    if (faults.length === before) files.set(file, entries as readonly Entry[])
  }
  return { madeWith, files, faults, lineOf: (file) => places.lineOf(['files', file]) }
}

/**
 * Why figures made with `madeWith` cannot be compared with those of a baseline; null when they can.
 * @param isNamed whether a policy or a budget was asked for; where none was, a baseline that has others may come from a version
 *   with other defaults, and is told how it can be kept
 */
export function whyIncomparable(
  baseline: Baseline,
  madeWith: MadeWith,
  name: string,
  isNamed: boolean,
): CtxwinError<'baseline-changed'> | null {
  for (const key of Object.keys(madeWith) as (keyof MadeWith)[]) {
    const [was, is] = [baseline.madeWith[key], madeWith[key]].map(inWords) as [string, string]
    if (was === is) continue
    const isUnnamed = !isNamed && (key === 'policies' || key === 'budgets')
    return new CtxwinError('baseline-changed', name, key, was, is, isUnnamed ? asFlags(baseline.madeWith) : null)
  }
  return null
}

const asFlags = ({ policies, budgets }: MadeWith): string =>
  shellCommand(['--policy', policies.join(','), '--budget', budgets.join(',')])

/** Whether a text is a baseline of this or an older version, valid or not: only such a file may be overwritten. */
export const isBaseline = (text: string): boolean => shapeOf(text) !== null

/** The files with entries in a baseline, valid or not. */
export const filesOfBaseline = (text: string): string[] => Object.keys(shapeOf(text)?.files ?? {})

/** A baseline of this version; null for anything else. */
export function readBaseline(text: string): ReadBaseline | null {
  try {
    return parseBaseline(text, '')
  } catch (error) {
    if (error instanceof CtxwinError) return null
    throw error
  }
}

interface Shape {
  readonly schemaVersion: number
  readonly madeWith: MadeWith
  readonly files: Readonly<Record<string, unknown>>
}

function shapeOf(text: string): Shape | null {
  const value = parsed(text)
  if (!isObject(value) || !isObject(value.madeWith) || !isObject(value.files)) return null
  const { schemaVersion } = value
  return typeof schemaVersion === 'number' && schemaVersion <= baselineVersion ? (value as unknown as Shape) : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isJson = (text: string): boolean => parsed(text) !== undefined

/** The line, from 1, where git left both sides of a merge; 0 where there is none. */
const lineOfConflict = (text: string): number =>
  text.split('\n').findIndex((line) => /^(<{7}|={7}|>{7})( |\r?$)/.test(line)) + 1

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const figures = new Map(metrics.map((metric) => [metric.key, metric]))

export const usageShape = object<AgreedUsage>({
  requests: count,
  inputTokens: amount,
  preamble: amount,
  factor: amount,
  thought: amount,
  offPercent: number,
})

const entryShape = object<Entry>({
  conversation: orNull(string),
  policy: string,
  budget: count,
  estimator: string,
  values: record(number),
  usage: orNull(usageShape),
  sum: string,
})

/** In words that follow the entry's name; null where it is as it was written. */
function whatIsWrong(entry: unknown): string | null {
  const fault = entryShape(entry)
  if (fault !== null) return fault === '' ? 'is no object' : `has no such ${fault} as any run could have`
  const { values, sum } = entry as Entry
  // Of these, only a transcript without requests lacks one: it has no largest exchange.
  const lacking = watched.find((key) => key !== 'exchangeTokens' && !Object.hasOwn(values, key))
  if (lacking !== undefined) return `lacks ${lacking}`
  for (const [key, value] of Object.entries(values)) {
    const metric = figures.get(key)
    if (!metric) return `has "${key}", and no figure has that name`
    if (!isFigureOf(metric, value)) return `has no such values.${key} as any run could have`
  }
  return sum === checksumOf(entry as Entry)
    ? null
    : 'does not agree with its own sum: a figure was changed, added or taken out by hand, or by a merge'
}

/** Of all that an entry says, in whatever order its figures stand. */
export function checksumOf({ conversation, policy, budget, estimator, values, usage }: KnownRun): string {
  const ordered = (record: object | null) => record && Object.entries(record).sort(([a], [b]) => compareTexts(a, b))
  const words = [conversation, policy, budget, estimator, ordered(values), ordered(usage)]
  return fingerprint([JSON.stringify(words)]).toString(36)
}

function inWords(value: unknown): string {
  if (!Array.isArray(value)) return typeof value === 'string' ? value : JSON.stringify(value ?? null)
  return value
    .map((item: unknown) => {
      if (typeof item !== 'object' || item === null) return String(item)
      const { name, version } = item as MadeWith['estimators'][number]
      return `${name} version ${version}`
    })
    .join(', ')
}
