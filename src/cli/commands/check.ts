/** `check`: for CI. Simulates as `simulate` does, and compares the figures with limits and a baseline. */
import { posix } from 'node:path'
import picomatch from 'picomatch'
import { CtxwinError, type Plan } from '../../app/index.ts'
import type { Matches, Rules } from '../../check/assertions.ts'
import { unexplainedUsage } from '../../check/compare-usage.ts'
import { evaluate } from '../../check/evaluate.ts'
import { type CheckResult, resultOf } from '../../check/outcome.ts'
import { unreadable } from '../../check/unusable.ts'
import type { Call } from '../inputs/call.ts'
import { misuse } from '../inputs/misuse.ts'
import { isPart, planOf, valueFor } from '../inputs/options.ts'
import { reproduction } from '../inputs/reproduce.ts'
import { rulesOf } from '../inputs/rules.ts'
import { inputsOf, readSettings } from '../inputs/session.ts'
import { baselineStep, madeWithOf, withBaselineFile } from './gate/baseline.ts'
import { measure } from './gate/measuring.ts'
import { checkProbe } from './gate/probe.ts'
import { openSinks } from './gate/sinks.ts'

export async function run(call: Call): Promise<number> {
  const { world, flags } = call
  if (flags.init === true) return (await import('./gate/init.ts')).init(call)
  if (flags.journal !== undefined) return checkProbe(call, String(flags.journal))
  const configuration = await readSettings({ ...call, flags: withBaselineFile(flags) })
  const { settings, config } = configuration
  const inputs = inputsOf(call, settings)
  const rules = rulesOf(settings, config)
  const plan = planFor(rules, await planOf(configuration, world))
  const maxWarnings = valueFor(settings, 'maxWarnings')
  const commandFor = reproduction(settings, plan)
  const update = flags.updateBaseline === true
  if (update && (settings.get('shard')?.value !== null || isPart(settings))) {
    const without = '--shard and --output partial'
    throw misuse(`a baseline is made from all files at once: use --update-baseline without ${without}`)
  }
  const baseline = baselineStep({ settings, plan, rules, cwd: world.cwd(), update, inputs, commandFor })
  if (!baseline && rules.assert.size + rules.given.size + rules.overrides.length === 0) {
    throw new CtxwinError('nothing-checked', 'there is no limit')
  }
  const sinks = openSinks(settings, flags, world)
  const measured = await measure(call, configuration, plan)
  const { simulation, code, unusable, leftOut } = measured
  if (measured.isPart) return code
  const lost = unreadable(unusable, (file) => baseline?.knows(file) === true, valueFor(settings, 'strict'))
  const asserted = evaluate(simulation, rules, globs(), commandFor)
  const nothing = simulation.runs.length === 0
  if (
    !baseline &&
    !nothing &&
    lost.length === 0 &&
    asserted.every(({ status, actual }) => status === 'skipped' || actual === null)
  ) {
    throw new CtxwinError('nothing-checked', 'no transcript has a figure that a limit is set for')
  }
  // Files that could not be read would be missing in the baseline.
  const unfit = update && (code !== 0 || nothing || lost.some(({ level }) => level === 'error'))
  const compared = unfit
    ? notWritten
    : baseline?.take(simulation, { unreadable: new Set(unusable.map(({ file }) => file)), leftOut })
  const transcripts = simulation.runs.length / (plan.policies.length * plan.estimators.length * plan.budgets.length)
  const unheld = baseline && !update ? [] : unexplainedUsage(simulation.runs)
  const outcomes = [...lost, ...asserted, ...unheld, ...(compared?.outcomes ?? [])]
  const incomplete = [
    ...(code === 0 ? [] : [nothing ? 'no transcript was read' : 'not every input could be read']),
    ...(compared?.incomplete ?? []),
  ]
  const result = resultOf(
    madeWithOf(settings, plan),
    transcripts,
    outcomes,
    compared?.notes ?? [],
    simulation.diagnostics,
    incomplete,
  )
  for (const sink of sinks) await sink(result)
  // If all reporters write to files, the user should still see why the check is incomplete.
  for (const reason of compared?.incomplete ?? []) world.say(reason)
  return code !== 0 ? code : exitCode(result, maxWarnings)
}

const notWritten = {
  outcomes: [],
  notes: [],
  incomplete: ['the baseline was not written: mend or remove first what cannot be read'],
}

/** Lost references take time to find, so they are measured only if a limit is set on them. */
function planFor(rules: Rules, plan: Plan): Plan {
  const sections = [rules.assert, rules.given, ...rules.overrides.map((override) => override.assert)]
  const wanted = sections.some((section) =>
    [...section.values()].some((assertion) => /^references\.|^today\.headline/.test(assertion?.metric.key ?? '')),
  )
  return { ...plan, references: wanted }
}

function exitCode({ errors, warnings, incomplete }: CheckResult, maxWarnings: number | null): number {
  if (incomplete.length > 0) return 2
  return errors > 0 || (maxWarnings !== null && warnings > maxWarnings) ? 1 : 0
}

/** Compiles each pattern once, however many files it is matched against. */
function globs(): Matches {
  const known = new Map<string, (file: string) => boolean>()
  return (file, pattern) => {
    const matches = known.get(pattern) ?? picomatch(posix.normalize(pattern), { dot: true })
    known.set(pattern, matches)
    return matches(file)
  }
}
