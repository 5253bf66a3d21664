import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Config } from '../../src/app/config.ts'
import type { SettingKey } from '../../src/cli/inputs/settings.ts'
import { billedSession, conversation, useRepository } from './repository.ts'

const repository = useRepository()
const { write, read, ctxwin } = repository

describe('a config file', () => {
  it('has a type that knows every setting', () => {
    expectTypeOf<keyof Config>().toEqualTypeOf<
      Exclude<SettingKey, 'outputFile' | 'count' | 'shard'> | 'policies' | 'overrides' | '$schema'
    >()
  })
})

describe('ctxwin check --init', () => {
  it('writes a config file and a baseline that hold today', async () => {
    write('t/a.jsonl', conversation(9))
    write('t/torn.jsonl', `${conversation(2)}{"role": "us`)
    write('package.json', '{ "name": "theirs" }')
    const { code, stdout } = await ctxwin('check', '--init', '.', '--budget', '200', '--preamble', '10')
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        'wrote ctxwin.config.jsonc\nwrote ctxwin-baseline.json: 2 files under ikigai at 200\nFrom now on: ctxwin check\n',
    })
    expect(read('ctxwin.config.jsonc')).toContain('  "maxDamagedLines": 1\n')
    expect(await ctxwin('check')).toMatchObject({
      code: 0,
      stdout:
        'ok: 2 transcripts, 30 checks (baseline, maxDamagedLines, maxOverBudgetRequests, orphanedPairs) under ikigai at 200\n',
    })
    const shown = await ctxwin('simulate', 't/a.jsonl', '--output', 'json')
    expect(JSON.parse(shown.stdout).runs[0]).toMatchObject({ budget: 200, preambleTokens: 10, preambleSource: 'given' })
  })

  it('lets no name of a file write a line of its own', async () => {
    write('\n::error::forged.jsonl', conversation(2))
    const { code, stdout } = await ctxwin('check', '--init', '\n::error::forged.jsonl')
    expect(code).toBe(0)
    expect(stdout).not.toMatch(/^::/m)
    expect((await ctxwin('check')).code).toBe(0)
  })

  it.each(['ctxwin.config.jsonc', 'ctxwin-baseline.json'])('leaves a %s alone', async (name) => {
    write('a.jsonl', conversation(2))
    write(name, '{ "budget": 5 }\n')
    const before = read(name)
    expect(await ctxwin('check', '--init', '.')).toEqual({
      code: 2,
      stdout: '',
      stderr: `ctxwin: ${name} already exists: --force overwrites it\n`,
    })
    expect(read(name)).toBe(before)
  })

  it('writes them anew with --force', async () => {
    write('a.jsonl', conversation(2))
    write('ctxwin-baseline.json', 'old')
    expect((await ctxwin('check', '--init', '.', '--force')).code).toBe(0)
    expect((await ctxwin('check', '--init', '.', '--force')).code).toBe(0)
    expect((await ctxwin('check', 'a.jsonl')).code).toBe(0)
  })

  it('does not write a second config file', async () => {
    write('a.jsonl', conversation(2))
    write('package.json', '{ "ctxwin": { "budget": 5 } }')
    expect(await ctxwin('check', '--init', '.', '--force')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^ctxwin: package\.json: it holds settings already: add what is missing there/),
    })
  })

  it('asks for the transcripts where nobody can be asked', async () => {
    write('a.jsonl', conversation(2))
    expect(await ctxwin('check', '--init')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'ctxwin: check --init without a terminal: name the transcripts\n',
    })
  })

  it('refuses what is of a check', async () => {
    write('a.jsonl', conversation(2))
    expect(await ctxwin('check', '--init', '.', '--assert', 'maxCuts=1')).toMatchObject({
      code: 2,
      stderr: 'ctxwin: --assert is not for check --init: leave one of them out\n',
    })
    expect(await ctxwin('check', '.', '--force', '--assert', 'maxCuts=1')).toMatchObject({
      code: 2,
      stderr: 'ctxwin: --force is for check --init: leave it out\n',
    })
  })

  it('writes nothing where there is no transcript', async () => {
    write('notes.json', '{ "no": "transcript" }')
    expect((await ctxwin('check', '--init', '.')).code).toBe(2)
    expect(() => read('ctxwin.config.jsonc')).toThrow('ENOENT')
  })
})

describe('the estimator that ctxwin check --init chooses', () => {
  const why = 'auto is fitted to each file anew, and edited text can hide behind that'

  it('counts bytes, as many to a token as was recorded, and says why where it is printed and written', async () => {
    repository.env = {}
    write('t/a.json', billedSession(9))
    write('t/b.json', billedSession(7, 'ses_2'))
    const { code, stdout, stderr } = await ctxwin('check', '--init', 't')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [, bytes] = stdout.match(/^counted by bytes, (\d\.\d+) to a token, as 2 transcripts recorded it: /m) ?? []
    // A token for four characters of text, which JSON takes more bytes for.
    expect(Number(bytes)).toBeGreaterThan(4)
    expect(Number(bytes)).toBeLessThan(5.5)
    expect(stdout).toContain(`: ${why}\n`)
    expect(read('ctxwin.config.jsonc')).toContain(
      `  // Counted by bytes, ${bytes} to a token, as 2 transcripts recorded it: ${why}.\n  "estimator": "bytes:bytesPerToken=${bytes}",\n`,
    )
    expect((await ctxwin('check')).stdout).toMatch(/^ok: 2 transcripts, /)
  })

  it('hides no text that is added, no text that is taken away, and no key that is renamed', async () => {
    repository.env = {}
    const whole = billedSession(9)
    write('t/a.json', whole)
    expect((await ctxwin('check', '--init', 't')).code).toBe(0)
    const fails = async (changed: string, what: string) => {
      expect(changed, what).not.toBe(whole)
      write('t/a.json', changed)
      const { code, stdout } = await ctxwin('check')
      expect([1, 2], what).toContain(code)
      expect(stdout, what).not.toContain('better')
    }
    for (const text of ['question 0', 'question 8', 'line 4 of the file. ', 'It says 3.']) {
      await fails(whole.replace(text, text + 'x'.repeat(3200)), `3,200 characters behind ${text}`)
      await fails(whole.replace(text, ''), `without ${text}`)
    }
    for (const key of ['text', 'output', 'state', 'parts', 'tokens', 'tool', 'input']) {
      await fails(whole.replaceAll(`"${key}":`, `"${key}2":`), `without ${key}`)
    }
    write('t/a.json', whole)
    expect((await ctxwin('check')).code).toBe(0)
  })

  it('takes four bytes for a token where no usage says more, or nothing likely', async () => {
    repository.env = {}
    for (const session of [conversation(3), billedSession(1), billedSession(9).replaceAll('line ', 'l'.repeat(900))]) {
      write('t.json', session)
      const { code, stdout } = await ctxwin('check', '--init', 't.json', '--force')
      expect(code).toBe(0)
      expect(stdout).toContain(`counted by bytes, 4 to a token, for too little usage is recorded: ${why}\n`)
      expect(read('ctxwin.config.jsonc')).toContain('  "estimator": "bytes",\n')
      repository.remove('ctxwin.config.jsonc')
    }
  })

  it('is the one that was named, if one was', async () => {
    repository.env = {}
    write('t.json', billedSession(9))
    expect((await ctxwin('check', '--init', 't.json', '--estimator', 'auto')).stdout).not.toContain('counted by')
    expect(read('ctxwin.config.jsonc')).toContain('  "estimator": ["auto"],\n')
  })

  it('warns of a transcript of which far less is read than was sent', async () => {
    write('t.json', billedSession(9).replaceAll('"output":"', '"outputText":"'))
    expect((await ctxwin('check', '--init', 't.json')).stderr).toMatch(
      /^ctxwin: t\.json: what is read of its messages is \d+ % of /,
    )
  })
})
