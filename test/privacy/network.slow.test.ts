/** No command asks a network for anything, unless a flag says so. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { namedCommands } from '../../src/cli/inputs/commands.ts'
import { runCli } from '../cli/run.ts'
import { plant, planted } from './planted.ts'
import { rows } from './rows.ts'

const root = mkdtempSync(join(tmpdir(), 'ctxwin-network-'))
plant(root)
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }))

const here = fileURLToPath(new URL('.', import.meta.url))
const program = ['--import', join(here, 'no-network.mjs'), join(here, 'run-all.mjs')]
/** A namespace of its own has no network but its own loopback, which is down. */
const denied = spawnSync('unshare', ['-rn', 'true']).status === 0

interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly attempts: readonly string[]
}

/** Each in a directory of its own, beside the transcripts. */
const calls = (argvs: readonly (readonly string[])[], env: Record<string, string>) =>
  argvs.map((argv, number) => {
    const cwd = join(root, `run-${number}`)
    rmSync(cwd, { recursive: true, force: true })
    mkdirSync(join(cwd, 'written'), { recursive: true })
    const inputs = [planted.all, planted.session]
    return { argv: argv.map((word) => (inputs.includes(word) ? `../${word}` : word)), cwd, env, now: 0 }
  })

function spoken(
  argvs: readonly (readonly string[])[],
  env: Record<string, string>,
  ...flags: readonly string[]
): string {
  const all = denied ? ['unshare', '-rn', process.execPath] : [process.execPath]
  const [command, ...words] = [...all, ...program, ...flags] as [string, ...string[]]
  const how = { input: JSON.stringify(calls(argvs, env)), encoding: 'utf8', maxBuffer: 1e9 } as const
  const { stdout, stderr } = spawnSync(command, words, how)
  expect(stderr).toBe('')
  return stdout
}

describe('without a network', () => {
  it('every command prints what it prints with one, and asks for none: how it is run is in rows.ts, or here', async () => {
    const forms = new Map(rows.map(({ command, argv }) => [command, argv]))
    const named = [
      'emit --policy drop-oldest --for python',
      ...['policies', 'estimators', 'formats', 'models'].map((what) => `list ${what}`),
      'cache',
      'trust --list',
      'completion bash',
      'help privacy',
      '--help',
      '--version',
    ]
    const argvs = [...forms.values(), ...named.map((line) => line.split(' '))]
    const run = argvs.map(([name]) => name as string)
    expect(namedCommands.map(({ name }) => name).filter((name) => !run.includes(name))).toEqual(['merge'])
    const env = { CI: 'true', XDG_CACHE_HOME: join(root, 'cache') }
    const apart: readonly Run[] = JSON.parse(spoken(argvs, env))
    for (const [number, { argv, cwd, now }] of calls(argvs, env).entries()) {
      const attempts: string[] = []
      expect(apart[number], argv.join(' ')).toEqual({ ...(await runCli(argv, { cwd, env, now })), attempts })
    }
  })

  it.each([
    ['history', '--request', planted.session, '--count', 'remote'],
    ['export', planted.session, '--to', 'postgres://127.0.0.1/ctxwin'],
  ])('%s %s %s %s asks for one', (...argv) => {
    expect(spoken([argv], { CI: 'true', ANTHROPIC_API_KEY: 'none' }, '--first')).toMatch(/^(connect|name)$/)
  })
})
