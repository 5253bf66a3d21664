/** What holds a tag back. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { placeholder, wrongWith } from '../../tools/release/tag.mjs'

const manifest = (version: string) => JSON.stringify({ version })
const changelog = (heading: string) => `# Changelog\n\nWords.\n\n## ${heading}\n\n- One.\n\n## 0.9.0 - 2026-01-01\n`
const none: readonly string[] = []

it('is nothing where package.json and the changelog are of its version, and the owner is named', () => {
  const files = { manifest: manifest('1.0.0'), changelog: changelog('1.0.0 - 2026-12-01'), unnamed: none }
  expect(wrongWith('v1.0.0', files)).toEqual([])
})

it.each([
  [
    'another version in package.json',
    'v1.0.0',
    manifest('1.0.1'),
    '1.0.1 - 2026-12-01',
    none,
    'package.json has version 1.0.1',
  ],
  ['no v', '1.0.0', manifest('1.0.0'), '1.0.0 - 2026-12-01', none, 'its tag is v1.0.0'],
  ['another version in the changelog', 'v1.0.0', manifest('1.0.0'), '0.9.0 - 2026-12-01', none, 'begins with 0.9.0'],
  ['no date', 'v1.0.0', manifest('1.0.0'), '1.0.0 (not released)', none, 'has no date'],
  ['no owner', 'v1.0.0', manifest('1.0.0'), '1.0.0 - 2026-12-01', ['README.md'], 'should, in README.md: see'],
  [
    'no owner in many files',
    'v1.0.0',
    manifest('1.0.0'),
    '1.0.0 - 2026-12-01',
    ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
    'in a, b, c, d, e and 2 more:',
  ],
])('is %s', (_, tag, manifest, heading, unnamed, sentence) => {
  const files = { manifest, changelog: changelog(heading), unnamed }
  expect(wrongWith(tag, files)).toEqual([expect.stringContaining(sentence)])
})

it('refuses a release while any address of this repository has no owner', () => {
  const { status, stderr } = spawnSync(process.execPath, ['tools/release/tag.mjs', 'v0.0.0'], { encoding: 'utf8' })
  expect(status).toBe(1)
  const isOpen = placeholder.test(readFileSync('package.json', 'utf8'))
  expect(stderr.includes('OWNER stands where')).toBe(isOpen)
  expect(placeholder.test('`OWNER` is the owner of the copy that you use')).toBe(false)
  expect(placeholder.test('uses: OWNER/ctxwin@v1.0.0')).toBe(true)
})
