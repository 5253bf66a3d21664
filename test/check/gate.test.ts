/** Changes that `ctxwin check` must not let through, and data that its baseline must not lose. */
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reporterNames } from '../../src/cli/inputs/settings.ts'
import { conversation, useRepository } from './repository.ts'

const repository = useRepository()
const { write, read } = repository
const check = (...words: string[]) => repository.ctxwin('check', ...words)
const file = 'ctxwin-baseline.json'
const limit = ['--assert', 'maxPeakTokens=100k']

async function agreed(): Promise<void> {
  write('t/a.jsonl', conversation(3))
  write('t/b.jsonl', conversation(2))
  write('ctxwin.config.json', JSON.stringify({ budget: 200 }))
  expect(await check('t', '--update-baseline')).toMatchObject({ code: 0, stderr: '' })
}

const filesIn = (name: string): string[] => Object.keys(JSON.parse(read(name)).files)

describe('a file of a directory that should hold a transcript', () => {
  it.each([
    ['damaged in every line', 'lost.ndjson', '{"role\n{"us\n', 'it holds no transcript: none of its 2 lines is JSON'],
    [
      'damaged but for what no format recognises',
      'lost.jsonl',
      '{}\n{"us\n',
      'it holds no transcript: 1 of its lines is damaged, and no format recognises the rest',
    ],
  ])('is an error when it is %s, in every reporter', async (_, name, text, message) => {
    write('t/a.jsonl', conversation(2))
    write(`t/${name}`, text)
    const { code, stdout } = await check('t', ...limit)
    expect(code).toBe(1)
    expect(stdout).toMatch(/^failed: 1 error, 1 transcript, /m)
    expect(stdout).toContain(`error t/${name} unreadable\n      ${message}\n`)
    for (const reporter of reporterNames) {
      const report = await check('t', ...limit, '--reporter', reporter)
      expect(report.code, reporter).toBe(1)
      expect(report.stdout, reporter).toContain(`t/${name}`)
      expect(report.stdout, reporter).toContain('unreadable')
    }
  })

  it.each(['', '[]', '{"messages":[{"role":"system","content":"Mend lamps."}]}\n'])(
    'is a warning when it is empty: %j',
    async (text) => {
      write('t/a.jsonl', text)
      const alone = await check('t', ...limit, '--strict')
      expect(alone.code).toBe(0)
      expect(alone.stdout).toContain('warn  t/a.jsonl unreadable\n      an empty transcript: 0 requests\n')
      expect((await check('t/a.jsonl', ...limit)).stdout).toBe(alone.stdout)
      expect((await check('t', ...limit, '--max-warnings', '0')).code).toBe(1)
      write('t/b.jsonl', conversation(2))
      expect((await check('t', ...limit)).stdout).toMatch(/^ok: 1 warning, 1 transcript, /m)
    },
  )

  it('is named when nothing else is there', async () => {
    write('t/a.jsonl', '{"us')
    const { code, stdout } = await check('t', ...limit)
    expect(code).toBe(2)
    expect(stdout).toContain('error t/a.jsonl unreadable\n')
    expect(stdout).toMatch(/^incomplete: 1 error, 0 transcripts, 0 checks under as-recorded; no transcript was read$/m)
  })

  it('is skipped when it is whole and another format', async () => {
    write('t/a.jsonl', conversation(2))
    write('t/package.json', '{ "name": "theirs" }')
    write('t/events.jsonl', '{ "event": 1 }\n')
    expect(await check('t', ...limit, '--strict')).toMatchObject({
      code: 0,
      stderr: 'ctxwin: 2 files skipped: unknown format\n',
    })
  })

  it('may be anything where its ending says nothing: a warning, and an error with --strict', async () => {
    write('t/a.jsonl', conversation(2))
    write('t/tsconfig.json', '// with a comment\n{}\n')
    const { code, stdout } = await check('t', ...limit)
    expect(code).toBe(0)
    expect(stdout).toContain('warn  t/tsconfig.json unreadable\n')
    expect((await check('t', ...limit, '--strict')).code).toBe(1)
  })

  it.each([
    ['', 'an empty transcript'],
    ['{ "no": "transcript" }\n', 'no known transcript format'],
  ])('is an error when the baseline knows it and it is %j by now, once', async (text, words) => {
    write('t/log.json', conversation(2))
    await agreed()
    write('t/log.json', text)
    const { code, stdout } = await check('t')
    expect(code).toBe(1)
    expect(stdout.match(/^error .*/gm)).toEqual(['error t/log.json unreadable'])
    expect(stdout).toContain(words)
  })

  it('keeps init from a baseline that would not hold', async () => {
    write('t/a.jsonl', conversation(2))
    write('t/lost.jsonl', '{"us')
    expect(await repository.ctxwin('check', '--init', 't')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('ctxwin: t/lost.jsonl: it holds no transcript: none of its 1 lines is JSON\n'),
    })
    expect(existsSync(join(repository.cwd, file))).toBe(false)
  })
})

describe('--update-baseline', () => {
  it('of one file keeps what is there of the others, and says so', async () => {
    await agreed()
    const before = read(file)
    const { code, stdout } = await check('t/a.jsonl', '--update-baseline')
    expect(code).toBe(0)
    expect(stdout).toContain('kept what it has of 1 file (t/b.jsonl), not checked now\n')
    expect(read(file)).toBe(before)
  })

  it('drops what is gone from where it looked, says so, and nothing else', async () => {
    await agreed()
    write('u/c.jsonl', conversation(1))
    await check('u', '--update-baseline')
    expect(filesIn(file)).toEqual(['t/a.jsonl', 't/b.jsonl', 'u/c.jsonl'])
    repository.remove('t/b.jsonl')
    repository.remove('u/c.jsonl')
    const { stdout } = await check('t/', '--update-baseline')
    expect(stdout).toContain('dropped what it had of 1 file (t/b.jsonl), gone by now\n')
    expect(stdout).toContain('kept what it has of 1 file (u/c.jsonl), not checked now\n')
    expect(filesIn(file)).toEqual(['t/a.jsonl', 'u/c.jsonl'])
    await check('.', '--update-baseline')
    expect(filesIn(file)).toEqual(['t/a.jsonl'])
  })

  it('mixes no figures that were made in different ways', async () => {
    await agreed()
    const before = read(file)
    const { code, stderr } = await check('t/a.jsonl', '--budget', '300', '--update-baseline')
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'ctxwin: ctxwin-baseline.json was not written: it was made in another way or is damaged, and has 1 file (t/b.jsonl) besides: check them too, or remove ctxwin-baseline.json first\n',
    })
    expect(read(file)).toBe(before)
    expect((await check('t', '--budget', '300', '--update-baseline')).code).toBe(0)
  })

  it('makes none of empty transcripts', async () => {
    write('t/a.jsonl', '')
    expect(await check('t', '--update-baseline')).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('the baseline was not written'),
    })
    expect(existsSync(join(repository.cwd, file))).toBe(false)
  })

  it('writes nothing while a file cannot be read', async () => {
    await agreed()
    const before = read(file)
    write('t/b.jsonl', '{"us')
    expect((await check('t', '--update-baseline')).code).toBe(2)
    expect(read(file)).toBe(before)
    write('t/b.jsonl', '')
    expect((await check('t', '--update-baseline')).stdout).toContain('dropped what it had of 1 file (t/b.jsonl)')
  })

  it.each(['', '{ "name": "theirs" }', 'a text'])('overwrites no %j, whoever names it', async (text) => {
    write('t/a.jsonl', conversation(2))
    write('other.json', text)
    write('ctxwin.config.json', JSON.stringify({ baseline: 'other.json' }))
    for (const words of [[], ['--baseline', 'other.json']]) {
      expect(await check('t', '--update-baseline', ...words)).toMatchObject({
        code: 2,
        stderr:
          'ctxwin: cannot write other.json: what is there is no baseline: remove it, or name another file with --baseline\n',
      })
      expect(read('other.json')).toBe(text)
    }
  })

  it('overwrites a baseline whose entries are not sound', async () => {
    write('t/a.jsonl', conversation(2))
    write(file, '{"schemaVersion":1,"madeWith":{},"files":{"t/a.jsonl":[{"values":null}]}}')
    expect((await check('t', '--update-baseline')).code).toBe(0)
    expect((await check('t')).code).toBe(0)
  })

  it('leaves the repository only when the command line says so, through no link either', async () => {
    const outside = join(tmpdir(), `ctxwin-outside-${process.pid}`)
    mkdirSync(outside)
    try {
      write('t/a.jsonl', conversation(2))
      mkdirSync(join(repository.cwd, '.git'))
      symlinkSync(outside, join(repository.cwd, 'link'))
      symlinkSync(join(outside, 'new.json'), join(repository.cwd, file))
      const name = join(outside, 'b.json')
      const config = 'ctxwin.config.json'
      const refused = {
        code: 2,
        stderr: expect.stringContaining('it is outside the repository: say so with --baseline'),
      }
      for (const baseline of [name, '../b.json', 'link/b.json']) {
        write(config, JSON.stringify({ baseline }))
        expect(await check('t', '--update-baseline', '--config', config)).toMatchObject(refused)
        const said = `ctxwin: left out: baseline in ${config} (outside of this directory: ${baseline}), `
        for (const flags of [[], ['--update-baseline']]) {
          expect(await check('t', ...flags)).toMatchObject({ code: 2, stderr: expect.stringContaining(said) })
        }
      }
      write(config, '{}')
      expect(await check('t', '--update-baseline')).toMatchObject(refused)
      repository.env = { ...repository.env, CTXWIN_BASELINE: name }
      expect((await check('t', '--update-baseline')).code).toBe(2)
      expect((await check('t', '--update-baseline', '--baseline', name)).code).toBe(0)
      expect(existsSync(join(outside, 'new.json'))).toBe(false)
      writeFileSync(name, 'theirs')
      expect((await check('t', '--update-baseline', '--baseline', name)).code).toBe(2)
    } finally {
      rmSync(outside, { recursive: true })
    }
  })
})
