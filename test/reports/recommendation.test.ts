import { describe, expect, it } from 'vitest'
import { readingHere } from '../../src/app/analysis.ts'
import { recommend } from '../../src/app/recommend.ts'
import { choose } from '../../src/base/chosen.ts'
import auto from '../../src/estimators/auto.ts'
import type { Candidate, Recommendation } from '../../src/model/recommendation.ts'
import { policies } from '../../src/policies/index.ts'
import { openFile } from '../../src/readers/lines/source.ts'
import { answer, programWords, recommendationSheet, tooFewWords } from '../../src/reports/recommendation.ts'
import table from '../../src/reports/table.ts'
import { widthOf } from '../../src/reports/text.ts'
import { publishedSchema } from '../schema.ts'
import { options } from './samples.ts'

const candidate = (change: Partial<Candidate>): Candidate => ({
  setting: 'drop-oldest',
  policy: 'drop-oldest',
  params: {},
  budget: 160_000,
  verdict: 'recommended',
  paid: 731,
  saved: { cost: 83, percent: 10.2, low: 7, high: 13.1 },
  losses: { lost: 117, total: 6024, percent: 1.94, low: 1.62, high: 2.32, ifSummariesKeepAll: 117 },
  refusedRequests: 0,
  promptGoneRequests: 0,
  overWindowRequests: 0,
  summaries: 0,
  summaryTokens: 0,
  turnOn: 'a line of settings',
  ...change,
})
const today = candidate({ setting: 'today', policy: 'as-recorded', verdict: 'baseline', budget: null, paid: 814 })
const result = (change: Partial<Recommendation>): Recommendation => ({
  schemaVersion: 1,
  outcome: 'found',
  transcripts: 137,
  requests: 11_129,
  unit: 'usd',
  costed: 137,
  bill: null,
  of: 'headline',
  tolerance: { over: 'baseline', percent: 0 },
  limitPercent: 1.94,
  baseline: today,
  recommended: candidate({}),
  candidates: [candidate({})],
  diagnostics: [],
  ...change,
})

describe('the answer', () => {
  it('names the policy and its budget, the money with its interval, the losses, and how to turn it on', () => {
    expect(answer(result({}))).toEqual([
      'drop-oldest at 160k would have cost $731 instead of $814 (-10 (-13…-7.0) %).',
      'It cuts off 117 of 6,024 later uses of content (1.9 (1.6…2.3) %), today 117.',
      'Turn it on: a line of settings',
    ])
  })

  it('says what a summary is assumed to be, where there is one', () => {
    const losses = { ...today.losses, ifSummariesKeepAll: 4 }
    const [, , words] = answer(result({ recommended: candidate({ summaries: 2, summaryTokens: 2000, losses }) }))
    expect(words).toBe(
      'That assumes 2 summaries of 2.0k tokens that keep nothing; if they kept everything, 4 would be cut off.',
    )
  })

  it('advises to keep what there is, names the nearest, and says what more tolerance would give', () => {
    const tie = candidate({ verdict: 'tie', saved: { cost: 10, percent: 1.2, low: -3, high: 6 }, paid: 804 })
    const more = candidate({
      setting: 'drop-oldest:target=0.5',
      verdict: 'loses more',
      losses: { ...today.losses, lost: 180 },
    })
    expect(answer(result({ outcome: 'stay', recommended: null, candidates: [more, tie] }))).toEqual([
      'Keep what you have: nothing here that loses no more than today (117 of 6,024 later uses of content) is surely cheaper than $814. The nearest, drop-oldest at 160k, would cost $804 (-1.2 (-6.0…+3.0) %).',
      'With --tolerance +1.1% drop-oldest:target=0.5 at 160k would be within it (-10 (-13…-7.0) %).',
    ])
  })

  it('does not tell where there are too few uses', () => {
    const baseline = { ...today, losses: { ...today.losses, lost: 1, total: 29 } }
    expect(answer(result({ outcome: 'too-few', recommended: null, baseline, transcripts: 2 }))).toEqual([
      'Too few to tell: 29 later uses of content in 2 transcripts. With 30 or more it can be said what a policy would lose.',
    ])
  })

  it('says so where nothing keeps to the tolerance', () => {
    const words = answer(
      result({ outcome: 'none', recommended: null, limitPercent: 0, tolerance: { over: 'nothing', percent: 0 } }),
    )
    expect(words).toEqual(['None of 1 candidate loses no more than 0 % of 6,024 later uses of content.'])
  })
})

describe('the answer for one program', () => {
  const wordsOf = (change: Partial<Recommendation>) => programWords({ format: 'claude-code', ...result(change) })

  it('has the money with its interval, the losses beside those of today, and how to turn it on', () => {
    expect(wordsOf({})).toEqual({
      words:
        'claude-code: drop-oldest at 160k would have cost $731 instead of $814 (-10 %, between -13 and -7.0) and lost 117 of 6,024 later uses of content (today 117). Turn it on:',
      turnOn: 'a line of settings',
    })
  })

  it('says where it is set, and leaves to be copied what is typed there', () => {
    const turnOn = 'pi, in ~/.pi/agent/settings.json: { "compaction": { "reserveTokens": 9 } }'
    const { words, turnOn: typed } = wordsOf({ recommended: candidate({ turnOn }) })
    expect(words).toMatch(/ Turn it on, in ~\/\.pi\/agent\/settings\.json:$/)
    expect(typed).toBe('{ "compaction": { "reserveTokens": 9 } }')
  })

  it('has no interval of a few transcripts, both extremes of a summary, and tokens where no price is known', () => {
    const saved = { cost: 83, percent: 10.2, low: null, high: null }
    const losses = { ...today.losses, ifSummariesKeepAll: 4 }
    const recommended = candidate({ saved, losses, summaries: 2, turnOn: null, paid: 731_000 })
    const baseline = { ...today, paid: 814_000 }
    expect(wordsOf({ recommended, baseline, unit: 'input-token-equivalents', costed: 4, transcripts: 4 })).toEqual({
      words:
        'claude-code: drop-oldest at 160k would have cost 731k input tokens instead of 814k input tokens (-10 %) and lost 117 of 6,024 later uses of content (today 117; 4 if its summaries keep everything).',
      turnOn: null,
    })
  })

  it('advises to keep what there is, and names what is surely cheaper and loses least, of the transcripts with a price', () => {
    const losses = { ...today.losses, lost: 180 }
    const more = candidate({ setting: 'drop-messages', verdict: 'loses more', losses })
    const most = candidate({ setting: 'drop-oldest', verdict: 'loses more', losses: { ...losses, lost: 190 } })
    const unsure = candidate({ verdict: 'loses more', saved: { cost: 9, percent: 1, low: -2, high: 4 } })
    const stay = { outcome: 'stay', recommended: null, costed: 130 } as const
    expect(wordsOf({ ...stay, candidates: [most, unsure, more] })).toEqual({
      words:
        'claude-code: keep what you have, as no setting is surely cheaper than $814 and loses no more. drop-messages at 160k would have cost $731 instead of $814 (-10 %, between -13 and -7.0) and lost 180 of 6,024 later uses of content (today 117). Money is of 130 of 137 transcripts. If that is worth it:',
      turnOn: 'a line of settings',
    })
    expect(wordsOf({ ...stay, costed: 137, candidates: [unsure] })).toEqual({
      words: 'claude-code: keep what you have, as no setting is surely cheaper than $814 and loses no more.',
      turnOn: null,
    })
  })

  it('names in one line the programs of which there are too few uses', () => {
    const program = (format: string, total: number) => {
      const baseline = { ...today, losses: { ...today.losses, total } }
      return { format, ...result({ outcome: 'too-few', recommended: null, baseline }) }
    }
    expect(tooFewWords([program('claude-code', 29), program('codex', 0)])).toBe(
      'claude-code, codex: too few later uses of content to tell what to set: 29, 0 of the 30 that it takes.',
    )
  })
})

describe('recommend for people', () => {
  it.each([60, 80, 140])('has no line wider than %d columns, and no figure cut off', (width) => {
    const many = Array.from({ length: 30 }, (_, at) =>
      candidate({ setting: `summarise-oldest:target=0.${at}`, verdict: at < 12 ? 'tie' : 'loses more' }),
    )
    const sheet = recommendationSheet(result({ candidates: [candidate({}), ...many] }), true)
    const lines = [...table.sheet(sheet, { ...options, width })].join('').split('\n')
    expect(lines.filter((line) => widthOf(line) > width)).toEqual([])
    if (width >= 80) expect(lines.join('\n')).toContain('117/6,024')
  })
})

describe('docs/schema/recommend.schema.json', () => {
  const { violations } = publishedSchema('recommend')

  it('accepts what files give', async () => {
    const plan = {
      policies: [choose(policies.get('drop-oldest')), choose(policies.get('truncate-tool-results'), { max: 50 })],
      estimators: [choose(auto)],
      budgets: [20_000, '5%'] as const,
    }
    const files = ['fixtures/claude-code/refactor.jsonl', 'fixtures/claude-code/compaction.jsonl']
    const found = await recommend(
      readingHere(
        files.map((file) => openFile(file)),
        {},
      ),
      plan,
    )
    const { data } = recommendationSheet(found, false)
    expect(violations(JSON.parse(JSON.stringify(data)))).toEqual([])
    expect(violations({ ...(data as object), outcome: 'perhaps' })).not.toEqual([])
  })
})
