import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keyOf } from '../../src/base/key.ts'

const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, field]) => [name, shuffled(field)]),
  )
}

test('the same values in other objects and in another order have the same key', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(keyOf(shuffled(value))).toBe(keyOf(value))
    }),
  )
  expect(keyOf({ a: 1, b: undefined, c: () => 1 })).toBe(keyOf({ a: 1 }))
})

test('other values have other keys', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      // JSON has one zero.
      const isSame = isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)))
      expect(keyOf(one) === keyOf(other)).toBe(isSame)
    }),
  )
  const values = [
    0,
    '0',
    Number.NaN,
    Infinity,
    null,
    'null',
    [],
    {},
    [[]],
    [0],
    { 0: 0 },
    { a: 1 },
    { a: '1' },
    ['a', 1],
  ]
  expect(new Set(values.map(keyOf)).size).toBe(values.length)
})
