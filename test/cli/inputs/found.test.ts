/** What is left out of configuration that nobody named on the command line, and what is said of it. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli } from '../run.ts'

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
    'check --init a.jsonl',
    'check --init a.jsonl --force',
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
    for (const what of ['models', 'policies', 'formats', 'estimators']) {
      const { code, stderr } = await ctxwin(['list', what])
      expect([code, stderr]).toEqual([
        0,
        `ctxwin: left out: ctxwin.config.mjs (code), as list runs no code of your own\n`,
      ])
    }
  })

  it('says nothing of what it would not have asked for', async () => {
    config({ policy: './p.mjs', format: './p.mjs' })
    for (const what of ['models', 'policies', 'formats', 'estimators']) {
      expect((await ctxwin(['list', what])).stderr).toBe('')
    }
  })

  it('says it otherwise of what is not code', async () => {
    config({ cacheSize: '1KB' })
    const { code, stderr } = await ctxwin(['cache'], { HOME: cwd })
    expect([code, stderr]).toEqual([
      0,
      'ctxwin: left out: cacheSize in ctxwin.config.json (what is kept beyond it is removed), as no flag names it. To have it: --config ctxwin.config.json; or look at it, then ctxwin trust\n',
    ])
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

describe('more than figures', () => {
  it.each([
    ['countCache', 'counts', 'files are written there'],
    ['cacheSize', '1KB', 'what is kept beyond it is removed'],
    ['redactKey', 'known to all', 'it is a secret'],
    ['inputs', '../logs', 'outside of this directory: ../logs'],
    ['inputs', ['a.jsonl', '~/.claude/projects'], 'outside of this directory: ~/.claude/projects'],
    ['inputs', '/var/log/**', 'outside of this directory: /var/log/**'],
    ['inputs', '{a,b}/../../x', 'outside of this directory: {a,b}/../../x'],
    ['inputs', 'link/sub', 'outside of this directory: link/sub'],
    ['inputs', 'link/**/*.jsonl', 'outside of this directory: link/**/*.jsonl'],
    ['prices', '//server/share/prices.json', 'outside of this directory: //server/share/prices.json'],
    ['prices', 'endless', 'outside of this directory: endless'],
    ['baselineFile', '../base.json', 'outside of this directory: ../base.json'],
    ['baseline', '../base.json', 'outside of this directory: ../base.json'],
  ])('is left out: %s %j', async (key, value, why) => {
    symlinkSync(tmpdir(), join(cwd, 'link'))
    symlinkSync('/dev/zero', join(cwd, 'endless'))
    config({ [key]: value })
    const { code, stderr } = await ctxwin(['simulate', 'a.jsonl'])
    expect([code, stderr]).toEqual([
      0,
      `ctxwin: left out: ${key} in ctxwin.config.json (${why}), as no flag names it. To have it: --config ctxwin.config.json; or look at it, then ctxwin trust\n`,
    ])
    expect((await ctxwin(['check', 'a.jsonl', '--assert', 'maxCuts=9'])).code).toBe(2)
    const { stdout } = await ctxwin(['simulate', '--print-config', '--config', 'ctxwin.config.json'])
    expect(stdout).toContain(`(${key} in ctxwin.config.json)`)
  })

  it('is not what lies in the directory, by whatever name', async () => {
    mkdirSync(join(cwd, 'logs'))
    symlinkSync(join(cwd, 'logs'), join(cwd, 'inner'))
    write('logs/b.jsonl', '{"messages":[{"role":"user","content":"b"},{"role":"assistant","content":"B"}]}\n')
    write('prices.json', '{"models":[]}')
    for (const inputs of ['logs', './logs/../logs', 'inner/', join(cwd, 'logs'), '*/b.jsonl', 'a.jsonl']) {
      config({ inputs, prices: 'prices.json', baselineFile: false })
      expect(await ctxwin(['simulate', '--json'])).toMatchObject({ code: 0, stderr: '' })
    }
  })

  it('is the id of a session, which is a file here or none', async () => {
    config({ inputs: 'abcd' })
    expect((await ctxwin(['simulate'], { HOME: cwd })).stderr).toContain('cannot read ./abcd: there is no such file')
  })

  it('may be trusted', async () => {
    config({ redactKey: 'ours' })
    const env = { HOME: cwd }
    expect((await ctxwin(['trust'], env)).stdout).toMatch(
      /^trusted .*ctxwin\.config\.json and what it reads, 1 file as /,
    )
    expect(await ran([], env)).toMatchObject({ code: 0, stderr: '' })
    config({ redactKey: 'theirs' })
    expect((await ran([], env)).stderr).toContain(
      '(it is a secret; ctxwin.config.json has changed since you trusted it)',
    )
  })
})

describe('a link where a file is written that nobody named', () => {
  it.each([
    ['check --init a.jsonl --force', 'ctxwin-baseline.json'],
    ['check --init a.jsonl', 'ctxwin-baseline.json'],
    ['check --init a.jsonl --force', 'ctxwin.config.jsonc'],
    ['report a.jsonl', 'report.html'],
  ])('is not followed: %s, %s', async (line, name) => {
    for (const text of [null, '{}', '{ "content": "ctxwin report" } <meta content="ctxwin report">']) {
      const elsewhere = mkdtempSync(join(tmpdir(), 'ctxwin-elsewhere-'))
      const target = join(elsewhere, 'target')
      if (text !== null) writeFileSync(target, text)
      symlinkSync(target, join(cwd, name))
      const { code, stderr } = await ctxwin([...line.split(' '), '--no-config'])
      expect([code, stderr]).toEqual([2, expect.stringContaining(`cannot write ${name}: it is a link`)])
      expect(existsSync(target) ? readFileSync(target, 'utf8') : null).toBe(text)
      rmSync(join(cwd, name))
      rmSync(elsewhere, { recursive: true })
    }
  })
})

it('a config file that is no file is none', async () => {
  mkdirSync(join(cwd, 'ctxwin.config.json'))
  expect((await ran([])).code).toBe(0)
})
