/** The first lines of a report, and what they call transcripts. */
import { describe, expect, it } from 'vitest'
import type { Against, Run } from '../../src/model/run.ts'
import { answerSentence } from '../../src/reports/answer.ts'
import { daysBetween } from '../../src/reports/days.ts'
import { Overview } from '../../src/reports/overview.ts'
import { RunNames } from '../../src/reports/run-names.ts'
import table from '../../src/reports/table.ts'
import { options, sampleRun, simulationOf } from './samples.ts'

const cost = { unit: 'usd' as const, paid: 292 }
const against: Against = {
  ...sampleRun().against,
  costInput: 360,
  summaries: 8,
  costSavedPercent: 20.65,
  headlineLost: 3,
  headlineTotal: 727,
  headlineLostOver: 9,
}
const outcome = {
  name: 'ikigai',
  budget: 100_000,
  cost,
  against,
  overBudgetRequests: 1387,
  invalidRequests: 0,
  validity: { lostLatestUser: 0 },
}

describe('the answer', () => {
  it('says what it costs against what, what it loses, and what is still over', () => {
    expect(answerSentence(outcome)).toBe(
      'ikigai at 100k: $292 for input, 20.6 % less than today ($368) · loses 12 of 727 later uses (today 3) · 1,387 requests still over 100k',
    )
  })

  it('says why so many are over, where little room is left beside what is never pruned', () => {
    const over = (preambleTokens: number) =>
      answerSentence({ ...outcome, preambleTokens })
        .split(' · ')
        .at(-1)
    expect(over(50_001)).toBe('1,387 requests still over 100k (system prompt and tools alone: 50k)')
    expect(over(50_000)).toBe('1,387 requests still over 100k')
  })

  it('says more where it costs more, and what a provider would refuse', () => {
    const dearer = { ...against, baseline: 'forge', costSavedPercent: -5.24 }
    expect(
      answerSentence({
        ...outcome,
        against: dearer,
        overBudgetRequests: 0,
        invalidRequests: 1,
        validity: { lostLatestUser: 2 },
      }),
    ).toBe(
      'ikigai at 100k: $292 for input, 5.2 % more than forge ($368) · loses 12 of 727 later uses (forge 3) · no request over 100k · a provider would refuse 1 request · 2 requests without the newest prompt',
    )
  })

  it('says nothing of a budget that there is not, of losses that were not measured, or of a price nobody knows', () => {
    const { headlineLost: _, headlineTotal: __, headlineLostOver: ___, ...unmeasured } = against
    const same = { ...unmeasured, costInput: 280, summaries: 12, costSavedPercent: 0 }
    const free = { ...cost, unit: 'input-token-equivalents' as const }
    expect(answerSentence({ ...outcome, budget: 0, against: same, cost: free })).toBe(
      'ikigai: 292 token equivalents for input, the same as today',
    )
  })
})

it('says of how many requests nothing is recorded, and to which models calls have no known price', () => {
  const overview = new Overview()
  const calls = { recordedCalls: 8, requestsWithoutUsage: 1, unpricedCalls: 3 }
  overview.add(sampleRun({ transcript: 'a', ...calls, unpriced: [['lamp-1', 3]] }))
  // Under another policy: the same transcript.
  overview.add(sampleRun({ transcript: 'a', ...calls, unpriced: [['lamp-1', 3]] }))
  overview.add(
    sampleRun({
      transcript: 'b',
      recordedCalls: 5,
      unpricedCalls: 5,
      unpriced: [
        ['', 1],
        ['lamp-1', 4],
      ],
    }),
  )
  expect(overview.captions()).toContain('1 request has no recorded usage')
  expect(overview.captions()).toContain('No price is known for 8 calls (7 to lamp-1, 1 to no recorded model)')
  overview.add(sampleRun({ transcript: 'c', terms: [{ term: 'fast', calls: 1, priced: 0 }] }))
  overview.add(
    sampleRun({
      transcript: 'd',
      terms: [
        { term: 'fast', calls: 2, priced: 1 },
        { term: 'search', calls: 1, priced: 0 },
      ],
    }),
  )
  expect(overview.captions()).toContain('1 call in fast mode: priced accordingly')
  expect(overview.captions()).toContain(
    '2 calls in fast mode, 1 with a web search: priced like any other call, without what that changes',
  )
  const whole = new Overview()
  whole.add(sampleRun({ recordedCalls: 9 }))
  expect(whole.captions().filter((line) => /usage|price is/.test(line))).toEqual([])
})

it.each([
  ['2026-08-02T23:00Z', '2026-11-20T01:00Z', '2 Aug to 20 Nov 2026'],
  ['2025-12-30T00:00Z', '2026-01-02T00:00Z', '30 Dec 2025 to 2 Jan 2026'],
  ['2026-08-02T01:00Z', '2026-08-02T23:00Z', '2 Aug 2026'],
])('%s to %s is %s', (first, last, words) => {
  expect(daysBetween(Date.parse(first), Date.parse(last))).toBe(words)
})

describe('the name of a transcript', () => {
  const session = (title: string | null, project: string | null = '/home/me/app') => ({
    ...{ title, project },
    ...{ first: Date.parse('2026-08-02T10:00Z'), last: Date.parse('2026-08-02T11:00Z') },
  })
  const named = (...parts: Partial<Run>[]): string[] => {
    const runs = parts.map((part) => sampleRun({ conversation: null, ...part }))
    const names = new RunNames(runs)
    return runs.map((run) => names.transcriptOf(run))
  }
  const [one, two] = ['logs/3f9a2c1e-aaaa.jsonl', 'logs/77d1e0b2-bbbb.jsonl']

  it('is its file, unless that is an id', () => {
    expect(
      named({ transcript: 'logs/login.jsonl', session: session('Mend it') }, { transcript: 'logs/b.jsonl' }),
    ).toEqual(['login.jsonl', 'b.jsonl'])
    expect(
      named({ transcript: one, session: session('Mend it') }, { transcript: two, session: session('Why?') }),
    ).toEqual(['2 Aug “Mend it”', '2 Aug “Why?”'])
  })

  it('has the project where there are several, and the end of the id where nothing else tells', () => {
    const other = session('Mend it', '/home/me/site')
    expect(named({ transcript: one, session: session('Mend it') }, { transcript: two, session: other })).toEqual([
      'app 2 Aug “Mend it”',
      'site 2 Aug “Mend it”',
    ])
    expect(
      named({ transcript: one, session: session('Mend it') }, { transcript: two, session: session('Mend it') }),
    ).toEqual(['e-aaaa 2 Aug “Mend it”', '2-bbbb 2 Aug “Mend it”'])
  })
})

describe('a table', () => {
  it.each([40, 80, 140, 200])('of %d columns has what it is read for', (width) => {
    const runs = ['logs/a-session-with-a-long-name.jsonl', 'logs/b.jsonl'].map((transcript) =>
      sampleRun({ transcript, against: { ...against, headlineLostOver: 361, headlineTotal: 6024 } }),
    )
    const text = [...table.render(simulationOf(runs), { ...options, width })].join('')
    const lines = text.split('\n')
    const header = lines[lines.findIndex((line) => line.startsWith('──')) - 1]
    expect(header).toMatch(/^tran\S* +cost +vs today +lost +over/)
    expect(text).toContain(width < 140 ? ' 364/6,024 ' : ' 364/6,024 6.04 % ')
  })

  it('names the policy that it is held against, and no name of it that is long', () => {
    const headerOf = (baseline: string) => {
      const run = sampleRun({ against: { ...against, baseline } })
      return [...table.render(simulationOf([run]), options)].join('')
    }
    expect(headerOf('forge')).toContain(' vs forge ')
    expect(headerOf('forge')).toContain('percentages are against forge\n')
    expect(headerOf('drop-oldest:target=0.5')).toContain(' vs baseline ')
    expect(headerOf('today')).not.toContain('percentages are against')
  })
})
