import { describe, expect, it } from 'vitest'
import { allowedBy, parseTolerance } from '../../src/model/tolerance.ts'

describe('a tolerance', () => {
  it.each([
    ['2%', { over: 'nothing', percent: 2 }],
    [' 0.5 % ', { over: 'nothing', percent: 0.5 }],
    ['0', { over: 'nothing', percent: 0 }],
    ['+1%', { over: 'baseline', percent: 1 }],
    ['+0', { over: 'baseline', percent: 0 }],
  ] as const)('is read from "%s", and from what says the same', (word, tolerance) => {
    expect(parseTolerance(word)).toEqual(tolerance)
    expect(parseTolerance(`${tolerance.over === 'baseline' ? '+' : ''}${tolerance.percent}%`)).toEqual(tolerance)
  })

  it.each(['', '%', '-1%', '++1', 'today', '1%%', '1e3'])('is not read from "%s"', (word) => {
    expect(parseTolerance(word)).toBeUndefined()
  })

  it('allows so many of all, or so many more than the baseline loses', () => {
    expect(29).toBeLessThanOrEqual(allowedBy({ over: 'nothing', percent: 29 }, 7, 100))
    expect(30).toBeGreaterThan(allowedBy({ over: 'nothing', percent: 29 }, 7, 100))
    expect(9).toBeLessThanOrEqual(allowedBy({ over: 'baseline', percent: 1 }, 7, 200))
    expect(10).toBeGreaterThan(allowedBy({ over: 'baseline', percent: 1 }, 7, 200))
  })
})
