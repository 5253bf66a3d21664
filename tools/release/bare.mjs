/**
 * The package on a machine that has nothing but Node: an empty home, and a PATH with `node` and `npm` alone, so no git, no compiler
 * and no shell. It is packed, installed globally, and run: alone, for its pages, and for each output that README and docs show of
 * transcripts that are in the package.
 *
 *     node tools/release/bare.mjs       after npm run build
 *
 * Packages come from the registry and the cache that npm is set to here. Where they cannot be reached, the script fails.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

if (process.platform === 'win32') {
  console.log('skipped: a PATH of links is made as POSIX has it')
  process.exit()
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const place = mkdtempSync(join(tmpdir(), 'ctxwin-bare-'))
process.on('exit', () => rmSync(place, { recursive: true, maxRetries: 10, retryDelay: 500 }))

const [bin, home, prefix, empty] = ['bin', 'home', 'prefix', 'empty'].map((name) => join(place, name))
for (const directory of [bin, home, prefix, empty]) mkdirSync(directory)
const [npm] = process.env.PATH.split(':')
  .map((directory) => join(directory, 'npm'))
  .filter((path) => existsSync(path))
symlinkSync(process.execPath, join(bin, 'node'))
symlinkSync(realpathSync(npm), join(bin, 'npm'))

const env = { PATH: bin, HOME: home }
const configured = (key) => execFileSync(npm, ['config', 'get', key], { cwd: root, encoding: 'utf8' }).trim()
const packing = ['pack', '--ignore-scripts', '--json', '--pack-destination', place]
const [{ filename }] = JSON.parse(execFileSync(npm, packing, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] }))
const installing = ['install', '--global', '--prefix', prefix, '--prefer-offline', '--no-audit', '--no-fund']
const installed = spawnSync(join(bin, 'npm'), [...installing, join(place, filename)], {
  cwd: empty,
  encoding: 'utf8',
  env: { ...env, npm_config_registry: configured('registry'), npm_config_cache: configured('cache') },
})
if (installed.status !== 0) {
  console.error(installed.stdout + installed.stderr)
  process.exit(1)
}

const wrong = []
const ctxwin = (words, cwd) => {
  const { status, stdout, stderr } = spawnSync(join(prefix, 'bin/ctxwin'), words, { cwd, env, encoding: 'utf8' })
  return { status, stdout, stderr }
}
function demand(words, isRight, cwd = empty) {
  const ran = ctxwin(words, cwd)
  if (!isRight(ran))
    wrong.push(`ctxwin ${words.join(' ')}: exit ${ran.status}\n${ran.stderr}${ran.stdout.slice(0, 500)}`)
}

const packageRoot = join(prefix, 'lib/node_modules/ctxwin')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
demand(['--version'], ({ status, stdout }) => status === 0 && stdout === `${version}\n`)
demand([], ({ status, stdout, stderr }) => status === 2 && stdout === '' && stderr.startsWith('ctxwin: '))
for (const name of readdirSync(join(packageRoot, 'docs')).filter((name) => name.endsWith('.md'))) {
  demand(['help', name.slice(0, -'.md'.length)], ({ status, stdout }) => status === 0 && stdout.includes('# '))
}
if (!existsSync(join(prefix, 'share/man/man1/ctxwin.1'))) wrong.push('man ctxwin: there is no such page')

// From the package's own directory, where `fixtures/` is.
const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)]
let shown = 0
for (const page of pages.filter((name) => name.endsWith('.md'))) {
  const text = readFileSync(join(root, page), 'utf8')
  for (const [, line, output] of text.matchAll(/^```\n\$ ctxwin ([^\n]+)\n([\s\S]*?)^```$/gm)) {
    const words = line.split(' ')
    const inputs = words.filter((word) => word.startsWith('fixtures/'))
    if (!inputs.every((path) => existsSync(join(packageRoot, path)))) continue
    shown++
    demand(words, ({ stdout }) => stdout === output, packageRoot)
  }
}

console.log(
  `node ${process.version}: ${shown} outputs of the docs, and what else a new user meets; ${wrong.length} wrong`,
)
for (const sentence of wrong) console.error(sentence)
process.exitCode = wrong.length > 0 || shown === 0 ? 1 : 0
