import { describe, expect, it } from 'vitest'
import { noCacheFit } from '../../src/measures/cache-fit.ts'
import type { BillTotal } from '../../src/model/billed.ts'
import { billWords, modelledWords, spentWords } from '../../src/reports/bill.ts'

const bill: BillTotal = {
  ...{ usd: 12.3, input: 9.1, output: 2.2, beside: 1, modelled: 9.02 },
  ...{ requests: 4, sideCalls: 2, estimatedOutputs: 0, transcripts: 1, ...noCacheFit },
}
const outside: BillTotal = { ...bill, usd: 1, input: 0, output: 0, modelled: 0, requests: 0 }

describe('a bill', () => {
  it('has its parts', () => {
    expect(spentWords(bill, 1)).toEqual([
      'spent $12.30: $9.10 for input, modelled as $9.02 (-0.9 %), $1.00 for 2 calls outside the conversation',
    ])
    expect(billWords(bill, 3)).toEqual([
      'Billed $12.30 in 1 of 3 transcripts: $9.10 for input, modelled as $9.02 (-0.9 %), $2.20 for output, $1.00 for 2 calls outside the conversation',
    ])
  })

  it('has how the cache was foreseen instead of a model that has seen it', () => {
    const seen = { ...bill, cacheForeseen: 2040, cacheAfterPause: 41, cacheUnexplained: 36 }
    const words = 'cache foreseen in 2,040 of 2,117 requests; the rest: 41 after a pause, 36 unexplained'
    expect(spentWords(seen, 1)).toEqual([
      `spent $12.30: $9.10 for input (${words}), $1.00 for 2 calls outside the conversation`,
    ])
    expect(billWords(seen, 1)[0]).toContain(`$9.10 for input (${words}), $2.20 for output`)
    expect(modelledWords(seen)).toEqual([`How near the model of the cost comes: ${words}`])
    expect(modelledWords(bill)).toEqual(['The model of the cost is -0.9 % off what recorded usage comes to'])
    const all = { ...bill, cacheForeseen: 1 }
    expect(spentWords(all, 1)[0]).toContain('(cache foreseen in 1 of 1 request),')
    const rest = { ...bill, cacheAtStart: 1, cacheAtPrompt: 2 }
    expect(spentWords(rest, 1)[0]).toContain('in 0 of 3 requests; the rest: 1 at the start, 2 at a prompt')
  })

  it('says that none of its parts is of a request where only sums are recorded', () => {
    const all =
      ', all of it for 2 calls outside the conversation: what each request cost is not recorded, so other costs are estimates'
    expect(spentWords(outside, 1)).toEqual([`spent $1.00${all}`])
    expect(billWords(outside, 1)).toEqual([`Billed $1.00${all}`])
    expect(spentWords({ ...outside, sideCalls: 0 }, 1)[0]).toContain('modelled as')
  })
})
