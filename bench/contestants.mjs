/**
 * The contestants that ingest.mjs measures. To add one, add an entry: `run(path)` reads the whole file in a Node process
 * of its own and returns how many records it saw (they must all agree), or `command(path)` is another program to start.
 */
import { spawnSync } from 'node:child_process'
import { closeSync, createReadStream, openSync, readSync } from 'node:fs'
import { Writable } from 'node:stream'

const built = (path) => import(new URL(`../dist/${path}`, import.meta.url))

export const bare = 'bare JSON.parse'

export const contestants = [
  {
    name: 'node alone',
    about: 'starts and ends: the floor below everything else that runs in Node',
    run: async () => undefined,
  },
  {
    name: bare,
    about:
      'readSync in 1 MB blocks, split at line feeds, JSON.parse: the fastest a program in Node can be and still parse',
    run: async (path) => {
      let records = 0
      eachLine(path, (bytes, start, end) => {
        JSON.parse(bytes.utf8Slice(start, end))
        records++
      })
      return records
    },
  },
  {
    name: 'ctxwin readRecords',
    about: 'the same with line numbers, framing, and a report of everything that can be wrong with a line',
    run: async (path) => {
      const { readRecords } = await built('readers/lines/records.js')
      const { openFile } = await built('readers/lines/source.js')
      let records = 0
      const problem = ({ code, line }) => {
        throw new Error(`${code} in line ${line}`)
      }
      await readRecords(openFile(path), { record: () => void records++, problem })
      return records
    },
  },
  {
    name: 'ctxwin simulate',
    about: 'the whole command, from loading it to its report: one policy, one budget, everything measured',
    run: (path) => command(['simulate', path, '--output', 'ndjson']),
  },
  {
    name: 'ctxwin simulate, bytes only',
    about: 'counted in bytes, and without the second look at all text that lost references take',
    run: (path) => command(['simulate', path, '--output', 'ndjson', ...bytesOnly]),
  },
  {
    name: '… at 10 budgets',
    about: 'the same, read once and replayed ten times',
    run: (path) => command(['simulate', path, '--output', 'ndjson', ...bytesOnly, '--budget', tenBudgets]),
  },
  {
    name: 'ndjson.parse()',
    about: 'the package ctxwin writes NDJSON with, reading; its default stream',
    run: async (path) => {
      const { default: ndjson } = await import('ndjson')
      let records = 0
      for await (const _ of createReadStream(path).pipe(ndjson.parse())) records++
      return records
    },
  },
  {
    name: 'jq -c .',
    about: 'parses and prints again, to nowhere',
    command: (path) => ['jq', '-c', '.', path],
    available: () => spawnSync('jq', ['--version']).status === 0,
  },
]

const bytesOnly = ['--estimator', 'bytes', '--no-references']
const tenBudgets = Array.from({ length: 10 }, (_, tenth) => `${tenth + 1}0k`).join(',')

/** Runs a command line of ctxwin and discards its output. It counts no records. */
async function command(argv) {
  const { main } = await built('cli/main.js')
  const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() })
  const world = { stdin: process.stdin, stdout: nowhere(), stderr: process.stderr, env: {}, cwd: () => process.cwd() }
  const code = await main(argv, world)
  if (code !== 0) throw new Error(`exit code ${code}`)
}

/** Reads lines. One that continues in the next block is moved to the front; the buffer doubles if a line fills it. */
function eachLine(path, line) {
  const file = openSync(path, 'r')
  let buffer = Buffer.allocUnsafeSlow(1 << 20)
  let held = 0
  for (;;) {
    if (held === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafeSlow(buffer.length)])
    const size = readSync(file, buffer, held, buffer.length - held, null)
    if (size === 0) break
    const filled = held + size
    let start = 0
    for (let feed = buffer.indexOf(10, held); feed !== -1 && feed < filled; feed = buffer.indexOf(10, start)) {
      line(buffer, start, feed)
      start = feed + 1
    }
    buffer.copy(buffer, 0, start, filled)
    held = filled - start
  }
  if (held > 0) line(buffer, 0, held)
  closeSync(file)
}
