/** What the system refuses is told in words: no message has a code of it, whatever could not be opened, and none is a bug. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { generate } from '../../bench/generate.mjs'
import { type Ran, runCli } from './run.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const bin = join(root, 'bin/ctxwin.js')
const onLinux = process.platform === 'linux'

let cwd = ''
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxwin-refused-'))
  copyFileSync(join(root, 'fixtures/openai-chat/tools.jsonl'), join(cwd, 't.jsonl'))
  writeFileSync(join(cwd, 'file'), 'x')
  symlinkSync('loop', join(cwd, 'loop'))
  for (const ending of ['json', 'jsonl', 'mjs', 'db']) {
    symlinkSync(`loop.${ending}`, join(cwd, `loop.${ending}`))
    mkdirSync(join(cwd, `directory.${ending}`))
    writeFileSync(join(cwd, `secret.${ending}`), '{}', { mode: 0 })
    chmodSync(join(cwd, `secret.${ending}`), 0)
  }
  mkdirSync(join(cwd, 'locked'), { mode: 0 })
})
afterAll(() => {
  chmodSync(join(cwd, 'locked'), 0o700)
  rmSync(cwd, { recursive: true })
})

const read = ['-e', 'bytes']
/** By what is opened: its ending, and the words that open it. */
const opened: Readonly<Record<string, readonly [ending: string, words: (name: string) => readonly string[]]>> = {
  'an input': ['jsonl', (name) => ['simulate', name, ...read]],
  'a session that is followed': ['jsonl', (name) => ['advise', name]],
  'a config file': ['json', (name) => ['simulate', 't.jsonl', '--config', name]],
  'a config module': ['mjs', (name) => ['simulate', 't.jsonl', '--config', name]],
  'a price file': ['json', (name) => ['simulate', 't.jsonl', '--prices', name]],
  'a policy': ['mjs', (name) => ['simulate', 't.jsonl', '--policy', name.startsWith('/') ? name : `./${name}`]],
  'a reader': ['mjs', (name) => ['simulate', 't.jsonl', '--format', name.startsWith('/') ? name : `./${name}`]],
  'a baseline': ['json', (name) => ['check', 't.jsonl', '-e', 'bytes', '--baseline', name]],
  'a new baseline': ['json', (name) => ['check', 't.jsonl', '-e', 'bytes', '--baseline', name, '--update-baseline']],
  'a result': ['json', (name) => ['simulate', 't.jsonl', ...read, '-o', name]],
  'a page': ['json', (name) => ['report', 't.jsonl', '-e', 'bytes', '-o', name]],
  'the report of a check': [
    'json',
    (name) => ['check', 't.jsonl', '-e', 'bytes', '--assert', 'maxCuts=9', `--output-file.json=${name}`],
  ],
  'a part': ['json', (name) => ['merge', name]],
  'a conversion': ['json', (name) => ['export', 't.jsonl', '--to', 'ctxwin', '-o', name]],
  'a directory of conversions': ['json', (name) => ['export', 't.jsonl', '--to', 'ctxwin', '-o', `${name}/`]],
  'a directory of tables': ['db', (name) => ['export', 't.jsonl', ...read, '--to', `csv:${name}`]],
  'a directory of Parquet': ['db', (name) => ['export', 't.jsonl', ...read, '--to', `parquet:${name}`]],
  'a database': ['db', (name) => ['export', 't.jsonl', ...read, '--to', `sqlite:${name}`]],
}

const refused: Readonly<Record<string, (ending: string) => string>> = {
  'a link to itself': (ending) => `loop.${ending}`,
  'a name behind a link to itself': (ending) => `loop/x.${ending}`,
  'a name behind a file': (ending) => `file/x.${ending}`,
  'a directory of that name': (ending) => `directory.${ending}`,
  'a name that is too long': (ending) => `${'n'.repeat(300)}.${ending}`,
  'a path that is too long': (ending) => `${'a/'.repeat(3000)}x.${ending}`,
  ...(onLinux && {
    'a name in /proc': (ending) => `/proc/ctxwin/x.${ending}`,
    'a device without an end': () => '/dev/full',
  }),
}

function expectWords({ code, stderr }: Ran, what: string): void {
  expect(stderr, what).not.toMatch(/\bE[A-Z]{3,}\b|bug of ctxwin|\n {4}at /)
  for (const line of stderr.split('\n').slice(0, -1)) expect(line, what).toMatch(/^(ctxwin: | {4}\S)/)
  // Conversions and tables fit into a directory.
  expect([0, 2], what).toContain(code)
  if (code === 2)
    expect(stderr, what).toMatch(/cannot (read|write) |no transcripts in this directory|name it|no baseline/)
}

describe.each(Object.keys(opened))('%s', (kind) => {
  const [ending, words] = opened[kind] as (typeof opened)[string]
  it.each(Object.keys(refused))('that is %s is refused in words', async (why) => {
    const argv = words(refused[why]?.(ending) as string)
    expectWords(await runCli(argv, { cwd, env: { COLUMNS: '80' } }), argv.join(' ').slice(0, 200))
  })
})

/** A user whom files of root are kept from. */
const nobody = 65534
const asNobody = (argv: readonly string[], env: NodeJS.ProcessEnv = {}): Ran => {
  const options = { cwd, env: { PATH: process.env.PATH, ...env }, encoding: 'utf8', uid: nobody, gid: nobody } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...argv], options)
  return { code: status ?? -1, stdout, stderr }
}
const mayBeNobody = onLinux && process.getuid?.() === 0 && asNobodyStarts()
function asNobodyStarts(): boolean {
  const { status } = spawnSync(process.execPath, [bin, '--version'], { uid: nobody, gid: nobody })
  return status === 0
}

describe.runIf(mayBeNobody)('what belongs to somebody else', () => {
  beforeAll(() => chmodSync(cwd, 0o755))
  const kinds = ['an input', 'a config module', 'a price file', 'a new baseline', 'a directory of tables', 'a database']
  it.each(kinds)('is refused in words: %s', (kind) => {
    const [ending, words] = opened[kind] as (typeof opened)[string]
    for (const name of [
      `secret.${ending}`,
      ...(kind === 'an input' || kind === 'a database' ? [`locked/x.${ending}`] : []),
    ]) {
      const ran = asNobody(words(name))
      expectWords(ran, name)
      if (name.startsWith('secret'))
        expect(ran.stderr).toMatch(/you do not have permission to (read|write) it|it is a file/)
    }
  })
})

describe('the words for what is refused', () => {
  it.each([
    ['simulate loop.jsonl', 'cannot read loop.jsonl: its links go round'],
    ['simulate file/x.jsonl', 'cannot read file/x.jsonl: there is no such file: its path leads through one'],
    ['simulate t.jsonl --config loop.json', 'cannot read loop.json: its links go round'],
    ['simulate t.jsonl --policy ./directory.mjs', 'cannot read ./directory.mjs: it is a directory, not a file'],
    ['simulate t.jsonl --policy ./loop.mjs', 'cannot read ./loop.mjs: its links go round'],
    ['simulate t.jsonl --prices /dev/zero', 'cannot read /dev/zero: it is a device: name a file'],
    ['merge loop.json', 'cannot read loop.json: its links go round'],
    ['export t.jsonl --to sqlite:loop.db', 'cannot write sqlite:loop.db: its links go round'],
    ['export t.jsonl --to sqlite:gone/x.db', 'cannot write sqlite:gone/x.db: its directory is not there'],
    ['export t.jsonl --to sqlite:/dev/null', 'cannot write sqlite:/dev/null: it is no file'],
    ['export t.jsonl --to ctxwin -o /proc/x/y/', 'cannot write /proc/x/y/: its directory is not there'],
    ['export t.jsonl --to csv:/proc/x/y', 'cannot write /proc/x/y: its directory is not there'],
  ])('%s', async (line, words) => {
    const { code, stderr } = await runCli(line.split(' '), { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain(`ctxwin: ${words}`)
  })
})

describe.runIf(onLinux)('a place for the cache that cannot be made', () => {
  it('changes nothing, and holds up nobody', () => {
    const run = (variable: string, value: string) => {
      const env = { PATH: process.env.PATH, [variable]: value }
      const options = { cwd, env, encoding: 'utf8', timeout: 60_000 } as const
      const { status, stdout, stderr } = spawnSync(process.execPath, [bin, 'simulate', 't.jsonl', ...read], options)
      return { status, stdout, stderr }
    }
    const plain = run('CI', 'true')
    expect(plain).toMatchObject({ status: 0, stderr: '' })
    expect(run('CTXWIN_CACHE_DIR', '/proc/ctxwin/caches')).toEqual(plain)
    expect(run('XDG_CACHE_HOME', join(cwd, 'loop'))).toEqual(plain)
    expect(run('HOME', '/dev/full')).toEqual(plain)
  })
})

describe.runIf(onLinux)('a working directory that was removed', () => {
  const gone = (line: string, env: NodeJS.ProcessEnv = {}) => {
    const script = `mkdir gone && cd gone && rmdir ../gone && "$@"`
    const options = { cwd, env: { ...process.env, ...env }, encoding: 'utf8', input: '{}' } as const
    const words = ['-c', script, 'sh', process.execPath, bin, ...line.split(' ')]
    const { status, stdout, stderr } = spawnSync('sh', words, options)
    return { status, stdout, stderr }
  }

  it.each(['simulate t.jsonl', 'list models'])('is told: %s', (line) => {
    expect(gone(line)).toEqual({
      status: 2,
      stdout: '',
      stderr: 'ctxwin: cannot read the working directory: it is not there any more: change to another one\n',
    })
  })

  it('is told where a cache is relative to it, and does not stop an agent', () => {
    expect(gone('spend', { CTXWIN_CACHE_DIR: 'caches' }).status).toBe(2)
    expect(gone('advise --hook').status).toBe(0)
  })
})

describe.runIf(onLinux)('a SQLite database', () => {
  const exported = (script: string, ...more: string[]) => {
    const inputs = ['compaction', 'refactor', 'rewind'].map((name) => join(root, `fixtures/claude-code/${name}.jsonl`))
    const words = ['-c', `${script}; exec "$@"`, 'bash', process.execPath, bin, 'export', ...inputs, ...read, ...more]
    const { status, stderr } = spawnSync('bash', words, { cwd, encoding: 'utf8' })
    return { status, stderr }
  }

  it('that the disk has no room for is not left half, or holds whole transcripts, with which --resume goes on', () => {
    const refused = 'ctxwin: cannot write sqlite:a.db: it would be larger than a file may be\n'
    // In kilobytes: too little for the first transcript, and for the second.
    expect(exported('ulimit -f 40', '--to', 'sqlite:a.db')).toEqual({ status: 2, stderr: refused })
    expect(readdirSync(cwd).filter((name) => name.startsWith('a.db'))).toEqual([])
    const hint = '    1 transcript was stored whole before: the same command with --resume goes on\n'
    expect(exported('ulimit -f 80', '--to', 'sqlite:a.db')).toEqual({ status: 2, stderr: refused + hint })
    expect(readdirSync(cwd).filter((name) => name.startsWith('a.db'))).toEqual(['a.db'])
    expect(exported(':', '--to', 'sqlite:a.db', '--resume')).toEqual({
      status: 0,
      stderr: 'ctxwin: exported 2 transcripts in 2 runs under as-recorded; 1 transcript there already\n',
    })
  })

  it('is unlocked after an interrupt, for --resume', async () => {
    // One that is large enough to be caught at.
    generate(join(cwd, 'large.jsonl'), { bytes: 3e6 })
    const words = [bin, 'export', 't.jsonl', 'large.jsonl', '--to', 'sqlite:c.db']
    const child = spawn(process.execPath, words, { cwd, stdio: 'ignore' })
    const ended = once(child, 'exit')
    await vi.waitUntil(() => existsSync(join(cwd, 'c.db.lock')), { timeout: 60_000, interval: 1 })
    child.kill('SIGINT')
    expect(await ended).toEqual([null, 'SIGINT'])
    expect(readdirSync(cwd).filter((name) => name.startsWith('c.db.'))).toEqual([])
  })

  it('that another program may be writing says so, and how to end that', () => {
    mkdirSync(join(cwd, 'b.db.lock'))
    expect(exported(':', '--to', 'sqlite:b.db')).toEqual({
      status: 2,
      stderr: `ctxwin: cannot write sqlite:b.db: another program writes it; if none does, one was killed: remove the directory ${join(cwd, 'b.db.lock')}\n`,
    })
  })
})
