/** Hand-made runs that the report tests print. */
import { percent, type Run, type Simulation, type Total } from '../../src/model/run.ts'
import type { ReportOptions } from '../../src/reports/report.ts'

export const options: ReportOptions = { width: 80, color: false, cuts: 'first', by: 'transcript' }

/** The run of cli.md's example, changed. */
export function sampleRun(change: Partial<Run> = {}): Run {
  const { fullTokens = 8123, sentTokens = 6010 } = change
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
      },
    ],
    cutoff: { exchange: 2, message: 8, line: 9 },
    validity: { orphanResults: 0, orphanCalls: 0, firstNotUser: 0, emptyMessages: 0, lostLatestUser: 0 },
    ...change,
  }
}

/** Runs added up by policy, knobs, budget and estimator, as a simulation does. */
export function simulationOf(runs: readonly Run[], diagnostics: Simulation['diagnostics'] = []): Simulation {
  const groups = new Map<string, Run[]>()
  for (const run of runs) {
    const key = JSON.stringify([run.policy, run.params, run.budget, run.estimator])
    groups.set(key, [...(groups.get(key) ?? []), run])
  }
  const totals = [...groups.values()].map((group): Total => {
    const sum = (value: (run: Run) => number): number => group.reduce((total, run) => total + value(run), 0)
    const { policy, budget, estimator } = group[0] as Run
    const fullTokens = sum((run) => run.fullTokens)
    const savedTokens = sum((run) => run.savedTokens)
    return {
      policy,
      budget,
      estimator,
      transcripts: group.length,
      fullTokens,
      sentTokens: sum((run) => run.sentTokens),
      savedTokens,
      savedPercent: percent(savedTokens, fullTokens),
    }
  })
  return { schemaVersion: 1, runs, totals, diagnostics }
}
