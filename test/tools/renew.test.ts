/** `npm run renew` leaves out nothing that is made of the code. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { renewals } from '../../tools/renew.mjs'
import { root } from '../docs.ts'

const words: readonly string[] = renewals.flatMap(([, argv]) => argv)
const textOf = (path: string) => readFileSync(root + path, 'utf8')

it('runs what is there', () => {
  expect(words.filter((word) => word.includes('/') && !existsSync(root + word))).toEqual([])
})

it('runs each program of tools/docs/ that writes a file: a line in tools/renew.mjs', () => {
  const writing = readdirSync(`${root}tools/docs`)
    .map((name) => `tools/docs/${name}`)
    .filter((path) => textOf(path).includes('writeFileSync('))
  expect(writing.filter((path) => !words.includes(path))).toEqual([])
})

it('updates the snapshots of each test that has some: a line in tools/renew.mjs', () => {
  const matching = /\.to(?:MatchFile|MatchInline|Match|ThrowErrorMatching\w*)Snapshot\(/
  const snapping = readdirSync(`${root}test`, { recursive: true, encoding: 'utf8' })
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.test.ts') && matching.test(textOf(path)))
  expect(snapping.filter((path) => !words.includes(path))).toEqual([])
})

it('is done with the goldens of the command lines that are there, and no others', () => {
  const used = [...textOf('test/cli/goldens.test.ts').matchAll(/^ {2}'(.+)',$/gm)].map(([, line]) =>
    (line as string).replaceAll('fixtures/', '').replaceAll('/', ' ').replaceAll(':', '='),
  )
  expect(readdirSync(`${root}test/goldens/cli`).sort()).toEqual(used.map((line) => `${line}.txt`).sort())
})
