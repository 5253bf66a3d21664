/**
 * The contestants that ingest.mjs measures. To add one, add an entry: `run({ path, files })` works through all of them in a
 * Node process of its own and returns how many records it saw, if it counts them (all must agree), or
 * `command({ path, files })` is another program to start. `path` is the file or folder that was given, `files` what is in it.
 * `before` is called once, and `beforeEach` before each run; neither is measured. `watched`: it is run as if standard error were a
 * terminal, on which it shows how far it is.
 */
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  cpSync,
  createReadStream,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  truncateSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../bin/ctxwin.js', import.meta.url))
const built = (path) => import(new URL(`../dist/${path}`, import.meta.url))

export const bare = 'bare JSON.parse'

/** What people wait for, besides `simulate`. `line` is what they type. */
const waitedFor = [
  {
    name: 'ctxwin',
    about: 'what `ctxwin` alone does: what was recorded, what it cost, and what to set',
    line: ({ path }) => [path],
  },
  {
    name: 'ctxwin recommend',
    about: 'what to set: every candidate at every budget, read once',
    line: ({ path }) => ['recommend', path],
  },
  {
    name: 'ctxwin spend',
    about: 'what was spent, and on what',
    line: ({ path }) => ['spend', path],
  },
  {
    name: 'ctxwin report',
    about: 'the page: every policy at every budget, session by session, and four of them drawn',
    line: ({ path, folder }) => ['report', path, '-o', join(folder, 'page.html')],
  },
]

/** What is read is kept, in CI, too. */
const kept = { CTXWIN_TRACE_CACHE: 'true' }

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
    run: async ({ files }) => {
      let records = 0
      const parse = (text) => {
        try {
          JSON.parse(text)
          records++
        } catch {
          // A torn line of a real transcript.
        }
      }
      for (const file of files) {
        if (file.endsWith('.json')) parse(readFileSync(file, 'utf8'))
        else eachLine(file, (bytes, start, end) => parse(bytes.utf8Slice(start, end)))
      }
      return records
    },
  },
  {
    name: 'ctxwin readRecords',
    about: 'the same with line numbers, framing, and a report of everything that can be wrong with a line',
    run: async ({ files }) => {
      const { readRecords } = await built('readers/lines/records.js')
      const { openFile } = await built('readers/lines/source.js')
      let records = 0
      for (const file of files) await readRecords(openFile(file), { record: () => void records++, problem() {} })
      return records
    },
  },
  {
    name: 'ctxwin simulate',
    about: 'the whole command, from loading it to its report: one policy, one budget, everything measured',
    run: ({ path }) => ctxwin(['simulate', path, '--output', 'ndjson']),
  },
  {
    name: '… with the thresholds of V8',
    about: 'the same without what ctxwin tells V8 before it starts: when to optimise what is run often',
    run({ path }) {
      createRequire(import.meta.url)('node:v8').setFlagsFromString = () => {}
      return ctxwin(['simulate', path, '--output', 'ndjson'])
    },
  },
  {
    name: '… of a second run',
    about: 'the same at another budget, after a run that has kept what it read',
    before: keep,
    run: ({ path }) => ctxwin(['simulate', path, '--output', 'ndjson', '--budget', '50k'], kept),
  },
  {
    name: '… of files that grew',
    about: 'the same of files to which their last twentieth was appended after a run',
    before: grow,
    beforeEach({ folder }) {
      rmSync(join(folder, 'grown-cache', 'traces'), { recursive: true })
      cpSync(join(folder, 'grown-traces'), join(folder, 'grown-cache', 'traces'), { recursive: true })
    },
    run({ path, folder }) {
      process.env.CTXWIN_CACHE_DIR = join(folder, 'grown-cache')
      return ctxwin(['simulate', join(folder, 'grown', basename(path)), '--output', 'ndjson'], kept)
    },
  },
  {
    name: '… that needs the text',
    about: 'the same of a policy that edits text, which is not kept: the file is read for that alone',
    before: keep,
    run: ({ path }) => ctxwin(['simulate', path, '--output', 'ndjson', '--policy', 'mask-tool-results'], kept),
  },
  {
    name: 'ctxwin simulate, bytes only',
    about: 'counted in bytes, and without the second look at all text that lost references take',
    run: ({ path }) => ctxwin(['simulate', path, '--output', 'ndjson', ...bytesOnly]),
  },
  {
    name: '… at 10 budgets',
    about: 'the same, read once and replayed ten times',
    run: ({ path }) => ctxwin(['simulate', path, '--output', 'ndjson', ...bytesOnly, '--budget', tenBudgets]),
  },
  // A first and a second run, by as many threads as ctxwin starts by itself, and by one.
  ...waitedFor.flatMap(({ name, about, line }) => [
    { name, about, watched: true, run: (work) => ctxwin(line(work)) },
    { name: `${name}, one job`, about, watched: true, run: (work) => ctxwin([...line(work), '--jobs', '1']) },
    {
      name: `${name}, again`,
      about: `${about}; of transcripts that an earlier run of it has kept`,
      watched: true,
      before: (work) => keep(work, line(work)),
      run: (work) => ctxwin(line(work), kept),
    },
    {
      name: `${name}, one job, again`,
      about: `${about}; of transcripts that an earlier run of it has kept`,
      watched: true,
      before: (work) => keep(work, line(work)),
      run: (work) => ctxwin([...line(work), '--jobs', '1'], kept),
    },
  ]),
  {
    name: 'simdjson',
    about:
      'parses each line in native code with SIMD, and does nothing with it: the floor of what a walk over the bytes can be',
    command: ({ files }) => [simdjson(), ...files],
    available: () => simdjson() !== null,
  },
  {
    name: 'ccusage',
    about: 'adds up the recorded usage of Claude Code sessions, and reads nothing else of them',
    command: () => ['ccusage', 'daily', '--json', '--offline'],
    available: () => spawnSync('ccusage', ['--version']).status === 0,
  },
  {
    name: 'ndjson.parse()',
    about: 'the package ctxwin writes NDJSON with, reading; its default stream',
    run: async ({ files }) => {
      const { default: ndjson } = await import('ndjson')
      let records = 0
      for (const file of files) {
        for await (const _ of createReadStream(file).pipe(ndjson.parse({ strict: false }))) records++
      }
      return records
    },
  },
  {
    name: '… line by line',
    about: 'the same with a loop in front that knows the number of each line and hands it over alone',
    run: async ({ files }) => {
      const { default: ndjson } = await import('ndjson')
      let records = 0
      for (const file of files) {
        const rows = ndjson.parse({ strict: false })
        eachLine(file, (bytes, start, end) => {
          rows.write(`${bytes.utf8Slice(start, end)}\n`)
          if (rows.read() !== null) records++
        })
      }
      return records
    },
  },
  {
    name: 'jq -c .',
    about: 'parses and prints again, to nowhere',
    command: ({ files }) => ['jq', '-c', '.', ...files],
    available: () => spawnSync('jq', ['--version']).status === 0,
  },
]

let compiled
/** The program of simdjson.cpp, which is compiled once; null where there is no compiler or no simdjson. */
function simdjson() {
  if (compiled !== undefined) return compiled
  const program = join(mkdtempSync(join(tmpdir(), 'ctxwin-simdjson-')), 'simdjson')
  process.on('exit', () => rmSync(dirname(program), { recursive: true }))
  const source = fileURLToPath(new URL('simdjson.cpp', import.meta.url))
  const { status } = spawnSync('c++', ['-O3', '-o', program, source, '-lsimdjson'], { stdio: 'ignore' })
  compiled = status === 0 ? program : null
  return compiled
}

/** Runs `simulate`, or another command line, once, which keeps what it has read. */
function keep({ path, home }, line = ['simulate', path]) {
  // What was written a moment ago is not kept.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500)
  spawnSync(process.execPath, [program, ...line], { env: { ...process.env, ...kept, HOME: home } })
}

/** Copies the transcripts, runs `simulate` over them without their ends, and appends these. */
function grow({ path, files, folder }) {
  const copy = join(folder, 'grown', basename(path))
  const cache = join(folder, 'grown-cache')
  for (const name of ['grown', 'grown-cache', 'grown-traces'])
    rmSync(join(folder, name), { recursive: true, force: true })
  cpSync(path, copy, { recursive: true })
  const ends = files.map((file) => {
    const [own, text] = [join(folder, 'grown', relative(dirname(path), file)), readFileSync(file)]
    const end = text.lastIndexOf(10, Math.floor(text.length * 0.95)) + 1
    truncateSync(own, end)
    return () => appendFileSync(own, text.subarray(end))
  })
  const env = { ...process.env, ...kept, CTXWIN_CACHE_DIR: cache }
  spawnSync(process.execPath, [program, 'simulate', copy], { env })
  for (const append of ends) append()
  cpSync(join(cache, 'traces'), join(folder, 'grown-traces'), { recursive: true })
}

const bytesOnly = ['--estimator', 'bytes']
const tenBudgets = Array.from({ length: 10 }, (_, tenth) => `${tenth + 1}0k`).join(',')

/**
 * Runs a command line of ctxwin as a shell would. It counts no records, and ends the process when it fails.
 * @param env variables of a run that takes what an earlier one has kept of the transcripts; null = nothing is kept
 */
async function ctxwin(argv, env = null) {
  Object.assign(process.env, env)
  process.argv.splice(1, Infinity, program, ...argv, ...(env === null ? ['--no-cache'] : []))
  createRequire(import.meta.url)(program)
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
