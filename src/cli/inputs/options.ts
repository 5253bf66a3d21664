/** Parses the settings that a user wrote. Each error says where the value is and how to fix it. */
import { resolve } from 'node:path'
import { unpruned } from '../../app/answer/candidates.ts'
import {
  type Asked,
  type Baseline,
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
import { givenIn, resolveParams } from '../../base/param.ts'
import { Registry } from '../../base/registry.ts'
import { pluginWords } from '../../check/labels.ts'
import { usualBudget } from '../../model/budget.ts'
import { builtinModels } from '../../models/lookup.ts'
import { checkReader } from '../../readers/own-reader.ts'
import type { World } from '../output/world.ts'
import type { ConfigFile, Configuration, Resolved, Settings } from './config.ts'
import { maySay } from './consumers.ts'
import { commandFilter, filterParams, filterPolicy, moduleFilter } from './filter.ts'
import { misuse } from './misuse.ts'
import { filterIn, isFilter, isModule, moduleKeys, modulesIn, pluginName } from './module-words.ts'
import { readText } from './named-file.ts'
import { importOwn } from './own-module.ts'
import { type Kind, type SettingKey, setting, type ValueOf } from './settings.ts'

/**
 * What the user wants `recommend` to try, without what was left at its default. `--policy all` is tried at one budget.
 */
export function askedOf(settings: Settings, plan: Plan): Asked {
  const budgets = isDefault(settings, 'budget') ? (asksForAll(settings, 'policy') ? [usualBudget] : null) : plan.budgets
  return {
    ...(!isDefault(settings, 'policy') && { policies: plan.policies }),
    ...(budgets && { budgets: budgets.filter(Boolean) }),
  }
}

/** Whether a list is `all`. */
export function asksForAll(settings: Settings, key: 'policy' | 'budget'): boolean {
  return listOf(settings, key).includes('all')
}

/** Whether the user has left the setting alone. */
export function isDefault(settings: Settings, key: SettingKey): boolean {
  return settingOf(settings, key).origin === 'default'
}

/** A policy that is named twice is tried, and counted, once. */
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
  return isDefault(settings, 'tolerance') ? readWord('tolerance', usual, '') : valueFor(settings, 'tolerance')
}

/**
 * The plan that the settings describe. An unknown model is noted, and is no error.
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
  const provider = valueFor(settings, 'provider')
  const policies = distinct(await policiesOf(configuration, cwd))
  const hasOwn = policies.some(({ plugin }) => plugin.ownBudget !== undefined)
  const budgets = listOf(settings, 'budget').flatMap((word) => {
    if (word === 'all' && allBudgets) return allBudgets
    const budget = readWord('budget', word, settingOf(settings, 'budget').where)
    return budget === 'own' && !hasOwn ? usualBudget : budget
  })
  return {
    policies,
    estimators: listOf(settings, 'estimator').map((word) =>
      atOrigin(settingOf(settings, 'estimator'), () => chooseNamed<Estimator>(estimators, word)),
    ),
    budgets: [...new Set(budgets)],
    preamble: valueFor(settings, 'preamble'),
    model: modelOf(settings, prices, world),
    provider: provider === 'auto' ? null : provider,
    native: valueFor(settings, 'measure') === 'native',
    references: true,
    prices,
    cache: valueFor(settings, 'cache'),
    baseline: await baselineOf(configuration, cwd),
  }
}

/** The plan of a command that counts what was billed, and replays nothing. */
export function billedPlan(settings: Settings, cwd: string): Plan {
  const estimator = choose(estimators.get('auto'))
  return { policies: [], budgets: [], estimators: [estimator], prices: pricesOf(settings, cwd) }
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
  const format = textOf(settings, 'format')
  const how = {
    largestUnpacked: valueFor(settings, 'maxUnpacked'),
    column: valueFor(settings, 'column'),
    branches: valueFor(settings, 'branches'),
  }
  if (isModule(format)) return { format: await loadReader(configuration, format, cwd), ...how }
  if (format !== 'auto') nameOf(settings, 'format', readers)
  return { format, ...how }
}

/** @throws CtxwinError for a report that there is not */
export function reportOf(settings: Settings): Report {
  return nameOf(settings, 'output', reports)
}

/** The same; for a part, which may become any report later, the report that needs most. */
export function reportOrPart(settings: Settings): Report {
  return isPart(settings) ? reports.get('table') : reportOf(settings)
}

/** The same for a command whose result may also be a page or a config file: null for that. */
function reportUnless(settings: Settings, other: 'html' | 'config'): Report | null {
  const asked = settingOf(settings, 'output')
  if (asked.value === other) return null
  if (other === 'html' && isPart(settings)) return reports.get('table')
  return atOrigin(asked, () => reports.get(textOf(settings, 'output'), [other]))
}

export const reportOrPage = (settings: Settings): Report | null => reportUnless(settings, 'html')
export const reportOrConfig = (settings: Settings): Report | null => reportUnless(settings, 'config')

/**
 * A whole number that a flag of one command says.
 * @param usual where it is not given
 * @throws CtxwinError for what is no number, or too small
 */
export function numberOf<Usual>(
  flag: string,
  word: unknown,
  usual: Usual,
  least = 1,
  expected = `a whole number of at least ${least}`,
): number | Usual {
  if (word === undefined) return usual
  return /^\d{1,9}$/.test(String(word)) && Number(word) >= least ? Number(word) : refused(flag, word, expected)
}

/** How many rows `--top` asks for. */
export const rowsOf = (word: unknown, usual: number): number =>
  numberOf('--top', word, usual, 1, 'a number of rows such as 10')

/** Whether the user asks for a part of the result. */
export function isPart(settings: Settings): boolean {
  return settingOf(settings, 'output').value === 'partial'
}

function nameOf<T extends Named>(settings: Settings, key: SettingKey, registry: Registry<T>): T {
  return atOrigin(settingOf(settings, key), () => registry.get(textOf(settings, key)))
}

function modelOf(settings: Settings, prices: ModelTable, { note }: Pick<World, 'note'>): string | null {
  const name = valueFor(settings, 'model')
  if (name !== null && !lookupModel(name, prices)) {
    const { where } = settingOf(settings, 'model')
    note(`${where}: unknown model "${name}", so its window and prices are unknown. ${closestModel(name, prices)}`)
  }
  return name
}

/** A hint that names the models most like `name`. */
export function closestModel(name: string, { models }: ModelTable): string {
  return closest(
    name,
    models.map(({ id }) => id),
    'ctxwin list models shows all',
  )
}

/** @throws CtxwinError when the price file cannot be read, or is none */
export function pricesOf(settings: Settings, cwd: string): ModelTable {
  const file = valueFor(settings, 'prices')
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

/** Every policy that works alone, including those of the config file. */
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

/** Policies that have another name as a baseline. */
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
    throw misuse(`${where}: a filter runs a program, so it can only be named on the command line`)
  }
  const { name, given } = splitPlugin(word)
  const { command, module, seconds } = resolveParams(name, filterParams, given)
  if ((command === '') === (module === '')) {
    throw misuse(`${name} needs a program or a module: filter:command="rtk read -" or filter:module=./mine.js`)
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

/**
 * The items of a list: from repeated flags, arrays in a config file, and commas. A pair behind a comma belongs to the
 * plugin before it, and a number behind a pair is one more value of that param: `forge:target=1,0.5,ikigai` is forge
 * twice, and ikigai.
 */
export function listOf(settings: Settings, key: SettingKey): string[] {
  const { value, where } = settingOf(settings, key)
  const found: Item[] = []
  for (const item of [value].flat()) {
    if (typeof item !== 'string' && !Number.isFinite(item)) refused(where, item, 'a word or a list of words')
    for (const part of String(item).split(',')) {
      const word = part.trim()
      const last = found.at(-1)
      const [pair] = /^[\w.-]+=/.exec(word) ?? []
      if (last?.param && pair) {
        const heads = last.words.map((one) => `${one},`)
        found[found.length - 1] = { heads, param: pair, words: heads.map((head) => head + word) }
      } else if (last?.param && /^\d*\.?\d+$/.test(word)) {
        for (const head of last.heads) last.words.push(head + last.param + word)
      } else if (word !== '') {
        const [, head = '', param = ''] = /^(.*?:)([\w.-]+=)/.exec(word) ?? []
        found.push({ heads: [head], param, words: [word] })
      }
    }
  }
  return found.length > 0 ? found.flatMap(({ words }) => words) : refused(where, value, 'a name')
}

/** An item of a list, once for each value of its last param. */
interface Item {
  /** What stands before that param. */
  readonly heads: readonly string[]
  /** `key=`; empty = none. */
  readonly param: string
  readonly words: string[]
}

/** What a setting says, as its row reads it. @throws CtxwinError for what the row does not take */
export function valueFor<K extends SettingKey>(settings: Settings, key: K): ValueOf<K> {
  const { value, where } = settingOf(settings, key)
  const { default: usual, is, words } = setting(key)
  const read = (): unknown => {
    if (value === null && usual === null) return null
    if (typeof usual === 'boolean') return truths.get(value) ?? refused(where, value, 'true or false')
    if (is) return readWord(key, textOf(settings, key), where)
    if (Array.isArray(words) && !words.includes(value)) return refused(where, value, `one of ${words.join(', ')}`)
    return textOf(settings, key)
  }
  return read() as ValueOf<K>
}

const truths: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ...[true, 'true', '1'].map((word) => [word, true] as const),
  ...[false, 'false', '0'].map((word) => [word, false] as const),
])

/** One word of a setting. @param where it stands */
function readWord<K extends SettingKey>(key: K, word: string, where: string): ValueOf<K> {
  const { parse, expected } = setting(key).is as Kind<ValueOf<K>>
  return parse(word) ?? refused(where, word, expected)
}

function refused(where: string, value: unknown, expected: string): never {
  throw new CtxwinError('bad-value', where, value, expected)
}

export function textOf(settings: Settings, key: SettingKey): string {
  const { value, where } = settingOf(settings, key)
  if (Array.isArray(value)) refused(where, value, 'a single value: give it once')
  if (typeof value === 'string' ? value.trim() === '' : !Number.isFinite(value)) {
    refused(where, value, 'a word or a number')
  }
  return String(value)
}

/** Runs code that does not know where its value comes from, and prefixes its error with the place. */
function at<T>(place: string, make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw error instanceof CtxwinError ? new CtxwinError('config', place, error.message) : error
  }
}

/** The same for a setting. The user can see a value on the command line, so it needs no place. */
export function atOrigin<T>({ origin, where }: Resolved, make: () => T): T {
  return origin === 'flag' || origin === 'default' ? make() : at(where, make)
}

export function settingOf(settings: Settings, key: SettingKey): Resolved {
  return settings.get(key) as Resolved
}
