import { expect, it } from 'vitest'
import { learnedRereads, rereadOf } from '../../src/measures/reread-of.ts'

it('reads again so much of each 1,000 tokens dropped, by program, else by all', () => {
  const table = {
    all: { cuts: 9, tokens: 20, requests: 0.01 },
    programs: { pi: { cuts: 2, tokens: 50, requests: 0.1 } },
  }
  expect(rereadOf('pi', 3_000, table)).toEqual({ tokens: 150, requests: expect.closeTo(0.3) })
  expect(rereadOf(null, 3_000, table)).toEqual({ tokens: 60, requests: 0.03 })
  expect(rereadOf('constructor', 3_000, table)).toEqual(rereadOf(null, 3_000, table))
  expect(rereadOf('pi', -5, table)).toEqual({ tokens: 0, requests: 0 })
})

it('has learned that a cut makes agents read more, and by far less than it drops', () => {
  for (const { tokens, requests } of [learnedRereads.all, ...Object.values(learnedRereads.programs)]) {
    expect(tokens).toBeGreaterThan(0)
    expect(tokens).toBeLessThan(500)
    expect(requests).toBeGreaterThanOrEqual(0)
  }
})
