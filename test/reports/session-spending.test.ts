/** What a session cost, in words: each figure of a made-up bill stands where it belongs, added up by hand. */
import { describe, expect, it } from 'vitest'
import {
  type ByKind,
  type CutSpending,
  type ExchangeSpending,
  type ExplainedSpending,
  missCauses,
  type PartSpending,
  type RequestSpending,
  type ResultSpending,
} from '../../src/model/spending.ts'
import { gridOf } from '../../src/reports/grid.ts'
import { requestSheet, requestWords, spendingLines } from '../../src/reports/session-spending.ts'

const kinds = (more: Partial<ByKind> = {}): ByKind => ({
  ...{ input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0 },
  ...more,
})
const request = (at: number, more: Partial<RequestSpending> = {}): RequestSpending => ({
  ...{ request: at, line: 3 * at + 2, exchange: 0, tokens: kinds({ input: 1000 * (at + 1) }), usd: 0.5 },
  ...{ missedUsd: null, cause: null, cut: null },
  ...more,
})
const exchange = (at: number, more: Partial<ExchangeSpending> = {}): ExchangeSpending => ({
  ...{ exchange: at, title: `words ${at}`, requests: 2, tokens: 5000, usd: 10 - at, percent: 40.6 },
  ...more,
})
const part = (more: Partial<PartSpending>): PartSpending => ({
  ...{ part: 'tool', tool: 'Bash', server: null, count: 1, tokens: 10, carriedTokens: 9000, amplification: 900 },
  ...{ tokensPercent: 1, usd: 3, percent: 30 },
  ...more,
})
const result = (more: Partial<ResultSpending>): ResultSpending => ({
  ...{ transcript: 'a', conversation: null, line: 340, tool: 'Bash', server: null, requests: 80, tokens: 38_000 },
  ...{ carriedTokens: 90_000, usd: 1.2, percent: 3 },
  ...more,
})

const spent: ExplainedSpending = {
  ...{ requests: 3, unpricedRequests: 0, usd: 12.5 },
  tokens: kinds({ input: 1, cacheRead: 20, cacheWrite: 300, cacheWrite1h: 4000, output: 50_000 }),
  cost: { input: 4, cacheRead: 3, cacheWrite: 2, cacheWrite1h: 1.25, output: 2.25 },
  missed: { requests: 0, tokens: 0, usd: null },
  ...{ requestsWithoutUsage: 0, beside: { calls: 0, usd: null } },
  ...{ file: { transcripts: 1, usd: 12.5 }, family: { files: 1, transcripts: 1, usd: 12.5 } },
  ...{ recordedCosts: [], cuts: [], exchanges: [], parts: [], results: [], causes: [], misses: [] },
  billed: [request(0), request(1), request(2)],
}
const lines = (more: Partial<ExplainedSpending> = {}, at: number | null = null, width = 400): string[] =>
  spendingLines({ ...spent, ...more }, at, width)
const noPrice = {
  usd: null,
  cost: { input: null, cacheRead: null, cacheWrite: null, cacheWrite1h: null, output: null },
}

describe('the first line', () => {
  it.each<[string, Partial<ExplainedSpending>, string]>([
    ['input is all but output', {}, 'Spent $12.50 in 3 requests: $10.25 for input, $2.25 for output'],
    ['one request', { billed: [request(0)] }, 'Spent $12.50 in 1 request: $10.25 for input, $2.25 for output'],
    ['no price', noPrice, 'Sent in 3 requests: 4.3k tokens of input, 50k of output; no price is known'],
    [
      'output without a price',
      { cost: noPrice.cost },
      'Spent $12.50 in 3 requests: $12.50 for input, $0.00 for output',
    ],
    ['thousands', { usd: 1234.5678 }, 'Spent $1,234.57 in 3 requests: $1,232.32 for input, $2.25 for output'],
    ['just a thousand', { usd: 1000 }, 'Spent $1,000 in 3 requests: $997.75 for input, $2.25 for output'],
    [
      'calls outside',
      { beside: { calls: 2, usd: 0.5 } },
      'Spent $12.50 in 3 requests: $10.25 for input, $2.25 for output; $0.50 in 2 calls outside the conversation',
    ],
    [
      'calls outside without a price',
      { beside: { calls: 1, usd: null } },
      'Spent $12.50 in 3 requests: $10.25 for input, $2.25 for output; 1 call outside the conversation',
    ],
  ])('%s', (_, more, words) => {
    expect(lines(more)).toEqual([words])
  })

  it('has nothing but the calls outside where all is in them', () => {
    const [first] = lines({ billed: [], beside: { calls: 2, usd: 12.5 } })
    expect(first).toBe(
      'Spent $12.50, all of it in 2 calls outside the conversation: $10.25 for input, $2.25 for output',
    )
  })

  it('is all there is of a session without usage', () => {
    expect(spendingLines(null, null, 80)).toEqual(['Cost unknown: no usage is recorded.'])
  })
})

describe('further lines', () => {
  const more = (change: Partial<ExplainedSpending>, at: number | null = null) => lines(change, at).slice(1)

  it.each<[Partial<ExplainedSpending>, string[]]>([
    [{ unpricedRequests: 1 }, ['Not counted: 1 call to models without a known price']],
    [{ unpricedRequests: 1, ...noPrice }, []],
    [{ requestsWithoutUsage: 2 }, ['Not counted: 2 requests without recorded usage']],
    [{ file: { transcripts: 2, usd: 13 } }, ['All 2 transcripts in its file: $13.00']],
    [{ file: { transcripts: 2, usd: null } }, ['All 2 transcripts in its file: $0.00']],
    [
      { family: { files: 3, transcripts: 3, usd: 14 } },
      ['The whole session, with sub-agents and forks in 2 other files: $14.00'],
    ],
    [
      { family: { files: 2, transcripts: 3, usd: null } },
      ['The whole session, with sub-agents and forks in 1 other file: $0.00'],
    ],
    [{ family: { files: 2, transcripts: 2, usd: 12.5 } }, []],
  ])('say what is not in it, or beside it: %j', (change, words) => {
    expect(more(change)).toEqual(words)
  })

  it('draw the window of eight requests or more', () => {
    const billed = Array.from({ length: 8 }, (_, at) => request(at))
    expect(more({ billed })).toEqual(['Window: ▂▃▄▅▆▇██ 1.0k to 8.0k tokens'])
    expect(more({ billed: billed.slice(1) })).toEqual([])
    const hundred = Array.from({ length: 100 }, (_, at) => request(at))
    const cells = (width: number) => /[▁-█]+/.exec(lines({ billed: hundred }, null, width).join())?.[0].length
    const others = 'Window:  1.0k to 100k tokens'.length
    expect([others + 49, others + 48, others + 47, others + 8, others + 7].map(cells)).toEqual([
      48,
      48,
      47,
      8,
      undefined,
    ])
  })

  it('tell of cuts by kind: of six where they are, of the others how many', () => {
    const cut = (at: number, kind: CutSpending['cut'], before: number | null = 167_000): CutSpending => ({
      ...{ request: at, cut: kind, tokensBefore: before, tokensAfter: 31_000 },
    })
    const many = [120, 2, 3, 4, 5, 6, 7].map((at) => cut(at, 'compaction'))
    const of = '(167k to 31k)'
    expect(more({ cuts: [...many, cut(8, 'clearing', null), cut(9, 'reset'), cut(0, 'unrecorded')] })).toEqual([
      `Compacted before request 121 (167k to 31k tokens), 3 ${of}, 4 ${of}, 5 ${of}, 6 ${of}, 7 ${of}, 1 more`,
      'Cleared results before request 9',
      'Begun anew before request 10 (167k to 31k tokens)',
      'Shrank for no recorded reason before request 1 (167k to 31k tokens)',
    ])
    expect(more({ cuts: many.slice(0, 6) })[0]).not.toContain('more')
  })

  it('name the three dearest exchanges, parts and results, by tokens where there is no price', () => {
    const exchanges = [exchange(2), exchange(-1, { usd: null }), exchange(6, { usd: 2.1 }), exchange(7)]
    expect(more({ exchanges })).toEqual([
      'Dearest exchange: 3 "words 2", $8.00 (41 %) in 2 requests; then before the first (5.0k tokens), 7 ($2.10)',
    ])
    const [first] = [exchange(0, { title: '', requests: 1 })]
    expect(more({ exchanges: [first], ...noPrice })).toEqual(['Dearest exchange: 1, $10.00 in 1 request'])
    const long = more({ exchanges: [exchange(0, { title: 'x'.repeat(41) })] })
    expect(long).toEqual([`Dearest exchange: 1 "${'x'.repeat(39)}…", $10.00 (41 %) in 2 requests`])

    const parts = [
      part({}),
      part({ part: 'head', tool: null, usd: null }),
      part({ part: 'user', tool: null }),
      part({}),
    ]
    expect(more({ parts })).toEqual([
      'Most of it went to: results of Bash $3.00, system prompt and tools 9.0k tokens, what the user said $3.00',
    ])
    const results = [
      result({}),
      result({ tool: null, line: 7, usd: null }),
      result({ line: 9, requests: 1234 }),
      result({}),
    ]
    expect(more({ results })).toEqual([
      'Dearest results: $1.20 Bash (line 340, 38k tokens in 80 requests), 90k tokens a tool (line 7, 38k in 80), $1.20 Bash (line 9, 38k in 1,234)',
    ])
  })

  it('say why the cache missed, each cause with its own requests', () => {
    const causes = missCauses.map((cause, at) => ({
      ...{ cause, requests: at + 1, tokens: 2000, usd: at === 1 ? null : at + 0.5, percent: 1, tokensPercent: 1 },
    }))
    const [line = ''] = more({ missed: { requests: 28, tokens: 500, usd: 6.25 }, causes })
    expect(line).toMatch(/^Cache misses: \$6\.25 \(50 %\): /)
    for (const [at, { requests, usd }] of causes.entries()) {
      const amount = usd === null ? '2.0k tokens' : `$${usd.toFixed(2)}`
      expect(line).toMatch(
        new RegExp(
          `[:,] ${amount.replace('$', '\\$')} (after|for)[^,]* \\(${requests}${at === 0 ? ' requests?' : ''}\\)`,
        ),
      )
    }
    expect(new Set(line.match(/(after|for) [a-z ]+/g)).size).toBe(missCauses.length)
    for (const change of [{ usd: null }, { usd: 0 }, { missed: { requests: 1, tokens: 500, usd: null } }]) {
      const without = more({ missed: { requests: 1, tokens: 500, usd: 6.25 }, ...change })
      expect(without.join()).not.toMatch(/ %\)|NaN|Infinity/)
    }
  })

  it('tell of the request that the picture stands before', () => {
    const billed = [
      request(0),
      request(1, { tokens: kinds({ input: 40_000, cacheRead: 80_000 }), usd: 0.34, cause: 'idle' }),
    ]
    const words = '$0.34, 120k tokens of input, 80k of it from the cache; the cache missed after a pause'
    expect(more({ billed }, 1)).toEqual([`This request: ${words}`])
    expect(requestWords(request(0, { usd: null }))).toBe('1.0k tokens of input')
    expect(more({ billed }, 7)).toEqual([])
  })
})

describe('the table of requests', () => {
  it('has each with the sum up to it, and what happened before it', () => {
    const billed = [
      request(0, {
        usd: null,
        tokens: kinds({ input: 1, cacheRead: 20, cacheWrite: 300, cacheWrite1h: 4000, output: 7 }),
      }),
      request(1, { usd: 0.25, exchange: 4, cut: 'compaction' }),
      request(2, { usd: null, cause: 'idle' }),
      request(3, { usd: 1, cause: 'edit', missedUsd: 0.75, cut: 'reset' }),
    ]
    const { columns, items, answers } = requestSheet({ ...spent, billed })
    const grid = gridOf(columns, items)
    expect(grid.columns.map(({ header }) => header)).toEqual([
      'request',
      'line',
      'exchange',
      'input',
      'from cache',
      'output',
      'USD',
      'sum',
      'what happened',
    ])
    expect(grid.rows).toEqual([
      [0, 2, 0, 4321, 20, 7, null, null, ''],
      [1, 5, 4, 2000, 0, 0, 0.25, 0.25, 'compacted'],
      [2, 8, 0, 3000, 0, 0, null, 0.25, 'cache missed after a pause'],
      [3, 11, 0, 4000, 0, 0, 1, 1.25, 'begun anew; $0.75 more after a change in what was sent before'],
    ])
    expect(answers).toEqual(['Spent $12.50 in 4 requests: $10.25 for input, $2.25 for output'])
    expect(gridOf(columns, items.slice(0, 1)).columns.map(({ key }) => key)).not.toContain('why')
  })

  it('draws nothing as money where no request has a price', () => {
    const { items } = requestSheet({ ...spent, billed: [request(0, { usd: null })] })
    expect(items.map(({ sum }) => sum)).toEqual([null])
  })
})
