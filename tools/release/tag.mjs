/**
 * Holds a tag to what it releases: package.json has its version, CHANGELOG.md its date, and no file has the placeholder OWNER in
 * an address any more.
 *
 *     node tools/release/tag.mjs v1.0.0
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** In an address: the word by itself is also that of the pages that explain it. */
export const placeholder = /\bOWNER\/ctxwin\b/

/** How many files are named; the others are counted. */
const mostNamed = 5

/**
 * @param unnamed names of files that have the placeholder
 * @returns what is wrong, a sentence each
 */
export function wrongWith(tag, { manifest, changelog, unnamed }) {
  const { version } = JSON.parse(manifest)
  const [, newest, rest = ''] = /^## (\S+)(.*)$/m.exec(changelog) ?? []
  const wrong = []
  if (tag !== `v${version}`) wrong.push(`package.json has version ${version}: its tag is v${version}, and not ${tag}`)
  if (newest !== version) wrong.push(`CHANGELOG.md begins with ${newest}, and not with ${version}`)
  else if (!/^ - \d{4}-\d\d-\d\d$/.test(rest)) wrong.push(`CHANGELOG.md has no date: "## ${version} - 2026-12-01"`)
  if (unnamed.length > 0) {
    const more = unnamed.length > mostNamed ? ` and ${unnamed.length - mostNamed} more` : ''
    const named = `${unnamed.slice(0, mostNamed).join(', ')}${more}`
    wrong.push(`OWNER stands where the owner of the repository should, in ${named}: see "A release" in CONTRIBUTING.md`)
  }
  return wrong
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , tag = ''] = process.argv
  const root = new URL('../../', import.meta.url)
  const textOf = (name) => readFileSync(new URL(name, root), 'utf8')
  const listed = spawnSync('git', ['ls-files', '-z'], { cwd: fileURLToPath(root), encoding: 'utf8' }).stdout.split('\0')
  const pages = listed.filter((name) => /(?:\.(?:md|json|yml|yaml|rb|1)|^Dockerfile)$/.test(name))
  const wrong = wrongWith(tag, {
    manifest: textOf('package.json'),
    changelog: textOf('CHANGELOG.md'),
    unnamed: pages.filter((name) => placeholder.test(textOf(name))),
  })
  for (const sentence of wrong) console.error(sentence)
  process.exitCode = wrong.length > 0 ? 1 : 0
}
