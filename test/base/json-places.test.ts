import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Path, placesIn } from '../../src/base/json-places.ts'

/** Every path into a value, with the same value but for a mark where the path leads. */
function* marked(value: unknown): Generator<readonly [Path, unknown]> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    const key = Array.isArray(value) ? Number(name) : name
    const put = (other: unknown): unknown =>
      Array.isArray(value)
        ? value.with(key as number, other)
        : Object.fromEntries(Object.entries(value).map(([one, old]) => [one, one === name ? other : old]))
    yield [[key], put('the mark')]
    for (const [path, changed] of marked(inner)) yield [[key, ...path], put(changed)]
  }
}

it('the line of each part is the one where a mark in its place is printed', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const text = JSON.stringify(value, null, 2)
      const places = placesIn(text, 3)
      expect(places.doubled).toEqual([])
      for (const [path, changed] of marked(value)) {
        const line =
          JSON.stringify(changed, null, 2)
            .split('\n')
            .findIndex((one) => one.includes('the mark')) + 1
        expect(places.lineOf(path)).toBe(path.length <= 3 ? line : 0)
      }
    }),
    { numRuns: 300 },
  )
})

it('keys that an object has twice are named with the line of the second, however they are written', () => {
  const text =
    '{"a": 1,\n"b": [{"c": {}, "c": {\n"d": 1}},\n{"c": 1}], "\\u0061": {"a": 2},\n"__proto__": 1, "__proto__": 2}'
  expect(JSON.parse(text)).toMatchObject({ a: { a: 2 } })
  expect(placesIn(text, 9).doubled).toEqual([
    { path: ['b', 0, 'c'], line: 2 },
    { path: ['a'], line: 4 },
    { path: ['__proto__'], line: 5 },
  ])
})

it('strings that look like JSON are none, and a great depth is no stack', () => {
  const text = JSON.stringify({ 'a": {"b': '","a": {}\\"', '[': ']' })
  expect(placesIn(text, 9).doubled).toEqual([])
  expect(placesIn(`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 3).doubled).toEqual([])
})
