/** How a user's own policy file affects a run, above all its exit code. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCli } from '../run.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

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

const simulated = (...more: string[]) => {
  const words = ['simulate', 'good.jsonl', '--policy', './mine.mjs', '--budget', '500', '--estimator', 'bytes', ...more]
  return spawnSync(process.execPath, [join(root, 'bin/ctxwin.js'), ...words], { cwd, encoding: 'utf8' })
}

// The first of those that start processes: only a run without an error keeps the program's compiled code for the next.
let whole = ''
it.each([
  ['during the run', 'setTimeout(fail)'],
  ['after the result', "process.once('beforeExit', () => setTimeout(fail))"],
])('a timer of its own that throws is one line and ends in 2, with the whole result: %s', (_, start) => {
  if (whole === '') {
    policy('')
    whole = simulated().stdout
  }
  policy('', `const fail = () => { throw new Error('secret') }; ${start}`)
  const { status, stdout, stderr } = simulated()
  const line = 'ctxwin: mine.mjs, line 1: a timer or another callback throws an error: catch it there\n'
  expect([status, stderr, stdout]).toEqual([2, line, whole])
})

it.each([
  ['as it is loaded', '', "Promise.reject(new Error('secret'))", 'mine.mjs, line 1'],
  ['at work', "Promise.reject(new Error('secret'))", '', 'mine.mjs, line 2'],
  [
    'after the result',
    '',
    "process.once('beforeExit', () => void Promise.reject(new Error('secret')))",
    'mine.mjs, line 1',
  ],
  ['with null', 'Promise.reject(null)', '', 'a policy or config file of your own'],
])(
  'a promise of its own that fails, and that nobody waits for, is one line and ends in 2: %s',
  (_, message, first, module) => {
    policy(message, first)
    const { status, stdout, stderr } = simulated()
    expect([status, stderr]).toEqual([
      2,
      `ctxwin: ${module}: a promise fails and nobody waits for it: wait for it, or catch its error\n`,
    ])
    expect(stdout).toContain('mine')
  },
)

it('where it calls process.exit, the code is 2, and the file of the last result is as it was', () => {
  policy('if (entry.index === 5) process.exit(0)')
  writeFileSync(join(cwd, 'report'), 'the last good one')
  const { status, stdout, stderr } = simulated('-o', 'report')
  const line = 'ctxwin: mine.mjs, line 2: process.exit ended the run before its result was complete\n'
  expect([status, stderr, stdout]).toEqual([2, line, ''])
  expect(readFileSync(join(cwd, 'report'), 'utf8')).toBe('the last good one')
})

it('where it calls process.exit after the result, the code is that of the result', () => {
  policy('', "process.once('beforeExit', () => process.exit(1))")
  const { status, stderr } = simulated()
  expect([status, stderr]).toEqual([0, ''])
})

it('where its counter fails, the line of the transcript is named, and the other file is read', async () => {
  copyFileSync(join(root, 'fixtures/openai-chat/tools.jsonl'), join(cwd, 'other.jsonl'))
  const native =
    "{ summary: '', preamble: () => 0, message(message) { if (count++ === 3) throw new Error('no'); return 1 } }"
  writeFileSync(
    join(cwd, 'mine.mjs'),
    `let count = 0\nexport default { name: 'mine', native: ${native}, start: () => ({ message() {} }) }`,
  )
  const { code, stderr } = await runCli(
    ['simulate', 'good.jsonl', 'other.jsonl', '--policy', './mine.mjs', '--measure', 'native'],
    { cwd },
  )
  expect(code).toBe(2)
  expect(stderr).toMatch(
    /^ctxwin: \.\/mine\.mjs cannot be used as a policy: good\.jsonl, line \d+: its `native` counter throws\n$/,
  )
})
