/**
 * Measures how fast transcripts are read, against other ways to read them: see README.md.
 *
 *     npm run build && node bench/ingest.mjs [--bytes 64mb] [--rounds 5] [--messages] [--growth] [--only NAME]… [FILE]
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bare, contestants } from './contestants.mjs'
import { bytesOf, generate } from './generate.mjs'

const here = fileURLToPath(import.meta.url)
const gnuTime = '/usr/bin/time'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    bytes: { type: 'string', default: '64mb' },
    rounds: { type: 'string', default: '5' },
    messages: { type: 'boolean', default: false },
    growth: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    child: { type: 'string' },
  },
})

if (values.child !== undefined) await runAsChild(values.child, positionals[0])
else compareAll()

function compareAll() {
  const folder = mkdtempSync(join(tmpdir(), 'ctxwin-bench-'))
  try {
    const bytes = bytesOf(values.bytes)
    for (const times of values.growth ? [1, 4, 16] : [1]) {
      const path = positionals[0] ?? join(folder, `${times}.jsonl`)
      if (positionals[0] === undefined) generate(path, { bytes: bytes * times, messages: values.messages })
      compare(path)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Rounds are interleaved, so that a slower machine affects all contestants alike. */
function compare(path) {
  const isAskedFor = (name) => values.only === undefined || values.only.includes(name)
  const chosen = contestants.filter(({ name, available }) => isAskedFor(name) && (available?.() ?? true))
  if (chosen.length === 0)
    throw new Error(`nobody to measure: there is ${contestants.map(({ name }) => name).join(', ')}`)
  const runs = new Map(chosen.map(({ name }) => [name, []]))
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const contestant of chosen) runs.get(contestant.name).push(measure(contestant, path))
  }
  const size = statSync(path).size
  console.log(`\n${(size / 1e6).toFixed(0)} MB, medians of ${values.rounds} (Node ${process.versions.node})`)
  const middle = (name, key) => median(runs.get(name).map((run) => run[key]))
  console.table(
    Object.fromEntries(
      chosen.map(({ name }) => [
        name,
        {
          'wall s': middle(name, 'wall').toFixed(3),
          'CPU s': middle(name, 'cpu')?.toFixed(3) ?? '-',
          'CPU / bare': ratio(middle(name, 'cpu'), runs.has(bare) ? middle(bare, 'cpu') : undefined),
          'MB/s': (size / 1e6 / middle(name, 'wall')).toFixed(0),
          'peak RSS MB': middle(name, 'rss')?.toFixed(0) ?? '-',
          records: runs.get(name)[0].records ?? '-',
        },
      ]),
    ),
  )
  const counts = new Set([...runs.values()].map(([run]) => run.records).filter((count) => count !== undefined))
  if (counts.size > 1) throw new Error('they do not agree on the number of records: the comparison is not a fair one')
}

function ratio(cpu, least) {
  return cpu === undefined || least === undefined ? '-' : (cpu / least).toFixed(2)
}

/** Wall time is that of the whole process, including its start. */
function measure({ name, command }, path) {
  const node = command === undefined
  const [program, ...args] = node ? [process.execPath, here, '--child', name, path] : timed(command(path))
  const begun = performance.now()
  const { status, stdout, stderr } = spawnSync(program, args, {
    stdio: ['ignore', node ? 'pipe' : 'ignore', 'pipe'],
    encoding: 'utf8',
  })
  const wall = (performance.now() - begun) / 1000
  if (status !== 0) throw new Error(`${name} failed: ${stderr}`)
  return { wall, ...(node ? JSON.parse(stdout) : timesIn(stderr)) }
}

/** Node reports its own usage; for other programs GNU time is needed. */
function timed(command) {
  return existsSync(gnuTime) ? [gnuTime, '-f', '%U %S %M', ...command] : command
}

function timesIn(stderr) {
  const [user, system, kilobytes] = stderr.trim().split('\n').at(-1).split(' ').map(Number)
  return kilobytes === undefined ? {} : { cpu: user + system, rss: kilobytes / 1024 }
}

async function runAsChild(name, path) {
  const records = await contestants.find((each) => each.name === name).run(path)
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  console.log(JSON.stringify({ records, cpu: (userCPUTime + systemCPUTime) / 1e6, rss: maxRSS / 1024 }))
}

function median(numbers) {
  const sorted = numbers.filter((number) => number !== undefined).sort((a, b) => a - b)
  return sorted[sorted.length >> 1]
}
