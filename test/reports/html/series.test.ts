import { inflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { packed } from '../../../src/reports/html/packed.ts'
import { bytesOf, halved, rowsOf, type SeriesRows } from '../../../src/reports/html/series.ts'

const rows = (columns: number, most: number) =>
  fc.array(fc.array(fc.nat(2_000_000), { minLength: columns, maxLength: columns }), { maxLength: most })
const anyRows: fc.Arbitrary<SeriesRows> = fc
  .tuple(fc.nat(60), fc.nat(60))
  .chain(([columns, fewer]) => fc.record({ tokens: rows(columns, 7), cost: rows(columns, 3), runs: rows(fewer, 9) }))

describe('the figures of a picture', () => {
  it('come back from their bytes, each to a 250th of the largest of its row', () => {
    fc.assert(
      fc.property(anyRows, (given) => {
        const found = rowsOf(new Uint8Array(inflateRawSync(Buffer.from(packed(bytesOf(given)), 'base64'))))
        for (const group of ['tokens', 'cost', 'runs'] as const) {
          expect(found[group]).toHaveLength(given[group].length)
          for (const [at, row] of given[group].entries()) {
            const most = Math.max(0, ...row)
            expect(found[group][at]).toHaveLength(row.length)
            for (const [column, value] of row.entries()) {
              expect(Math.abs((found[group][at]?.[column] as number) - value)).toBeLessThanOrEqual(most / 499)
            }
          }
        }
      }),
    )
  })

  it('are the largest of two columns each where there is less room', () => {
    expect(halved([[1, 4, 3, 2, 5]])).toEqual([[4, 3, 5]])
    expect(halved([[]])).toEqual([[]])
  })
})
