import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringsIn } from '../../src/base/json-strings.ts'

describe('stringsIn', () => {
  it('gives the strings of any JSON as they come, and no key', () => {
    const slow = (value: unknown): string[] =>
      typeof value === 'string'
        ? [value]
        : typeof value === 'object' && value !== null
          ? Object.values(value).flatMap(slow)
          : []
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(stringsIn(value)).toEqual(slow(value))
      }),
    )
  })

  it('needs no stack', () => {
    let deep: unknown = 'found'
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    expect(stringsIn(deep)).toEqual(['found'])
  })
})
