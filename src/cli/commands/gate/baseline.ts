/** Reads a baseline, compares runs with it, and writes it. */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import picomatch from 'picomatch'
import { CtxwinError, type Plan, type Run, type Simulation } from '../../../app/index.ts'
import { whileLocked } from '../../../cache/lock.ts'
import type { Rules, Section } from '../../../check/assertions.ts'
import {
  type Baseline,
  filesOfBaseline,
  isBaseline,
  type MadeWith,
  parseBaseline,
  whyIncomparable,
} from '../../../check/baseline.ts'
import { compareWithBaseline } from '../../../check/compare-baseline.ts'
import { pluginWords } from '../../../check/labels.ts'
import { baselineData, makeBaseline, mergeBaselines, unfit } from '../../../check/make-baseline.ts'
import type { Metric } from '../../../check/metrics.ts'
import type { Outcome } from '../../../check/outcome.ts'
import { printJson } from '../../../reports/json.ts'
import type { Resolved, Settings } from '../../inputs/config.ts'
import { misuse } from '../../inputs/misuse.ts'
import { readText } from '../../inputs/named-file.ts'
import { mayBeName, withMembers } from '../../inputs/open.ts'
import { isDefault, textOf, toleranceOf, valueFor } from '../../inputs/options.ts'
import { followLinks, targetOf, writeWhole } from '../../output/whole-file.ts'
import { portable } from './measuring.ts'

/** A check has no other baseline than a file: `--baseline` means that too, and `--no-baseline` none. */
export function withBaselineFile({
  baseline,
  ...flags
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return baseline === undefined ? flags : { baselineFile: baseline, ...flags }
}

/** The part of a check that deals with its baseline. */
export interface BaselineStep {
  /** Whether a file is in the baseline that is compared with. */
  knows(file: string): boolean
  take(simulation: Simulation, absent: Absent): BaselineResult
}

/** Why a file may lack runs. */
export interface Absent {
  /** It held no transcript. */
  readonly unreadable: ReadonlySet<string>
  /** A setting such as `--since` left a transcript of it out. */
  readonly leftOut: ReadonlySet<string>
}

export interface BaselineResult {
  readonly outcomes: readonly Outcome[]
  readonly notes: readonly string[]
  /** Why the check is incomplete. */
  readonly incomplete: readonly string[]
}

export interface BaselineSettings {
  readonly settings: Settings
  readonly plan: Plan
  readonly rules: Rules
  readonly cwd: string
  readonly update: boolean
  /** Files, directories and globs that the check is about. */
  readonly inputs: readonly string[]
  commandFor(run: Run, metric: Pick<Metric, 'key'>): string | null
}

/**
 * Null if there is no baseline and none is wanted. The file is read first, so that a bad one fails before a long run.
 * @throws CtxwinError if the file does not exist, is not a baseline, or may not be overwritten
 */
export function baselineStep(given: BaselineSettings): BaselineStep | null {
  const { settings, plan, rules, cwd, update, commandFor } = given
  const { value, origin, where } = settings.get('baselineFile') as Resolved
  // In the environment everything is text; on the command line a file may have this name.
  if (value === false || (origin === 'environment' && value === 'false')) {
    if (!update) return null
    const told = origin === 'flag' ? '--no-baseline' : `${where} is false`
    throw misuse(`${told}, but --update-baseline needs a file: name it with --baseline`)
  }
  const name = textOf(settings, 'baselineFile')
  const path = resolve(cwd, name)
  const madeWith = madeWithOf(settings, plan)
  if (update) return updating(given, name, path, origin === 'flag', madeWith)
  const { percent: tolerance } = toleranceOf(settings, '0%')
  if (origin === 'default' && !existsSync(path)) return null
  const text = readText(path, name, ': make it with --update-baseline')
  const baseline = parseBaseline(text, name)
  const damaged = new Set(baseline.faults.map(({ file }) => file))
  const knows = (file: string) => baseline.files.has(file) || damaged.has(file)
  // The limits hold whatever the baseline was made with, so this is said after them and stops nothing.
  const incomparable = whyIncomparable(
    baseline,
    madeWith,
    name,
    !isDefault(settings, 'policy') || !isDefault(settings, 'budget'),
  )
  if (incomparable) return { knows, take: () => ({ outcomes: [], notes: [], incomplete: [incomparable.message] }) }
  const exists = (file: string) => existsSync(resolve(cwd, file))
  const limited = limitedBy([rules.assert, ...rules.overrides.map((override) => override.assert)])
  const context = { name, tolerance, limited, exists, commandFor }
  return {
    knows,
    take: (simulation, { unreadable, leftOut }) => {
      const excused = new Set([...unreadable, ...withMembers(leftOut, baseline.files.keys())])
      return { ...compareWithBaseline(simulation, baseline, { ...context, excused }), incomplete: [] }
    },
  }
}

/** The figures that sections set limits on. */
function limitedBy(sections: readonly Section[]): string[] {
  return [...new Set(sections.flatMap((section) => [...section.values()].flatMap((one) => one?.metric.key ?? [])))]
}

function updating(
  { rules, cwd, inputs }: BaselineSettings,
  name: string,
  path: string,
  said: boolean,
  madeWith: MadeWith,
): BaselineStep {
  // Before a long run, and again when it is written.
  overwritable(path, name, cwd, said)
  const sections = [rules.assert, rules.given, ...rules.overrides.map((override) => override.assert)]
  const given = coverage(inputs.filter(mayBeName).map((word) => portable(word, cwd)))
  return {
    // An update accepts the current figures.
    knows: () => false,
    take: ({ runs }, { unreadable, leftOut: files }) =>
      whileLocked(followLinks(path), name, () => {
        const old = overwritable(path, name, cwd, said)
        const leftOut = withMembers(files, old === null ? [] : filesOfBaseline(old))
        const isThere = (file: string) => leftOut.has(file) || existsSync(resolve(cwd, file))
        const isGone = (file: string) => given(file) && (unreadable.has(file) || !isThere(file))
        const fresh = makeBaseline(runs, madeWith, sections)
        const { baseline, kept, dropped } =
          old === null ? { baseline: fresh, kept: [], dropped: [] } : mergeBaselines(old, fresh, isGone, leftOut)
        const outcomes = unfit(runs, sections)
        if (baseline === null) {
          const reason = `${name} was not written: it was made in another way or is damaged, and has ${listed(kept)} besides: check them too, or remove ${name} first`
          return { outcomes, notes: [], incomplete: [reason] }
        }
        writeWhole(path, baselineText(baseline), name)
        const notes = [
          toldOf(baseline, name),
          ...(kept.length > 0 ? [`kept what it has of ${listed(kept)}, not checked now`] : []),
          ...(dropped.length > 0 ? [`dropped what it had of ${listed(dropped)}, gone by now`] : []),
        ]
        return { outcomes, notes, incomplete: [] }
      }),
  }
}

function listed(files: readonly string[]): string {
  const most = 10
  const more = files.length > most ? ` and ${files.length - most} more` : ''
  return `${files.length} ${files.length === 1 ? 'file' : 'files'} (${files.slice(0, most).join(', ')}${more})`
}

/** Whether the inputs of a check name a file: itself, its directory, or a glob that matches. */
function coverage(words: readonly string[]): (file: string) => boolean {
  const places = words.map((word) => word.replace(/\/$/, ''))
  const globs = places.map((place) => picomatch(place, { dot: true }))
  const inside = (file: string) => !isAbsolute(file) && file.split('/')[0] !== '..'
  return (file) =>
    places.some((place) => file === place || file.startsWith(`${place}/`) || (place === '.' && inside(file))) ||
    globs.some((matches) => matches(file))
}

/**
 * The text of the file that a new baseline would replace; null if there is none. A config file may come with a cloned
 * repository: the path it names must be inside the repository, and only a baseline is overwritten.
 * @param said the user named the file on the command line
 */
function overwritable(path: string, name: string, cwd: string, said: boolean): string | null {
  const target = targetOf(path, name)
  const top = realpathSync(topOf(cwd))
  const way = relative(top, target.path)
  if (!said && (way.split(sep)[0] === '..' || isAbsolute(way))) {
    throw new CtxwinError('unwritable', name, 'it is outside the repository: say so with --baseline')
  }
  if (target.old === null) return null
  const text = target.inPlace ? '' : readText(path, name, ': make it with --update-baseline')
  if (isBaseline(text)) return text
  throw new CtxwinError(
    'unwritable',
    name,
    'what is there is no baseline: remove it, or name another file with --baseline',
  )
}

/** The top of the repository that a directory is in, else the directory itself. */
function topOf(directory: string): string {
  for (let here = resolve(directory); ; here = dirname(here)) {
    if (existsSync(join(here, '.git'))) return here
    if (dirname(here) === here) return directory
  }
}

export function madeWithOf(settings: Settings, plan: Plan): MadeWith {
  return {
    estimators: plan.estimators.map(({ plugin, values }) => ({
      name: pluginWords(plugin, values),
      version: plugin.version,
    })),
    policies: plan.policies.map(({ plugin, values }) => pluginWords(plugin, values)),
    budgets: plan.budgets,
    preamble: plan.preamble ?? 'auto',
    model: plan.model ?? null,
    provider: plan.provider ?? null,
    measure: valueFor(settings, 'measure'),
    format: textOf(settings, 'format'),
  }
}

export const baselineText = (baseline: Baseline): string => printJson(baselineData(baseline))

/** What was written, in words. */
export function toldOf(baseline: Baseline, name: string): string {
  const files = baseline.files.size
  return `wrote ${name}: ${files} ${files === 1 ? 'file' : 'files'}`
}
