/** The start of every command: its resolved settings and its output. */

import { extname } from 'node:path'
import { CtxwinError } from '../../app/index.ts'
import { toldInJson } from '../../base/addresses.ts'
import { safe } from '../../base/quoting.ts'
import { type Output, openOutput } from '../output/io.ts'
import type { Call } from './call.ts'
import { type CommandLine, commands, showsOf } from './commands.ts'
import { type Configuration, type Resolved, resolveSettings } from './config.ts'
import { Found } from './found.ts'
import { optionalText, ownModules } from './options.ts'
import { outputsOf, type ReadFile, refuseOverwriting } from './overwriting.ts'
import { atHome } from './places.ts'
import { outputNames } from './settings.ts'

export interface Session extends Configuration {
  readonly output: Output
}

/** @throws CtxwinError for a bad config file, an unknown setting, an output that cannot be written, or is a file that is read */
export async function openSession(call: Call): Promise<Session> {
  const configuration = await readSettings(call)
  const output = openOutput(call.world, optionalText(configuration.settings, 'outputFile'))
  return { ...configuration, output }
}

/** What a command reads: what is named on the command line, else by the config file; none where neither names any. */
export function inputsOf({ inputs, world }: Call, settings: ReadonlyMap<string, Resolved>): readonly string[] {
  if (inputs.length > 0) return inputs
  const configured = (settings.get('inputs')?.value ?? []) as readonly string[]
  // A shell would have replaced `~`, but no shell has seen these words.
  return configured.map((word) => atHome(word, world) ?? word)
}

/** The directory that no file of these may lie outside of, by a link; null where somebody named them, or trusts who did. */
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

/** The form that the name of the file for the result asks for, where no flag says one. */
function formByEnding({ command, flags }: Call): { readonly output?: string } {
  const line: CommandLine | undefined = commands.find(({ name }) => name === command)
  const form = endings[extname(String(flags.outputFile ?? '')).toLowerCase()]
  if (form === undefined || !line?.settings.includes('output')) return {}
  return [...outputNames, ...(line.otherWords?.output ?? [])].includes(form) ? { output: form } : {}
}

/** A gate without its configuration would hold nothing to anything. */
function tellLeftOut(found: Found, { command, flags, world }: Call): void {
  const told = found.told()
  if (told === null) return
  if (command === 'check' && flags.printConfig !== true) throw new CtxwinError('usage', told)
  world.say(told)
}

/** Files that are read besides transcripts. */
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

/** One line per setting: its value and where it comes from. What a command chooses by itself is told by its help. */
export function* describeSettings(settings: ReadonlyMap<string, Resolved>, command: string): Generator<string> {
  const line: CommandLine | undefined = commands.find(({ name }) => name === command)
  const chosen: readonly string[] = line?.otherDefaults ?? []
  const width = [...settings.keys()].reduce((most, key) => Math.max(most, key.length), 0)
  for (const [key, { value, origin, where }] of settings) {
    const source = origin === 'default' ? 'default' : where
    const isChosen = origin === 'default' && chosen.includes(key)
    const shown = key === 'redactKey' && value !== null ? '(a secret)' : JSON.stringify(value, toldInJson)
    const told = isChosen ? `(chosen by ${command}: see its --help)` : `${shown}  (${source})`
    yield `${safe(`${key.padEnd(width)}  ${told}`)}\n`
  }
}
