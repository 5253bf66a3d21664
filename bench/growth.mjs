/**
 * Measures how time and memory grow with the size: every command, policy and report over transcripts of 1, 4 and 16 times
 * the size, each large in one respect (shapes.mjs). See README.md.
 *
 *     npm run build && node bench/growth.mjs [--command NAME]… [--shape NAME]… [--seconds 300] [--times 1,4,16]
 *
 * Exits with 1 if twice the size takes more than 2.3 times the CPU time or memory, not counting what an empty run takes.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { policies } from '../dist/app/index.js'
import { shapes } from './shapes.mjs'

const { values } = parseArgs({
  options: {
    command: { type: 'string', multiple: true },
    shape: { type: 'string', multiple: true },
    seconds: { type: 'string', default: '300' },
    times: { type: 'string', default: '1,4,16' },
  },
})

const bin = fileURLToPath(new URL('../bin/ctxwin.js', import.meta.url))
const steps = values.times.split(',').map(Number)
/** For twice the size. */
const most = 2.3
/** Below these values a ratio reflects the garbage collector rather than growth. */
const least = { cpu: 0.15, rss: 40 }

const many = ['--budget', '2k']
/** Reports and policies run only over the shapes that matter to them: all combinations would take hours. */
const shapesOfReports = ['exchanges', 'files', 'conversations', 'names', 'damaged']
const shapesOfPolicies = ['exchanges', 'work', 'calls', 'parallel', 'questions']
const shapesOfMany = ['files', 'folders', 'members']
const shapesOfOne = shapes.map(({ name }) => name).filter((name) => ![...shapesOfMany, 'conversations'].includes(name))
const folder = mkdtempSync(join(tmpdir(), 'ctxwin-growth-'))
const toPage = ['--output-file', join(folder, 'page.html')]

const ofReports = (command, names) =>
  names.map((name) => ({
    name: `${command} ${name}`,
    argv: [command, '--output', name, ...budgetOf(command)],
    shapes: shapesOfReports,
  }))
const budgetOf = (command) => (command === 'calibrate' ? [] : many)
const reporters = ['default', 'github', 'junit', 'sarif', 'json', 'markdown']

/** What is measured: a name, the arguments without the input, and for which shapes. */
const runs = [
  { name: 'simulate', argv: ['simulate', ...many] },
  { name: 'simulate --by request', argv: ['simulate', '--by', 'request', '--cuts', 'all', ...many] },
  { name: 'recommend, all budgets', argv: ['recommend', '--policy', 'ikigai', '--budget', 'all'] },
  { name: 'simulate default', argv: ['simulate'] },
  { name: 'simulate --jobs 1', argv: ['simulate', '--jobs', '1'], shapes: shapesOfMany },
  { name: 'simulate --jobs 2', argv: ['simulate', '--jobs', '2'], shapes: shapesOfMany },
  { name: 'simulate --shard', argv: ['simulate', '--shard', '1/3', '--output', 'partial'] },
  { name: 'history', argv: ['history', '--full', '--lost', ...many], shapes: shapesOfOne },
  ...['table', 'json', 'svg', 'html'].map((form) => ({
    name: `history ${form}`,
    argv: ['history', '--output', form, ...(form === 'html' ? toPage : [])],
    shapes: shapesOfOne,
  })),
  { name: 'exchanges', argv: ['history', '--exchanges'] },
  { name: 'recommend named', argv: ['recommend', ...many] },
  { name: 'recommend', argv: ['recommend'] },
  { name: 'spend', argv: ['spend'], codes: [0, 2] },
  { name: 'quality', argv: ['quality'] },
  { name: 'alone', argv: [] },
  { name: 'sessions', argv: ['sessions'] },
  { name: 'report', argv: ['report', ...toPage] },
  { name: 'export', argv: ['export', '--to', `csv:${join(folder, 'tables')}`] },
  { name: 'export sqlite', argv: ['export', '--to', `sqlite:${join(folder, 'tables.db')}`] },
  { name: 'advise', argv: ['advise', '--now', '2026-06-01T00:00:00Z'], shapes: shapesOfOne },
  ...['ctxwin', 'openai', 'anthropic', 'atif', 'mooncake'].map((form) => ({
    name: `convert ${form}`,
    argv: ['export', '--to', form],
  })),
  { name: 'convert --budget', argv: ['export', '--to', 'anthropic', '--policy', 'ikigai', '--budget', '50k'] },
  ...reporters.map((name) => ({
    name: `check ${name}`,
    argv: ['check', '--no-baseline', '--assert', 'maxPeakTokens=1', '--reporter', name, ...many],
    codes: [1],
    ...(name === 'default' ? {} : { shapes: shapesOfReports }),
  })),
  ...['anthropic', 'openai', 'google'].map((provider) => ({
    name: `window ${provider}`,
    argv: ['history', '--request', '--provider', provider, '--budget', '0'],
    shapes: shapesOfOne,
  })),
  { name: 'calibrate', argv: ['calibrate'], codes: [0, 2] },
  ...ofReports('simulate', ['json', 'ndjson', 'csv', 'markdown']),
  ...ofReports('recommend', ['json', 'csv', 'markdown']),
  ...['json', 'ndjson', 'csv', 'markdown'].map((name) => ({
    name: `exchanges ${name}`,
    argv: ['history', '--exchanges', '--output', name],
    shapes: shapesOfReports,
  })),
  ...policies.all.map(({ name }) => ({
    name: `policy ${name}`,
    argv: ['simulate', '--policy', name, '--estimator', 'bytes', ...many],
    shapes: shapesOfPolicies,
  })),
]

const chosenRuns = runs.filter(({ name }) => values.command?.some((asked) => name.startsWith(asked)) ?? true)
const chosenShapes = shapes.filter(({ name }) => values.shape?.includes(name) ?? true)
let slow = 0
try {
  const floor = measure({ argv: ['list', 'formats'] }, [])
  console.log(
    `Node ${process.versions.node}, above an empty run of ${floor.cpu.toFixed(2)} s and ${floor.rss.toFixed(0)} MB`,
  )
  for (const shape of chosenShapes) {
    const paths = steps.map((times) => {
      const path = join(folder, `${shape.name.replace(' ', '-')}-${times}${shape.ending ?? '.jsonl'}`)
      shape.write(path, shape.size * times)
      return path
    })
    console.log(`\n${shape.name}: ${steps.map((times) => shape.size * times).join(', ')} ${shape.unit}`)
    const under = (word, columns) => [word, ...Array(columns - 1).fill('')]
    const [sizes, growths] = [steps.length, steps.length - 1]
    console.log(
      row([
        '',
        ...under('CPU s', sizes),
        ...under('grows', growths),
        ...under('MB', sizes),
        ...under('grows', growths),
      ]),
    )
    for (const run of chosenRuns) if (run.shapes?.includes(shape.name) ?? true) grow(run, paths, floor)
  }
} finally {
  rmSync(folder, { recursive: true })
}
if (slow > 0) console.log(`\n${slow} grow faster than 2.3 times for twice the size`)
process.exitCode = slow > 0 ? 1 : 0

function grow(run, paths, floor) {
  const found = []
  for (const path of paths) {
    const last = measure(run, [path])
    found.push(last)
    if (last.words) break
  }
  const above = (key) => found.map((figures) => (figures.words ? Number.NaN : figures[key] - floor[key]))
  const [cpu, rss] = [above('cpu'), above('rss')]
  const ratios = (figures, key) =>
    figures.slice(1).map((figure, at) => Math.max(figure, least[key]) / Math.max(figures[at], least[key]))
  const [cpuRatios, rssRatios] = [ratios(cpu, 'cpu'), ratios(rss, 'rss')]
  const words = found.find((figures) => figures.words)?.words
  const isSlow =
    words !== undefined ||
    [cpuRatios, rssRatios].some((ratios) =>
      ratios.some((ratio, at) => ratio > most ** Math.log2((steps[at + 1] ?? 1) / (steps[at] ?? 1))),
    )
  if (isSlow) slow++
  const fixed = (figures, digits) =>
    Array.from({ length: figures === cpu || figures === rss ? steps.length : steps.length - 1 }, (_, at) =>
      Number.isFinite(figures[at]) ? figures[at].toFixed(digits) : '-',
    )
  console.log(
    row([run.name, ...fixed(cpu, 2), ...fixed(cpuRatios, 1), ...fixed(rss, 0), ...fixed(rssRatios, 1)]) +
      (isSlow ? `  <-- ${words ?? 'grows'}` : ''),
  )
}

function row([name, ...cells]) {
  return name.padEnd(28) + cells.map((cell) => cell.padStart(7)).join('')
}

/** CPU seconds and peak megabytes of a whole process, which it reports at its end. */
function measure({ argv, codes = [0] }, inputs) {
  const tell =
    "process.on('exit',()=>{const u=process.resourceUsage();require('fs').writeSync(3,JSON.stringify({cpu:(u.userCPUTime+u.systemCPUTime)/1e6,rss:u.maxRSS/1024}))})"
  const told = `data:text/javascript,import{createRequire}from'module';const require=createRequire('file:///');${tell}`
  const [command, ...options] = argv
  const { status, signal, output, stderr } = spawnSync(
    process.execPath,
    ['--import', told, bin, command, ...inputs, ...options],
    {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
      cwd: folder,
      // A policy is measured with the reading, which an earlier one has done.
      env: { ...process.env, CTXWIN_TRACE_CACHE: 'false' },
      timeout: Number(values.seconds) * 1000,
    },
  )
  if (signal) return { words: `stopped after ${values.seconds} s` }
  if (!codes.includes(status)) return { words: `exit code ${status}: ${stderr.split('\n')[0]}` }
  return JSON.parse(output[3])
}
