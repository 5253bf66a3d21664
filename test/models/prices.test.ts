import { describe, expect, it } from 'vitest'
import { CtxwinError } from '../../src/base/errors.ts'
import { builtinModels, cacheRuleOf, lookupModel, ratesFor } from '../../src/models/lookup.ts'
import { parsePrices } from '../../src/models/prices.ts'
import { atTerms } from '../../src/models/pricing.ts'

const parse = (file: unknown) => parsePrices(JSON.stringify(file))

describe('parsePrices', () => {
  it('leaves the built-in table as it is for an empty file, and for a copy of itself', () => {
    expect(parse({})).toEqual(builtinModels)
    expect(parse(builtinModels)).toEqual(builtinModels)
  })

  it('replaces a price as a whole and keeps the other fields', () => {
    const table = parse({ asOf: '2027-01-02', models: [{ id: 'claude-sonnet-4-5', price: { input: 4, output: 16 } }] })
    const model = lookupModel('claude-sonnet-4-5-20250929', table)!
    expect(model).toEqual({ ...lookupModel('claude-sonnet-4-5'), price: { input: 4, output: 16 } })
    expect(ratesFor(model, 500_000, table)).toEqual({
      input: 4,
      output: 16,
      cacheRead: 0.4,
      cacheWrite: 5,
      cacheWrite1h: 8,
    })
    expect(table.asOf).toBe('2027-01-02')
  })

  it('takes earlier prices, in any order, and a price without them for all times', () => {
    const former = [
      { until: '2026-05-01', input: 8, output: 16 },
      { until: '2026-02-01', input: 9, output: 18, tiers: [{ above: 100, input: 10, output: 20 }] },
    ]
    const table = parse({
      models: [
        { id: 'gpt-5.6-sol', price: { input: 1, output: 1 } },
        { id: 'mine', price: { input: 7, output: 14 }, formerPrices: former },
      ],
    })
    const at = (model: string, day: string, tokens = 100) =>
      ratesFor(lookupModel(model, table)!, tokens, table, Date.parse(day))?.input
    expect(['2026-01-31', '2026-02-01', '2026-04-30', '2026-05-01'].map((day) => at('mine', day))).toEqual([9, 8, 8, 7])
    expect(at('mine', '2026-01-31', 101)).toBe(10)
    expect(at('gpt-5.6-sol', '2026-01-31')).toBe(1)
  })

  it('adds models, names in any case, tiers in any order', () => {
    const tiers = [
      { above: 200, input: 3, output: 3 },
      { above: 100, input: 2, output: 2 },
    ]
    const table = parse({
      models: [
        {
          id: 'My-Model',
          aliases: ['Team/Mine'],
          contextWindow: 1000,
          cache: 'openai',
          price: { input: 1, output: 1, tiers },
        },
      ],
    })
    const model = lookupModel('team/mine', table)!
    expect(model).toMatchObject({ id: 'my-model', provider: 'user', contextWindow: 1000 })
    expect([100, 101, 200, 201].map((tokens) => ratesFor(model, tokens, table)!.input)).toEqual([1, 2, 2, 3])
    expect(cacheRuleOf(model, table)?.minPrefix).toBe(1024)
  })

  it('changes and adds cache rules', () => {
    const own = { id: 'own', minPrefix: 0, granularity: 'block', ttl: 60, read: 0.5, write: 1, source: 'ours' }
    const table = parse({ cacheRules: [{ id: 'openai', ttl: 600 }, own], models: [{ id: 'm', cache: 'own' }] })
    expect(cacheRuleOf(lookupModel('gpt-4o', table)!, table)).toMatchObject({ ttl: 600, minPrefix: 1024 })
    expect(cacheRuleOf(lookupModel('m', table)!, table)).toEqual(own)
  })

  it.each([
    // OpenAI's pages of priority processing and of fast mode, LiteLLM's price list: input and output per million.
    ['gpt-5.5', 'priority', 12.5, 75],
    ['gpt-5.6-terra', 'priority', 4, 24],
    ['gpt-5.4', 'priority', 5, 30],
    ['gpt-5.2', 'priority', 3.5, 28],
    ['gpt-5-codex', 'priority', 2.5, 20],
    ['gpt-5-mini', 'priority', 0.45, 3.6],
    ['gpt-4.1', 'priority', 3.5, 14],
    ['gpt-4.1-nano', 'priority', 0.2, 0.8],
    ['gpt-4o', 'priority', 4.25, 17],
    ['gpt-6-astra', 'flex', 5, 25],
    ['gpt-5.4', 'batch', 1.25, 7.5],
    ['o3', 'flex', 1, 4],
    ['gemini-2.5-flash-lite', 'priority', 0.18, 0.72],
    ['gemini-2.5-flash-lite', 'flex', 0.05, 0.2],
  ] as const)('has the price of %s in the %s tier', (model, tier, input, output) => {
    const info = lookupModel(model)!
    const { factor, priced } = atTerms(info, [tier], builtinModels)
    expect(priced).toEqual([tier])
    expect(info.price!.input * factor).toBeCloseTo(input, 9)
    expect(info.price!.output * factor).toBeCloseTo(output, 9)
  })

  it.each([
    ['gpt-5.6-luna', 'scale'],
    ['gpt-5.4-nano', 'priority'],
    ['gemini-3.1-pro', 'priority'],
    ['claude-opus-4-5', 'priority'],
  ] as const)('knows no price of %s in the %s tier', (model, tier) => {
    expect(atTerms(lookupModel(model)!, [tier], builtinModels)).toMatchObject({ factor: 1, priced: [] })
  })

  it('changes and adds rules for other terms', () => {
    const own = { id: 'own', fast: 3, search: 0.02, source: 'ours' }
    const table = parse({ termRules: [own], models: [{ id: 'm', terms: 'own' }] })
    expect(atTerms(lookupModel('m', table)!, ['fast', 'batch', 'search'], table)).toEqual({
      factor: 3,
      search: 0.02,
      priced: ['fast', 'search'],
    })
  })

  it.each([
    ['{"models":[{"id":"m","terms":"fats"}]}', /unknown rule for terms "fats"\. Known: .*anthropic/],
    ['{"termRules":[{"id":"own","fast":"2","source":"ours"}]}', /termRules "own"\.fast: "2" is not a number/],
    ['{', /not JSON/],
    ['[]', /the price file: "a list" is not an object/],
    ['{"model":[]}', /unknown key "model"\. Keys of the price file: asOf, sources, cacheRules, termRules, models/],
    ['{"asOf":"yesterday"}', /asOf: "yesterday" is not a date like 2026-11-21/],
    ['{"models":{}}', /models: "an object" is not a list/],
    ['{"models":[{"price":{}}]}', /models\[0\]\.id: "nothing" is not a text/],
    ['{"models":[{"id":"m","price":{"input":1}}]}', /models "m"\.price\.output: "nothing" is not a number, 0 or more/],
    ['{"models":[{"id":"m","price":{"input":-1,"output":1}}]}', /price\.input: "-1" is not a number/],
    ['{"models":[{"id":"m","price":{"input":"1","output":1}}]}', /price\.input: "1" is not a number/],
    ['{"models":[{"id":"m","price":{"input":1e999,"output":1}}]}', /"Infinity" is not a number/],
    [
      '{"models":[{"id":"m","price":{"input":1,"output":1,"cached":1}}]}',
      /unknown key "cached"\. Keys of models "m"\.price: input/,
    ],
    [
      '{"models":[{"id":"m","price":{"input":1,"output":1,"tiers":[{"input":1,"output":1}]}}]}',
      /tiers\[0\]\.above: "nothing"/,
    ],
    [
      '{"models":[{"id":"m","formerPrices":[{"input":1,"output":1}]}]}',
      /formerPrices\[0\]\.until: "nothing" is not a date/,
    ],
    ['{"models":[{"id":"m","contextWindow":1.5}]}', /models "m"\.contextWindow: "1.5" is not a number of tokens/],
    ['{"models":[{"id":"m","cache":"opneai"}]}', /unknown cache rule "opneai"\. Known: .*openai/],
    ['{"models":[{"id":"m","aliases":["gpt-4o"]}]}', /"gpt-4o" is not a free name: it is model "(m|gpt-4o)" already/],
    [
      '{"models":[{"id":"claude-opus-4"}]}',
      /"claude-opus-4" is not a free name: it is model "claude-opus-4-0" already/,
    ],
    [
      '{"cacheRules":[{"id":"own","ttl":1}]}',
      /cacheRules "own"\.minPrefix: "nothing" is not a value, and a new cache rule needs one/,
    ],
    ['{"cacheRules":[{"id":"openai","granularity":"line"}]}', /granularity: "line" is not "block" or a number/],
    ['{"models":[{"__proto__":{"id":"m"},"id":"m"}]}', /unknown key "__proto__"/],
  ])('refuses %s', (text, message) => {
    expect(() => parsePrices(text)).toThrow(CtxwinError)
    expect(() => parsePrices(text)).toThrow(message)
  })
})
