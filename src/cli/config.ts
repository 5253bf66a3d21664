/**
 * Resolves each setting: from flags, then `CTXWIN_*`, then the config file, then the default. Config files are looked for in
 * the working directory only, and only a file with ctxwin's own name is executed.
 */
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { closest, lineOfFault } from '../app/door.ts'
import { CtxwinError } from '../index.ts'
import { importOwn } from './own-module.ts'
import { type Setting, settings, variableOf } from './settings.ts'

export type Origin = 'flag' | 'environment' | 'config' | 'default'

export interface Resolved {
  readonly value: unknown
  readonly origin: Origin
  /** The place, for messages: `--budget`, `CTXWIN_BUDGET`, `budget in ctxwin.config.json`. */
  readonly where: string
}

export interface ConfigFile {
  readonly name: string
  readonly values: Readonly<Record<string, unknown>>
}

/** All settings of a command, and the config file for its larger parts. */
export interface Configuration {
  readonly settings: ReadonlyMap<string, Resolved>
  readonly config: ConfigFile | null
}

/** Parts of a config file that are not settings: a command reads them as a whole. */
const sections = ['policies', 'overrides'] as const

/** The schema of the file, for editors. */
const schemaKey = '$schema'

const places = [
  'ctxwin.config.json',
  'ctxwin.config.jsonc',
  'ctxwin.config.js',
  'ctxwin.config.mjs',
  'ctxwin.config.cjs',
  'ctxwin.config.ts',
  'package.json',
]

/**
 * The config file of `directory`, or the one at `path`; null when there is none.
 * @throws CtxwinError if it cannot be read, is not an object, or has an unknown key
 */
export async function loadConfig(directory: string, path: string | null): Promise<ConfigFile | null> {
  for (const name of path === null ? places : [path]) {
    const file = resolve(directory, name)
    if (path === null && !existsSync(file)) continue
    const value = await contentOf(file, name)
    // A package.json has other uses: it counts only if it has a part for ctxwin.
    if (value === undefined && path === null) continue
    const values = checkConfig(name, value)
    return { name, values: { ...values, ...inputsOf(values, name, relative(directory, dirname(file))) } }
  }
  return null
}

/**
 * Its `inputs`, as they are called in the working directory.
 * @param place the directory of the config file, from there
 */
function inputsOf({ inputs = null }: ConfigFile['values'], name: string, place: string): { inputs?: string[] } {
  if (inputs === null) return {}
  const words = [inputs].flat()
  const isWord = (word: unknown): word is string => typeof word === 'string' && word !== ''
  if (words.length === 0 || !words.every(isWord)) {
    throw new CtxwinError('bad-value', `inputs in ${name}`, inputs, 'a file, a directory, a glob or a list of them')
  }
  const isElsewhere = (word: string) => place === '' || isAbsolute(word) || /^(-$|~)/.test(word)
  return { inputs: words.map((word) => (isElsewhere(word) ? word : join(place, word))) }
}

/** What the file holds; undefined for a package.json without a part for ctxwin. */
async function contentOf(file: string, name: string): Promise<unknown> {
  if (/\.[cm]?[jt]s$/.test(file)) return plain((await importOwn(file, name)).default, name)
  const written = readText(file, name).replace(/^\ufeff/, '')
  const text = file.endsWith('.jsonc') ? withoutComments(written) : written
  const isPackage = basename(file) === 'package.json'
  try {
    const value: unknown = JSON.parse(text)
    return isPackage ? (value as { ctxwin?: unknown } | null)?.ctxwin : value
  } catch {
    if (isPackage && !/"ctxwin"\s*:/.test(text)) return undefined
    const hint = text === written ? ' (comments and commas at the end of a list need .jsonc)' : ''
    throw new CtxwinError('config', `${name}:${lineOfFault(text)}`, `it is not JSON from here on${hint}`)
  }
}

/** JSON with comments as JSON: what it may have besides becomes blank, so that each line stays where it is. */
function withoutComments(text: string): string {
  const blank = (part: string) => (part.startsWith('"') ? part : part.replaceAll(/[^\n]/g, ' '))
  // What is not closed is taken, too: else each of a million quotes would be looked for to the end of the text.
  const string = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"?/.source
  return text
    .replaceAll(new RegExp(`${string}|//[^\\n]*|/\\*[^]*?(?:\\*/|$)`, 'g'), blank)
    .replaceAll(new RegExp(`${string}|,(?=\\s*[}\\]])`, 'g'), blank)
}

/** What a module exports, as the data that threads get of it. */
function plain(value: unknown, name: string): unknown {
  try {
    return structuredClone(value)
  } catch {
    throw new CtxwinError('config', name, 'it must hold data alone: no setting is a function')
  }
}

/**
 * The text of a file that holds settings.
 * @param remedy for a file that is not there
 */
export function readText(file: string, name: string, remedy = ''): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'it failed'
    throw new CtxwinError('unreadable', name, code === 'ENOENT' ? `there is no such file${remedy}` : code)
  }
}

function checkConfig(name: string, value: unknown): Readonly<Record<string, unknown>> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new CtxwinError('config', name, 'it must hold an object')
  }
  const known = [...settings.filter((setting) => !setting.flagOnly).map(({ key }) => key), ...sections, schemaKey]
  for (const key of Object.keys(value)) {
    if (!known.includes(key))
      throw new CtxwinError(
        'unknown-name',
        `setting in ${name}`,
        key,
        closest(key, known, 'ctxwin --print-config lists all'),
      )
  }
  return value as Readonly<Record<string, unknown>>
}

/** The value of every setting and where it comes from. */
export function resolveSettings(
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
  config: ConfigFile | null,
): ReadonlyMap<string, Resolved> {
  const known = settings
    .filter(({ flagOnly, configOnly }) => !flagOnly && !configOnly)
    .map(({ key }) => variableOf(key))
  for (const name of Object.keys(env)) {
    if (name.startsWith('CTXWIN_') && !known.includes(name) && !reserved.includes(name)) {
      throw new CtxwinError(
        'unknown-name',
        'environment variable',
        name,
        closest(name, known, 'ctxwin --print-config lists all'),
      )
    }
  }
  return new Map(settings.map((setting) => [setting.key, resolveOne(setting, flags, env, config)]))
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

function resolveOne(
  setting: Setting,
  flags: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
  config: ConfigFile | null,
): Resolved {
  const { key } = setting
  const flag = `--${setting.flags.match(/--([\w-]+)/)?.[1]}`
  if (!setting.configOnly && flags[key] !== undefined) return { value: flags[key], origin: 'flag', where: flag }
  const names = key === 'baselineFile' ? [key, 'baseline'] : [key]
  for (const name of names) {
    const value = env[variableOf(name)]
    if (setting.flagOnly || value === undefined || value === '' || settingNamed(name, value) !== key) continue
    return { value, origin: 'environment', where: variableOf(name) }
  }
  for (const name of names) {
    if (!config || !Object.hasOwn(config.values, name) || settingNamed(name, config.values[name]) !== key) continue
    return { value: config.values[name], origin: 'config', where: `${name} in ${config.name}` }
  }
  return { value: setting.default, origin: 'default', where: flag }
}

/** `baseline` was the file of `check` before policies had one: what can only be that file, or none, still is. */
function settingNamed(name: string, value: unknown): string {
  const isFile = value === false || value === 'false' || (typeof value === 'string' && /\.json$/i.test(value))
  return name === 'baseline' && isFile ? 'baselineFile' : name
}
