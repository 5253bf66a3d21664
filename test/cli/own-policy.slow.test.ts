/** What a policy file of the user's own does to a run, its exit code above all. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCli } from './run.ts'

const root = new URL('../..', import.meta.url).pathname

let cwd = ''
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxwin-'))
  copyFileSync(join(root, 'fixtures/openai-chat/tools.jsonl'), join(cwd, 'good.jsonl'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

const policy = (message: string, first = '') =>
  writeFileSync(
    join(cwd, 'mine.mjs'),
    `${first}\nexport default { name: 'mine', start: () => ({ message(window, entry) { ${message} } }) }`,
  )

it('where it fails on one file, the result of the other is printed, and the code is 2', async () => {
  const bad = {
    messages: Array.from({ length: 40 }, (_, index) => ({ role: index % 2 ? 'assistant' : 'user', content: 'Hi.' })),
  }
  writeFileSync(join(cwd, 'bad.jsonl'), JSON.stringify(bad))
  policy("if (entry.index === 39) throw new Error('no')")
  const { code, stdout, stderr } = await runCli(
    ['simulate', 'bad.jsonl', 'good.jsonl', '--policy', './mine.mjs', '--budget', '500', '-O', 'json'],
    { cwd },
  )
  expect(code).toBe(2)
  expect(stderr).toMatch(/^ctxwin: \.\/mine\.mjs cannot be used as a policy: bad\.jsonl, line \d+: .* threw Error.*\n$/)
  const { runs } = JSON.parse(stdout) as { runs: { transcript: string }[] }
  expect(new Set(runs.map(({ transcript }) => transcript))).toEqual(new Set(['good.jsonl']))
})

it.each([
  ['as it is loaded', '', "Promise.reject(new Error('secret'))"],
  ['at work', "Promise.reject(new Error('secret'))", ''],
  ['with null', 'Promise.reject(null)', ''],
])('a promise of its own that fails, and that nobody waits for, is one line and ends in 2: %s', (_, message, first) => {
  policy(message, first)
  const words = [join(root, 'bin/ctxwin.js'), 'simulate', 'good.jsonl', '--policy', './mine.mjs', '--budget', '500']
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd, encoding: 'utf8' })
  expect([status, stderr]).toEqual([
    2,
    'ctxwin: a policy or config file of your own leaves a promise that fails: wait for it, or catch its error\n',
  ])
  expect(stdout).toContain('mine')
})
