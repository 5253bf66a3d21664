import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Page } from '../../../src/model/page.ts'
import { runCli } from '../run.ts'

const cwd = mkdtempSync(join(tmpdir(), 'ctxwin-report-'))
afterAll(() => rmSync(cwd, { recursive: true }))

const file = resolve('fixtures/claude-code/refactor.jsonl')
const quick = [file, '--policy', 'ikigai', '--budget', '16k', '--estimator', 'bytes']
const report = (...words: string[]) => runCli(['report', ...quick, ...words], { cwd })

describe('ctxwin report', () => {
  it('writes a page to report.html, and again over a page of its own', async () => {
    const { code, stdout, stderr } = await report()
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: '',
      stderr: 'ctxwin: wrote report.html: 1 session, 1 policy at 1 budget\n',
    })
    expect(readFileSync(join(cwd, 'report.html'), 'utf8')).toMatch(/^<!doctype html>/)
    expect((await report()).code).toBe(0)
  })

  it('leaves a report.html of somebody else alone, unless it is named', async () => {
    const other = mkdtempSync(join(cwd, 'other-'))
    writeFileSync(join(other, 'report.html'), 'mine')
    const { code, stderr } = await runCli(['report', ...quick], { cwd: other })
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'ctxwin: cannot write report.html: it is there, and no report of ctxwin: name a file with -o\n',
    })
    expect(readFileSync(join(other, 'report.html'), 'utf8')).toBe('mine')
    expect((await runCli(['report', ...quick, '-o', 'report.html'], { cwd: other })).code).toBe(0)
  })

  it('is not written over an input', async () => {
    const own = join(cwd, 'session.jsonl')
    writeFileSync(own, readFileSync(file))
    const { code, stderr } = await runCli(['report', own, '-o', own], { cwd })
    expect(code).toBe(2)
    expect(stderr).toContain('it is an input: name another file for the result')
  })

  it('needs a budget at which something is pruned', async () => {
    const { code, stderr } = await runCli(['report', file, '--budget', '0', '-o', 'none.html'], { cwd })
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'ctxwin: what is sent without a budget is on the page anyway: name a budget above 0\n',
    })
  })

  it('has messages on it only where that is asked for, and not beside no text at all', async () => {
    const html = () => readFileSync(join(cwd, 'report.html'), 'utf8')
    const dataIn = (text: string): Page => JSON.parse(/ id="data">(.*?)<\/script>/s.exec(text)?.[1] ?? '')
    await report('--full-text')
    const [{ messages = [] } = {}] = dataIn(html()).pictures
    const said = messages.filter(({ role, text }) => role === 'assistant' && text.length > 60)
    expect(said.length).toBeGreaterThan(5)
    await report()
    const json = JSON.stringify(dataIn(html()))
    for (const { text } of said) expect(json).not.toContain(JSON.stringify(text.slice(10, 50)).slice(1, -1))
    expect((await report('--full-text', '--no-text')).stderr).toContain('contradict each other')
  })

  it('loads nothing, and runs one script', async () => {
    await report()
    const html = readFileSync(join(cwd, 'report.html'), 'utf8')
    expect(html).toContain("default-src 'none'; script-src 'sha256-")
    expect(html).not.toMatch(/unsafe-|<link|<img|@import|url\(/)
    expect(html.length).toBeLessThan(600_000)
  })

  it.skipIf(process.platform === 'win32' || process.platform === 'darwin')(
    'is opened by the program for it, whatever its name, and says where there is none',
    async () => {
      const bin = mkdtempSync(join(cwd, 'bin-'))
      const name = '$(touch hit) "a b".html'
      const env = { PATH: `${bin}:/usr/bin:/bin` }
      const open = (PATH: string) => runCli(['report', ...quick, '-o', name, '--open'], { cwd, env: { ...env, PATH } })
      expect((await open(bin)).stderr).toContain('there is no xdg-open: open the file yourself')
      const opener = join(bin, 'xdg-open')
      writeFileSync(opener, `#!/bin/sh\nprintf %s "$1" > '${join(bin, 'opened')}'\n`)
      chmodSync(opener, 0o755)
      expect((await open(env.PATH)).stderr).not.toContain('open the file yourself')
      expect(readFileSync(join(bin, 'opened'), 'utf8')).toBe(join(cwd, name))
      writeFileSync(opener, '#!/bin/sh\nexit 3\n')
      expect((await open(env.PATH)).stderr).toContain('xdg-open found no browser: open the file yourself')
    },
  )
})
