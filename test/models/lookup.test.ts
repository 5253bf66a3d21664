import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { builtinModels, cacheRuleOf, lookupModel, ratesFor, windowByName } from '../../src/models/lookup.ts'
import type { ModelTable } from '../../src/models/table.ts'

const names = builtinModels.models.flatMap((model) => [model.id, ...(model.aliases ?? [])])

describe('the built-in table', () => {
  it('is sorted by provider and id', () => {
    const keys = builtinModels.models.map(({ provider, id }) => `${provider} ${id}`)
    expect(keys).toEqual([...keys].sort())
    const rules = builtinModels.cacheRules.map((rule) => rule.id)
    expect(rules).toEqual([...rules].sort())
  })

  it('gives every name to one model, in the spelling lookup compares with', () => {
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
    expect(names.filter((name) => name !== name.trim().toLowerCase() || name.includes('/'))).toEqual([])
  })

  it('dates itself by its oldest source', () => {
    const dates = builtinModels.sources.map((source) => source.asOf)
    for (const date of dates) expect(new Date(date).toISOString().slice(0, 10)).toBe(date)
    expect(builtinModels.asOf).toBe(dates.sort()[0])
  })

  it.each(builtinModels.models)('$id: windows and prices make sense', ({ contextWindow, maxOutput, price, cache }) => {
    expect(contextWindow ?? 1).toBeGreaterThan(0)
    expect(maxOutput ?? 1).toBeGreaterThan(0)
    if (cache !== undefined) expect(builtinModels.cacheRules.map((rule) => rule.id)).toContain(cache)
    const tiers = price?.tiers ?? []
    const isFree = price?.input === 0
    if (isFree) expect(price).toEqual({ input: 0, output: 0, cacheRead: 0 })
    for (const rates of price === undefined || isFree ? [] : [price, ...tiers]) {
      expect(rates.input).toBeGreaterThan(0)
      expect(rates.output).toBeGreaterThanOrEqual(rates.input)
      expect(rates.cacheRead ?? 0).toBeLessThan(rates.input)
      expect(rates.cacheWrite ?? rates.input).toBeGreaterThanOrEqual(rates.input)
      expect(rates.cacheWrite1h ?? Infinity).toBeGreaterThan(rates.cacheWrite ?? rates.input)
    }
    for (const [index, tier] of tiers.entries()) {
      expect(tier.above).toBeGreaterThan(tiers[index - 1]?.above ?? 0)
      expect(tier.input).toBeGreaterThan((tiers[index - 1] ?? price)!.input)
    }
  })

  it('names the source and its day of whatever no package says', () => {
    const stated = builtinModels.models.flatMap(({ id, source }) =>
      source === undefined ? [] : [[id, source] as const],
    )
    expect(stated.length).toBeGreaterThan(0)
    expect(stated.filter(([, source]) => !/, read 20\d\d-\d\d-\d\d$/.test(source))).toEqual([])
  })

  it('has the prices of a page one can check by hand', () => {
    // Anthropic's pricing page for Opus 4.5: $5 in, $25 out, $6.25 and $10 to write, $0.50 to read.
    expect(lookupModel('claude-opus-4-5')?.price).toEqual({
      input: 5,
      output: 25,
      cacheRead: 0.5,
      cacheWrite: 6.25,
      cacheWrite1h: 10,
    })
  })
})

describe('the price of the time of a request', () => {
  const input = (model: string, day: string, tokens = 1000) =>
    ratesFor(lookupModel(model)!, tokens, builtinModels, Date.parse(`${day}Z`))?.input

  it('is what the model cost that day, in UTC', () => {
    // OpenAI's changelog: Terra a fifth cheaper from 30 July 2026 on, Sol from 21 August on.
    expect(input('gpt-5.6-sol', '2026-08-20T23:59:59')).toBe(5)
    expect(input('gpt-5.6-sol', '2026-08-21T00:00:00')).toBe(4)
    expect(input('gpt-5.6-terra', '2026-07-29T12:00:00')).toBe(2.5)
    expect(input('gpt-5.6-terra', '2026-07-30T12:00:00')).toBe(2)
  })

  it('has the tiers of that day', () => {
    // Anthropic charged for long requests until the window of a million was there for all, 13 March 2026.
    expect(input('claude-opus-4-6', '2026-03-12T12:00:00', 200_001)).toBe(10)
    expect(input('claude-opus-4-6', '2026-03-12T12:00:00', 200_000)).toBe(5)
    expect(input('claude-opus-4-6', '2026-03-13T12:00:00', 200_001)).toBe(5)
  })

  it.each([
    // Anthropic's window of a million for Sonnet 4 and 4.5, OpenAI's and Google's long requests.
    ['claude-sonnet-4-0', 200_000, 3, 6],
    ['claude-sonnet-4-5', 200_000, 3, 6],
    ['gpt-5.4', 272_000, 2.5, 5],
    ['gpt-5.6-sol', 272_000, 4, 8],
    ['gemini-2.5-pro', 200_000, 1.25, 2.5],
  ])('of %s is another one above %i tokens', (model, above, price, long) => {
    expect([above, above + 1].map((tokens) => input(model, '2026-10-01T12:00:00', tokens))).toEqual([price, long])
  })

  it("is today's where nobody knows when it was sent", () => {
    expect(ratesFor(lookupModel('gpt-5.6-sol')!, 1000)?.input).toBe(4)
  })

  it('stands in the order of its days', () => {
    for (const { formerPrices = [] } of builtinModels.models) {
      const days = formerPrices.map(({ until }) => until)
      expect(days).toEqual([...new Set(days)].sort())
      for (const day of days) expect(Number.isNaN(Date.parse(day))).toBe(false)
    }
  })
})

describe('lookupModel', () => {
  it('finds every name of the table', () => {
    for (const model of builtinModels.models)
      for (const name of [model.id, ...(model.aliases ?? [])]) expect(lookupModel(name)).toBe(model)
  })

  it.each([
    ['claude-opus-4-5-20251101', 'claude-opus-4-5'],
    ['claude-sonnet-4@20250514', 'claude-sonnet-4-0'],
    ['claude-3-5-sonnet-v2@20241022', 'claude-3-5-sonnet'],
    ['anthropic.claude-3-5-sonnet-20241022-v2:0', 'claude-3-5-sonnet'],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5'],
    ['bedrock/eu.anthropic.claude-haiku-4-5-20251001-v1:0', 'claude-haiku-4-5'],
    ['litellm_proxy/claude-sonnet-4-20250514', 'claude-sonnet-4-0'],
    ['openrouter/anthropic/claude-opus-4.8', 'claude-opus-4-8'],
    ['claude-sonnet-4.6', 'claude-sonnet-4-6'],
    ['claude-opus-5[1m]', 'claude-opus-5'],
    ['arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-opus-5', 'claude-opus-5'],
    ['k3', 'kimi-k3'],
    ['claude-4.5-opus', 'claude-opus-4-5'],
    ['gpt-4o-mini-2024-07-18', 'gpt-4o-mini'],
    ['gpt-4o-2024-05-13', 'gpt-4o-2024-05-13'],
    ['openai/gpt-5.1-codex', 'gpt-5.1'],
    ['models/gemini-2.5-pro', 'gemini-2.5-pro'],
    ['x-ai/grok-4', 'grok-4-0709'],
    ['MiniMax-M2.7', 'minimax-m2.7'],
    [' GPT-5 ', 'gpt-5'],
  ])('%s is %s', (name, id) => {
    expect(lookupModel(name)?.id).toBe(id)
  })

  it.each([
    ['us.anthropic.claude-opus-5', 'claude-opus-5', 1.1],
    ['in.anthropic.claude-opus-5', 'claude-opus-5', 1.1],
    ['eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5', 1.1],
    ['arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-5', 'claude-opus-5', 1.1],
    ['global.anthropic.claude-opus-5-v1:0', 'claude-opus-5', 1],
    ['anthropic.claude-opus-5', 'claude-opus-5', 1],
    ['us.anthropic.claude-sonnet-4-20250514-v1:0', 'claude-sonnet-4-0', 1],
    ['us.anthropic.claude-3-5-sonnet-20241022-v2:0', 'claude-3-5-sonnet', 1],
  ])('%s costs what %s does, %d times', (name, id, times) => {
    const [regional, usual] = [name, id].map((one) => lookupModel(one)!)
    expect(lookupModel(name)).toBe(regional)
    for (const tokens of [1000, 300_000]) {
      const [one, other] = [regional, usual].map((model) => ratesFor(model!, tokens)!)
      for (const [kind, usd] of Object.entries(other!)) expect(one![kind as 'input']).toBeCloseTo(usd * times, 10)
    }
  })

  it('has prices as a list would have them, whatever they are multiplied by', () => {
    const regional = builtinModels.models.map(({ id }) => `eu.anthropic.${id}`)
    for (const name of [...names, ...regional]) {
      const info = lookupModel(name)
      for (const tokens of [0, 300_000]) {
        const rates = (info && ratesFor(info, tokens)) ?? {}
        for (const usd of Object.values(rates)) expect(String(usd).length, `${name} ${usd}`).toBeLessThan(12)
      }
    }
  })

  it.each([
    ['claude-sonnet-4-5[1m]', 3],
    ['Claude-Sonnet-4.5[1M]', 3],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0[1m]', 3.3],
    ['claude-opus-5[1m]', 5],
  ])('%s has a window of a million tokens, at the same price', (name, input) => {
    expect(lookupModel(name)).toMatchObject({ contextWindow: 1_000_000, price: { input } })
    expect(lookupModel(name)).toBe(lookupModel(name))
  })

  it('goes by the terms of the table that it is asked for', () => {
    const own = { id: 'anthropic-regional', regional: 2, source: 'ours' }
    const table = { ...builtinModels, termRules: [own] }
    const name = 'eu.anthropic.claude-haiku-4-5'
    expect([lookupModel(name), lookupModel(name, table)].map((model) => model?.price?.input)).toEqual([1.1, 2])
  })

  it('has the tiers of xAI begin at their number, and those of others above it', () => {
    const inputAt = (name: string, tokens: number) => ratesFor(lookupModel(name)!, tokens)!.input
    expect([199_999, 200_000].map((tokens) => inputAt('grok-4.5', tokens))).toEqual([2, 4])
    expect([200_000, 200_001].map((tokens) => inputAt('gemini-3-pro-preview', tokens))).toEqual([2, 4])
  })

  it.each([
    'claude-sonnet-5-5-unknown',
    'claude-sonnet',
    'claude-opus-4-8-fast',
    'gpt-4o-mini-search-preview',
    'gpt-5.5-ultra',
    'gpt',
    'groq/llama-3.3-70b-versatile',
    'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3',
    'anthropic/claude-opus-4.8:batch',
    'deepseek-chat',
    '<synthetic>',
    '__proto__',
    'constructor',
    '',
  ])('%j is unknown', (name) => {
    expect(lookupModel(name)).toBeUndefined()
  })

  it('never matches by a beginning: a known name with more behind it is unknown, unless that is a name too', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.stringMatching(/^[a-z]{1,8}$/), (name, more) => {
        const longer = `${name}-${more}`
        expect(lookupModel(longer)?.id).toBe(names.includes(longer) ? lookupModel(longer)!.id : undefined)
      }),
    )
  })

  it('takes a date off every name, and only a date', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.constantFrom('-20260101', '@20260101', '-2026-01-01'), (name, date) => {
        if (!/\d{4}-\d\d-\d\d$|\d{8}$/.test(name)) expect(lookupModel(name + date)).toBe(lookupModel(name))
      }),
    )
    expect(lookupModel('gpt-5-12345678')).toBeUndefined()
  })

  it('gives up on names no recorder writes', () => {
    expect(lookupModel(`claude-${'1.'.repeat(1_000_000)}`)).toBeUndefined()
  })
})

describe('ratesFor', () => {
  const rates = (name: string, tokens: number) => ratesFor(lookupModel(name)!, tokens)

  it('bills a whole request by the tier its length falls in', () => {
    expect(rates('claude-sonnet-4-5', 200_000)).toMatchObject({ input: 3, output: 15, cacheRead: 0.3 })
    expect(rates('claude-sonnet-4-5', 200_001)).toMatchObject({ input: 6, output: 22.5, cacheRead: 0.6 })
    expect(rates('gpt-5.4', 272_000)).toMatchObject({ input: 2.5, output: 15 })
    expect(rates('gpt-5.4', 272_001)).toMatchObject({ input: 5, output: 22.5 })
  })

  it('fills in what the list lacks by the multipliers of the cache rule', () => {
    expect(lookupModel('claude-fable-5-2')?.price?.cacheWrite1h).toBeUndefined()
    expect(rates('claude-fable-5-2', 1)).toEqual({
      input: 8,
      output: 40,
      cacheRead: 0.2,
      cacheWrite: 10,
      cacheWrite1h: 16,
    })
    expect(rates('claude-haiku-5-5', 100_001)?.cacheWrite1h).toBe(1)
    expect(rates('gpt-4o', 1)).toEqual({ input: 2.5, output: 10, cacheRead: 1.25, cacheWrite: 2.5, cacheWrite1h: 2.5 })
  })

  it('makes nothing cheaper where there is no cache, and nothing up where there is no price', () => {
    expect(rates('gpt-4', 1)).toEqual({ input: 30, output: 60, cacheRead: 30, cacheWrite: 30, cacheWrite1h: 30 })
    expect(rates('qwen3-coder', 1)).toBeUndefined()
  })
})

describe('cache rules', () => {
  it.each([
    ['claude-opus-5', 512, 'block', 300],
    ['claude-sonnet-4-6', 1024, 'block', 300],
    ['claude-opus-4-7', 2048, 'block', 300],
    ['claude-opus-4-6', 4096, 'block', 300],
    ['claude-3-haiku', 2048, 'block', 300],
    ['gpt-4o', 1024, 128, 300],
    ['gpt-5.6-sol', 1024, 'block', 1800],
    ['gemini-2.5-flash', 2048, 1, 300],
    ['gemini-3.8-flash', 4096, 1, 300],
  ])('are the documented ones for %s', (name, minPrefix, granularity, ttl) => {
    expect(cacheRuleOf(lookupModel(name)!)).toMatchObject({ minPrefix, granularity, ttl })
  })

  it('are none for models without a cached price', () => {
    for (const name of ['gpt-4', 'gpt-4-turbo', 'gpt-5-pro', 'gemini-1.5-pro'])
      expect(cacheRuleOf(lookupModel(name)!)).toBeUndefined()
  })

  it('agree with the price lists, except where a model is known to be cheaper', () => {
    const different = builtinModels.models.filter((model) => {
      const rule = cacheRuleOf(model)
      if (rule === undefined || model.price?.cacheWrite === undefined || model.provider !== 'anthropic') return false
      return Math.abs(model.price.cacheRead! / model.price.input - rule.read) > 0.02
    })
    expect(different.map((model) => model.id)).toEqual([
      'claude-fable-5-1',
      'claude-fable-5-2',
      'claude-mythos-5-1',
      'claude-opus-5-5',
      'claude-sonnet-5-5',
    ])
  })

  it('come from the table they are asked of', () => {
    const table: ModelTable = { ...builtinModels, cacheRules: [] }
    expect(cacheRuleOf(lookupModel('gpt-4o')!, table)).toBeUndefined()
  })
})

describe('windowByName', () => {
  // default_context_window in crates/duragent/src/agent/spec_eval.rs at c39a858; the first block is its own test.
  it.each([
    ['anthropic/claude-sonnet-4', 200_000],
    ['claude-3-opus', 200_000],
    ['openai/gpt-5', 400_000],
    ['openai/gpt-5-mini', 400_000],
    ['openai/gpt-5-nano', 400_000],
    ['gpt-4.1-mini-2025-04-14', 1_000_000],
    ['openai/gpt-4o', 128_000],
    ['x-ai/grok-4.1-fast', 2_000_000],
    ['x-ai/grok-4-fast', 2_000_000],
    ['x-ai/grok-3-mini', 131_072],
    ['deepseek/deepseek-chat-v3.1', 163_840],
    ['qwen/qwen3-coder', 131_072],
    ['meta-llama/llama-4-maverick', 327_680],
    ['meta-llama/llama-4-scout', 327_680],
    ['meta-llama/llama-3.3-70b-instruct', 128_000],
    ['mistralai/mistral-large-2512', 262_144],
    ['mistralai/mistral-small', 128_000],
    ['mixtral-8x7b', 128_000],
    ['some-unknown-model', 128_000],
    // By the document's table.
    ['gpt-4-turbo', 128_000],
    ['google/gemini-2.5-pro', 1_000_000],
    ['deepseek-v3.2', 163_840],
    ['deepseek-r1', 128_000],
    ['qwen-2.5-72b', 128_000],
    ['CLAUDE', 200_000],
  ])('finds for %s a window of %d', (name, window) => {
    expect(windowByName(name).window).toBe(window)
  })

  it('says which pattern it went by, and null when it went by none', () => {
    expect(windowByName('openai/GPT-4.1')).toEqual({ window: 1_000_000, rule: 'gpt-4.1' })
    expect(windowByName('deepseek-chat-v3.1').rule).toBe('deepseek-chat-v3')
    expect(windowByName('codex').rule).toBeNull()
  })
})
