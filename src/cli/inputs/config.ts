/**
 * Resolves each setting: from flags, then `CTXWIN_*`, then the config file, then the default. Config files are looked
 * for in the working directory only. Nothing is run here: found.ts says what may be.
 */

import { existsSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { CtxwinError } from '../../app/index.ts'
import { closest } from '../../base/closest.ts'
import { lineOfFault } from '../../base/json-fault.ts'
import { placesIn } from '../../base/json-places.ts'
import { isConfigModule } from './module-words.ts'
import { readBytes } from './named-file.ts'
import type { Readable } from './own-module.ts'
import { type Setting, type Shows, settings, usualWindow, variableOf } from './settings.ts'

export type Origin = 'flag' | 'environment' | 'config' | 'default'

export interface Resolved {
  readonly value: unknown
  readonly origin: Origin
  /** The place, for messages: `--budget`, `CTXWIN_BUDGET`, `budget in ctxwin.config.json`. */
  readonly where: string
}

/** All settings, by key. */
export type Settings = ReadonlyMap<string, Resolved>

export interface ConfigFile {
  readonly name: string
  readonly values: Readonly<Record<string, unknown>>
}

/** All settings of a command, and the config file for its larger parts. */
export interface Configuration {
  readonly settings: Settings
  readonly config: ConfigFile | null
  /** By origin of a setting: what a module it names may read while it loads; null = it is not loaded. */
  readonly runs: Readonly<Record<Exclude<Origin, 'default'>, Readable | null>>
}

/** Runs no code, whatever names it. */
export const runsNothing: Configuration['runs'] = { flag: null, environment: null, config: null }

/** Parts of a config file that are not settings: a command reads them as a whole. */
const sections = ['policies', 'overrides'] as const

/** The schema of the file, for editors. */
const schemaKey = '$schema'

/** The names that are looked for, in this order. */
export const configNames = [
  'ctxwin.config.json',
  'ctxwin.config.jsonc',
  'ctxwin.config.js',
  'ctxwin.config.mjs',
  'ctxwin.config.cjs',
  'ctxwin.config.ts',
  'package.json',
]

/** A config file before it is interpreted. */
export interface ConfigSource {
  readonly name: string
  readonly path: string
  /** Null for a module, which has to be run first. */
  readonly data: { readonly bytes: Buffer; readonly value: unknown } | null
}

/**
 * The config file of a directory; null when there is none. Nothing of it is run.
 * @throws CtxwinError if it cannot be read, or is no JSON
 */
export function findConfig(directory: string): ConfigSource | null {
  for (const name of configNames) {
    // A link may lead to a device, which has no end.
    if (!statSync(resolve(directory, name), { throwIfNoEntry: false })?.isFile()) continue
    const source = configAt(directory, name)
    // A package.json has other uses: it counts only if it has a part for ctxwin.
    if (source.data === null || source.data.value !== undefined) return source
  }
  return null
}

/**
 * The config file of this name. Nothing of it is run.
 * @throws CtxwinError if it cannot be read, or is no JSON
 */
export function configAt(directory: string, name: string): ConfigSource {
  const path = resolve(directory, name)
  return { name, path, data: isConfigModule(path) ? null : dataAt(path, name) }
}

/**
 * The settings of a config file.
 * @param value what it holds, or exports
 * @param directory the working directory
 * @throws CtxwinError if that is no object, or has an unknown key
 */
export function configOf({ name, path }: ConfigSource, value: unknown, directory: string): ConfigFile {
  const values = checkConfig(name, value)
  return { name, values: { ...values, ...inputsOf(values, name, directory, relative(directory, dirname(path))) } }
}

/**
 * Its `inputs`, as they are called in the working directory.
 * @param place the directory of the config file, from there
 */
function inputsOf(
  { inputs = null }: ConfigFile['values'],
  name: string,
  directory: string,
  place: string,
): { inputs?: string[] } {
  if (inputs === null) return {}
  const words = [inputs].flat()
  const isWord = (word: unknown): word is string => typeof word === 'string' && word !== ''
  if (words.length === 0 || !words.every(isWord)) {
    throw new CtxwinError('bad-value', `inputs in ${name}`, inputs, 'a file, a directory, a glob or a list of them')
  }
  const isElsewhere = (word: string) => isAbsolute(word) || /^(-$|~)/.test(word)
  // A single word that is no file could be the id of a session, which only the command line may name.
  const mayBeId = (word: string) => /^[\w-]+$/.test(word) && !existsSync(resolve(directory, word))
  const called = (word: string) => (isElsewhere(word) || place === '' ? word : join(place, word))
  return { inputs: words.map((word) => (mayBeId(word) ? `./${called(word)}` : called(word))) }
}

/** Its value is undefined for a package.json without a part for ctxwin. */
function dataAt(path: string, name: string): ConfigSource['data'] {
  const bytes = readBytes(path, name)
  const written = bytes.toString().replace(/^\ufeff/, '')
  const text = path.endsWith('.jsonc') ? withoutComments(written) : written
  const isPackage = basename(path) === 'package.json'
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    if (isPackage && !/"ctxwin"\s*:/.test(text)) return { bytes, value: undefined }
    const hint = text === written ? ' (comments and commas at the end of a list need .jsonc)' : ''
    throw new CtxwinError('config', `${name}:${lineOfFault(text)}`, `it is not JSON from here on${hint}`)
  }
  // JSON.parse silently takes the last of two equal keys, so the one that people read first would not count.
  const twice = placesIn(text, 0).doubled.find(({ path: [first] }) => !isPackage || first === 'ctxwin')
  if (twice) {
    const key = JSON.stringify(twice.path.join('.'))
    throw new CtxwinError('config', `${name}:${twice.line}`, `${key} stands here a second time: remove one of them`)
  }
  return { bytes, value: isPackage ? (value as { ctxwin?: unknown } | null)?.ctxwin : value }
}

/** JSON with comments as JSON: comments and trailing commas become blanks, so that line numbers stay the same. */
function withoutComments(text: string): string {
  const blank = (part: string) => (part.startsWith('"') ? part : part.replaceAll(/[^\n]/g, ' '))
  // An unclosed string matches up to its line's end: otherwise a text of a million quotes would take quadratic time.
  const string = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"?/.source
  return text
    .replaceAll(new RegExp(`${string}|//[^\\n]*|/\\*[^]*?(?:\\*/|$)`, 'g'), blank)
    .replaceAll(new RegExp(`${string}|,(?=\\s*[}\\]])`, 'g'), blank)
}

function checkConfig(name: string, value: unknown): Readonly<Record<string, unknown>> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new CtxwinError('config', name, 'it must hold an object')
  }
  const known = [...settings.filter((setting) => !setting.flagOnly).map(({ key }) => key), ...sections, schemaKey]
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) throw unknown(`setting in ${name}`, key, known)
  }
  return value as Readonly<Record<string, unknown>>
}

function unknown(kind: string, name: string, known: readonly string[]): CtxwinError {
  return new CtxwinError('unknown-name', kind, name, closest(name, known, 'ctxwin --print-config lists all'))
}

/**
 * The value of every setting and where it comes from.
 * @param shows what is shown where neither a policy nor a budget is named
 * @param counts whether a value counts that no flag says; where it does not, the next origin has its say
 */
export function resolveSettings(
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
  config: ConfigFile | null,
  shows: Shows = 'simulated',
  counts: (key: string, resolved: Resolved) => boolean = () => true,
): Settings {
  const known = settings
    .filter(({ flagOnly, configOnly }) => !flagOnly && !configOnly)
    .map(({ key }) => variableOf(key))
  for (const name of Object.keys(env)) {
    if (name.startsWith('CTXWIN_') && !known.includes(name) && !reserved.includes(name)) {
      throw unknown('environment variable', name, known)
    }
  }
  const resolved = new Map(
    settings.map((setting): [key: string, Resolved] => {
      const { key, flags: said, default: value } = setting
      const flag = setting.variableOnly ? variableOf(key) : `--${said.match(/--([\w-]+)/)?.[1]}`
      if (!setting.configOnly && flags[key] !== undefined)
        return [key, { value: flags[key], origin: 'flag', where: flag }]
      const found = unflagged(setting, env, config).find((resolved) => counts(key, resolved))
      return [key, found ?? { value, origin: 'default', where: flag }]
    }),
  )
  const [policy, budget] = [resolved.get('policy') as Resolved, resolved.get('budget') as Resolved]
  const isNamed = ({ origin }: Resolved): boolean => origin !== 'default'
  const usual = usualWindow(shows, isNamed(policy) ? policy.value : undefined, isNamed(budget))
  if (!isNamed(policy)) resolved.set('policy', { ...policy, value: usual.policy })
  if (!isNamed(budget)) resolved.set('budget', { ...budget, value: usual.budget })
  return resolved
}

/** Variables that are not settings. */
const reserved = ['CTXWIN_CORPUS', 'CTXWIN_VECTORS', 'CTXWIN_CACHE_DIR', 'CTXWIN_NO_CONFIG']

/**
 * Whether a config file is looked for, where none is named.
 * @throws CtxwinError for a variable that is neither true nor false
 */
export function looksForConfig(
  flags: Readonly<Record<string, unknown>>,
  { CTXWIN_NO_CONFIG: word = '' }: Readonly<Record<string, string | undefined>>,
): boolean {
  if (!['', '0', '1', 'false', 'true'].includes(word)) {
    throw new CtxwinError('bad-value', 'CTXWIN_NO_CONFIG', word, 'true or false')
  }
  return flags.noConfig === undefined && word !== '1' && word !== 'true'
}

/** What variables and the config file say, by precedence. */
function unflagged(
  { key, flagOnly }: Setting,
  env: Readonly<Record<string, string | undefined>>,
  config: ConfigFile | null,
): Resolved[] {
  const names = key === 'baselineFile' ? [key, 'baseline'] : [key]
  const said = names.flatMap((name): [name: string, Resolved][] => {
    const [where, value = ''] = [variableOf(name), env[variableOf(name)]]
    return flagOnly || value === '' ? [] : [[name, { value, origin: 'environment', where }]]
  })
  const configured = names.flatMap((name): [name: string, Resolved][] => {
    if (!config || !Object.hasOwn(config.values, name)) return []
    return [[name, { value: config.values[name], origin: 'config', where: `${name} in ${config.name}` }]]
  })
  return [...said, ...configured].flatMap(([name, one]) => (settingNamed(name, one.value) === key ? [one] : []))
}

/** `baseline` was the file of `check` before policies had one: what can only be that file, or none, still is. */
function settingNamed(name: string, value: unknown): string {
  const isFile = value === false || value === 'false' || (typeof value === 'string' && /\.json$/i.test(value))
  return name === 'baseline' && isFile ? 'baselineFile' : name
}
