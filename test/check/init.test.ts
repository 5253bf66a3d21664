import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Config } from '../../src/app/config.ts'
import type { SettingKey } from '../../src/cli/settings.ts'
import { conversation, useRepository } from './repository.ts'

const repository = useRepository()
const { write, read, ctxwin } = repository

describe('a config file', () => {
  it('has a type that knows every setting', () => {
    expectTypeOf<keyof Config>().toEqualTypeOf<
      Exclude<SettingKey, 'outputFile' | 'count' | 'shard'> | 'policies' | 'overrides' | '$schema'
    >()
  })
})

describe('ctxwin init', () => {
  it('writes a config file and a baseline that hold today', async () => {
    write('t/a.jsonl', conversation(9))
    write('t/torn.jsonl', `${conversation(2)}{"role": "us`)
    write('package.json', '{ "name": "theirs" }')
    const { code, stdout } = await ctxwin('init', '--budget', '200', '--preamble', '10')
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'wrote ctxwin.config.jsonc\nwrote ctxwin-baseline.json: 2 files\nFrom now on: ctxwin check\n',
    })
    expect(read('ctxwin.config.jsonc')).toContain('  "maxDamagedLines": 1\n')
    expect(await ctxwin('check')).toMatchObject({
      code: 0,
      stdout: 'ok: 2 transcripts, 28 checks (baseline, maxDamagedLines, maxOverBudgetRequests, orphanedPairs)\n',
    })
    const shown = await ctxwin('simulate', 't/a.jsonl', '--output', 'json')
    expect(JSON.parse(shown.stdout).runs[0]).toMatchObject({ budget: 200, preambleTokens: 10, preambleSource: 'given' })
  })

  it('lets no name of a file write a line of its own', async () => {
    write('\n::error::forged.jsonl', conversation(2))
    const { code, stdout } = await ctxwin('init', '\n::error::forged.jsonl')
    expect(code).toBe(0)
    expect(stdout).not.toMatch(/^::/m)
    expect((await ctxwin('check')).code).toBe(0)
  })

  it.each(['ctxwin.config.jsonc', 'ctxwin-baseline.json'])('leaves a %s alone', async (name) => {
    write('a.jsonl', conversation(2))
    write(name, '{ "budget": 5 }\n')
    const before = read(name)
    expect(await ctxwin('init')).toEqual({
      code: 2,
      stdout: '',
      stderr: `ctxwin: ${name} already exists: --force overwrites it\n`,
    })
    expect(read(name)).toBe(before)
  })

  it('writes them anew with --force', async () => {
    write('a.jsonl', conversation(2))
    write('ctxwin-baseline.json', 'old')
    expect((await ctxwin('init', '--force')).code).toBe(0)
    expect((await ctxwin('init', '--force')).code).toBe(0)
    expect((await ctxwin('check', 'a.jsonl')).code).toBe(0)
  })

  it('does not write a second config file', async () => {
    write('a.jsonl', conversation(2))
    write('package.json', '{ "ctxwin": { "budget": 5 } }')
    expect(await ctxwin('init', '--force')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^ctxwin: package\.json: it holds settings already: add what is missing there/),
    })
  })

  it('writes nothing where there is no transcript', async () => {
    write('notes.json', '{ "no": "transcript" }')
    expect((await ctxwin('init')).code).toBe(2)
    expect(() => read('ctxwin.config.jsonc')).toThrow('ENOENT')
  })
})
