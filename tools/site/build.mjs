/**
 * Makes the documentation site of README.md and docs/ in tools/site/dist, or in the directory that is named:
 *
 *     npm ci --ignore-scripts --prefix tools/site
 *     npm run site
 *     npm run --prefix tools/site preview
 *
 * Rollup is held (package.json) at the newest version whose builds for all systems are in the registry: npm leaves those that are
 * not out of the lock file, and `npm ci` then fails on them.
 *
 * SITE_BASE is the path that it is served from, if that is not `/`. The report on the page of `report` is made of fixtures.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'vitepress'

const root = fileURLToPath(new URL('../..', import.meta.url))
const site = fileURLToPath(new URL('.', import.meta.url))
const source = `${site}.source/`

rmSync(source, { recursive: true, force: true })
mkdirSync(`${source}public`, { recursive: true })
cpSync(`${root}README.md`, `${source}index.md`)
for (const name of readdirSync(`${root}docs`).filter((name) => /\.(md|svg)$/.test(name))) {
  cpSync(`${root}docs/${name}`, `${source}${name}`)
}
cpSync(`${root}docs/schema`, `${source}public/schema`, { recursive: true })

const sessions = ['moorings', 'refactor', 'compaction', 'microcompact'].map(
  (name) => `fixtures/claude-code/${name}.jsonl`,
)
execFileSync(process.execPath, ['bin/ctxwin.js', 'report', ...sessions, '-o', `${source}public/example.html`], {
  cwd: root,
})
const example = `
<iframe class="example" src="./example.html" title="A report on four sessions"></iframe>

A report on four sessions that come with the repository. <a href="./example.html" target="_blank">Open it alone</a>.
`
const page = readFileSync(`${source}report.md`, 'utf8')
writeFileSync(
  `${source}report.md`,
  page.replace(/^# .+\n/, (heading) => heading + example),
)

const [directory = `${site}dist`] = process.argv.slice(2)
await build(site, { outDir: directory })
