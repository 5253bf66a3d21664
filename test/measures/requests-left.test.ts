import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { learnedLeft, madeSince, requestsLeft, startsOf } from '../../src/measures/requests-left.ts'
import { messages, traceOf } from '../simulator/arbitrary.ts'

describe('requests left', () => {
  it('takes the place of the table that the requests made have reached', () => {
    const table = {
      from: [1, 4, 16],
      all: { stretches: 9, left: [10, 20, 30] },
      programs: { pi: { stretches: 2, left: [1, 2, 3] } },
    }
    const expected = (program: string | null) =>
      [0, 1, 3, 4, 15, 16, 900].map((made) => requestsLeft(program, made, table).expected)
    expect(expected(null)).toEqual([10, 10, 10, 20, 20, 30, 30])
    expect(expected('pi')).toEqual([1, 1, 1, 2, 2, 3, 3])
    expect(requestsLeft('pi', 4, table)).toEqual({ made: 4, expected: 2, stretches: 2, program: 'pi' })
    // What nothing was learned of goes by all, also under a name that every object has.
    expect(requestsLeft('constructor', 4, table)).toEqual({ made: 4, expected: 20, stretches: 9, program: null })
  })

  it('has been learned for whole rows', () => {
    for (const row of [learnedLeft.all, ...Object.values(learnedLeft.programs)]) {
      expect(row.left).toHaveLength(learnedLeft.from.length)
      for (const left of row.left) expect(left).toBeGreaterThan(0)
    }
  })
})

describe('a stretch', () => {
  it('begins with the session and behind each cut and reset: what was made since is counted from there', () => {
    const places = fc.array(fc.nat(60), { maxLength: 3 })
    fc.assert(
      fc.property(messages, places, places, (list, compacted, resets) => {
        const compactions = compacted
          .toSorted((a, b) => a - b)
          .filter((at) => at <= list.length)
          .map((at) => ({ at, keptFrom: at, summary: [], line: 1 }))
        const trace = traceOf(list, [], 'openai', { compactions, resets })
        const cuts = [0, ...compactions.map(({ at }) => at)]
        for (let index = 0; index < trace.length; index++) if (trace.isReset(index)) cuts.push(index)
        // By request: how many cuts stand in front of it.
        const behind = Array.from(
          { length: trace.requests },
          (_, request) => cuts.filter((at) => at <= trace.requestAt(request)).length,
        )
        expect(startsOf(trace)).toEqual(
          behind.flatMap((count, request) =>
            request === 0 || count > (behind[request - 1] as number) ? [request] : [],
          ),
        )
        expect(madeSince(trace)).toBe(behind.filter((count) => count === cuts.length).length)
      }),
    )
  })
})
