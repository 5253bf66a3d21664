/** `ctxwin check` as users see it: exit codes and output. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli } from '../cli/run.ts'
import { conversation, useRepository } from './repository.ts'

const repository = useRepository()
const { write, read } = repository
const check = (...words: string[]) => repository.ctxwin('check', ...words)

describe('ctxwin check', () => {
  it('exits 0 with one line when all is well', async () => {
    write('t/a.jsonl', conversation(2))
    expect(await check('t', '--assert', 'maxCuts=3', '--assert', 'maxPeakTokens=1k,orphanedPairs=0')).toEqual({
      code: 0,
      stdout: 'ok: 1 transcript, 3 checks (maxCuts, maxPeakTokens, orphanedPairs) under as-recorded\n',
      stderr: '',
    })
  })

  it('exits 1 and says what, where, by how much, and how to see it again', async () => {
    write('t/long one.jsonl', conversation(9))
    write('ctxwin.config.json', JSON.stringify({ budget: '200', assert: { maxCuts: 1, maxPeakTokens: ['warn', 100] } }))
    const { code, stdout, stderr } = await check('t', '--assert', 'maxSentTokens=2k')
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toMatch(/^error t\/long one\.jsonl:\d+ maxCuts\n {6}cuts is \d, at most 1 allowed \(\d over\)\n/)
    expect(stdout).toContain(
      "      ctxwin simulate 't/long one.jsonl' --budget 200 --policy ikigai --estimator bytes\n",
    )
    expect(stdout).toMatch(/^warn {2}t\/long one\.jsonl:\d+ maxPeakTokens$/m)
    expect(stdout).toMatch(
      /^failed: 1 error, 1 warning, 1 transcript, 3 checks \(maxCuts, maxPeakTokens, maxSentTokens\) under ikigai at 200$/m,
    )
  })

  it('holds figures against what the recorded agent did itself, references measured for it', async () => {
    write('a.jsonl', readFileSync('fixtures/codex/compaction.jsonl', 'utf8'))
    const limits = (...words: string[]) => words.flatMap((word) => ['--assert', word])
    const held = ['--budget', '0', '--policy', 'as-recorded', '--estimator', 'bytes']
    const same = limits('minSavedTodayPercent=0', 'minCostSavedTodayPercent=0', 'maxHeadlineLostOverToday=0')
    expect((await check('a.jsonl', ...held, ...same)).code).toBe(0)
    const { code, stdout } = await check('a.jsonl', '--policy', 'keep-all', ...limits('minSavedTodayPercent=90'))
    expect([code, stdout.split('\n')[0]]).toEqual([1, 'error a.jsonl minSavedTodayPercent'])
    const fewer = await check('a.jsonl', ...held, ...limits('maxHeadlineLostOverToday=-1'))
    expect(fewer.stdout).toContain('today.headlineLostOver is 0, at most -1 allowed')
  })

  it('lets warnings pass, up to --max-warnings', async () => {
    write('a.jsonl', conversation(2))
    write('ctxwin.config.json', JSON.stringify({ assert: { maxPeakTokens: ['warn', 1], maxSentTokens: ['warn', 1] } }))
    expect((await check('a.jsonl')).code).toBe(0)
    expect((await check('a.jsonl', '--max-warnings', '2')).code).toBe(0)
    expect((await check('a.jsonl', '--max-warnings', '1')).code).toBe(1)
    expect(await check('a.jsonl', '--max-warnings', 'few')).toMatchObject({
      code: 2,
      stderr: 'ctxwin: --max-warnings: "few" is not a number of warnings\n',
    })
  })

  it('points at the damaged line', async () => {
    write('a.jsonl', conversation(2).replace('\n', '\n{"role": "user", "cont\n'))
    for (const words of [['--assert', 'maxDamagedLines=0'], ['--strict']]) {
      const { code, stdout } = await check('a.jsonl', ...words)
      expect(code).toBe(1)
      expect(stdout).toMatch(
        /^error a\.jsonl:2 maxDamagedLines\n {6}damagedLines is 1, at most 0 allowed \(1 over\); first: /,
      )
    }
  })

  it('lets --strict win over the config file, which wins over its own strict', async () => {
    write('a.jsonl', conversation(2).replace('\n', '\n{"role": "user", "cont\n'))
    const lenient = {
      assert: { maxDamagedLines: 5 },
      overrides: [{ files: ['*.jsonl'], assert: { maxDamagedLines: 4 } }],
    }
    write('ctxwin.config.json', JSON.stringify({ ...lenient, strict: true }))
    expect((await check('a.jsonl')).code).toBe(0)
    expect((await check('a.jsonl', '--strict')).code).toBe(1)
    expect((await check('a.jsonl', '--strict', '--assert', 'maxDamagedLines=1')).code).toBe(0)
    repository.env.CTXWIN_ASSERT = 'maxDamagedLines=1'
    expect((await check('a.jsonl', '--strict')).code).toBe(1)
    repository.env.CTXWIN_STRICT = 'true'
    expect((await check('a.jsonl')).code).toBe(0)
  })

  it.each([
    [['--assert', 'maxPeekTokens=1'], 'unknown assertion (--assert) "maxPeekTokens". Did you mean "maxPeakTokens"?'],
    [['--assert', 'maxPeakTokens'], '--assert: "maxPeakTokens" is not a limit such as maxPeakTokens=100k'],
    [[], 'nothing was checked: there is no limit.'],
    [['--assert', 'maxBelievedTokens=1'], 'nothing was checked: no transcript has a figure that a limit is set for.'],
    [['--reporter', 'junti', '--assert', 'maxCuts=1'], 'unknown reporter "junti".'],
  ])('exits 2 for %j', async (words, line) => {
    write('a.jsonl', conversation(2))
    const { code, stdout, stderr } = await check('a.jsonl', ...words)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.startsWith(`ctxwin: ${line}`), stderr).toBe(true)
    expect(stderr.split('\n')).toHaveLength(2)
  })

  it.each([
    ['gone.jsonl', 'there is no such file'],
    ['gone/**', 'the pattern matches no file'],
  ])('exits 2 and still says what it found where %s cannot be read', async (word, reason) => {
    write('a.jsonl', conversation(2))
    const { code, stdout, stderr } = await check('a.jsonl', word, '--assert', 'maxCuts=1')
    expect({ code, stderr }).toEqual({ code: 2, stderr: `ctxwin: cannot read ${word}: ${reason}\n` })
    expect(stdout).toContain(`error ${word} unreadable`)
    expect(stdout).toContain('incomplete: 1 error, 1 transcript')
  })

  it('names files alike, however they are named', async () => {
    write('t/a.jsonl', conversation(2))
    const printed = await check('t', '--assert', 'maxPeakTokens=1')
    for (const word of [
      './t',
      join(repository.cwd, 't'),
      't/a.jsonl',
      './t/a.jsonl',
      join(repository.cwd, 't/a.jsonl'),
      '**/*.jsonl',
      '.',
    ]) {
      expect(await check(word, '--assert', 'maxPeakTokens=1'), word).toEqual(printed)
    }
  })

  it('takes overrides by glob', async () => {
    write('t/long/a.jsonl', conversation(9))
    write('t/b.jsonl', conversation(2))
    const overrides = [{ files: 't/long/**', assert: { maxPeakTokens: '100k' } }]
    write('ctxwin.config.json', JSON.stringify({ assert: { maxPeakTokens: 200 }, overrides }))
    expect((await check('t')).code).toBe(0)
    expect((await check('t', '--assert', 'maxPeakTokens=200')).code).toBe(1)
  })

  it('reports in several ways at once, the same bytes each time', async () => {
    write('a.jsonl', conversation(2))
    const words = ['a.jsonl', '--assert', 'maxPeakTokens=1', '--reporter', 'default,junit']
    const files = ['--output-file.junit', 'out.xml', '--output-file.sarif=out.sarif', '--output-file.json=out.json']
    const { code, stdout } = await check(...words, ...files)
    expect(code).toBe(1)
    expect(stdout).toMatch(/^error a\.jsonl:4 maxPeakTokens\n/)
    expect(JSON.parse(read('out.json'))).toMatchObject({ errors: 1, outcomes: [{ metric: 'peakTokens', limit: 1 }] })
    const before = ['out.xml', 'out.sarif', 'out.json'].map(read)
    await check(...words, ...files)
    expect(['out.xml', 'out.sarif', 'out.json'].map(read)).toEqual(before)
    expect(before.join('')).not.toContain(repository.cwd)
    expect(await check(...words)).toMatchObject({
      code: 2,
      stderr: 'ctxwin: junit has to be alone on standard output: use --output-file.junit\n',
    })
    expect((await check(...words, '--output-file.junit', 'no/such/folder/out.xml')).code).toBe(2)
  })

  it('annotates and writes the summary of the job on GitHub Actions', async () => {
    write('packages/one/a.jsonl', conversation(2))
    write('summary.md', 'said before\n')
    repository.env = {
      ...repository.env,
      GITHUB_ACTIONS: 'true',
      GITHUB_STEP_SUMMARY: join(repository.cwd, 'summary.md'),
      GITHUB_WORKSPACE: repository.cwd,
    }
    const words = ['check', 'a.jsonl', '--assert', 'maxPeakTokens=1']
    const cwd = join(repository.cwd, 'packages/one')
    const { code, stdout } = await runCli(words, { cwd, env: repository.env })
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /^failed: 1 error.*\n::error file=packages\/one\/a\.jsonl,line=4,title=ctxwin maxPeakTokens::/m,
    )
    expect(read('summary.md')).toMatch(/^said before\n### ctxwin check\n\nfailed: 1 error/)
    const json = await runCli([...words, '--reporter', 'json'], { cwd, env: repository.env })
    expect(JSON.parse(json.stdout)).toMatchObject({ errors: 1 })
  })
})
