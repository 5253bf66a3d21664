/** docs/schema/config.schema.json, and config files that are held to it. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseConfigFileTextToJson } from 'typescript'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Config } from '../../../src/app/config.ts'
import { type ConfigKey, settings } from '../../../src/cli/inputs/settings.ts'
import { conversation, useRepository } from '../../check/repository.ts'
import { publishedSchema } from '../../schema.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const { schema, violations: problems } = publishedSchema('config')

const repository = useRepository()

describe('docs/schema/config.schema.json', () => {
  it('has every setting that a config file may have, with its help, and what is no setting', () => {
    const keys = settings.filter(({ flagOnly }) => !flagOnly).map(({ key }) => key)
    expect(Object.keys(schema.properties).sort()).toEqual([...keys, '$schema', 'overrides', 'policies'].sort())
    for (const { key, help } of settings.filter(({ key }) => !['assert', 'baselineFile'].includes(key))) {
      if (keys.includes(key)) expect(schema.properties[key].description).toBe(help)
    }
  })

  it('has the keys of the type that config files in TypeScript have', () => {
    expectTypeOf<keyof Config>().toEqualTypeOf<ConfigKey | '$schema' | 'policies' | 'overrides'>()
  })

  it('accepts the default of every setting, as a user would write it', () => {
    const defaults = settings.filter(({ flagOnly, key }) => !flagOnly && key !== 'assert')
    expect(problems(Object.fromEntries(defaults.map(({ key, default: value }) => [key, value])))).toEqual([])
  })

  it('accepts the config of the fixtures', () => {
    expect(problems(JSON.parse(readFileSync(`${root}.ci/ctxwin.config.json`, 'utf8')))).toEqual([])
  })

  it('accepts what init writes, and what docs/ci.md shows', async () => {
    repository.write('t/a.jsonl', conversation(3))
    await repository.ctxwin('check', '--init', 't')
    const [, shown = ''] =
      /```jsonc ctxwin\.config\.jsonc\n([\s\S]*?)```/.exec(readFileSync(`${root}docs/ci.md`, 'utf8')) ?? []
    for (const text of [repository.read('ctxwin.config.jsonc'), shown]) {
      const { config, error } = parseConfigFileTextToJson('ctxwin.config.jsonc', text)
      expect({ error, problems: problems(config) }).toEqual({ error: undefined, problems: [] })
    }
  })

  it.each([
    { budgte: 5 },
    { cache: 'ideel' },
    { budget: [] },
    { strict: 'yes' },
    { last: 1.5 },
    { assert: { maxPeekTokens: 5 } },
    { assert: { maxPeakTokens: ['error'] } },
    { overrides: [{ assert: {} }] },
    { inputs: [1] },
    { outputFile: 'x' },
  ])('refuses %j', (config) => {
    expect(problems(config)).not.toEqual([])
  })
})

describe('the inputs of a config file', () => {
  const read = async (...argv: string[]) => {
    const { stdout, stderr } = await repository.ctxwin('simulate', '--json', ...argv)
    return stdout === '' ? stderr : JSON.parse(stdout).runs.map(({ transcript }: { transcript: string }) => transcript)
  }

  it('are read where none are named, from where the file lies', async () => {
    repository.write('t/a.jsonl', conversation(1))
    repository.write('b.jsonl', conversation(1))
    repository.write('ctxwin.config.json', '{ "$schema": "x", "inputs": ["t", "b.jsonl"] }')
    repository.write('t/config.json', '{ "inputs": "*.jsonl" }')
    expect(await read()).toEqual(['t/a.jsonl', 'b.jsonl'])
    expect(await read('b.jsonl')).toEqual(['b.jsonl'])
    expect(await read('--config', 't/config.json')).toEqual(['t/a.jsonl'])
  })

  it('may begin at home', async () => {
    repository.write('home/logs/a.jsonl', conversation(1))
    repository.env = { HOME: `${repository.cwd}/home` }
    repository.write('ctxwin.config.json', '{ "inputs": ["~/logs"] }')
    // Of a file that was only found they are not read.
    expect(await read('--config', 'ctxwin.config.json')).toEqual([`${repository.cwd}/home/logs/a.jsonl`])
  })

  it.each(['[]', '""', '[1]', '{}', '[""]'])('that are none are one line: %s', async (inputs) => {
    repository.write('ctxwin.config.json', `{ "inputs": ${inputs} }`)
    expect(await read()).toMatch(/^ctxwin: inputs in ctxwin\.config\.json: .* is not a file, a directory, a glob or a /)
  })

  it('stand in no variable', async () => {
    repository.env = { CTXWIN_INPUTS: 't' }
    expect(await read()).toMatch(/^ctxwin: unknown environment variable "CTXWIN_INPUTS"\. /)
  })

  it('are what a baseline and a first step are about', async () => {
    repository.write('t/a.jsonl', conversation(3))
    repository.write('t/b.jsonl', conversation(2))
    await repository.ctxwin('check', '--init', 't')
    repository.remove('t/b.jsonl')
    const { stdout } = await repository.ctxwin('check', '--update-baseline')
    expect(stdout).toContain('dropped what it had of 1 file (t/b.jsonl), gone by now')
    expect((await repository.ctxwin()).stdout).toContain('ctxwin recommend t')
  })
})
