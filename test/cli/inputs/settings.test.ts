import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli, wordsOf } from '../run.ts'

const conversation = '{"messages":[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hi"}]}\n'
let cwd = ''

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxwin-'))
  writeFileSync(join(cwd, 'a.jsonl'), conversation)
  writeFileSync(join(cwd, 'b.jsonl.gz'), gzipSync(conversation))
  writeFileSync(join(cwd, 'package-lock.json'), '{"lockfileVersion":3}')
  writeFileSync(join(cwd, 'torn.jsonl'), `${conversation}{"messages":[{"role":"us`)
  mkdirSync(join(cwd, 'empty'))
  mkdirSync(join(cwd, 'configured'))
  writeFileSync(join(cwd, 'configured', 'ctxwin.config.json'), '{"budget":"1k","policy":["keep-all"]}')
  writeFileSync(join(cwd, 'configured', 'a.jsonl'), conversation)
  mkdirSync(join(cwd, 'misspelt'))
  writeFileSync(join(cwd, 'misspelt', 'ctxwin.config.json'), '{"budgets":1}')
})
afterAll(() => rmSync(cwd, { recursive: true }))

async function runsOf(argv: readonly string[], world: { cwd?: string; env?: Record<string, string> } = {}) {
  const { code, stdout, stderr } = await runCli(['simulate', ...argv, '--output', 'json'], { cwd, ...world })
  return { code, stderr, runs: stdout === '' ? [] : JSON.parse(stdout).runs }
}

describe('settings', () => {
  it('flags win over the environment, the environment over the config file, the config file over defaults', async () => {
    const inConfig = { cwd: join(cwd, 'configured') }
    const both = { ...inConfig, env: { CTXWIN_BUDGET: '2k' } }
    expect((await runsOf(['a.jsonl'])).runs[0]).toMatchObject({ budget: 100_000, policy: 'ikigai' })
    expect((await runsOf(['a.jsonl'], inConfig)).runs[0]).toMatchObject({ budget: 1000, policy: 'keep-all' })
    expect((await runsOf(['a.jsonl'], both)).runs[0]).toMatchObject({ budget: 2000, policy: 'keep-all' })
    expect((await runsOf(['a.jsonl', '-b', '3k'], both)).runs[0]).toMatchObject({ budget: 3000 })
  })

  it('--print-config says where each value comes from', async () => {
    const world = { cwd: join(cwd, 'configured'), env: { CTXWIN_CUTS: 'all' } }
    const { stdout } = await runCli(['--print-config', '--budget', '5k'], world)
    expect(stdout).toMatch(/^budget +\["5k"\] +\(--budget\)$/m)
    expect(stdout).toMatch(/^policy +\["keep-all"\] +\(policy in ctxwin\.config\.json\)$/m)
    expect(stdout).toMatch(/^cuts +"all" +\(CTXWIN_CUTS\)$/m)
    expect(stdout).toMatch(/^by +"transcript" +\(default\)$/m)
  })

  it('an unknown key of a config file is an error with a suggestion', async () => {
    const { code, stderr } = await runsOf(['../a.jsonl'], { cwd: join(cwd, 'misspelt') })
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'ctxwin: unknown setting in ctxwin.config.json "budgets". Did you mean "budget"?\n',
    })
  })

  it('lists and repeats make a grid', async () => {
    const { runs } = await runsOf(['a.jsonl', '-b', '1k,2k', '-b', '3k', '-p', 'ikigai:keepLast=2,target=0.5,keep-all'])
    expect(runs.map((run: { policy: string; budget: number }) => [run.policy, run.budget])).toEqual([
      ['ikigai', 1000],
      ['ikigai', 2000],
      ['ikigai', 3000],
      ['keep-all', 1000],
      ['keep-all', 2000],
      ['keep-all', 3000],
    ])
    expect(runs[0].params).toMatchObject({ keepLast: 2, target: 0.5 })
  })
})

it('a number behind a param is one more value of it', async () => {
  const words = 'ikigai:keepLast=2,3,target=0.5,1,keep-all,forge:retentionWindow=6'
  const { runs } = await runsOf(['a.jsonl', '-b', '1k', '-p', words])
  type Row = { policy: string; params: Record<string, unknown> }
  expect(runs.map(({ policy, params }: Row) => [policy, params.keepLast, params.target])).toEqual([
    ['ikigai', 2, 0.5],
    ['ikigai', 3, 0.5],
    ['ikigai', 2, 1],
    ['ikigai', 3, 1],
    ['keep-all', undefined, undefined],
    ['forge', undefined, undefined],
  ])
  expect((await runsOf(['a.jsonl', '-p', 'keep-all,3'])).stderr).toContain('unknown policy "3"')
})

describe('policies of a config file', () => {
  it('are made of steps, and called by their name', async () => {
    const place = join(cwd, 'composed')
    mkdirSync(place)
    writeFileSync(join(place, 'a.jsonl'), conversation)
    const steps = [{ truncateToolResults: { max: 8000 } }, { maskToolResults: { keepFirst: 2 } }, { dropOldest: {} }]
    writeFileSync(join(place, 'ctxwin.config.json'), JSON.stringify({ policies: { mine: steps }, policy: 'mine' }))
    expect((await runsOf(['a.jsonl'], { cwd: place })).runs[0]).toMatchObject({ policy: 'mine', params: {} })
  })
})

describe('inputs', () => {
  it('walks directories, reads through gzip, and passes over what is no transcript', async () => {
    const { code, stderr, runs } = await runsOf(['.'])
    expect(code).toBe(0)
    expect(runs.map((run: { transcript: string }) => run.transcript)).toEqual([
      'a.jsonl',
      'b.jsonl.gz',
      'composed/a.jsonl',
      'configured/a.jsonl',
      'torn.jsonl',
    ])
    expect(stderr).toBe('ctxwin: 4 files skipped: unknown format\n')
  })

  it('takes globs, and each file once', async () => {
    const { runs } = await runsOf(['*.jsonl', 'a.jsonl'])
    expect(runs.map((run: { transcript: string }) => run.transcript)).toEqual(['a.jsonl', 'torn.jsonl'])
  })

  it.each([
    [['missing.jsonl'], 'cannot read missing.jsonl: there is no such file'],
    [['missing/*.jsonl'], 'cannot read missing/*.jsonl: the pattern matches no file'],
    [['package-lock.json'], 'package-lock.json: no known transcript format. If you know it, name it with --format'],
    [['empty'], 'empty: no transcripts in this directory'],
    [[], 'no input. Name a transcript, a directory of them, or - for standard input'],
  ])('%j exits 2 with a line that helps', async (argv, line) => {
    const { code, stderr } = await runsOf(argv)
    expect(code).toBe(2)
    expect(stderr).toContain(`ctxwin: ${line}`)
    // Below the line: what was seen of a file of no known format.
    expect(
      stderr
        .trimEnd()
        .split('\n')
        .filter((line) => !line.startsWith('  ')),
    ).toHaveLength(1)
  })

  it('analyses the others when one cannot be used, and exits 2 all the same', async () => {
    const { code, stderr, runs } = await runsOf(['a.jsonl', 'package-lock.json'])
    expect(code).toBe(2)
    expect(stderr).toContain('package-lock.json: no known transcript format')
    expect(runs).toHaveLength(1)
  })

  it('counts damaged lines', async () => {
    expect(await runsOf(['torn.jsonl'])).toMatchObject({ code: 0, runs: [{ damagedLines: 1 }] })
  })

  it.each(['simulate', 'recommend'])('names a damaged file of a directory: %s', async (command) => {
    mkdirSync(join(cwd, command))
    writeFileSync(
      join(cwd, command, 'whole.jsonl'),
      '{"role":"user","content":"a"}\n{"role":"assistant","content":"b"}\n',
    )
    writeFileSync(join(cwd, command, 'lost.jsonl'), '{"role\n')
    writeFileSync(join(cwd, command, 'theirs.json'), '{"name":"theirs"}')
    expect(await runCli([command, command, '-p', 'keep-all'], { cwd })).toMatchObject({
      code: 0,
      stderr: `ctxwin: 2 files skipped: 1 damaged (${command}/lost.jsonl), 1 unknown format\n`,
    })
  })
})

describe('--max-unpacked', () => {
  it('bounds what a compressed file may give, and the refusal names it', async () => {
    writeFileSync(join(cwd, 'large.jsonl.gz'), gzipSync(`${conversation}${' '.repeat(3 << 20)}\n`))
    expect(await runsOf(['large.jsonl.gz'])).toMatchObject({ code: 0 })
    expect(await runsOf(['large.jsonl.gz', '--max-unpacked', '2.5MB'])).toEqual({
      code: 2,
      stderr:
        'ctxwin: cannot read large.jsonl.gz: it unpacks to more than 2.5 MB: if that is intended, raise the limit with --max-unpacked\n',
      runs: [],
    })
    expect(await runsOf(['large.jsonl.gz'], { env: { CTXWIN_MAX_UNPACKED: '1M' } })).toMatchObject({ code: 2 })
    expect(await runsOf(['large.jsonl.gz', '--max-unpacked', '1 GiB'])).toMatchObject({ code: 0 })
    for (const command of ['recommend', 'history', 'history --exchanges', 'calibrate', 'spend', 'history --request']) {
      const words = [...wordsOf(command), 'large.jsonl.gz', '--max-unpacked', '1MB']
      expect((await runCli(words, { cwd })).stderr, command).toContain('more than 1 MB')
    }
    const words = ['check', 'large.jsonl.gz', '--max-unpacked', '1MB', '--assert', 'maxCuts=1']
    expect((await runCli(words, { cwd })).stderr).toContain('more than 1 MB')
  })

  it.each(['0GB', '4', '-1GB', 'GB', 'all'])('is no size: %s', async (word) => {
    expect(await runsOf(['a.jsonl', `--max-unpacked=${word}`])).toMatchObject({
      code: 2,
      stderr: `ctxwin: --max-unpacked: "${word}" is not a size such as 500MB or 20GB\n`,
    })
  })
})

describe('output', () => {
  it('a file is written where it is asked for, and a bad path fails before the run', async () => {
    const { code } = await runCli(['simulate', 'a.jsonl', '-O', 'csv', '-o', join(cwd, 'out.csv')], { cwd })
    expect(code).toBe(0)
    const bad = await runCli(['simulate', 'a.jsonl', '-o', join(cwd, 'no', 'out.csv')], { cwd })
    expect(bad.code).toBe(2)
    expect(bad.stderr).toMatch(/^ctxwin: cannot write .*: its directory is not there\n$/)
  })
})
