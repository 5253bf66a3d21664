/** How a user's own reader affects a run of many files. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runCli } from '../run.ts'

let cwd = ''
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxwin-reader-'))
  mkdirSync(join(cwd, 'logs'))
  const said = (from: string, says: string) => `${JSON.stringify({ from, says })}\n`
  writeFileSync(join(cwd, 'logs/a.jsonl'), said('ann', 'hello') + said('bot', 'hi'))
  writeFileSync(join(cwd, 'logs/b.jsonl'), '{"role":"user","content":"a"}\n{"role":"assistant","content":"b"}\n')
  writeFileSync(join(cwd, 'logs/c.jsonl'), '{"lamp":1}\n')
})
afterEach(() => rmSync(cwd, { recursive: true }))

const reader = (record: string) =>
  writeFileSync(
    join(cwd, 'mine.mjs'),
    `export default {
      name: 'chatter',
      recognise: (record) => 'says' in record,
      read({ open }) {
        const to = open({ conversation: null, provider: 'openai' })
        return { record(value, line) { ${record} } }
      },
    }`,
  )

const simulate = (...more: string[]) =>
  runCli(['simulate', 'logs', '--format', './mine.mjs', '--budget', '500', '--json', ...more], { cwd })

it('it reads the files that it knows, others are read as ever', async () => {
  reader(`to.message({ role: value.from === 'bot' ? 'assistant' : 'user', line, blocks: [{ type: 'text', text: value.says }] })
    return 'used'`)
  const { code, stdout, stderr } = await simulate()
  const { runs } = JSON.parse(stdout)
  expect(runs.map(({ transcript, format }: Record<string, string>) => [transcript, format])).toEqual([
    ['logs/a.jsonl', 'chatter'],
    ['logs/b.jsonl', 'openai-chat'],
  ])
  expect([code, stderr]).toEqual([0, 'ctxwin: 1 file skipped: unknown format\n'])
})

it('where it fails on a file, the result of the others is printed, and the code is 2', async () => {
  reader("throw new Error('secret')")
  const { code, stdout, stderr } = await simulate()
  expect(JSON.parse(stdout).runs).toHaveLength(1)
  expect([code, stderr.split('\n')[0]]).toEqual([
    2,
    'ctxwin: ./mine.mjs cannot be used as a reader: logs/a.jsonl, line 1: its `record` threw Error in its line 6',
  ])
})

it('it is not overwritten', async () => {
  reader("return 'used'")
  const { code, stderr } = await simulate('-o', 'mine.mjs')
  expect([code, stderr]).toEqual([2, expect.stringContaining('cannot write mine.mjs: it is a reader')])
})

it('a module that is no reader is told', async () => {
  writeFileSync(join(cwd, 'mine.mjs'), 'export default 1')
  const { code, stderr } = await simulate()
  expect([code, stderr]).toEqual([
    2,
    'ctxwin: ./mine.mjs cannot be used as a reader: its default export is not a reader: see defineReader\n',
  ])
})
