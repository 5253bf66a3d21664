/** A page of made-up figures, small enough to see through. */
import type { Page, PageCandidate, PagePoint, PageProgram, PageSession } from '../../../src/model/page.ts'

const point = (more: Partial<PagePoint>): PagePoint => ({
  sentTokens: 1000,
  costInput: 10,
  summaries: 0,
  costSaved: 0,
  costSavedPercent: 0,
  lost: 0,
  overBudgetRequests: 0,
  invalidRequests: 0,
  lostLatestUser: 0,
  front: false,
  ...more,
})

export const session = (more: Partial<PageSession> = {}): PageSession => ({
  session: 's1',
  file: 'logs/one.jsonl',
  format: 'claude-code',
  project: '/home/me/shop',
  model: 'claude-sonnet-4-5',
  title: 'Mend the login',
  first: '2026-03-01T09:00:00.000Z',
  last: '2026-03-02T09:00:00.000Z',
  transcripts: 1,
  requests: 12,
  spent: 3.25,
  costed: true,
  today: { paid: 2_000_000, lost: 1, uses: 40, sent: 500 },
  unprunedPaid: 2_500_000,
  growth: [10, 20, 30, 5],
  cuts: [3],
  cells: [
    { paid: [1_000_000, 1_500_000], lost: [4, 2], sent: [300, 400], over: [2, 0] },
    { paid: [3_000_000], lost: [0], sent: [500], over: [0] },
  ],
  series: { requests: 12, requestsPerColumn: 3, parts: [], recorded: [], of: [[0], [0]], packed: '' },
  ...more,
})

export const candidate = (more: Partial<PageCandidate> = {}): PageCandidate => ({
  ...{ setting: 'claude-code-auto', budget: '160k', net: 8, rereads: 0.2, lost: 2, low: 4, high: 20 },
  ...{ extraPercent: 2, fits: true },
  ...more,
})

/** One setting is worth it: it saves 4 to 20 % of $10, and one in fifty later uses would need a second look. */
export const program = (more: Partial<PageProgram> = {}): PageProgram => ({
  ...{ name: 'claude-code', outcome: 'set', keepReason: null, unit: 'usd', transcripts: 12, costed: 12, spent: 12 },
  words: 'Set claude-code-auto at 160k: it saves $0.40 to $2.00.',
  turnOn: { file: '~/.claude/settings.json', text: '"autoCompactWindow": 160000', since: null, note: null },
  ...{ best: 0, paid: 10, uses: 80, presentLost: 1, recordedLost: 0 },
  ...{ errorPercent: 20, keptPercent: 3 },
  points: [candidate(), candidate({ budget: '200k', net: 11, lost: 0, low: -20, high: -2 })],
  ...more,
})

const mask = { file: 'the environment', text: 'MASK=1', since: null, note: null }

const nothingTells = { sessions: 0, difference: null, fitted: null, low: null, high: null }

/** `ikigai` is cheaper than today at both budgets and loses more; `mask` does the same at both and is dearer. */
export const samplePage: Page = {
  schemaVersion: 1,
  text: 'words',
  unit: 'usd',
  inPercent: null,
  pricesAsOf: '2026-09-23',
  transcripts: 2,
  costed: 2,
  requests: 24,
  answer: [{ words: 'You spent $12 in 2 sessions: 24 requests.', command: null }],
  programs: [],
  budgets: [50_000, 100_000],
  opensAt: null,
  policies: [
    {
      setting: 'ikigai',
      summary: 'drop whole exchanges',
      heedsBudget: true,
      points: [
        point({ costInput: 6, lost: 9, costSaved: 4, costSavedPercent: 40, overBudgetRequests: 3, front: true }),
        point({ costInput: 8, lost: 4, costSaved: 2, costSavedPercent: 20, front: true }),
      ],
      turnOn: [null, null],
      accepted: [true, true],
    },
    {
      setting: 'mask',
      summary: 'mask results',
      heedsBudget: false,
      points: [point({ costInput: 12, costSaved: -2, costSavedPercent: -20, front: true }), point({ costInput: 12 })],
      turnOn: [mask, mask],
      accepted: [true, true],
    },
  ],
  today: {
    sentTokens: 1000,
    costInput: 10,
    summaries: 0,
    overWindowRequests: 0,
    lost: 1,
    uses: 80,
  },
  unpruned: { ...point({ costInput: 14 }), overWindowRequests: 2 },
  sessions: [session(), session({ session: 's2', title: null, file: 'logs/two.jsonl', spent: null, requests: 30 })],
  pictures: [],
  spending: null,
  compactions: [],
  bill: null,
  counting: [],
  captions: [],
  damagedLines: 0,
  noticed: [],
  quality: [
    {
      endpoint: 'failed',
      unit: 'points',
      observations: 900,
      events: 45,
      risesFrom: 75_000,
      bands: [
        { from: 0, to: 50_000, observations: 500, level: 4, ...nothingTells },
        {
          ...{ from: 50_000, to: 75_000, observations: 200, level: 4.5, sessions: 12 },
          ...{ difference: 0.5, fitted: 0.5, low: -1, high: 2 },
        },
        {
          ...{ from: 75_000, to: null, observations: 200, level: 8, sessions: 11 },
          ...{ difference: 4, fitted: 4, low: 1.5, high: 6.5 },
        },
      ],
      compactions: { compactions: 0, ...nothingTells },
    },
  ],
}
