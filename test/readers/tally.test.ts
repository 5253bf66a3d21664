import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Tally } from '../../src/readers/tally.ts'

describe('Tally', () => {
  it('tells the first twenty of a code by themselves, and the rest together', () => {
    const tally = new Tally<string>()
    for (let line = 1; line <= 125_000; line++) tally.add({ code: 'torn', line, detail: 'here' }, true)
    tally.add({ code: 'other', line: 7 }, false)
    expect(tally.reported).toEqual([
      ...Array.from({ length: 20 }, (_, index) => ({ code: 'torn', line: index + 1, detail: 'here' })),
      { code: 'torn', line: 21, count: 124_980 },
      { code: 'other', line: 7 },
    ])
    expect(tally.damagedLines).toBe(125_000)
  })

  it('tells problems of one kind together, and the kinds beyond twenty as one', () => {
    const tally = new Tally<string>()
    for (let line = 1; line <= 3000; line++) tally.add({ code: 'unknown', line }, false, `kind ${line % 30}`)
    expect(tally.reported).toHaveLength(21)
    expect(tally.reported.slice(0, 20)).toEqual(
      Array.from({ length: 20 }, (_, index) => ({ code: 'unknown', line: index + 1, count: 100 })),
    )
    expect(tally.reported[20]).toEqual({ code: 'unknown', line: 21, count: 1000 })
  })

  it('counts every problem, and a line once, in whatever order they come', () => {
    const problem = fc.record({
      code: fc.constantFrom('a', 'b'),
      line: fc.integer({ min: 1, max: 90 }),
      damaged: fc.boolean(),
      kind: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
    })
    fc.assert(
      fc.property(fc.array(problem, { maxLength: 200 }), (problems) => {
        const tally = new Tally<string>()
        for (const { code, line, damaged, kind } of problems) tally.add({ code, line }, damaged, kind)
        const damaged = problems.filter((each) => each.damaged).map(({ line }) => line)
        expect(tally.damagedLines).toBe(new Set(damaged).size)
        expect(tally.reported.reduce((sum, { count }) => sum + (count ?? 1), 0)).toBe(problems.length)
        expect(tally.reported.length).toBeLessThanOrEqual(2 * 21)
      }),
    )
  })
})
