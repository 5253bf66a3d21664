import { describe, expect, it } from 'vitest'
import { noCacheFit } from '../../src/measures/cache-fit.ts'
import type { TotalSpent } from '../../src/model/run.ts'
import { billWords, fitWords, spentWords } from '../../src/reports/bill.ts'

const bill: TotalSpent = {
  ...{ usd: 12.3, input: 9.1, output: 2.2, beside: 1 },
  ...{ requests: 4, sideCalls: 2, estimatedOutputs: 0, transcripts: 1, ...noCacheFit },
}
const outside: TotalSpent = { ...bill, usd: 1, input: 0, output: 0, requests: 0 }

describe('a bill', () => {
  it('has its parts, and how many transcripts it is of', () => {
    expect(spentWords(bill, 1)).toEqual(['spent $12.30: $9.10 for input, $1.00 for 2 calls outside the conversation'])
    expect(billWords(bill, 3)).toEqual([
      'Billed $12.30 in 1 of 3 transcripts: $9.10 for input, $2.20 for output, $1.00 for 2 calls outside the conversation',
    ])
    expect(fitWords(bill)).toEqual([])
  })

  it('says of how many requests the cache was foreseen, and where the others are', () => {
    const seen = { ...bill, cacheForeseen: 2040, cacheAfterPause: 41, cacheUnexplained: 36 }
    const words = 'foreseen in 2,040 of 2,117 requests; the rest: 41 after a pause, 36 unexplained'
    expect(spentWords(seen, 1)).toEqual([
      `spent $12.30: $9.10 for input (cache ${words}), $1.00 for 2 calls outside the conversation`,
    ])
    expect(billWords(seen, 1)[0]).toContain(`$9.10 for input (cache ${words}), $2.20 for output`)
    expect(fitWords(seen)).toEqual([`Cache ${words}`])
    expect(spentWords({ ...bill, cacheForeseen: 1 }, 1)[0]).toContain('(cache foreseen in 1 of 1 request),')
    const rest = { ...bill, cacheAtStart: 1, cacheAtPrompt: 2 }
    expect(spentWords(rest, 1)[0]).toContain('in 0 of 3 requests; the rest: 1 at the start, 2 at a prompt')
  })

  it('says that none of its parts is of a request where only sums are recorded', () => {
    const all =
      ', all of it for 2 calls outside the conversation: what each request cost is not recorded, so other costs are estimates'
    expect(spentWords(outside, 1)).toEqual([`spent $1.00${all}`])
    expect(billWords(outside, 1)).toEqual([`Billed $1.00${all}`])
    expect(spentWords({ ...outside, sideCalls: 0 }, 1)[0]).not.toContain('all of it')
  })
})
