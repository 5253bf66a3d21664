/** Random simulations, hostile names and huge numbers included. */
import fc from 'fast-check'
import type { Cost, Run, Simulation } from '../../src/model/run.ts'
import { anyText } from '../any-text.ts'
import { sampleRun, simulationOf } from './samples.ts'

const hostile = [
  '\u001b[31mred\u001b[0m.jsonl',
  'line\nbreak\r\t.jsonl',
  'a\u202egnp.jsonl',
  '=HYPERLINK("http://evil")',
  '+1',
  '-x',
  '@SUM(A1)',
  '<img src=x onerror=alert(1)>',
  'a|b`c``d\\|e',
  '会話/履歴/２０２６.jsonl',
  '👩‍👩‍👧‍👦🇩🇪.jsonl',
  'ก้ำ/नमस्ते.jsonl',
  `z${'\u0301'.repeat(50)}`,
  `${'long/'.repeat(60)}end.jsonl`,
  '\ue000\ue000',
  '\ud800',
  '"quoted", comma',
  '__proto__',
  '',
  ' ',
  '`',
]

const name = fc.oneof(fc.constantFrom(...hostile), fc.string({ maxLength: 40 }), anyText({ maxLength: 20 }))
const count = fc.oneof(fc.nat(20), fc.maxSafeNat())

const cut = fc.record({
  request: count,
  exchange: fc.integer({ min: -1, max: 30 }),
  message: count,
  line: count,
  evictedExchanges: fc.uniqueArray(fc.nat(30), { maxLength: 6 }).map((list) => list.sort((a, b) => a - b)),
  tokensBefore: count,
  tokensAfter: count,
  breakEvenRequests: fc.double({ min: 0, max: 1e9, noNaN: true }),
})

const row = fc.record({
  exchange: fc.integer({ min: -1, max: 30 }),
  request: count,
  line: count,
  requests: count,
  fullTokens: count,
  sentTokens: count,
  savedTokens: count,
  savedPercent: fc.integer({ min: -1_000_000, max: 10_000 }).map((value) => value / 100),
  peakTokens: count,
  overBudgetRequests: count,
})

const validity = fc.record({
  orphanResults: count,
  orphanCalls: count,
  firstNotUser: count,
  emptyMessages: count,
  lostLatestUser: count,
  thinkingLost: count,
})

const time = fc.oneof(fc.constant(Number.NaN), fc.integer({ min: 0, max: 2e12 }))
const amount = fc.nat(1e9).map((millionths) => millionths / 1e6)
const share = fc.integer({ min: -1_000_000, max: 10_000 }).map((value) => value / 100)

const cost: fc.Arbitrary<Cost> = fc
  .record({
    unit: fc.constantFrom('usd' as const, 'input-token-equivalents' as const),
    pricesAsOf: fc.constantFrom('2026-01-31', '2026-11-01'),
    paid: amount,
    input: amount,
    inputFull: amount,
    output: amount,
    summaries: fc.oneof(fc.constant(0), amount),
    savedPercent: share,
    cacheHitPercent: share,
    cacheHitPercentFull: share,
    prefixBreaks: count,
    recordedHitPercent: fc.option(share),
  })
  .map(({ recordedHitPercent, ...block }) => (recordedHitPercent === null ? block : { ...block, recordedHitPercent }))

export const run: fc.Arbitrary<Run> = fc
  .record({
    transcript: name,
    conversation: fc.option(name),
    format: fc.constantFrom('openai-chat', 'claude-code'),
    model: fc.option(name),
    policy: fc.constantFrom('ikigai', 'keep-all', 'sliding'),
    params: fc.dictionary(fc.constantFrom('keepLast', 'target', 'unit'), fc.oneof(fc.nat(9), fc.boolean(), name)),
    budget: fc.constantFrom(0, 1500, 100_000),
    estimator: fc.constantFrom('bytes', 'openai'),
    requests: count,
    damagedLines: fc.nat(3),
    preambleSource: fc.constantFrom('recorded' as const, 'inferred' as const, 'none' as const),
    fullTokens: count,
    sentTokens: count,
    peakTokens: count,
    overBudgetRequests: count,
    cuts: fc.array(cut, { maxLength: 3 }),
    validity,
    cost,
    session: fc.record({ project: fc.option(name), title: fc.option(name), first: time, last: time }),
    rows: fc.array(row, { maxLength: 3 }),
  })
  .map(sampleRun)

/** Runs of twenty transcripts: more than a table shows if it is not told how many. */
function many(runs: readonly Run[]): Run[] {
  return Array.from({ length: 40 }, (_, index) => ({
    ...(runs[index % runs.length] as Run),
    conversation: `${index % 20}`,
  }))
}

export const simulation: fc.Arbitrary<Simulation> = fc
  .tuple(
    fc.oneof(
      { weight: 9, arbitrary: fc.array(run, { maxLength: 6 }) },
      // A few that come again and again: forty of their own would take long to shrink when a law breaks.
      { weight: 1, arbitrary: fc.array(run, { minLength: 1, maxLength: 3 }).map(many) },
    ),
    fc.array(fc.record({ file: name, line: fc.nat(99), code: fc.constant('bad'), message: name }), { maxLength: 12 }),
  )
  .map(([runs, diagnostics]) => simulationOf(runs, diagnostics))
