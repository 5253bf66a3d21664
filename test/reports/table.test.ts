import { describe, expect, it } from 'vitest'
import type { PredictionInterval, Run } from '../../src/model/run.ts'
import { compact } from '../../src/reports/numbers.ts'
import table from '../../src/reports/table.ts'
import { options, sampleRun, simulationOf } from './samples.ts'

const print = (simulation: Parameters<typeof table.render>[0], change = {}): string =>
  [...table.render(simulation, { ...options, ...change })].join('')

describe('table', () => {
  it('prints one run', () => {
    expect(print(simulationOf([sampleRun()]))).toMatchInlineSnapshot(`
      "ikigai at 100k: $1.93 for input, 28.8 % less than today ($2.71) · no request
        over 100k
      tools.jsonl · 6 requests
      estimator bytes · format openai-chat · model gpt-5 · preamble (system prompt,
        tools) recorded · prices of 2026-11-01

      transcript   cost  vs today  over  requests   full   sent   peak  cuts  hit %
      ───────────  ────  ────────  ────  ────────  ─────  ─────  ─────  ────  ─────
      tools.jsonl  1.93   -28.8 %     0         6  8,123  6,010  1,900     1  91.20
      A wider terminal also shows: messages, exchanges, preamble, breaks

      Cuts
        tools.jsonl
          before request 5: dropped exchanges 1-2; the window starts at exchange
            3 (line 9), 2,400 → 900 tokens, breaks even after 7 requests
      "
    `)
  })
  it('says what to expect of an estimator that was not tested', () => {
    const interval = { transcripts: 44, lowPercent: -12, highPercent: 9 }
    const noteOf = (...bases: PredictionInterval['basis'][]): string => {
      const runs = bases.map((basis, at) => {
        const predictionInterval = { ...interval, basis, lowPercent: interval.lowPercent - at }
        return {
          ...sampleRun(),
          transcript: `log-${at}.jsonl`,
          foresightTest: 'few-requests' as const,
          predictionInterval,
        }
      })
      return print(simulationOf(runs), { width: 200 }).split('Token count error')[1] ?? ''
    }
    expect(noteOf('format')).toContain('bytes: not tested: in 44 others of the format')
    expect(noteOf('format')).toContain('in 44 others of the format nine of ten estimates were -12.0 to +9.0 % off')
    expect(noteOf('format', 'all')).toContain(
      'in 44 transcripts of other formats nine of ten estimates were -13.0 to +9.0 % off',
    )
    expect(noteOf('transcript')).toContain('by what the recorded usage leaves open nine of ten are -12.0 to +9.0 % off')
    expect(noteOf()).toBe('')
    const blind = { ...sampleRun(), predictionInterval: { ...interval, basis: 'all' as const } }
    expect(print(simulationOf([blind]), { width: 200 })).not.toContain('Token count error')
  })
  it('says how far off an estimator is on requests that it had not seen, and nothing of those that it had', () => {
    const tested = (requests: number, meanAbsolutePercent: number, transcript: string): Run => ({
      ...sampleRun({ transcript, foresightTest: 'half' }),
      recorded: { requests: 2 * requests, inputTokens: 9000, unexplainedCuts: 0 },
      foresight: { requests, meanAbsolutePercent, biasPercent: 1 },
    })
    const runs = [
      tested(10, 1, 'a.jsonl'),
      tested(30, 3, 'b.jsonl'),
      { ...sampleRun({ transcript: 'c.jsonl' }), foresightTest: 'few-requests' as const },
    ]
    // (10 * 1 + 30 * 3) / 40
    expect(print(simulationOf(runs), { width: 200 })).toContain(
      '  bytes: held-out error 2.5 % (40 requests of 2 transcripts); not tested in 1 transcript: ctxwin help truth says what to expect\n',
    )
  })
  it('says above the table how far off its figures are where no usage is recorded', () => {
    const [sure, unsure] = [2000, 8000].map((sentTokens, at) => ({
      ...sampleRun(),
      ...{ transcript: `log-${at}.jsonl`, sentTokens },
      predictionInterval: { basis: 'format' as const, transcripts: 44, lowPercent: at * -20, highPercent: at * 25 },
    }))
    const shown = print(simulationOf([sure!, unsure!]), { width: 200 })
    // What was predicted is 80 to 125 % of what is: 2,000 + 8,000 / 1.25 to 2,000 + 8,000 / 0.8 of 10,000 tokens.
    expect(shown).toContain('2 transcripts without recorded usage: tokens and dollars -16.0 to +20.0 % in nine of ten')
    // Of several runs of one the least sure counts, which is that with the smallest windows.
    const smaller = {
      ...unsure!,
      sentTokens: 4000,
      predictionInterval: { ...unsure!.predictionInterval, lowPercent: -50 },
    }
    for (const runs of [
      [unsure!, smaller],
      [smaller, unsure!],
    ])
      expect(print(simulationOf(runs), { width: 200 })).toContain(
        '1 transcript without recorded usage: tokens and dollars -20.0 to +100.0 %',
      )
    expect(print(simulationOf([{ ...unsure!, foresightTest: 'half' }]), { width: 200 })).not.toContain(
      'without recorded usage:',
    )
  })
  it('prints the ten dearest transcripts, or as many as it is told, and the totals of all', () => {
    const runs = Array.from({ length: 1203 }, (_, at) => {
      const { cost } = sampleRun()
      return sampleRun({ transcript: `log-${at}.jsonl`, cost: { ...cost, paid: (at * 7) % 1203 } })
    })
    const shown = (text: string) => text.match(/log-\d+(?=\.jsonl )/g) ?? []
    const dearest = runs.toSorted((a, b) => b.cost.paid - a.cost.paid).map(({ transcript }) => transcript.slice(0, -6))
    const output = print(simulationOf(runs))
    expect(shown(output)).toEqual(dearest.slice(0, 10))
    expect(output).toContain('… 1,193 more transcripts: show them with --full; every figure is in --output csv\n')
    const sent = 1203 * sampleRun().sentTokens
    expect(output).toMatch(new RegExp(`total .* (${sent.toLocaleString('en-US')}|${compact(sent)})( |\n)`))
    expect(shown(print(simulationOf(runs), { top: Infinity }))).toEqual(dearest)
    expect(shown(print(simulationOf(runs), { sort: 'name', top: 2 }))).toEqual(['log-0', 'log-1'])
  })
  it('prints no run', () => {
    expect(print(simulationOf([]))).toBe('No transcripts.\n')
  })
})

describe('compact', () => {
  it.each([
    [0, '0'],
    [812, '812'],
    [999, '999'],
    [1000, '1.0k'],
    [4200, '4.2k'],
    [9949, '9.9k'],
    [9950, '10k'],
    [82_000, '82k'],
    [104_499, '104k'],
    [999_499, '999k'],
    [999_500, '1.0M'],
    [1_200_000, '1.2M'],
    [-5500, '-5.5k'],
    [Number.MAX_SAFE_INTEGER, '9,007T'],
  ])('%d is %s', (value, text) => {
    expect(compact(value)).toBe(text)
  })
})

describe('a table of any columns', () => {
  const rows = [1290.357, 0.0042, 37.5].map((usd, at) => ({ name: `row-${at}`, usd, times: [48, 29.7, 1.25][at] }))
  const columns = [
    { key: 'name', header: 'name', unit: 'text', rank: 0, value: (row: (typeof rows)[number]) => row.name },
    { key: 'usd', header: 'USD', unit: 'money', rank: 1, value: (row: (typeof rows)[number]) => row.usd },
    { key: 'times', header: 'times', unit: 'count', rank: 2, value: (row: (typeof rows)[number]) => row.times },
  ] as const
  const drawn = (width: number): string =>
    [...table.rows(columns, rows, { width, color: false, cuts: 'none', by: 'transcript' })].join('')

  it('has the points of a column in line, and shows no amount as nothing', () => {
    expect(drawn(80)).toBe(
      [
        'name        USD  times',
        '─────  ────────  ─────',
        'row-0  1,290.36  48.00',
        'row-1     <0.01  29.70',
        'row-2     37.50   1.25',
        '',
      ].join('\n'),
    )
  })

  it('names the columns for which it has no room, and no others', () => {
    expect(drawn(24)).not.toContain('A wider')
    const narrow = [
      ...columns,
      { key: 'note', header: 'note', unit: 'text', rank: 3, value: () => 'x'.repeat(30) },
    ] as const
    const text = [...table.rows(narrow, rows, { width: 24, color: false, cuts: 'none', by: 'transcript' })].join('')
    const [header = ''] = text.split('\n')
    const named = text.replaceAll(/\n +/g, ' ')
    for (const one of narrow)
      expect(header.includes(one.header)).not.toBe(/A wider.*$/m.exec(named)?.[0].includes(one.header) ?? false)
  })
})
