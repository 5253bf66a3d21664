/** A probe that is stopped in its midst, as a user does it or a machine that goes down: nothing is lost, and nothing asked twice. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { claudeSession } from '../../app/bill/claude-session.ts'
import { serveModel } from '../../clients/model-server.ts'

const bin = fileURLToPath(new URL('../../../bin/ctxwin.js', import.meta.url))
const root = mkdtempSync(join(tmpdir(), 'ctxwin-stopped-'))
const files = [0, 1, 2].map((session) => join(root, `s${session}.jsonl`))
for (const [session, file] of files.entries()) writeFileSync(file, claudeSession(session, 8, 60))

/** Told how many requests have come. */
let watch: (count: number) => void = () => {}
let server: Awaited<ReturnType<typeof serveModel>>
let whole: Ended
beforeAll(async () => {
  // What it answers depends on the window alone, and every answer takes its time.
  server = await serveModel(
    'anthropic',
    ({ messages }, number) => {
      watch(number + 1)
      return { calls: [{ name: 'Read', input: { file_path: `/${JSON.stringify(messages).includes('aa0_0')}.ts` } }] }
    },
    { faults: () => ({ after: 15 }) },
  )
  whole = await ended(probe('whole.ndjson'))
  expect([whole.code, whole.stderr]).toEqual([0, ''])
})
afterAll(async () => {
  await server.close()
  rmSync(root, { recursive: true, maxRetries: 10, retryDelay: 500 })
})

function probe(journal: string): ChildProcess {
  const argv = ['probe', ...files, '--policy', 'drop-steps', '--budget', '5k', '-e', 'bytes', '--yes', '--json']
  const to = ['--endpoint', server.url, '--api', 'anthropic', '--ask', 'claude-sonnet-4-5', '--max-usd', '99']
  // No key of whoever runs the tests goes anywhere.
  const env = { PATH: process.env.PATH, XDG_CACHE_HOME: process.env.XDG_CACHE_HOME }
  return spawn(process.execPath, [bin, ...argv, ...to, '--journal', join(root, journal)], { cwd: root, env })
}

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

async function ended(child: ChildProcess): Promise<Ended> {
  const [[code, signal], stdout, stderr] = await Promise.all([
    once(child, 'close'),
    text(child.stdout as NodeJS.ReadableStream),
    text(child.stderr as NodeJS.ReadableStream),
  ])
  return { code, signal, stdout, stderr }
}

/** Sends the signals, each once so many requests more have come. */
async function stopped(journal: string, stops: readonly (readonly [number, NodeJS.Signals])[]) {
  const before = server.asked.length
  const left = [...stops]
  const child = probe(journal)
  watch = (count) => {
    const [at, signal] = left[0] ?? [Infinity]
    if (count - before < at) return
    left.shift()
    child.kill(signal)
  }
  const run = await ended(child)
  watch = () => {}
  return { ...run, asked: server.asked.length - before }
}

interface Line {
  readonly kind: string
  readonly key: string
}

const linesOf = (journal: string): Line[] =>
  readFileSync(join(root, journal), 'utf8')
    .split('\n')
    .slice(1, -1)
    .map((line) => JSON.parse(line))
const keysOf = (journal: string, kind: string): string[] =>
  linesOf(journal).flatMap((line) => (line.kind === kind ? [line.key] : []))

/** How many requests a run needs that is not stopped. */
const all = () => keysOf('whole.ndjson', 'answer').length

/** The result, but for what was lost and cannot be made undone: how many tries, and that they may have cost something. */
function found({ stdout }: Ended): Record<string, unknown> {
  const { lost, ...result } = JSON.parse(stdout)
  expect(lost.dollars > 0).toBe(lost.tries > 0)
  return { ...result, tries: lost.tries }
}

describe('a probe that is stopped', () => {
  it('by Ctrl-C keeps what was answered, says so, and goes on from there', async () => {
    const journal = 'interrupted.ndjson'
    const { code, signal, stdout, stderr, asked } = await stopped(journal, [[10, 'SIGINT']])
    expect([code, signal]).toEqual([130, null])
    expect(stderr.split('\n')).toEqual([
      'ctxwin: stopping after the requests under way; Ctrl-C again stops at once, and they are asked for again',
      'ctxwin: stopped: the same command goes on from here',
      '',
    ])
    // It says what it has found so far.
    const { probes, about } = JSON.parse(stdout)
    expect(probes).toBe(keysOf(journal, 'probe').length)
    expect([probes < about.planned, asked < all()]).toEqual([true, true])
    // What was under way has come back, and is kept.
    expect(keysOf(journal, 'answer').length).toBe(asked)
    expect(keysOf(journal, 'sent').sort()).toEqual(keysOf(journal, 'answer').sort())
    expect(existsSync(join(root, `${journal}.lock`))).toBe(false)
    const rest = await stopped(journal, [])
    expect(rest).toEqual({ ...whole, asked: all() - asked })
    expect(keysOf(journal, 'answer').sort()).toEqual(keysOf('whole.ndjson', 'answer').sort())
  })

  it('by a second Ctrl-C ends at once, and goes on all the same', async () => {
    const journal = 'twice.ndjson'
    const { signal, asked } = await stopped(journal, [
      [8, 'SIGINT'],
      [9, 'SIGINT'],
    ])
    // Where the first one came when nothing more was to be sent, there was no second.
    expect([null, 'SIGINT']).toContain(signal)
    const answered = keysOf(journal, 'answer').length
    const lost = keysOf(journal, 'sent').length - answered
    const rest = await stopped(journal, [])
    expect([rest.code, found(rest), rest.asked]).toEqual([0, { ...found(whole), tries: lost }, all() - answered])
    expect(asked - answered).toBeLessThanOrEqual(4)
  })

  it.each([1, 20])('by a machine that goes down behind %d requests loses what was under way', async (requests) => {
    const journal = `killed${requests}.ndjson`
    const { signal, stdout, asked } = await stopped(journal, [[requests, 'SIGKILL']])
    expect([signal, stdout]).toEqual(['SIGKILL', ''])
    const answered = keysOf(journal, 'answer')
    const lost = keysOf(journal, 'sent').length - answered.length
    // Four sessions at once, each with one request under way.
    expect([lost > 0, lost <= 4, answered.length >= asked - 4]).toEqual([true, true, true])
    const rest = await stopped(journal, [])
    const result = { ...found(whole), tries: lost }
    expect([rest.code, found(rest), rest.asked]).toEqual([0, result, all() - answered.length])
    expect(rest.stderr).toMatch(new RegExp(`^ctxwin: ${lost} requests? of earlier runs went out and brought no answer`))
    expect(existsSync(join(root, `${journal}.lock`))).toBe(false)
  })
})
