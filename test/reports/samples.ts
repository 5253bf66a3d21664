/** Hand-made runs that the report tests print. */
import { totalsOf } from '../../src/app/analyse.ts'
import { type Cost, percent, type Run, type Simulation, type Today } from '../../src/model/run.ts'
import type { ReportOptions } from '../../src/reports/report.ts'

export const options: ReportOptions = { width: 80, color: false, cuts: 'first', by: 'transcript' }

/** A sample run with changes. */
export function sampleRun(change: Partial<Run> = {}): Run {
  const { fullTokens = 8123, sentTokens = 6010 } = change
  const cost: Cost = change.cost ?? {
    unit: 'usd',
    pricesAsOf: '2026-11-01',
    paid: 1.93,
    input: 1.93,
    inputFull: 2.71,
    output: 0.8,
    summaries: 0,
    savedPercent: 28.78,
    cacheHitPercent: 91.2,
    cacheHitPercentFull: 96.4,
    prefixBreaks: 5,
  }
  const { paid } = cost
  /** The whole history: nothing was compacted. */
  const today: Today = {
    sentTokens: fullTokens,
    costInput: cost.inputFull,
    summaries: 0,
    overWindowRequests: 0,
    lostLatestUser: 0,
    savedTokens: fullTokens - sentTokens,
    savedPercent: percent(fullTokens - sentTokens, fullTokens),
    costSaved: cost.inputFull - paid,
    costSavedPercent: percent(cost.inputFull - paid, cost.inputFull),
  }
  return {
    transcript: 'fixtures/openai-chat/tools.jsonl',
    conversation: 'c1',
    format: 'openai-chat',
    model: 'gpt-5',
    policy: 'ikigai',
    params: { keepLast: 1 },
    budget: 100_000,
    estimator: 'bytes',
    provider: 'openai',
    messages: 14,
    exchanges: 3,
    requests: 6,
    damagedLines: 0,
    preambleTokens: 120,
    preambleSource: 'recorded',
    fullTokens,
    sentTokens,
    savedTokens: fullTokens - sentTokens,
    savedPercent: percent(fullTokens - sentTokens, fullTokens),
    peakTokens: 1900,
    overBudgetRequests: 0,
    overWindowRequests: 0,
    cuts: [
      {
        request: 4,
        exchange: 2,
        message: 8,
        line: 9,
        evictedExchanges: [0, 1],
        tokensBefore: 2400,
        tokensAfter: 900,
        breakEvenRequests: 6.2,
      },
    ],
    cutoff: { exchange: 2, message: 8, line: 9 },
    validity: {
      orphanResults: 0,
      orphanCalls: 0,
      firstNotUser: 0,
      emptyMessages: 0,
      lostLatestUser: 0,
      thinkingLost: 0,
    },
    thinkingLostTokens: 0,
    cost,
    foresight: null,
    foresightTest: 'no-usage',
    predictionInterval: null,
    recordedCalls: 0,
    requestsWithoutUsage: 0,
    unpricedCalls: 0,
    unpriced: [],
    terms: [],
    spent: null,
    today,
    against: { baseline: 'today', ...today },
    session: { project: null, title: null, first: Number.NaN, last: Number.NaN },
    exact: {
      cacheHitTokens: 5481,
      todayRecorded: 0,
      overWindowSent: 0,
      invalidRequests: 0,
      edits: 0,
      heedsBudget: true,
    },
    ...change,
  }
}

export function simulationOf(runs: readonly Run[], diagnostics: Simulation['diagnostics'] = []): Simulation {
  return { schemaVersion: 1, runs, totals: totalsOf(runs), diagnostics }
}
