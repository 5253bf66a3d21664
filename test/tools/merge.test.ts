import { describe, expect, it } from 'vitest'
import { mergeSources, writeTable } from '../../tools/models/merge.mjs'

const chat = (contextWindow: number, maxTokens: number, input: number, output = input * 5, more = {}) => ({
  contextWindow,
  maxTokens,
  cost: { input, output, cacheRead: input / 10, cacheWrite: 0, ...more },
})

/** Two small price lists with every special case of the real ones. */
function sources() {
  return {
    windows: {
      acme: {
        'acme-api': {
          'chat:Big-2': chat(1000, 100, 10),
          'chat:Big-2-20260101': chat(1000, 100, 10),
          'chat:big-3': chat(2000, 100, 20, 100, {
            tiers: [{ inputTokensAbove: 1000, input: 40, output: 200, cacheRead: 4, cacheWrite: 0 }],
          }),
          'chat:plan-only': chat(500, 50, 0),
          'classifier:big-2': chat(1, 1, 1),
        },
      },
      host: { api: { 'chat:acme/open-1': chat(64, 8, 1) } },
    },
    prices: {
      acme: [
        {
          id: 'big-2',
          context_window: 900,
          match: {
            or: [
              { equals: 'Big-2' },
              { equals: 'big-two' },
              { equals: 'big-two-2026-01-01' },
              { starts_with: 'big-2-' },
            ],
          },
          prices: { input_mtok: 10, output_mtok: 50, cache_read_mtok: 1, cache_write_1h_mtok: 20 },
        },
        {
          id: 'big-3',
          match: { starts_with: 'big-3' },
          prices: [
            { prices: { input_mtok: 1, output_mtok: 1 } },
            {
              constraint: { type: 'start_date', start_date: '2026-02-01' },
              prices: {
                input_mtok: { base: 20, tiers: [{ start: 999, price: 40 }] },
                output_mtok: { base: 100, tiers: [{ start: 999, price: 200 }] },
                cache_read_mtok: { base: 2, tiers: [{ start: 999, price: 4 }] },
              },
            },
            { constraint: { type: 'start_date', start_date: '2026-04-01' }, prices: { input_mtok: 9, output_mtok: 9 } },
            {
              constraint: { type: 'time_of_date', start_time: '00:00:00Z' },
              prices: { input_mtok: 8, output_mtok: 8 },
            },
          ],
        },
        {
          id: 'old-1-latest',
          context_window: 100,
          match: { equals: 'old-1' },
          prices: { input_mtok: 3, output_mtok: 3 },
        },
        { id: 'no-window', match: { equals: 'no-window' }, prices: { input_mtok: 3, output_mtok: 3 } },
        { id: 'big-tts', context_window: 1, match: { equals: 'big-tts' }, prices: { input_mtok: 3, output_mtok: 3 } },
      ],
    },
    curation: {
      sources: [
        { package: 'a', version: '1', asOf: '2026-03-01' },
        { package: 'b', version: '2', asOf: '2026-01-01' },
      ],
      leaveOut: ['tts'],
      providers: [{ provider: 'acme', windows: 'acme', prices: 'acme' }],
      windows: [] as { ids: string[]; window: number }[],
      prices: [] as { ids: string[]; take: string }[],
      formerPrices: [] as { id: string; until: string; price: { cacheRead: number } }[],
      aliases: { 'open-1': ["o'one"] },
      windowsOnly: [
        { id: 'open-1', provider: 'acme', from: 'host:acme/open-1' },
        { id: 'gone-1', provider: 'acme', from: 'host:acme/gone-1' },
      ],
      stated: [] as Record<string, unknown>[],
      termRules: [{ id: 'haste', models: { acme: '^old' }, fast: 2, source: 'a page' }],
      cacheRules: [{ id: 'quick', models: { acme: '^(big|old|plan)' }, ttl: 60 }],
    },
  }
}

describe('mergeSources', () => {
  it('takes windows from the first source, equal prices from the second, and names only where they are written out', () => {
    const { rows, undecided } = mergeSources(sources())
    expect(undecided).toEqual([])
    expect(rows).toEqual([
      {
        id: 'big-2',
        provider: 'acme',
        aliases: ['big-two'],
        contextWindow: 1000,
        maxOutput: 100,
        price: { input: 10, output: 50, cacheRead: 1, cacheWrite1h: 20 },
        cache: 'quick',
      },
      {
        id: 'big-3',
        provider: 'acme',
        contextWindow: 2000,
        maxOutput: 100,
        price: { input: 20, output: 100, cacheRead: 2, tiers: [{ above: 1000, input: 40, output: 200, cacheRead: 4 }] },
        formerPrices: [{ until: '2026-02-01', input: 1, output: 1 }],
        cache: 'quick',
      },
      {
        id: 'old-1',
        provider: 'acme',
        aliases: ['old-1-latest'],
        contextWindow: 100,
        price: { input: 3, output: 3 },
        terms: 'haste',
      },
      { id: 'open-1', provider: 'acme', aliases: ["o'one"], contextWindow: 64 },
      { id: 'plan-only', provider: 'acme', contextWindow: 500, maxOutput: 50, cache: 'quick' },
    ])
  })

  it('tells the reviewer what it left out and where the sources differ', () => {
    expect(mergeSources(sources()).remarks).toEqual([
      'former    big-3: 1/1/-/- until 2026-02-01',
      'left out  gone-1: host:acme/gone-1 is gone',
      'left out  no-window: no context window in either source',
      'window    big-2: 1000 | 900 -> 1000',
    ])
  })

  it('does not choose between two prices: a decision has to', () => {
    const input = sources()
    input.windows.acme['acme-api']['chat:Big-2'].cost.input = 11
    input.windows.acme['acme-api']['chat:Big-2-20260101'].cost.input = 11
    expect(mergeSources(input).undecided).toEqual(['big-2: pi-ai 11/50/1/- | genai-prices 10/50/1/-'])
    for (const [take, price] of [
      ['pi-ai', { input: 11, output: 50, cacheRead: 1 }],
      ['genai-prices', { input: 10, output: 50, cacheRead: 1, cacheWrite1h: 20 }],
      ['none', undefined],
    ] as const) {
      input.curation.prices = [{ ids: ['big-2'], take }]
      const { rows, undecided } = mergeSources(input)
      expect([rows[0]?.price, undecided]).toEqual([price, []])
    }
  })

  it('lets a decision correct what a model cost before', () => {
    const input = sources()
    input.curation.formerPrices = [{ id: 'big-3', until: '2026-02-01', price: { cacheRead: 0.5 } }]
    const { rows } = mergeSources(input)
    expect(rows.find(({ id }) => id === 'big-3')?.formerPrices).toEqual([
      { until: '2026-02-01', input: 1, output: 1, cacheRead: 0.5 },
    ])
  })

  it('completes a row with what a source besides says, names that source, and overrides nothing', () => {
    const input = sources()
    input.curation.stated = [
      { id: 'new-1', provider: 'acme', contextWindow: 5, price: { input: 1, output: 2 }, source: 'a page' },
      { id: 'open-1', provider: 'acme', contextWindow: 9, price: { input: 3, output: 4 }, source: 'another' },
    ]
    const { rows, remarks } = mergeSources(input)
    expect(rows.filter(({ source }) => source !== undefined)).toEqual([
      { id: 'new-1', provider: 'acme', contextWindow: 5, price: { input: 1, output: 2 }, source: 'a page' },
      {
        id: 'open-1',
        provider: 'acme',
        aliases: ["o'one"],
        contextWindow: 64,
        price: { input: 3, output: 4 },
        source: 'another',
      },
    ])
    expect(remarks).toContain('stated    open-1: contextWindow is in the packages now')
  })

  it('lets a decision set the window', () => {
    const input = sources()
    input.curation.windows = [{ ids: ['no-window', 'big-2'], window: 7 }]
    const windows = mergeSources(input).rows.map((row) => [row.id, row.contextWindow])
    expect(windows).toContainEqual(['no-window', 7])
    expect(windows).toContainEqual(['big-2', 7])
  })
})

describe('writeTable', () => {
  it('writes a model a line, dated by the older source, the same bytes every time', () => {
    const { curation } = sources()
    const text = writeTable(mergeSources(sources()).rows, curation)
    expect(text).toBe(writeTable(mergeSources(sources()).rows, curation))
    expect(text).toContain("  asOf: '2026-01-01',\n")
    expect(text).toContain("\n    { id: 'quick', ttl: 60 },\n")
    expect(text).toContain("\n    { id: 'haste', fast: 2, source: 'a page' },\n")
    expect(text).toContain("\n    { id: 'open-1', provider: 'acme', aliases: ['o\\'one'], contextWindow: 64 },\n")
  })
})
