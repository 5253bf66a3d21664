/** How deep a text nests, held against a walk over its characters. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { deepest, endOfString, nestsTooDeep } from '../../src/base/json-depth.ts'
import { readRecords } from '../../src/readers/lines/records.ts'

it('a string ends at the first quote that no backslash takes', () => {
  const texts = fc.string({ unit: fc.constantFrom('\\', '\\', '"', 'a', '['), maxLength: 20 })
  fc.assert(
    fc.property(texts, (text) => {
      const json = `"${text}`
      let at = 1
      while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
      expect(endOfString(json, 0)).toBe(Math.min(at, json.length))
    }),
  )
})

it('brackets count where they are open at once, and not inside of strings', () => {
  const nested = (depth: number, inside: string) => `${'[{"a":'.repeat(depth / 2)}${inside}${'}]'.repeat(depth / 2)}`
  for (const inside of ['1', '"["', '"\\"[["', '"\\\\"', '"\\\\\\"["']) {
    expect([inside, nestsTooDeep(nested(deepest, inside)), nestsTooDeep(nested(deepest + 2, inside))]).toEqual([
      ...[inside, false, true],
    ])
  }
  expect(nestsTooDeep('[1],'.repeat(deepest))).toBe(false)
})

it('an element of a large array nests as deep as a line does', async () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  const kept: number[] = []
  for (const depth of [deepest - 1, deepest]) {
    const problems: string[] = []
    const sink = {
      record: () => void kept.push(depth),
      problem: ({ code }: { code: string }) => void problems.push(code),
    }
    await readRecords({ name: 'test', chunks: [Buffer.from(`[${nested(depth)}]`)] }, sink, { largestWhole: 0 })
    expect(problems).toEqual(depth === deepest ? ['too-deep'] : [])
  }
  expect(kept).toEqual([deepest - 1])
})
