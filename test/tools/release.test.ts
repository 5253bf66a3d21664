/** What holds a tag back. */
import { expect, it } from 'vitest'
import { wrongWith } from '../../tools/release/tag.mjs'

const manifest = (version: string, owner = 'ada') =>
  JSON.stringify({ version, repository: { url: `git+https://github.com/${owner}/ctxwin.git` } })
const changelog = (heading: string) => `# Changelog\n\nWords.\n\n## ${heading}\n\n- One.\n\n## 0.9.0 - 2026-01-01\n`

it('is nothing where package.json and the changelog are of its version', () => {
  expect(wrongWith('v1.0.0', { manifest: manifest('1.0.0'), changelog: changelog('1.0.0 - 2026-12-01') })).toEqual([])
})

it.each([
  [
    'another version in package.json',
    'v1.0.0',
    manifest('1.0.1'),
    '1.0.1 - 2026-12-01',
    'package.json has version 1.0.1',
  ],
  ['no v', '1.0.0', manifest('1.0.0'), '1.0.0 - 2026-12-01', 'its tag is v1.0.0'],
  ['another version in the changelog', 'v1.0.0', manifest('1.0.0'), '0.9.0 - 2026-12-01', 'begins with 0.9.0'],
  ['no date', 'v1.0.0', manifest('1.0.0'), '1.0.0 (not released)', 'has no date'],
  ['no owner', 'v1.0.0', manifest('1.0.0', 'OWNER'), '1.0.0 - 2026-12-01', 'OWNER'],
])('is %s', (_, tag, manifest, heading, sentence) => {
  expect(wrongWith(tag, { manifest, changelog: changelog(heading) })).toEqual([expect.stringContaining(sentence)])
})
