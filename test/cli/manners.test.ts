/** The flags that every command has: `--json`, `--quiet`, and colours with the variables that speak of them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runCli } from './run.ts'

const file = 'fixtures/claude-code/refactor.jsonl'
const place = mkdtempSync(join(tmpdir(), 'ctxwin-manners-'))
afterAll(() => rmSync(place, { recursive: true }))
writeFileSync(join(place, 'package.json'), '{"name":"no transcript"}')

describe('--json', () => {
  it.each([
    ['simulate', file],
    ['recommend', file, '--policy', 'ikigai'],
    ['spend', file],
    ['history', file],
    ['list', 'policies'],
    ['list', 'models', 'gpt-5'],
  ])('is --output json: %s', async (...argv) => {
    const { code, stdout } = await runCli([...argv, '--json'])
    expect(code).toBe(0)
    expect(stdout).toBe((await runCli([...argv, '--output', 'json'])).stdout)
    expect(() => JSON.parse(stdout)).not.toThrow()
  })

  it('is --reporter json of a check', async () => {
    const argv = ['check', 'fixtures/openai-chat/tools.jsonl', '--assert', 'maxCuts=9']
    const { stdout } = await runCli([...argv, '--json'])
    expect(JSON.parse(stdout)).toEqual(JSON.parse((await runCli([...argv, '--reporter', 'json'])).stdout))
  })

  it('says nothing else beside', async () => {
    expect(await runCli(['simulate', file, '--json', '--output', 'csv'])).toEqual({
      code: 2,
      stdout: '',
      stderr: "ctxwin: option '--json' cannot be used with option '-O, --output <name>'. See ctxwin simulate --help\n",
    })
  })
})

describe('--tolerance', () => {
  const told = async (...argv: string[]) => {
    const { stdout, stderr } = await runCli(['recommend', file, '--json', ...argv])
    return stderr === '' ? JSON.parse(stdout).decisions[0].tolerance : stderr
  }

  it('is written alike in every command: 2%, +2% or 0', async () => {
    expect(await told()).toBeNull()
    expect(await told('--tolerance', '2%')).toEqual({ over: 'nothing', percent: 2 })
    expect(await told('--tolerance', '+2%')).toEqual({ over: 'baseline', percent: 2 })
    expect(await told('--tolerance', '0')).toEqual({ over: 'nothing', percent: 0 })
    const refused =
      'ctxwin: --tolerance: "much" is not a percentage such as 2%, or +1% for so much more than the baseline\n'
    expect(await told('--tolerance', 'much')).toBe(refused)
    for (const argv of [
      ['recommend', file],
      ['check', file, '--baseline-file', '.ci/ctxwin-baseline.json'],
    ]) {
      expect((await runCli([...argv, '--tolerance', 'much'])).stderr).toBe(refused)
    }
  })
})

describe('--quiet', () => {
  const inputs = [file, place]

  it('tells no notes, before the command or behind it', async () => {
    const loud = await runCli(['history', '--exchanges', ...inputs])
    expect(loud.stderr).toBe('ctxwin: 1 file skipped: unknown format\n')
    for (const argv of [
      ['history', '--exchanges', ...inputs, '--quiet'],
      ['-q', 'history', '--exchanges', ...inputs],
    ]) {
      expect(await runCli(argv)).toEqual({ ...loud, stderr: '' })
    }
  })

  it('still tells what is wrong', async () => {
    const { code, stderr } = await runCli(['history', '--exchanges', file, 'missing.jsonl', '--quiet'])
    expect([code, stderr]).toEqual([2, 'ctxwin: cannot read missing.jsonl: there is no such file\n'])
  })
})

describe('colours', () => {
  const argv = ['check', 'fixtures/openai-chat/tools.jsonl', '--assert', 'maxCuts=0', '--budget', '100']
  const isColored = async (env: Record<string, string>, ...more: string[]) =>
    (await runCli([...argv, ...more], { env })).stdout.includes('\u001b[')

  it.each([
    [{}, false],
    [{ FORCE_COLOR: '1' }, true],
    [{ FORCE_COLOR: '' }, true],
    [{ FORCE_COLOR: 'true' }, true],
    [{ FORCE_COLOR: 'false' }, false],
    [{ FORCE_COLOR: '0', CLICOLOR_FORCE: '1' }, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    [{ CLICOLOR_FORCE: '1' }, true],
    [{ CLICOLOR_FORCE: '0' }, false],
    [{ CLICOLOR_FORCE: '1', NO_COLOR: '1' }, false],
    [{ CLICOLOR_FORCE: '1', NO_COLOR: '' }, true],
    [{ CLICOLOR_FORCE: '1', CLICOLOR: '0' }, true],
  ])('follow the environment in a pipe: %j, %j', async (env, expected) => {
    expect(await isColored(env)).toBe(expected)
  })
})
