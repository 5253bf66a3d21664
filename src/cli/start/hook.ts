/**
 * `ctxwin advise --hook` where an earlier call has left a checkpoint. An agent waits for each of its calls, and loading
 * the whole program takes longer than the answer. So this is a bundle of its own, with only what such a call needs
 * (tools/build/bundle.mjs leaves out other policies, estimators and readers). All other calls, and all errors, are left
 * to the whole program, which gives the same answers.
 */
import { writeSync } from 'node:fs'
import { hasRoomForWasm } from '../../base/address-space.ts'
import { safeScreen } from '../../base/quoting.ts'
import { useWasm } from '../../base/wasm.ts'
import { adviceOf, answerTo, toldBy } from '../commands/advising.ts'
import { findConfig, looksForConfig, resolveSettings, runsNothing } from '../inputs/config.ts'
import type { Process } from '../output/world.ts'

/**
 * @param argv the words behind the program's name
 * @param input all of standard input
 * @returns whether it has answered; if not, nothing has been written
 */
export async function hook(
  argv: readonly string[],
  { env, cwd }: Pick<Process, 'env' | 'cwd'>,
  input: string,
): Promise<boolean> {
  useWasm(hasRoomForWasm())
  const flags = flagsOf(argv)
  if (flags === null) return false
  try {
    if (looksForConfig(flags, env) && findConfig(cwd()) !== null) return false
    const settings = resolveSettings(flags, env, null)
    if ([...settings.values()].some(({ origin }) => origin === 'environment')) return false
    const told = toldBy(input)
    // Notes are about a model that the user names, and nobody names one here.
    const world = { env, cwd, note: () => {} }
    const advice = await adviceOf({ settings, config: null, runs: runsNothing }, world, told, Date.now(), true)
    const answer = Buffer.from(safeScreen(answerTo(told, advice)))
    return answer.length === 0 || writeSync(1, answer) === answer.length
  } catch {
    return false
  }
}

/** Null for other words than those of docs/advise.md. */
function flagsOf(argv: readonly string[]): Readonly<Record<string, unknown>> | null {
  const [command, flag, budget, tokens, ...rest] = argv.filter((word) => word !== '--no-config')
  const flags = argv.includes('--no-config') ? { noConfig: false } : {}
  if (command !== 'advise' || flag !== '--hook' || rest.length > 0) return null
  if (budget === undefined) return flags
  return budget === '--budget' && tokens !== undefined && !tokens.startsWith('-')
    ? { ...flags, budget: [tokens] }
    : null
}
