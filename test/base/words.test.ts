import { expect, it } from 'vitest'
import { setOf, wordsIn } from '../../src/base/words.ts'

it('takes words apart at white space of any kind', () => {
  expect(wordsIn('\n  lamp desk\n  chair\n')).toEqual(['lamp', 'desk', 'chair'])
})

it('makes one set of words and of other sets', () => {
  const furniture = setOf('lamp desk', new Set(['chair']))
  expect([...furniture]).toEqual(['lamp', 'desk', 'chair'])
  expect([furniture.has('chair'), furniture.has('lam'), furniture.has(undefined)]).toEqual([true, false, false])
})
