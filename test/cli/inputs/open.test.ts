import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runCli } from '../run.ts'

const chat = '{"messages":[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hi"}]}\n'
const top = mkdtempSync(join(tmpdir(), 'ctxwin-open-'))
afterAll(() => rmSync(top, { recursive: true }))

/** A directory with these transcripts, and what `more` adds to it. */
function directory(files: readonly string[], more: (path: string) => void = () => {}): string {
  const path = mkdtempSync(join(top, 'd-'))
  for (const file of files) {
    mkdirSync(join(path, file, '..'), { recursive: true })
    writeFileSync(join(path, file), chat)
  }
  more(path)
  return path
}

/** The transcripts that were read, standard error and the exit code. */
async function read(cwd: string, ...words: string[]) {
  const { code, stdout, stderr } = await runCli(['simulate', ...words, '--output', 'json'], { cwd })
  const runs: { transcript: string }[] = stdout === '' ? [] : JSON.parse(stdout).runs
  return { code, stderr, read: runs.map(({ transcript }) => transcript) }
}

describe('inputs', () => {
  it('are read once, under the first of their names', async () => {
    const cwd = directory(['a.jsonl', 'b/c.jsonl'])
    expect(await read(cwd, './a.jsonl', 'a.jsonl', join(cwd, 'a.jsonl'), '.', '**/*.jsonl')).toEqual({
      code: 0,
      stderr: '',
      read: ['./a.jsonl', 'b/c.jsonl'],
    })
  })

  it('that are links are the files they lead to, and hard links are files of their own', async () => {
    const cwd = directory(['z/a.jsonl'], (path) => {
      symlinkSync('z/a.jsonl', join(path, 'first.jsonl'))
      symlinkSync('z', join(path, 'also'))
      linkSync(join(path, 'z/a.jsonl'), join(path, 'z/hard.jsonl'))
    })
    expect((await read(cwd, '.')).read).toEqual(['first.jsonl', 'z/hard.jsonl'])
    expect((await read(cwd, 'z/a.jsonl', 'first.jsonl')).read).toEqual(['z/a.jsonl'])
  })

  it('may lie in directories whose links go round', async () => {
    const cwd = directory(['a/b/c.jsonl', 'a/d.jsonl'], (path) => {
      for (let nth = 0; nth < 12; nth++) symlinkSync('..', join(path, 'a/b', `up${nth}`))
      symlinkSync('self', join(path, 'a/self'))
    })
    for (const word of ['.', '**/*.jsonl', 'a/**/*.jsonl']) {
      expect((await read(cwd, word)).read).toEqual(['a/b/c.jsonl', 'a/d.jsonl'])
    }
  })

  it('are found by a glob in a stable order, and no deeper than it says', async () => {
    const cwd = directory(['b.jsonl', 'a.jsonl', 'x/c.jsonl', 'x/y/d.jsonl', 'node_modules/e.jsonl'])
    expect((await read(cwd, '*.jsonl')).read).toEqual(['a.jsonl', 'b.jsonl'])
    expect((await read(cwd, '*/*.jsonl')).read).toEqual(['x/c.jsonl'])
    expect((await read(cwd, './x/{c,y/d}.jsonl')).read).toEqual(['x/c.jsonl', 'x/y/d.jsonl'])
    expect((await read(cwd, join(cwd, 'x/**'))).read).toEqual([join(cwd, 'x/c.jsonl'), join(cwd, 'x/y/d.jsonl')])
  })

  it('that lead to nothing are named, and the rest is read', async () => {
    const cwd = directory(['a.jsonl'], (path) => {
      symlinkSync('gone', join(path, 'b.jsonl'))
      symlinkSync('gone', join(path, 'sessions'))
      symlinkSync('gone', join(path, 'notes.txt'))
    })
    const reason = 'it is a link that leads nowhere, or to a place you may not read'
    expect(await read(cwd, '.', 'c.jsonl', 'd*.jsonl')).toEqual({
      code: 2,
      stderr:
        `ctxwin: cannot read b.jsonl: ${reason}\nctxwin: cannot read sessions: ${reason}\n` +
        'ctxwin: cannot read c.jsonl: there is no such file\nctxwin: cannot read d*.jsonl: the pattern matches no file\n',
      read: ['a.jsonl'],
    })
  })

  it('that no system can reach are said to be so', async () => {
    const cwd = directory(['a.jsonl'], (path) => symlinkSync('self', join(path, 'self')))
    const long = `${'x'.repeat(300)}.jsonl`
    expect(await read(cwd, './self', 'self/b.jsonl', long, 'a.jsonl')).toEqual({
      code: 2,
      stderr:
        'ctxwin: cannot read ./self: its links go round\nctxwin: cannot read self/b.jsonl: its links go round\n' +
        `ctxwin: cannot read ${long}: the name is too long for the system\n`,
      read: ['a.jsonl'],
    })
  })

  // Root can read everything.
  it.skipIf(process.getuid?.() === 0)('in a directory that may not be read are missed aloud', async () => {
    const cwd = directory(['a.jsonl', 'shut/b.jsonl'])
    chmodSync(join(cwd, 'shut'), 0)
    const stderr = 'ctxwin: cannot read shut: you do not have permission to read it\n'
    for (const word of ['.', '**/*.jsonl'])
      expect(await read(cwd, word)).toEqual({ code: 2, stderr, read: ['a.jsonl'] })
    chmodSync(join(cwd, 'shut'), 0o700)
  })

  it.skipIf(process.platform === 'win32')('that are pipes are not waited for in a directory', async () => {
    const cwd = directory(['a.jsonl'], (path) => execFileSync('mkfifo', [join(path, 'b.jsonl')]))
    const stderr = 'ctxwin: cannot read b.jsonl: it is a pipe, a socket or a device: name it directly to read it\n'
    expect(await read(cwd, '.')).toEqual({ code: 2, stderr, read: ['a.jsonl'] })
  })

  it.skipIf(process.platform !== 'linux')('that are devices are refused, as they may have no end', async () => {
    const refused = (name: string) =>
      `ctxwin: cannot read ${name}: it is a device: name a file, a directory or a pipe\n`
    expect(await read(directory(['a.jsonl']), '/dev/zero', 'a.jsonl', '/dev/null')).toEqual({
      code: 2,
      stderr: refused('/dev/zero') + refused('/dev/null'),
      read: ['a.jsonl'],
    })
  })

  it('may lie in a directory that has the name of a transcript', async () => {
    const cwd = directory(['x.jsonl/a.jsonl'])
    for (const word of ['.', 'x.jsonl', '*.jsonl/*']) expect((await read(cwd, word)).read).toEqual(['x.jsonl/a.jsonl'])
  })

  it.each(['simulate', 'check', 'history'])('that are empty words are refused: %s', async (command) => {
    const cwd = directory(['a.jsonl'])
    const limit = command === 'check' ? ['--assert', 'maxCuts=1'] : []
    const { code, stdout, stderr } = await runCli([command, '', ...limit], { cwd })
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: 'ctxwin: an input has no name: name a file, a directory, a glob or -\n',
    })
  })
})

describe('no input', () => {
  const fixture = readFileSync('fixtures/claude-code/split-response.jsonl')

  /** A home directory with these sessions, the newest first. */
  function home(...files: string[]): string {
    const path = mkdtempSync(join(top, 'home-'))
    for (const [nth, file] of files.entries()) {
      mkdirSync(join(path, file, '..'), { recursive: true })
      writeFileSync(join(path, file), fixture)
      utimesSync(join(path, file), 1_762_000_000 - nth, 1_762_000_000 - nth)
    }
    return path
  }

  async function found(path: string, ...flags: string[]) {
    const { code, stdout, stderr } = await runCli(['simulate', '-b', '0', '--output', 'ndjson', ...flags], {
      cwd: path,
      env: { HOME: path },
      terminal: true,
    })
    const files = stdout.trimEnd().split('\n').filter(Boolean)
    return {
      code,
      stderr,
      files: [...new Set(files.map((line) => JSON.parse(line).transcript.slice(path.length + 1)))],
    }
  }

  it('on a terminal is what the agents have recorded, the newest first', async () => {
    const path = home('.codex/sessions/rollout-2.jsonl', '.claude/projects/b/1.jsonl', '.claude/projects/a/2.jsonl')
    expect(await found(path)).toEqual({
      code: 0,
      stderr: '',
      files: ['.codex/sessions/rollout-2.jsonl', '.claude/projects/b/1.jsonl', '.claude/projects/a/2.jsonl'],
    })
  })

  it('skips what is found and is no transcript', async () => {
    const path = home('.claude/projects/a/1.jsonl')
    writeFileSync(join(path, '.claude/projects/a/journal.jsonl'), '{"of":"something else"}\n')
    expect(await found(path)).toMatchObject({ code: 0, stderr: 'ctxwin: 1 file skipped: unknown format\n' })
  })

  it('where nothing is recorded says where it looked, and ends in 2', async () => {
    const { code, stderr } = await found(home())
    expect(code).toBe(2)
    expect(stderr).toMatch(/^ctxwin: no transcripts in ~\/\.claude\/projects, .*\. Name a file .*\n$/)
  })

  it('behind a pipe is a mistake: standard input is named -', async () => {
    const path = home('.claude/projects/a/1.jsonl')
    expect(await runCli(['simulate'], { cwd: path, env: { HOME: path } })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'ctxwin: no input. Name a transcript, a directory of them, or - for standard input\n',
    })
  })
})

describe('the id of a session', () => {
  const chatOf = (text: string) => chat.replace('Hello', text)

  /** A home directory with Claude Code's sessions of these names, and what `history` says of an input there. */
  function home(...names: string[]) {
    const path = mkdtempSync(join(top, 'home-'))
    mkdirSync(join(path, '.claude/projects/-app'), { recursive: true })
    for (const name of names) {
      const file = join(path, `.claude/projects/-app/${name}.jsonl`)
      writeFileSync(file, chatOf(name))
      utimesSync(file, 1_762_000_000, 1_762_000_000)
    }
    return (...words: string[]) => runCli(['history', ...words], { cwd: path, env: { HOME: path } })
  }

  it('is an input, and so is its beginning', async () => {
    const history = home('53ea19c1-aaaa', '53ea20ff-bbbb')
    for (const word of ['53ea19c1-aaaa', '53ea1']) {
      const { code, stdout, stderr } = await history(word)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain('"53ea19c1-aaaa"')
    }
  })

  it('that is the beginning of another is itself', async () => {
    expect((await home('53ea19c1', '53ea19c1-2')('53ea19c1')).stdout).toContain('"53ea19c1"')
  })

  it('is listed with all others where it is the beginning of several, with exit code 2', async () => {
    expect(await home('53ea19c1', '53ea20ff')('53ea')).toEqual({
      code: 2,
      stdout: '',
      stderr: `ctxwin: 2 sessions have ids that begin with 53ea: give more of the id, or the file
    53ea19c1  2025-11-01 12:26  ~/.claude/projects/-app/53ea19c1.jsonl
    53ea20ff  2025-11-01 12:26  ~/.claude/projects/-app/53ea20ff.jsonl
`,
    })
  })

  it('is none where it is shorter than four letters, or there is a file of that name', async () => {
    const history = home('53ea19c1')
    expect((await history('53e')).stderr).toBe('ctxwin: cannot read 53e: there is no such file\n')
    expect((await history('53eb')).stderr).toBe(
      'ctxwin: cannot read 53eb: no such file, and no session with an id that begins like that\n',
    )
    const cwd = directory(['53ea'])
    expect((await read(cwd, '53ea')).read).toEqual(['53ea'])
  })
})
