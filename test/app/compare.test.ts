import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulateSources } from '../../src/app/analyse.ts'
import { readingHere } from '../../src/app/analysis.ts'
import { overTargets } from '../../src/app/candidates.ts'
import { compareFiles } from '../../src/app/compare.ts'
import type { Plan } from '../../src/app/plan.ts'
import { resolveParams } from '../../src/base/param.ts'
import auto from '../../src/estimators/auto.ts'
import bytes from '../../src/estimators/bytes.ts'
import type { ComparisonRow } from '../../src/model/comparison.ts'
import { type Cut, noCopied, type References, type Run, termClasses, type Validity } from '../../src/model/run.ts'
import { policies } from '../../src/policies/index.ts'
import { openFile } from '../../src/readers/lines/source.ts'
import { overviewOf } from '../../src/reports/overview.ts'
import { sampleRun } from '../reports/samples.ts'
import { compareRuns } from './compare-runs.ts'

const fine: Validity = {
  orphanResults: 0,
  orphanCalls: 0,
  firstNotUser: 0,
  emptyMessages: 0,
  lostLatestUser: 0,
  thinkingLost: 0,
}
const chosen = (name: string) => {
  const plugin = policies.get(name)
  return { plugin, values: resolveParams(name, plugin.params, {}) }
}

/** @param lossy 0 if nothing is lost */
function referencesOf(next: () => number, lossy: number): References {
  const counts = () => ({ total: 60 + next(), selfSourced: next(), mentionLost: next(), sourceLost: lossy * next() })
  const losses = () => ({ ...counts(), mentionLostPercent: 0, sourceLostPercent: 0 })
  return {
    ...losses(),
    byClass: Object.fromEntries(termClasses.map((name) => [name, counts()])) as References['byClass'],
    exchangesHit: 0,
    partlyLost: 0,
    rereads: { refresh: 0, redundant: 0, fault: 0, faultTokens: 0, known: 0, foretold: 0 },
    headline: losses(),
    named: losses(),
    warm: losses(),
    copied: noCopied,
  }
}

/** Runs of up to three transcripts under up to eight settings; the figures are small, so that many are the same. */
const runsOf = fc
  .tuple(
    fc.uniqueArray(
      fc.record({
        policy: fc.constantFrom('ikigai', 'forge', 'keep-all'),
        params: fc.constantFrom({}, { target: 0.5 }, { target: 0.25 }),
        budget: fc.constantFrom(100, 200),
        estimator: fc.constantFrom('bytes', 'openai'),
      }),
      { minLength: 1, maxLength: 8, selector: (setting) => JSON.stringify(setting) },
    ),
    // The full tokens and the price depend on the transcript, not on the policy.
    fc.array(
      fc.record({ fullTokens: fc.nat(50), unit: fc.constantFrom('usd' as const, 'input-token-equivalents' as const) }),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
    fc.infiniteStream(fc.nat(60)),
    fc.boolean(),
    fc.constantFrom(0, 1),
  )
  .map(([settings, transcripts, numbers, measured, lossy]): Run[] => {
    const next = (): number => numbers.next().value as number
    return transcripts.flatMap(({ fullTokens, unit }, index) =>
      settings.map((setting) =>
        sampleRun({
          ...setting,
          transcript: `${index}.jsonl`,
          fullTokens,
          sentTokens: next(),
          requests: next(),
          peakTokens: next(),
          overBudgetRequests: next() % 3,
          cuts: Array.from({ length: next() % 3 }, () => sampleRun().cuts.at(0) as Cut),
          validity: { ...fine, orphanCalls: next() % 2 },
          cost: {
            ...sampleRun().cost,
            unit,
            input: next() / 8,
            inputFull: 3,
            summaries: (next() % 2) / 8,
            prefixBreaks: next(),
          },
          ...(measured ? { references: referencesOf(next, lossy) } : {}),
          exact: {
            cacheHitTokens: next(),
            todayRecorded: 0,
            overWindowSent: 0,
            invalidRequests: next() % 2,
            edits: 0,
            heedsBudget: true,
          },
        }),
      ),
    )
  })

const named = ['ikigai', 'forge', 'keep-all'].map(chosen)
const ofRow = (runs: readonly Run[], row: ComparisonRow): Run[] =>
  runs.filter(
    ({ policy, params, budget, estimator }) =>
      policy === row.policy &&
      JSON.stringify(params) === JSON.stringify(row.params) &&
      budget === row.budget &&
      estimator === row.estimator,
  )
const total = (runs: readonly Run[], value: (run: Run) => number): number => {
  let sum = 0
  for (const run of runs) sum += value(run)
  return sum
}
/** The most that rounding to two decimals may change. */
const hundredth = 0.00501
/** What a row keeps: references that are not lost, or tokens if no row has lost a reference. */
const kept = (row: ComparisonRow, rows: readonly ComparisonRow[]): number =>
  rivals(rows, row).some(({ references }) => (references?.headline.sourceLost ?? 0) > 0)
    ? -(row.references?.headline.sourceLost ?? 0)
    : Math.min(row.sentTokens, row.fullTokens)
const rivals = (rows: readonly ComparisonRow[], row: ComparisonRow): ComparisonRow[] =>
  rows.filter(({ estimator }) => estimator === row.estimator)

describe('compareRuns', () => {
  it('adds every run to exactly one row', () => {
    fc.assert(
      fc.property(runsOf, (runs) => {
        const rows = compareRuns(runs, named)
        expect(total(runs, () => 1)).toBe(rows.reduce((sum, { transcripts }) => sum + transcripts, 0))
        for (const row of rows) {
          const own = ofRow(runs, row)
          expect(row.transcripts).toBe(own.length)
          for (const key of ['requests', 'fullTokens', 'sentTokens', 'savedTokens', 'overBudgetRequests'] as const) {
            expect(row[key]).toBe(total(own, (run) => run[key]))
          }
          expect(
            Math.abs(row.savedPercent - (row.fullTokens === 0 ? 0 : (100 * row.savedTokens) / row.fullTokens)),
          ).toBeLessThan(hundredth)
          expect(row.peakTokens).toBe(own.map(({ peakTokens }) => peakTokens).sort((a, b) => b - a)[0])
          expect(row.cuts).toBe(own.flatMap(({ cuts }) => [...cuts]).length)
          expect(row.validity.orphanCalls).toBe(total(own, ({ validity }) => validity.orphanCalls))
          expect(row.invalidRequests).toBe(total(own, ({ exact }) => exact.invalidRequests))
          const hits = total(own, ({ exact }) => exact.cacheHitTokens)
          expect(
            Math.abs(row.cost.cacheHitPercent - (row.sentTokens === 0 ? 0 : (100 * hits) / row.sentTokens)),
          ).toBeLessThan(hundredth)
        }
      }),
    )
  })

  it('lists the cheapest first, behind all others those that lose prompts, and last those that a provider refuses', () => {
    const run = (policy: string, input: number, lostLatestUser: number, invalidRequests: number) => {
      const { cost, exact } = sampleRun()
      const validity = { ...fine, lostLatestUser }
      const today = { ...sampleRun().today, lostLatestUser: 5 }
      return sampleRun({
        ...{ policy, params: {}, validity, today },
        ...{ cost: { ...cost, input }, exact: { ...exact, invalidRequests } },
      })
    }
    const runs = [run('a', 1, 0, 1), run('b', 2, 6, 0), run('c', 4, 5, 0), run('d', 3, 0, 0)]
    expect(compareRuns(runs, []).map(({ setting }) => setting)).toEqual(['d', 'c', 'b', 'a'])
  })

  it('adds up one unit only: dollars, where any transcript has a price', () => {
    fc.assert(
      fc.property(runsOf, (runs) => {
        for (const { cost, ...row } of compareRuns(runs, named)) {
          const own = ofRow(runs, { ...row, cost })
          const dollars = own.filter((run) => run.cost.unit === 'usd')
          const counted = dollars.length > 0 ? dollars : own
          expect(cost.unit).toBe(dollars.length > 0 ? 'usd' : 'input-token-equivalents')
          expect(cost.transcripts).toBe(counted.length)
          expect(cost.paid).toBeCloseTo(
            total(counted, (run) => run.cost.input + run.cost.summaries),
            6,
          )
          expect(cost.inputFull).toBe(3 * counted.length)
          expect(Math.abs(cost.savedPercent - (100 * (cost.inputFull - cost.paid)) / cost.inputFull)).toBeLessThan(
            hundredth,
          )
        }
      }),
    )
  })

  it('adds up references in both lists, and their rates over all of them', () => {
    fc.assert(
      fc.property(runsOf, (runs) => {
        for (const row of compareRuns(runs, named)) {
          const own = ofRow(runs, row).map(({ references }) => references)
          if (own[0] === undefined) {
            expect(row.references).toBeUndefined()
            continue
          }
          const sums = { lost: 0, all: 0, alone: 0 }
          for (const references of own as References[]) {
            sums.lost += references.headline.sourceLost
            sums.all += references.headline.total
            sums.alone += references.headline.selfSourced
          }
          const { headline } = row.references as NonNullable<ComparisonRow['references']>
          expect([headline.sourceLost, headline.total, headline.selfSourced]).toEqual([sums.lost, sums.all, sums.alone])
          const from = sums.all - sums.alone
          const percent = from === 0 ? 0 : (100 * sums.lost) / from
          expect(Math.abs(headline.sourceLostPercent - percent)).toBeLessThan(hundredth)
        }
      }),
    )
  })

  it('has on the front exactly the rows that no other beats', () => {
    fc.assert(
      fc.property(runsOf, (runs) => {
        const rows = compareRuns(runs, named)
        for (const row of rows) {
          const beaten = rivals(rows, row).some(
            (other) =>
              (other.cost.paid < row.cost.paid && kept(other, rows) >= kept(row, rows)) ||
              (other.cost.paid <= row.cost.paid && kept(other, rows) > kept(row, rows)),
          )
          expect(row.front).toBe(!beaten)
        }
      }),
    )
  })

  it('calls best what no other is better in, and nothing where all are the same', () => {
    const lower = ['sentTokens', 'peakTokens', 'overBudgetRequests', 'invalidRequests'] as const
    fc.assert(
      fc.property(runsOf, (runs) => {
        const rows = compareRuns(runs, named)
        for (const row of rows) {
          for (const key of lower) {
            const all = rivals(rows, row).map((other) => other[key])
            const differ = new Set(all).size > 1
            expect(row.best.includes(key)).toBe(differ && all.every((value) => row[key] <= value))
          }
          const saved = rivals(rows, row).map(({ cost }) => cost.savedPercent)
          const differ = new Set(saved).size > 1
          expect(row.best.includes('cost.savedPercent')).toBe(
            differ && saved.every((value) => row.cost.savedPercent >= value),
          )
        }
      }),
    )
  })

  it('has the cheapest first, then goes by name', () => {
    fc.assert(
      fc.property(runsOf, (runs) => {
        const rows = compareRuns(runs, named)
        for (const [index, row] of rows.entries()) {
          const next = rows[index + 1]
          if (next?.estimator !== row.estimator) continue
          const refused = ({ invalidRequests }: ComparisonRow) => Number(invalidRequests > 0)
          expect(refused(row)).toBeLessThanOrEqual(refused(next))
          if (refused(row) < refused(next)) continue
          expect(row.cost.paid).toBeLessThanOrEqual(next.cost.paid)
          if (row.cost.paid === next.cost.paid) expect(row.setting <= next.setting).toBe(true)
        }
      }),
    )
  })

  it('names a setting as it is typed', () => {
    const values = { ...chosen('ikigai').values, target: 0.5 }
    const [row] = compareRuns([sampleRun({ params: values })], named)
    expect(row?.setting).toBe('ikigai:target=0.5')
  })
})

describe('overTargets', () => {
  it('tries each target where there is such a param, and leaves the others alone', () => {
    const tried = overTargets([chosen('ikigai'), chosen('keep-all')], [1, 0.5])
    expect(tried.map(({ plugin, values }) => [plugin.name, values])).toEqual([
      ['ikigai', { keepLast: 1, target: 1 }],
      ['ikigai', { keepLast: 1, target: 0.5 }],
      ['keep-all', {}],
    ])
  })

  it('leaves a policy whose target is no fraction as it is', () => {
    const one = chosen('knobs')
    expect(overTargets([one], [0.5])).toEqual([one])
  })
})

describe('compareFiles', () => {
  const fixture = (name: string, url: string) => ({ name, chunks: [readFileSync(new URL(url, import.meta.url))] })
  const sources = () => [
    fixture('a.jsonl', '../../fixtures/openai-chat/tools.jsonl'),
    fixture('b.jsonl', '../../fixtures/claude-code/refactor.jsonl'),
    { name: 'c.jsonl', chunks: [Buffer.from('{"messages":[{"role":"user","content":"a"}]}\nx\n')] },
  ]
  const plan: Plan = {
    policies: [chosen('ikigai'), chosen('drop-messages'), chosen('keep-all')],
    estimators: [{ plugin: bytes, values: {} }],
    budgets: [100, 2000],
    preamble: 'auto',
    model: null,
    provider: null,
    native: false,
    references: true,
  }

  it('has the rows and captions of the runs that are simulated one by one', async () => {
    const { comparison, overview } = await compareFiles(readingHere(sources(), { format: 'auto' }), plan)
    const { runs } = await simulateSources(sources(), plan, { format: 'auto' })
    expect(comparison.rows).toEqual(compareRuns(runs, plan.policies))
    const ofRuns = overviewOf(runs)
    expect(overview.runs).toBe(runs.length)
    expect(overview.captions()).toEqual(ofRuns.captions())
    expect(overview.countingNotes()).toEqual(ofRuns.countingNotes())
    expect([overview.transcripts, overview.damagedLines]).toEqual([ofRuns.transcripts, 1])
  })

  it('says what is to be said of the input, and of no run', async () => {
    const { comparison } = await compareFiles(readingHere(sources(), { format: 'auto' }), plan)
    expect(comparison.diagnostics).toMatchObject([{ file: 'c.jsonl', line: 2, code: 'not-json' }])
  })

  it('counts nothing of a file that fails after some of its transcripts', async () => {
    const line = '{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}\n'
    const torn = {
      name: 'torn.jsonl',
      get chunks(): Uint8Array[] {
        return (function* () {
          yield Buffer.from(line.repeat(200))
          throw new TypeError('a bug')
        })() as unknown as Uint8Array[]
      },
    }
    const failed: string[] = []
    const how = { format: 'auto' }
    const { comparison, overview } = await compareFiles(
      readingHere([torn, ...sources()], how, ({ name }) => {
        failed.push(name)
      }),
      plan,
    )
    expect(failed).toEqual(['torn.jsonl'])
    expect(overview.transcripts).toBe(4)
    expect(comparison.rows[0]?.transcripts).toBe(4)
  })
})

it('counts as their programs do, whether or not it leaves out policies that come before in the plan', async () => {
  const names = ['gemini-mask', 'ikigai', 'langchain-trim']
  const plan: Plan = {
    policies: names.map(chosen),
    estimators: [{ plugin: auto, values: {} }],
    budgets: [300],
    native: true,
  }
  // It records no usage, so its tokens are those of the meter that stands in for `auto`, behind those of the programs.
  const sources = [openFile('fixtures/openai-chat/long-agent-loop.jsonl')]
  const rows = async (onlyAvailable: boolean) => {
    const { comparison } = await compareFiles(readingHere(sources, {}), plan, { onlyAvailable })
    return new Map(comparison.rows.map((row) => [row.policy, row]))
  }
  const [all, available] = [await rows(false), await rows(true)]
  expect(available.has('gemini-mask')).toBe(false)
  for (const name of names.slice(1)) expect(available.get(name)?.sentTokens).toBe(all.get(name)?.sentTokens)
})
