/**
 * Makes what a release consists of: the package, the bill of what is in it (CycloneDX), the formula for Homebrew, and the
 * checksums of them all.
 *
 *     node tools/release/make.mjs DIRECTORY
 *
 * The same commit gives the same bytes, whoever makes them and where.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const npm = (...args) =>
  execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1e8 })
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')

const [, , directory] = process.argv
if (directory === undefined) {
  console.error('usage: node tools/release/make.mjs DIRECTORY')
  process.exit(2)
}
const place = resolve(directory)
mkdirSync(place, { recursive: true })

const { name, version, description, homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const [{ filename }] = JSON.parse(npm('pack', '--json', '--pack-destination', place))
const sums = new Map([[filename, sha256(readFileSync(join(place, filename)))]])

function write(file, text) {
  writeFileSync(join(place, file), text)
  sums.set(file, sha256(text))
}

// npm gives each bill a number and a time of its own, and takes the name of the folder for that of the package.
const bill = JSON.parse(
  npm('sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'dev', '--omit', 'peer'),
)
delete bill.serialNumber
delete bill.metadata.timestamp
bill.metadata.component.name = name
write(`${name}-${version}.cdx.json`, `${JSON.stringify(bill, null, 2)}\n`)

const formula = readFileSync(new URL('ctxwin.rb', import.meta.url), 'utf8')
const blanks = {
  DESCRIPTION: description.split(',')[0],
  HOMEPAGE: homepage.replace(/#.*/, ''),
  VERSION: version,
  SHA256: sums.get(filename),
}
write(
  'ctxwin.rb',
  formula.replace(/^#.*\n/gm, '').replace(/\{(\w+)\}/g, (whole, word) => blanks[word] ?? whole),
)

writeFileSync(join(place, 'SHA256SUMS'), [...sums].map(([file, sum]) => `${sum}  ${file}\n`).join(''))
