import { describe, expect, it } from 'vitest'
import { foresightTests } from '../../src/model/run.ts'
import { intervals } from '../../src/models/intervals.data.ts'
import { usualInterval } from '../../src/models/intervals.ts'

describe('usualInterval', () => {
  it.each(foresightTests)('knows what to expect of any format where the test is %s', (test) => {
    const interval = usualInterval('a format that nobody measured', test, 'auto')
    expect(interval?.basis).toBe('all')
    expect(interval!.lowPercent).toBeLessThan(interval!.highPercent)
  })

  it('prefers transcripts of the same format, of which there are ten of two owners', () => {
    for (const { program, test, estimator, transcripts, owners, low } of intervals.table) {
      if (program === null) continue
      expect(usualInterval(program, test, estimator)).toMatchObject({ basis: 'format', transcripts, lowPercent: low })
      expect(transcripts).toBeGreaterThanOrEqual(10)
      expect(owners).toBeGreaterThanOrEqual(2)
    }
  })

  it('gives none for an estimator that was not measured', () => {
    expect(usualInterval('claude-code', 'half', 'openai')).toBeNull()
  })
})
