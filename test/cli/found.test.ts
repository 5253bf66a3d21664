/** What is left out of configuration that nobody named on the command line, and what is said of it. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli } from './run.ts'

let cwd = ''
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxwin-found-'))
  write('a.jsonl', '{"messages":[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hi"}]}\n')
  write('p.mjs', "export default { name: 'mine', start: () => ({ message() {} }) }\n")
})
afterEach(() => rmSync(cwd, { recursive: true }))

const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)
const config = (values: unknown) => write('ctxwin.config.json', JSON.stringify(values))
const ctxwin = (argv: readonly string[], env: Record<string, string> = {}) => runCli(argv, { cwd, env })

/** The policies and budgets of the runs, and what is said besides. */
async function ran(argv: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await ctxwin(['simulate', 'a.jsonl', '--json', ...argv], env)
  const runs = (JSON.parse(stdout).runs as { policy: string; budget: number }[]).map((run) => [run.policy, run.budget])
  return { code, runs, stderr }
}

describe('what is left out', () => {
  it('is all of a config file that is code', async () => {
    write('ctxwin.config.mjs', "export default { budget: '7k' }\n")
    expect(await ran([])).toEqual({
      code: 0,
      runs: [['ikigai', 100_000]],
      stderr:
        'ctxwin: left out: ctxwin.config.mjs (code), as no flag names it. To have it: --config ctxwin.config.mjs; or look at it, then ctxwin trust\n',
    })
    expect(await ran(['--config', 'ctxwin.config.mjs'])).toEqual({ code: 0, runs: [['ikigai', 7000]], stderr: '' })
    expect(await ran(['--no-config'])).toEqual({ code: 0, runs: [['ikigai', 100_000]], stderr: '' })
  })

  it('is of data only what names code', async () => {
    config({ budget: '7k', policy: ['keep-all', './p.mjs'] })
    expect(await ran([])).toEqual({
      code: 0,
      runs: [['ikigai', 7000]],
      stderr:
        'ctxwin: left out: policy in ctxwin.config.json (code: ./p.mjs), as no flag names it. To have it: --policy ./p.mjs, or --config ctxwin.config.json; or look at it, then ctxwin trust\n',
    })
    expect(await ran(['--policy', './p.mjs'])).toEqual({ code: 0, runs: [['mine', 7000]], stderr: '' })
    expect((await ran(['--config', 'ctxwin.config.json'])).runs).toEqual([
      ['keep-all', 7000],
      ['mine', 7000],
    ])
  })

  it('is a variable that names code, wherever that lies', async () => {
    config({ policy: 'keep-all' })
    for (const file of ['./p.mjs', join(cwd, 'p.mjs')]) {
      expect(await ran([], { CTXWIN_POLICY: `${file}:keep=1` })).toEqual({
        code: 0,
        runs: [['keep-all', 100_000]],
        stderr: `ctxwin: left out: CTXWIN_POLICY (code: ${file}), as no flag names it. To have it: --policy ${file}; or look at it, then ctxwin trust ${file}\n`,
      })
    }
  })

  it('is told in one line, with --quiet, too', async () => {
    config({ policy: './p.mjs', format: './r.mjs' })
    const { stderr } = await ran(['--quiet'], { CTXWIN_BASELINE: './b.mjs' })
    expect(stderr).toBe(
      'ctxwin: left out: policy in ctxwin.config.json (code: ./p.mjs), format in ctxwin.config.json (code: ./r.mjs), CTXWIN_BASELINE (code: ./b.mjs), as no flag names it. To have it: --policy ./p.mjs, or --config ctxwin.config.json, or --format ./r.mjs, or --baseline ./b.mjs; or look at it, then ctxwin trust, ctxwin trust ./b.mjs\n',
    )
  })

  it('is nothing that a flag or a variable says otherwise', async () => {
    config({ policy: './p.mjs' })
    expect((await ran(['--policy', 'keep-all'])).stderr).toBe('')
    expect((await ran([], { CTXWIN_POLICY: 'keep-all' })).stderr).toBe('')
  })

  it('is shown by --print-config as if it were not there', async () => {
    config({ policy: './p.mjs', budget: 5 })
    const { code, stdout, stderr } = await ctxwin(['check', '--print-config'])
    expect([code, stderr.split(' (')[0]]).toEqual([0, 'ctxwin: left out: policy in ctxwin.config.json'])
    expect(stdout).toMatch(/^policy +"ikigai" +\(default\)$/m)
    expect(stdout).toMatch(/^budget +5 +\(budget in ctxwin\.config\.json\)$/m)
  })
})

describe('a command of CI', () => {
  it.each([
    'check a.jsonl --assert maxCuts=9',
    'check a.jsonl --update-baseline',
    'init a.jsonl',
    'init a.jsonl --force',
  ])('%s ends with 2 where its configuration is left out', async (line) => {
    for (const [name, text] of [
      ['ctxwin.config.json', '{ "policy": "./p.mjs" }'],
      ['ctxwin.config.mjs', 'export default {}\n'],
    ] as const) {
      write(name, text)
      const { code, stdout, stderr } = await ctxwin(line.split(' '))
      expect([code, stdout, stderr.split(' (')[0]]).toMatchObject([2, '', expect.stringMatching(/^ctxwin: left out: /)])
      expect(existsSync(join(cwd, 'ctxwin-baseline.json'))).toBe(false)
      rmSync(join(cwd, name))
    }
  })
})

describe('a command that runs no code', () => {
  it('says of a config file that is code that it is left out, and does its work', async () => {
    write('ctxwin.config.mjs', 'export default {}\n')
    for (const command of ['models', 'policies', 'formats', 'estimators']) {
      const { code, stderr } = await ctxwin([command])
      expect([code, stderr]).toEqual([
        0,
        `ctxwin: left out: ctxwin.config.mjs (code), as ${command} runs no code of your own\n`,
      ])
    }
  })

  it('says nothing of what it would not have asked for', async () => {
    config({ policy: './p.mjs', format: './p.mjs' })
    for (const command of ['models', 'policies', 'formats', 'estimators']) {
      expect((await ctxwin([command])).stderr).toBe('')
    }
  })

  it('leaves out of a hook what it was not told on its command line, and ends well', async () => {
    config({ policy: './p.mjs', budget: '1k' })
    const stdin = JSON.stringify({ transcript_path: join(cwd, 'a.jsonl'), hook_event_name: 'Status' })
    const { code, stdout, stderr } = await runCli(['advise', '--hook'], { cwd, stdin })
    expect([code, stdout]).toEqual([0, expect.stringContaining('nothing to cut')])
    expect(stderr).toBe(
      'ctxwin: left out: policy in ctxwin.config.json (code: ./p.mjs), as advise --hook runs no code of your own\n',
    )
    const named = await runCli(['advise', '--hook', '--policy', './p.mjs'], { cwd, stdin })
    expect([named.code, named.stderr]).toEqual([
      2,
      'ctxwin: advise --hook runs no code of your own, whoever names it: leave out ./p.mjs\n',
    ])
  })
})

it('a config file that is no file is none', async () => {
  mkdirSync(join(cwd, 'ctxwin.config.json'))
  expect((await ran([])).code).toBe(0)
})
