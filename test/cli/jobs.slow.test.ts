/** `--jobs`: the same bytes from several threads, and what happens when one of them breaks. These run the built program. */
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeHostileFiles } from './hostile-files.ts'

const root = new URL('../..', import.meta.url).pathname

let cwd = ''
let inputs: string[] = []
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxwin-jobs-'))
  inputs = writeHostileFiles(cwd)
})
afterAll(() => rmSync(cwd, { recursive: true }), 60_000)

const env = { ...process.env, CI: 'true', HOME: join(tmpdir(), 'ctxwin-nobody') }

function ctxwin(argv: readonly string[], home = root) {
  const bin = join(home, 'bin/ctxwin.js')
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...argv], { cwd, env, encoding: 'utf8' })
  return { status, stdout, stderr }
}

const cheap = ['--no-references', '--estimator', 'bytes']
const lines: readonly (readonly string[])[] = [
  ...['table', 'json', 'csv'].map((output) => ['simulate', '-b', '10k', '--by', 'exchange', '-O', output]),
  ['simulate', '--since', '2026-01-01', '--min-requests', '2', '-O', 'ndjson'],
  ['simulate', '--strict', '--branches', '-b', '50%', '-m', 'gpt-5', '-O', 'markdown'],
  ['compare', '-p', 'ikigai,drop-oldest', ...cheap],
  ['curve', '-b', '5k,20k', ...cheap, '-O', 'csv'],
  ['recommend', '-p', 'drop-oldest', '-b', '10k,20k', '--json'],
  ['check', '-b', '10k', '--assert', 'maxCuts=1', '--reporter', 'json'],
  ['calibrate', '--estimator', 'bytes,auto'],
  ['spend', '--json'],
  ['sessions', '--json'],
]

describe('two jobs', () => {
  it.each(lines)('print what one does: %s %s %s %s %s %s %s', (command, ...flags) => {
    const argv = [command as string, ...inputs, ...flags]
    const one = ctxwin([...argv, '--jobs', '1'])
    expect(one.stdout).not.toBe('')
    expect(ctxwin([...argv, '--jobs', '2'])).toEqual(one)
  })

  it('write the part that one does', () => {
    const argv = ['simulate', ...inputs, ...cheap, '--shard', '1/2', '--output', 'partial']
    const one = ctxwin([...argv, '--jobs', '1'])
    expect(ctxwin([...argv, '--jobs', '3'])).toEqual(one)
    expect(one.status).toBe(0)
  })
})

it('a number of jobs that is none is refused', () => {
  for (const jobs of ['0', '-1', 'x', '1.5']) {
    expect(ctxwin(['simulate', 'logs', `--jobs=${jobs}`])).toEqual({
      status: 2,
      stdout: '',
      stderr: `ctxwin: --jobs: "${jobs}" is not a number from 1 to 1024\n`,
    })
  }
})

/** The program with threads that do something else on the file whose name has this in it. */
function withThreads(name: string, does: string): string {
  const home = join(cwd, `home-${name}`)
  mkdirSync(join(home, 'src/estimators'), { recursive: true })
  for (const part of ['dist', 'bin', 'package.json', 'src/estimators/bpe'])
    cpSync(join(root, part), join(home, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))
  renameSync(join(home, 'dist/worker.cjs'), join(home, 'dist/sound.cjs'))
  writeFileSync(
    join(home, 'dist/worker.cjs'),
    `require('node:worker_threads').parentPort.on('message', ({ name }) => { if (name.includes('${name}')) { ${does} } })
    require('./sound.cjs')`,
  )
  return home
}

describe('a thread that breaks', () => {
  it.each([
    ['compaction', "throw new TypeError('my secret')", 'TypeError'],
    ['b-session', 'process.exit(3)', 'ThreadEnded'],
    ['tools', 'const all = []; for (;;) all.push(new Array(1e6).fill(0.5))', 'ThreadOutOfMemory'],
  ])('at %s, by %s, is an error that names the file, and the others count', (name, does, kind) => {
    const home = withThreads(name, does)
    const argv = ['simulate', 'logs', ...cheap, '--json', '--jobs', '2']
    const { status, stdout, stderr } = ctxwin(argv, home)
    expect(status).toBe(70)
    expect(stderr).toMatch(new RegExp(`^ctxwin: logs/.*${name}.*: left out: this is a bug of ctxwin.*: ${kind}$`, 'm'))
    expect(stderr).not.toContain('secret')
    const { runs } = JSON.parse(stdout) as { runs: { transcript: string }[] }
    expect(runs.some(({ transcript }) => transcript.includes(name))).toBe(false)
    expect(new Set(runs.map(({ transcript }) => transcript)).size).toBeGreaterThan(3)
  })

  it('or hangs, ends with the program at an interrupt', async () => {
    const home = withThreads('damaged', 'for (;;);')
    const bin = join(home, 'bin/ctxwin.js')
    const running = spawn(process.execPath, [bin, 'simulate', 'logs', ...cheap, '--jobs', '2'], { cwd, env })
    const ended = new Promise((resolve) => running.on('exit', (code, signal) => resolve(signal ?? code)))
    setTimeout(() => running.kill('SIGINT'), 3000)
    expect(await ended).toBe('SIGINT')
  })
})
