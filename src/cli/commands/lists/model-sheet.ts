/** The model table as a sheet: windows, prices, cache rules and sources. Its JSON can be used as a price file. */

import type {
  CacheRule,
  Column,
  ModelInfo,
  ModelTable,
  Note,
  Price,
  PriceTier,
  Sheet,
  TermRule,
} from '../../../app/index.ts'
import { cacheRuleOf, ratesFor } from '../../../models/lookup.ts'
import { factorTerms } from '../../../models/table.ts'
import { grouped } from '../../../reports/numbers.ts'

/** @param named whether the user named the models, and wants all details */
export function modelSheet(table: ModelTable, models: readonly ModelInfo[], named: boolean): Sheet<ModelInfo> {
  const used = new Set(models.map(({ cache }) => cache))
  const cacheRules = table.cacheRules.filter(({ id }) => used.has(id))
  const ofTerms = new Set(models.map(({ terms }) => terms))
  const termRules = (table.termRules ?? []).filter(({ id }) => ofTerms.has(id))
  const sources = table.sources.map((source) => `${source.package} ${source.version} (${source.asOf})`)
  return {
    captions: [`prices in USD a million tokens, of ${table.asOf}`, `from ${sources.join(', ')}`],
    columns: columnsOf(table),
    items: models,
    marked: () => false,
    notes: [
      ...(named ? [...tierNotes(models), ...formerNotes(models), ...sourceNotes(models)] : []),
      ...ruleNotes(cacheRules),
      ...termNotes(termRules),
    ],
    data: { asOf: table.asOf, sources: table.sources, cacheRules, termRules, models },
  }
}

function columnsOf(table: ModelTable): Column<ModelInfo>[] {
  const price = (key: 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'cacheWrite1h', header: string, rank: number) =>
    ({
      key: `price.${key}`,
      header,
      unit: 'price',
      rank,
      // The rates of a short request. Rates that the table does not name follow from the cache rule.
      value: (model: ModelInfo) => ratesFor(model, 0, table)?.[key],
    }) as const
  return [
    { key: 'id', header: 'model', unit: 'text', rank: 0, value: ({ id }) => id },
    { key: 'provider', header: 'provider', unit: 'text', rank: 4, value: ({ provider }) => provider },
    { key: 'contextWindow', header: 'window', unit: 'tokens', rank: 0, value: ({ contextWindow }) => contextWindow },
    { key: 'maxOutput', header: 'max output', unit: 'tokens', rank: 3, value: ({ maxOutput }) => maxOutput },
    price('input', 'input', 0),
    price('output', 'output', 0),
    price('cacheRead', 'read', 1),
    price('cacheWrite', 'write', 1),
    price('cacheWrite1h', 'write 1h', 6),
    { key: 'cache', header: 'cache rule', unit: 'text', rank: 2, value: ({ cache }) => cache },
    { key: 'terms', header: 'terms', unit: 'text', value: ({ terms }) => terms },
    { key: 'source', header: 'source', unit: 'text', value: ({ source }) => source },
    ...(['minPrefix', 'granularity', 'ttl', 'source'] as const).map(
      (key): Column<ModelInfo> => ({
        key: `cacheRule.${key}`,
        header: key,
        unit: 'text',
        value: (model) => cacheRuleOf(model, table)?.[key],
      }),
    ),
  ]
}

function tierNotes(models: readonly ModelInfo[]): Note[] {
  const items = models.flatMap(({ id, price }) =>
    price?.tiers ? [{ name: id, sentences: price.tiers.map(tierSentence) }] : [],
  )
  return items.length === 0 ? [] : [{ title: 'Longer requests', items }]
}

function tierSentence({ above, ...price }: PriceTier): string {
  return `above ${grouped(above)} tokens of input: ${priceWords(price)}`
}

function formerNotes(models: readonly ModelInfo[]): Note[] {
  const items = models.flatMap(({ id, formerPrices = [] }) => {
    const sentences = formerPrices.flatMap(({ until, tiers = [], ...price }) => [
      `until ${until}: ${priceWords(price)}`,
      ...tiers.map((tier) => `until ${until}, ${tierSentence(tier)}`),
    ])
    return sentences.length > 0 ? [{ name: id, sentences }] : []
  })
  return items.length === 0 ? [] : [{ title: 'Earlier prices, for requests of their time', items }]
}

function sourceNotes(models: readonly ModelInfo[]): Note[] {
  const items = models.flatMap(({ id, source }) => (source === undefined ? [] : [{ name: id, sentences: [source] }]))
  return items.length === 0 ? [] : [{ title: 'Not from the packages', items }]
}

function priceWords({ input, output, cacheRead, cacheWrite, cacheWrite1h }: Price): string {
  const said = Object.entries({ input, output, read: cacheRead, write: cacheWrite, 'write 1h': cacheWrite1h })
  const prices = said.filter(([, price]) => price !== undefined).map(([word, price]) => `${word} ${price}`)
  return prices.join(', ')
}

function ruleNotes(rules: readonly CacheRule[]): Note[] {
  const items = rules.map((rule) => ({ name: rule.id, sentences: [ruleSentence(rule), rule.source] }))
  return items.length === 0 ? [] : [{ title: 'Cache rules', items }]
}

function termNotes(rules: readonly TermRule[]): Note[] {
  const items = rules.map((rule) => ({ name: rule.id, sentences: [termSentence(rule), rule.source] }))
  return items.length === 0 ? [] : [{ title: 'Other terms', items }]
}

/** "fast 2, us 1.1, batch 0.5, regional 1.1 times the price of all tokens; a web search $0.01" */
function termSentence({ search, ...rule }: TermRule): string {
  const factors = ([...factorTerms, 'regional'] as const).flatMap((term) =>
    rule[term] === undefined ? [] : [`${term} ${rule[term]}`],
  )
  return [
    ...(factors.length > 0 ? [`${factors.join(', ')} times the price of all tokens`] : []),
    ...(search === undefined ? [] : [`a web search $${search}`]),
  ].join('; ')
}

/** "from 1,024 tokens on, up to a content block's end; for 300 s after the last use; read at 0.1 and written at …" */
function ruleSentence({ minPrefix, granularity, ttl, read, write, write1h }: CacheRule): string {
  const steps = granularity === 'block' ? "up to a content block's end" : `in steps of ${grouped(granularity)}`
  const hour = write1h === undefined ? '' : ` (${write1h} for an hour)`
  return `from ${grouped(minPrefix)} tokens on, ${steps}; for ${grouped(ttl)} s after the last use; read at ${read} and written at ${write}${hour} times the input price`
}
