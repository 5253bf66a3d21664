/** `tune`: what it tries, held against runs that are added up anew, and what it chooses against a look at all that was tried. */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readingHere } from '../../../src/app/analysis.ts'
import { simulate } from '../../../src/app/by-plan.ts'
import { choose, compose, estimators, openFile, policies, type Trace } from '../../../src/app/index.ts'
import { caseOf, type Plan } from '../../../src/app/plan.ts'
import { oddsIn, shiftOf } from '../../../src/app/tune/odds.ts'
import { sumOf, Trials } from '../../../src/app/tune/trials.ts'
import { foldsOf, rivals, tune, tunedOf } from '../../../src/app/tune/tune.ts'
import type { TunedKind, TunedRow, Tuning } from '../../../src/model/tuning.ts'
import { shippedModels } from '../../../src/policies/knobs/value/valuing.ts'
import { tunedConfig, tuningSheet } from '../../../src/reports/tuning.ts'

const fixtures = ['claude-code/moorings.jsonl', 'claude-code/refactor.jsonl', 'openai-chat/trips.jsonl']
const files = fixtures.map((name) => fileURLToPath(new URL(`../../../fixtures/${name}`, import.meta.url)))
const tolerance = { over: 'baseline', percent: 20 } as const
const plan: Plan = {
  policies: [choose(policies.get('knobs')), choose(policies.get('clairvoyant'))],
  estimators: [choose(estimators.get('bytes'))],
  budgets: [],
  references: true,
}

const traces: Trace[] = []
const read = readingHere(files.map(openFile), {})
for await (const _ of read({
  plan,
  measure: (trace) => traces.push(trace),
  copied: null,
  start: () => 0,
  add: () => undefined,
})) {
}
const cases = traces.filter(({ requests }) => requests >= 10).map((trace) => caseOf(trace, plan))
const some = [
  ...rivals().slice(0, 8),
  ...rivals()
    .filter(({ kind }) => kind === 'preset')
    .slice(0, 12),
]
const trials = new Trials(cases)
for (const candidate of some) trials.try({ ...candidate, budget: 16_000 })
const today = choose(policies.get('as-recorded'))

describe('a trial', () => {
  it('is the runs of all sessions, added up', () => {
    for (const trial of trials.tried) {
      const { policy, budget } = trial.candidate
      const runs = cases.flatMap(({ trace }) => simulate(trace, { ...plan, policies: [policy], budgets: [budget] }))
      const asItWas = cases.flatMap(({ trace }) => simulate(trace, { ...plan, policies: [today], budgets: [0] }))
      const sum = (all: typeof runs, of: (run: (typeof runs)[number]) => number) =>
        all.reduce((sum, run) => sum + of(run), 0)
      const costed = runs.filter(({ cost }) => cost.unit === 'usd')
      const outcome = trials.outcome(trial, tolerance)
      expect(outcome.paid).toBeCloseTo(
        sum(costed, ({ cost }) => cost.paid),
        9,
      )
      for (const [share, of] of [
        [outcome.content.measured, 'headline'],
        [outcome.names.measured, 'named'],
      ] as const) {
        const lost = (all: typeof runs) => sum(all, ({ references }) => references?.[of].sourceLost ?? 0)
        const uses = sum(runs, ({ references }) => (references?.[of].total ?? 0) - (references?.[of].selfSourced ?? 0))
        expect(share).toBeCloseTo((lost(runs) - lost(asItWas)) / uses, 12)
        if (share > 0.2) expect(outcome.fits).toBe(false)
      }
    }
    expect(trials.tried.some((trial) => trials.outcome(trial, tolerance).fits)).toBe(true)
    expect(trials.tried.some((trial) => trials.outcome(trial, tolerance).names.share > 0.2)).toBe(true)
  })

  it('is made once', () => {
    const { length } = trials.tried
    const [first] = trials.tried
    expect(first && trials.try({ ...first.candidate })).toBe(first)
    expect(trials.tried).toHaveLength(length)
  })
})

describe('what is chosen', () => {
  const kinds: readonly TunedKind[] = ['aged', 'stay', 'preset']
  const own = trials.tried.filter(({ candidate }) => kinds.includes(candidate.kind))
  const cheapest = (inside: readonly number[]) =>
    own
      .filter((trial) => {
        const { fits, paid } = trials.outcome(trial, tolerance, inside)
        return fits && paid < sumOf(trials.today.paid, inside)
      })
      .sort((one, other) => sumOf(one.columns.paid, inside) - sumOf(other.columns.paid, inside))[0]

  it('is the cheapest within the tolerance; held out, what the other parts choose', () => {
    const folds = 2
    const all = cases.map((_, at) => at)
    const tuned = tunedOf(trials, kinds, tolerance, folds)
    expect(tuned?.row.paid).toBe(sumOf(cheapest(all)?.columns.paid ?? new Float64Array(), all))
    const part = foldsOf(cases.length, folds)
    expect([...part].sort()).toEqual(all.map((at) => at % folds).sort())
    let paid = 0
    for (const at of all) {
      const chosen = cheapest(all.filter((other) => part[other] !== part[at]))
      paid += (chosen?.columns ?? trials.today).paid[at] as number
    }
    const change = 100 * (paid / sumOf(trials.today.paid, all) - 1)
    expect(tuned?.heldOut?.changePercent).toBeCloseTo(change, 1)
  })

  it('is nothing where nothing is within the tolerance, or costs less than today', () => {
    expect(tunedOf(trials, kinds, { over: 'nothing', percent: 0 }, 2)).toBeNull()
    expect(tunedOf(trials, [], tolerance, 2)).toBeNull()
  })
})

describe('the odds', () => {
  it('are those with which the chances add up to the uses, drawn a little towards those of the coefficients', () => {
    const bins = [-4, -2, 0].map((score, nth) => ({ score, weight: 3000 * (nth + 1), used: 250 * (nth + 2) }))
    const shift = shiftOf(bins)
    const expected = bins.reduce((sum, { score, weight }) => sum + weight / (1 + Math.exp(-score - shift)), 0)
    expect(expected + 500 * shift).toBeCloseTo(2250, 6)
  })

  it('are lower where the coefficients expect more', () => {
    const { learned } = shippedModels
    const odds = oddsIn(cases, learned)
    expect(odds).toBeGreaterThan(0)
    expect(oddsIn(cases, { ...learned, intercept: learned.intercept + 1 })).toBeLessThan(odds)
  })
})

describe('tune', () => {
  const settings = { tolerance, folds: 2, isEnough: async () => true }

  it('says how few sessions there are', async () => {
    const result = await tune(readingHere(files.slice(0, 2).map(openFile), {}), plan, settings)
    expect(result).toMatchObject({ outcome: 'too few sessions', sessions: 2, tried: 0, tuned: null })
  })

  it('has the best so far where it is stopped, and writes it as a config file that compose takes', async () => {
    const twice = [...files, ...files].map((file, at) => ({ ...openFile(file), name: `${at}.jsonl` }))
    let asked = 0
    const result = await tune(readingHere(twice, {}), plan, { ...settings, isEnough: async () => asked++ > 5 })
    expect(result.complete).toBe(false)
    const row: TunedRow = {
      kind: 'learned',
      setting: 'knobs:…',
      policy: 'knobs',
      params: choose(policies.get('knobs'), { target: 'value:9k:1.2+watermark', trigger: 'pays/over' }).values,
      budget: 9000,
      paid: 1,
      changePercent: -10,
      contentPercent: 0.5,
      namesPercent: 0,
      fits: true,
      front: true,
    }
    const found: Tuning = { ...result, outcome: 'better', tuned: { row, heldOut: null }, others: null, rows: [row] }
    const config = tunedConfig(found) as string
    const { policy, budget, policies: own } = JSON.parse(config.replaceAll(/^\/\/.*$/gm, ''))
    expect({ policy, budget }).toEqual({ policy: 'tuned', budget: 9000 })
    expect(compose('tuned', own.tuned).summary).toBe('knobs')
    expect(tunedConfig({ ...found, outcome: 'no better' })).toBeNull()
    const sheet = tuningSheet(found, true)
    expect(sheet.answers?.[0]).toMatch(/^A learned policy costs 10 % less than today/)
  })
})
