import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Column } from '../../src/base/column.ts'

test('a column holds what a list holds that is appended to, every so many of some values', () => {
  const part = fc.record({
    values: fc.array(fc.integer({ min: 0, max: 99 }), { maxLength: 60 }),
    step: fc.integer({ min: 1, max: 3 }),
  })
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.nat(3), (parts, from) => {
      const [column, list] = [Column.int32(), [] as number[]]
      for (const { values, step } of parts) {
        column.push(1)
        column.append(Int32Array.from(values), from, values.length, step)
        list.push(1, ...values.slice(from).filter((_, nth) => nth % step === 0))
      }
      expect([...column.values()]).toEqual(list)
      expect([...column.view]).toEqual(list)
    }),
  )
})
