import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { totalsOf } from '../../src/app/analyse.ts'
import { CellSum, type Summand, sumOf } from '../../src/app/sum.ts'
import {
  type CopiedText,
  type CostUnit,
  cacheFits,
  copyKinds,
  faults,
  type LossCounts,
  ofEachKind,
  percent,
  type Run,
  type Validity,
} from '../../src/model/run.ts'
import { sampleRun } from '../reports/samples.ts'

const amount = fc.nat(5_000_000_000).map((millionths) => millionths / 1e6)
const losses = fc.record({ total: fc.nat(50), mentionLost: fc.nat(9), sourceLost: fc.nat(9), selfSourced: fc.nat(9) })
const copiedCounts = { requests: fc.nat(50), lost: fc.nat(9), shares: fc.nat(5e7) }
const copiedText = { ...copiedCounts, floor: fc.record(copiedCounts) }
const textByKind = fc.tuple(...copyKinds.map(() => fc.record(copiedText)))
const byKind = textByKind.map((texts) => ofEachKind((kind) => texts[copyKinds.indexOf(kind)] as CopiedText))
const copied = fc.record({ ...copiedText, shown: fc.record(copiedText), byKind, unjudged: fc.nat(3) })
const standard = fc.record({
  sentTokens: fc.nat(),
  savedTokens: fc.nat(),
  savedPercent: fc.nat(),
  costSaved: amount,
  costSavedPercent: fc.nat(),
  costInput: amount,
  summaries: amount,
  headlineLost: fc.nat(50),
  headlineTotal: fc.nat(50),
  headlineLostOver: fc.integer({ min: -50, max: 50 }),
  overWindowRequests: fc.nat(50),
  lostLatestUser: fc.nat(50),
})
const summand: fc.Arbitrary<Summand> = fc
  .record({
    budget: fc.constant(100),
    requests: fc.nat(99),
    fullTokens: fc.nat(1e9),
    sentTokens: fc.nat(1e9),
    peakTokens: fc.nat(),
    overBudgetRequests: fc.nat(50),
    overWindowRequests: fc.nat(50),
    cuts: fc.record({ length: fc.nat(50) }),
    thinkingLostTokens: fc.option(fc.nat(50)),
    validity: fc
      .array(fc.nat(50), { minLength: faults.length, maxLength: faults.length })
      .map((counts) => Object.fromEntries(faults.map((fault, at) => [fault, counts[at]])) as unknown as Validity),
    exact: fc.record({
      cacheHitTokens: fc.nat(50),
      todayRecorded: amount,
      overWindowSent: fc.nat(50),
      invalidRequests: fc.nat(50),
      edits: fc.nat(50),
      heedsBudget: fc.boolean(),
    }),
    cost: fc.record({
      unit: fc.constantFrom<CostUnit>('usd', 'input-token-equivalents'),
      pricesAsOf: fc.constantFrom('2026-01-02', '2026-02-01', '2025-12-31'),
      input: amount,
      inputFull: amount,
      output: amount,
      summaries: amount,
      paid: amount,
      prefixBreaks: fc.nat(50),
    }),
    spent: fc.option(
      fc.record({
        usd: amount,
        input: amount,
        output: amount,
        beside: amount,
        requests: fc.nat(99),
        sideCalls: fc.nat(99),
        estimatedOutputs: fc.nat(99),
        cacheForeseen: fc.nat(99),
        cacheAtStart: fc.nat(99),
        cacheAfterPause: fc.nat(99),
        cacheAtPrompt: fc.nat(99),
        cacheUnexplained: fc.nat(99),
      }),
    ),
    today: standard,
    against: standard.map((held) => ({ baseline: 'forge', ...held })),
    references: fc.option(
      fc
        .record({ all: losses, headline: losses, named: losses, copied })
        .map(({ all, ...parts }) => ({ ...all, ...parts })),
    ),
  })
  .map(({ references, ...run }) => ({ ...run, ...(references && { references }) }))

const figures = (sum: CellSum) => {
  const { against, ...rest } = sum.result()
  return { ...rest, spent: sum.spent, against: { ...against, baseline: '' } }
}

describe('a sum of runs', () => {
  it('is the same in whatever order and groups they come', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(summand, fc.nat(3), fc.nat())), (parts) => {
        const runs = parts.map(([run]) => run)
        const shuffled = [...parts].sort((a, b) => a[2] - b[2])
        const grouped = new CellSum()
        for (const group of [2, 0, 3, 1]) {
          grouped.merge(sumOf(shuffled.filter(([, of]) => of === group).map(([run]) => run)))
        }
        expect(figures(grouped)).toEqual(figures(sumOf(runs)))
      }),
    )
  })

  it('has the dollars of all that have a price, and token equivalents only where none has', () => {
    fc.assert(
      fc.property(fc.array(summand, { minLength: 1 }), (runs) => {
        const { cost, transcripts } = sumOf(runs).result()
        const priced = runs.filter((run) => run.cost.unit === 'usd')
        const counted = priced.length > 0 ? priced : runs
        expect(transcripts).toBe(runs.length)
        expect(cost.transcripts).toBe(counted.length)
        expect(cost.unit).toBe(priced.length > 0 ? 'usd' : 'input-token-equivalents')
        expect(cost.pricesAsOf).toBe(counted.map((run) => run.cost.pricesAsOf).sort()[0])
        for (const key of ['input', 'inputFull', 'output', 'summaries'] as const) {
          expect(cost[key]).toBeCloseTo(
            counted.reduce((sum, run) => sum + run.cost[key], 0),
            5,
          )
        }
        expect(cost.prefixBreaks).toBe(runs.reduce((sum, run) => sum + run.cost.prefixBreaks, 0))
      }),
    )
  })

  it('has the bills of those that have one', () => {
    fc.assert(
      fc.property(fc.array(summand, { minLength: 1 }), (runs) => {
        const { spent } = sumOf(runs)
        const bills = runs.flatMap((run) => run.spent ?? [])
        const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
        expect(spent === null).toBe(bills.length === 0)
        if (spent) {
          expect(spent.transcripts).toBe(bills.length)
          expect(spent.requests).toBe(total(bills.map(({ requests }) => requests)))
          expect(spent.estimatedOutputs).toBe(total(bills.map(({ estimatedOutputs }) => estimatedOutputs)))
          for (const fit of cacheFits) expect(spent[fit]).toBe(total(bills.map((bill) => bill[fit])))
          expect(spent.input).toBeCloseTo(total(bills.map(({ input }) => input)), 5)
          expect(spent.output).toBeCloseTo(total(bills.map(({ output }) => output)), 5)
          expect(spent.beside).toBeCloseTo(total(bills.map(({ beside }) => beside)), 5)
          expect(spent.sideCalls).toBe(total(bills.map(({ sideCalls }) => sideCalls)))
          expect(spent.usd).toBeCloseTo(spent.input + spent.output + spent.beside, 5)
        }
      }),
    )
  })

  it.each(['today', 'against'] as const)(
    'holds all runs against the sum of %s, in the unit of the cost',
    (standard) => {
      fc.assert(
        fc.property(fc.array(summand, { minLength: 1 }), (runs) => {
          const { [standard]: held, cost } = sumOf(runs).result()
          const total = (figure: (run: Summand) => number | undefined, of: readonly Summand[] = runs) =>
            of.reduce((all, run) => all + (figure(run) ?? 0), 0)
          for (const key of [
            'sentTokens',
            'overWindowRequests',
            'headlineLost',
            'headlineTotal',
            'headlineLostOver',
          ] as const) {
            expect(held[key]).toBe(total((run) => run[standard]?.[key]))
          }
          expect(held.savedTokens).toBe(held.sentTokens - total((run) => run.sentTokens))
          expect(held.savedPercent).toBe(percent(held.savedTokens, held.sentTokens))
          const counted = runs.filter((run) => run.cost.unit === cost.unit)
          const paid = total((run) => run.cost.input + run.cost.summaries, counted)
          const standardPaid = total(
            (run) => (run[standard]?.costInput ?? 0) + (run[standard]?.summaries ?? 0),
            counted,
          )
          expect(held.costInput + held.summaries).toBeCloseTo(standardPaid, 4)
          expect(held.costSaved).toBeCloseTo(standardPaid - paid, 4)
          if (standardPaid > 1)
            expect(held.costSavedPercent).toBeCloseTo((100 * (standardPaid - paid)) / standardPaid, 1)
        }),
      )
    },
  )

  it('has the lost references of the runs that measured any', () => {
    fc.assert(
      fc.property(fc.array(summand), (runs) => {
        const measured = runs.flatMap(({ references }) => references ?? [])
        const { references } = sumOf(runs).result()
        expect(references === undefined).toBe(measured.length === 0)
        if (measured.length === 0) return
        const total = (parts: readonly LossCounts[], key: keyof LossCounts) =>
          parts.reduce((sum, part) => sum + part[key], 0)
        for (const key of ['total', 'mentionLost', 'sourceLost', 'selfSourced'] as const) {
          expect(references?.[key]).toBe(total(measured, key))
          expect(references?.headline[key]).toBe(
            total(
              measured.map(({ headline }) => headline),
              key,
            ),
          )
        }
      }),
    )
  })

  it('has each count once for each run, and the largest request of all', () => {
    fc.assert(
      fc.property(fc.array(summand, { minLength: 1 }), (runs) => {
        const sum = sumOf(runs).result()
        const total = (figure: (run: Summand) => number) => runs.reduce((all, run) => all + figure(run), 0)
        for (const key of [
          'requests',
          'fullTokens',
          'sentTokens',
          'overBudgetRequests',
          'overWindowRequests',
        ] as const) {
          expect(sum[key], key).toBe(total((run) => run[key]))
        }
        for (const fault of faults) expect(sum.validity[fault], fault).toBe(total(({ validity }) => validity[fault]))
        expect(sum.cuts).toBe(total(({ cuts }) => cuts.length))
        expect(sum.invalidRequests).toBe(total(({ exact }) => exact.invalidRequests))
        expect(sum.thinkingLostTokens).toBe(total(({ thinkingLostTokens }) => thinkingLostTokens ?? 0))
        expect(sum.cost.cacheHitPercent).toBe(
          percent(
            total(({ exact }) => exact.cacheHitTokens),
            sum.sentTokens,
          ),
        )
        expect(sum.savedTokens).toBe(sum.fullTokens - sum.sentTokens)
        expect(sum.peakTokens).toBe(Math.max(...runs.map(({ peakTokens }) => peakTokens)))
      }),
    )
  })

  it('is what simulate prints of the same runs', () => {
    fc.assert(
      fc.property(fc.array(summand, { minLength: 1 }), (parts) => {
        const runs = parts.map(({ requests, fullTokens, sentTokens, validity, exact }): Run => {
          return sampleRun({ requests, fullTokens, sentTokens, validity, exact })
        })
        const [total] = totalsOf(runs)
        expect(total).toMatchObject(sumOf(runs).result())
      }),
    )
  })
})
