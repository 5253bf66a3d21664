/**
 * The baseline: a file, to be committed, with the figures of each transcript that somebody agreed to. This file defines and
 * reads it; make-baseline.ts writes it, compare-baseline.ts compares runs with it.
 */
import { CtxwinError } from '../base/errors.ts'
import type { Budget } from '../model/budget.ts'

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

export interface Entry {
  readonly conversation: string | null
  readonly policy: string
  readonly budget: number
  /** The estimator that was used: for `auto`, `calibrated(claude-4.6)` for example. */
  readonly estimator: string
  readonly values: Readonly<Record<string, number>>
}

export interface Baseline {
  readonly schemaVersion: 1
  readonly madeWith: MadeWith
  /** Sorted by name. */
  readonly files: Readonly<Record<string, readonly Entry[]>>
}

/**
 * @param name how to call the file in a message
 * @throws CtxwinError if it is not a baseline, or one of another version
 */
export function parseBaseline(text: string, name: string): Baseline {
  const baseline = readBaseline(text)
  if (baseline) return baseline
  const remedy = isBaseline(text)
    ? 'it is no baseline of this version: make it anew with --update-baseline'
    : 'it is no baseline: remove it, or name another file with --baseline'
  throw new CtxwinError('config', name, remedy)
}

/** Why figures made with `madeWith` cannot be compared with those of a baseline; null when they can. */
export function whyIncomparable(
  baseline: Baseline,
  madeWith: MadeWith,
  name: string,
): CtxwinError<'baseline-changed'> | null {
  for (const key of Object.keys(madeWith) as (keyof MadeWith)[]) {
    const [was, is] = [baseline.madeWith[key], madeWith[key]].map(inWords) as [string, string]
    if (was !== is) return new CtxwinError('baseline-changed', name, key, was, is)
  }
  return null
}

/** Whether a text is a baseline of this or an older version, valid or not: only such a file may be overwritten. */
export function isBaseline(text: string): boolean {
  return shapeOf(text) !== null
}

/** The files with entries in a baseline, valid or not. */
export function filesOfBaseline(text: string): string[] {
  return Object.keys(shapeOf(text)?.files ?? {})
}

type Shape = Omit<Baseline, 'schemaVersion' | 'files'> & {
  readonly schemaVersion: number
  readonly files: Readonly<Record<string, unknown>>
}

function shapeOf(text: string): Shape | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (!isObject(value) || !isObject(value.madeWith) || !isObject(value.files)) return null
  return typeof value.schemaVersion === 'number' && value.schemaVersion <= 1 ? (value as unknown as Shape) : null
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A valid baseline of this version; null for anything else. */
export function readBaseline(text: string): Baseline | null {
  const shape = shapeOf(text)
  const sound =
    shape?.schemaVersion === 1 &&
    Object.values(shape.files).every((entries) => Array.isArray(entries) && entries.every(isEntry))
  return sound ? (shape as Baseline) : null
}

function isEntry(entry: unknown): boolean {
  return (
    isObject(entry) &&
    isObject(entry.values) &&
    [entry.policy, entry.estimator, entry.conversation ?? ''].every((word) => typeof word === 'string') &&
    Object.values(entry.values).every(Number.isFinite)
  )
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
