/** Parses the settings that a user wrote. Each error says where the value is and how to fix it. */
import { resolve } from 'node:path'
import { unpruned } from '../../app/answer/candidates.ts'
import {
  type Asked,
  type Baseline,
  type Budget,
  type CacheMode,
  type Chosen,
  CtxwinError,
  choose,
  compose,
  type Estimator,
  estimators,
  lookupModel,
  type ModelTable,
  type Named,
  type Params,
  type Plan,
  type PolicyWithCard,
  type ProviderName,
  parsePrices,
  policies,
  type Reader,
  type ReadSettings,
  type Report,
  readers,
  reports,
  type Tolerance,
} from '../../app/index.ts'
import { checkPolicy } from '../../app/own-policy.ts'
import { closest } from '../../base/closest.ts'
import { givenIn, parseTokens, resolveParams } from '../../base/param.ts'
import { Registry } from '../../base/registry.ts'
import { pluginWords } from '../../check/labels.ts'
import { parseBudget, usualBudget } from '../../model/budget.ts'
import { parseTolerance } from '../../model/tolerance.ts'
import { builtinModels } from '../../models/lookup.ts'
import { checkReader } from '../../readers/own-reader.ts'
import type { World } from '../output/world.ts'
import type { ConfigFile, Configuration, Resolved } from './config.ts'
import { maySay } from './consumers.ts'
import { commandFilter, filterParams, filterPolicy, moduleFilter } from './filter.ts'
import { filterIn, isFilter, isModule, moduleKeys, modulesIn, pluginName } from './module-words.ts'
import { readText } from './named-file.ts'
import { importOwn } from './own-module.ts'
import { type SettingKey, setting } from './settings.ts'

type Settings = ReadonlyMap<string, Resolved>

/** What the user wants `recommend` to try; what was left alone is left out. Every policy is tried at one budget. */
export function askedOf(settings: Settings, plan: Plan): Asked {
  const budgets = isDefault(settings, 'budget') ? (asksForAll(settings, 'policy') ? [usualBudget] : null) : plan.budgets
  return {
    ...(!isDefault(settings, 'policy') && { policies: distinct(plan.policies) }),
    ...(budgets && { budgets: budgets.filter(Boolean) }),
    ...(!isDefault(settings, 'targets') && { targets: targetsOf(settings) }),
  }
}

/** Whether a list names `all` that there are. */
export function asksForAll(settings: Settings, key: 'policy' | 'budget'): boolean {
  return listOf(settings, key).includes('all')
}

/** Whether the user has left the setting alone. */
export function isDefault(settings: Settings, key: SettingKey): boolean {
  return settingOf(settings, key).origin === 'default'
}

function targetsOf(settings: Settings): number[] {
  if (settingOf(settings, 'targets').value === null) return []
  return listOf(settings, 'targets').map((word) => {
    const target = Number(word)
    if (target > 0 && target <= 1) return target
    throw new CtxwinError('bad-value', settingOf(settings, 'targets').where, word, 'a fraction above 0, up to 1')
  })
}

function distinct<P extends Pick<PolicyWithCard, 'name' | 'params'>>(chosen: readonly Chosen<P>[]): Chosen<P>[] {
  return [...new Map(chosen.map((one) => [pluginWords(one.plugin, one.values), one])).values()]
}

/** Whoever chooses sessions has all of them decided on, and not the last alone. */
export function sessionsOf(settings: Settings): { readonly sessions?: 'all' } {
  return isDefault(settings, 'last') && isDefault(settings, 'since') ? {} : { sessions: 'all' }
}

/**
 * How much worse than the baseline is accepted.
 * @param usual the default, which is another in each command
 */
export function toleranceOf(settings: Settings, usual: string): Tolerance {
  const { origin, where } = settingOf(settings, 'tolerance')
  const word = origin === 'default' ? usual : textOf(settings, 'tolerance')
  const tolerance = parseTolerance(word)
  if (tolerance) return tolerance
  throw new CtxwinError('bad-value', where, word, 'a percentage such as 2%, or +1% for so much more than the baseline')
}

/**
 * The plan that the settings describe. A model that is not known is no error, and is told.
 * @param allBudgets what `--budget all` names, in a command that has it
 */
export async function planOf(
  configuration: Configuration,
  world: Pick<World, 'cwd' | 'note'>,
  allBudgets: readonly number[] | null = null,
): Promise<Plan> {
  const { settings } = configuration
  const cwd = world.cwd()
  const prices = pricesOf(settings, cwd)
  const provider = wordOf(settings, 'provider')
  const policies = await policiesOf(configuration, cwd)
  const hasOwn = policies.some(({ plugin }) => plugin.ownBudget !== undefined)
  return {
    policies,
    estimators: listOf(settings, 'estimator').map((word) =>
      atOrigin(settingOf(settings, 'estimator'), () => chooseNamed<Estimator>(estimators, word)),
    ),
    budgets: listOf(settings, 'budget').flatMap((word) => {
      if (word === 'all' && allBudgets) return allBudgets
      const budget = budgetOf(settings, word)
      return budget === 'own' && !hasOwn ? usualBudget : budget
    }),
    preamble:
      textOf(settings, 'preamble') === 'auto' ? 'auto' : tokensOf(settings, 'preamble', textOf(settings, 'preamble')),
    model: modelOf(settings, prices, world),
    provider: provider === 'auto' ? null : (provider as ProviderName),
    native: wordOf(settings, 'measure') === 'native',
    references: true,
    prices,
    cache: wordOf(settings, 'cache') as CacheMode,
    baseline: await baselineOf(configuration, cwd),
  }
}

/**
 * How files are read.
 * @throws CtxwinError for an unknown format, a module that is no reader, or a size that is none
 */
export async function readingOf(
  configuration: Configuration,
  cwd: string,
): Promise<Pick<ReadSettings, 'format' | 'largestUnpacked' | 'column' | 'branches'>> {
  const { settings } = configuration
  const largestUnpacked = bytesOf(settings, 'maxUnpacked')
  const format = textOf(settings, 'format')
  const column = optionalText(settings, 'column')
  const how = { largestUnpacked, column, branches: flagOf(settings, 'branches') }
  if (isModule(format)) return { format: await loadReader(configuration, format, cwd), ...how }
  if (format !== 'auto') nameOf(settings, 'format', readers)
  return { format, ...how }
}

/** @throws CtxwinError for what is no size */
export function bytesOf(settings: Settings, key: SettingKey): number {
  const size = textOf(settings, key)
  const [, digits, unit] = /^(\d{1,9}(?:\.\d+)?) ?([kmgt])i?b?$/i.exec(size) ?? []
  if (digits === undefined || unit === undefined || Number(digits) === 0) {
    throw new CtxwinError('bad-value', settingOf(settings, key).where, size, 'a size such as 500MB or 20GB')
  }
  return Number(digits) * 1024 ** (1 + 'kmgt'.indexOf(unit.toLowerCase()))
}

/** @throws CtxwinError for a report that there is not */
export function reportOf(settings: Settings): Report {
  return nameOf(settings, 'output', reports)
}

/** The same; for a part, of which every report can be made later, the one that asks for most. */
export function reportOrPart(settings: Settings): Report {
  return isPart(settings) ? reports.get('table') : reportOf(settings)
}

/** The same of a command whose result can be the page of `report`, too: null for that. */
export function reportOrPage(settings: Settings): Report | null {
  const asked = settingOf(settings, 'output')
  if (asked.value === 'html') return null
  return atOrigin(asked, () =>
    isPart(settings) ? reports.get('table') : reports.get(textOf(settings, 'output'), ['html']),
  )
}

/** The same of a command whose result can be a config file, too: null for that. */
export function reportOrConfig(settings: Settings): Report | null {
  const asked = settingOf(settings, 'output')
  if (asked.value === 'config') return null
  return atOrigin(asked, () => reports.get(textOf(settings, 'output'), ['config']))
}

/** How many rows `--top` asks for. @throws CtxwinError for what is no number of rows */
export function rowsOf(word: unknown, usual: number): number {
  if (word === undefined) return usual
  const rows = Number(word)
  if (/^\d{1,6}$/.test(String(word)) && rows > 0) return rows
  throw new CtxwinError('bad-value', '--top', word, 'a number of rows such as 10')
}

/** Whether a part is asked for, and no result. */
export function isPart(settings: Settings): boolean {
  return settingOf(settings, 'output').value === 'partial'
}

function nameOf<T extends Named>(settings: Settings, key: SettingKey, registry: Registry<T>): T {
  return atOrigin(settingOf(settings, key), () => registry.get(textOf(settings, key)))
}

function modelOf(settings: Settings, prices: ModelTable, { note }: Pick<World, 'note'>): string | null {
  const name = optionalText(settings, 'model')
  if (name !== null && !lookupModel(name, prices)) {
    const { where } = settingOf(settings, 'model')
    note(`${where}: unknown model "${name}", so its window and prices are unknown. ${closestModel(name, prices)}`)
  }
  return name
}

/** The models whose names are most like `name`, in a sentence. */
export function closestModel(name: string, { models }: ModelTable): string {
  return closest(
    name,
    models.map(({ id }) => id),
    'ctxwin list models shows all',
  )
}

/** @throws CtxwinError when the price file cannot be read, or is none */
export function pricesOf(settings: Settings, cwd: string): ModelTable {
  const file = optionalText(settings, 'prices')
  if (file === null) return builtinModels
  const text = atOrigin(settingOf(settings, 'prices'), () => readText(resolve(cwd, file), file))
  return at(file, () => parsePrices(text))
}

async function policiesOf(configuration: Configuration, cwd: string): Promise<Chosen<PolicyWithCard>[]> {
  const chosen: Chosen<PolicyWithCard>[] = []
  for (const word of listOf(configuration.settings, 'policy')) {
    const named =
      word === 'all' ? allPolicies(configuration.config) : [await policyOf(configuration, 'policy', word, cwd)]
    for (const one of named) chosen.push(one)
  }
  return chosen
}

/** Every policy that works alone, also those of the config file. */
function allPolicies(config: ConfigFile | null): Chosen<PolicyWithCard>[] {
  return [...policies.all.filter(({ part }) => !part), ...composedPolicies(config)].map((plugin) => choose(plugin))
}

async function policyOf(
  configuration: Configuration,
  key: SettingKey,
  word: string,
  cwd: string,
): Promise<Chosen<PolicyWithCard>> {
  const { settings, config } = configuration
  if (isModule(word)) return loadPolicy(configuration, key, word, cwd)
  if (isFilter(word)) return loadFilter(configuration, key, word, cwd)
  const known = new Registry<PolicyWithCard>(
    policies.kind,
    [...policies.all, ...composedPolicies(config)],
    policies.lister,
  )
  return atOrigin(settingOf(settings, key), () => chooseNamed<PolicyWithCard>(known, word))
}

async function baselineOf(configuration: Configuration, cwd: string): Promise<Baseline> {
  const name = textOf(configuration.settings, 'baseline')
  const word = Object.hasOwn(worlds, name) ? (worlds[name] as string) : name
  return { name, policy: await policyOf(configuration, 'baseline', word, cwd) }
}

/** What two policies are called as a baseline. */
const worlds: Readonly<Record<string, string>> = { today: 'as-recorded', unpruned }

/** `policies: { mine: [ { truncateToolResults: { max: 8000 } }, … ] }` in a config file. */
function composedPolicies(config: ConfigFile | null): PolicyWithCard[] {
  const named = config?.values.policies ?? {}
  if (!config) return []
  if (named === null || typeof named !== 'object' || Array.isArray(named)) {
    throw new CtxwinError('bad-value', `policies in ${config.name}`, named, 'an object of lists of steps')
  }
  return Object.entries(named).map(([name, steps]) => {
    if (policies.has(name))
      throw new CtxwinError('config', config.name, `policies.${name}: there is a policy of this name`)
    if (!Array.isArray(steps)) {
      throw new CtxwinError('bad-value', `policies.${name} in ${config.name}`, steps, 'a list of steps')
    }
    return at(`policies.${name} in ${config.name}`, () => compose(name, steps))
  })
}

/** The files of policies and readers that are the user's own modules. */
export function ownModules(settings: Settings): { readonly file: string; readonly is: string }[] {
  return moduleKeys.flatMap((key) =>
    modulesIn(key, settingOf(settings, key).value).map((file) => ({
      file,
      is: key === 'format' ? 'a reader' : 'a policy',
    })),
  )
}

/** Loads a policy from the user's own module, whose default export `definePolicy` made. */
async function loadPolicy(configuration: Configuration, key: SettingKey, word: string, cwd: string) {
  const { name, given } = splitPlugin(word)
  const module = await loadModule(configuration, key, name, cwd)
  return choose(checkPolicy(module.default, name), given)
}

/** @throws CtxwinError for a filter that the command line does not name, or that fails on a text of its own */
async function loadFilter(configuration: Configuration, key: SettingKey, word: string, cwd: string) {
  const { origin, where } = settingOf(configuration.settings, key)
  if (!maySay(origin, 'filter')) {
    throw new CtxwinError('usage', `${where}: a filter runs a program, so it can only be named on the command line`)
  }
  const { name, given } = splitPlugin(word)
  const { command, module, seconds } = resolveParams(name, filterParams, given)
  if ((command === '') === (module === '')) {
    throw new CtxwinError(
      'usage',
      `${name} needs a program or a module: filter:command="rtk read -" or filter:module=./mine.js`,
    )
  }
  const filter =
    module === ''
      ? commandFilter(command, seconds, cwd)
      : moduleFilter(module, (await loadModule(configuration, key, module, cwd)).default)
  const label = `${name}:${module === '' ? `command=${command}` : `module=${module}`}`
  return choose(filterPolicy(label, filter, given), given)
}

/** The filter that a setting names; undefined for none. */
export function filterNamed(settings: Settings): string | undefined {
  return ['policy', 'baseline'].map((key) => filterIn(key, settings.get(key)?.value)).find((word) => word !== undefined)
}

/** Loads a reader from the user's own module, whose default export `defineReader` made. */
async function loadReader(configuration: Configuration, name: string, cwd: string): Promise<Reader> {
  const module = await loadModule(configuration, 'format', name, cwd)
  return checkReader(module.default, name)
}

/** The one door for code that a setting names. */
async function loadModule({ settings, runs }: Configuration, key: SettingKey, name: string, cwd: string) {
  const { origin, where } = settingOf(settings, key)
  const readable = origin === 'default' ? null : runs[origin]
  if (readable === null) throw new TypeError(`${where} may not run code, and was not left out`)
  return importOwn(resolve(cwd, name), name, readable)
}

/** `name:key=value,key=value` -> the plugin and the values of its params. */
export function chooseNamed<Plugin extends Named & { readonly params: Params }>(
  registry: Registry<Plugin>,
  word: string,
): Chosen<Plugin> {
  const { name, given } = splitPlugin(word)
  return choose(registry.get(name), given)
}

export function splitPlugin(word: string): { name: string; given: Record<string, string> } {
  const name = pluginName(word)
  return { name, given: name === word ? {} : givenIn(name, word.slice(name.length + 1)) }
}

/** The items of a list: from repeated flags, arrays in a config file, and commas, except those between params of a plugin. */
export function listOf(settings: Settings, key: SettingKey): string[] {
  const { value, where } = settingOf(settings, key)
  const words: string[] = []
  for (const item of Array.isArray(value) ? value : [value]) {
    if (typeof item !== 'string' && !Number.isFinite(item)) {
      throw new CtxwinError('bad-value', where, item, 'a word or a list of words')
    }
    for (const part of String(item).split(',')) {
      const word = part.trim()
      const last = words.at(-1)
      // `forge:retentionWindow=6,target=0.5,ikigai`: an item of the form of a param belongs to the plugin before it.
      if (last?.includes(':') && /^[\w.-]+=/.test(word)) words[words.length - 1] = `${last},${word}`
      else if (word !== '') words.push(word)
    }
  }
  if (words.length === 0) throw new CtxwinError('bad-value', where, value, 'a name')
  return words
}

function budgetOf(settings: Settings, word: string): Budget {
  const budget = parseBudget(word)
  if (budget !== undefined) return budget
  const expected = 'a number of tokens such as 100000, 100k or 0.2M, a share of the model’s window such as 50%, or own'
  throw new CtxwinError('bad-value', settingOf(settings, 'budget').where, word, expected)
}

function tokensOf(settings: Settings, key: SettingKey, word: string): number {
  const tokens = parseTokens(word)
  if (tokens === undefined) {
    throw new CtxwinError(
      'bad-value',
      settingOf(settings, key).where,
      word,
      'a number of tokens such as 100000, 100k or 0.2M',
    )
  }
  return tokens
}

/** The value of a setting that has a fixed choice of words. */
export function wordOf(settings: Settings, key: SettingKey): string {
  const { value, where } = settingOf(settings, key)
  const { words } = setting(key)
  if (Array.isArray(words) && !words.includes(value)) {
    throw new CtxwinError('bad-value', where, value, `one of ${words.join(', ')}`)
  }
  return textOf(settings, key)
}

export function textOf(settings: Settings, key: SettingKey): string {
  const { value, where } = settingOf(settings, key)
  if (Array.isArray(value)) throw new CtxwinError('bad-value', where, value, 'a single value: give it once')
  if (typeof value === 'string' ? value.trim() === '' : !Number.isFinite(value)) {
    throw new CtxwinError('bad-value', where, value, 'a word or a number')
  }
  return String(value)
}

export function optionalText(settings: Settings, key: SettingKey): string | null {
  return settingOf(settings, key).value === null ? null : textOf(settings, key)
}

/** @throws CtxwinError if it is neither true nor false */
export function flagOf(settings: Settings, key: SettingKey): boolean {
  const { value, where } = settingOf(settings, key)
  if (value === true || value === 'true' || value === '1') return true
  if (value === false || value === 'false' || value === '0') return false
  throw new CtxwinError('bad-value', where, value, 'true or false')
}

/** Runs code that does not know where its value comes from, and puts the place in front of its error. */
function at<T>(place: string, make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw error instanceof CtxwinError ? new CtxwinError('config', place, error.message) : error
  }
}

/** The same for a setting. A value on the command line is in front of the user and needs no place. */
export function atOrigin<T>({ origin, where }: Resolved, make: () => T): T {
  return origin === 'flag' || origin === 'default' ? make() : at(where, make)
}

export function settingOf(settings: Settings, key: SettingKey): Resolved {
  return settings.get(key) as Resolved
}
