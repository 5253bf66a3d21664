import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aliasesOf } from '../../../src/references/terms/aliases.ts'

const spelled = (...paths: string[]): string[] => Array.from(aliasesOf(paths), (root) => paths[root] as string)

test('the end of one path alone is that path', () => {
  expect(spelled('checkpoint/committed.go', 'cmd/entire/cli/checkpoint/committed.go', 'committed.go')).toEqual(
    Array(3).fill('cmd/entire/cli/checkpoint/committed.go'),
  )
})

test('the end of two different paths is neither', () => {
  expect(spelled('src/app/index.ts', 'a/src/app/index.ts', 'b/src/app/index.ts')).toEqual([
    'src/app/index.ts',
    'a/src/app/index.ts',
    'b/src/app/index.ts',
  ])
})

test('a path is not called by where somebody stood', () => {
  expect(spelled('../src/a.ts', 'src/a.ts', 'a.ts', '../b.ts')).toEqual(['src/a.ts', 'src/a.ts', 'src/a.ts', '../b.ts'])
})

test('an end begins at a slash', () => {
  expect(spelled('a.ts', 'src/aa.ts', 'src/a.ts/b')).toEqual(['a.ts', 'src/aa.ts', 'src/a.ts/b'])
})

test('whatever the order, a path is one with another where all that end in it are one', () => {
  const path = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
  fc.assert(
    fc.property(fc.uniqueArray(path, { maxLength: 12 }), (paths) => {
      const one = (path: string): string => {
        const longer = new Set(paths.filter((other) => other.endsWith(`/${path}`)).map(one))
        return longer.size === 1 ? ([...longer][0] as string) : path
      }
      expect(spelled(...paths)).toEqual(paths.map(one))
    }),
  )
})
