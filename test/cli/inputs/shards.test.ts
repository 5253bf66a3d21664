/** Which files a shard has. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { divide } from '../../../src/cli/inputs/shards.ts'

describe('a shard', () => {
  it('is of the same size as the others, whatever the order of the files', () => {
    const files = fc.uniqueArray(fc.record({ name: fc.string(), size: fc.nat(1e9) }), {
      selector: ({ name }) => name,
      minLength: 1,
      maxLength: 60,
    })
    fc.assert(
      fc.property(files, fc.integer({ min: 1, max: 9 }), (given, shards) => {
        const divided = divide(given, shards)
        const turned = given.toReversed()
        expect(divide(turned, shards).reverse()).toEqual(divided)
        const loads = Array.from({ length: shards }, (_, shard) =>
          given.reduce((sum, { size }, at) => sum + (divided[at] === shard + 1 ? size + 65_536 : 0), 0),
        )
        const largest = Math.max(...given.map(({ size }) => size + 65_536))
        expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(largest)
      }),
    )
  })
})
