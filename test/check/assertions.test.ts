import { describe, expect, it } from 'vitest'
import { parseOverrides, parseSection, type Rules } from '../../src/check/assertions.ts'
import { evaluate } from '../../src/check/evaluate.ts'
import { assertables, metrics } from '../../src/check/metrics.ts'
import type { Outcome } from '../../src/check/outcome.ts'
import type { Run, Simulation } from '../../src/model/run.ts'
import { problems } from '../../src/readers/lines/problems.ts'
import { findings } from '../../src/readers/reader.ts'
import { runColumns } from '../../src/reports/columns/run.ts'
import { sampleRun } from '../reports/samples.ts'

const rules = (assert: object, more: Partial<Rules> = {}): Rules => ({
  assert: parseSection(assert, 'assert in c.json'),
  overrides: [],
  given: new Map(),
  ...more,
})

function check(runs: readonly Run[], by: Rules, diagnostics: Simulation['diagnostics'] = []): Outcome[] {
  return evaluate(
    { runs, diagnostics },
    by,
    (file, pattern) => file.startsWith(pattern),
    (run) => `see ${run.transcript}`,
  )
}

const brief = (outcomes: readonly Outcome[]) =>
  outcomes.map(({ rule, level, status, actual, difference }) => [rule, level, status, actual, difference])

describe('the figures that can be asserted', () => {
  it('are all numeric columns, by key', () => {
    const run = sampleRun()
    for (const column of runColumns) {
      const value = column.value(run)
      if (typeof value !== 'number' || /^(budget|cutoff)/.test(column.key)) continue
      const name = column.key.split('.').map((part) => part.replace(/^./, (letter) => letter.toUpperCase()))
      expect(assertables.get(`max${name.join('')}`)?.metric.value(run), column.key).toBe(value)
    }
  })

  it('count a list by its length, and put together what no column has', () => {
    const value = (key: string, run: Run) => metrics.find((metric) => metric.key === key)?.value(run)
    const rows = [
      { exchange: 0, sentTokens: 5 },
      { exchange: 1, sentTokens: 4 },
      { exchange: 1, sentTokens: 3 },
    ].map((row, request) => ({ ...row, request, line: request + 10, requests: 1 })) as unknown as Run['rows']
    const run = sampleRun({ validity: { ...sampleRun().validity, orphanResults: 2, orphanCalls: 3 } })
    expect(value('cuts', run)).toBe(1)
    expect(value('orphanedPairs', run)).toBe(5)
    expect(value('exchangeTokens', run)).toBe(null)
    expect(value('exchangeTokens', { ...run, rows: rows ?? [] })).toBe(7)
  })
})

describe('parseSection', () => {
  it.each([
    [{ maxPeakTokens: '100k' }, 100_000],
    [{ maxPeakTokens: 1900.5 }, 1900.5],
    [{ minSavedPercent: '12.5 %' }, 12.5],
    [{ minSavedPercent: '-3' }, -3],
    [{ orphanedPairs: 0 }, 0],
    [{ maxTokens: ['warn', '0.2M', { aggregate: 'sum' }] }, 200_000],
  ])('reads %j', (section, limit) => {
    expect([...parseSection(section, 'here').values()][0]?.limit).toBe(limit)
  })

  it.each([
    [{ maxPeekTokens: 1 }, 'unknown assertion (here) "maxPeekTokens". Did you mean "maxPeakTokens"?'],
    [{ __proto__x: 1 }, 'unknown assertion (here) "__proto__x".'],
    [{ peakTokens: 1 }, 'unknown assertion (here) "peakTokens". Did you mean "maxPeakTokens"?'],
    [{ maxCuts: 'many' }, 'maxCuts of here: "many" is not a limit such as'],
    [{ maxCuts: ['fatal', 1] }, 'is not a limit such as'],
    [{ maxCuts: ['warn'] }, 'is not a limit such as'],
    [{ maxCuts: null }, 'is not a limit such as'],
    [{ maxCuts: Number.NaN }, 'is not a limit such as'],
    [{ maxCuts: '9'.repeat(400) }, 'is not a limit such as'],
    [{ maxCuts: ['warn', 1, { agregate: 'sum' }] }, 'Did you mean "aggregate"?'],
    [{ maxCuts: ['warn', 1, { aggregate: 'mean' }] }, 'is not one of each, max, median, sum'],
    [{ minSavedPercent: ['warn', 1, { aggregate: 'sum' }] }, '"sum" is not something percentages have'],
    [[], 'here: [] is not an object'],
  ])('refuses %j', (section, words) => {
    expect(() => parseSection(section, 'here')).toThrow(words)
  })

  it('is not fooled by the key __proto__', () => {
    expect(() => parseSection(JSON.parse('{"__proto__": 1}'), 'here')).toThrow('unknown assertion')
  })
})

describe('evaluate', () => {
  it('fails above a maximum and below a minimum, and not at them', () => {
    const outcomes = check(
      [sampleRun({ peakTokens: 1900, savedTokens: 10, savedPercent: 10 })],
      rules({ maxPeakTokens: 1900, minPeakTokens: 1900, maxSentTokens: 6009, minSavedPercent: ['warn', 10.01] }),
    )
    expect(brief(outcomes)).toEqual([
      ['maxPeakTokens', 'error', 'pass', 1900, 0],
      ['minPeakTokens', 'error', 'pass', 1900, 0],
      ['maxSentTokens', 'error', 'fail', 6010, 1],
      ['minSavedPercent', 'warn', 'fail', 10, -0.01],
    ])
    expect(outcomes[2]?.message).toBe('sentTokens is 6,010, at most 6,009 allowed (1 over)')
    expect(outcomes[3]?.message).toBe('savedPercent is 10 %, at least 10.01 % demanded (0.01 % under)')
  })

  it('adds up, takes the median or the highest of a policy and budget, never of two', () => {
    const runs = [1, 9, 4, 2].map((peakTokens, at) => sampleRun({ transcript: `${at}.jsonl`, peakTokens }))
    const others = [100, 200].map((peakTokens, at) => sampleRun({ transcript: `${at}.jsonl`, peakTokens, budget: 1 }))
    const of = (aggregate: string) =>
      check([...runs, ...others], rules({ maxPeakTokens: ['error', 5, { aggregate }] })).map(
        ({ actual, file, run }) => [actual, file, run],
      )
    expect(of('sum')).toEqual([
      [16, '1.jsonl', ''],
      [300, '1.jsonl', ''],
    ])
    expect(of('median')).toEqual([
      [3, '1.jsonl', ''],
      [150, '1.jsonl', ''],
    ])
    expect(of('max')[0]).toEqual([9, '1.jsonl', ''])
    expect(of('each')).toHaveLength(6)
  })

  it('lets later overrides win over earlier ones, and what is given over all', () => {
    const overrides = parseOverrides(
      [
        { files: 'long/', assert: { maxCuts: 5, maxSentTokens: 'off' } },
        { files: ['long/x', 'none/'], assert: { maxCuts: 7 } },
      ],
      'c.json',
    )
    const runs = ['a', 'long/a', 'long/x'].map((transcript) => sampleRun({ transcript }))
    const limits = (by: Rules) => check(runs, by).map(({ file, rule, limit }) => `${file} ${rule} ${limit}`)
    const by = rules({ maxCuts: 1, maxTokens: 9 }, { overrides })
    expect(limits(by)).toEqual([
      'a maxCuts 1',
      'a maxTokens 9',
      'long/a maxCuts 5',
      'long/x maxCuts 7',
      'c.json overrides null',
    ])
    expect(check(runs, by).at(-1)).toMatchObject({
      level: 'warn',
      status: 'fail',
      message: 'overrides[1] in c.json: "none/" matches none of the checked files',
    })
    expect(limits({ ...by, given: parseSection({ maxCuts: 2 }, '--assert') }).slice(0, 4)).toEqual([
      'a maxCuts 2',
      'a maxTokens 9',
      'long/a maxCuts 2',
      'long/x maxCuts 2',
    ])
  })

  it('skips a run without the figure, and warns when no run has it', () => {
    const limit = rules({ maxBelievedTokens: 5 })
    const [without, with4] = [sampleRun(), sampleRun({ believedTokens: 4 })]
    expect(brief(check([without, with4], limit)).map(([, level, status]) => [level, status])).toEqual([
      ['error', 'skipped'],
      ['error', 'pass'],
    ])
    expect(brief(check([without, without], limit)).map(([, level, status]) => [level, status])).toEqual([
      ['error', 'skipped'],
      ['error', 'skipped'],
      ['warn', 'fail'],
    ])
  })

  it('finds fault with a figure that is not finite, alone or among others', () => {
    const runs = [sampleRun(), sampleRun({ transcript: 'b', peakTokens: Number.NaN }), sampleRun({ transcript: 'c' })]
    for (const aggregate of ['each', 'max', 'sum', 'median']) {
      for (const rule of ['maxPeakTokens', 'minPeakTokens']) {
        const outcomes = check(runs, rules({ [rule]: ['error', rule === 'maxPeakTokens' ? 1e9 : 0, { aggregate }] }))
        expect(outcomes.filter(({ status }) => status === 'fail')).toMatchObject([
          { file: 'b', level: 'error', message: 'peakTokens is NaN, which is no figure that can be held to anything' },
        ])
      }
    }
    const [outcome] = check([sampleRun({ sentTokens: Number.POSITIVE_INFINITY })], rules({ minSentTokens: 1 }))
    expect(outcome).toMatchObject({ status: 'fail', message: expect.stringMatching(/^sentTokens is Infinity, /) })
  })

  it('points at a damaged line, whatever its damage', () => {
    const damaging = Object.entries({ ...problems, ...findings }).filter(([, { damaged }]) => damaged)
    for (const [code, { words }] of damaging) {
      const diagnostics = [{ file: sampleRun().transcript, line: 7, code, message: words }]
      const [outcome] = check([sampleRun({ damagedLines: 1 })], rules({ maxDamagedLines: 0 }), diagnostics)
      expect(outcome, code).toMatchObject({ line: 7, message: expect.stringContaining(`first: ${words}`) })
    }
  })

  it('counts the damaged lines of a file once, and points at the first', () => {
    const runs = [sampleRun({ conversation: 'a', damagedLines: 2 }), sampleRun({ conversation: 'b', damagedLines: 2 })]
    const file = sampleRun().transcript
    const diagnostics = [
      { file, line: 3, code: 'nul-bytes', message: 'mended' },
      { file, line: 7, code: 'not-json', message: 'skipped' },
    ]
    for (const aggregate of ['each', 'sum']) {
      const outcomes = check(runs, rules({ maxDamagedLines: ['error', 0, { aggregate }] }), diagnostics)
      expect(outcomes.map(({ actual, line, run }) => [actual, line, run])).toEqual([[2, 7, '']])
      expect(outcomes[0]?.message).toMatch(/\(2 over\); first: skipped$/)
    }
  })

  it('points at the cut that is one too many, and names the run where there are several', () => {
    const cuts = [9, 19, 29].map((line) => ({ ...sampleRun().cuts.at(0), line })) as unknown as Run['cuts']
    const runs = ['a', null].map((conversation) => sampleRun({ conversation, cuts }))
    expect(check(runs, rules({ maxCuts: 1 })).map(({ line, run }) => [line, run])).toEqual([
      [19, 'a'],
      [19, 'no id'],
    ])
  })
})
