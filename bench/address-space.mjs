/**
 * What works under a limit on address space, and how much of it Node takes by itself: the tables of docs/scale.md, in Markdown.
 *
 *     npm run build && node bench/address-space.mjs
 *
 * Linux only. What works prints and ends as without a limit, but for a note about the limit itself.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generate } from './generate.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const bin = join(root, 'bin/ctxwin.js')
const place = mkdtempSync(join(tmpdir(), 'ctxwin-space-'))
const small = join(place, 'small.jsonl')
const folder = join(place, 'folder')
mkdirSync(folder)
cpSync(join(root, 'fixtures/claude-code/compaction.jsonl'), small)
for (const seed of [1, 2, 3, 4]) generate(join(folder, `${seed}.jsonl`), { bytes: 16e6, seed })

/** @param gigabytes the limit; null for none */
function run(gigabytes, argv, { input = '', options } = {}) {
  const limit = gigabytes === null ? 'unlimited' : Math.round(gigabytes * 2 ** 20)
  const script = `ulimit -c 0; ulimit -v ${limit}; exec "$@"`
  const env = { PATH: process.env.PATH, CI: '1', ...(options && { NODE_OPTIONS: options }) }
  const words = ['-c', script, 'sh', process.execPath, ...argv]
  const { status, stdout, stderr } = spawnSync('sh', words, { cwd: place, env, input, encoding: 'utf8' })
  return { status, stdout, stderr: stderr.split('\n').filter((line) => !line.includes('address space')) }
}

/** The least that works, in GB. @param works for so many */
function least(works) {
  for (let gigabytes = 0.5; gigabytes < 64; gigabytes = Math.round((gigabytes + 0.05) * 100) / 100) {
    if (works(gigabytes)) return gigabytes
  }
  throw new Error('not even 64 GB suffice')
}

const cases = {
  'a small file': () => [bin, 'simulate', small],
  '64 MB in 4 files': () => [bin, 'simulate', folder, '--jobs', '1'],
  'the same with --jobs 4': () => [bin, 'simulate', folder, '--jobs', '4'],
  'advise --hook': () => [bin, 'advise', '--hook'],
  'export --to sqlite:': (gigabytes) => [bin, 'export', small, '--to', `sqlite:${gigabytes}.db`],
}
const input = JSON.stringify({ transcript_path: small, hook_event_name: 'Status' })

const limits = [1, 2, 4, 6, 8, 12, 16, null]
const cellOf = (words, gigabytes, options) => {
  const [free, limited] = [null, gigabytes].map((limit, at) =>
    run(limit, words(`${gigabytes}-${at}`), { input, options }),
  )
  if (JSON.stringify(free) === JSON.stringify(limited)) return 'works'
  return limited.status === 2 ? 'refused' : 'Node ends it'
}

console.log(`Node ${process.version}: ${least((gigabytes) => run(gigabytes, ['-e', '']).status === 0)} GB to start\n`)
for (const options of [undefined, '--disable-wasm-trap-handler']) {
  const heads = Object.keys(cases)
  console.log(`${options ?? ''}\n| ulimit -v | ${heads.join(' | ')} |\n|---|${heads.map(() => '---|').join('')}`)
  for (const limit of limits) {
    const cells = Object.values(cases).map((words) => cellOf(words, limit, options))
    console.log(`| ${limit === null ? 'unlimited' : `${limit} GB`} | ${cells.join(' | ')} |`)
  }
}
rmSync(place, { recursive: true })
