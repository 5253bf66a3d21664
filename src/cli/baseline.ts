/** The baseline's file: read, compared with, written. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  type Baseline,
  CtxwinError,
  compareWithBaseline,
  type MadeWith,
  type Metric,
  makeBaseline,
  type Outcome,
  type Plan,
  parseBaseline,
  plugWords,
  printJson,
  type Rules,
  type Run,
  type Simulation,
  whyIncomparable,
} from '../index.ts'
import type { Resolved } from './config.ts'
import { optionalText, textOf } from './options.ts'
import { writeWhole } from './whole-file.ts'

/** What a check does about its baseline: the outcomes that adds, what to say, and why it could not be done. */
export type BaselineStep = (simulation: Simulation) => {
  readonly outcomes: readonly Outcome[]
  readonly notes: readonly string[]
  readonly incomplete: readonly string[]
}

export interface BaselineSettings {
  readonly settings: ReadonlyMap<string, Resolved>
  readonly plan: Plan
  readonly rules: Rules
  readonly cwd: string
  readonly update: boolean
  commandFor(run: Run, metric: Pick<Metric, 'key'>): string
}

/**
 * Null where there is no baseline and none is wanted. The file is read at once, so that what is no baseline fails before
 * the long run.
 * @throws CtxwinError for a file that is not there or is no baseline
 */
export function baselineStep({
  settings,
  plan,
  rules,
  cwd,
  update,
  commandFor,
}: BaselineSettings): BaselineStep | null {
  const { value, origin } = settings.get('baseline') as Resolved
  if (value === false && !update) return null
  if (value === false) throw new CtxwinError('usage', '--no-baseline and --update-baseline exclude each other')
  const name = textOf(settings, 'baseline')
  const path = resolve(cwd, name)
  const madeWith = madeWithOf(settings, plan)
  if (update) {
    return ({ runs }) => {
      const sections = [rules.assert, rules.given, ...rules.overrides.map((override) => override.assert)]
      return {
        outcomes: [],
        notes: [writeBaseline(makeBaseline(runs, madeWith, sections), path, name)],
        incomplete: [],
      }
    }
  }
  const tolerance = toleranceOf(settings)
  if (origin === 'default' && !existsSync(path)) return null
  const text = readBaseline(path, name)
  const baseline = parseBaseline(text, name)
  // The limits hold whatever the baseline was made with, so this is said after them and stops nothing.
  const incomparable = whyIncomparable(baseline, madeWith, name)
  if (incomparable) return () => ({ outcomes: [], notes: [], incomplete: [incomparable.message] })
  const exists = (file: string) => existsSync(resolve(cwd, file))
  const context = { name, text, tolerance, unreadable: new Set<string>(), exists, commandFor }
  return (simulation) => ({ ...compareWithBaseline(simulation, baseline, context), incomplete: [] })
}

export function madeWithOf(settings: ReadonlyMap<string, Resolved>, plan: Plan): MadeWith {
  return {
    estimators: plan.estimators.map(({ plug, values }) => ({ name: plugWords(plug, values), version: plug.version })),
    policies: plan.policies.map(({ plug, values }) => plugWords(plug, values)),
    budgets: plan.budgets,
    preamble: plan.preamble,
    model: plan.model,
    provider: plan.provider,
    measure: textOf(settings, 'measure'),
    format: textOf(settings, 'format'),
  }
}

function toleranceOf(settings: ReadonlyMap<string, Resolved>): number {
  const word = (optionalText(settings, 'tolerance') ?? '0').replace(/\s*%$/, '')
  if (!/^\d{1,9}(\.\d+)?$/.test(word)) {
    throw new CtxwinError('bad-value', (settings.get('tolerance') as Resolved).where, word, 'a percentage such as 5')
  }
  return Number(word)
}

function readBaseline(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'there is no such file: make it with --update-baseline' : (code ?? 'it failed')
    throw new CtxwinError('unreadable', name, reason)
  }
}

/** @returns what was done, in words */
export function writeBaseline(baseline: Baseline, path: string, name: string): string {
  writeWhole(path, printJson(baseline), name)
  const files = Object.keys(baseline.files).length
  return `wrote ${name}: ${files} ${files === 1 ? 'file' : 'files'}`
}
