/** What was promised and what came, against sums taken the slow way and against `recommend`. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readingHere } from '../../../src/app/analysis.ts'
import { type ChangedPart, changed, compared } from '../../../src/app/answer/changed.ts'
import { recommend } from '../../../src/app/answer/recommend.ts'
import { thresholdMoves } from '../../../src/app/answer/threshold-moves.ts'
import { spend } from '../../../src/app/bill/spend.ts'
import { Sum } from '../../../src/app/bill/spending-sum.ts'
import { choose, estimators, openFile, type Source } from '../../../src/app/index.ts'
import { uniform } from '../../../src/base/uniform.ts'
import type { ChangedProgram } from '../../../src/model/changed.ts'
import type { Decision } from '../../../src/model/recommendation.ts'
import { claudeSession } from '../bill/claude-session.ts'

const day = Date.UTC(2026, 10, 1)
const hour = 3_600_000
const plan = { policies: [], budgets: [], estimators: [choose(estimators.get('auto'))] }

/** A transcript that began and ended so many hours behind the day. */
interface Spec {
  readonly id: number
  readonly parent: number | null
  readonly format: 'claude-code' | 'codex' | 'openai-chat'
  readonly first: number
  readonly hours: number
  readonly requests: number
  readonly cents: number | null
  readonly compactions: number
  readonly reread: number | null
}

function partOf({ id, parent, format, first, hours, requests, cents, compactions, reread }: Spec): ChangedPart {
  const sum = new Sum()
  const tokens = { input: 1, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 1 }
  const cost = cents === null ? null : { input: cents / 100, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0.5 }
  for (let call = 0; call < requests; call++) sum.add({ calls: 1, tokens, cost, pricedTerms: [] })
  const [start, end] = Number.isNaN(first) ? [Infinity, -Infinity] : [day + first * hour, day + (first + hours) * hour]
  return {
    head: {
      ...{ file: `${id}.jsonl`, conversation: `c${id}`, parent: parent === null ? null : `c${parent}` },
      ...{ format, provider: 'anthropic', model: null, cwd: null, forkMessage: null },
    },
    ...{ first: start, last: end, requests, compactions, rereadTokens: reread },
    trigger: compactions > 0 ? 1000 * requests : null,
    bill: { requests: cents === null ? 0 : requests, sideCalls: 0, estimatedOutputs: 0, sum },
  }
}

const specs = fc
  .array(
    fc.record({
      parent: fc.option(fc.nat(8), { nil: null, freq: 3 }),
      format: fc.constantFrom('claude-code' as const, 'codex' as const, 'openai-chat' as const),
      first: fc.oneof(
        { weight: 9, arbitrary: fc.integer({ min: -40, max: 40 }) },
        { weight: 1, arbitrary: fc.constant(Number.NaN) },
      ),
      hours: fc.nat(4),
      requests: fc.integer({ min: 1, max: 9 }),
      cents: fc.option(fc.integer({ min: 1, max: 500 }), { nil: null }),
      compactions: fc.nat(2),
      reread: fc.option(fc.nat(1000), { nil: null }),
    }),
    { maxLength: 40 },
  )
  .map((all) => all.map((one, id): Spec => ({ ...one, id, parent: one.parent === id ? null : one.parent })))
  // A parent that has one itself is of a third session: one level will do.
  .map((all) =>
    all.map((one) => (one.parent !== null && all[one.parent]?.parent !== null ? { ...one, parent: null } : one)),
  )

const figureOf = ({ figures }: ChangedProgram, name: string) => figures.find(({ figure }) => figure === name)

describe('compared', () => {
  it('has the means of the sessions on each side', () => {
    fc.assert(
      fc.property(specs, (all) => {
        const sessions = all.flatMap((root) =>
          root.parent === null ? [[root, ...all.filter(({ parent }) => parent === root.id)]] : [],
        )
        const ends = sessions.map((own) => {
          const times = own.filter(({ first }) => !Number.isNaN(first))
          return {
            own,
            isDated: times.length > 0,
            from: Math.min(...times.map(({ first }) => first)),
            to: Math.max(...times.map(({ first, hours }) => first + hours)),
          }
        })
        const result = compared(all.map(partOf), [], day)
        expect(result.undated).toBe(ends.filter(({ isDated }) => !isDated).length)
        expect(result.straddling).toBe(ends.filter(({ isDated, from, to }) => isDated && from < 0 && to >= 0).length)
        const names = { 'claude-code': 'claude-code', codex: 'codex', 'openai-chat': null } as const
        for (const one of result.programs) {
          const mine = ends.filter(({ own, isDated }) => isDated && names[own[0]!.format] === one.program)
          for (const [side, list] of [
            ['before', mine.filter(({ to }) => to < 0)],
            ['after', mine.filter(({ from }) => from >= 0)],
          ] as const) {
            const total = (of: (spec: Spec) => number, among = list): number =>
              among.reduce((sum, { own }) => sum + own.reduce((inner, spec) => inner + of(spec), 0), 0)
            const mean = (sum: number, count: number): number | null => (count === 0 ? null : sum / count)
            const priced = list.filter(({ own }) => own.some(({ cents }) => cents !== null))
            const known = list.filter(({ own }) => own.some(({ reread }) => reread !== null))
            const input = total(({ cents, requests }) => ((cents ?? 0) * requests) / 100)
            const calls = total(({ cents, requests }) => (cents === null ? 0 : requests))
            const triggers = list.flatMap(({ own }) =>
              own.flatMap((spec) => (spec.compactions > 0 ? 1000 * spec.requests : [])),
            )
            const expected = {
              inputUsd: mean(input, priced.length),
              inputUsdByRequest: mean(input, calls),
              usd: mean(input + 0.5 * calls, priced.length),
              requests: mean(
                total(({ requests }) => requests),
                list.length,
              ),
              compactions: mean(
                total(({ compactions }) => compactions),
                list.length,
              ),
              rereadTokens: mean(
                total(({ reread }) => reread ?? 0, known),
                known.length,
              ),
              compactedTokens: triggers.sort((a, b) => a - b)[triggers.length >> 1] ?? null,
            }
            for (const [name, value] of Object.entries(expected)) {
              const found = figureOf(one, name)?.[side] ?? null
              if (value === null) expect(found).toBeNull()
              else expect(found).toBeCloseTo(value, 4)
            }
          }
          const { before, after, percent } = figureOf(one, 'requests')!
          if (before && after) expect(percent).toBeCloseTo(100 * (after / before - 1), 1)
        }
      }),
      { numRuns: 100 },
    )
  })

  const sessions = (count: number, factor: number, isAfter: boolean, seed: number): ChangedPart[] => {
    const random = uniform(seed)
    return Array.from({ length: count }, (_, at) =>
      partOf({
        ...{
          id: (isAfter ? 1000 : 0) + at,
          parent: null,
          format: 'claude-code',
          requests: 5,
          compactions: 0,
          reread: null,
        },
        ...{ first: isAfter ? 1 + at : -10 - at, hours: 1, cents: 100 * factor * (0.5 + random()) },
      }),
    )
  }
  const promising = (low: number, high: number) =>
    ({
      scope: 'program',
      program: 'claude-code',
      recommended: { saved: { percent: (low + high) / 2, low, high } },
    }) as Decision
  const keep = { scope: 'program', program: 'claude-code', recommended: null } as Decision
  const verdictOf = (count: number, factor: number, told: Decision) =>
    compared([...sessions(count, 1, false, 1), ...sessions(count, factor, true, 2)], [told], day).programs[0]?.verdict

  it.each([
    [40, 0.5, promising(40, 60), 'as-promised'],
    [40, 0.5, promising(5, 10), 'more'],
    [40, 0.9, promising(60, 80), 'less'],
    [40, 1.02, promising(2, 30), 'untold'],
    [40, 0.5, keep, 'cheaper'],
    [40, 2, keep, 'dearer'],
    [40, 1, keep, 'untold'],
    [9, 0.1, promising(40, 60), 'too-few'],
  ])('of %i sessions on each side that cost %f as much', (count, factor, told, verdict) => {
    expect(verdictOf(count, factor, told)).toBe(verdict)
  })
})

describe('thresholdMoves', () => {
  const at = (nth: number, model: string, tokens: number | null) => ({
    head: { format: 'claude-code', model },
    first: day + 24 * nth * hour,
    trigger: tokens === null ? null : tokens + nth,
  })
  const old = Array.from({ length: 12 }, (_, nth) => at(nth, 'small', 160_000))

  it('takes a model with a window of its own for no move', () => {
    const since = Array.from({ length: 12 }, (_, nth) => at(12 + nth, 'large', 800_000))
    expect(thresholdMoves([...old, ...since])).toEqual([])
  })

  it('is of the sessions that compacted by themselves', () => {
    const since = Array.from({ length: 12 }, (_, nth) => at(12 + nth, 'small', nth % 2 === 0 ? 100_000 : null))
    const undated = { ...at(0, 'small', 5000), first: Infinity }
    expect(thresholdMoves([...since, undated, ...old])).toEqual([
      {
        ...{ program: 'claude-code', model: 'small', day: '2026-11-13' },
        ...{ tokensBefore: 160_006, tokensAfter: 100_018, sessionsBefore: 12, sessionsAfter: 6 },
      },
    ])
  })
})

describe('changed', () => {
  const source = (name: string, text: string): Source => ({ name, chunks: [Buffer.from(text)] })
  // A session a day from the second of March on.
  const files = Array.from({ length: 16 }, (_, nth) => source(`${nth}.jsonl`, claudeSession(nth + 1, 6)))
  const reading = (sources: readonly Source[]) => readingHere(sources, {}, () => {})

  it('promises what `recommend` says of the transcripts that had ended', async () => {
    const since = Date.UTC(2026, 2, 14)
    const { programs, transcripts } = await changed(reading(files), plan, since)
    expect(transcripts).toBe(16)
    const [program] = programs as [ChangedProgram]
    expect([program.sessionsBefore, program.sessionsAfter]).toEqual([12, 4])
    const { decisions } = await recommend(reading(files.slice(0, 12)), plan)
    expect(program.told).toEqual(decisions[0])
  })

  it('says nothing of a promise where no session had ended', async () => {
    const { programs } = await changed(reading(files.slice(0, 2)), plan, 0)
    expect(programs.map(({ told, verdict }) => [told, verdict])).toEqual([[null, 'too-few']])
  })

  it('comes to what `spend` has', async () => {
    const own = [
      'claude-code/refactor.jsonl',
      'claude-code/moorings.jsonl',
      'claude-code/compaction.jsonl',
      'pi/tree.jsonl',
    ]
    const sources = () => own.map((name) => openFile(`fixtures/${name}`))
    const { programs } = await changed(reading(sources()), plan, 0)
    const { total, compactions } = await spend(reading(sources()), plan, 0)
    const sum = (name: string, of: (one: ChangedProgram) => number): number =>
      programs.reduce((all, one) => all + (figureOf(one, name)?.after ?? 0) * of(one), 0)
    expect(sum('usd', (one) => figureOf(one, 'usd')!.sessionsAfter)).toBeCloseTo(total.usd ?? 0, 4)
    expect(sum('requests', ({ sessionsAfter }) => sessionsAfter)).toBeCloseTo(total.allRequests, 3)
    expect(sum('compactions', ({ sessionsAfter }) => sessionsAfter)).toBeCloseTo(compactions.length - 1, 4)
  })
})
