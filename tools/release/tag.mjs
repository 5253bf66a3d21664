/**
 * Holds a tag to what it releases: package.json has its version, CHANGELOG.md its date, and nothing says OWNER any more.
 *
 *     node tools/release/tag.mjs v1.0.0
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** @returns what is wrong, a sentence each */
export function wrongWith(tag, { manifest, changelog }) {
  const { version, repository } = JSON.parse(manifest)
  const [, newest, rest = ''] = /^## (\S+)(.*)$/m.exec(changelog) ?? []
  const wrong = []
  if (tag !== `v${version}`) wrong.push(`package.json has version ${version}: its tag is v${version}, and not ${tag}`)
  if (newest !== version) wrong.push(`CHANGELOG.md begins with ${newest}, and not with ${version}`)
  else if (!/^ - \d{4}-\d\d-\d\d$/.test(rest)) wrong.push(`CHANGELOG.md has no date: "## ${version} - 2026-12-01"`)
  if (repository.url.includes('/OWNER/')) wrong.push('package.json does not say whose repository this is: OWNER')
  return wrong
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , tag = ''] = process.argv
  const textOf = (name) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
  const wrong = wrongWith(tag, { manifest: textOf('package.json'), changelog: textOf('CHANGELOG.md') })
  for (const sentence of wrong) console.error(sentence)
  process.exitCode = wrong.length > 0 ? 1 : 0
}
