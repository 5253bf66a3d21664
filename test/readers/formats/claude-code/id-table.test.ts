import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IdTable } from '../../../../src/readers/formats/claude-code/id-table.ts'
import { anyText } from '../../../any-text.ts'

const ids = fc.array(fc.oneof(fc.uuid(), fc.string(), anyText({ maxLength: 3 })), { maxLength: 400 })

test('knows the ids that a Set knows, and what was put beside each', () => {
  fc.assert(
    fc.property(ids, ids, (added, asked) => {
      const table = new IdTable(2)
      const known = new Map<string, number>()
      for (const [index, id] of added.entries()) {
        expect(table.find(id) >= 0).toBe(known.has(id))
        const place = table.add(id)
        table.set(place, 0, index)
        table.set(place, 1, index + 7)
        known.set(id, index)
      }
      for (const id of [...added, ...asked]) {
        const place = table.find(id)
        expect(place >= 0).toBe(known.has(id))
        if (place >= 0) expect([table.get(place, 0), table.get(place, 1) - 7]).toEqual([known.get(id), known.get(id)])
      }
    }),
  )
})

test('tells ten thousand ids apart that differ in a single character', () => {
  const table = new IdTable(0)
  const name = (index: number) => `msg_${String(index).padStart(5, '0')}_0000000000000000`
  for (let index = 0; index < 10_000; index += 2) table.add(name(index))
  const wrong = Array.from({ length: 10_000 }, (_, index) => index).filter(
    (index) => table.find(name(index)) >= 0 !== (index % 2 === 0),
  )
  expect(wrong).toEqual([])
})
