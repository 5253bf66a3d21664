/** Every statement of the five documents has a test that holds it, or a reason why none can: docs/documents.md shows them. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { policies } from '../../src/policies/index.ts'
import { generateDocuments, readDocuments } from '../../tools/docs/documents.mjs'
import { renew } from '../../tools/docs/policies.mjs'
import { root } from '../docs.ts'

interface Document {
  readonly policies: readonly string[]
  /** File and title of a test, by a short name. */
  readonly tests: Readonly<Record<string, readonly [file: string, title: string]>>
  readonly statements: readonly {
    readonly number: number
    readonly says: string
    readonly held?: string
    readonly why?: string
  }[]
}

const documents = Object.entries(readDocuments() as Record<string, Document>)

it('are numbered from 1 on, none left out', () => {
  const numbers = documents.flatMap(([, { statements }]) => statements.map(({ number }) => number))
  expect(numbers).toEqual(Array.from({ length: 193 }, (_, index) => index + 1))
})

it.each(documents)('%s: each is held by a test that is there, or says why not', (_, { tests, statements }) => {
  const missing = Object.entries(tests).filter(
    ([, [file, title]]) => !existsSync(root + file) || !readFileSync(root + file, 'utf8').includes(title),
  )
  expect(missing).toEqual([])
  expect(statements.filter(({ held, why }) => (held === undefined) === (why === undefined))).toEqual([])
  expect(new Set(statements.flatMap(({ held = [] }) => held))).toEqual(new Set(Object.keys(tests)))
})

it('are in docs/documents.md: npm run renew', () => {
  const page = readFileSync(`${root}docs/documents.md`, 'utf8')
  expect(
    renew(
      page,
      generateDocuments(readDocuments(), (name: string) => policies.get(name)),
    ),
  ).toBe(page)
})
