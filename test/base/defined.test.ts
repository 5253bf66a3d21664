import { expect, it } from 'vitest'
import { defined } from '../../src/base/defined.ts'

it('leaves out what is undefined, and nothing else', () => {
  expect(Object.entries(defined({ a: undefined, b: null, c: 0, d: '' }))).toEqual([
    ['b', null],
    ['c', 0],
    ['d', ''],
  ])
})
