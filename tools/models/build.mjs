/**
 * Regenerates src/models/models.data.ts: `node tools/models/build.mjs [PI_AI_DIR GENAI_PRICES_DIR]`.
 *
 * Without directories it downloads the versions pinned in curation.data.json from npm into a temporary folder. They are
 * not dependencies: pi-ai's `engines` would make `npm install` on Node 20 silently install a stale version, and nothing of
 * either is needed at run time. To refresh: raise `version` and `asOf` in curation.data.json (`npm view <package> time
 * --json`), run this, decide what it reports as UNDECIDED, and review the diff of the table line by line.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { mergeSources, writeTable } from './merge.mjs'

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'))
const curation = readJson(new URL('curation.data.json', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'ctxwin-models-'))

try {
  const given = process.argv.slice(2)
  const [piDir, pricesDir] = given.length === 2 ? given : curation.sources.map(unpack)
  for (const [index, dir] of [piDir, pricesDir].entries()) {
    const { name, version } = readJson(join(dir, 'package.json'))
    const wanted = curation.sources[index]
    if (name !== wanted.package || version !== wanted.version)
      throw new Error(`${dir} holds ${name} ${version}; curation.data.json wants ${wanted.package} ${wanted.version}`)
  }

  const data = join(piDir, 'dist/providers/data')
  const files = readdirSync(data).filter((file) => /^[a-z].*\.json$/.test(file))
  const windows = Object.fromEntries(files.map((file) => [file.slice(0, -5), readJson(join(data, file))]))
  const { findProvider } = await import(pathToFileURL(join(pricesDir, 'dist/index.js')).href)
  const lists = curation.providers.flatMap(({ prices }) => prices ?? [])
  const prices = Object.fromEntries(lists.map((providerId) => [providerId, findProvider({ providerId })?.models ?? []]))

  const { rows, remarks, undecided } = mergeSources({ windows, prices, curation })
  for (const line of remarks) console.log(line)
  for (const line of undecided) console.error(`UNDECIDED ${line}`)
  if (undecided.length > 0) process.exitCode = 1
  else writeFileSync(new URL('../../src/models/models.data.ts', import.meta.url), writeTable(rows, curation))
  console.log(`${rows.length} models`)
} finally {
  rmSync(scratch, { recursive: true })
}

function unpack({ package: name, version }) {
  const dir = mkdtempSync(join(scratch, 'package-'))
  const tarball = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', `${name}@${version}`], {
    cwd: dir,
    encoding: 'utf8',
  }).trim()
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1'], { cwd: dir })
  return dir
}
