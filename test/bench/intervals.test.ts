import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { coverageOf, held, intervalFor, intervalsOf } from '../../bench/truth/intervals.mjs'
import { ownerOf } from '../../bench/truth/manifest.mjs'

interface Tested {
  readonly program: string
  readonly test: string
  readonly estimator: string
  readonly owner: string
  readonly errors: readonly number[]
}

const tested = (owner: string, errors: readonly number[], program = 'lamp'): Tested => ({
  program,
  test: 'cut',
  estimator: 'auto',
  owner,
  errors,
})
const times = <T>(count: number, one: (nth: number) => T): T[] => Array.from({ length: count }, (_, nth) => one(nth))

const someTests = fc.array(
  fc
    .record({
      owner: fc.constantFrom('ada', 'bea', 'cai', 'dee'),
      errors: fc.array(fc.integer({ min: -60, max: 60 }), { minLength: 1, maxLength: 8 }),
      program: fc.constantFrom('lamp', 'shade'),
    })
    .map(({ owner, errors, program }) => tested(owner, errors, program)),
  { minLength: 1, maxLength: 40 },
)

describe('intervals of others', () => {
  it('name the owner by the folder of the repository, or by that of the file', () => {
    expect(ownerOf('/corpus/codex/ada__lamp/2026/rollout__1.jsonl')).toBe('ada')
    expect(ownerOf('/sessions/bea/s.jsonl')).toBe('bea')
  })

  it('hold what they hold, each transcript counting the same', () => {
    expect(held([tested('ada', [0, 1, 2, 30]), tested('bea', [-5])], [-1, 2])).toBe(0.375)
  })

  it('are the middle nine tenths where owners are alike', () => {
    const tests = times(20, (nth) =>
      tested(
        `owner ${nth}`,
        times(100, (at) => at - 50),
      ),
    )
    expect(intervalsOf(tests)).toMatchObject([
      { program: 'lamp', transcripts: 20, owners: 20, low: -46, high: 44 },
      { program: null, transcripts: 20, owners: 20, low: -46, high: 44 },
    ])
  })

  it('are wider where one owner is unlike the others', () => {
    const alike = times(18, (nth) => tested(`owner ${nth}`, [-2, -1, 1, 2]))
    const [row] = intervalsOf([...alike, ...times(6, () => tested('other', [-20, 20]))])
    expect(row!.low).toBeLessThan(-20)
    expect(row!.high).toBeGreaterThan(20)
  })

  it('are widened from no width at all', () => {
    const exact = times(12, (nth) => tested(`owner ${nth % 2}`, [0]))
    expect(intervalsOf([...exact, tested('other', [5]), tested('another', [-5])])[0]!.high).toBeGreaterThanOrEqual(5)
  })

  it('are of all programs for one with fewer than ten transcripts, or of one owner', () => {
    const few = times(9, (nth) => tested(`owner ${nth}`, [3], 'lamp'))
    const own = times(12, () => tested('ada', [1], 'shade'))
    const rows = intervalsOf([...few, ...own])
    expect(rows.map(({ program }: { program: string | null }) => program)).toEqual([null])
    expect(intervalFor(rows, own[0]!)).toMatchObject({ program: null, transcripts: 21, owners: 10 })
  })

  it('hold nine of ten requests of each owner who is left out, of every program with an interval of its own', () => {
    fc.assert(
      fc.property(someTests, (tests) => {
        for (const { row, part, program } of coverageOf(tests, null))
          if (row.program === program) expect(part).toBeGreaterThanOrEqual(0.9 - 1e-9)
      }),
    )
  })

  it('say how many requests of the unseen they hold, counted one by one', () => {
    fc.assert(
      fc.property(someTests, someTests, (tests, unseen) => {
        const rows = intervalsOf(tests)
        for (const { program, part } of coverageOf(tests, unseen)) {
          const own = unseen.filter((one) => one.program === program)
          let sum = 0
          for (const one of own) {
            const { low, high } = intervalFor(rows, one)
            let inside = 0
            for (const error of one.errors) if (low <= error && error <= high) inside++
            sum += inside / one.errors.length
          }
          expect(part).toBeCloseTo(sum / own.length, 9)
        }
      }),
    )
  })
})
