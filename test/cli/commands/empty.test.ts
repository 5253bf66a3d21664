/** An empty transcript has 0 requests: it is no error, and is not taken for a file of an unknown format. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixture } from '../../readers/reading.ts'
import { runCli } from '../run.ts'

const firstLine = (format: string, file: string): string =>
  `${readFileSync(fixture(format, file), 'utf8').split('\n', 1)[0]}\n`

const systemOnly = { role: 'system', content: 'You mend lamps.' }
const empty: readonly [kind: string, text: string][] = [
  ['nothing', ''],
  ['white space', ' \n\t\n\n'],
  ['a byte order mark', '\ufeff'],
  ['an empty list', '[]'],
  ['an empty list over lines', '[\n]\n'],
  ['a list of messages without one', '{"messages":[]}'],
  [
    'system messages, one a line',
    `${JSON.stringify(systemOnly)}\n${JSON.stringify({ ...systemOnly, role: 'developer' })}\n`,
  ],
  ['a list of system messages', JSON.stringify([systemOnly])],
  ['a request with system messages only', JSON.stringify({ model: 'gpt-4o', messages: [systemOnly] })],
  ['a request of Anthropic', JSON.stringify({ model: 'claude-sonnet-4-5', system: 'Mend.', messages: [] })],
  ['a request of Google', JSON.stringify({ systemInstruction: { parts: [{ text: 'Mend.' }] }, contents: [] })],
  ['a request of the Responses API', JSON.stringify({ model: 'gpt-5', instructions: 'Mend.', input: [] })],
  ['several of them', '{"model":"a","messages":[]}\n{"model":"b","messages":[]}\n'],
  ['a system row of ikigai', '{"id":1,"kind":"system","content":"Mend.","data":{}}\n'],
  ['a run of SWE-agent that never began', '{"trajectory":[],"history":[],"info":{"exit_status":"exit_error"}}'],
  ['a session of opencode', '{"info":{"id":"ses_1","projectID":"p","version":"1.18.9"},"messages":[]}'],
  ['the head of a session of Claude Code', firstLine('claude-code', 'compaction.jsonl')],
  ['the head of a session of Codex', firstLine('codex', 'compaction.jsonl')],
  ['the head of a session of Copilot', firstLine('copilot-cli', 'session.jsonl')],
  ['the head of a session of Droid', firstLine('factory-droid', 'session.jsonl')],
  ['the head of a session of duragent', firstLine('duragent', 'events.jsonl')],
  ['the head of a session of Gemini CLI', firstLine('gemini-cli', 'lines.jsonl')],
  ['the head of a session of goose', firstLine('goose', 'session.jsonl')],
  ['the head of a session of Kimi', firstLine('kimi-cli', 'context.jsonl')],
  ['the head of a session of mimir', firstLine('mimir', 'contexts.jsonl')],
  ['the head of a session of pi', firstLine('pi', 'tree.jsonl')],
]

const other: readonly [kind: string, text: string][] = [
  ['an object without a key', '{}'],
  ['objects of another program', '{"lamp":1}\n{"lamp":2}\n'],
  ['a list of lists', '[[]]'],
  ['an empty list of another program', '{"lamp":1,"messages":[]}'],
  ['a null', 'null'],
  ['a text', 'Mend lamps.\n'],
  ['NUL bytes', '\0\0\0'],
  ['a record of an unknown kind', `${firstLine('claude-code', 'compaction.jsonl')}{"type":"lamp"}\n`],
  ['a damaged line behind a system message', `${JSON.stringify(systemOnly)}\n{"role\n`],
]

const commands = [
  ['simulate'],
  ['recommend'],
  ['history', '--exchanges'],
  ['history'],
  ['history', '--request'],
  ['export', '--to', 'csv:rows'],
  ['check', '--no-baseline', '--assert', 'maxPeakTokens=100k'],
  ['spend'],
  [],
]

let cwd = ''
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxwin-empty-'))
})
afterAll(() => rmSync(cwd, { recursive: true }))

const run = (words: readonly string[], stdin?: string) =>
  runCli([...words], { cwd, ...(stdin !== undefined && { stdin }) })

describe('an empty transcript', () => {
  it.each(empty)('is what there is in %s', async (_, text) => {
    writeFileSync(join(cwd, 'one.json'), text)
    const told = { code: 0, stdout: '', stderr: 'ctxwin: one.json: an empty transcript: 0 requests\n' }
    expect(await run(['simulate', 'one.json'])).toEqual(told)
    expect(await run(['history', '--exchanges', 'one.json'])).toEqual(told)
  })

  it.each(commands)('has 0 requests: %s', async (...words) => {
    writeFileSync(join(cwd, 'one.jsonl'), '')
    const [command, ...flags] = words
    const of = (input: string) => [...(command === undefined ? [] : [command]), input, ...flags]
    const isCheck = command === 'check'
    for (const [input, stderr] of [
      ['one.jsonl', 'ctxwin: one.jsonl: an empty transcript: 0 requests\n'],
      ['some', 'ctxwin: 2 files skipped: empty transcript\n'],
    ] as const) {
      mkdirSync(join(cwd, 'some'), { recursive: true })
      for (const name of ['a.jsonl', 'b.jsonl']) writeFileSync(join(cwd, 'some', name), '[]')
      const result = await run(of(input))
      expect(result).toMatchObject({ code: 0, stderr, ...(!isCheck && { stdout: '' }) })
      if (isCheck) expect(result.stdout).toMatch(/^ok: \d warnings?, 0 transcripts, 0 checks /m)
    }
  })

  it('comes in on standard input, too', async () => {
    const told = { code: 0, stdout: '', stderr: 'ctxwin: -: an empty transcript: 0 requests\n' }
    expect(await run(['simulate', '-'], '')).toEqual(told)
    expect(await run(['history', '-'], '[]')).toEqual(told)
  })

  it('is nothing in a result for programs, which is whole', async () => {
    writeFileSync(join(cwd, 'one.jsonl'), '')
    const printed = async (...words: string[]) => JSON.parse((await run([...words, 'one.jsonl', '--json'])).stdout)
    expect(await printed('simulate')).toMatchObject({ runs: [], totals: [] })
    expect(await printed('history', '--exchanges')).toEqual([])
    expect(await printed('spend')).toMatchObject({ total: { requests: 0 } })
    expect((await run(['history', '--exchanges', 'one.jsonl', '--output', 'csv'])).stdout).toMatch(
      /^transcript,[\w,]+\n$/,
    )
  })

  it('takes nothing from the others', async () => {
    writeFileSync(join(cwd, 'one.jsonl'), '')
    writeFileSync(join(cwd, 'chat.jsonl'), '{"role":"user","content":"a"}\n{"role":"assistant","content":"b"}\n')
    const { code, stdout, stderr } = await run(['history', '--exchanges', 'one.jsonl', 'chat.jsonl', '--json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'ctxwin: one.jsonl: an empty transcript: 0 requests\n' })
    expect(JSON.parse(stdout)).toHaveLength(1)
  })

  it.each(other)('is not what there is in %s', async (_, text) => {
    writeFileSync(join(cwd, 'other.json'), text)
    const { code, stderr } = await run(['simulate', 'other.json'])
    expect(code).toBe(2)
    expect(stderr).toMatch(/^ctxwin: other\.json: (?:no known transcript format|it holds no transcript)/)
  })
})
