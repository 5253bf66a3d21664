import { describe, expect, it } from 'vitest'
import { readingHere } from '../../src/app/analysis.ts'
import { recommend } from '../../src/app/recommend.ts'
import { choose } from '../../src/base/chosen.ts'
import auto from '../../src/estimators/auto.ts'
import type { Candidate, Decision, Recommendation } from '../../src/model/recommendation.ts'
import { policies } from '../../src/policies/index.ts'
import { openFile } from '../../src/readers/lines/source.ts'
import { decisionLines, decisionWords, whereWords } from '../../src/reports/decision.ts'
import { answer, recommendationSheet } from '../../src/reports/recommendation.ts'
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
  turnOn: { file: 'settings.json', text: '"line": 1', since: null, note: null },
  composition: null,
  ...change,
})
const today = candidate({ setting: 'today', policy: 'as-recorded', verdict: 'baseline', budget: null, paid: 814 })
const decision = (change: Partial<Decision>): Decision => ({
  scope: 'program',
  program: 'claude-code',
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
  ...change,
})
const result = (...decisions: Partial<Decision>[]): Recommendation => ({
  schemaVersion: 1,
  decisions: decisions.map(decision),
  diagnostics: [],
})

describe('the answer', () => {
  it('names the policy and its budget, the money with its interval, the losses, and how to turn it on', () => {
    expect(answer(result({}))).toEqual([
      'claude-code: Set drop-oldest at 160k: it saves 7.0 to 13 % of $814 for input, and loses 117 of 6,024 later uses of content (today 117). Turn it on in settings.json:',
      { verbatim: '"line": 1' },
    ])
  })

  it('says what a summary is assumed to be, where there is one', () => {
    const losses = { ...today.losses, ifSummariesKeepAll: 4 }
    const [words, , more] = answer(result({ recommended: candidate({ summaries: 2, summaryTokens: 2000, losses }) }))
    expect(words).toContain('(today 117; 4 if its summaries keep everything)')
    expect(more).toBe(
      'That assumes 2 summaries of 2.0k tokens that keep nothing; if they kept everything, 4 would be cut off.',
    )
  })

  it('advises to keep what there is, names what is surely cheaper and loses least, and what tolerance it would take', () => {
    const more = candidate({
      setting: 'drop-oldest:target=0.5',
      verdict: 'loses more',
      losses: { ...today.losses, lost: 180 },
    })
    const most = candidate({ setting: 'drop-messages', verdict: 'loses more', losses: { ...more.losses, lost: 190 } })
    const unsure = candidate({ verdict: 'loses more', saved: { cost: 9, percent: 1, low: -2, high: 4 } })
    const stay = { outcome: 'stay', recommended: null } as const
    expect(answer(result({ ...stay, candidates: [most, unsure, more] }))).toEqual([
      'claude-code: Keep what you have: nothing cheaper is as safe. (drop-oldest:target=0.5 at 160k would save 7.0 to 13 % of $814 for input, and lose 180 of 6,024 later uses of content (today 117).)',
      'With --tolerance +1.1% drop-oldest:target=0.5 at 160k would be within it. If that is worth it, in settings.json:',
      { verbatim: '"line": 1' },
    ])
    expect(answer(result({ ...stay, candidates: [unsure] }))).toEqual([
      'claude-code: Keep what you have: nothing cheaper is as safe.',
    ])
  })

  it('does not tell where there are too few uses, or nothing can be set', () => {
    const baseline = { ...today, losses: { ...today.losses, lost: 1, total: 29 } }
    const none = { recommended: null, candidates: [] }
    expect(answer(result({ ...none, outcome: 'too-few', baseline }, { ...none, outcome: 'nothing-to-set' }))).toEqual([
      'claude-code: Too few later uses to say what to set: 29 later uses of content, and it takes 30.',
      'claude-code: Keep what you have: ctxwin knows no setting of claude-code that changes what its window holds.',
    ])
  })

  it('says so where nothing keeps to the tolerance', () => {
    const tolerance = { over: 'nothing', percent: 0 } as const
    expect(answer(result({ outcome: 'none', recommended: null, limitPercent: 0, tolerance }))).toEqual([
      'claude-code: None of 1 candidate loses no more than 0 % of 6,024 later uses of content.',
    ])
  })

  it('names who it is for: nobody, where policies were named for all', () => {
    const keep = { outcome: 'stay', recommended: null, candidates: [], program: null } as const
    const keeps = 'Keep what you have: nothing cheaper is as safe.'
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
      file: 'your agent, as this composition',
      text: 'knobs:unit=step',
      since: null,
      note: null,
    })
    expect(turnOnOf({ turnOn: null })).toBeNull()
  })

  it('has no interval of a few transcripts, tokens where no price is known, and says how many have one', () => {
    const saved = { cost: 83, percent: 10.2, low: null, high: null }
    const recommended = candidate({ saved, turnOn: null, paid: 731_000 })
    const baseline = { ...today, paid: 814_000 }
    const { words } = decisionWords(
      decision({ recommended, baseline, unit: 'input-token-equivalents', costed: 4, transcripts: 6 }),
    )
    expect(words).toBe(
      'Set drop-oldest at 160k: it saves 10 % of 814k input tokens, and loses 117 of 6,024 later uses of content (today 117). Prices are known for 4 of 6 transcripts.',
    )
  })
})

describe('recommend for people', () => {
  it.each([60, 80, 140])('has no line wider than %d columns, and no figure cut off', (width) => {
    const many = Array.from({ length: 30 }, (_, at) =>
      candidate({ setting: `summarise-oldest:target=0.${at}`, verdict: at < 12 ? 'tie' : 'loses more' }),
    )
    const two = [{ candidates: [candidate({}), ...many] }, { program: 'codex' }]
    const sheet = recommendationSheet(result(...two), true)
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
    const { data } = recommendationSheet(found, false)
    expect(violations(JSON.parse(JSON.stringify(data)))).toEqual([])
    expect(violations({ ...(data as object), decisions: [{}] })).not.toEqual([])
  })
})
