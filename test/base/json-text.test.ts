import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonLength } from '../../src/base/json-length.ts'
import { jsonText } from '../../src/base/json-text.ts'

/** The value nested in arrays and objects so deep that JSON.stringify overflows the stack. */
function buried(value: unknown, depth = 20_000): { deep: unknown; text: (inner: string) => string } {
  let deep = value
  for (let level = 0; level < depth; level++) deep = level % 2 === 0 ? [deep, 'x'] : { a: deep }
  return { deep, text: (inner) => `${'{"a":['.repeat(depth / 2)}${inner}${',"x"]}'.repeat(depth / 2)}` }
}

describe('jsonText', () => {
  it('is JSON.stringify where that can write', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonText(value, 2)).toBe(JSON.stringify(value, null, 2))
      }),
    )
    expect(jsonText(undefined)).toBe('')
  })

  it('writes the same at any depth', () => {
    expect(() => JSON.stringify(buried(1).deep)).toThrow(RangeError)
    const any = fc.oneof(fc.jsonValue(), fc.anything({ maxDepth: 0 }), fc.record({ a: fc.anything({ maxDepth: 0 }) }))
    const written = any.filter((value) => typeof value !== 'bigint' && typeof Object(value).a !== 'bigint')
    // Many values at the bottom of one nesting: building the nesting takes the time.
    fc.assert(
      fc.property(fc.array(written, { minLength: 10, maxLength: 30 }), (values) => {
        const { deep, text } = buried(values)
        expect(jsonText(deep)).toBe(text(JSON.stringify(values)))
      }),
      { numRuns: 2 },
    )
  })

  it('indents what people read, and nothing that nests deeper', () => {
    const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}1${']'.repeat(depth)}`)
    expect(jsonText(nested(100), 2)).toBe(JSON.stringify(nested(100), null, 2))
    expect(jsonText({ a: nested(100), b: 1 }, 2)).toBe(JSON.stringify({ a: nested(100), b: 1 }))
  })

  it('has the length that jsonLength says', () => {
    const { deep } = buried({ text: 'ä\n', left: undefined, list: [undefined] })
    expect(jsonLength(deep)).toBe(Buffer.byteLength(jsonText(deep)))
  })

  it('does not write what has no end', () => {
    const circle: unknown[] = []
    circle.push(circle)
    expect(() => jsonText(circle)).toThrow(TypeError)
  })
})
