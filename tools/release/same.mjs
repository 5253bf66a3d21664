/**
 * Builds the package anew in another folder, and compares it with the one of this checkout, byte for byte.
 *
 *     node tools/release/same.mjs       after npm run build
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const place = mkdtempSync(join(tmpdir(), 'ctxwin-same-'))
process.on('exit', () => rmSync(place, { recursive: true, maxRetries: 10, retryDelay: 500 }))

/** The files of a folder's package, and its checksum. */
function packageOf(folder, name) {
  mkdirSync(join(place, name))
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', join(place, name)]
  const npm = execFileSync('npm', words, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 1e8,
  })
  const [{ filename, files }] = JSON.parse(npm)
  const bytes = readFileSync(join(place, name, filename))
  const sums = new Map(files.map(({ path }) => [path, sumOf(readFileSync(join(folder, path)))]))
  return { sum: sumOf(bytes), sums }
}

const sumOf = (bytes) => createHash('sha256').update(bytes).digest('hex')

const other = join(place, 'another folder')
mkdirSync(other)
const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
for (const file of tracked.split('\0').filter(Boolean)) {
  if (!/^test\//.test(file)) cpSync(join(root, file), join(other, file))
}
symlinkSync(join(root, 'node_modules'), join(other, 'node_modules'))
execFileSync('npm', ['run', 'build'], { cwd: other, stdio: ['ignore', 'ignore', 'inherit'] })

const [here, there] = [packageOf(root, 'here'), packageOf(other, 'there')]
const names = [...new Set([...here.sums.keys(), ...there.sums.keys()])]
for (const name of names.filter((name) => here.sums.get(name) !== there.sums.get(name))) console.log(`differs: ${name}`)
console.log(here.sum === there.sum ? `the same package: SHA-256 ${here.sum}` : 'another package')
process.exitCode = here.sum === there.sum ? 0 : 1
