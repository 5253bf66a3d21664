/**
 * `check --init`: writes a config file with comments and a first baseline from the given transcripts. A check with them
 * passes.
 *
 * A gate needs a ruler that does not bend with what it measures. The usual estimator, `auto`, is fitted to the recorded
 * usage of each file anew, so that 3,000 characters more in a message can leave every figure as it was. So it chooses
 * `bytes`, of which each one counts, and takes from the usage of all transcripts together only how many make a token,
 * once, as a number in the config file: limits mean tokens then, and stay where they are.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { CtxwinError, type Run } from '../../../app/index.ts'
import { type BytesPerToken, recordedBytesPerToken } from '../../../app/quality/witness.ts'
import { whileLocked } from '../../../cache/lock.ts'
import { unexplainedUsage } from '../../../check/compare-usage.ts'
import { makeBaseline } from '../../../check/make-baseline.ts'
import { unreadable } from '../../../check/unusable.ts'
import { several } from '../../../reports/numbers.ts'
import type { Call } from '../../inputs/call.ts'
import { howRead } from '../../inputs/commands.ts'
import type { Settings } from '../../inputs/config.ts'
import { misuse } from '../../inputs/misuse.ts'
import { filterNamed, isDefault, planOf, settingOf } from '../../inputs/options.ts'
import { choosing } from '../../inputs/selection.ts'
import { inputsOf, readSettings } from '../../inputs/session.ts'
import { setting } from '../../inputs/settings.ts'
import { followLinks, refuseLink, writeTogether } from '../../output/whole-file.ts'
import { quietly } from '../../output/world.ts'
import { windowsOf } from '../views/windows.ts'
import { baselineText, madeWithOf, toldOf } from './baseline.ts'
import { measure, portable } from './measuring.ts'

const file = 'ctxwin.config.jsonc'
const baselineFile = 'ctxwin-baseline.json'

/** For editors, where ctxwin is installed here. */
const schema = 'node_modules/ctxwin/docs/schema/config.schema.json'

const other = 'add what is missing there, and make a baseline with ctxwin check --update-baseline'

export async function init(call: Call): Promise<number> {
  const { world } = call
  if (call.inputs.length === 0 && !world.stdin.isTTY) {
    throw misuse('check --init without a terminal: name the transcripts')
  }
  const configuration = await readSettings(call)
  const { config } = configuration
  if (config && config.name !== file)
    throw new CtxwinError('config', config.name, `it holds settings already: ${other}`)
  const path = (name: string) => resolve(world.cwd(), name)
  // Before a long run, and again when they are written: another may have made them since.
  refuseExisting(call)
  const filter = filterNamed(configuration.settings)
  if (filter !== undefined) {
    throw misuse(`${filter} runs a program, which no config file may name: leave it out`)
  }
  const given = inputsOf(call, configuration.settings)
  const inputs = given.length > 0 ? given.map((word) => portable(word, world.cwd())) : ['.']
  const measureBy = async (estimator: string | null, told = world) => {
    const settings = new Map(configuration.settings)
    const { where } = settingOf(settings, 'estimator')
    if (estimator !== null) settings.set('estimator', { value: estimator, origin: 'default', where })
    const changed = { ...configuration, settings }
    const plan = await planOf(changed, told)
    const measuring = { ...call, ...(given.length === 0 && { inputs }), world: told }
    const measured = await measure(measuring, changed, { ...plan, references: false })
    return { settings, plan, ...measured }
  }
  const isFree = isDefault(configuration.settings, 'estimator')
  let measured = await measureBy(isFree ? 'bytes' : null)
  if (measured.code !== 0) return measured.code
  // These files would fail the first check.
  const lost = unreadable(measured.unusable, () => false, false).filter(({ level }) => level === 'error')
  for (const { file: lostFile, message } of lost) world.say(`${lostFile}: ${message}`)
  if (lost.length > 0) return 2
  const perToken = isFree ? recordedBytesPerToken(measured.simulation.runs) : null
  if (perToken) measured = await measureBy(`bytes:bytesPerToken=${perToken.bytes}`, quietly(world))
  const { settings, plan, simulation, code } = measured
  if (code !== 0) return code
  for (const { file: lossy, message } of unexplainedUsage(simulation.runs)) world.say(`${lossy}: ${message}`)
  const why = isFree ? [whyBytes(perToken)] : []
  const baseline = makeBaseline(simulation.runs, madeWithOf(settings, plan), [])
  const hasSchema = existsSync(path(schema))
  whileLocked(followLinks(path(baselineFile)), baselineFile, () => {
    refuseExisting(call)
    // The baseline first, because the config file names it: no check is to look for one that is not there.
    writeTogether([
      { path: path(baselineFile), name: baselineFile, text: baselineText(baseline) },
      { path: path(file), name: file, text: configText(settings, inputs, simulation.runs, why, hasSchema) },
    ])
  })
  const told = `${toldOf(baseline, baselineFile)} under ${windowsOf(plan)}`
  world.stdout.write([`wrote ${file}`, told, ...why, 'From now on: ctxwin check', ''].join('\n'))
  return 0
}

/** @throws CtxwinError for a file that is there already, unless --force overwrites it, and for a link */
function refuseExisting({ world, flags }: Call): void {
  for (const name of [file, baselineFile]) {
    const old = refuseLink(resolve(world.cwd(), name), name, 'remove it first')
    if (old && flags.force !== true) throw new CtxwinError('exists', name)
  }
}

/** Why this estimator, in a sentence for the terminal and for the config file. */
function whyBytes(perToken: BytesPerToken | null): string {
  const source = perToken
    ? `${perToken.bytes} to a token, as ${several(perToken.transcripts, 'transcript')} recorded it`
    : '4 to a token, for too little usage is recorded'
  return `counted by bytes, ${source}: auto is fitted to each file anew, and edited text can hide behind that`
}

/** Settings that change figures; the given ones go into the config file. */
const kept = ['policy', 'budget', 'model', 'preamble', 'provider', 'measure', ...howRead, ...choosing] as const

function configText(
  settings: Settings,
  inputs: readonly string[],
  runs: readonly Run[],
  why: readonly string[],
  hasSchema: boolean,
): string {
  const value = (key: string) => JSON.stringify(settings.get(key)?.value)
  // Without a budget no request is over one.
  const hasBudget = runs.some(({ budget }) => budget > 0)
  const worst = (figure: (run: Run) => number) => runs.reduce((most, run) => Math.max(most, figure(run)), 0)
  const given = kept
    .filter((key) => settings.get(key)?.origin !== 'default')
    .map((key) => `  // ${setting(key).help}\n  "${key}": ${value(key)},\n`)
  return `// Settings of ctxwin. Flags and CTXWIN_* variables win over them; ctxwin --print-config shows what counts.
{
${hasSchema ? `  "$schema": "./${schema}",\n` : ''}  // The transcripts, from here: files, directories, globs. What is named on the command line is read instead.
  "inputs": ${JSON.stringify(inputs)},
  // How tokens are counted. The figures of the baseline depend on it, and on "policy" and "budget": without these a check
  // measures what the agent did, and with them they are those of every command here. After a change:
  // ctxwin check --update-baseline.
${why.map((words) => `  // ${words[0]?.toUpperCase()}${words.slice(1)}.\n`).join('')}  "estimator": ${value('estimator')},
${given.join('')}
  // Limits of ctxwin check: max or min, and the key of any figure in ctxwin simulate --output json. A limit is a value,
  // or ["warn" or "error", value, { "aggregate": "each", "max", "median" or "sum" }].
  "assert": {
    // The fullest request today: ${worst((run) => run.peakTokens)}
    // "maxPeakTokens": "100k",
    // "minCostSavedPercent": 0,
    // "maxLostReferencePercent": ["warn", 5],
    // As it is today, in the worst transcript; lower is better.
${hasBudget ? `    "maxOverBudgetRequests": ${worst((run) => run.overBudgetRequests)},\n` : ''}    "orphanedPairs": ${worst(({ validity }) => validity.orphanCalls + validity.orphanResults)},
    "maxDamagedLines": ${worst((run) => run.damagedLines)}
  },

  // Other limits for some files; later ones win.
  // "overrides": [{ "files": "long/**", "assert": { "maxPeakTokens": "200k" } }],

  // Figures that nothing may be worse than.
  // "tolerance": "+2%",
  "baselineFile": "${baselineFile}"
}
`
}
