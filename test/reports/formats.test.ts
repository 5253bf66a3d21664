/** What each format prints for three transcripts, one of them hostile. */
import { describe, expect, it } from 'vitest'
import { exchangeColumns } from '../../src/reports/columns/exchange.ts'
import { reports } from '../../src/reports/index.ts'
import type { ReportOptions } from '../../src/reports/report.ts'
import { options, sampleRun, simulationOf } from './samples.ts'

const [cut] = sampleRun().cuts
const three = simulationOf(
  [
    sampleRun(),
    sampleRun({
      transcript: 'fixtures/openai-chat/日本語/a-session-with-a-rather-long-name-2026-11-21.jsonl',
      fullTokens: 24_103_310,
      sentTokens: 9_200_100,
      cuts: [cut, cut, cut].flatMap((one) => one ?? []),
      damagedLines: 2,
      validity: { ...sampleRun().validity, orphanResults: 3 },
      firstFaults: [{ fault: 'orphanResults', request: 4, line: 12 }],
    }),
    sampleRun({
      transcript: 'fixtures/openai-chat/\u001b[31m=evil|`\n\u202e.jsonl',
      cuts: [],
      cutoff: null,
      overBudgetRequests: 4,
      model: null,
    }),
  ],
  [{ file: 'fixtures/openai-chat/日本語/x.jsonl', line: 14, code: 'not-json', message: 'not JSON; skipped' }],
)
const one = simulationOf([sampleRun()])
const grid = simulationOf(
  [1, 2].flatMap((keepLast) =>
    [0, 50_000].flatMap((budget) =>
      ['a.jsonl', 'b.jsonl'].map((transcript) => sampleRun({ transcript, budget, params: { keepLast }, cuts: [] })),
    ),
  ),
)

const print = (format: string, data = three, change: Partial<ReportOptions> = {}): string =>
  [...reports.get(format).render(data, { ...options, ...change })].join('')

describe('simulate', () => {
  it.each([
    // JSON has all of a run, which is enough to read once.
    ...reports.names.map((name) => [name, name, name.endsWith('json') ? one : three, {}] as const),
    ['table at 40 columns', 'table', three, { width: 40 }],
    ['table at 200 columns', 'table', three, { width: 200 }],
    ['table in colour', 'table', three, { color: true, cuts: 'none' }],
    ['table --cuts all', 'table', three, { cuts: 'all' }],
    ['table of a grid', 'table', grid, {}],
  ] as const)('--output %s', async (name, format, data, change) => {
    await expect(print(format, data, change)).toMatchFileSnapshot(`../goldens/reports/simulate --output ${name}.txt`)
  })

  it('--by request prints the rows of the runs', async () => {
    const row = { ...sampleRun(), exchange: 1, request: 3, line: 9, requests: 1 }
    const { exchange, request, line, requests, fullTokens, sentTokens, savedTokens, savedPercent, peakTokens } = row
    const figures = { exchange, request, line, requests, fullTokens, sentTokens, savedTokens, savedPercent, peakTokens }
    const data = simulationOf([sampleRun({ rows: [{ ...figures, overBudgetRequests: 1 }] })])
    const all = reports.names.map((name) => print(name, data, { by: 'request', cuts: 'none' })).join('\n')
    await expect(all).toMatchFileSnapshot('../goldens/reports/simulate --by request.txt')
  })
})

it('exchanges are printed in every format', async () => {
  const exchanges = ['Fix the bug in src/a.ts', '2 | 3 <b>', ''].map((title, exchange) => ({
    transcript: 'a.jsonl',
    conversation: null,
    exchange,
    state: 'complete' as const,
    firstLine: 3 * exchange + 1,
    lastLine: 3 * exchange + 3,
    messages: 3,
    requests: 2,
    toolCalls: 1,
    tokens: 12_345,
    title,
  }))
  const all = reports.names.map((name) => [...reports.get(name).rows(exchangeColumns, exchanges, options)].join(''))
  await expect(all.join('\n')).toMatchFileSnapshot('../goldens/reports/exchanges.txt')
})
