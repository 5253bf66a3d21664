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

  it('prefers transcripts of the same format, if there are ten', () => {
    for (const { program, test, estimator, transcripts, low } of intervals.table) {
      if (program === null) continue
      const interval = usualInterval(program, test, estimator)
      expect(interval?.basis).toBe(transcripts < 10 ? 'all' : 'format')
      if (transcripts >= 10) expect(interval).toMatchObject({ transcripts, lowPercent: low })
    }
  })

  it('gives none for an estimator that was not measured', () => {
    expect(usualInterval('claude-code', 'half', 'openai')).toBeNull()
  })
})
