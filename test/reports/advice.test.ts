/** What advice says, each sentence from its figures. */
import { describe, expect, it } from 'vitest'
import type { Advice, CutCost, NextCut } from '../../src/model/advice.ts'
import { adviceLine, adviceText } from '../../src/reports/advice.ts'

const cost = (more: Partial<CutCost> = {}): CutCost => ({
  ...{ next: 0.3, summary: 0, rereads: 0.05, saves: 0.04, breakEvenRequests: 9 },
  ...more,
})
const cut = (more: Partial<NextCut> = {}): NextCut => ({
  ...{ due: false, roomTokens: 20_000, roomRequests: 14, tokensBefore: 140_000, tokensAfter: 60_000 },
  ...{ messages: 31, takenTokens: 80_000, unusedTokens: 50_000, usedLatelyTokens: 7000 },
  ...{
    rereads: { tokens: 4321.4, requests: 2 },
    now: cost(),
    atExchangeEnd: null,
    cold: cost({ next: -0.2, breakEvenRequests: 0 }),
  },
  ...more,
})
const sample: Advice = {
  ...{ verdict: 'wait', reason: 'dear', now: 1_000_000, transcript: 'a', conversation: null, model: 'm' },
  ...{ policy: 'ikigai:keepLast=2', budget: 160_000, requests: 56, unit: 'usd' },
  left: { made: 12, expected: 6.6, stretches: 1203, program: 'claude-code' },
  context: { tokens: 140_000, lowTokens: 130_000, highTokens: 150_000, recordedTokens: null, window: 200_000 },
  cache: { state: 'warm', coldFrom: 1_180_000, life: 300, servedTokens: 139_000 },
  cut: cut(),
}
const text = (more: Partial<Advice> = {}): string[] =>
  [...adviceText({ ...sample, ...more }, { width: 1000, color: false })].map((line) => line.trimEnd())
const answer = (more: Partial<Advice> = {}): string => text(more)[0] as string
const now = (more: Partial<CutCost>, others: Partial<Advice> = {}) => ({ ...others, cut: cut({ now: cost(more) }) })
const warm = sample.cache
const cold = { ...warm, state: 'cold', coldFrom: 880_000 } as const

describe('the answer', () => {
  it.each<[Partial<Advice>, string]>([
    [
      {},
      'Wait: a cut now costs $0.35 and saves $0.04 a request. It would pay after 9 requests, with about 7 more requests to come.',
    ],
    [
      { ...now({ breakEvenRequests: 1 }), reason: 'pays', verdict: 'cut', left: { ...sample.left, expected: 1 } },
      'Cut now: a cut now costs $0.35 and saves $0.04 a request. It pays after 1 request, with about 1 more request to come.',
    ],
    [now({ breakEvenRequests: null, saves: 0 }), 'Wait: a cut now costs $0.35 and saves nothing later.'],
    [
      now({ next: 0, rereads: 0 }),
      'Wait: a cut now costs $0.00 less than going on and saves $0.04 a request. It would pay after 9 requests, with about 7 more requests to come.',
    ],
    [
      now({ next: -0.3, breakEvenRequests: 0 }),
      'Wait: a cut now costs $0.25 less than going on and saves $0.04 a request, with about 7 more requests to come.',
    ],
    [
      now({ next: -0.3, breakEvenRequests: 0 }, { cache: cold }),
      'Wait: the cache has expired, so a cut costs $0.25 less than going on and saves $0.04 a request, with about 7 more requests to come.',
    ],
    [
      now({ next: 900.4, rereads: 100, saves: 1234 }, { unit: 'input-token-equivalents' }),
      'Wait: a cut now costs 1,000 input tokens’ worth and saves 1,234 input tokens’ worth a request. It would pay after 9 requests, with about 7 more requests to come.',
    ],
    [{ cut: null, reason: 'nothing-to-cut' }, 'Wait: the policy would take nothing out.'],
    [{ reason: 'over-window', verdict: 'cut' }, 'Cut now: the next request is larger than the model’s context window.'],
  ])('%j', (more, words) => {
    expect(answer(more)).toBe(words)
  })
})

describe('the lines below it', () => {
  it('have the window, the cache, the policy, what is to come and what a cut does', () => {
    expect(
      text({ cut: cut({ atExchangeEnd: cost({ summary: 0.1, rereads: 0, breakEvenRequests: null }) }) }).slice(1),
    ).toEqual([
      '',
      'window   140,000 tokens of 200,000 (70 %), between 130,000 and 150,000; 56 requests so far',
      'cache    warm 3 min more, serves 139,000 tokens of the next request',
      'policy   ikigai:keepLast=2 at 160,000 tokens',
      'to come  about 7 requests after the next one, as in 1,203 recorded stretches of claude-code that had made 12 requests since the start or the last cut',
      'a cut    is not due (the budget is 20,000 tokens away, about 14 requests). Made now, it takes 80,000 tokens out of 31 messages and leaves 60,000. Of these tokens 50,000 are in messages that nothing has used since, 7,000 in messages used in the last ten requests. About 4,321 tokens would be read again, as after recorded compactions',
      '  now    the next request costs $0.30 more, and reading again costs $0.05; it pays for itself after 9 requests',
      '  later  the next request costs $0.30 more (with $0.10 for a summary); it never pays for itself',
      '  cold   the next request costs $0.20 less, and reading again costs $0.05',
    ])
  })

  const names = (more: Partial<Advice>) =>
    text(more)
      .slice(2)
      .map((line) => line.slice(0, 9).trim())
  const both = cut({ atExchangeEnd: cost() })
  it.each<[Partial<Advice>, string[]]>([
    [{ cut: null }, []],
    [{}, ['a cut', 'now', 'cold']],
    [{ cut: both }, ['a cut', 'now', 'later', 'cold']],
    [{ cut: both, cache: cold }, ['a cut', 'now']],
    [{ cut: both, cache: { ...warm, state: 'none' } }, ['a cut', 'now']],
    [{ cut: both, cache: { ...warm, state: 'unknown' } }, ['a cut', 'now', 'cold']],
  ])('are those that say something new: %j', (more, rest) => {
    expect(names(more)).toEqual(['window', 'cache', 'policy', 'to come', ...rest])
  })

  it.each<[Partial<Advice['context']>, string]>([
    [{ window: null }, '140,000 tokens, between 130,000 and 150,000;'],
    [{ lowTokens: null }, '140,000 tokens of 200,000 (70 %);'],
    [{ highTokens: null }, '140,000 tokens of 200,000 (70 %);'],
    [{ highTokens: 130_000 }, '140,000 tokens of 200,000 (70 %);'],
  ])('have as much of the window as is known: %j', (context, words) => {
    expect(text({ context: { ...sample.context, ...context } })[2]).toBe(`window   ${words} 56 requests so far`)
  })

  it('say that a cut is due, how far it is without an exchange, and of whom requests were learned', () => {
    expect(text({ cut: cut({ due: true }) })[6]).toMatch(/^a cut {4}is due\. It takes 80,000/)
    expect(text({ cut: cut({ roomRequests: null }) })[6]).toContain('20,000 tokens away). Made')
    expect(text({ left: { ...sample.left, made: 1, program: null } })[5]).toContain(
      'stretches of all programs that had made 1 request since',
    )
  })

  it('break to the width, behind their names', () => {
    const below = (width: number) =>
      [...adviceText(sample, { width, color: false })].join('').split('\n\n')[1]?.split('\n') ?? []
    const lines = below(40)
    expect(lines.filter((line) => line.length > 40)).toEqual([])
    expect(lines.slice(0, 3)).toEqual([
      'window   140,000 tokens of',
      '         200,000 (70 %), between',
      '         130,000 and 150,000;',
    ])
    const least = below(1)
    expect(Math.max(...least.map((line) => line.length))).toBeLessThanOrEqual(29)
  })
})

describe('the cache', () => {
  const of = (more: Partial<Advice['cache']>) => text({ cache: { ...warm, ...more } })[3]?.slice(9)
  const second = 1000
  it.each([
    [0, '0 s'],
    [-5 * second, '0 s'],
    [59 * second, '59 s'],
    [60 * second, '1 min'],
    [3599 * second, '59 min'],
    [3600 * second, '1 h'],
    [86_399 * second, '23 h'],
    [86_400 * second, '1 d'],
    [200_000 * second, '2 d'],
  ])('is warm, or cold, for %d ms: %s', (time, words) => {
    expect(of({ coldFrom: sample.now + time })).toBe(`warm ${words} more, serves 139,000 tokens of the next request`)
    expect(of({ state: 'cold', coldFrom: sample.now - time })).toBe(`cold for ${words}`)
  })

  it('is not known without times, and may not be there', () => {
    expect(of({ state: 'none' })).toBe('no prompt cache')
    expect(of({ state: 'unknown' })).toBe('unknown')
    expect(of({ coldFrom: null })).toMatch(/^unknown/)
  })
})

describe('the line', () => {
  const line = (more: Partial<Advice> = {}) => adviceLine({ ...sample, ...more })
  it.each<[Partial<Advice>, string]>([
    [{}, '140k 70% · cache warm 3 min more · wait: pays after 9 requests, about 7 to come\n'],
    [{ verdict: 'cut' }, '140k 70% · cache warm 3 min more · cut now (-80k): pays after 9 requests, about 7 to come\n'],
    [
      { context: { ...sample.context, window: null } },
      '140k · cache warm 3 min more · wait: pays after 9 requests, about 7 to come\n',
    ],
    [{ cut: null }, '140k 70% · cache warm 3 min more · wait: nothing to cut\n'],
    [now({ breakEvenRequests: null }), '140k 70% · cache warm 3 min more · wait: never pays\n'],
    [now({ breakEvenRequests: 0 }, { cache: cold }), '140k 70% · cache cold for 2 min · wait: costs nothing\n'],
    [
      { reason: 'over-window', verdict: 'cut', cut: null },
      '140k 70% · cache warm 3 min more · cut now: over the model’s window\n',
    ],
  ])('%j', (more, words) => {
    expect(line(more)).toBe(words)
  })
})
