import { describe, expect, it } from 'vitest'
import type { Trace } from '../../../src/model/trace.ts'
import reader from '../../../src/readers/formats/pi.ts'
import { exchangesOf, fixtureText, linesOf, messagesOf, outlines, readFixture, readRecords } from '../reading.ts'

const read = (file: string) => readFixture('pi', file)

const inputs = (trace: Trace) => Array.from({ length: trace.requests }, (_, request) => trace.usage(request)?.input)

describe('pi: the tree', () => {
  it('reads the path to the last entry, through a branch that was left and gone back into', async () => {
    const result = await read('tree.jsonl')
    expect(outlines(result)).toEqual([
      '3 ?user: Is the lamp on?',
      '4 assistant: (I look.) | read#c1 | bash#c2',
      '5 tool#c1: on',
      '6 +!tool#c2: denied',
      '7 assistant: It is on.',
      '8 ?user: Dim it.',
      '9 assistant: Dimmed.',
      '14 ?user: How bright? | <image 3>',
      '16 assistant: 40 percent.',
      '18 injected: Ran `ls`',
      '20 injected: It is noon.',
      '22 ?user: Thanks.',
      '23 assistant: Welcome.',
    ])
    expect(exchangesOf(result)).toEqual(['3 complete', '8 complete', '14 complete', '22 complete'])
    expect(result.findings).toEqual([])
  })

  it('counts each answered request of the path, cached tokens with the rest', async () => {
    const [trace] = (await read('tree.jsonl')).traces
    expect(inputs(trace!)).toEqual([10 + 900 + 90, 5 + 1000 + 50, 5 + 1055 + 20, 5 + 1080 + 200, 5 + 600 + 80])
    expect(trace!.usage(0)).toEqual({ input: 1000, cacheRead: 900, cacheWrite: 90, cacheWrite1h: 0, output: 40 })
    expect(trace!.head).toMatchObject({ conversation: '0a1b', provider: 'anthropic', model: 'claude-sonnet-4-5' })
    expect(trace!.head).toMatchObject({ cwd: '/home/ada/lamp', parent: null, forkMessage: null })
    expect(trace!.preamble).toEqual({ system: [], complete: false })
  })

  const said = (id: string, parentId: unknown, role = 'user') => ({
    type: 'message',
    id,
    parentId,
    message: { role, content: [{ type: 'text', text: id }], stopReason: 'stop', usage },
  })
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }
  const header = { type: 'session', version: 3, id: 'a' }

  it('ends where the file ends: a branch that was left is not in it', async () => {
    const records = [header, said('One.', null), said('Two.', 'One.'), said('Three.', 'One.')]
    expect(outlines(await readRecords(records.slice(0, 3), 'pi'))).toEqual(['2 ?user: One.', '3 ?user: Two.'])
    expect(outlines(await readRecords(records, 'pi'))).toEqual(['2 ?user: One.', '4 ?user: Three.'])
  })

  it('says so where the parent of a record is not in the file, and goes on with the record before it', async () => {
    const records = [header, said('One.', null), said('Two.', 'One.'), said('Three.', 'One.'), said('Four.', 'lost')]
    const result = await readRecords(records, 'pi')
    expect(outlines(result)).toEqual(['2 ?user: One.', '4 ?user: Three.', '5 ?user: Four.'])
    expect(result.findings).toEqual(['missing-link@5'])
    for (const wrong of [undefined, 7, ['One.']]) {
      expect((await readRecords([header, said('One.', null), said('Two.', wrong)], 'pi')).findings).toEqual([
        'missing-link@3',
      ])
    }
  })

  it('knows a second beginning that the program writes from one that it cannot have written', async () => {
    const anew = await readRecords(
      [header, said('One.', null), said('1', 'One.', 'assistant'), said('Two.', null)],
      'pi',
    )
    expect(outlines(anew)).toEqual(['4 ?user: Two.'])
    expect(anew.findings).toEqual([])
    const answer = await readRecords([header, said('One.', null), said('1', null, 'assistant')], 'pi')
    expect(outlines(answer)).toEqual(['2 ?user: One.', '3 assistant: 1'])
    expect(answer.findings).toEqual(['missing-link@3'])
    const records = linesOf(fixtureText('pi', 'tree.jsonl'))
    records[21].parentId = null
    const behindModel = await readRecords(records, 'pi')
    expect(outlines(behindModel)).toEqual(outlines(await read('tree.jsonl')))
    expect(behindModel.findings).toEqual(['missing-link@22'])
  })

  it('takes the header for the root where the entries do', async () => {
    const model = { type: 'model_change', id: 'm', parentId: 'a' }
    const result = await readRecords([header, model, said('One.', 'a'), said('Two.', 'One.')], 'pi')
    expect(outlines(result)).toEqual(['3 ?user: One.', '4 ?user: Two.'])
    expect(result.findings).toEqual([])
  })

  it('stands something in for a beginning that is not in the file', async () => {
    const result = await readRecords(linesOf(fixtureText('pi', 'tree.jsonl')).slice(5), 'pi')
    expect(outlines(result).slice(0, 3)).toEqual([
      '1 injected: [what was said before this file ',
      '1 !tool#c2: denied',
      '2 assistant: It is on.',
    ])
    expect(result.findings).toEqual(['missing-head@1'])
    expect(result.traces[0]!.head.headless).toBe(true)
    const [, ...rest] = linesOf(fixtureText('pi', 'fork.jsonl')).slice(0, 5)
    const fork = await readRecords(
      [{ ...header, ...linesOf(fixtureText('pi', 'fork.jsonl'))[0] }, ...rest.slice(1)],
      'pi',
    )
    expect(fork.traces[0]!.head).toMatchObject({ parent: '1c2d', forkMessage: 2, headless: true })
  })

  it('says so where a compaction kept what is not in the file', async () => {
    const kept = (firstKeptEntryId: unknown) =>
      readRecords(
        [
          header,
          said('One.', null),
          { type: 'compaction', id: 'c', parentId: 'One.', summary: 'So.', firstKeptEntryId },
        ],
        'pi',
      )
    expect((await kept('One.')).findings).toEqual([])
    expect((await kept('lost')).findings).toEqual(['missing-link@3'])
    expect((await kept(undefined)).findings).toEqual(['missing-link@3'])
  })

  it('is measured for the model that answered most often', async () => {
    const answer = (model: string, api: string) => ({
      type: 'message',
      message: { role: 'assistant', content: [], model, api, usage: { input: 9, output: 1 } },
    })
    const claude = answer('claude-opus-4-5', 'anthropic-messages')
    const { traces } = await readRecords([answer('gpt-5', 'openai-responses'), claude, claude], 'pi')
    expect(traces[0]!.head).toMatchObject({ provider: 'anthropic', model: 'claude-opus-4-5' })
    const [routed] = (await readRecords([answer('gemini-3-pro', 'vertex')], 'pi')).traces
    expect(routed!.head.provider).toBe('google')
  })

  it('remembers a compaction, with what it kept', async () => {
    const [trace] = (await read('tree.jsonl')).traces
    const text = [
      'The conversation history before this point was compacted into the following summary:',
      '',
      '<summary>',
      'The lamp is on, and dimmed.',
      '</summary>',
    ].join('\n')
    const summary = [{ role: 'user', line: 17, blocks: [{ type: 'text', text }], origin: 'injected' }]
    expect(trace!.compactions).toEqual([{ at: 9, keptFrom: 7, summary, line: 17 }])
  })

  it('tells of a command and of a branch in the words that pi has for them', async () => {
    const command = messagesOf(await read('tree.jsonl'))[9]
    expect(command?.blocks).toEqual([{ type: 'text', text: 'Ran `ls`\n```\nlamp\n```\n\nCommand exited with code 2' }])
    const [branch] = messagesOf(await readRecords([{ type: 'branch_summary', id: '1', summary: 'Dimmed.' }], 'pi'))
    const text =
      'The following is a summary of a branch that this conversation came back from:\n\n<summary>\nDimmed.</summary>'
    expect(branch).toMatchObject({ origin: 'injected', blocks: [{ type: 'text', text }] })
  })
})

describe('pi: version 1, forks', () => {
  it('follows the lines where there are no ids', async () => {
    const result = await read('version-1.jsonl')
    expect(outlines(result)).toEqual([
      '2 ?user: Count the lamps.',
      '3 assistant: count#c1 | count#c2',
      '4 tool#c1: 1',
      '5 +tool#c2: 2',
      '6 queued: Only the hall.',
      '7 assistant: One.',
      '9 ?user: Again?',
    ])
    const [trace] = result.traces
    expect(inputs(trace!)).toEqual([700, 800])
    expect(trace!.head).toMatchObject({ provider: 'google', model: 'gemini-3-pro' })
    expect(trace!.compactions).toMatchObject([{ at: 6, keptFrom: 4, line: 8 }])
  })

  it('knows the roles of version 2', async () => {
    const result = await read('version-2.jsonl')
    expect(outlines(result)).toEqual([
      '2 injected: It is noon.',
      '3 injected: The conversation history before ',
      '4 injected: The following is a summary of a ',
      '5 injected: In the hall.',
      '8 injected: Ran `sleep 9`',
      '9 ?user: Is it on?',
      '10 assistant: <opaque 8> | It is.',
    ])
    const [text] = messagesOf(result)[4]!.blocks
    expect(text).toEqual({
      type: 'text',
      text: 'Ran `sleep 9`\n```\nzzz\n```\n\n(command cancelled)\n\n[Output truncated. Full output: /tmp/sleep.log]',
    })
    expect(result.findings).toEqual([])
  })

  it('knows what a fork inherited, and tells what it cannot read', async () => {
    const result = await read('fork.jsonl')
    expect(outlines(result)).toEqual([
      '2 ?user: One.',
      '3 assistant: 1',
      '4 ?user: Two.',
      '5 assistant: <opaque 24> | 2',
      '10 ?user: Three.',
    ])
    const [trace] = result.traces
    expect(trace!.head).toMatchObject({ parent: '1c2d', forkMessage: 2, provider: 'openai', model: 'gpt-5-mini' })
    expect(inputs(trace!)).toEqual([320])
    expect(result.findings).toEqual(['duplicate-record@6', 'unknown-record@7', 'bad-record@8', 'bad-record@9'])
    expect(result.report.damagedLines).toBe(2)
  })
})

describe('pi: recognition', () => {
  it('knows its headers and entries, and nothing that only looks like them', () => {
    const timestamp = '2026-04-01T10:00:00.000Z'
    const message = { role: 'user', content: 'hi' }
    expect(reader.recognise({ type: 'session', id: 'a', cwd: '/' })).toBe(1)
    expect(reader.recognise({ type: 'message', timestamp, message: { ...message, timestamp: 1 } })).toBe(1)
    expect(reader.recognise({ type: 'label', id: 'a', parentId: null, timestamp })).toBe(0.9)
    expect(reader.recognise({ type: 'session', id: 'a' })).toBe(0)
    expect(reader.recognise({ type: 'message', id: 'a', parentId: null, timestamp, message })).toBe(0)
    expect(reader.recognise({ type: 'message', role: 'user', content: [] })).toBe(0)
    expect(reader.recognise({ type: 'compaction', timestamp, encrypted_content: '' })).toBe(0)
  })
})
