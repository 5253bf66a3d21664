/**
 * Measures what one command leaves for the next: see README.md.
 *
 *     npm run build && node bench/across.mjs [--rounds 3] [--first NAME]… FOLDER
 */
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median, processorTime } from './processor-time.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' }, first: { type: 'string', multiple: true } },
})
const [folder] = positionals
if (folder === undefined) throw new Error('name a folder of transcripts')

/** What is run, without the folder; `{}` is where a file may be written. */
const commands = {
  ctxwin: [],
  spend: ['spend'],
  sessions: ['sessions'],
  recommend: ['recommend'],
  simulate: ['simulate'],
  'policy all': ['recommend', '--policy', 'all'],
  'budget all': ['recommend', '--budget', 'all'],
  report: ['report', '--output-file', '{}'],
  quality: ['quality'],
  why: ['simulate', '--why'],
}

const bare = `
  const { readdirSync, readFileSync } = require('node:fs')
  for (const entry of readdirSync(process.argv[1], { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    for (const line of readFileSync(entry.parentPath + '/' + entry.name, 'utf8').split('\\n')) {
      try { JSON.parse(line) } catch {}
    }
  }`

const place = mkdtempSync(join(tmpdir(), 'ctxwin-across-'))
const caches = join(place, 'caches')
const kept = join(place, 'kept')

try {
  const firsts = values.first ?? Object.keys(commands)
  const alone = {}
  const rows = {}
  for (let round = 0; round < Number(values.rounds); round++) {
    add(alone, 'bare loop', run(['-e', bare, folder]))
    for (const first of firsts) {
      empty(caches)
      add(alone, first, command(first))
      empty(kept)
      cpSync(caches, kept, { recursive: true, preserveTimestamps: true })
      for (const second of Object.keys(commands)) {
        empty(caches)
        cpSync(kept, caches, { recursive: true, preserveTimestamps: true })
        rows[first] ??= {}
        add(rows[first], second, command(second))
      }
    }
  }
  const size = sizeOf(folder)
  const loop = median(alone['bare loop'])
  console.log(
    `${(size / 1e6).toFixed(0)} MB, medians of ${values.rounds} (Node ${process.versions.node}), processor time`,
  )
  const ofFirst = ([name, seconds]) => {
    const middle = median(seconds)
    return [name, { seconds: middle.toFixed(2), 'of the bare loop': (middle / loop).toFixed(2) }]
  }
  console.table(Object.fromEntries(Object.entries(alone).map(ofFirst)))
  console.log('each column as a share of its own first run, after the command of the row')
  const shares = ([, seconds]) =>
    Object.fromEntries(
      Object.entries(seconds).map(([second, times]) => {
        const first = alone[second]
        return [second, first ? (median(times) / median(first)).toFixed(2) : '-']
      }),
    )
  console.table(Object.fromEntries(Object.entries(rows).map((row) => [row[0], shares(row)])))
} finally {
  rmSync(place, { recursive: true, force: true })
}

function command(name) {
  const words = commands[name].map((word) => (word === '{}' ? join(place, 'page.html') : word))
  rmSync(join(place, 'page.html'), { force: true })
  return run([join(root, 'bin/ctxwin.js'), ...words, folder, '--jobs', '1'])
}

function run(args) {
  // A note on standard error is no part of the table; with findings the exit code is 1.
  const stdio = ['ignore', 'ignore', 'ignore', 'pipe']
  return processorTime(args, { stdio, env: { ...process.env, CI: '', CTXWIN_CACHE_DIR: caches } }, 1)
}

function add(times, name, seconds) {
  times[name] ??= []
  times[name].push(seconds)
}

function empty(directory) {
  rmSync(directory, { recursive: true, force: true })
}

function sizeOf(path) {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
