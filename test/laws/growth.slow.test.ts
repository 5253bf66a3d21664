/**
 * A law of all commands and policies: four times the conversation is at most six times the work. The work is counted: how often V8
 * ran the blocks of our code. Time and memory are measured in bench/growth.mjs.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { shapes } from '../../bench/shapes.mjs'
import { policies } from '../../src/policies/index.ts'
import { type Subject, subjects } from './subjects.ts'

const dist = pathToFileURL(join(import.meta.dirname, '../../dist/')).href
const work = shapes.find(({ name }) => name === 'work')
const sizes = [60, 240] as const

/**
 * Runs each command line over each size, in a process of its own: V8 counts the blocks of what it compiles from now on only. What is
 * made once in a process is no growth, so that each is run once before.
 */
const program = `
  import { Session } from 'node:inspector/promises'
  import { Readable, Writable } from 'node:stream'
  const counting = new Session()
  counting.connect()
  await counting.post('Profiler.enable')
  await counting.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const { main } = await import('${dist}cli/start/main.js')
  const [lines, sizes, env] = JSON.parse(process.argv[1])
  const nowhere = () => new Writable({ write: (chunk, encoding, done) => done() })
  const counts = []
  for (const words of lines) {
    const found = []
    for (const size of [sizes[0], ...sizes]) {
      const argv = words.map((word) => (word === 'FILE' ? size + '.jsonl' : word))
      const world = { stdin: Readable.from([]), stdout: nowhere(), stderr: nowhere(), env, cwd: () => process.cwd(), now: () => 0 }
      await counting.post('Profiler.takePreciseCoverage')
      const code = await main(argv, world)
      const { result } = await counting.post('Profiler.takePreciseCoverage')
      const ours = result.filter(({ url }) => url.startsWith('${dist}'))
      const ranges = ours.flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
      found.push([code, ranges.reduce((sum, { count }) => sum + count, 0)])
    }
    counts.push(found.slice(1))
  }
  process.stdout.write(JSON.stringify(counts))
`

const env = { CTXWIN_JOBS: '1', CTXWIN_ESTIMATOR: 'bytes', CTXWIN_TRACE_CACHE: 'false' }
const small = ['--budget', '2k']
const specOf = ([name, ...params]: readonly string[]): string => [name, params.join(',')].filter(Boolean).join(':')
const commands = [
  'simulate FILE --budget 2k',
  'simulate FILE --budget 2k --by request --cuts all',
  'simulate FILE --budget 2k --by reference',
  'recommend FILE --policy ikigai --budget all',
  'recommend FILE --policy all --budget 2k',
  'recommend FILE',
  'FILE',
  'sessions FILE',
  'spend FILE',
  'quality FILE',
  'history --exchanges FILE',
  'history FILE --full --lost --budget 2k',
  'history FILE --output svg --budget 2k',
  'history --request FILE --budget 2k',
  'export FILE --to anthropic --budget 2k',
  'export FILE --to csv:out',
  'report FILE -o page.html',
  'check FILE --no-baseline --assert maxPeakTokens=1',
  'advise FILE --now 2026-06-01T00:00:00Z',
].map((line) => line.split(' '))

/** It holds everything, and weighs all of it at each request. */
const weighsAll = ({ target }: Subject['values']): boolean => /^stay:/.test(String(target))

/** With params that have an effect from the first exchanges on: what goes by the last 20,000 tokens grows until there are so many. */
const ofPolicies = subjects
  .filter(({ policy, rests, values }) => !rests && policies.all.some((one) => one === policy) && !weighsAll(values))
  .map(({ name }) => ['simulate', 'FILE', '--policy', specOf(name.split(/ (?=\w+=)/)), ...small])

const lines = [...commands, ...ofPolicies]
const folder = mkdtempSync(join(tmpdir(), 'ctxwin-growth-'))
let counts: readonly (readonly (readonly [number, number])[])[] = []

beforeAll(() => {
  for (const size of sizes) work?.write(join(folder, `${size}.jsonl`), size)
  const words = ['--input-type=module', '--eval', program, JSON.stringify([lines, sizes, env])]
  const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 24 })
  expect(stderr).toBe('')
  counts = JSON.parse(stdout)
})
afterAll(() => rmSync(folder, { recursive: true }))

it.each(lines.map((words, at) => [words.join(' '), at] as const))('%s', (_, at) => {
  const [[code, less], [again, more]] = counts[at] as [[number, number], [number, number]]
  expect([code, again]).toEqual(lines[at]?.[0] === 'check' ? [1, 1] : [0, 0])
  expect(less).toBeGreaterThan(10_000)
  expect(more / less).toBeLessThan(6)
})
