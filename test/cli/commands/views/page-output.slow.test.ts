/** `--output html`: the page of `report`, of what other commands are about. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Page } from '../../../../src/model/page.ts'
import { runCli, wordsOf } from '../../run.ts'

const cwd = mkdtempSync(join(tmpdir(), 'ctxwin-page-'))
afterAll(() => rmSync(cwd, { recursive: true }))

const file = resolve('fixtures/claude-code/refactor.jsonl')
const codex = resolve('fixtures/codex/compaction.jsonl')
const damaged = join(cwd, 'damaged.jsonl')
writeFileSync(damaged, `${readFileSync(file, 'utf8')}{"type":"user\n`)
const ctxwin = (...argv: string[]) => runCli(argv, { cwd })
const cheap = ['--estimator', 'bytes']
const html = (...argv: string[]) => ctxwin(...argv, ...cheap, '--output', 'html')

const dataIn = (text: string): Page => JSON.parse(/ id="data">(.*?)<\/script>/s.exec(text)?.[1] ?? '')
const gridOf = ({ policies, budgets }: Page) => ({ policies: policies.map(({ setting }) => setting), budgets })

describe('--output html', () => {
  it.each(['simulate', 'overview'])('is the page of report, of the same grid: %s', async (command) => {
    const grid = command === 'overview' ? [] : ['--policy', 'ikigai,drop-oldest', '--budget', '16k,12k']
    await ctxwin('report', file, ...grid, ...cheap, '-o', 'report.html')
    const { code, stdout, stderr } = await html(...wordsOf(command), file, ...grid)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(readFileSync(join(cwd, 'report.html'), 'utf8'))
  })

  it('tries what the command tries where nothing is named', async () => {
    const simulated = gridOf(dataIn((await html('simulate', file)).stdout))
    expect(simulated).toEqual({ policies: ['ikigai'], budgets: ['own'] })
  })

  it('is the same on threads', async () => {
    mkdirSync(join(cwd, 'two'))
    copyFileSync(file, join(cwd, 'two/a.jsonl'))
    copyFileSync(codex, join(cwd, 'two/b.jsonl'))
    const run = (jobs: string) => html('simulate', 'two', '--budget', '16k', '--jobs', jobs)
    expect(await run('2')).toEqual(await run('1'))
  })

  it('of history has its one policy and budget, and the picture', async () => {
    const { stdout } = await html('history', file, '--policy', 'drop-oldest,ikigai', '--budget', '16k,12k')
    const page = dataIn(stdout)
    expect(gridOf(page)).toEqual({ policies: ['drop-oldest'], budgets: [16_000] })
    expect(page.pictures).toHaveLength(1)
    const recorded = dataIn((await html('history', file)).stdout)
    expect(gridOf(recorded)).toEqual({ policies: ['as-recorded'], budgets: [0] })
    expect(recorded.pictures).toHaveLength(1)
  })

  it('goes to a file, and leaves one alone where there is nothing to show', async () => {
    expect((await html('simulate', file, '-o', 'page.html')).stdout).toBe('')
    const page = readFileSync(join(cwd, 'page.html'), 'utf8')
    expect(page).toMatch(/^<!doctype html>/)
    const found = await html('simulate', file, '--since', '2030-01-01', '-o', 'page.html')
    expect(found.code).toBe(2)
    expect(readFileSync(join(cwd, 'page.html'), 'utf8')).toBe(page)
    await ctxwin('report', file, '--since', '2030-01-01', '-o', 'nothing.html')
    expect(existsSync(join(cwd, 'nothing.html'))).toBe(false)
  })

  it.each([
    [['simulate', file, '--by', 'request'], '--by: "request" is not transcript: a page has no rows'],
    [['history', file, '--at', '3'], '--at is not for a page, which shows the whole session; --output svg takes it'],
    [['history', '--exchanges', file], 'unknown output "html". Known: table, json, ndjson, csv, markdown'],
  ])('is refused where it could not be what is asked for: %j', async (argv, words) => {
    const { code, stdout, stderr } = await html(...argv)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(words)
  })

  it('is not made of parts', async () => {
    await ctxwin('simulate', file, ...cheap, '--output', 'partial', '-o', 'part.ndjson')
    const { code, stderr } = await ctxwin('merge', 'part.ndjson', '--output', 'html')
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'ctxwin: a page cannot be made from parts: name the transcripts\n',
    })
  })

  it('is among the words that could be meant', async () => {
    expect((await ctxwin('simulate', file, '--output', 'htm')).stderr).toContain('Did you mean "html"?')
  })
})
