import { expect, it } from 'vitest'
import { lineOfFault } from '../../src/base/json-fault.ts'

it.each([
  ['{"a":1,}', 1],
  ['{\n"a":1,\n}', 3],
  ['{"a":[1,2,\n]}', 2],
  ['{\n"a" 1}', 2],
  ['{}\n\n{}', 3],
  ['{"a":\n"b\n"}', 2],
  ['[1,\n01]', 2],
  ['[1,\n\n', 3],
  ['{"a":1\n]', 2],
  ['nul', 1],
  ['', 1],
])('%j stops being JSON in line %i', (text, line) => {
  expect(lineOfFault(text)).toBe(line)
})
