import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { readExact, writeExact } from '../../src/base/exact-json.ts'
import { anyText } from '../any-text.ts'

it('what is written comes back as it was, to the sign of a zero', () => {
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      fc.double(),
      fc.constantFrom(Number.NaN, -0, Infinity, -Infinity, null, true, 'NaN', '{"$":"NaN"}'),
      anyText(),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.array(tie('tree'), { maxLength: 4 }).map((items) => new Set(items)),
      fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('$', 'of', '__proto__')), tie('tree'), {
        maxKeys: 4,
        noNullPrototype: true,
      }),
    ),
  }))
  fc.assert(
    fc.property(tree, (value) => {
      expect(readExact(writeExact(value))).toStrictEqual(value)
    }),
  )
})

it.each([
  '{"$":"set","of":5}',
  '{"$":"object","of":[[1,2]]}',
  '{"$":"object"}',
  '{"$":"12"}',
  '{"$":null}',
  '[{"$":"nan"}]',
])('a stand-in that nobody writes is no JSON: %s', (text) => {
  expect(() => readExact(text)).toThrow(SyntaxError)
})
