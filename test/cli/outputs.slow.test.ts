import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { runCli, wordsOf } from './run.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const bin = join(root, 'bin/ctxwin.js')
const onLinux = process.platform === 'linux'

let cwd = ''
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxwin-'))
  copyFileSync(join(root, 'fixtures/openai-chat/tools.jsonl'), join(cwd, 't.jsonl'))
  writeFileSync(join(cwd, 'report'), 'the last good one')
})
afterEach(() => rmSync(cwd, { recursive: true }))

const textOf = (name: string) => readFileSync(join(cwd, name), 'utf8')
const ctxwin = (...argv: string[]) => runCli(argv, { cwd })

describe('the file of a result', () => {
  it('is replaced by the whole result, and nothing else is left in the directory', async () => {
    const { stdout } = await ctxwin('simulate', 't.jsonl', '-e', 'bytes', '-O', 'json')
    expect(await ctxwin('simulate', 't.jsonl', '-e', 'bytes', '-O', 'json', '-o', 'report')).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
    expect(textOf('report')).toBe(stdout)
    expect(readdirSync(cwd).sort()).toEqual(['report', 't.jsonl'])
  })

  it('holds both parts of a calibration of several', async () => {
    copyFileSync(join(root, 'fixtures/claude-code/refactor.jsonl'), join(cwd, 'a.jsonl'))
    copyFileSync(join(root, 'fixtures/claude-code/compaction.jsonl'), join(cwd, 'b.jsonl'))
    const { stdout } = await ctxwin('calibrate', 'a.jsonl', 'b.jsonl', '-e', 'bytes')
    await ctxwin('calibrate', 'a.jsonl', 'b.jsonl', '-e', 'bytes', '-o', 'report')
    expect(stdout).toContain('median off %')
    expect(textOf('report')).toBe(stdout)
  })

  it.each([
    ['an unknown policy', ['simulate', 't.jsonl', '-p', 'ikgai']],
    ['a missing input', ['simulate', 'missing.jsonl']],
    ['no input', ['recommend']],
    ['an input that is no transcript', ['simulate', 'report']],
    ['a moment that is not there', ['history', '--request', 't.jsonl', '--at', '99']],
    ['usage that was not recorded', ['calibrate', 't.jsonl']],
    ['an unknown report', ['history', '--exchanges', 't.jsonl', '-O', 'xlm']],
  ])('is what it was after %s', async (_, argv) => {
    copyFileSync(join(cwd, 'report'), join(cwd, 'kept'))
    expect((await ctxwin(...argv, '-o', 'kept')).code).toBe(2)
    expect(textOf('kept')).toBe('the last good one')
    expect(readdirSync(cwd).sort()).toEqual(['kept', 'report', 't.jsonl'])
  })

  it.each([
    ['a directory', 'there', 'it is a directory'],
    ['a name in a directory that is not there', 'no/report', 'its directory is not there'],
  ])('is checked before the run: %s', async (_, name, reason) => {
    mkdirSync(join(cwd, 'there'))
    const stderr = `ctxwin: cannot write ${name}: ${reason}\n`
    expect(await ctxwin('simulate', 'missing.jsonl', '-o', name)).toEqual({ code: 2, stdout: '', stderr })
    const checked = await ctxwin('check', 'missing.jsonl', '--assert', 'maxCuts=1', `--output-file.junit=${name}`)
    expect(checked).toEqual({ code: 2, stdout: '', stderr })
  })
})

it('check --init writes no config file where the baseline that it names cannot be written', async () => {
  mkdirSync(join(cwd, 'ctxwin-baseline.json'))
  const { code, stderr } = await ctxwin('check', '--init', 't.jsonl', '--force')
  expect([code, stderr]).toEqual([2, 'ctxwin: cannot write ctxwin-baseline.json: it is a directory\n'])
  expect(readdirSync(cwd).sort()).toEqual(['ctxwin-baseline.json', 'report', 't.jsonl'])
})

describe('a file that is read', () => {
  const refusal = (name: string, what: string) => ({
    code: 2,
    stdout: '',
    stderr: `ctxwin: cannot write ${name}: it is ${what}: name another file for the result\n`,
  })

  it.each(['simulate', 'recommend', 'calibrate', 'history --exchanges', 'history', 'history --request'])(
    'is not overwritten by %s, by whatever name',
    async (command) => {
      const before = textOf('t.jsonl')
      linkSync(join(cwd, 't.jsonl'), join(cwd, 'hard'))
      symlinkSync('t.jsonl', join(cwd, 'soft'))
      for (const name of ['t.jsonl', './t.jsonl', join(cwd, 't.jsonl'), 'hard', 'soft']) {
        expect(await ctxwin(...wordsOf(command), 't.jsonl', '-o', name)).toEqual(refusal(name, 'an input'))
      }
      expect(textOf('t.jsonl')).toBe(before)
    },
  )

  it('is not overwritten by a reporter of a check', async () => {
    const argv = ['check', '.', '--assert', 'maxCuts=1', '--output-file.junit', 't.jsonl']
    expect(await ctxwin(...argv)).toEqual(refusal('t.jsonl', 'an input'))
  })

  it('may lie in a directory that is read: what is no transcript there is written anew', async () => {
    writeFileSync(join(cwd, 'report.json'), '{"schemaVersion":1,"runs":[],"totals":[],"diagnostics":[]}')
    expect(await ctxwin('simulate', '.', '-o', 't.jsonl')).toEqual(refusal('t.jsonl', 'an input'))
    expect((await ctxwin('simulate', '.', '-O', 'json', '-o', 'report.json')).code).toBe(0)
    expect((await ctxwin('simulate', '.', '-O', 'json', '-o', 'report.json')).code).toBe(0)
    expect(JSON.parse(textOf('report.json')).runs[0].transcript).toBe('t.jsonl')
  })

  it('is not overwritten where it holds settings', async () => {
    writeFileSync(join(cwd, 'ctxwin.config.json'), '{"baseline":"base.json"}')
    writeFileSync(join(cwd, 'mine.js'), '')
    const simulate = (...words: string[]) => ctxwin('simulate', 't.jsonl', ...words)
    expect(await simulate('-o', 'ctxwin.config.json')).toEqual(refusal('ctxwin.config.json', 'the config file'))
    expect(await simulate('-o', 'base.json')).toEqual(refusal('base.json', 'the baseline'))
    expect(await simulate('-p', './mine.js:a=1', '-o', 'mine.js')).toEqual(refusal('mine.js', 'a policy'))
    expect(await simulate('--prices', 'report', '-o', 'report')).toEqual(refusal('report', 'the price file'))
  })

  it('takes one result only', async () => {
    const argv = ['check', '.', '--assert', 'maxCuts=1', '--output-file.junit', 'new', '--output-file.json', './new']
    const { code, stderr } = await ctxwin(...argv)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'ctxwin: cannot write ./new: two results would be written there\n',
    })
  })

  it('is known behind standard input too', () => {
    const stdin = openSync(join(cwd, 't.jsonl'), 'r')
    const { status, stderr } = spawnSync(process.execPath, [bin, 'simulate', '-', '-o', 't.jsonl'], {
      cwd,
      stdio: [stdin, 'pipe', 'pipe'],
      encoding: 'utf8',
    })
    closeSync(stdin)
    expect({ status, stderr }).toEqual({ status: 2, stderr: refusal('t.jsonl', 'an input').stderr })
  })
})

describe.skipIf(!onLinux)('standard input', () => {
  const transcripts = (line: string) => {
    const { stdout } = spawnSync('bash', ['-c', line, 'bash', process.execPath, bin], { cwd, encoding: 'utf8' })
    return JSON.parse(stdout).runs.map(({ transcript }: { transcript: string }) => transcript)
  }

  it('is read once, under whatever names it is an input', () => {
    const words = '"$@" simulate - /dev/stdin /dev/fd/0 --json -e bytes'
    expect(transcripts(`head -1 t.jsonl | ${words}`)).toEqual(['-'])
    expect(transcripts(`head -1 t.jsonl > one; ${words} one < one`)).toEqual(['-'])
  })

  it('is not waited for where it is a device without an end', () => {
    const line = 'exec "$0" "$1" simulate - < /dev/zero'
    const { status, stderr } = spawnSync('bash', ['-c', line, process.execPath, bin], { cwd, encoding: 'utf8' })
    expect([status, stderr]).toEqual([2, 'ctxwin: cannot read -: it is a device: name a file, a directory or a pipe\n'])
  })
})

describe.skipIf(!onLinux)('a signal', () => {
  it.each([
    // Each signal comes below, in the writing.
    ['SIGHUP', 'simulate pipe'],
    // Its result is half-written when the pipe is waited for.
    ['SIGTERM', 'export t.jsonl pipe --to ctxwin'],
  ] as const)('%s in the run ends it and leaves the old result: %s', async (signal, words) => {
    execFileSync('mkfifo', [join(cwd, 'pipe')])
    const child = spawn(process.execPath, [bin, ...words.split(' '), '-o', 'report'], { cwd, stdio: 'ignore' })
    const ended = new Promise((done) => child.on('exit', (code, by) => done({ code, by })))
    // Opened when the run is there to read it, and held open, so that the run goes on. Not waited for in the opening
    // itself: a run that ends before it reads would leave this process there for good.
    const reader = () => openSync(join(cwd, 'pipe'), constants.O_WRONLY | constants.O_NONBLOCK)
    const pipe = await vi.waitFor(reader, { timeout: 30_000, interval: 10 })
    child.kill(signal)
    expect(await ended).toEqual({ code: null, by: signal })
    closeSync(pipe)
    expect(textOf('report')).toBe('the last good one')
    expect(readdirSync(cwd).sort()).toEqual(['pipe', 'report', 't.jsonl'])
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s in the writing removes what is half-written',
    async (signal) => {
      const program = `
      const { openDraft, targetOf } = await import(${JSON.stringify(join(root, 'dist/cli/output/whole-file.js'))})
      openDraft(targetOf('report', 'report')).write('half')
      setInterval(() => {}, 1000)`
      const child = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd, stdio: 'ignore' })
      const ended = new Promise((done) => child.on('exit', (code, by) => done({ code, by })))
      const beside = join(cwd, `.ctxwin-${child.pid}-0`)
      await vi.waitUntil(() => existsSync(beside), { timeout: 30_000, interval: 10 })
      child.kill(signal)
      expect(await ended).toEqual({ code: null, by: signal })
      expect(existsSync(beside)).toBe(false)
      expect(textOf('report')).toBe('the last good one')
    },
  )
})

describe.skipIf(!onLinux)('a disk that is full', () => {
  const shell = (line: string) => {
    const words = ['-c', line, 'bash', process.execPath, bin]
    const { status, stdout, stderr } = spawnSync('bash', words, { cwd, encoding: 'utf8' })
    return { status, stdout, stderr }
  }
  const full = (name: string, reason = 'the disk is full') => ({
    status: 2,
    stdout: '',
    stderr: `ctxwin: cannot write ${name}: ${reason}\n`,
  })
  const tooLarge = 'it would be larger than a file may be'

  it.each(['simulate t.jsonl -e bytes -O json --by request', '--help', '--print-config'])(
    'is no bug and no finding on standard output: %s',
    (words) => {
      expect(shell(`"$@" ${words} > /dev/full`)).toEqual(full('standard output'))
    },
  )

  it('is no bug and no finding in a file', () => {
    expect(shell('"$@" simulate t.jsonl -e bytes -o /dev/full')).toEqual(full('/dev/full'))
    expect(shell('"$@" check t.jsonl --assert maxCuts=9 --output-file.json=/dev/full')).toEqual(full('/dev/full'))
  })

  it('is told where it has room for a part, and keeps the old file', () => {
    const line = (where: string) => `ulimit -f 1; "$@" simulate t.jsonl -e bytes -O json --by request ${where}`
    expect(shell(line('-o report'))).toEqual(full('report', tooLarge))
    expect(shell(line('> new'))).toEqual(full('standard output', tooLarge))
    expect(textOf('report')).toBe('the last good one')
    expect(readdirSync(cwd).sort()).toEqual(['new', 'report', 't.jsonl'])
  })

  it('of standard error changes no exit code', () => {
    expect(shell('"$@" simulate missing.jsonl 2> /dev/full')).toEqual({ status: 2, stdout: '', stderr: '' })
  })

  it('is something else than a reader who has enough', () => {
    const line = (words: string) => shell(`set -o pipefail; "$@" ${words} | true`)
    const silent = { status: 0, stdout: '', stderr: '' }
    expect(line('completion bash')).toEqual(silent)
    expect(line('simulate t.jsonl -e bytes -O json --by request')).toEqual(silent)
    expect(line('simulate t.jsonl -e bytes -o /dev/stdout')).toEqual(silent)
    expect(shell('"$@" simulate missing.jsonl 2>&1 | true')).toEqual(silent)
  })

  it('is not looked for where a device is written: what a shell has opened is appended to', () => {
    expect(
      shell('echo before > new; "$@" simulate t.jsonl -e bytes -o /dev/stdout >> new; "$@" simulate t.jsonl -e bytes'),
    ).toEqual({
      status: 0,
      stdout: textOf('new').replace(/^before\n/, ''),
      stderr: '',
    })
  })
})

/** Root may mount a disk that is small; a container may keep even root from it. */
describe.runIf(onLinux && process.getuid?.() === 0)('a small disk', () => {
  let disk = ''
  let isMounted = false
  beforeAll(() => {
    disk = mkdtempSync(join(tmpdir(), 'ctxwin-disk-'))
    isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]).status === 0
  })
  afterAll(() => {
    if (isMounted) spawnSync('umount', [disk])
    rmSync(disk, { recursive: true })
  })

  /** What a command leaves where there is room for only so many kilobytes: a file takes four, and so does a lock. */
  const left = async (room: number, line: string) => {
    for (const name of readdirSync(disk)) rmSync(join(disk, name), { recursive: true })
    copyFileSync(join(cwd, 't.jsonl'), join(disk, 't.jsonl'))
    writeFileSync(join(disk, 'old'), 'old')
    writeFileSync(join(disk, 'fill'), '')
    const { bsize, bavail } = statfsSync(disk)
    writeFileSync(join(disk, 'fill'), Buffer.alloc(bsize * bavail - room * 1024))
    const { code, stderr } = await runCli(line.split(' '), { cwd: disk })
    const names = readdirSync(disk, { recursive: true, encoding: 'utf8' }).filter((name) => name !== 'fill')
    return { code, stderr, names: names.sort() }
  }

  it.each([
    ['simulate t.jsonl -O json --by request -o old', 4, 'old', []],
    ['simulate t.jsonl -O json --by request --output-file new', 4, 'new', []],
    ['simulate t.jsonl -O partial --shard 1/1 -o t.part', 0, 't.part', []],
    ['export t.jsonl --to ctxwin -o old', 0, 'old', []],
    ['export t.jsonl --to ctxwin -o out/', 0, 'out/t.jsonl', ['out']],
    ['export t.jsonl --to parquet:out', 8, 'out/runs.parquet', ['out']],
    ['export t.jsonl --to csv:out', 8, 'out/runs.csv', ['out']],
    ['export t.jsonl --to sqlite:a.db', 4, 'sqlite:a.db', []],
    ['check --init t.jsonl', 8, 'ctxwin.config.jsonc', []],
    ['check t.jsonl --assert maxCuts=9 --update-baseline', 8, null, ['ctxwin-baseline.json']],
    ['check t.jsonl --assert maxCuts=9 --update-baseline', 0, 'ctxwin-baseline.json', []],
    ['check t.jsonl --assert maxCuts=9 --output-file.json=old', 0, 'old', []],
    ['report t.jsonl -o r.html', 4, 'r.html', []],
  ])('has nothing of what it has no room for: %s, %d KB', async (line, room, name, made) => {
    if (!isMounted) return
    const refused = name === null ? '' : `ctxwin: cannot write ${name}: the disk is full\n`
    const { code, stderr, names } = await left(room, line)
    expect({ code, stderr }).toEqual({ code: name === null ? 0 : 2, stderr: refused })
    expect(names).toEqual(['old', 't.jsonl', ...made].sort())
    expect(readFileSync(join(disk, 'old'), 'utf8')).toBe('old')
  })

  it('may be that of the caches: the run is the same', async () => {
    if (!isMounted) return
    await left(4, 'list models')
    const run = (place: string) =>
      runCli(['simulate', 't.jsonl'], { cwd, env: { CTXWIN_CACHE_DIR: place, CTXWIN_TRACE_CACHE: 'true' } })
    const free = await run(join(cwd, 'caches'))
    expect(free.code).toBe(0)
    for (const _ of ['first', 'second']) expect(await run(join(disk, 'caches'))).toEqual(free)
  })
})
