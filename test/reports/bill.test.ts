import { describe, expect, it } from 'vitest'
import type { BillTotal } from '../../src/model/billed.ts'
import { billWords, spentWords } from '../../src/reports/bill.ts'

const bill: BillTotal = {
  ...{ usd: 12.3, input: 9.1, output: 2.2, beside: 1, modelled: 9.02 },
  ...{ requests: 4, sideCalls: 2, estimatedOutputs: 0, transcripts: 1 },
}
const outside: BillTotal = { ...bill, usd: 1, input: 0, output: 0, modelled: 0, requests: 0 }

describe('a bill', () => {
  it('has its parts', () => {
    expect(spentWords(bill, 1)).toEqual([
      'spent $12.30: $9.10 for input, modelled as $9.02 (-0.9 %), $1.00 for 2 calls outside the conversation',
    ])
    expect(billWords(bill, 3, 'bytes')).toEqual([
      'Billed $12.30 in 1 of 3 transcripts: $9.10 for input, modelled by bytes as $9.02 (-0.9 %), $2.20 for output, $1.00 for 2 calls outside the conversation',
    ])
  })

  it('says that none of its parts is of a request where only sums are recorded', () => {
    const all =
      ', all of it for 2 calls outside the conversation: what each request cost is not recorded, so other costs are estimates'
    expect(spentWords(outside, 1)).toEqual([`spent $1.00${all}`])
    expect(billWords(outside, 1, null)).toEqual([`Billed $1.00${all}`])
    expect(spentWords({ ...outside, sideCalls: 0 }, 1)[0]).toContain('modelled as')
  })
})
