/**
 * A law of all commands and policies: four times the conversation is at most six times the work. The work is counted: how often V8
 * ran the blocks of our code. Time and memory are measured in bench/growth.mjs.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { shapes } from '../../bench/shapes.mjs'
import { policies } from '../../src/policies/index.ts'
import { runCli } from '../cli/run.ts'
import { type Subject, subjects } from './subjects.ts'

const folder = mkdtempSync(join(tmpdir(), 'ctxwin-growth-'))
const counting = new Session()
const work = shapes.find(({ name }) => name === 'work')
const sizes = [60, 240] as const

beforeAll(async () => {
  counting.connect()
  await counting.post('Profiler.enable')
  await counting.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  for (const size of sizes) work?.write(join(folder, `${size}.jsonl`), size)
  // What is made once in a process is no growth.
  for (const words of commands) await workOf(words, sizes[0])
})
afterAll(async () => {
  await counting.post('Profiler.stopPreciseCoverage')
  counting.disconnect()
  rmSync(folder, { recursive: true })
})

/** How often blocks of our own code run, since they were counted last. */
async function workOf(words: readonly string[], size: number): Promise<number> {
  const named = words.map((word) => (word === 'FILE' ? `${size}.jsonl` : word))
  const { code, stderr } = await runCli(named, { cwd: folder, env })
  const { result } = await counting.post('Profiler.takePreciseCoverage')
  expect({ code, stderr: code === 2 ? stderr : '' }).toEqual({ code: code === 1 ? 1 : 0, stderr: '' })
  const ours = result.filter(({ url }) => /\/(?:src|dist)\//.test(url) && !url.includes('node_modules'))
  return ours
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
    .reduce((sum, { count }) => sum + count, 0)
}

const env = { CTXWIN_JOBS: '1', CTXWIN_ESTIMATOR: 'bytes', CTXWIN_TRACE_CACHE: 'false' }
const small = ['--budget', '2k']
const specOf = ([name, ...params]: readonly string[]): string => [name, params.join(',')].filter(Boolean).join(':')
const commands = [
  'simulate FILE --budget 2k',
  'simulate FILE --budget 2k --by request --cuts all',
  'simulate FILE --budget 2k --by reference',
  'curve FILE',
  'compare FILE --budget 2k',
  'recommend FILE',
  'overview FILE',
  'sessions FILE',
  'spend FILE',
  'quality FILE',
  'exchanges FILE',
  'history FILE --all --lost --budget 2k',
  'history FILE --output svg --budget 2k',
  'window FILE --budget 2k',
  'convert FILE --to anthropic --budget 2k',
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
  .map(({ name }) => ['simulate', 'FILE', '--policy', specOf(name.split(/ (?=\w+=)/)), '--no-references', ...small])

it.each([...commands, ...ofPolicies].map((words) => [words.join(' '), words] as const))('%s', async (_, words) => {
  const [less, more] = [await workOf(words, sizes[0]), await workOf(words, sizes[1])]
  expect(less).toBeGreaterThan(10_000)
  expect(more / less).toBeLessThan(6)
})
