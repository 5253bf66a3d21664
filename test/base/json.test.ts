import { expect, it } from 'vitest'
import { itemsOf, objectOf, stringOf } from '../../src/base/json.ts'

const values = [undefined, null, 0, '', 'lamp', true, [], [null], {}, { lamp: 1 }]

it.each([
  ['objects', objectOf, [{}, { lamp: 1 }]],
  ['texts', stringOf, ['', 'lamp']],
] as const)('takes %s, and nothing else', (_, take, taken) => {
  expect(values.map((value: unknown) => take(value)).filter((value) => value !== undefined)).toEqual(taken)
})

it('takes a value that is no list for its only item', () => {
  expect(values.map((value) => itemsOf(value))).toEqual([
    [],
    [],
    [0],
    [''],
    ['lamp'],
    [true],
    [],
    [null],
    [{}],
    [{ lamp: 1 }],
  ])
})
