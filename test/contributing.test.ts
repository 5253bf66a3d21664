/** What CONTRIBUTING.md tells a newcomer to touch and to run is there. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { root } from './docs.ts'

const text = readFileSync(`${root}CONTRIBUTING.md`, 'utf8')
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

const linked = [...text.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, path]) => path as string)
const named = [...text.matchAll(/`((?:src|test|fixtures|tools|\.ci)\/[^\s`]*)/g)].map(([, path]) => path as string)
const run = [...text.matchAll(/node ((?:tools|bin)\/\S+?\.m?js)/g)].map(([, path]) => path as string)

it.each([...new Set([...linked, ...named, ...run])])('%s exists', (path) => {
  // `<name>` is the reader's own, and `*` any: what is in front of it has to be there.
  expect(existsSync(root + path.replace(/[^/]*[<*].*$/, ''))).toBe(true)
})

it.each([...text.matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script as string))(
  'npm run %s exists',
  (script) => {
    expect(scripts).toHaveProperty([script])
  },
)
