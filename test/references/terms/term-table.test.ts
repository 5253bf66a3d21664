import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hashesOfPrefixes, hashOfTerm } from '../../../src/references/terms/term-table.ts'

it('the folders of a path have the hashes that they have as terms', () => {
  const path = fc.array(fc.constantFrom('/', 'src', 'a.ts', 'é', ''), { maxLength: 8 }).map((parts) => parts.join('/'))
  fc.assert(
    fc.property(path, fc.nat(7), (path, termClass) => {
      const folders = [...path.matchAll(/(?<=.)\//gs)].map(({ index }) => path.slice(0, index))
      expect(hashesOfPrefixes(termClass, path, '/')).toEqual(folders.map((folder) => hashOfTerm(termClass, folder)))
    }),
    { seed: 18 },
  )
})
