/** A shape names the first key that is missing or of another type, and nothing else. */
import { expect, it } from 'vitest'
import { both, keys, kinds, listOf, optional, orText } from '../../../src/readers/wire/shape.ts'

const part = kinds('type', { text: keys({ text: 'string' }), call: keys({ input: 'object|string', id: 'string?' }) })
const message = keys({ content: orText(listOf(part)), usage: optional(keys({ input: 'number' })) })

it.each([
  [{ content: 'hi' }, null],
  [{ content: [], usage: null }, null],
  [{ content: [{ type: 'text', text: '' }], other: 7 }, null],
  [{ content: [{ type: 'lamp' }] }, null],
  [{ content: [{ type: 'call', input: '{}', id: null }] }, null],
  [null, ''],
  [[], ''],
  [{}, 'content'],
  [{ content: null }, 'content'],
  [{ content: {} }, 'content'],
  [{ content: [7] }, 'content[]'],
  [{ content: [{}] }, 'content[].type'],
  [{ content: [{ type: 'text' }] }, 'content[].text'],
  [{ content: [{ type: 'call', input: [] }] }, 'content[].input'],
  [{ content: [{ type: 'call', input: {}, id: 7 }] }, 'content[].id'],
  [{ content: '', usage: { input: '7' } }, 'usage.input'],
  [{ content: '', usage: [] }, 'usage'],
])('%j: %s', (value, odd) => expect(message(value)).toBe(odd))

it('holds a value to several shapes', () => {
  const shape = both(keys({ a: 'any' }), keys({ b: 'boolean' }))
  expect([{ a: 1, b: true }, { b: true }, { a: null, b: true }, { a: [] }].map(shape)).toEqual([null, 'a', 'a', 'b'])
})
