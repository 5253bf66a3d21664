/** The start of every command: its resolved settings and its output. */

import { extname } from 'node:path'
import { toldInJson } from '../../base/addresses.ts'
import { safe } from '../../base/quoting.ts'
import { type Output, openOutput } from '../output/io.ts'
import type { Call } from './call.ts'
import { lineOf, showsOf } from './commands.ts'
import { type Configuration, resolveSettings, type Settings } from './config.ts'
import { Found } from './found.ts'
import { misuse } from './misuse.ts'
import { ownModules, valueFor } from './options.ts'
import { outputsOf, type ReadFile, refuseOverwriting } from './overwriting.ts'
import { atHome } from './places.ts'
import { outputNames } from './settings.ts'

export interface Session extends Configuration {
  readonly output: Output
}

/**
 * @throws CtxwinError for a bad config file, an unknown setting, an output that cannot be written, or is a file that is
 * read
 */
export async function openSession(call: Call): Promise<Session> {
  const configuration = await readSettings(call)
  const output = openOutput(call.world, valueFor(configuration.settings, 'outputFile'))
  return { ...configuration, output }
}

/** The inputs of the command line, else those of the config file; none if neither names any. */
export function inputsOf({ inputs, world }: Call, settings: Settings): readonly string[] {
  if (inputs.length > 0) return inputs
  const configured = (settings.get('inputs')?.value ?? []) as readonly string[]
  // A shell would have replaced `~`, but no shell has seen these words.
  return configured.map((word) => atHome(word, world) ?? word)
}

/**
 * The directory that links may not lead out of; null if the user named the inputs, or trusts the config file that did.
 */
export function boundOf({ inputs, world }: Call, { settings, runs }: Configuration): string | null {
  const isFound = inputs.length === 0 && settings.get('inputs')?.origin === 'config' && runs.config === null
  return isFound ? world.cwd() : null
}

/** @throws CtxwinError as `openSession`; in a command of CI, also where something is left out that nobody named */
export async function readSettings(call: Call): Promise<Configuration> {
  if (call.configuration) return call.configuration
  const { flags, world } = call
  const found = new Found(call)
  const config = await found.config()
  const given = {
    ...formByEnding(call),
    ...flags,
    ...(flags.json === true ? { output: 'json', reporter: 'json' } : {}),
  }
  const settings = resolveSettings(given, world.env, config, showsOf(call.command), found.counts)
  const configuration = { settings, config, runs: found.runs }
  tellLeftOut(found, call)
  await refuseOverwriting(outputsOf(flags), filesBehind(configuration), world.cwd())
  return configuration
}

const endings: Readonly<Record<string, string>> = {
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.csv': 'csv',
  '.md': 'markdown',
  '.html': 'html',
  '.svg': 'svg',
  '.jsonc': 'config',
}

/** The form that the result file's ending asks for, if it names one. */
function formByEnding({ command, flags }: Call): { readonly output?: string } {
  const line = lineOf(command)
  const form = endings[extname(String(flags.outputFile ?? '')).toLowerCase()]
  if (form === undefined || !line?.settings.includes('output')) return {}
  return [...outputNames, ...(line.otherWords?.output ?? [])].includes(form) ? { output: form } : {}
}

/** A check without its configuration would check nothing, so it fails. */
function tellLeftOut(found: Found, { command, flags, world }: Call): void {
  const told = found.told()
  if (told === null) return
  if (command === 'check' && flags.printConfig !== true) throw misuse(told)
  world.say(told)
}

/** The files that are read besides transcripts. */
function* filesBehind({ settings, config }: Configuration): Generator<ReadFile> {
  if (config) yield { file: config.name, is: 'the config file' }
  yield* ownModules(settings)
  for (const [key, is] of [
    ['prices', 'the price file'],
    ['baselineFile', 'the baseline'],
  ] as const) {
    const file = settings.get(key)?.value
    if (typeof file === 'string') yield { file, is }
  }
}

/** One line per setting: its value and where it comes from. What the command chooses itself is in its help. */
export function* describeSettings(settings: Settings, command: string): Generator<string> {
  const chosen: readonly string[] = lineOf(command)?.otherDefaults ?? []
  const width = [...settings.keys()].reduce((most, key) => Math.max(most, key.length), 0)
  for (const [key, { value, origin, where }] of settings) {
    const source = origin === 'default' ? 'default' : where
    const isChosen = origin === 'default' && chosen.includes(key)
    const shown = key === 'redactKey' && value !== null ? '(a secret)' : JSON.stringify(value, toldInJson)
    const told = isChosen ? `(chosen by ${command}: see its --help)` : `${shown}  (${source})`
    yield `${safe(`${key.padEnd(width)}  ${told}`)}\n`
  }
}
