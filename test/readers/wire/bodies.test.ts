import fc from 'fast-check'
import { expect, test } from 'vitest'
import { timeOf } from '../../../src/readers/wire/bodies.ts'

const shaped = fc
  .tuple(
    fc.oneof(fc.integer({ min: 1968, max: 2102 }), fc.integer({ min: 0, max: 9999 })),
    ...[13, 32, 25, 61, 61].map((max) => fc.integer({ min: 0, max })),
  )
  .chain(([year, month, day, hour, minute, second]) =>
    fc.integer({ min: 0, max: 999 }).map((thousandths) => {
      const padded = (number: number, digits: number) => String(number).padStart(digits, '0')
      const date = `${padded(year, 4)}-${padded(month as number, 2)}-${padded(day as number, 2)}`
      const time = [hour, minute, second].map((part) => padded(part as number, 2)).join(':')
      return `${date}T${time}.${padded(thousandths, 3)}Z`
    }),
  )

const expected = (text: string) => {
  const time = Date.parse(text)
  return time > 0 && time < Date.UTC(2100) ? time : undefined
}

test('a time with a zone is what Date.parse says, or none where it is not valid or of no year agents worked in', () => {
  fc.assert(
    fc.property(fc.array(shaped), (texts) => {
      for (const text of texts) expect([text, timeOf(text)]).toEqual([text, expected(text)])
    }),
  )
})

test('a spoilt character makes it no time, or the time that Date.parse says', () => {
  fc.assert(
    fc.property(shaped, fc.nat(23), fc.constantFrom('x', ' ', '-', '9', 'é', '٣'), (text, at, character) => {
      const spoilt = text.slice(0, at) + character + text.slice(at + 1)
      const time = timeOf(spoilt)
      if (time !== undefined) expect(time).toBe(Date.parse(/Z$/.test(spoilt) ? spoilt : `${spoilt}Z`))
    }),
  )
})
