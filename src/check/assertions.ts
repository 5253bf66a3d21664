/**
 * Assertions: limits on figures, from a config file or `--assert`. Written as in lighthouse-ci: a value, or
 * `[level, value, { aggregate }]`.
 */

import { closest } from '../base/closest.ts'
import { CtxwinError, wordAmong } from '../base/errors.ts'
import { parseTokens } from '../base/param.ts'
import { type Assertable, assertables } from './metrics.ts'
import type { Outcome } from './outcome.ts'

export const aggregates = ['each', 'max', 'median', 'sum'] as const
export type Aggregate = (typeof aggregates)[number]

export interface Assertion extends Assertable {
  /** As the user wrote it: `maxPeakTokens`. */
  readonly rule: string
  readonly level: Outcome['level']
  readonly limit: number
  /** `each`: every run separately; else one figure for all transcripts of a policy, estimator and budget. */
  readonly aggregate: Aggregate
}

/** The assertions of a section, by figure and direction; null switches off one of an earlier section. */
export type Section = ReadonlyMap<string, Assertion | null>

export interface Rules {
  readonly assert: Section
  /** Later ones win. */
  readonly overrides: readonly Override[]
  /** From the command line: they win over everything. */
  readonly given: Section
}

export interface Override {
  /** How to call it in a message. */
  readonly where: string
  /** The name of the config file. */
  readonly config: string
  /** Globs. */
  readonly files: readonly string[]
  readonly assert: Section
}

/** Whether a file matches a pattern. */
export type Matches = (file: string, pattern: string) => boolean

/**
 * @param where how to call the section in a message: `assert in ctxwin.config.json`
 * @throws CtxwinError for an unknown figure or an invalid limit
 */
export function parseSection(value: unknown, where: string): Section {
  if (!isObject(value)) throw new CtxwinError('bad-value', where, value, 'an object such as { maxCuts: 3 }')
  return new Map(
    Object.entries(value).map(([rule, given]) => {
      const known = rule === 'orphanedPairs' ? assertables.get('maxOrphanedPairs') : assertables.get(rule)
      if (!known)
        throw new CtxwinError(
          'unknown-name',
          `assertion (${where})`,
          rule,
          closest(rule, [...assertables.keys(), 'orphanedPairs'], 'docs/metrics.md has every figure'),
        )
      const key = `${known.bound} ${known.metric.key}`
      return [key, given === 'off' ? null : parseAssertion(rule, known, given, where)]
    }),
  )
}

/** `overrides: [{ files: 'long/**', assert: { … } }]` */
export function parseOverrides(value: unknown, config: string): Override[] {
  if (!Array.isArray(value)) {
    throw new CtxwinError('bad-value', `overrides in ${config}`, value, 'a list of { files, assert }')
  }
  return value.map((override: unknown, index) => {
    const where = `overrides[${index}] in ${config}`
    if (!isObject(override)) throw new CtxwinError('bad-value', where, override, 'an object { files, assert }')
    for (const key of Object.keys(override)) {
      if (key !== 'files' && key !== 'assert') {
        throw new CtxwinError('unknown-name', `key of ${where}`, key, closest(key, ['files', 'assert']))
      }
    }
    const files = [override.files].flat()
    if (files.length === 0 || !files.every((pattern) => typeof pattern === 'string' && pattern !== '')) {
      throw new CtxwinError('bad-value', `files of ${where}`, override.files, 'a glob or a list of globs')
    }
    return { where, config, files: files as string[], assert: parseSection(override.assert, `assert of ${where}`) }
  })
}

function parseAssertion(rule: string, known: Assertable, given: unknown, where: string): Assertion {
  const place = `${rule} of ${where}`
  const [level, word, options = {}, ...rest] = Array.isArray(given) ? given : ['error', given]
  const limit = parseLimit(word)
  if ((level !== 'warn' && level !== 'error') || limit === null || !isObject(options) || rest.length > 0) {
    const expected = 'a limit such as 100000, "100k" or 12.5, "off", or ["warn", 100000, { "aggregate": "median" }]'
    throw new CtxwinError('bad-value', place, given, expected)
  }
  for (const key of Object.keys(options)) {
    if (key !== 'aggregate')
      throw new CtxwinError('unknown-name', `option of ${place}`, key, closest(key, ['aggregate']))
  }
  const aggregate = wordAmong(aggregates, `aggregate of ${place}`, options.aggregate ?? 'each')
  if (aggregate === 'sum' && known.metric.unit === 'percent') {
    throw new CtxwinError(
      'bad-value',
      `aggregate of ${place}`,
      'sum',
      'something percentages have: each, max or median',
    )
  }
  return { ...known, rule, level, limit, aggregate }
}

/** 100000, "100k", "12.5", "12.5%", "-3" */
function parseLimit(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string') return null
  const word = value.trim().replace(/\s*%$/, '')
  const limit = /^-?\d+(\.\d+)?$/.test(word) ? Number(word) : parseTokens(word)
  return limit !== undefined && Number.isFinite(limit) ? limit : null
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
