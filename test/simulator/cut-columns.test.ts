import { expect, it } from 'vitest'
import type { Cut } from '../../src/model/run.ts'
import { CutColumns } from '../../src/simulator/cut-columns.ts'

const cut = (request: number, evictedExchanges: number[], more: Partial<Cut> = {}): Cut => ({
  request,
  exchange: request + 1,
  message: request * 2,
  line: request * 3,
  evictedExchanges,
  tokensBefore: 100,
  tokensAfter: 50,
  ...more,
})

it('gives back the cuts that were put in, one by one, in order, and as JSON', () => {
  const all = [cut(4, []), cut(5, [1, 2], { breakEvenRequests: 0.25 }), cut(9, [7], { exchange: -1 })]
  const columns = new CutColumns()
  for (const one of all) columns.push(one, one.breakEvenRequests)
  expect(columns).toHaveLength(3)
  expect([...columns]).toStrictEqual(all)
  expect(JSON.stringify(columns)).toBe(JSON.stringify(all))
  for (const at of [0, 2, 3, -1, -3, -4]) expect(columns.at(at)).toStrictEqual(all.at(at))
})
