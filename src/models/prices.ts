/** Reads and checks price files. */
import { CtxwinError } from '../base/errors.ts'
import { lineOfFault } from '../base/json-fault.ts'
import { priceTerms } from '../model/price-terms.ts'
import { builtinModels } from './lookup.ts'
import type { CacheRule, ModelInfo, ModelTable, TermRule } from './table.ts'

/**
 * Reads a user's price file and merges it into a table. The file has the table's own shape, every part optional:
 * `{ "asOf": "2026-11-21", "models": [{ "id": "my-model", "price": { "input": 1, "output": 4 }, "cache": "openai" }] }`.
 *
 * Models and cache rules are merged by id, field by field, except `price`, which is replaced as a whole, and with it the
 * earlier prices (`formerPrices`, each with its `until`): a new input price beside an old cached one would be a price nobody
 * charges.
 *
 * @throws CtxwinError naming the key and what is expected there. No unknown key is skipped: a typo would keep the old price.
 */
export function parsePrices(text: string, table: ModelTable = builtinModels): ModelTable {
  const file = object(parseJson(text), 'the price file', ['asOf', 'sources', 'cacheRules', 'termRules', 'models'])
  const cacheRules = each(file.cacheRules, 'cacheRules', cacheRule)
  const termRules = each(file.termRules, 'termRules', termRule)
  const models = each(file.models, 'models', modelInfo).map((model) => withProvider(model, table))
  const merged: ModelTable = {
    asOf: file.asOf === undefined ? table.asOf : isoDate(file.asOf, 'asOf'),
    sources: table.sources,
    cacheRules: overlay(table.cacheRules, cacheRules),
    termRules: overlay(table.termRules ?? [], termRules),
    models: overlay(withoutReplaced(table.models, models), models),
  }
  for (const rule of merged.cacheRules) requireWhole(rule)
  requireKnownRules('cache', models, merged.cacheRules)
  requireKnownRules('terms', models, merged.termRules ?? [])
  requireDistinctNames(merged.models)
  return merged
}

type Fields = Readonly<Record<string, unknown>>
type Partly<T extends { id: string }> = Partial<T> & { readonly id: string }

const priceKeys = ['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWrite1h']
const factors = [...priceTerms, 'regional']
const ruleKeys = ['id', 'minPrefix', 'granularity', 'ttl', 'read', 'write', 'write1h', 'source']

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const line = lineOfFault(text)
    throw new CtxwinError(
      'usage',
      `line ${line}: it is not JSON from here on. A price file looks like { "models": [ … ] }`,
    )
  }
}

function modelInfo(value: unknown, where: string): Partly<ModelInfo> {
  const fields = object(value, where, [
    'id',
    'provider',
    'aliases',
    'contextWindow',
    'maxOutput',
    'price',
    'formerPrices',
    'cache',
    'terms',
    'source',
  ])
  const id = name(fields.id, `${where}.id`)
  const at = (key: string) => `models "${id}".${key}`
  return {
    id,
    ...given(fields, 'provider', (it) => words(it, at('provider'))),
    ...given(fields, 'aliases', (it) => each(it, at('aliases'), name)),
    ...given(fields, 'contextWindow', (it) => whole(it, at('contextWindow'))),
    ...given(fields, 'maxOutput', (it) => whole(it, at('maxOutput'))),
    ...given(fields, 'price', (it) => price(it, at('price'))),
    ...given(fields, 'formerPrices', (it) => formerPrices(it, at('formerPrices'))),
    ...given(fields, 'cache', (it) => words(it, at('cache'))),
    ...given(fields, 'terms', (it) => words(it, at('terms'))),
    ...given(fields, 'source', (it) => words(it, at('source'))),
  }
}

/** Put in the order of their days. */
function formerPrices(value: unknown, where: string): NonNullable<ModelInfo['formerPrices']> {
  const former = each(value, where, (entry, at) => {
    const { until, ...fields } = object(entry, at, ['until', ...priceKeys, 'tiers'])
    return { until: isoDate(until, `${at}.until`), ...price(fields, at) }
  })
  return former.sort((a, b) => (a.until < b.until ? -1 : 1))
}

function price(value: unknown, where: string): NonNullable<ModelInfo['price']> {
  const fields = object(value, where, [...priceKeys, 'tiers'])
  const tiers = each(fields.tiers, `${where}.tiers`, (tier, at) => {
    const inner = object(tier, at, ['above', ...priceKeys])
    return { above: whole(inner.above, `${at}.above`), ...rates(inner, at) }
  })
  tiers.sort((a, b) => a.above - b.above)
  return { ...rates(fields, where), ...(tiers.length > 0 && { tiers }) }
}

function rates(fields: Fields, where: string) {
  const optional = (key: string) => given(fields, key, (it) => amount(it, `${where}.${key}`))
  return {
    input: amount(fields.input, `${where}.input`),
    output: amount(fields.output, `${where}.output`),
    ...optional('cacheRead'),
    ...optional('cacheWrite'),
    ...optional('cacheWrite1h'),
  }
}

function cacheRule(value: unknown, where: string): Partly<CacheRule> {
  const fields = object(value, where, ruleKeys)
  const id = words(fields.id, `${where}.id`)
  const at = (key: string) => `cacheRules "${id}".${key}`
  return {
    id,
    ...given(fields, 'minPrefix', (it) => amount(it, at('minPrefix'))),
    ...given(fields, 'granularity', (it) =>
      it === 'block' ? it : whole(it, at('granularity'), '"block" or a number of tokens, 1 or more'),
    ),
    ...given(fields, 'ttl', (it) => amount(it, at('ttl'))),
    ...given(fields, 'read', (it) => amount(it, at('read'))),
    ...given(fields, 'write', (it) => amount(it, at('write'))),
    ...given(fields, 'write1h', (it) => amount(it, at('write1h'))),
    ...given(fields, 'source', (it) => words(it, at('source'))),
  }
}

function termRule(value: unknown, where: string): TermRule {
  const fields = object(value, where, ['id', ...factors, 'source'])
  const id = words(fields.id, `${where}.id`)
  const at = (key: string) => `termRules "${id}".${key}`
  const given = factors.filter((term) => fields[term] !== undefined)
  return {
    id,
    ...Object.fromEntries(given.map((term) => [term, amount(fields[term], at(term))])),
    source: words(fields.source, at('source')),
  }
}

/** A new model without a provider is the user's own. */
function withProvider(model: Partly<ModelInfo>, table: ModelTable): Partly<ModelInfo> {
  return table.models.some(({ id }) => id === model.id) ? model : { provider: 'user', ...model }
}

/** A new price without `formerPrices` holds for all times: the table's earlier prices are dropped. */
function withoutReplaced(base: readonly ModelInfo[], changes: readonly Partly<ModelInfo>[]): ModelInfo[] {
  const replaced = new Set(changes.filter(({ price, formerPrices }) => price && !formerPrices).map(({ id }) => id))
  return base.map((model) => {
    const { formerPrices: _, ...rest } = model
    return replaced.has(model.id) ? rest : model
  })
}

/** The new entries' fields replace the old ones'; entries with new ids come last, in the file's order. */
function overlay<T extends { readonly id: string }>(base: readonly T[], changes: readonly Partly<T>[]): T[] {
  const entries = new Map(base.map((entry) => [entry.id, entry]))
  for (const change of changes) entries.set(change.id, { ...entries.get(change.id), ...change } as T)
  return [...entries.values()]
}

function requireWhole(rule: CacheRule): void {
  for (const key of ['minPrefix', 'granularity', 'ttl', 'read', 'write', 'source'] as const)
    if (rule[key] === undefined)
      throw bad(`cacheRules "${rule.id}".${key}`, undefined, 'a value, and a new cache rule needs one')
}

function requireKnownRules(
  key: 'cache' | 'terms',
  models: readonly Partly<ModelInfo>[],
  rules: readonly { readonly id: string }[],
): void {
  const known = rules.map(({ id }) => id)
  const [what, list] = key === 'cache' ? ['cache rule', 'cacheRules'] : ['rule for terms', 'termRules']
  for (const { [key]: rule } of models)
    if (rule !== undefined && !known.includes(rule))
      throw new CtxwinError('unknown-name', what, rule, `Known: ${known.join(', ')}; or define it under ${list}.`)
}

function requireDistinctNames(models: readonly ModelInfo[]): void {
  const owners = new Map<string, string>()
  for (const { id, aliases = [] } of models)
    for (const spelling of new Set([id, ...aliases])) {
      const owner = owners.get(spelling)
      if (owner !== undefined)
        throw bad(
          `models "${id}"`,
          spelling,
          `a free name: it is model "${owner}" already; use that id, or drop the alias`,
        )
      owners.set(spelling, id)
    }
}

function given<K extends string, V>(fields: Fields, key: K, read: (value: unknown) => V): { [P in K]?: V } {
  return (fields[key] === undefined ? {} : { [key]: read(fields[key]) }) as { [P in K]?: V }
}

function object(value: unknown, where: string, keys: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bad(where, value, 'an object')
  for (const key of Object.keys(value))
    if (!keys.includes(key)) throw new CtxwinError('unknown-name', 'key', key, `Keys of ${where}: ${keys.join(', ')}.`)
  return value as Fields
}

/** Reads each entry, with its place ("models[2]") for errors. */
function each<T>(value: unknown, where: string, read: (value: unknown, where: string) => T): T[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw bad(where, value, 'a list')
  return value.map((entry: unknown, index) => read(entry, `${where}[${index}]`))
}

function words(value: unknown, where: string): string {
  if (typeof value !== 'string' || value.trim() === '') throw bad(where, value, 'a text in quotes')
  return value
}

function name(value: unknown, where: string): string {
  return words(value, where).trim().toLowerCase()
}

function amount(value: unknown, where: string): number {
  if (typeof value !== 'number' || !(value >= 0 && value < Infinity)) throw bad(where, value, 'a number, 0 or more')
  return value
}

function whole(value: unknown, where: string, expected = 'a number of tokens, 1 or more'): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) throw bad(where, value, expected)
  return value
}

function isoDate(value: unknown, where: string): string {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) throw bad(where, value, 'a date like 2026-11-21')
  return value
}

function bad(where: string, value: unknown, expected: string): CtxwinError {
  const shown = typeof value === 'object' ? (Array.isArray(value) ? 'a list' : 'an object') : String(value ?? 'nothing')
  return new CtxwinError('bad-value', where, shown.slice(0, 80), expected)
}
