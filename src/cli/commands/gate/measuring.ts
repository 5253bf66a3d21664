/** Makes the runs that a check and its baseline use: by request, with file names that are the same on every machine. */
import { isAbsolute, posix, relative, sep } from 'node:path'
import { simulateFiles } from '../../../app/analyse.ts'
import type { Plan, Simulation } from '../../../app/index.ts'
import type { Unusable } from '../../../check/unusable.ts'
import type { Call } from '../../inputs/call.ts'
import type { Configuration } from '../../inputs/config.ts'
import { Reading } from '../../inputs/reading.ts'
import { boundOf, inputsOf } from '../../inputs/session.ts'

export interface Measured {
  readonly simulation: Simulation
  /** A part of the result was written, and there is nothing to say of it. */
  readonly isPart: boolean
  /** The exit code that the reading alone calls for: 0 where every input was read. */
  readonly code: number
  readonly unusable: readonly Unusable[]
  /** Files of which a setting such as `--since` has left a transcript out. */
  readonly leftOut: ReadonlySet<string>
}

export async function measure(call: Call, configuration: Configuration, plan: Plan): Promise<Measured> {
  const inputs = inputsOf(call, configuration.settings).map((word) => portable(word, call.world.cwd()))
  const reading = await Reading.of({ ...call, inputs }, configuration, { bound: boundOf(call, configuration) })
  // Limits and the baseline are of each file: they do not depend on what else lies beside it.
  const simulation = await simulateFiles(reading.read, plan, { by: 'request', apart: true, witness: true })
  return {
    simulation,
    isPart: reading.isPart,
    code: reading.finish(simulation.runs.length),
    unusable: reading.unusable,
    leftOut: reading.leftOut,
  }
}

/** One name for a file, however the user named it: results are compared and committed, also on other machines. */
export function portable(word: string, cwd: string): string {
  if (word === '-' || word === '') return word
  const inside = isAbsolute(word) ? relative(cwd, word) : word
  const name = inside === '' ? '.' : isAbsolute(inside) || inside.startsWith('..') ? word : inside
  return posix.normalize(name.split(sep).join('/'))
}
