import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import reader from '../../../src/readers/formats/factory-droid.ts'
import { readers } from '../../../src/readers/index.ts'
import { openFile } from '../../../src/readers/lines/source.ts'
import { voteFormat } from '../../../src/readers/vote.ts'
import { exchangesOf, fixtureText, linesOf, outlines, readFixture, readRecords, readSource } from '../reading.ts'

const read = () => readFixture('factory-droid', 'session.jsonl')

describe('factory-droid', () => {
  it('reads prompts, reminders, responses and results, and what is typed beside results', async () => {
    const result = await read()
    expect(outlines(result)).toEqual([
      '2 injected: <system-reminder>',
      '3 ?user: <system-reminder> | Is the lamp on?',
      '4 assistant: (I look.) | Read#c1 | Execute#c2',
      '6 tool#c1: on',
      '6 +!tool#c2: denied',
      '6 +queued: And the hall?',
      '7 assistant: Both are on.',
      '8 ?user: Dim it.',
      '10 assistant: Dimmed.',
    ])
    expect(exchangesOf(result)).toEqual(['3 complete', '8 complete'])
    expect(result.findings).toEqual(['unknown-record@13', 'bad-record@14'])
    expect(result.traces[0]!.head).toMatchObject({ conversation: 'a31f', provider: 'anthropic', cwd: '/home/ada/lamp' })
  })

  it('remembers a compaction up to the message that it names', async () => {
    const [trace] = (await read()).traces
    expect(trace!.compactions).toMatchObject([{ at: 8, keptFrom: 7, line: 9 }])
  })

  it('counts the messages that have a usage of their own', async () => {
    const [trace] = (await read()).traces
    const usage = { input: 800, cacheRead: 300, cacheWrite: 0, cacheWrite1h: 0, output: 80 }
    expect([0, 1, 2].map((request) => trace!.usage(request))).toEqual([usage, null, null])
  })

  it('names what a message follows, if that is not in the file', async () => {
    const message = (id: string, parentId: string | null, text: string) => {
      const content = [{ type: 'text', text }]
      return { type: 'message', id, parentId, message: { role: 'user', content } }
    }
    const findings = async (...parents: (string | null)[]) => {
      const messages = parents.map((parent, index) => message(`m${index}`, parent, `${index}`))
      return (await readRecords([{ type: 'session_start', id: 's' }, ...messages], 'factory-droid')).findings
    }
    expect(await findings(null, 'm0')).toEqual([])
    expect(await findings('s', 'm0')).toEqual([])
    expect(await findings('gone', 'm0')).toEqual(['missing-head@2'])
    expect(await findings('s', null)).toEqual(['missing-link@3'])
    expect(await findings('s', 'gone')).toEqual(['missing-link@3'])
  })

  it('takes the model from the settings beside the session', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ctxwin-droid-'))
    const session = linesOf(fixtureText('factory-droid', 'session.jsonl')).slice(0, 3)
    writeFileSync(join(directory, 'a31f.jsonl'), session.map((record) => JSON.stringify(record)).join('\n'))
    const modelOf = async () => (await readSource(openFile(join(directory, 'a31f.jsonl')))).traces[0]!.head.model
    expect(await modelOf()).toBeNull()
    writeFileSync(join(directory, 'a31f.settings.json'), JSON.stringify({ model: 'claude-opus-4-5', tokenUsage: {} }))
    expect(await modelOf()).toBe('claude-opus-4-5')
    rmSync(directory, { recursive: true })
  })

  it('bills what the settings beside it count of the whole session, unless messages count themselves', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ctxwin-droid-'))
    const said = (role: string, at: number, usage?: object) => ({
      ...{ type: 'message', id: `m${at}`, timestamp: `2026-04-20T10:00:0${at}.000Z` },
      message: { role, content: [{ type: 'text', text: 'Trim it.' }], ...(usage && { usage }) },
    })
    const tokenUsage = {
      inputTokens: 9,
      outputTokens: 6,
      cacheCreationTokens: 70,
      cacheReadTokens: 400,
      thinkingTokens: 1,
    }
    writeFileSync(join(directory, 's.settings.json'), JSON.stringify({ model: 'claude-opus-4-5', tokenUsage }))
    const read = async (...messages: readonly object[]) => {
      const lines = [{ type: 'session_start', id: 's' }, ...messages].map((record) => JSON.stringify(record))
      writeFileSync(join(directory, 's.jsonl'), lines.join('\n'))
      const { traces, findings } = await readSource(openFile(join(directory, 's.jsonl')))
      expect(findings).toEqual([])
      return traces[0]!.sideCalls
    }
    const usage = { input: 479, cacheRead: 400, cacheWrite: 70, cacheWrite1h: 0, output: 6 }
    const time = Date.parse('2026-04-20T10:00:03.000Z')
    const answers = [said('user', 0), said('assistant', 1), said('user', 2), said('assistant', 3)]
    expect(await read(...answers)).toMatchObject([
      { kind: 'summed', calls: 2, usage, model: 'claude-opus-4-5', line: 5, time },
    ])
    expect(await read(...answers, said('assistant', 4, { input_tokens: 3, output_tokens: 1 }))).toEqual([])
    expect(await read(said('user', 0))).toEqual([])
    rmSync(directory, { recursive: true })
  })

  it("is not taken for pi's or Claude Code's, nor are they for it", () => {
    const records = linesOf(fixtureText('factory-droid', 'session.jsonl'))
    expect(voteFormat(readers.all, records)?.name).toBe('factory-droid')
    expect(voteFormat(readers.all, records.slice(1))?.name).toBe('factory-droid')
    for (const [format, file] of [
      ['pi', 'tree.jsonl'],
      ['claude-code', 'refactor.jsonl'],
    ] as const) {
      const others = linesOf(fixtureText(format, file))
      expect(others.map(reader.recognise)).toEqual(others.map(() => 0))
    }
  })
})
