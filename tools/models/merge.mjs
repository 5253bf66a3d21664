/**
 * The generator without I/O: merges two price lists and the decisions of curation.data.json into one sorted table and a
 * list of remarks for the reviewer. The same packages always give the same bytes.
 *
 * Names are taken only where a source writes them out. The sources' own matching (`starts_with`, `contains`, `regex`) is
 * not copied: it prices claude-sonnet-5-5 as claude-sonnet-5.
 */

/** @typedef {{ input: number, output: number, cacheRead?: number, cacheWrite?: number, cacheWrite1h?: number }} Price */
/** @typedef {Price & { above: number }} Tier */
/** @typedef {Price & { tiers?: Tier[] }} TieredPrice */
/** @typedef {{ id: string, provider: string, aliases?: string[], contextWindow: number, maxOutput?: number, price?: TieredPrice, formerPrices?: (TieredPrice & { until: string })[], cache?: string, terms?: string, source?: string }} Row */

const dated = /[-@](?:20\d{6}|20\d{2}-\d{2}-\d{2})$/

/**
 * @param {object} input
 * @param {Record<string, Record<string, any>>} input.windows @earendil-works/pi-ai: provider file name -> its parsed JSON
 * @param {Record<string, any[]>} input.prices @pydantic/genai-prices: provider id -> its models
 * @param {any} input.curation curation.data.json
 * @returns {{ rows: Row[], remarks: string[], undecided: string[] }} `undecided`: prices curation.data.json must settle
 */
export function mergeSources({ windows, prices, curation }) {
  /** @type {Row[]} */
  const rows = []
  const remarks = []
  const undecided = []
  const on = curation.sources
    .map((source) => source.asOf)
    .sort()
    .at(-1)
  for (const { provider, windows: file, prices: list, leaveOut = [], tiersBeginAt = false } of curation.providers) {
    const skip = new RegExp([...curation.leaveOut, ...leaveOut].join('|'))
    const first = file === undefined ? new Map() : chatModels(windows[file] ?? {})
    const second = list === undefined ? new Map() : pricedModels(prices[list] ?? [], on)
    for (const id of new Set([...first.keys(), ...second.keys()])) {
      const base = id.replace(dated, '')
      if (base !== id && first.has(base) && sameModel(first.get(id), first.get(base))) continue // the date rule of lookup
      const own = first.get(id)
      const priced = second.get(id) ?? [...second.values()].find((other) => other.names.includes(id))
      if (skip.test(id)) continue
      const row = { id, provider }
      // genai-prices has one entry for several models of the same price: other names belong to the entry's own model.
      const names = new Set([id, ...(second.get(id)?.names ?? []), ...(curation.aliases[id] ?? [])])
      row.aliases = [...names].filter(
        (name) => isAlias(name, id, names) && !first.has(name) && !second.has(name) && !skip.test(name),
      )
      row.contextWindow = decided(curation.windows, id)?.window ?? own?.window ?? priced?.window
      if (row.contextWindow === undefined) {
        remarks.push(`left out  ${id}: no context window in either source`)
        continue
      }
      if (own?.window !== undefined && priced?.window !== undefined && own.window !== priced.window)
        remarks.push(`window    ${id}: ${own.window} | ${priced.window} -> ${row.contextWindow}`)
      if (own?.maxOutput !== undefined) row.maxOutput = own.maxOutput
      row.price = settlePrice(id, own?.price, priced?.price, curation, remarks, undecided)
      if (row.price !== undefined) row.formerPrices = formerPrices(id, priced?.former, curation, remarks)
      if (tiersBeginAt) row.price = beginningAt(row.price)
      row.cache = cacheRule(row, curation.cacheRules)
      row.terms = ruleFor(row, curation.termRules)
      rows.push(tidy(row))
    }
  }
  // Open weights and models sold under another name: a host's window, and no price, since every host has its own.
  for (const { id, provider, from } of curation.windowsOnly) {
    const [file, name] = from.split(':')
    const window = chatModels(windows[file] ?? {}).get(name)?.window
    if (window === undefined) remarks.push(`left out  ${id}: ${from} is gone`)
    else {
      const row = { id, provider, aliases: curation.aliases[id] ?? [], contextWindow: window }
      rows.push(tidy({ ...row, cache: cacheRule(row, curation.cacheRules) }))
    }
  }
  for (const stated of curation.stated) addStated(rows, stated, curation, remarks)
  rows.sort((a, b) => compare(a.provider, b.provider) || compare(a.id, b.id))
  return { rows, remarks: remarks.sort(compare), undecided: undecided.sort(compare) }
}

/**
 * What a source besides the packages says of a model. It completes the packages' row of the same id, and overrides nothing
 * in it: where a package comes to say the same thing, the entry has served.
 */
function addStated(rows, stated, { cacheRules, termRules }, remarks) {
  const at = rows.findIndex((row) => row.id === stated.id)
  const known = at < 0 ? {} : rows[at]
  for (const key of Object.keys(stated))
    if (key !== 'id' && key !== 'provider' && known[key] !== undefined)
      remarks.push(`stated    ${stated.id}: ${key} is in the packages now`)
  const said = { ...stated, ...known }
  const row = tidy({
    ...rowOf(said),
    price: withTiers(said.price),
    formerPrices: said.formerPrices?.map(withTiers),
    cache: said.cache ?? cacheRule(said, cacheRules),
    terms: ruleFor(said, termRules),
    source: stated.source,
  })
  if (at < 0) rows.push(row)
  else rows[at] = row
}

const rowOf = ({ id, provider, aliases, contextWindow, maxOutput }) => ({
  id,
  provider,
  aliases,
  contextWindow,
  maxOutput,
})

const withTiers = (price) => price && { ...price, tiers: price.tiers ?? [] }

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0)

/** Names in lookup's form: lower case, and Claude's version with dashes. */
function plain(name) {
  const lower = name.toLowerCase()
  return lower.startsWith('claude-') ? lower.replace(/(?<=\d)\.(?=\d)/g, '-') : lower
}

/** Whether a name must be listed as an alias: lookup itself removes dates and routers. */
function isAlias(name, id, names) {
  const base = name.replace(dated, '')
  return name !== id && !name.includes('/') && (base === name || !names.has(base))
}

/** pi-ai: api -> "chat:<id>" -> model. A price of 0 means a subscription or an unknown price, and is left out. */
function chatModels(file) {
  const models = new Map()
  for (const api of Object.values(file))
    for (const [key, model] of Object.entries(api)) {
      if (!key.startsWith('chat:')) continue
      const { cost } = model
      const price = cost.input > 0 && {
        ...fromPi(cost),
        tiers: (cost.tiers ?? []).map((tier) => ({ above: tier.inputTokensAbove, ...fromPi(tier) })),
      }
      models.set(plain(key.slice(5)), {
        window: model.contextWindow,
        maxOutput: model.maxTokens,
        price: price || undefined,
      })
    }
  return models
}

const fromPi = (cost) => ({
  input: cost.input,
  output: cost.output,
  cacheRead: cost.cacheRead || undefined,
  cacheWrite: cost.cacheWrite || undefined,
})

/** genai-prices: the price on the day `on`, and every name that its matching rules contain in full. */
function pricedModels(models, on) {
  const found = new Map()
  for (const model of models) {
    const id = plain(model.id).replace(/-latest$/, '')
    const names = [...new Set([model.id, ...writtenNames(model.match)].map(plain))]
    const price = fromPrices(inForce(model.prices, on))
    found.set(id, { window: model.context_window, names, price, former: beforeThat(model.prices, on) })
  }
  return found
}

/** `equals` is a name; so is `starts_with`, unless it is clearly a fragment (`gpt-5-nano-`, `claude-sonnet-4-2025`). */
function writtenNames(match) {
  if (match.equals !== undefined) return [match.equals]
  if (match.starts_with !== undefined) return /([-@:]|-20\d\d)$/.test(match.starts_with) ? [] : [match.starts_with]
  return (match.or ?? []).flatMap(writtenNames)
}

/** The latest start date wins; prices by time of day are ignored (curation.data.json lists the models that have them). */
function inForce(prices, on) {
  if (!Array.isArray(prices)) return prices
  const valid = prices.filter(({ constraint }) => constraint === undefined || (constraint.start_date ?? '9999') <= on)
  return valid.at(-1)?.prices ?? {}
}

/** The earlier prices, each with the first day of the next one. */
function beforeThat(prices, on) {
  if (!Array.isArray(prices)) return []
  const dated = prices.filter(
    ({ constraint }) =>
      constraint === undefined || (constraint.start_date !== undefined && constraint.start_date <= on),
  )
  return dated.slice(0, -1).flatMap((entry, at) => {
    const price = fromPrices(entry.prices)
    return price ? [{ until: dated[at + 1].constraint.start_date, ...price }] : []
  })
}

/** Earlier prices, as curation.data.json corrects them. Only genai-prices has any. */
function formerPrices(id, former = [], curation, remarks) {
  return former.map(({ tiers, ...price }) => {
    const decision = curation.formerPrices.find((one) => one.id === id && one.until === price.until)
    const settled = { ...price, ...decision?.price, tiers: roundThresholds(tiers) }
    remarks.push(`former    ${id}: ${brief(settled)} until ${price.until}${decision ? ', corrected' : ''}`)
    return settled
  })
}

const priceFields = {
  input: 'input_mtok',
  output: 'output_mtok',
  cacheRead: 'cache_read_mtok',
  cacheWrite: 'cache_write_mtok',
  cacheWrite1h: 'cache_write_1h_mtok',
}

function fromPrices(price) {
  if (price.input_mtok === undefined) return undefined
  const at = (pick) =>
    Object.fromEntries(
      Object.entries(priceFields).map(([field, key]) => [
        field,
        typeof price[key] === 'object' ? pick(price[key]) : price[key],
      ]),
    )
  const starts = typeof price.input_mtok === 'object' ? price.input_mtok.tiers.map((tier) => tier.start) : []
  const tiers = starts.map((start) => ({
    above: start,
    ...at((tiered) => tiered.tiers.findLast((tier) => tier.start <= start)?.price ?? tiered.base),
  }))
  return { ...at((tiered) => tiered.base), tiers }
}

/**
 * If both sources have the same price, that of genai-prices is used: it has the one-hour writes. If they differ,
 * curation.data.json must say which one is right and why.
 */
function settlePrice(id, pi, genai, curation, remarks, undecided) {
  const decision = decided(curation.prices, id)
  if (decision !== undefined) {
    remarks.push(`price     ${id}: ${brief(pi)} | ${brief(genai)} -> ${decision.take}`)
    return { 'pi-ai': pi, 'genai-prices': genai, stated: decision.price, none: undefined }[decision.take]
  }
  if (pi === undefined || genai === undefined) {
    if (pi !== undefined) remarks.push(`one price ${id}: ${brief(pi)} only in pi-ai`)
    return pi ?? (genai && { ...genai, tiers: roundThresholds(genai.tiers) })
  }
  if (brief(pi) !== brief(genai)) undecided.push(`${id}: pi-ai ${brief(pi)} | genai-prices ${brief(genai)}`)
  return { ...genai, tiers: roundThresholds(genai.tiers) }
}

const decided = (decisions, id) => decisions.find(({ ids }) => ids.includes(id))

/** genai-prices has thresholds like 271999 where the providers' pages say "above 272K": the round number is meant. */
const roundThresholds = (tiers) =>
  tiers.map((tier) => ({ ...tier, above: tier.above % 1000 === 999 ? tier.above + 1 : tier.above }))

/** A tier of "200K or more", where those of others are of more than that. */
const beginningAt = (price) =>
  price && { ...price, tiers: price.tiers.map((tier) => ({ ...tier, above: tier.above - 1 })) }

/** The fields that both sources have, as text to compare and read. */
function brief(price) {
  if (price === undefined) return 'none'
  const one = (p) => [p.input, p.output, p.cacheRead ?? '-', p.cacheWrite ?? '-'].join('/')
  return [one(price), ...roundThresholds(price.tiers).map((tier) => `>${tier.above} ${one(tier)}`)].join(' ')
}

/** The first rule with a matching pattern; none if the price is known and has no cached price. */
function cacheRule(row, rules) {
  if (row.price !== undefined && row.price.cacheRead === undefined) return undefined
  return ruleFor(row, rules)
}

const ruleFor = (row, rules) =>
  rules.find(({ models }) => models[row.provider] !== undefined && new RegExp(models[row.provider]).test(row.id))?.id

const sameModel = (a, b) => a.window === b.window && brief(a.price) === brief(b.price)

/** Removes unknown and empty fields. */
function tidy(row) {
  const former = (row.formerPrices ?? []).map(tidyPrice)
  const aliases = [...new Set(row.aliases ?? [])].sort(compare)
  return withoutUndefined({
    ...row,
    aliases: aliases.length === 0 ? undefined : aliases,
    price: row.price && tidyPrice(row.price),
    formerPrices: former.length === 0 ? undefined : former,
  })
}

function tidyPrice({ tiers, ...price }) {
  return withoutUndefined({ ...price, tiers: tiers.length === 0 ? undefined : tiers.map(withoutUndefined) })
}

const withoutUndefined = (object) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))

/**
 * One model per line, in TypeScript rather than JSON: importing JSON prints an ExperimentalWarning on Node 20.
 *
 * @param {Row[]} rows
 * @param {any} curation
 */
export function writeTable(rows, curation) {
  const written = (rules) =>
    rules
      .map(({ models, ...rule }) => rule)
      .sort((a, b) => compare(a.id, b.id))
      .map((rule) => `    ${literal(rule)},`)
      .join('\n')
  return `// Written by tools/models/build.mjs; do not edit. Decisions and their reasons: tools/models/curation.data.json.
import type { ModelTable } from './table.ts'

export const builtinModels: ModelTable = {
  asOf: ${literal(curation.sources.map((source) => source.asOf).sort()[0])},
  sources: [
${curation.sources.map((source) => `    ${literal(source)},`).join('\n')}
  ],
  cacheRules: [
${written(curation.cacheRules)}
  ],
  termRules: [
${written(curation.termRules)}
  ],
  models: [
${rows.map((row) => `    ${literal(row)},`).join('\n')}
  ],
}
`
}

function literal(value) {
  if (typeof value === 'string') return `'${value.replace(/[\\']/g, '\\$&')}'`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (value === null || typeof value !== 'object') return String(value)
  return `{ ${Object.entries(value)
    .map(([key, inner]) => `${key}: ${literal(inner)}`)
    .join(', ')} }`
}
