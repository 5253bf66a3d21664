/** The laws of the trace cache: whatever is kept, a run prints the same bytes as one that reads everything. */
import { spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outputNames } from '../../src/cli/inputs/settings.ts'
import { sampleSize } from '../../src/readers/vote.ts'
import { keptIn } from '../cache/kept.ts'
import { type Ran, runCli } from './run.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))
const bin = join(project, 'bin/ctxwin.js')
const folder = mkdtempSync(join(tmpdir(), 'ctxwin-traces-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let count = 0
const newFolder = (): string => {
  const path = join(folder, String(count++))
  mkdirSync(path)
  return path
}

/** What is written to now is too young to be kept: by this clock it is not. */
const now = (): number => Date.now() + 60_000

const kept = (directory: string): number => {
  const traces = join(directory, 'traces')
  return existsSync(traces) ? keptIn(traces).length : 0
}

describe('every command', () => {
  const lines = [
    'simulate INPUTS',
    'simulate INPUTS --by reference --budget 5k --output ndjson',
    'simulate INPUTS --estimator bytes,auto --output json',
    'simulate INPUTS --model gpt-5 --provider openai --branches --output csv',
    'simulate INPUTS --measure native --budget 5k',
    'simulate INPUTS --policy mask-tool-results --last 3',
    'recommend INPUTS --policy ikigai,drop-oldest --output json',
    'recommend INPUTS --policy drop-oldest --budget 5k,20k --output json',
    'check INPUTS --assert maxCuts=2 --assert maxDamagedLines=0',
    'calibrate INPUTS --output json',
    'calibrate INPUTS',
    'spend INPUTS',
    'INPUTS',
    'INPUTS --output json',
    'sessions INPUTS --output json',
    'history --exchanges INPUTS --output csv',
  ]

  const run = (line: string, inputs: readonly string[], env: Record<string, string>): Promise<Ran> =>
    runCli(
      line.split(' ').flatMap((word) => (word === 'INPUTS' ? inputs : [word])),
      { cwd: project, env, now: now() },
    )

  const corpus = process.env.CTXWIN_CORPUS ?? '../shared/corpus'
  const recorded = ['damaged', 'inspect-log', 'litellm-log', 'otel-genai-spans', 'chatgpt-export']
    .map((name) => join(corpus, name))
    .filter((path) => existsSync(join(project, path)))

  const first = readdirSync(join(project, 'fixtures'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `fixtures/${name}/${readdirSync(join(project, 'fixtures', name)).sort()[0]}`)
  const branched = ['rewind', 'sidechain', 'compaction', 'refactor'].map((name) => `fixtures/claude-code/${name}.jsonl`)

  // The first line reads every format. What is kept is a trace, which is the same thing in each of them: the others
  // read transcripts of a quarter of the formats, each another one, and Claude Code's branches, sub-agents, compactions and
  // recorded usage.
  const cases = lines.map((line, nth): readonly [string, readonly string[]] => [
    line,
    [...first.filter((_, at) => nth === 0 || (at + nth) % 4 === 0), ...branched, ...(nth === 0 ? recorded : [])],
  ])

  it.each(cases)('prints the same, read or kept: %s', async (line, inputs) => {
    const directory = newFolder()
    const env = { CTXWIN_CACHE_DIR: directory }
    const read = await run(`${line} --no-cache`, inputs, env)
    expect(kept(directory)).toBe(0)
    const first = await run(line, inputs, env)
    const second = await run(line, inputs, env)
    expect(first).toEqual(read)
    expect(second).toEqual(read)
    expect(read.stdout.length).toBeGreaterThan(60)
  })

  it.each(outputNames)('prints the same as %s', async (name) => {
    const env = { CTXWIN_CACHE_DIR: join(folder, 'reports') }
    const line = `simulate INPUTS --output ${name}`
    const read = await run(`${line} --no-cache`, branched, env)
    // The first of these outputs keeps what the others find.
    if (kept(env.CTXWIN_CACHE_DIR) === 0) expect(await run(line, branched, env)).toEqual(read)
    expect(kept(env.CTXWIN_CACHE_DIR)).toBeGreaterThan(0)
    expect(await run(line, branched, env)).toEqual(read)
  })
})

describe('a file that changes between runs', () => {
  const lines = [
    'simulate . --estimator bytes --output json',
    'simulate . --estimator bytes --budget 300 --by request --output json',
    'simulate . --estimator bytes',
    'simulate . --estimator bytes --branches --policy drop-oldest --output csv',
    'simulate . --estimator bytes --preamble 3000 --cache ideal --output json',
    'recommend . --estimator bytes --output json',
    'spend .',
    '. --estimator bytes --output json',
    'check . --estimator bytes --assert maxCuts=1',
  ]
  const files = ['a.jsonl', 'b.jsonl']
  const file = fc.constantFrom(...files)
  /** Records that nobody sees make a file so large, and its format known so early, that it is kept where its reading stopped. */
  const unseen = {
    'fixtures/claude-code/compaction.jsonl': { type: 'mode', sessionId: 'none' },
    'fixtures/codex/compaction.jsonl': { type: 'world_state', payload: {} },
    'fixtures/openai-chat/tools.jsonl': null,
  }
  const transcripts = Object.entries(unseen).map(([name, record]) => {
    const head = record && `${JSON.stringify({ ...record, pad: '-'.repeat(1300) })}\n`.repeat(sampleSize)
    return (head ?? '') + readFileSync(name, 'utf8')
  })
  type Step = fc.Arbitrary<(cwd: string) => void>
  /** The same size and the same time of change, as tools restore it. */
  const restored: Step = fc.tuple(file, fc.constantFrom('0', '7')).map(([name, digit]) => (cwd) => {
    const { atime, mtime } = statSync(join(cwd, name))
    writeFileSync(join(cwd, name), readFileSync(join(cwd, name), 'utf8').replaceAll(/[1-8](?=\d*[,}])/g, digit))
    utimesSync(join(cwd, name), atime, mtime)
  })
  const steps: Step[] = [
    fc.tuple(file, fc.constantFrom(...transcripts)).map(
      ([name, text]) =>
        (cwd) =>
          writeFileSync(join(cwd, name), text),
    ),
    fc.tuple(file, fc.nat(10)).map(([name, at]) => (cwd) => {
      const lines = readFileSync(join(cwd, name), 'utf8').trimEnd().split('\n')
      appendFileSync(join(cwd, name), `${lines.at(-1 - (at % lines.length))}\n`)
    }),
    fc.tuple(file, fc.integer({ min: 1, max: 2 }), fc.boolean()).map(([name, at, isFirst]) => (cwd) => {
      const line = readFileSync(join(cwd, name), 'utf8').trimEnd().split('\n').at(-at) as string
      const half = line.length >> 1
      appendFileSync(join(cwd, name), isFirst ? line.slice(0, half) : `${line.slice(half)}\n`)
    }),
    fc.tuple(file, fc.constantFrom('1', '12')).map(([name, digits]) => (cwd) => {
      const text = readFileSync(join(cwd, name), 'utf8')
      writeFileSync(join(cwd, name), text.replace(/(?<="input_tokens":)\d/, digits) + text.slice(-3000))
    }),
    fc.tuple(file, fc.nat(5000)).map(([name, size]) => (cwd) => {
      truncateSync(join(cwd, name), Math.max(0, statSync(join(cwd, name)).size - size))
    }),
    fc.tuple(file, fc.nat(1e9)).map(
      ([name, time]) =>
        (cwd) =>
          utimesSync(join(cwd, name), time, time),
    ),
    fc.constant((cwd) => {
      renameSync(join(cwd, 'a.jsonl'), join(cwd, 'c.jsonl'))
      renameSync(join(cwd, 'b.jsonl'), join(cwd, 'a.jsonl'))
      renameSync(join(cwd, 'c.jsonl'), join(cwd, 'b.jsonl'))
    }),
    file.map((name) => (cwd) => {
      const { atime, mtime } = statSync(join(cwd, name))
      copyFileSync(join(cwd, name), join(cwd, 'new'))
      utimesSync(join(cwd, 'new'), atime, mtime)
      renameSync(join(cwd, 'new'), join(cwd, name))
    }),
  ]

  it('never leaves a stale figure', async () => {
    // Hidden by any other change of the file in its round: more often than each of these, or it is never seen.
    const step = fc.oneof({ weight: steps.length, arbitrary: restored }, ...steps)
    // Two command lines a case: what a line printed of a file can be stale only where it had read that file before.
    const rounds = fc
      .shuffledSubarray(lines, { minLength: 2, maxLength: 2 })
      .chain((pair) => fc.array(fc.tuple(fc.array(step, { maxLength: 2 }), fc.constantFrom(...pair)), { minLength: 2 }))
    let found = 0
    await fc.assert(
      fc.asyncProperty(rounds, async (each) => {
        const [cwd, directory] = [newFolder(), newFolder()]
        for (const name of files) writeFileSync(join(cwd, name), transcripts[0] as string)
        for (const [changes, line] of each) {
          for (const change of changes) change(cwd)
          // Longer than a tick of the clock by which the system notes times: the clock of the runs is ahead of it.
          if (changes.length > 0) await setTimeout(12)
          const words = line.split(' ')
          const env = { CTXWIN_CACHE_DIR: directory }
          const before = kept(directory)
          const ran = await runCli(words, { cwd, env, now: now() })
          if (changes.length === 0 && before > 0 && kept(directory) === before) found++
          expect(ran).toEqual(await runCli([...words, '--no-cache'], { cwd, env, now: now() }))
        }
      }),
      { numRuns: 8 },
    )
    expect(found).toBeGreaterThan(10)
  })
})

describe('processes', () => {
  const inputs = ['fixtures/claude-code/refactor.jsonl', 'fixtures/codex', 'fixtures/pi']
  const words = ['simulate', ...inputs, '--estimator', 'bytes', '--output', 'json']
  const env = (directory: string) => ({ PATH: process.env.PATH, CTXWIN_CACHE_DIR: directory })
  let read = ''
  beforeAll(async () => {
    read = (await runCli([...words, '--no-cache'], { cwd: project })).stdout
  })

  const started = (directory: string): Promise<string> =>
    new Promise((done) => {
      const child = spawn('node', [bin, ...words], { cwd: project, env: env(directory) })
      let text = ''
      child.stdout.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      child.on('close', (code) => done(`${code} ${text}`))
    })

  it('that run at once print the same, and leave what a later one can use', async () => {
    const directory = newFolder()
    const expected = `0 ${read}`
    const all = await Promise.all([1, 2, 3].map(() => started(directory)))
    expect(new Set(all)).toEqual(new Set([expected]))
    const names = keptIn(join(directory, 'traces'))
    expect(names.every((name) => /^[0-9a-f]{14}$/.test(name))).toBe(true)
    expect(await started(directory)).toBe(expected)
    expect(keptIn(join(directory, 'traces'))).toEqual(names)
  })

  it.skipIf(process.platform === 'win32')(
    'that may write no more than a little print the same, and leave no half',
    () => {
      const directory = newFolder()
      const line = `ulimit -f 4; exec node "$0" "$@"`
      const { status, stdout, stderr } = spawnSync('sh', ['-c', line, bin, ...words], {
        cwd: project,
        encoding: 'utf8',
        env: env(directory),
      })
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      expect(stdout).toBe(read)
      expect(keptIn(join(directory, 'traces')).every((name) => /^[0-9a-f]{14}$/.test(name))).toBe(true)
    },
  )

  it.skipIf(process.getuid?.() !== 0)('print the same where the disk is full, and where it is read-only', (test) => {
    const disk = newFolder()
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=32k', 'tmpfs', disk])
    if (status !== 0) test.skip('nothing can be mounted here')
    try {
      const run = () => spawnSync('node', [bin, ...words], { cwd: project, encoding: 'utf8', env: env(disk) })
      const expected = { status: 0, stdout: read, stderr: '' }
      expect(run()).toMatchObject(expected)
      expect(keptIn(join(disk, 'traces')).every((name) => /^[0-9a-f]{14}$/.test(name))).toBe(true)
      expect(spawnSync('mount', ['-o', 'remount,ro', disk]).status).toBe(0)
      expect(run()).toMatchObject(expected)
    } finally {
      spawnSync('umount', [disk])
    }
  })
})
