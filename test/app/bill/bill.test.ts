import { describe, expect, it } from 'vitest'
import { billTrace, summariseBills } from '../../../src/app/bill/bill.ts'
import {
  choose,
  estimators,
  openFile,
  policies,
  readTraces,
  simulate,
  simulateSources,
} from '../../../src/app/index.ts'
import type { Plan } from '../../../src/app/plan.ts'
import type { Billed } from '../../../src/model/billed.ts'
import type { Message } from '../../../src/model/message.ts'
import { cacheFits } from '../../../src/model/run.ts'
import { traceOf } from '../../simulator/arbitrary.ts'

const file = 'fixtures/claude-code/refactor.jsonl'
const plan: Plan = {
  policies: [choose(policies.get('as-recorded')), choose(policies.get('keep-all')), choose(policies.get('ikigai'))],
  estimators: [choose(estimators.get('auto'))],
  budgets: [20_000],
  references: false,
}

describe('today', () => {
  it('is what as-recorded comes to, and every run is held against it', async () => {
    for (const cache of ['ideal', 'recorded', 'expected'] as const) {
      const { runs, totals } = await simulateSources([openFile(file)], { ...plan, cache })
      const [own, ...others] = runs
      if (!own) throw new Error('no run')
      expect(own.today).toMatchObject({ savedTokens: 0, savedPercent: 0, costSaved: 0, costSavedPercent: 0 })
      for (const run of [own, ...others]) {
        expect(run.today).toMatchObject({ sentTokens: own.sentTokens, costInput: own.cost.input })
        expect(run.today.savedTokens).toBe(own.sentTokens - run.sentTokens)
        const saved = own.cost.input + own.cost.summaries - run.cost.input - run.cost.summaries
        expect(run.today.costSaved).toBeCloseTo(saved, 5)
      }
      expect(totals.map(({ today }) => today)).toEqual(runs.map(({ today }) => today))
    }
  })
})

describe('the bill', () => {
  it('is unknown where usage leaves out what was read from a cache that nobody has to ask for', () => {
    const spent = (requests: number, cacheRead: number) => {
      const list = Array.from({ length: requests }, (_, at): Message[] => [
        { role: 'user', line: 2 * at + 1, blocks: [{ type: 'text', text: 'go on' }] },
        {
          role: 'assistant',
          line: 2 * at + 2,
          blocks: [{ type: 'text', text: 'done' }],
          usage: { input: 5000 + at, cacheRead, cacheWrite: 0, cacheWrite1h: 0, output: 9 },
        },
      ]).flat()
      const trace = traceOf(list, [() => 10], 'openai', { head: { model: 'gpt-5' } })
      const [run] = simulate(trace, { ...plan, estimators: [choose(estimators.get('bytes'))] })
      return run?.spent
    }
    expect(spent(4, 0)).toBeNull()
    expect(spent(3, 0)?.input).toBeCloseTo(3 * 5001 * 1.25e-6, 6)
    expect(spent(4, 1024)?.requests).toBe(4)
  })

  it('is held against what the runs of each mode have', async () => {
    const bills: (Billed | null)[] = []
    for await (const trace of readTraces([openFile(file)], { plan })) bills.push(billTrace(trace, plan))
    const [bill] = bills
    for (const cache of ['ideal', 'recorded', 'expected'] as const) {
      const { runs } = await simulateSources([openFile(file)], { ...plan, cache })
      expect(bill?.spent).toBe(runs[0]?.spent?.input)
      // Each request of the fixture has usage.
      expect(runs[0]?.spent?.requests).toBe(runs[0]?.requests)
      expect(bill?.modelled[cache]).toBe(runs[0]?.today.costInput)
      // It says of each request whether its cache was foreseen, whatever the cache is taken to serve.
      expect(cacheFits.reduce((sum, fit) => sum + (runs[0]?.spent?.[fit] ?? 0), 0)).toBe(runs[0]?.requests)
    }
    expect(Math.abs((bill?.modelled.recorded ?? 0) / (bill?.spent ?? 1) - 1)).toBeLessThan(0.01)
  })

  it('is added up by format and mode', () => {
    const of = (format: string, spent: number, recorded: number): Billed => ({
      format,
      requests: 3,
      spent,
      modelled: { ideal: 2 * spent, recorded, expected: spent },
    })
    const rows = summariseBills([of('b', 10, 10.4), of('a', 5, 5), of('b', 20, 17), of('b', 30, 32.7)])
    expect(rows.map(({ format, cache }) => `${format} ${cache}`)).toEqual(
      ['a', 'b'].flatMap((format) => ['ideal', 'recorded', 'expected'].map((cache) => `${format} ${cache}`)),
    )
    expect(rows[4]).toEqual({
      format: 'b',
      cache: 'recorded',
      transcripts: 3,
      requests: 9,
      spent: 60,
      modelled: expect.closeTo(60.1, 9),
      offPercent: 0.17,
      medianPercent: 9,
      within5Percent: 33.33,
      within10Percent: 66.67,
    })
    expect(rows[3]).toMatchObject({ offPercent: 100, medianPercent: 100, within5Percent: 0, within10Percent: 0 })
  })
})
