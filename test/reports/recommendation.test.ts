import { describe, expect, it } from 'vitest'
import { readingHere } from '../../src/app/analysis.ts'
import { recommend } from '../../src/app/answer/recommend.ts'
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
import { candidate, decision, losses, today } from './decisions.ts'
import { options } from './samples.ts'

const result = (...decisions: Partial<Decision>[]): Recommendation => ({
  schemaVersion: 1,
  decisions: decisions.map(decision),
  diagnostics: [],
})

describe('the answer', () => {
  it('names the policy and its budget, the money with its interval, the losses, and how to turn it on', () => {
    expect(answer(result({}))).toEqual([
      'claude-code: Set this: drop-oldest at 160k. It saves $57 to $107 of $814 for input after re-reading, and loses no more than what you have. Turn it on in settings.json:',
      { verbatim: '"line": 1' },
    ])
    const allowed = { over: 'nothing', percent: 2 } as const
    expect(answer(result({ tolerance: allowed }))[0]).toContain('loses no more than you allow.')
  })

  it('says of what is worth trying how often something would be missed, between both ends of its summaries', () => {
    const more = { ...losses, lost: 238, expected: 178, extraPercent: 1.01, extraMostPercent: 2 }
    const tried = (change: Partial<Candidate>) => {
      const recommended = candidate({ losses: more, verdict: 'worth trying', ...change })
      return answer(result({ outcome: 'try', recommended, best: recommended }))
    }
    expect(tried({})[0]).toBe(
      'claude-code: Worth trying: drop-oldest at 160k. It saves $57 to $107 of $814 for input after re-reading; 1 in 99 later uses of content would need a second look (at most 1 in 50). Turn it on in settings.json:',
    )
    const [words, , assumed] = tried({ summaries: 2, summaryTokens: 2000 })
    expect(words).toContain('a second look (none to 1 in 50, depending on the summaries).')
    expect(assumed).toEqual({
      beside:
        'This counts on 2 summaries of 2.0k tokens in 137 transcripts that keep 60 % of the content that is used later, as recorded ones did; if they kept all or nothing, it would be none to 1 in 50.',
    })
    const [likeNone] = tried({ summaries: 2, losses: { ...more, extraPercent: 2.01 } })
    expect(likeNone).toContain(
      '; up to 1 in 50 later uses of content would need a second look, depending on the summaries.',
    )
    expect(tried({ losses: { ...more, extraPercent: -0.1 } })[0]).toContain(
      'at most 1 in 50 later uses of content would need a second look',
    )
  })

  it('says what comes nearest to being better than what there is, and why it is not', () => {
    const words = (change: Partial<Decision>) =>
      answer(result({ outcome: 'keep', recommended: null, ...change })).map((line) =>
        typeof line === 'string' ? line.replace('claude-code: Keep what you have', '') : line,
      )
    const name = 'drop-oldest at 160k'
    const saves = `${name} might save $57 to $107 of $814 for input after re-reading`
    expect(words({ keepReason: 'not-sure' })).toEqual([`: nothing is surely cheaper. (${saves}.)`])
    expect(words({ keepReason: 'few-dear-ones', dearestPercent: 64.2 })).toEqual([
      `. (${saves}, but three sessions are 64 % of the money: too few to be sure.)`,
    ])
    expect(words({ keepReason: 'few-dear-ones' })).toEqual([
      `. (${saves}, but without the three dearest sessions that is not sure.)`,
    ])
    expect(words({ keepReason: 'nothing-cheaper' })).toEqual([': nothing else is cheaper.'])
    expect(words({ keepReason: 'none-fit', best: null })).toEqual([': every other setting makes requests that fail.'])
    const best = candidate({ losses: { ...losses, extraPercent: 9, extraMostPercent: 12.34 } })
    expect(words({ keepReason: 'loses-more', best })).toEqual([
      `: nothing cheaper is as safe. (${saves}, but 1 in 11 later uses of content would need a second look (at most 1 in 8).)`,
      { beside: `With --tolerance +12.4% the answer would be ${name}. To set it anyway, in settings.json:` },
      { verbatim: '"line": 1' },
    ])
    const cheaper = candidate({ saved: { cost: 1, percent: 1, low: -2, high: 4 } })
    expect(words({ keepReason: 'not-sure', best: cheaper })[0]).toContain(
      'might cost between $16 more and $33 less than the $814 for input, after re-reading.)',
    )
    const dearer = candidate({ saved: { cost: 1, percent: 1, low: -4, high: -2 } })
    expect(words({ keepReason: 'not-sure', best: dearer })[0]).toContain('might cost $16 to $33 more than the $814')
  })

  it('does not tell where there are too few uses or sessions, or nothing can be set', () => {
    const baseline = { ...today, losses: { ...losses, lost: 1, total: 29 } }
    const none = { recommended: null, candidates: [] }
    const few = { ...none, outcome: 'too-few-sessions', costed: 4 } as const
    expect(
      answer(
        result(
          { ...none, outcome: 'too-few-uses', baseline },
          few,
          { ...few, best: null },
          { ...none, outcome: 'nothing-to-set' },
        ),
      ),
    ).toEqual([
      'claude-code: Too few later uses of content to say (29 of the 30 needed).',
      'claude-code: Too few sessions to say (4 of the 10 needed). (drop-oldest at 160k would have saved 10 % of the cost of input here.) Prices are known for 4 of 137 transcripts.',
      'claude-code: Too few sessions to say (4 of the 10 needed). Prices are known for 4 of 137 transcripts.',
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
      'Set this: drop-oldest at 160k. It saves 7.0 to 13 % of the cost of input after re-reading, and loses no more than what you have.'
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

  it('says why the best candidate shows less than its cost', () => {
    const said = (best: Partial<Candidate>, costed = 137) =>
      recommendationSheet(result({ best: candidate(best), costed }), { forPeople: true })
        .notes.flatMap(({ items }) => items.flatMap(({ sentences }) => sentences))
        .filter((sentence) => sentence.startsWith('change of'))
    // 83 of 814 are 10.2 %.
    expect(said({})).toEqual([])
    expect(said({ saved: { cost: 83, percent: 4, low: -2, high: 7 } })).toEqual([
      'change of drop-oldest at 160k: -4.0 % and not the -10.2 % of these sessions, as the best of many candidates looks better than it is',
    ])
    expect(said({ saved: { cost: 83, percent: 4, low: null, high: null } }, 9)).toEqual([])
  })

  it.each([60, 80, 140])('has no line wider than %d columns, and no figure cut off', (width) => {
    const many = Array.from({ length: 30 }, (_, at) =>
      candidate({ setting: `summarise-oldest:target=0.${at}`, verdict: at < 12 ? 'tie' : 'loses more' }),
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
