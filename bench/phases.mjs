/**
 * What a first run of `simulate` spends its time on, by the rooms that the sampled functions stand in: see README.md.
 *
 *     npm run build && node bench/phases.mjs [--rounds 3] [FILE or FOLDER]…
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { v8Flags } from '../dist/cli/start/v8-flags.js'
import { quantile } from './truth/transcripts.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' } },
})
const dist = new URL('../dist/', import.meta.url).href
const folder = mkdtempSync(join(tmpdir(), 'ctxwin-phases-'))

const loading = 'start and report'

/** What is done in a room. Functions of rooms that are not named here belong to who calls them. */
const rooms = [
  ['readers/lines/', 'bytes to lines to text'],
  ['references/', 'references: terms, targets and copies in text'],
  ['estimators/', 'tokens'],
  ['readers/trace-builder.js', 'trace'],
  ['readers/writer.js', 'trace'],
  ['readers/', 'reader'],
]

try {
  const paths = positionals.length > 0 ? positionals : [generated()]
  const columns = paths.map(phasesOf)
  const names = new Set(columns.flatMap((column) => [...column.keys()]))
  const first = columns[0]
  const ordered = [...names].sort((a, b) => (first.get(b) ?? 0) - (first.get(a) ?? 0))
  console.log(
    `| % of the main thread behind the start (Node ${process.versions.node}) | ${paths.map((path) => basename(path)).join(' | ')} |`,
  )
  console.log(`|---|${paths.map(() => '--:').join('|')}|`)
  for (const name of ordered.filter((each) => each !== loading)) {
    const shares = columns.map((column) => (100 * (column.get(name) ?? 0)) / behindStart(column))
    console.log(`| ${name} | ${shares.map((share) => share.toFixed(1)).join(' | ')} |`)
  }
  console.log(`| all, in seconds | ${columns.map((column) => (behindStart(column) / 1e6).toFixed(2)).join(' | ')} |`)
} finally {
  rmSync(folder, { recursive: true })
}

function behindStart(column) {
  return [...column].reduce((sum, [name, time]) => (name === loading ? sum : sum + time), 0)
}

function generated() {
  const path = join(folder, 'generated.jsonl')
  spawnSync(process.execPath, [fileURLToPath(new URL('generate.mjs', import.meta.url)), '--bytes', '64mb', path])
  return path
}

/** @returns microseconds by phase: the medians of some runs */
function phasesOf(path) {
  const rounds = Array.from({ length: Number(values.rounds) }, () => profiled(path))
  const names = new Set(rounds.flatMap((round) => [...round.keys()]))
  return new Map(
    Array.from(names, (name) => [
      name,
      quantile(
        rounds.map((round) => round.get(name) ?? 0),
        0.5,
      ),
    ]),
  )
}

/** One run, of the modules that the program is bundled from: their names say what is what. */
function profiled(path) {
  const place = mkdtempSync(join(folder, 'profile-'))
  const program = `import('${dist}cli/start/main.js').then(({ main }) => main(process.argv.slice(1), process))`
  const profiling = ['--cpu-prof', '--cpu-prof-dir', place, '--cpu-prof-interval', '200']
  const words = ['simulate', path, '--output', 'ndjson', '--jobs', '1', '--no-cache']
  const { status, stderr } = spawnSync(
    process.execPath,
    [...profiling, ...v8Flags(true), '-e', program, '--', ...words],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
    },
  )
  if (status !== 0) throw new Error(stderr)
  const [name] = readdirSync(place)
  return byPhase(JSON.parse(readFileSync(join(place, name), 'utf8')))
}

function byPhase({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const phases = new Map()
  const known = new Map()
  for (const [at, id] of samples.entries()) {
    if (!known.has(id)) known.set(id, phaseOf(stackOf(id, byId, callers)))
    const phase = known.get(id)
    phases.set(phase, (phases.get(phase) ?? 0) + timeDeltas[at])
  }
  return phases
}

/** The function that was running first. */
function stackOf(id, byId, callers) {
  const stack = []
  for (let at = id; at !== undefined; at = callers.get(at)) {
    const { functionName, url } = byId.get(at).callFrame
    stack.push({ name: functionName, module: url.startsWith(dist) ? url.slice(dist.length) : '' })
  }
  return stack
}

function phaseOf(stack) {
  if (stack[0].name === '(garbage collector)') return 'garbage'
  if (stack.some(({ module }) => module.startsWith('simulator/'))) return 'replay: sizes, uses, copies, cost'
  if (stack[0].name === 'parsedJson') return 'JSON.parse'
  for (const { module } of stack) {
    const room = rooms.find(([name]) => module.startsWith(name))
    if (room) return room[1]
  }
  return loading
}
