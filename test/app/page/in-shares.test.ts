/** The page for who has a plan: each amount as a share of all, and no dollar anywhere. */
import { describe, expect, it } from 'vitest'
import { pageInShares } from '../../../src/app/page/in-shares.ts'
import type { Page } from '../../../src/model/page.ts'
import { firstChoice } from '../../../src/reports/html/choice.ts'
import type { Child } from '../../../src/reports/html/element.ts'
import { layout } from '../../../src/reports/html/layout.ts'
import { chartView } from '../../../src/reports/html/views/chart.ts'
import { rowView } from '../../../src/reports/html/views/list.ts'
import { outcomeView } from '../../../src/reports/html/views/outcome.ts'
import { tradeView } from '../../../src/reports/html/views/trade.ts'
import { percentWords } from '../../../src/reports/numbers.ts'
import { program, samplePage, session } from '../../reports/html/sample-page.ts'

const spent = 16
const missed = { requests: 2, tokens: 900, usd: 0.8 }
const where = { transcript: 'one.jsonl', conversation: null, line: 4 }
const page = {
  ...samplePage,
  bill: {
    ...{ usd: spent, input: 12, output: 3, beside: 1, requests: 24, sideCalls: 1, estimatedOutputs: 0 },
    ...{ transcripts: 2, cacheForeseen: 21, cacheUnexplained: 3 },
  },
  programs: [program({ words: 'Keep what you have: nothing else is cheaper.', outcome: 'keep', spent: 4 })],
  sessions: [session(), session({ session: 's2', spent: null, costed: false })],
  spending: {
    total: { requests: 24, usd: spent, missed, missedPercent: 5 },
    parts: [
      {
        part: 'user',
        tool: null,
        server: null,
        usd: 12,
        tokensPercent: 100,
        tokens: 500,
        amplification: 2,
        carriedTokens: 1000,
      },
    ],
    results: [{ tool: 'Read', server: null, ...where, tokens: 5, requests: 2, carriedTokens: 10, usd: 0.4 }],
    causes: [{ cause: 'idle', tokensPercent: 100, requests: 2, tokens: 900, usd: 0.8 }],
    misses: [{ cause: 'idle', ...where, pause: 400, tokens: 900, usd: 0.8 }],
  },
  compactions: [
    {
      ...{ program: 'claude-code', compactions: 1, transcripts: 1, usd: 0.32, heldContent: null, heldCopied: null },
      ...{ tokensBefore: 10, tokensAfter: 5, rereads: null, rereadsBefore: null, mishaps: null, mishapsBefore: null },
    },
  ],
} as unknown as Page

const wordsOf = (child: Child): string[] =>
  typeof child === 'string'
    ? [child]
    : [String(child.attributes['aria-label'] ?? ''), ...child.children.flatMap(wordsOf)]

/** All that stands on a page at first. */
function said(one: Page): string {
  const choice = firstChoice(one)
  const views = [
    ...layout(one, choice),
    outcomeView(one, choice),
    tradeView(one, choice, 600),
    ...one.programs.map((each) => chartView(each, 600)),
    ...one.sessions.map((_, index) => rowView(one, choice, index)),
  ]
  return views.flatMap(wordsOf).join(' ').replace(/\s+/g, ' ')
}

describe('pageInShares', () => {
  const shares = pageInShares(page)

  it('makes each amount its percentage of what was spent', () => {
    const of = (usd: number): number => (100 * usd) / spent
    expect(shares.unit).toBe('percent')
    expect(shares.inPercent).toBe(spent)
    expect(shares.bill).toMatchObject({ usd: 100, input: of(12), output: of(3), beside: of(1) })
    expect(shares.today).toMatchObject({ costInput: of(page.today.costInput), lost: page.today.lost })
    for (const [policy, { points }] of page.policies.entries()) {
      for (const [budget, { costInput, costSaved, lost }] of points.entries()) {
        const made = shares.policies[policy]?.points[budget]
        expect(made).toMatchObject({ costInput: of(costInput), costSaved: of(costSaved), lost })
      }
    }
    expect(shares.sessions[0]).toMatchObject({
      spent: of(3.25),
      today: { paid: 1e6 * of(2) },
      unprunedPaid: 1e6 * of(2.5),
    })
    expect(shares.sessions[0]?.cells[0]?.paid).toEqual([1e6 * of(1), 1e6 * of(1.5)])
    expect(shares.sessions[1]).toEqual(page.sessions[1])
    expect(shares.programs[0]).toMatchObject({ unit: 'percent', spent: of(4), paid: of(10) })
    expect(shares.programs[0]?.points.map(({ net }) => net)).toEqual([of(8), of(11)])
    expect(shares.spending?.total.missed.usd).toBe(of(0.8))
    expect(shares.spending?.parts[0]?.usd).toBe(of(12))
    expect(shares.compactions[0]?.usd).toBe(of(0.32))
  })

  it('says no dollar, which the page it is made of does', () => {
    const dollar = /\$|USD|dollar/
    expect(said(page)).toMatch(dollar)
    expect(said(shares)).not.toMatch(dollar)
    expect(said(shares)).toContain('1.0k tokens sent')
    expect(said(shares)).toContain('5 % more than reading it')
    expect(said(shares)).toContain(' cost 2 %: writing the cache anew')
  })

  it('is the page as it is where nothing has a price', () => {
    const tokens = { ...samplePage, unit: 'input-token-equivalents' as const }
    expect(pageInShares(tokens)).toBe(tokens)
    expect(pageInShares(samplePage)).toBe(samplePage)
  })
})

describe('percentWords', () => {
  it('has as many digits as tell small shares apart', () => {
    expect([100, 73.24, 9.356, 0.0341, 0, 0.0001].map(percentWords)).toEqual([
      ...['100 %', '73.2 %', '9.36 %', '0.034 %', '0 %', '<0.001 %'],
    ])
  })
})
