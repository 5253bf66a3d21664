import { describe, expect, it } from 'vitest'
import { readingHere } from '../../src/app/analysis.ts'
import { recommend } from '../../src/app/answer/recommend.ts'
import { choose } from '../../src/base/chosen.ts'
import auto from '../../src/estimators/auto.ts'
import type { Candidate, Decision, Recommendation } from '../../src/model/recommendation.ts'
import { policies } from '../../src/policies/index.ts'
import { openFile } from '../../src/readers/lines/source.ts'
import { decisionLines, decisionWords, riskWords, whereWords } from '../../src/reports/decision.ts'
import { answer, recommendationSheet } from '../../src/reports/recommendation.ts'
import table from '../../src/reports/table.ts'
import { widthOf } from '../../src/reports/text.ts'
import { publishedSchema } from '../schema.ts'
import { candidate, decision, losses, today } from './decisions.ts'
import { options } from './samples.ts'

const result = (...decisions: Partial<Decision>[]): Recommendation => ({
  schemaVersion: 1,
  decisions: decisions.map(decision),
  diagnostics: [],
})

describe('the answer', () => {
  it('names the policy and its budget, the money of a month with its range, the odds, the losses, and how to turn it on', () => {
    expect(answer(result({}))).toEqual([
      'claude-code: Set drop-oldest at 160k: it saves $39 a month, 10 % of the input after re-reading (7.0 to 13 %), in about 9 of 10 cases; no more is lost than with what you have. Turn it on in settings.json:',
      { verbatim: '"line": 1' },
    ])
    const month = { days: 13, usd: 42, input: 38 }
    expect(answer(result({ month }))[0]).toContain('it saves $3.90 of $38.00, 10 % of the input after re-reading')
    // Of half a month it is twice as much.
    expect(answer(result({ month: { ...month, days: 15 } }))[0]).toContain('it saves $7.80 a month, 10 % of the input')
    expect(answer(result({ month: null }))[0]).toContain('it saves 10 % of the input after re-reading')
  })

  it('says how often something would be missed, and never better than it can be known', () => {
    const said = (change: Partial<Candidate['losses']>) => riskWords(candidate({ losses: { ...losses, ...change } }))
    const look = 'later uses of content would need a second look'
    expect(said({ extraPercent: 4 })).toBe(`about 1 in 25 ${look}`)
    expect(said({ extraPercent: 0.5 })).toBe(`about 1 in 200 ${look}`)
    expect(said({ extraPercent: 0.5, total: 399 })).toBe(`about 1 in 50 ${look}`)
    expect(said({ extraPercent: -1 })).toBe('no more is lost than with what you have')
    expect(said({ extraPercent: 6, total: 19 })).toBe(
      'too few later uses to tell what it loses (in other people’s sessions 1 in 17)',
    )
    const written = candidate({ summaries: 2, summaryTokens: 2000 })
    expect(answer(result({ recommended: written, best: written, candidates: [] })).at(-1)).toEqual({
      beside:
        'This counts on 2 summaries of 2.0k tokens in 137 transcripts that keep 60 % of the content that is used later, as recorded ones did.',
    })
  })

  it('shows the rest of the menu, and what all sessions would say', () => {
    const bold = candidate({ setting: 'bolder', verdict: 'bold', losses: { ...losses, extraPercent: 8 } })
    const lines = answer(result({ candidates: [candidate({}), bold], otherwise: 'keep', allSessions: 312 }))
    expect(lines.slice(2)).toEqual([
      {
        beside:
          'Bold: bolder at 160k saves 10.2 % of the input; about 1 in 13 later uses of content would need a second look.',
      },
      { beside: 'All 312 sessions together would say to keep what you have.' },
    ])
    const { notes } = recommendationSheet(result({ candidates: [candidate({}), bold] }), { forPeople: true })
    expect(notes[0]).toEqual({
      title: 'To be more cautious, or bolder',
      items: [{ name: 'bolder at 160k', sentences: ['in settings.json:'], verbatim: '"line": 1' }],
    })
  })

  it('says what comes nearest to being better than what there is, and why it is not', () => {
    const words = (change: Partial<Decision>) =>
      answer(result({ outcome: 'keep', recommended: null, candidates: [], ...change })).map((line) =>
        typeof line === 'string' ? line.replace('claude-code: Keep what you have', '') : line,
      )
    expect(words({ keepReason: 'nothing-cheaper' })).toEqual([': nothing else is cheaper.'])
    expect(words({ keepReason: 'none-fit', best: null })).toEqual([': every other setting makes requests that fail.'])
    const best = candidate({ verdict: 'loses more', losses: { ...losses, extraPercent: 9 } })
    expect(words({ keepReason: 'loses-more', best })).toEqual([
      ': nothing cheaper is worth what it loses. (drop-oldest at 160k would have saved $39 a month, 10 % of the input here, and about 1 in 11 later uses of content would need a second look.)',
      { beside: 'To set drop-oldest at 160k anyway, in settings.json:' },
      { verbatim: '"line": 1' },
    ])
  })

  it('does not tell where there are too few uses or sessions, or nothing can be set', () => {
    const baseline = { ...today, losses: { ...losses, lost: 1, total: 9 } }
    const none = { recommended: null, candidates: [], month: null }
    const few = { ...none, outcome: 'too-few-sessions', sessions: 4 } as const
    const likely = candidate({ saved: { cost: 83, percent: 10.2, low: -7, high: 13.1, chancePercent: 78 } })
    const once = candidate({ saved: { cost: 83, percent: 10.2, low: null, high: null, chancePercent: null } })
    expect(
      answer(
        result(
          { ...none, outcome: 'too-few-uses', baseline, best: null },
          { ...few, best: likely },
          { ...few, best: once, costed: 4 },
          { ...none, outcome: 'nothing-to-set' },
        ),
      ),
    ).toEqual([
      'claude-code: Too few later uses to tell what would be lost (9).',
      'claude-code: Too few sessions to tell (4). (drop-oldest at 160k would have saved 10 % of the input here; about 7 in 10 that it saves again.)',
      'claude-code: Too few sessions to tell (4). (drop-oldest at 160k would have saved 10 % of the input here.) Prices are known for 4 of 137 transcripts.',
      'claude-code: Keep what you have: ctxwin knows no setting of claude-code that changes what its window holds.',
    ])
  })

  it('names who it is for: nobody, where policies were named for all', () => {
    const nothing = { recommended: null, candidates: [], program: null } as const
    const keep = { ...nothing, outcome: 'keep', keepReason: 'nothing-cheaper' } as const
    const keeps = 'Keep what you have: nothing else is cheaper.'
    const scopes = (['own', 'all'] as const).map((scope) => decision({ ...keep, scope }))
    expect(decisionLines(scopes)).toEqual([`your own agent: ${keeps}`, keeps])
  })

  it('says where it is set, and gives what is written there by itself', () => {
    const turnOnOf = (change: Partial<Candidate>) => decisionWords(decision({ recommended: candidate(change) })).turnOn
    const turnOn = {
      file: '~/.pi/agent/settings.json',
      text: '"compaction": {}',
      since: '0.12.7',
      note: 'compacts at 80k',
    }
    expect(turnOnOf({ turnOn })).toEqual(turnOn)
    expect(whereWords(turnOn)).toBe('in ~/.pi/agent/settings.json (compacts at 80k):')
    expect(decisionLines([decision({ recommended: candidate({ turnOn }) })]).at(-1)).toEqual({ verbatim: turnOn.text })
    expect(turnOnOf({ turnOn: null, composition: 'knobs:unit=step' })).toEqual({
      file: 'your agent',
      text: 'ctxwin emit --policy drop-oldest --budget 160000',
      since: null,
      note: 'paste what this prints',
    })
    expect(turnOnOf({ turnOn: null })).toBeNull()
  })

  it('gives shares where no price is known or nobody pays one, and says how many have one', () => {
    const expected =
      'Set drop-oldest at 160k: it saves 10 % of the input after re-reading (7.0 to 13 %), in about 9 of 10 cases; no more is lost than with what you have.'
    const unpriced = decision({ unit: 'input-token-equivalents', costed: 120, transcripts: 137 })
    expect(decisionWords(unpriced).words).toBe(`${expected} Prices are known for 120 of 137 transcripts.`)
    expect(decisionWords(decision({}), true).words).toBe(expected)
  })
})

describe('recommend for people', () => {
  it('says once that transcripts are by newer versions than was learned from', () => {
    const newer = { transcripts: 3, newest: '2.1.330', learned: '2.1.232' }
    const { captions } = recommendationSheet(result({ newer }, {}), { forPeople: true })
    const said = captions.filter((line) => typeof line === 'string' && line.includes('versions after'))
    expect(said).toEqual([
      '3 transcripts are of versions after 2.1.232 (up to 2.1.330): whether those compact in the same way is not known',
    ])
  })

  it('says where more fails than in smaller windows, if the budget is larger than that', () => {
    const said = (from: number) =>
      answer(result({ rises: { endpoint: 'failed', from } })).filter((line) =>
        JSON.stringify(line).includes('ctxwin quality'),
      )
    expect(said(150_000)).toEqual([
      {
        beside:
          'In your sessions there were surely more failed tool calls from 150k on, and this budget is larger: see ctxwin quality.',
      },
    ])
    expect(said(200_000)).toEqual([])
  })

  it.each([60, 80, 140])('has no line wider than %d columns, and no figure cut off', (width) => {
    const many = Array.from({ length: 30 }, (_, at) =>
      candidate({ setting: `summarise-oldest:target=0.${at}`, verdict: at < 12 ? 'saves less' : 'loses more' }),
    )
    const two = [{ candidates: [candidate({}), ...many] }, { program: 'codex' }]
    const sheet = recommendationSheet(result(...two), { forPeople: true })
    const lines = [...table.sheet(sheet, { ...options, width })].join('').split('\n')
    expect(lines.filter((line) => widthOf(line) > width)).toEqual([])
    if (width >= 80) expect(lines.join('\n')).toContain('117/6,024')
  })
})

describe('docs/schema/recommend.schema.json', () => {
  const { violations } = publishedSchema('recommend')

  it('accepts what files give', async () => {
    const plan = { policies: [], estimators: [choose(auto)], budgets: [] }
    const asked = {
      policies: [choose(policies.get('drop-oldest')), choose(policies.get('truncate-tool-results'), { max: 50 })],
      budgets: [20_000, '5%'] as const,
    }
    const files = ['fixtures/claude-code/refactor.jsonl', 'fixtures/claude-code/compaction.jsonl']
    const found = await recommend(
      readingHere(
        files.map((file) => openFile(file)),
        {},
      ),
      plan,
      asked,
    )
    const { data } = recommendationSheet(found, { forPeople: false })
    expect(violations(JSON.parse(JSON.stringify(data)))).toEqual([])
    expect(violations({ ...(data as object), decisions: [{}] })).not.toEqual([])
  })
})
