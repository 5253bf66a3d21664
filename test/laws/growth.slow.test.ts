/**
 * A law of all commands and policies: four times the conversation is at most six times the work. The work is counted: how often V8
 * ran the blocks of our code. Time and memory are measured in bench/growth.mjs.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { policies } from '../../src/policies/index.ts'
import { runCli } from '../cli/run.ts'

const folder = mkdtempSync(join(tmpdir(), 'ctxwin-growth-'))
const counting = new Session()

beforeAll(async () => {
  counting.connect()
  await counting.post('Profiler.enable')
  for (const size of sizes) writeFileSync(join(folder, `${size}.jsonl`), session(size))
  // What is made once in a process is no growth.
  for (const words of commands) await workOf(words, sizes[0])
})
afterAll(() => {
  counting.disconnect()
  rmSync(folder, { recursive: true })
})

const sizes = [20, 80] as const

/** Exchanges of Claude Code, each with two calls that read a file, and what was counted. */
function session(exchanges: number): string {
  const records: object[] = []
  const say = (type: string, message: object, more: object = {}) => {
    const at = records.length
    const place = { uuid: `u${at}`, parentUuid: at === 0 ? null : `u${at - 1}`, sessionId: 's', isSidechain: false }
    const timestamp = new Date(Date.UTC(2026, 0, 1) + at * 20_000).toISOString()
    records.push({ type, ...place, timestamp, message, ...more })
  }
  const answer = (id: string, content: readonly object[]) => {
    const usage = { input_tokens: 9, cache_read_input_tokens: records.length * 60, output_tokens: 30 }
    const head = { id, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5' }
    say('assistant', { ...head, content, usage: { ...usage, cache_creation_input_tokens: 60 } }, { requestId: id })
  }
  for (let at = 0; at < exchanges; at++) {
    say('user', { role: 'user', content: `Please look at item ${at % 17} of the list again.` })
    for (const nth of [0, 1]) {
      const id = `toolu_${at}_${nth}`
      answer(`m${at}_${nth}`, [{ type: 'tool_use', id, name: 'Read', input: { file_path: `/srv/f${at % 17}.ts` } }])
      const content = `export function item${at}() { return ${nth} }\n`.repeat(4)
      say('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] })
    }
    answer(`m${at}_end`, [{ type: 'text', text: `Item ${at % 17} is as it was.` }])
  }
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

/** How often blocks of our own code run. */
async function workOf(words: readonly string[], size: number): Promise<number> {
  await counting.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const named = words.map((word) => (word === 'FILE' ? `${size}.jsonl` : word))
  const { code, stderr } = await runCli(named, { cwd: folder, env })
  const { result } = await counting.post('Profiler.takePreciseCoverage')
  await counting.post('Profiler.stopPreciseCoverage')
  expect({ code, stderr: code === 2 ? stderr : '' }).toEqual({ code: code === 1 ? 1 : 0, stderr: '' })
  const ours = result.filter(({ url }) => /\/(?:src|dist)\//.test(url) && !url.includes('node_modules'))
  return ours
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
    .reduce((sum, { count }) => sum + count, 0)
}

const env = { CTXWIN_JOBS: '1', CTXWIN_ESTIMATOR: 'bytes', CTXWIN_TRACE_CACHE: 'false' }
const small = ['--budget', '2k']
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
const ofPolicies = policies.all.map(({ name }) => ['simulate', 'FILE', '--policy', name, '--no-references', ...small])

it.each([...commands, ...ofPolicies].map((words) => [words.join(' '), words] as const))('%s', async (_, words) => {
  const [less, more] = [await workOf(words, sizes[0]), await workOf(words, sizes[1])]
  expect(less).toBeGreaterThan(10_000)
  expect(more / less).toBeLessThan(6)
})
