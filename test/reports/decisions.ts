/** Made-up decisions. */
import { sumOf } from '../../src/app/sum.ts'
import type { Candidate, Decision } from '../../src/model/recommendation.ts'
import { sampleRun } from './samples.ts'

/** What a candidate comes to: of the sample of a run. */
const total = sumOf([sampleRun()]).result()

export const candidate = (change: Partial<Candidate>): Candidate => ({
  setting: 'drop-oldest',
  policy: 'drop-oldest',
  params: {},
  budget: 160_000,
  verdict: 'recommended',
  paid: 725,
  rereads: 6,
  net: 731,
  saved: { cost: 83, percent: 10.2, low: 7, high: 13.1, chancePercent: 99 },
  losses: {
    lost: 117,
    total: 6024,
    percent: 1.94,
    low: 1.62,
    high: 2.32,
    ifSummariesKeepAll: 117,
    expected: 117,
    extraPercent: 0,
  },
  refusedRequests: 0,
  promptGoneRequests: 0,
  overWindowRequests: 0,
  summaries: 0,
  summaryTokens: 0,
  turnOn: { file: 'settings.json', text: '"line": 1', since: null, note: null },
  composition: null,
  total,
  ...change,
})
export const { losses } = candidate({})
export const today = candidate({
  setting: 'today',
  policy: 'as-recorded',
  verdict: 'baseline',
  budget: null,
  paid: 814,
})
export const decision = (change: Partial<Decision>): Decision => ({
  scope: 'program',
  program: 'claude-code',
  outcome: 'set',
  keepReason: null,
  sessions: 25,
  allSessions: 25,
  transcripts: 137,
  requests: 11_129,
  unit: 'usd',
  costed: 137,
  bill: null,
  spent: null,
  month: { days: 30, usd: 420, input: 380 },
  risk: 'balanced',
  tolerance: null,
  baseline: today,
  present: losses,
  presentPolicy: 'claude-code-auto',
  keptPercent: 60,
  errorPercent: 12,
  newer: null,
  withoutUsage: null,
  rises: null,
  otherwise: null,
  best: candidate({}),
  recommended: candidate({}),
  candidates: [candidate({})],
  ...change,
})
