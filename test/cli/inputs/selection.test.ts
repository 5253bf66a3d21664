import fs, {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { zip } from '../../readers/lines/zip.ts'
import { runCli, wordsOf } from '../run.ts'

const top = mkdtempSync(join(tmpdir(), 'ctxwin-selection-'))
afterAll(() => rmSync(top, { recursive: true }))

const day = 86_400_000
const now = Date.UTC(2026, 10, 20, 12)
const date = (time: number) => new Date(time).toISOString()

interface Session {
  /** Time of the last response; null if the program records no times. */
  readonly time?: number | null
  readonly requests?: number
  readonly cwd?: string
  readonly model?: string
  /** Time of the file. */
  readonly modified?: number
}

/** A session as Claude Code writes it. */
function linesOf(name: string, { time = now, requests = 1, cwd = '/home/me/app', model = 'claude-opus-4-5' }: Session) {
  const common = { sessionId: name, cwd, ...(time === null ? {} : { timestamp: date(time) }) }
  return [...Array(requests).keys()].flatMap((nth) => [
    { ...common, type: 'user', uuid: `${name}-u${nth}`, message: { role: 'user', content: 'Go on' } },
    {
      ...common,
      type: 'assistant',
      uuid: `${name}-a${nth}`,
      message: {
        id: `${name}-${nth}`,
        role: 'assistant',
        model,
        content: [{ type: 'text', text: 'Done' }],
        usage: { input_tokens: 0, output_tokens: 0 },
      },
    },
  ])
}

/** A directory of sessions; a file with several names contains one session per name. */
function directory(files: Readonly<Record<string, Session | readonly Session[]>>): string {
  const path = mkdtempSync(join(top, 'd-'))
  for (const [file, sessions] of Object.entries(files)) {
    const all = Array.isArray(sessions) ? (sessions as readonly Session[]) : [sessions as Session]
    const lines = all.flatMap((session, nth) => linesOf(`${file}-${nth}`, session))
    mkdirSync(dirname(join(path, file)), { recursive: true })
    writeFileSync(join(path, file), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const seconds = (all[0]?.modified ?? all[0]?.time ?? now) / 1000
    utimesSync(join(path, file), seconds, seconds)
  }
  return path
}

/** The selected conversations, standard error and the exit code. */
async function chosen(
  cwd: string,
  argv: readonly string[],
  world: { env?: Record<string, string>; terminal?: boolean } = {},
) {
  const words = world.terminal ? [] : ['.']
  const { code, stdout, stderr } = await runCli(
    ['simulate', ...words, '--estimator', 'bytes', '--output', 'json', ...argv],
    { cwd, now, ...world },
  )
  const runs: { conversation: string }[] = stdout === '' ? [] : JSON.parse(stdout).runs
  return { code, stderr, left: runs.map(({ conversation }) => conversation) }
}

/** The paths that are opened while something is done. */
async function openedBy(act: () => Promise<void>): Promise<readonly string[]> {
  const opened: string[] = []
  const { openSync, readFileSync: read, createReadStream } = fs
  const noting =
    <Rest extends readonly unknown[], Result>(open: (path: never, ...rest: Rest) => Result) =>
    (path: unknown, ...rest: Rest): Result => {
      opened.push(String(path))
      return open(path as never, ...rest)
    }
  Object.assign(fs, {
    openSync: noting(openSync),
    readFileSync: noting(read),
    createReadStream: noting(createReadStream),
  })
  syncBuiltinESMExports()
  try {
    await act()
  } finally {
    Object.assign(fs, { openSync, readFileSync: read, createReadStream })
    syncBuiltinESMExports()
  }
  return opened
}

describe('--since', () => {
  const cwd = directory({
    'a.jsonl': { time: Date.UTC(2026, 9, 31, 23, 59), modified: now },
    'b.jsonl': { time: Date.UTC(2026, 10, 1) },
    'c.jsonl': { time: Date.UTC(2026, 10, 13, 12), modified: now },
    'd.jsonl': { time: now },
  })

  it.each([
    [['--since', '2026-11-01'], ['b', 'c', 'd'], '1 transcript by --since'],
    [['--since', '7d'], ['c', 'd'], '1 transcript and 1 unread file by --since'],
    [['--since', '1w'], ['c', 'd'], '1 transcript and 1 unread file by --since'],
    [['--since', '167h'], ['d'], '2 transcripts and 1 unread file by --since'],
    [['--since', '2026-11-13T12:00Z'], ['c', 'd'], '1 transcript and 1 unread file by --since'],
    [['--since', '..2026-11-01'], ['a', 'b'], '2 transcripts by --since'],
    [['--since', '..2026-10-31'], ['a'], '3 transcripts by --since'],
    [['--since', '2026-11-01..1d'], ['b', 'c'], '2 transcripts by --since'],
    [['--since', '2026-11-01 .. 2026-11-13'], ['b', 'c'], '2 transcripts by --since'],
    [['--since', '2026-11-13..'], ['c', 'd'], '1 transcript and 1 unread file by --since'],
  ])('%j leave %j', async (argv, left, said) => {
    expect(await chosen(cwd, argv)).toEqual({
      code: 0,
      stderr: `ctxwin: left out: ${said}\n`,
      left: left.map((name) => `${name}.jsonl-0`),
    })
  })

  it('go by the last response, and by the file where no time is recorded, and say so', async () => {
    const cwd = directory({
      'dated.jsonl': { time: now - 9 * day, modified: now },
      'new.jsonl': { time: null, modified: now - day },
      'old.jsonl': { time: null, modified: now - 9 * day },
    })
    expect(await chosen(cwd, ['--since', '7d'])).toEqual({
      code: 0,
      stderr:
        'ctxwin: left out: 1 transcript and 1 unread file by --since\nctxwin: 1 transcript has no recorded time: the date of the file counts\n',
      left: ['new.jsonl-0'],
    })
  })

  it('open no file whose last change is older, named or in a directory, nor an archive', async () => {
    const cwd = directory({ 'new.jsonl': { time: now - day }, 'touched.jsonl': { time: now - 9 * day, modified: now } })
    const old = ['named.jsonl', 'logs/in-it.jsonl', 'packed.jsonl.gz', 'logs/archive.zip', 'archive.zip']
    mkdirSync(join(cwd, 'logs'))
    for (const name of old) {
      writeFileSync(join(cwd, name), 'no transcript at all')
      chmodSync(join(cwd, name), 0)
      const seconds = (now - 9 * day) / 1000
      utimesSync(join(cwd, name), seconds, seconds)
    }
    const argv = ['simulate', 'named.jsonl', 'packed.jsonl.gz', 'archive.zip', 'logs', '.', '--json', '--since', '7d']
    const opened = await openedBy(async () => {
      const { code, stdout, stderr } = await runCli([...argv, '--estimator', 'bytes', '--no-cache'], { cwd, now })
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: 'ctxwin: left out: 1 transcript and 5 unread files by --since\n',
      })
      expect(JSON.parse(stdout).runs).toHaveLength(1)
    })
    expect(opened).toContain(join(cwd, 'new.jsonl'))
    expect(opened).toContain(join(cwd, 'touched.jsonl'))
    for (const name of old) expect(opened).not.toContain(join(cwd, name))
  })

  it('end in 2 where every file is older, and say why', async () => {
    const cwd = directory({ 'a.jsonl': { time: now - 9 * day } })
    expect(await chosen(cwd, ['--since', '7d'])).toEqual({
      code: 2,
      stderr: 'ctxwin: no transcripts found (left out: 1 unread file by --since)\n',
      left: [],
    })
  })

  it('go by what is recorded in files of an archive that is not older, whatever their dates in it', async () => {
    const cwd = directory({ 'old.jsonl': { time: now - 9 * day }, 'new.jsonl': { time: now - day } })
    const text = (name: string) => readFileSync(join(cwd, name))
    writeFileSync(join(cwd, 'logs.zip'), zip(['old.jsonl', 'new.jsonl'].map((name) => ({ name, bytes: text(name) }))))
    rmSync(join(cwd, 'old.jsonl'))
    rmSync(join(cwd, 'new.jsonl'))
    utimesSync(join(cwd, 'logs.zip'), now / 1000, now / 1000)
    expect(await chosen(cwd, ['--since', '7d'])).toEqual({
      code: 0,
      stderr: 'ctxwin: left out: 1 transcript by --since\n',
      left: ['new.jsonl-0'],
    })
  })

  it('open all files of a shard, whose machine may date them in another way', async () => {
    const cwd = directory({ 'a.jsonl': { time: now - 9 * day }, 'b.jsonl': { time: now } })
    const argv = ['simulate', '.', '--estimator', 'bytes', '--since', '2026-11-13', '--output', 'partial']
    const { stdout } = await runCli(argv, { cwd, now })
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ files: 2 })
  })

  it('excuse what a baseline has of files that are not opened, in an archive, too', async () => {
    const cwd = directory({ 'a.jsonl': { time: now - 9 * day }, 'b.jsonl': { time: now } })
    const old = (now - 9 * day) / 1000
    const records = linesOf('archived', { time: now - 9 * day }).map((line) => JSON.stringify(line))
    writeFileSync(join(cwd, 'logs.zip'), zip([{ name: 'c.jsonl', bytes: Buffer.from(records.join('\n')) }]))
    utimesSync(join(cwd, 'logs.zip'), old, old)
    const check = (...more: string[]) =>
      runCli(['check', '.', '--estimator', 'bytes', '--assert', 'maxCuts=1', '--baseline', 'base.json', ...more], {
        cwd,
        now,
      })
    expect((await check('--update-baseline')).code).toBe(0)
    const files = () => Object.keys(JSON.parse(readFileSync(join(cwd, 'base.json'), 'utf8')).files)
    expect(files()).toEqual(['a.jsonl', 'b.jsonl', 'logs.zip!/c.jsonl'])
    expect(await check('--since', '7d')).toMatchObject({ code: 0 })
    expect(await check('--since', '7d', '--update-baseline')).toMatchObject({ code: 0 })
    expect(files()).toEqual(['a.jsonl', 'b.jsonl', 'logs.zip!/c.jsonl'])
  })

  it('open no file that was found and is older', async () => {
    const home = directory({
      '.claude/projects/a/new.jsonl': { time: now - day },
      '.claude/projects/a/old.jsonl': { time: now - 9 * day },
      '.claude/projects/a/touched.jsonl': { time: now - 9 * day, modified: now },
    })
    expect(await chosen(home, ['--since', '7d'], { env: { HOME: home }, terminal: true })).toEqual({
      code: 0,
      stderr: 'ctxwin: left out: 1 transcript and 1 unread file by --since\n',
      left: ['.claude/projects/a/new.jsonl-0'],
    })
  })

  it.each([
    [['--since', 'yesterday'], '--since: "yesterday" is not a date such as 2026-11-01'],
    [['--since', '2026-02-30'], '--since: "2026-02-30" is not a date such as 2026-11-01'],
    [['--since', '..2026-11-01T12:00'], '--since: "..2026-11-01T12:00" is not a date such as 2026-11-01'],
    [['--since', '..'], '--since: ".." is not a date such as 2026-11-01'],
    [['--since', '3d..2d..1d'], '--since: "3d..2d..1d" is not a date such as 2026-11-01'],
    [['--since', '1d..2d'], '--since: "1d..2d" is not the earlier time first'],
    [['--last', '0'], '--last: "0" is not a number from 1 on'],
    [['--min-requests', '-1'], '--min-requests: "-1" is not a number from 1 on'],
  ])('%j are refused', async (argv, line) => {
    const { code, stderr } = await chosen(cwd, argv)
    expect(code).toBe(2)
    expect(stderr).toContain(`ctxwin: ${line}`)
  })
})

describe('--project', () => {
  const cwd = directory({
    'a.jsonl': { cwd: '/home/me/app' },
    'b.jsonl': { cwd: '/home/me/app/packages/core' },
    'c.jsonl': { cwd: '/home/me/application' },
  })

  it.each([
    ['app', ['a', 'b']],
    ['core', ['b']],
    ['core,application', ['b', 'c']],
    ['/home/me/app', ['a', 'b']],
    ['/home/me/app/', ['a', 'b']],
    ['~/application', ['c']],
    ['/', ['a', 'b', 'c']],
  ])('%s leaves %j', async (word, left) => {
    const { left: found } = await chosen(cwd, ['--project', word], { env: { HOME: '/home/me' } })
    expect(found).toEqual(left.map((name) => `${name}.jsonl-0`))
  })

  it('takes . for the working directory', async () => {
    const here = directory({ 'elsewhere.jsonl': {} })
    writeFileSync(
      join(here, 'here.jsonl'),
      linesOf('here', { cwd: join(here, 'src') })
        .map((line) => JSON.stringify(line))
        .join('\n'),
    )
    expect((await chosen(here, ['--project', '.'])).left).toEqual(['here'])
  })
})

describe('--only-model and --min-requests', () => {
  const cwd = directory({
    'a.jsonl': { model: 'claude-opus-4-5-20251101', requests: 3 },
    'b.jsonl': { model: 'claude-sonnet-4-5', requests: 2 },
    'c.jsonl': { model: 'gpt-5' },
  })

  it.each([
    [['--only-model', 'Opus'], ['a'], '2 transcripts by --only-model'],
    [['--only-model', 'sonnet,gpt'], ['b', 'c'], '1 transcript by --only-model'],
    [['--min-requests', '2'], ['a', 'b'], '1 transcript by --min-requests'],
  ])('%j leave %j', async (argv, left, said) => {
    expect(await chosen(cwd, argv)).toEqual({
      code: 0,
      stderr: `ctxwin: left out: ${said}\n`,
      left: left.map((name) => `${name}.jsonl-0`),
    })
  })

  it('count a transcript for the first reason only', async () => {
    const { stderr } = await chosen(cwd, ['--only-model', 'opus,sonnet', '--min-requests', '3'])
    expect(stderr).toBe('ctxwin: left out: 1 transcript by --only-model, 1 transcript by --min-requests\n')
  })

  it('choose by what was recorded, whatever --model says', async () => {
    expect((await chosen(cwd, ['--only-model', 'gpt', '--model', 'claude-opus-4-5'])).left).toEqual(['c.jsonl-0'])
  })

  it('end in 2 when nothing is left, and say why', async () => {
    expect(await chosen(cwd, ['--only-model', 'gemini'])).toEqual({
      code: 2,
      stderr: 'ctxwin: no transcripts found (left out: 3 transcripts by --only-model)\n',
      left: [],
    })
  })

  it('can stand in the environment, and are called by that name', async () => {
    const { stderr } = await chosen(cwd, [], { env: { CTXWIN_MIN_REQUESTS: '2' } })
    expect(stderr).toBe('ctxwin: left out: 1 transcript by CTXWIN_MIN_REQUESTS\n')
  })
})

describe('--last', () => {
  it('leaves the newest by their recorded times, in the order of the inputs', async () => {
    const cwd = directory({
      'a.jsonl': { time: now - 3 * day, modified: now },
      'b.jsonl': { time: now - day, modified: now - 4 * day },
      'c.jsonl': { time: now - 2 * day, modified: now },
    })
    expect(await chosen(cwd, ['--last', '2'])).toEqual({
      code: 0,
      stderr: 'ctxwin: left out: 1 transcript by --last\n',
      left: ['b.jsonl-0', 'c.jsonl-0'],
    })
  })

  it('counts transcripts, not files, and those that the other settings leave', async () => {
    const cwd = directory({
      'a.jsonl': [{ time: now - 4 * day }, { time: now - day }, { time: now - 2 * day, model: 'gpt-5' }],
      'b.jsonl': { time: now - 3 * day },
    })
    expect(await chosen(cwd, ['--last', '2', '--only-model', 'claude'])).toEqual({
      code: 0,
      stderr: 'ctxwin: left out: 1 transcript by --only-model, 1 transcript by --last\n',
      left: ['a.jsonl-1', 'b.jsonl-0'],
    })
  })

  it('reads no more of what was found than it has to', async () => {
    const home = directory({
      '.claude/projects/a/resumed.jsonl': { time: now - 5 * day, modified: now },
      '.claude/projects/a/1.jsonl': { time: now - day },
      '.claude/projects/a/2.jsonl': { time: now - 2 * day },
      '.claude/projects/a/3.jsonl': { time: now - 3 * day },
    })
    expect(await chosen(home, ['--last', '2'], { env: { HOME: home }, terminal: true })).toEqual({
      code: 0,
      stderr: 'ctxwin: left out: 1 transcript and 1 unread file by --last\n',
      left: ['.claude/projects/a/1.jsonl-0', '.claude/projects/a/2.jsonl-0'],
    })
  })

  it('takes a session that is stored twice for one', async () => {
    const cwd = directory({ 'a.jsonl': { time: now - day }, 'b.jsonl': { time: now - 2 * day }, 'c.jsonl': {} })
    copyFileSync(join(cwd, 'c.jsonl'), join(cwd, 'copy.jsonl'))
    const { stderr, left } = await chosen(cwd, ['--last', '2'])
    expect(stderr).toBe('ctxwin: left out: 1 transcript by --last\n')
    expect(new Set(left)).toEqual(new Set(['a.jsonl-0', 'c.jsonl-0']))
  })

  it('still reports a file that cannot be read', async () => {
    const cwd = directory({ 'a.jsonl': {} })
    const { code, stderr, left } = await chosen(cwd, ['gone.jsonl', '--last', '1'])
    expect({ code, stderr, left }).toEqual({
      code: 2,
      stderr: 'ctxwin: cannot read gone.jsonl: there is no such file\n',
      left: ['a.jsonl-0'],
    })
  })

  it('cannot choose from standard input, which comes once', async () => {
    const { code, stderr } = await runCli(['simulate', '-', '--last', '1'], { stdin: '{}' })
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'ctxwin: --last reads its inputs twice: name files instead of -\n',
    })
  })
})

describe('history and window', () => {
  const home = directory({
    '.claude/projects/a/agent-1.jsonl': { time: now },
    '.claude/projects/a/resumed.jsonl': { time: now - 5 * day, modified: now },
    '.claude/projects/a/new.jsonl': { time: now - day, cwd: '/home/me/app' },
    '.claude/projects/a/old.jsonl': { time: now - 2 * day, cwd: '/home/me/other' },
  })
  writeFileSync(join(home, '.claude/projects/a/journal.jsonl'), '{"of":"something else"}\n')
  const world = { cwd: home, env: { HOME: home }, terminal: true, now }

  it.each(['history', 'history --request', 'history --exchanges'])(
    '%s without an input takes the newest session, and says which',
    async (command) => {
      const { code, stderr } = await runCli(wordsOf(command), world)
      expect({ code, first: stderr.split('\n')[0] }).toEqual({
        code: 0,
        first: 'ctxwin: the newest session: ~/.claude/projects/a/new.jsonl',
      })
    },
  )

  it('take the newest of those that the settings leave', async () => {
    const { stderr } = await runCli(['history', '--project', 'other'], world)
    expect(stderr).toBe('ctxwin: the newest session: ~/.claude/projects/a/old.jsonl\n')
  })

  it('say why where none is left', async () => {
    const { code, stderr } = await runCli(['history', '--project', 'nowhere'], world)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'ctxwin: no transcripts found (left out: 3 transcripts by --project)\n',
    })
  })
})

describe('what is left out', () => {
  it('is not told of: neither its damaged lines nor its cuts', async () => {
    const cwd = directory({ 'a.jsonl': {}, 'b.jsonl': { model: 'gpt-5' } })
    writeFileSync(join(cwd, 'b.jsonl'), '{"torn', { flag: 'a' })
    const { stdout } = await runCli(['simulate', '.', '--only-model', 'claude', '--output', 'json'], { cwd })
    expect(JSON.parse(stdout).diagnostics).toEqual([])
  })

  it('is left out of every command alike', async () => {
    const cwd = directory({ 'a.jsonl': { requests: 2 }, 'b.jsonl': {} })
    for (const argv of [
      ['check', '.', '--assert', 'maxCuts=0'],
      ['recommend', '.', '--estimator', 'bytes', '--policy', 'forge'],
      ['history', '--exchanges', '.', '--estimator', 'bytes'],
      ['calibrate', '.'],
      ['history', '.'],
      ['history', '--request', '.'],
    ]) {
      const { stderr } = await runCli([...argv, '--min-requests', '2'], { cwd })
      expect(stderr, argv[0]).toContain('ctxwin: left out: 1 transcript by --min-requests\n')
    }
  })
})
