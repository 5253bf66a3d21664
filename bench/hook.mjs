/**
 * Measures the hook against a growing file: a session of Claude Code of 4 MB that gets one more round before each call, asked
 * by a process of its own each time, and in one process. Beside it what Node takes to do nothing, and a reading of the whole file.
 *
 *     npm run build && node bench/hook.mjs [--megabytes 4] [--calls 20]
 *
 * What it takes goes by what is in the session besides its bytes. As in real ones of that size there are some 300 records in a
 * megabyte, results are of 2 KB and stand in their records once more with the whole file, and there are some 1,500 different
 * terms in all, which occur some 5,000 times. Times are processor time: on a busy machine compare the least.
 */
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { RunningSession } from '../dist/app/index.js'

const { values } = parseArgs({
  options: { megabytes: { type: 'string', default: '4' }, calls: { type: 'string', default: '20' } },
})
const bin = fileURLToPath(new URL('../bin/ctxwin.js', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'ctxwin-bench-'))
const path = join(directory, 'session.jsonl')
const env = { PATH: process.env.PATH, CTXWIN_CACHE_DIR: join(directory, 'cache') }
const input = JSON.stringify({ transcript_path: path, hook_event_name: 'Status' })

let records = 0
let round = 0
let used = 8000

/** A prompt, a call, its result and an answer. */
function more() {
  round++
  const record = (type, message, more = {}) => {
    const [parentUuid, uuid] = [records === 0 ? null : `u${records}`, `u${++records}`]
    const timestamp = new Date(Date.UTC(2026, 0, 1) + records * 10_000).toISOString()
    const about = { isSidechain: false, cwd: '/home/ada/app', sessionId: 's1', version: '2.1.38' }
    return `${JSON.stringify({ parentUuid, ...about, type, message, uuid, timestamp, ...more })}\n`
  }
  const answer = (id, content) => {
    used = used > 150_000 ? 8000 : used + 2000
    const usage = {
      input_tokens: 5,
      cache_read_input_tokens: used - 2000,
      cache_creation_input_tokens: 1995,
      output_tokens: 90,
    }
    const about = { type: 'message', role: 'assistant', model: 'claude-sonnet-4-5-20250929', usage }
    return record('assistant', { id, ...about, content: [content] })
  }
  const lines = Array.from({ length: 140 }, (_, line) =>
    line % 5 === 0
      ? `export const value${round % 200}_${line} = compute('src/m${line % 40}.ts')`
      : `  // and what stands here names nothing that is named anywhere else`,
  )
  const file = { filePath: `/home/ada/app/src/m${round % 60}.ts`, content: lines.join('\n') }
  const call = {
    type: 'tool_use',
    id: `toolu_${round}`,
    name: 'Read',
    input: { file_path: file.filePath },
  }
  return [
    record('user', { role: 'user', content: `Look at module ${round}, and say what is wrong with it.` }),
    answer(`msg_${round}a`, call),
    record(
      'user',
      {
        role: 'user',
        content: [{ tool_use_id: call.id, type: 'tool_result', content: lines.slice(0, 32).join('\n') }],
      },
      { toolUseResult: { type: 'text', file } },
    ),
    answer(`msg_${round}b`, { type: 'text', text: `value${round % 60}_7 in src/m${round % 60}.ts is computed twice.` }),
  ].join('')
}

/** Writes its processor time, in milliseconds, to a fourth stream when it ends. */
const atExit = join(directory, 'at-exit.cjs')
writeFileSync(
  atExit,
  `process.on('exit', () => {
    const { user, system } = process.cpuUsage()
    require('node:fs').writeSync(3, String((user + system) / 1000))
  })`,
)

function measured(...argv) {
  const stdio = ['pipe', 'pipe', 'pipe', 'pipe']
  const { status, stderr, output } = spawnSync(process.execPath, ['--require', atExit, ...argv], { env, input, stdio })
  if (status !== 0 || stderr.length > 0) throw new Error(String(stderr))
  return Number(output[3])
}

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

function tell(name, times) {
  const sorted = [...times].sort((a, b) => a - b)
  console.log(
    `${name.padEnd(34)} p50 ${at(sorted, 0.5).toFixed(1).padStart(7)} ms   p95 ${at(sorted, 0.95).toFixed(1).padStart(7)} ms   least ${sorted[0].toFixed(1).padStart(7)} ms`,
  )
}

try {
  let size = 0
  const parts = []
  while (size < Number(values.megabytes) * 1e6) {
    const part = more()
    parts.push(part)
    size += part.length
  }
  writeFileSync(path, parts.join(''))
  console.log(`${(size / 1e6).toFixed(1)} MB, ${records} records; processor time`)
  const hook = [bin, 'advise', '--hook']
  const session = new RunningSession(path)
  for (let warm = 0; warm < 3; warm++) measured(...hook)
  await session.advise()
  const times = { node: [], hook: [], whole: [], call: [] }
  for (let call = 0; call < Number(values.calls); call++) {
    appendFileSync(path, more())
    times.node.push(measured('-e', '0'))
    times.hook.push(measured(...hook))
    times.whole.push(measured(...hook, '--no-cache'))
    const start = process.cpuUsage()
    await session.advise()
    const { user, system } = process.cpuUsage(start)
    times.call.push((user + system) / 1000)
  }
  tell('node -e 0', times.node)
  tell('advise --hook', times.hook)
  tell('advise --hook, all of the file', times.whole)
  tell('RunningSession.advise', times.call)
} finally {
  rmSync(directory, { recursive: true, maxRetries: 10, retryDelay: 500 })
}
