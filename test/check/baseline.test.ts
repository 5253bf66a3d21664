import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compareWithBaseline } from '../../src/check/compare-baseline.ts'
import { makeBaseline, unfit } from '../../src/check/make-baseline.ts'
import type { Outcome } from '../../src/check/outcome.ts'
import { reporterNames } from '../../src/cli/inputs/settings.ts'
import type { Run } from '../../src/model/run.ts'
import { sampleRun } from '../reports/samples.ts'
import { conversation, useRepository } from './repository.ts'

const repository = useRepository()
const { write, read } = repository
const check = (...words: string[]) => repository.ctxwin('check', ...words)
const file = 'ctxwin-baseline.json'

/** Two transcripts and their baseline, at a budget at which the longer one is cut. */
async function agreed(): Promise<void> {
  write('t/a.jsonl', conversation(9))
  write('t/b.jsonl', conversation(2))
  write('ctxwin.config.json', JSON.stringify({ budget: 200 }))
  expect(await check('t', '--update-baseline')).toMatchObject({ code: 0, stderr: '' })
}

describe('a baseline', () => {
  it('is written sorted, the same for the same files, and holds what the figures depend on', async () => {
    await agreed()
    const text = read(file)
    const { schemaVersion, madeWith, files } = JSON.parse(text)
    expect({ schemaVersion, madeWith }).toEqual({
      schemaVersion: 2,
      madeWith: {
        estimators: [{ name: 'bytes', version: 1 }],
        policies: ['ikigai'],
        budgets: [200],
        preamble: 'auto',
        model: null,
        provider: null,
        measure: 'run',
        format: 'auto',
      },
    })
    expect(Object.keys(files)).toEqual(['t/a.jsonl', 't/b.jsonl'])
    const { runs } = JSON.parse((await repository.ctxwin('simulate', 't/a.jsonl', '--output', 'json')).stdout)
    expect(files['t/a.jsonl'][0].values).toMatchObject({
      sentTokens: runs[0].sentTokens,
      peakTokens: runs[0].peakTokens,
      cuts: runs[0].cuts.length,
      damagedLines: 0,
    })
    await check('t/b.jsonl', 't/a.jsonl', '--update-baseline')
    expect(read(file)).toBe(text)
  })

  it('holds: nothing changed, exit 0', async () => {
    await agreed()
    const { code, stdout, stderr } = await check('t')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^ok: 2 transcripts, 24 checks \(baseline\) under ikigai at 200\n$/)
  })

  it('knows that a setting left a file out: that is no stale entry', async () => {
    await agreed()
    const { code, stdout, stderr } = await check('t', '--min-requests', '5')
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'ctxwin: left out: 1 transcript by --min-requests\n' })
    expect(stdout).toMatch(/^ok: 1 transcript, /)
    expect((await check('t', '--last', '1')).stdout).toMatch(/^ok: 1 transcript, /)
  })

  it('fails when a transcript holds less than it did, and calls none of its figures better', async () => {
    await agreed()
    write('t/a.jsonl', conversation(8))
    const { code, stdout } = await check('t')
    expect(code).toBe(1)
    expect(stdout.match(/^error .*/gm)).toEqual([
      'error t/a.jsonl baseline/messages',
      'error t/a.jsonl baseline/exchanges',
      'error t/a.jsonl baseline/requests',
      'error t/a.jsonl baseline/contentTokens',
    ])
    expect(stdout).toContain(
      '      messages is 16, the baseline has 18 (-2, -11.11 %); the transcript has shrunk\n      ctxwin simulate t/a.jsonl ',
    )
    expect(stdout).not.toContain('better')
    expect(await check('t', '--tolerance', '12')).toMatchObject({
      code: 0,
      stdout: 'ok: 2 transcripts, 24 checks (baseline) under ikigai at 200\n',
    })
  })

  it('takes no offence at a transcript that holds more, and says so of the figures that got worse by it', async () => {
    await agreed()
    write('t/b.jsonl', conversation(3))
    const { code, stdout } = await check('t', '--reporter', 'json')
    expect(code).toBe(1)
    const outcomes = (JSON.parse(stdout).outcomes as Outcome[]).filter(({ file }) => file === 't/b.jsonl')
    const grown = outcomes.filter(({ message }) => message.endsWith('; the transcript has grown'))
    expect(grown.map(({ metric, status }) => `${metric} ${status}`)).toEqual(
      expect.arrayContaining([
        'messages pass',
        'exchanges pass',
        'requests pass',
        'sentTokens fail',
        'peakTokens fail',
      ]),
    )
    expect(outcomes.filter(({ status }) => status === 'fail').every((one) => grown.includes(one))).toBe(true)
  })

  it('of an earlier version is refused, and can be made anew: what it lacks would not be held', async () => {
    await agreed()
    write(file, read(file).replace('"schemaVersion": 2', '"schemaVersion": 1'))
    expect(await check('t')).toEqual({
      code: 2,
      stdout: '',
      stderr: `ctxwin: ${file}: it is no baseline of this version: make it anew with --update-baseline\n`,
    })
    expect((await check('t', '--update-baseline')).code).toBe(0)
    expect((await check('t')).code).toBe(0)
  })

  it('fails when a figure got worse, unless the tolerance allows it', async () => {
    await agreed()
    write('t/b.jsonl', conversation(2).replace('question 1', 'question 1, and a word more'))
    const { code, stdout } = await check('t')
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^error t\/b\.jsonl:4 baseline\/peakTokens\n {6}peakTokens is \d+, the baseline has \d+ \(\+5, \+\d\.\d+ %\); the transcript has grown\n {6}ctxwin simulate t\/b\.jsonl --budget 200 /m,
    )
    expect((await check('t', '--tolerance', '10%')).code).toBe(0)
    expect((await check('t', '--tolerance', '+10%')).code).toBe(0)
    expect((await check('t', '--tolerance', '0.1')).code).toBe(1)
    expect((await check('t', '--no-baseline', '--assert', 'maxPeakTokens=1k')).code).toBe(0)
    expect((await check('t', '--update-baseline')).code).toBe(0)
    expect((await check('t')).code).toBe(0)
  })

  it('points at the first cut that is new', async () => {
    await agreed()
    const cuts = JSON.parse((await repository.ctxwin('simulate', 't/a.jsonl', '--output', 'json')).stdout).runs[0].cuts
    write('t/a.jsonl', conversation(30))
    const { stdout } = await check('t/a.jsonl')
    const line = Number(stdout.match(/^error t\/a\.jsonl:(\d+) baseline\/cuts$/m)?.[1])
    expect(line).toBeGreaterThan(cuts.at(-1).line)
  })

  it('tells what got better, and passes', async () => {
    write('t/a.jsonl', `${conversation(2)}{"role": "us`)
    expect((await check('t', '--update-baseline')).code).toBe(0)
    write('t/a.jsonl', conversation(2))
    expect(await check('t')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^1 figure better than in ctxwin-baseline\.json: keep that with --update-baseline$/m,
      ),
    })
  })

  it('calls nothing better where a message holds less than it did', async () => {
    await agreed()
    write('t/b.jsonl', conversation(2).replace('answer 0', 'a 0'))
    const { code, stdout } = await check('t')
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^error t\/b\.jsonl baseline\/contentTokens\n {6}contentTokens is 142\.5, the baseline has 143\.75 \(-1\.25, -0\.87 %\); the transcript has shrunk\n/,
    )
    expect(stdout).not.toContain('better')
    expect((await check('t', '--tolerance', '1')).code).toBe(0)
  })

  it('fails on a stale entry, and points at its line in the baseline', async () => {
    await agreed()
    repository.remove('t/b.jsonl')
    const { code, stdout } = await check('t')
    expect(code).toBe(1)
    const line = read(file).split('\n').indexOf('    "t/b.jsonl": [') + 1
    expect(stdout).toContain(
      `error ctxwin-baseline.json:${line} baseline/stale\n      the baseline has t/b.jsonl, and there is no such file any more: mend its name, or take it out with --update-baseline\n`,
    )
  })

  it('says in one finding that a part was not checked', async () => {
    await agreed()
    write('t/c.jsonl', conversation(1))
    await check('t', '--update-baseline')
    const { code, stdout } = await check('t/a.jsonl')
    expect(code).toBe(1)
    expect(stdout.match(/^error .*/gm)).toHaveLength(1)
    expect(stdout).toContain('2 files of the baseline were not checked (first: t/b.jsonl)')
  })

  it('warns of a new file and of a new transcript in a known one', async () => {
    await agreed()
    write('t/c.jsonl', conversation(1))
    const { code, stdout } = await check('t')
    expect(code).toBe(0)
    expect(stdout).toContain(
      'warn  t/c.jsonl baseline/new\n      this file is not in the baseline: add it with --update-baseline\n',
    )
    expect((await check('t', '--max-warnings', '0')).code).toBe(1)
  })

  it.each([
    [
      '--estimator',
      'bytes:bytesPerToken=3',
      'estimators (bytes version 1, now bytes:bytesPerToken=3 version 1)',
      'ikigai at 200',
    ],
    ['--policy', 'keep-all', 'policies (ikigai, now keep-all)', 'keep-all at 200'],
    ['--budget', '300', 'budgets (200, now 300)', 'ikigai at 300'],
    ['--preamble', '5k', 'preamble (auto, now 5000)', 'ikigai at 200'],
  ])('exits 2 when it was made with another %s', async (flag, value, words, windows) => {
    await agreed()
    const reason = `ctxwin-baseline.json was made with other ${words}, so its figures cannot be compared: re-baseline with --update-baseline`
    expect(await check('t', flag, value)).toEqual({
      code: 2,
      stdout: `incomplete: 2 transcripts, 0 checks under ${windows}; ${reason}\n`,
      stderr: `ctxwin: ${reason}\n`,
    })
  })

  it('that cannot be compared hides nothing else that was found, in no reporter', async () => {
    await agreed()
    const words = ['t', '--budget', '300', '--assert', 'maxPeakTokens=1']
    const { code, stdout } = await check(...words)
    expect(code).toBe(2)
    expect(stdout.match(/^error .*/gm)).toEqual([
      expect.stringMatching(/^error t\/a\.jsonl:\d+ maxPeakTokens$/),
      expect.stringMatching(/^error t\/b\.jsonl:\d+ maxPeakTokens$/),
    ])
    expect(stdout).toMatch(
      /^incomplete: 2 errors, 2 transcripts, 2 checks \(maxPeakTokens\) under ikigai at 300; ctxwin-baseline\.json was made with other budgets/m,
    )
    for (const reporter of reporterNames) {
      const report = await check(...words, '--reporter', reporter)
      expect(report.code).toBe(2)
      expect(report.stdout, reporter).toContain('t/b.jsonl')
      expect(report.stdout, reporter).toContain('was made with other budgets (200, now 300)')
    }
    const { errors, incomplete } = JSON.parse((await check(...words, '--reporter', 'json')).stdout)
    expect({ errors, incomplete }).toEqual({ errors: 2, incomplete: [expect.stringContaining('other budgets')] })
  })

  it('exits 2 when the estimator counts otherwise by now', async () => {
    await agreed()
    write(file, read(file).replace('"version": 1', '"version": 0'))
    expect(await check('t')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('bytes version 0, now bytes version 1'),
    })
  })

  it.each([
    ['', 'it is no baseline'],
    ['[]', 'it is no baseline'],
    ['null', 'it is no baseline'],
    ['{"schemaVersion":3,"madeWith":{},"files":{}}', 'it is no baseline'],
    ['{"schemaVersion":1,"madeWith":{},"files":{"a":[{"values":null}]}}', 'it is no baseline of this version'],
    ['{"schemaVersion":1,"madeWith":{},"files":{"a":[null]}}', 'it is no baseline of this version'],
    [
      '{"schemaVersion":1,"madeWith":{},"files":{"a":[{"policy":"a","estimator":"b","values":{"cuts":1e999}}]}}',
      'it is no baseline of this version',
    ],
  ])('exits 2 for %j', async (text, words) => {
    write('a.jsonl', conversation(1))
    write(file, text)
    const { code, stderr } = await check('a.jsonl')
    expect(code).toBe(2)
    expect(stderr).toMatch(new RegExp(`^ctxwin: ctxwin-baseline\\.json: ${words}: `))
  })

  it('has to be there when it is named', async () => {
    write('a.jsonl', conversation(1))
    expect(await check('a.jsonl', '--baseline', 'mine.json')).toMatchObject({
      code: 2,
      stderr: 'ctxwin: cannot read mine.json: there is no such file: make it with --update-baseline\n',
    })
    expect((await check('a.jsonl', '--baseline', 'mine.json', '--update-baseline')).code).toBe(0)
    expect((await check('a.jsonl', '--baseline', 'mine.json')).code).toBe(0)
  })

  it('is left alone when a file cannot be read', async () => {
    await agreed()
    const text = read(file)
    write('c.jsonl', 'no transcript\n')
    expect((await check('t', 'c.jsonl', '--update-baseline')).code).toBe(2)
    expect(read(file)).toBe(text)
  })

  it('keeps the entries of the transcripts that a setting leaves out of a file', async () => {
    write('two.jsonl', readFileSync('fixtures/claude-code/two-sessions.jsonl', 'utf8'))
    expect((await check('two.jsonl', '--update-baseline')).code).toBe(0)
    const text = read(file)
    const conversations = JSON.parse(text).files['two.jsonl'].map(({ conversation }: Run) => conversation)
    expect(new Set(conversations).size).toBe(2)
    const { code, stdout, stderr } = await check('two.jsonl', '--last', '1', '--update-baseline')
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'ctxwin: left out: 1 transcript by --last\n' })
    expect(stdout).toContain('kept what it has of 1 file (two.jsonl), not checked now')
    const sorted = (text: string) =>
      JSON.parse(text)
        .files['two.jsonl'].map((entry: Run) => JSON.stringify(entry))
        .sort()
    expect(sorted(read(file))).toEqual(sorted(text))
    const reason =
      'ctxwin-baseline.json was not written: it was made in another way or is damaged, and has 1 file (two.jsonl) besides: check them too, or remove ctxwin-baseline.json first'
    const other = ['two.jsonl', '--last', '1', '--budget', '300', '--update-baseline']
    expect(await check(...other)).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) })
    expect((await check('two.jsonl', '--budget', '300', '--update-baseline')).code).toBe(0)
  })

  it('watches what is asserted as well, in its own direction', async () => {
    write('a.jsonl', conversation(9))
    write('ctxwin.config.json', JSON.stringify({ budget: 200, assert: { minSavedPercent: 1 } }))
    await check('a.jsonl', '--update-baseline')
    write('a.jsonl', conversation(8))
    const { code, stdout } = await check('a.jsonl')
    expect(code).toBe(1)
    expect(stdout).toMatch(/^error a\.jsonl:\d+ baseline\/savedPercent$/m)
  })

  it('warns of a limit in the config file that it does not hold', async () => {
    await agreed()
    write('ctxwin.config.json', JSON.stringify({ budget: 200, assert: { maxCostInput: 99_999 } }))
    const { code, stdout } = await check('t')
    expect(code).toBe(0)
    expect(stdout).toContain(
      `warn  ${file} baseline/cost.input\n      a limit is set on cost.input, and 2 entries of the baseline do not have it: add it with --update-baseline\n`,
    )
    await check('t', '--update-baseline')
    expect((await check('t')).stdout).toMatch(/^ok: 2 transcripts/)
  })

  it('finds fault with a figure that was there and is not any more, and leaves out what nobody asked for', async () => {
    const used = conversation(2).replaceAll(
      '"answer 1"',
      '"answer 1","usage":{"prompt_tokens":90,"completion_tokens":2}',
    )
    write('a.jsonl', used)
    const asserted = ['--assert', 'maxRecordedRequests=9', '--assert', 'maxLostReferencePercent=100']
    expect((await check('a.jsonl', ...asserted, '--update-baseline')).code).toBe(0)
    expect(JSON.parse(read(file)).files['a.jsonl'][0].values).toMatchObject({ 'references.sourceLostPercent': 0 })
    expect(await check('a.jsonl')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(
        'skipped baseline/references.sourceLostPercent 1 time: no limit is set on it now\n',
      ),
    })
    const { outcomes } = JSON.parse((await check('a.jsonl', '--reporter', 'json')).stdout)
    expect(outcomes).toContainEqual(
      expect.objectContaining({
        rule: 'baseline/references.sourceLostPercent',
        status: 'skipped',
        message: expect.stringContaining('not measured now, for no limit is set on it'),
      }),
    )
    write('a.jsonl', conversation(2))
    const { code, stdout } = await check('a.jsonl')
    expect(code).toBe(1)
    expect(stdout).toContain('no such figure here, and the baseline has ')
  })

  it('takes up no figure that is not finite, says so, and finds fault with one that was finite once', () => {
    const sound = sampleRun()
    const madeWith = {
      estimators: [],
      policies: [],
      budgets: [],
      preamble: 0,
      model: null,
      provider: null,
      measure: 'run',
      format: 'auto',
    }
    for (const peakTokens of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const run = sampleRun({ peakTokens })
      expect(makeBaseline([run], madeWith, []).files.get(run.transcript)?.[0]?.values).not.toHaveProperty('peakTokens')
      expect(unfit([sound, run], [])).toMatchObject([
        {
          rule: 'baseline/peakTokens',
          level: 'error',
          status: 'fail',
          message: expect.stringContaining(`peakTokens is ${peakTokens},`),
        },
      ])
      const context = {
        name: 'b.json',
        tolerance: 50,
        limited: [],
        excused: new Set<string>(),
        exists: () => true,
        commandFor: () => '',
      }
      const { outcomes } = compareWithBaseline(
        { runs: [run], diagnostics: [] },
        { ...makeBaseline([sound], madeWith, []), faults: [], lineOf: () => 0 },
        context,
      )
      expect(outcomes.filter(({ status }) => status !== 'pass')).toMatchObject([
        {
          rule: 'baseline/peakTokens',
          level: 'error',
          status: 'fail',
          message: expect.stringContaining(`peakTokens is ${peakTokens},`),
        },
      ])
    }
  })

  it('says of one file that it is counted by another estimator now, and compares the others', async () => {
    const turn = (model: string) =>
      `${JSON.stringify({
        model,
        messages: [
          { role: 'user', content: 'Hello' },
          { role: 'assistant', content: 'Hi' },
        ],
      })}\n`
    write('a.jsonl', turn('gpt-5'))
    write('b.jsonl', turn('gpt-5'))
    repository.env = { CTXWIN_ESTIMATOR: 'auto' }
    await check('a.jsonl', 'b.jsonl', '--update-baseline')
    const ok = await check('a.jsonl', '--assert', 'maxPeakTokens=1')
    expect(ok.stdout).toContain(' --estimator auto\n')
    write('a.jsonl', turn('claude-sonnet-4-5'))
    write('b.jsonl', turn('gpt-5').replace('Hello', 'Hello there, and how are you?'))
    const { code, stdout } = await check('a.jsonl', 'b.jsonl')
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^error a\.jsonl baseline\/estimator\n {6}counted by .+, and in the baseline by openai: agree to it with --update-baseline for this file\n/,
    )
    expect(stdout.match(/^error a\.jsonl.*/gm)).toHaveLength(1)
    expect(stdout).toMatch(/^error b\.jsonl:1 baseline\/sentTokens$/m)
  })
})
