/** Transcripts whose text and recorded usage do not agree any more. */
import { describe, expect, it } from 'vitest'
import type { AgreedUsage } from '../../src/check/baseline.ts'
import { usageOutcome } from '../../src/check/compare-usage.ts'
import type { Outcome } from '../../src/check/outcome.ts'
import { reporterNames } from '../../src/cli/inputs/settings.ts'
import { sampleRun } from '../reports/samples.ts'
import { billedSession, conversation, useRepository } from './repository.ts'

const repository = useRepository()
const { write, read } = repository
const check = (...words: string[]) => repository.ctxwin('check', ...words)

const outcomesOf = async (...words: string[]) =>
  JSON.parse((await check(...words, '--reporter', 'json')).stdout).outcomes as Outcome[]

const estimators = ['auto', 'bytes', 'estimate', 'calibrated', 'recorded']

/** The figures that are said to be worse, or to be wrong. */
const failed = (outcomes: readonly Outcome[]) => outcomes.flatMap(({ status, rule }) => (status === 'fail' ? rule : []))

describe('a renamed key', () => {
  it.each(estimators)('is found with %s, in every reporter, and nothing is called better', async (estimator) => {
    const flags = ['t', '--estimator', estimator, '--budget', '4k', '--policy', 'ikigai,keep-all']
    write('t/a.json', billedSession(9))
    expect((await check(...flags, '--update-baseline')).code).toBe(0)
    expect((await check(...flags)).code).toBe(0)
    write('t/a.json', billedSession(9).replaceAll('"output":"', '"outputText":"'))
    const { code, stdout } = await check(...flags)
    expect(code).toBe(1)
    expect(stdout).not.toContain('better')
    // What the policy prunes makes no difference to it.
    expect(stdout.match(/^error t\/a\.json baseline\/usage .*/gm)).toHaveLength(2)
    expect(stdout).toMatch(
      /^ {6}counted as in the baseline, the messages of its requests are -[34]\d\.\d+ % off their recorded input, there [+-]?\d[\d.]* %: content that was sent is missing, or is not read any more$/m,
    )
    expect(stdout).toContain('; the recorded usage is what it was, so content was edited, or is read in another way\n')
    for (const reporter of reporterNames) {
      const report = await check(...flags, '--reporter', reporter)
      expect(report.code).toBe(1)
      expect(report.stdout, reporter).toContain('baseline/usage')
      expect(report.stdout, reporter).toContain('t/a.json')
    }
  })

  it('is found where the session has grown meanwhile, so that no figure is lower', async () => {
    write('t/a.json', billedSession(3))
    expect((await check('t', '--update-baseline')).code).toBe(0)
    write('t/a.json', billedSession(90).replaceAll('"output":"', '"outputText":"'))
    const outcomes = await outcomesOf('t')
    expect(failed(outcomes)).toContain('baseline/usage')
    expect(outcomes.find(({ rule }) => rule === 'baseline/contentTokens')?.status).toBe('pass')
  })

  it('is found in one of several transcripts of a file', async () => {
    const log = (second: string) => `${billedSession(5, 'one')}\n${second}\n`
    write('t/log.jsonl', log(billedSession(5, 'two')))
    expect((await check('t', '--update-baseline')).code).toBe(0)
    expect((await check('t')).code).toBe(0)
    write('t/log.jsonl', log(billedSession(5, 'two').replaceAll('"output":"', '"outputText":"')))
    const wrong = (await outcomesOf('t')).filter(({ status }) => status === 'fail')
    expect(wrong.filter(({ rule }) => rule === 'baseline/usage').map(({ run }) => run)).toEqual(['two'])
    // A damaged line is one of the file, whichever transcript it is of.
    const ofOne = wrong.filter(({ rule }) => rule !== 'baseline/damagedLines')
    expect(new Set(ofOne.map(({ run }) => run))).toEqual(new Set(['two']))
  })

  it('of the usage itself is found', async () => {
    write('t/a.json', billedSession(5))
    expect((await check('t', '--update-baseline')).code).toBe(0)
    write('t/a.json', billedSession(5).replaceAll('"tokens":', '"counts":'))
    expect((await check('t')).stdout).toContain(
      'the baseline has the recorded usage of 10 requests, and none is found now: agree to it with --update-baseline\n',
    )
    write('t/a.json', billedSession(5).replace('"tokens":', '"counts":'))
    expect((await check('t')).stdout).toContain('and that of 9 is found now')
    expect((await check('t', '--tolerance', '10')).stdout).not.toContain('is found now')
  })
})

describe('edited text', () => {
  it.each(estimators)('cannot hide behind %s', async (estimator) => {
    const flags = ['t', '--estimator', estimator]
    const whole = billedSession(9)
    const texts = ['question 0', 'line 0 of the file. ', 'question 8']
    write('t/a.json', whole)
    expect((await check(...flags, '--update-baseline')).code).toBe(0)
    for (const text of texts) {
      write('t/a.json', whole.replace(text, text + ' and more'.repeat(400)))
      expect((await check(...flags)).code, `more at ${text}`).toBe(1)
      write('t/a.json', whole.replace(text, 'x'))
      expect((await check(...flags)).code, `less at ${text}`).toBe(1)
    }
    write('t/a.json', whole)
    expect((await check(...flags)).code).toBe(0)
  })

  it('is told from a session that went on', async () => {
    write('t/a.json', billedSession(9))
    expect((await check('t', '--update-baseline')).code).toBe(0)
    write('t/a.json', billedSession(12))
    const outcomes = await outcomesOf('t')
    expect(failed(outcomes)).not.toContain('baseline/usage')
    expect(failed(outcomes)).not.toContain('baseline/contentTokens')
    expect(outcomes.find(({ rule }) => rule === 'baseline/usage')).toMatchObject({ status: 'pass', level: 'error' })
  })
})

describe('a transcript that no baseline speaks for', () => {
  const lossy = billedSession(9).replaceAll('"output":"', '"outputText":"')
  const warning =
    /^warn {2}t\/a\.json usage\n {6}what is read of its messages is \d+ % of what its recorded input grew by: /m

  it('is warned of where far less is read than was sent', async () => {
    write('t/a.json', lossy)
    const limit = ['--assert', 'maxCuts=9']
    expect(await check('t', ...limit)).toMatchObject({ code: 0, stdout: expect.stringMatching(warning) })
    expect((await check('t', ...limit, '--max-warnings', '0')).code).toBe(1)
    // When it comes into a baseline, and as long as it is not there.
    expect((await check('t', '--update-baseline')).stdout).toMatch(warning)
    expect((await check('t')).stdout).not.toMatch(warning)
    write('t/a.json', conversation(2))
    write('u/b.json', billedSession(2))
    await check('u', '--update-baseline', '--baseline', 'b.json')
    write('t/a.json', lossy)
    expect((await check('t', 'u', '--baseline', 'b.json')).stdout).toMatch(warning)
  })

  it('is not where the usage agrees, or is of too few requests', async () => {
    for (const session of [billedSession(9), billedSession(1).replaceAll('"output":"', '"outputText":"')]) {
      write('t/a.json', session)
      expect((await check('t', '--assert', 'maxCuts=9')).stdout).toMatch(/^ok: 1 transcript, 1 check /)
    }
  })
})

describe('the fit that a baseline keeps', () => {
  const entry = (usage: AgreedUsage | null) => ({
    conversation: null,
    policy: 'ikigai',
    budget: 0,
    estimator: 'bytes',
    values: {},
    usage,
    sum: '',
  })
  const agreed = { requests: 2, inputTokens: 1000, preamble: 100, factor: 1, thought: 0, offPercent: 0 }
  const run = (tokens: number) => {
    const fit = { preamble: 0, factor: 9, thought: 1 }
    const sums = { requests: 2, inputTokens: 1000, heads: 1, tokens, beyond: 50, anchored: 200, growth: 1, fit }
    return sampleRun({ witness: { contentTokens: 1, usage: sums } })
  }

  it('is held to by more than 20 %, either way, where it was within 5', () => {
    // preamble + tokens + what is taken as recorded
    for (const [tokens, actual, status] of [
      [700, 0, 'pass'],
      [500, -20, 'pass'],
      [499, -20.1, 'fail'],
      [900, 20, 'pass'],
      [901, 20.1, 'fail'],
    ] as const) {
      expect(usageOutcome(run(tokens), entry(agreed), 0)).toMatchObject({ actual, status, level: 'error' })
    }
    expect(usageOutcome(run(0), entry({ ...agreed, offPercent: -5.01 }), 0)).toBeNull()
    expect(usageOutcome(run(0), entry({ ...agreed, offPercent: 5 }), 0)).toMatchObject({ status: 'fail' })
  })

  it('says nothing of a transcript without usage', () => {
    expect(usageOutcome(sampleRun({ witness: { contentTokens: 1, usage: null } }), entry(null), 0)).toBeNull()
  })
})

it('the JSON of a baseline names the fit', async () => {
  write('t/a.json', billedSession(9))
  await check('t', '--update-baseline')
  const [{ usage }] = JSON.parse(read('ctxwin-baseline.json')).files['t/a.json']
  expect(usage).toMatchObject({ requests: 18 })
  expect(Math.abs(usage.offPercent)).toBeLessThan(1)
})
