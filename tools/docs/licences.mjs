/**
 * Generates the table of docs/licences.md from package-lock.json: `npm run renew`. test/package.test.ts fails
 * when it is stale.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const begin = '<!-- generated: npm run renew -->'
export const end = '<!-- end of the generated part -->'

/** What npm installs together with ctxwin: neither for its development nor at the user's wish. */
export function licencesTable(lock) {
  const installed = Object.entries(lock.packages).filter(
    ([path, { dev, peer, devOptional }]) => path !== '' && !dev && !peer && !devOptional,
  )
  const rows = installed.map(([path, { version, license }]) => {
    return `| ${path.replace(/^.*node_modules\//, '')} | ${version} | ${license} |`
  })
  return ['| package | version | licence |', '|---|---|---|', ...rows].join('\n')
}

const file = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = readFileSync(file('docs/licences.md'), 'utf8')
  const table = licencesTable(JSON.parse(readFileSync(file('package-lock.json'), 'utf8')))
  const [before, after] = [page.indexOf(begin) + begin.length, page.indexOf(end)]
  writeFileSync(file('docs/licences.md'), `${page.slice(0, before)}\n\n${table}\n\n${page.slice(after)}`)
}
