/** `--jobs`: the same bytes from several threads, and what happens when one of them breaks. These run the built program. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { loadScript } from '../../../src/cache/code.ts'
import type { main } from '../../../src/cli/start/main.ts'
import { figuresIn, writeHostileArchives } from '../hostile-archives.ts'
import { writeHostileFiles } from '../hostile-files.ts'
import { runCli, wordsOf } from '../run.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

let cwd = ''
let inputs: string[] = []
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxwin-jobs-'))
  inputs = writeHostileFiles(cwd)
})
afterAll(() => rmSync(cwd, { recursive: true }))

const env = { ...process.env, HOME: join(tmpdir(), 'ctxwin-nobody') }

/** Nothing of a transcript comes from an earlier run; the code of the program, compiled once for all, does. */
const unread = '--no-cache'

/** A process of the built program. */
function ctxwin(argv: readonly string[], home: string, more: NodeJS.ProcessEnv) {
  const words = [join(home, 'bin/ctxwin.js'), ...argv]
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd,
    env: { ...env, ...more },
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

/** The built program in this process: it starts its threads as it does in one of its own, and has not to be started. */
const built = loadScript<{ readonly main: typeof main }>(join(root, 'dist/main.cjs'), null, 'tests').exports.main
const ranHere = (argv: readonly string[]) => runCli([...argv, unread], { cwd }, built)

const cheap = ['--estimator', 'bytes']
// By the estimator that needs no tables, which each thread would make for itself, but where that is what is tried.
const lines = [
  'simulate -b10k --by exchange -O csv -ebytes',
  'simulate --since 2026-01-01 --min-requests 2 -O ndjson -ebytes',
  'simulate --branches -b 50% -m gpt-5 -O markdown',
  'recommend -p drop-oldest -b 10k,20k -ebytes --json',
  'check -b 10k --assert maxCuts=1 -ebytes --reporter json',
  'calibrate --estimator bytes,auto',
  'spend --json',
  'overview --json',
  'sessions --json',
]

describe('two jobs', () => {
  it.each(lines)('print what one does: %s', async (line) => {
    const [command = '', ...flags] = line.split(' ')
    const argv = [...wordsOf(command), ...inputs, ...flags]
    const one = await ranHere([...argv, '--jobs', '1'])
    expect(one.stdout).not.toBe('')
    expect(await ranHere([...argv, '--jobs', '2'])).toEqual(one)
  })

  it('write the page that one does', async () => {
    const argv = ['report', ...inputs, '-p', 'drop-oldest,claude-code-auto', '-b', '10k', '-e', 'bytes']
    const pages: string[] = []
    for (const jobs of ['1', '2']) {
      await ranHere([...argv, '--jobs', jobs, '-o', 'page.html'])
      pages.push(readFileSync(join(cwd, 'page.html'), 'utf8'))
      rmSync(join(cwd, 'page.html'))
    }
    expect(pages[0]).toContain('claude-code-auto')
    expect(pages[1]).toBe(pages[0])
  })

  it('write the part that one does', async () => {
    const argv = ['simulate', ...inputs, ...cheap, '--shard', '1/2', '--output', 'partial']
    const one = await ranHere([...argv, '--jobs', '1'])
    expect(await ranHere([...argv, '--jobs', '3'])).toEqual(one)
    expect(one.code).toBe(0)
  })
})

it('files in archives are read whatever lies where their names lead', async () => {
  const place = join(cwd, 'archives', 'here')
  const { lengths } = writeHostileArchives(place)
  const simulated = (...words: string[]) =>
    runCli(['simulate', ...words, '-e', 'bytes', '-O', 'json', unread], { cwd: place }, built)
  const plain = figuresIn((await simulated('plain')).stdout)
  const [one, two] = [await simulated('x.zip', 'y.zip', '--jobs=1'), await simulated('x.zip', 'y.zip', '--jobs=2')]
  expect(two).toEqual(one)
  const expected = Object.entries(lengths).map(([name, length]) => [name, plain[`plain/${length}.jsonl`]])
  expect(figuresIn(two.stdout)).toEqual(Object.fromEntries(expected))
  // A directory has all of them, and files by themselves of the same names.
  expect(await simulated('.', '--jobs=2')).toEqual(await simulated('.', '--jobs=1'))
})

it('a config file runs in no thread, which get what it says', async () => {
  const count = "import { appendFileSync } from 'node:fs'\nappendFileSync('loads', 'x')\n"
  writeFileSync(
    join(cwd, 'count.mjs'),
    `${count}export default { budget: '10k', policies: { mine: [{ dropOldest: {} }] } }`,
  )
  for (const name of ['one.jsonl', 'two.jsonl'])
    cpSync(join(root, 'fixtures/claude-code/refactor.jsonl'), join(cwd, name))
  const argv = ['simulate', 'one.jsonl', 'two.jsonl', '--config', 'count.mjs', '--policy', 'mine', ...cheap, unread]
  const [one, two] = ['1', '2'].map((jobs) => ctxwin([...argv, '--jobs', jobs], root, {}))
  expect(two).toEqual(one)
  expect(one?.stdout).toContain('mine')
  // Once to try it, and once for the run.
  expect(readFileSync(join(cwd, 'loads'), 'utf8')).toBe('xxxx')
})

it('a number of jobs that is none is refused', async () => {
  for (const jobs of ['0', '-1', 'x', '1.5']) {
    expect(await ranHere(['simulate', 'logs', `--jobs=${jobs}`])).toEqual({
      code: 2,
      stdout: '',
      stderr: `ctxwin: --jobs: "${jobs}" is not a number from 1 to 1024\n`,
    })
  }
})

describe('a thread that breaks', () => {
  let home = ''
  beforeAll(() => {
    home = join(cwd, 'home')
    for (const part of ['bin', 'package.json', 'src/estimators/bpe', 'dist/wasm', 'dist/main.cjs', 'dist/start.cjs'])
      cpSync(join(root, part), join(home, part), { recursive: true })
    cpSync(join(root, 'dist/worker.cjs'), join(home, 'dist/sound.cjs'))
    writeFileSync(
      join(home, 'dist/worker.cjs'),
      `const { BREAKS_AT, BREAKS_BY } = process.env
      require('node:worker_threads').parentPort.on('message', ({ name }) => { if (name.includes(BREAKS_AT)) eval(BREAKS_BY) })
      require('./sound.cjs')`,
    )
    symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))
  })

  it.each([
    ['compaction', "throw new TypeError('my secret')", 'TypeError'],
    ['b-session', 'process.exit(3)', 'ThreadEnded'],
    ['tools', 'const all = []; for (;;) all.push(new Array(1e6).fill(0.5))', 'ThreadOutOfMemory'],
  ])('at %s, by %s, is an error that names the file, and the others count', (name, does, kind) => {
    const argv = ['simulate', 'logs', ...cheap, '--json', '--jobs', '2', unread]
    // Little memory is sooner full. Elsewhere the flag would only have the program compiled anew.
    const little = kind === 'ThreadOutOfMemory' ? { NODE_OPTIONS: '--max-old-space-size=200' } : {}
    const { status, stdout, stderr } = ctxwin(argv, home, { BREAKS_AT: name, BREAKS_BY: does, ...little })
    expect(status).toBe(70)
    expect(stderr).toMatch(new RegExp(`^ctxwin: logs/.*${name}.*: left out: this is a bug of ctxwin.*: ${kind}$`, 'm'))
    expect(stderr).not.toContain('secret')
    const { runs } = JSON.parse(stdout) as { runs: { transcript: string }[] }
    expect(runs.some(({ transcript }) => transcript.includes(name))).toBe(false)
    expect(new Set(runs.map(({ transcript }) => transcript)).size).toBeGreaterThan(3)
  })

  it('or hangs, ends with the program at an interrupt', async () => {
    const breaks = { BREAKS_AT: 'damaged', BREAKS_BY: "require('node:fs').writeFileSync('hangs', ''); for (;;);" }
    const words = [join(home, 'bin/ctxwin.js'), 'simulate', 'logs', ...cheap, '--jobs', '2', unread]
    const running = spawn(process.execPath, words, { cwd, env: { ...env, ...breaks }, stdio: 'ignore' })
    const ended = once(running, 'exit')
    await vi.waitUntil(() => existsSync(join(cwd, 'hangs')), { timeout: 30_000, interval: 10 })
    running.kill('SIGINT')
    expect(await ended).toEqual([null, 'SIGINT'])
  })
})
