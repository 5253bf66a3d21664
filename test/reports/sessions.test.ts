/** What `ctxwin` alone says: the sums of made-up sessions, in words. */
import { describe, expect, it } from 'vitest'
import type { SessionSummary, Sessions, SessionTotals } from '../../src/model/sessions.ts'
import { gridOf } from '../../src/reports/grid.ts'
import { answerLines, renderSessions, sessionColumns } from '../../src/reports/sessions.ts'
import { decision } from './decisions.ts'
import { options } from './samples.ts'

const session = (more: Partial<SessionSummary> = {}): SessionSummary => ({
  ...{ session: 's1', file: 'a.jsonl', format: 'pi', project: '/shop', model: 'm', title: 'Mend the login' },
  ...{ first: '2026-01-05T10:00:00.000Z', last: '2026-03-01T10:00:00.000Z', transcripts: 2, requests: 12 },
  ...{ sentTokens: 81_000, spent: 3.25 },
  ...more,
})
const totals = (more: Partial<SessionTotals> = {}): SessionTotals =>
  ({
    ...{ transcripts: 2, requests: 1200, requestsElsewhere: 0, compactions: 0 },
    ...{ first: '2026-01-05T10:00:00.000Z', last: '2026-03-06T10:00:00.000Z' },
    ...{ spent: { usd: 13, estimatedOutputs: 0 }, today: { sentTokens: 812_000_000 } },
    ...more,
  }) as SessionTotals
const of = (more: Partial<Sessions> = {}): Sessions => ({
  ...{ schemaVersion: 1, decisions: [], diagnostics: [] },
  ...{ sessions: [session(), session({ spent: null })], totals: totals() },
  ...more,
})
const next = { history: ({ session }: SessionSummary) => `ctxwin history ${session}`, recommend: 'ctxwin recommend' }
const lines = (more: Partial<Sessions> = {}, inShares = false) => answerLines(of(more), next, inShares)
const words = (more: Partial<Sessions> = {}, inShares = false) => lines(more, inShares).map((line) => line.words)
const program = (name: string, usd: number | null) => decision({ program: name, spent: usd })

describe('the first line', () => {
  it.each<[string, Partial<Sessions>, string]>([
    ['all', {}, '$13.00 at API list prices in 2 sessions since 5 Jan 2026 (about $6 a month)'],
    [
      'one session',
      { sessions: [session()] },
      '$13.00 at API list prices in 1 session since 5 Jan 2026 (about $6 a month)',
    ],
    ['no times', { totals: totals({ first: null, last: null }) }, '$13.00 at API list prices in 2 sessions'],
    ['no end', { totals: totals({ last: null }) }, '$13.00 at API list prices in 2 sessions since 5 Jan 2026'],
    [
      'a month',
      { totals: totals({ last: '2026-02-04T10:00:00.000Z' }) },
      '$13.00 at API list prices in 2 sessions since 5 Jan 2026 (about $13 a month)',
    ],
    [
      'less',
      { totals: totals({ last: '2026-02-04T09:59:59.999Z' }) },
      '$13.00 at API list prices in 2 sessions since 5 Jan 2026',
    ],
    [
      'a dollar a month',
      { totals: totals({ spent: { usd: 2, estimatedOutputs: 0 } as never }) },
      '$2.00 at API list prices in 2 sessions since 5 Jan 2026 (about $1 a month)',
    ],
    [
      'less',
      { totals: totals({ spent: { usd: 1.99, estimatedOutputs: 0 } as never }) },
      '$1.99 at API list prices in 2 sessions since 5 Jan 2026',
    ],
    [
      'no bill',
      { totals: totals({ spent: null }) },
      '2 sessions since 5 Jan 2026: 1,200 requests, 812M tokens sent. Cost unknown: no usage is recorded, or the model has no known price.',
    ],
  ])('%s', (_, more, expected) => {
    expect(words(more)[0]).toBe(expected)
  })

  it('has shares for who has a plan', () => {
    const plan = 'shares are of all that was sent and answered, weighted as API list prices weigh it'
    expect(words({}, true).slice(0, 2)).toEqual([
      `812M tokens sent in 2 sessions since 5 Jan 2026; ${plan}`,
      'Dearest session  25 %  "Mend the login"',
    ])
    expect(words({ totals: totals({ first: null }) }, true)[0]).toBe(`812M tokens sent in 2 sessions; ${plan}`)
    expect(words({ totals: totals({ spent: null }) }, true)[1]).toContain('$3.25')
  })
})

describe('the dearest session', () => {
  it.each<[string, Partial<SessionSummary>, string]>([
    ['its words', {}, 'Dearest session  $3.25  "Mend the login"'],
    ['31 letters', { title: 'x'.repeat(31) }, `Dearest session  $3.25  "${'x'.repeat(29)}…"`],
    ['no words, its day', { title: null }, 'Dearest session  $3.25  1 Mar 2026'],
    ['empty words', { title: '' }, 'Dearest session  $3.25'],
    ['neither', { title: null, last: null }, 'Dearest session  $3.25'],
    ['no cost', { spent: null }, 'Largest session  81k tokens  "Mend the login"'],
  ])('%s', (_, more, expected) => {
    const found = lines({ sessions: [session(more)] }).find(({ command }) => command !== null)
    expect(found).toEqual({ words: expected, command: 'ctxwin history s1' })
  })

  it('is not told of where there is none', () => {
    expect(lines({ sessions: [] })).toHaveLength(1)
  })
})

describe('what is not in it', () => {
  const unknown = 'of unknown cost: no usage is recorded, or the model has no known price.'
  const estimated = 'Output of 4 responses is estimated from its text: too little is recorded.'
  it.each<[string, Partial<Sessions>, string | undefined]>([
    ['a session without a bill', {}, `1 session ${unknown}`],
    ['two', { sessions: [session(), session({ spent: null }), session({ spent: null })] }, `2 sessions ${unknown}`],
    ['one without a request', { sessions: [session(), session({ spent: null, requests: 0 })] }, undefined],
    [
      'estimates',
      { sessions: [session()], totals: totals({ spent: { usd: 13, estimatedOutputs: 4 } as never }) },
      estimated,
    ],
    [
      'both',
      { totals: totals({ spent: { usd: 13, estimatedOutputs: 4 } as never }) },
      `1 session ${unknown} ${estimated}`,
    ],
    ['no bill at all', { totals: totals({ spent: null }) }, undefined],
  ])('%s', (_, more, expected) => {
    expect(words(more)[2]).toBe(expected)
  })
})

describe('the decisions', () => {
  const five = [
    program('pi', 4),
    program('amp', null),
    program('goose', 2),
    program('codex', 1.5),
    program('crush', null),
  ]

  it('are those of three programs, with what turns them on; the rest is named', () => {
    const all = lines({ decisions: five })
    expect(all.slice(1, 4).map(({ program }) => program)).toEqual([
      { name: 'pi', spent: '$4.00' },
      { name: 'amp', spent: null },
      { name: 'goose', spent: '$2.00' },
    ])
    for (const { words, command } of all.slice(1, 4)) {
      expect(words).toMatch(/^Set .* Turn it on in settings\.json:$/)
      expect(command).toBe('"line": 1')
    }
    expect(all.at(-2)).toEqual({
      words: 'All options, how sure this is, and 2 more (codex $1.50, crush):',
      command: 'ctxwin recommend',
    })
    expect(lines({ decisions: five.slice(0, 3) }).at(-2)?.words).toBe('All options, and how sure this is:')
    expect(lines({ decisions: five }, true).at(-2)?.words).toContain('(codex 12 %, crush)')
  })

  it('stand beside their programs and amounts, in columns', () => {
    const keep = {
      ...program('goose', 12.5),
      recommended: null,
      best: null,
      outcome: 'keep',
      keepReason: 'nothing-cheaper',
    } as const
    const text = (width: number, decisions = [program('pi', 4), keep, program('amp', null)]) =>
      [...renderSessions(of({ decisions }), next, { ...options, width })].join('')
    const rows = text(300).split('\n')
    expect(rows.slice(0, 3)).toEqual([words()[0], '', expect.stringMatching(/^pi {6}\$4\.00 {2}Set /)])
    expect(rows[3]).toBe('    "line": 1')
    expect(rows[4]).toBe('')
    expect(rows[5]).toMatch(/^goose {2}\$12\.50 {2}\S/)
    expect(rows[6]).toBe('')
    expect(rows[7]).toMatch(/^amp {12}Set /)
    expect(rows.slice(8)).toEqual([
      '    "line": 1',
      '',
      'Dearest session  $3.25  "Mend the login"  ctxwin history s1',
      'All options, and how sure this is:  ctxwin recommend',
      words()[2],
      '',
    ])
    expect(text(300, [program('amp', null)])).toMatch(/\namp {2}Set /)
    const narrow = text(60).split('\n')
    expect(narrow.filter((line) => line.length > 60)).toEqual([])
    expect(narrow[4]).toMatch(/^ {15}\S/)
  })

  it('leave a command on a line of its own where the sentence has no room for it', () => {
    const at = (width: number) =>
      [...renderSessions(of({ sessions: [session()] }), next, { ...options, width })]
        .join('')
        .replace(/^.*(?=Dearest)/s, '')
    const one = 'Dearest session  $3.25  "Mend the login"  ctxwin history s1'
    expect(at(one.length)).toBe(`${one}\n`)
    expect(at(one.length - 1)).toBe('Dearest session  $3.25  "Mend the login"\n    ctxwin history s1\n')
    expect(at(30)).toBe('Dearest session  $3.25  "Mend\nthe login"\n    ctxwin history s1\n')
  })
})

it('the columns are the fields of a session', () => {
  const one = session()
  for (const { key, value } of sessionColumns)
    expect([key, value(one)]).toEqual([key, one[key as keyof SessionSummary]])
  expect(sessionColumns.map(({ key }) => key)).toEqual(Object.keys(one))
  const ranked = gridOf(sessionColumns, [one]).columns.toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
  expect(ranked.map(({ key }) => key).join(' ')).toBe(
    'title spent session last sentTokens project requests file format model first transcripts',
  )
})
