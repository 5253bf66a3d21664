import { expect, it } from 'vitest'
import { Registry } from '../../src/base/registry.ts'

it('cannot be added to: a plugin of one’s own is handed over itself', () => {
  const registry = new Registry('thing', [{ name: 'one', summary: 'the first' }])
  expect(() => (registry.all as unknown[]).push({ name: 'two', summary: '' })).toThrow(TypeError)
  expect(registry.names).toEqual(['one'])
})
