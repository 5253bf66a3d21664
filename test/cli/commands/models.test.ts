import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtinModels } from '../../../src/models/lookup.ts'
import { parsePrices } from '../../../src/models/prices.ts'
import { runCli } from '../run.ts'

async function idsOf(...names: string[]): Promise<string[]> {
  const { stdout } = await runCli(['list', 'models', ...names, '--output', 'ndjson'])
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).id)
}

describe('ctxwin list models', () => {
  it('prints a file that --prices reads, with nothing lost on the way', async () => {
    const { stdout } = await runCli(['list', 'models', '--output', 'json'])
    expect(JSON.parse(stdout).models).toEqual(builtinModels.models)
    expect(parsePrices(stdout)).toEqual(builtinModels)
  })

  it('has a line for each model in every flat format', async () => {
    for (const output of ['csv', 'ndjson', 'table', 'markdown']) {
      const { stdout } = await runCli(['list', 'models', '--output', output])
      const lines = stdout.split('\n')
      for (const { id } of builtinModels.models.slice(0, 40)) expect(lines.some((line) => line.includes(id))).toBe(true)
    }
  })

  it('takes names as transcripts have them, each model once', async () => {
    const names = ['global.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4.5', 'CLAUDE-SONNET-4-5']
    expect(await idsOf(...names)).toEqual(['claude-sonnet-4-5'])
  })

  it('takes a part of names for all that have it, but not where it is a name itself', async () => {
    const withWord = (word: string) => builtinModels.models.map(({ id }) => id).filter((id) => id.includes(word))
    expect(withWord('haiku').length).toBeGreaterThan(2)
    expect(await idsOf('Haiku')).toEqual(withWord('haiku'))
    expect(await idsOf('haiku', withWord('haiku')[0] ?? '')).toEqual(withWord('haiku'))
    expect(withWord('gpt-5').length).toBeGreaterThan(2)
    expect(await idsOf('gpt-5')).toEqual(['gpt-5'])
  })

  it('says which there are for a name that is none', async () => {
    expect(await runCli(['list', 'models', 'claude-sonet-4-5'])).toMatchObject({
      code: 2,
      stderr: 'ctxwin: unknown model "claude-sonet-4-5". Did you mean "claude-sonnet-4-5"?\n',
    })
    const { code, stderr } = await runCli(['list', 'models', 'haiku-claude'])
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^ctxwin: unknown model "haiku-claude"\. Nearest: (claude-[\w-]*haiku[\w-]*(, |; ctxwin list models lists all\n$))+/,
    )
    expect((await runCli(['list', 'models', ' '])).code).toBe(2)
    expect((await runCli(['list', 'models', 'x'.repeat(300)])).code).toBe(2)
  })

  it('shows the prices of a file of your own', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'ctxwin-')), 'prices.json')
    writeFileSync(
      file,
      '{ "models": [{ "id": "my-model", "contextWindow": 5000, "price": { "input": 3, "output": 9 } }] }',
    )
    const { stdout } = await runCli(['list', 'models', 'my-model', '--prices', file, '--output', 'csv'])
    const [keys, values] = stdout.split('\n').map((line) => line.split(','))
    expect(values?.[keys?.indexOf('contextWindow') ?? -1]).toBe('5000')
    expect(values?.[keys?.indexOf('price.cacheRead') ?? -1]).toBe('3')
    writeFileSync(file, '{ "models": 3 }')
    expect(await runCli(['list', 'models', '--prices', file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('models'),
    })
  })
})
