import { describe, expect, it } from 'vitest'
import reader from '../../../src/readers/formats/gemini-cli.ts'
import {
  exchangesOf,
  fixtureText,
  linesOf,
  messagesOf,
  outlines,
  readFixture,
  readRecords,
  readSource,
  readText,
} from '../reading.ts'

const read = (file: string) => readFixture('gemini-cli', file)

describe('gemini-cli: a document', () => {
  it('reads prompts, responses and the results inside them, and no notices or commands', async () => {
    const result = await read('session.json')
    expect(outlines(result)).toEqual([
      '3 ?user: Is the lamp on? See @lamp.md |  | A lamp. | <image 5>',
      '4 assistant: (Looking\nTwo files.) | I look. | read_file#c1 | run_shell_command#c2',
      '4 tool#c1: on',
      '4 +!tool#c2: denied',
      '5 assistant: It is on.',
      '6 ?user: Dim it.',
      '7 assistant: I dim it. | dim#c3',
      '9 !tool#c3: [Operation Cancelled]',
      '10 ?user: Now, please.',
      '11 assistant: photo#c4',
      '11 tool#c4: a photo | <image 5>',
      '12 assistant: Dimmed.',
    ])
    expect(exchangesOf(result)).toEqual(['3 complete', '6 interrupted', '10 complete'])
    expect(result.findings).toEqual(['unknown-record@13', 'bad-record@14'])
    expect(messagesOf(result)[2]).toMatchObject({ toolName: 'read_file', time: 1775037621000 })
  })

  it('counts the cached tokens as input, thoughts as output, and what tools of Google read as input', async () => {
    const [trace] = (await read('session.json')).traces
    expect(trace!.requests).toBe(5)
    const none = { cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 }
    expect(trace!.usage(0)).toEqual({ ...none, input: 9000, output: 50 })
    expect(trace!.usage(1)).toEqual({ ...none, input: 9107, cacheRead: 8000, output: 5 })
    expect(trace!.head).toMatchObject({
      conversation: '11aa22bb-0000-4000-8000-000000000001',
      provider: 'google',
      model: 'gemini-3-flash-preview',
    })
    expect(trace!.preamble).toEqual({ system: [], complete: false })
  })
})

describe('gemini-cli: a message a line', () => {
  it('replaces messages that are repeated, takes back what was rewound, and keeps what was compressed', async () => {
    const result = await read('lines.jsonl')
    expect(outlines(result)).toEqual([
      '2 injected: <session_context>',
      '3 ?user: Is the lamp on?',
      '5 assistant: (I look first.) | read_file#c1',
      '5 tool#c1: on',
      '8 assistant: It is on.',
      '13 ?user: Dim it.',
      '15 assistant: Dimmed.',
    ])
    expect(result.findings).toEqual(['unknown-record@17', 'bad-record@18'])
    expect(result.report).toMatchObject({ records: 18, used: 14, noContext: 2, leftOut: 2, damagedLines: 1 })
  })

  it('remembers which outputs were masked, and what is left of them', async () => {
    const [trace] = (await read('lines.jsonl')).traces
    expect(trace!.clearings).toEqual([
      { at: 5, left: new Map([[3, [{ type: 'text', text: '<masked>' }]]]), restored: false, line: 12 },
    ])
  })

  it('remembers a compression with what it kept, and does not take masked outputs for another', async () => {
    const [trace] = (await read('lines.jsonl')).traces
    const summary = [
      {
        role: 'user',
        line: 14,
        origin: 'injected',
        blocks: [{ type: 'text', text: expect.stringMatching(/^<state/) }],
      },
      { role: 'assistant', line: 14, blocks: [{ type: 'text', text: 'Got it.' }] },
    ]
    expect(trace!.compactions).toEqual([{ at: 6, keptFrom: 5, summary, line: 14 }])
  })

  it('counts a response that was taken back beside the history', async () => {
    const [trace] = (await read('lines.jsonl')).traces
    expect(trace!.sideCalls).toMatchObject([
      { kind: 'taken-back', line: 10, usage: { input: 9200, output: 5 }, model: 'gemini-3-flash-preview' },
    ])
  })

  it('forgets everything when it is rewound to a message that is not there, as the program does', async () => {
    const records = linesOf(fixtureText('gemini-cli', 'lines.jsonl')).slice(0, 9)
    const result = await readRecords([...records, { $rewindTo: 'lost' }, records[2]], 'auto')
    expect(outlines(result)).toEqual(['11 ?user: Is the lamp on?'])
  })

  it('knows a sub-agent by its header, and its parent by the directory', async () => {
    const head = { sessionId: 'child', projectHash: '9f', kind: 'subagent', directories: ['/lamp'] }
    const user = { id: '1', timestamp: '2026-04-01T10:00:00Z', type: 'user', content: 'Look.' }
    const chunks = [Buffer.from([head, user].map((record) => JSON.stringify(record)).join('\n'))]
    const { traces } = await readSource({ name: '/home/ada/.gemini/tmp/9f/chats/mother/child.jsonl', chunks })
    expect(traces[0]!.head).toMatchObject({ conversation: 'child', parent: 'mother', cwd: '/lamp' })
  })

  it('begins another session with another header, and none with the same', async () => {
    const records = linesOf(fixtureText('gemini-cli', 'lines.jsonl')).slice(0, 3)
    const other = { ...records[0], sessionId: 'other' }
    const { traces } = await readRecords([...records, records[0], other, records[2]], 'auto')
    expect(traces.map(({ head, length }) => [head.conversation, length])).toEqual([
      [records[0].sessionId, 2],
      ['other', 1],
    ])
  })
})

describe('gemini-cli: recognition and damage', () => {
  it('knows its records, and no others', () => {
    const [header, , user] = linesOf(fixtureText('gemini-cli', 'lines.jsonl'))
    expect(reader.recognise(header)).toBe(1)
    expect(reader.recognise(JSON.parse(fixtureText('gemini-cli', 'session.json')))).toBe(1)
    expect(reader.recognise({ ...user, type: 'gemini' })).toBe(1)
    expect(reader.recognise(user)).toBeLessThan(0.5)
    for (const record of [null, [], {}, { sessionId: 'a', uuid: 'b', type: 'user' }, { role: 'user', content: 'Hi.' }])
      expect(reader.recognise(record)).toBe(0)
  })

  it('reads a document that is cut off as far as it goes', async () => {
    const text = fixtureText('gemini-cli', 'session.json')
    const result = await readText(text.slice(0, text.indexOf('"m6"')))
    expect(outlines(result).slice(0, 2)).toEqual(outlines(await read('session.json')).slice(0, 2))
    expect(result.findings).toContain('torn-document@1')
  })
})
