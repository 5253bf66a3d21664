import { describe, expect, it } from 'vitest'
import { textOf } from '../../../src/model/message.ts'
import type { Trace } from '../../../src/model/trace.ts'
import reader from '../../../src/readers/formats/pi/pi.ts'
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
    expect(trace!.usage(0)).toEqual({
      input: 1000,
      cacheRead: 900,
      cacheWrite: 90,
      cacheWrite1h: 0,
      output: 40,
      cost: 0,
    })
    expect(trace!.head).toMatchObject({ conversation: '0a1b', provider: 'anthropic', model: 'claude-sonnet-4-5' })
    expect(trace!.head).toMatchObject({ cwd: '/home/ada/lamp', parent: null, forkMessage: null })
    expect(trace!.preamble).toEqual({ system: [], complete: false })
  })

  const said = (id: string, parentId: unknown, role = 'user') => ({
    type: 'message',
    id,
    parentId,
    message: {
      ...{ role, content: [{ type: 'text', text: id }] },
      ...(role === 'assistant' && { stopReason: 'stop', usage }),
    },
  })
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }
  const header = { type: 'session', version: 3, id: 'a' }

  it.each([{ cttl: { ephemeral1h: 60 } }, { cacheWrite1h: 60 }])(
    'knows what was written for an hour: %j',
    async (more) => {
      const { message, ...entry } = said('Two.', 'One.', 'assistant')
      const counted = { ...entry, message: { ...message, usage: { ...usage, cacheWrite: 100, ...more } } }
      const { traces } = await readRecords([header, said('One.', null), counted], 'pi')
      expect(traces[0]!.usage(0)).toMatchObject({ cacheWrite: 100, cacheWrite1h: 60 })
    },
  )

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

  it('counts the responses of a branch that was left as calls that were taken back', async () => {
    const [trace] = (await read('tree.jsonl')).traces
    expect(trace!.sideCalls).toMatchObject([{ kind: 'taken-back', line: 12, model: 'claude-sonnet-4-5' }])
    expect(trace!.sideCalls[0]!.time).toBe(Date.parse('2026-04-01T10:00:55.000Z'))
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

  it('bills a fork for its own side calls alone: those of its parent were billed there', async () => {
    const entry = (id: string, parentId: string | null, time: string, more: object) => ({
      ...{ id, parentId, timestamp: `2026-03-02T${time}.000Z` },
      ...more,
    })
    const said = { type: 'message', message: { role: 'user', content: 'Lamp.', timestamp: 1 } }
    const usage = { input: 7, output: 3, cacheRead: 0, cacheWrite: 0 }
    const begun = '2026-03-02T10:00:00.000Z'
    const { traces } = await readRecords(
      [
        { type: 'session', version: 3, id: 'b', timestamp: begun, parentSession: '/x/9_a.jsonl' },
        entry('e1', null, '09:00:00', said),
        entry('e2', 'e1', '09:00:01', { type: 'usage', usage }),
        entry('e3', 'e2', '09:00:02', { type: 'branch_summary', fromId: 'e1', summary: 'Left.', usage }),
        entry('e4', 'e3', '10:00:01', said),
        entry('e5', 'e4', '10:00:02', { type: 'usage', usage: { ...usage, input: 8 } }),
      ],
      'pi',
    )
    expect(traces[0]!.head.parent).toBe('a')
    expect(traces[0]!.sideCalls.map(({ usage }) => usage.input)).toEqual([8])
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

describe('pi: since 0.86', () => {
  it('records the system prompt and the tools, as they were changed before the first response', async () => {
    const [trace] = (await read('edited.jsonl')).traces
    expect(trace!.preamble.complete).toBe(true)
    expect(trace!.preamble.system.map(textOf)).toEqual(['You look after lamps.\n- read\nA hall.'])
    expect(trace!.preamble.tools).toMatchObject([{ name: 'read' }, { name: 'ls' }])
  })

  it('does not know the whole of them where they changed behind it', async () => {
    const records = linesOf(fixtureText('pi', 'edited.jsonl'))
    const change = { ...records[2], id: 'ff', parentId: records.at(-1).id }
    const { traces, findings } = await readRecords([...records, change], 'pi')
    expect(traces[0]!.preamble.complete).toBe(false)
    expect(traces[0]!.preamble.tools).toHaveLength(2)
    expect(findings).toEqual([])
  })

  it('sends what an edit left of a message, and nothing of one that it took away', async () => {
    const result = await read('edited.jsonl')
    expect(outlines(result).slice(0, 7)).toEqual([
      '4 ?user: Is the lamp on?',
      '5 assistant: read#c1',
      '6 tool#c1: on',
      '7 assistant: It is on.',
      '10 ?user: Wrong words.',
      '11 assistant: I do not understand.',
      '13 ?user: Dim it.',
    ])
    const [trace] = result.traces
    expect(trace!.clearings.map(({ at, left, line }) => [at, [...left], line])).toEqual([
      [4, [[2, [{ type: 'text', text: '[cleared]' }]]], 9],
      [6, [[4, []]], 12],
    ])
    expect(result.findings).toEqual([])
  })

  it('keeps of the history what a compaction has of it', async () => {
    const [trace] = (await read('edited.jsonl')).traces
    expect(trace!.compactions).toMatchObject([{ at: 8, keptFrom: 6, line: 15 }])
  })

  it('names an edit of what is not in the file', async () => {
    const records = linesOf(fixtureText('pi', 'edited.jsonl'))
    records[8].targetId = 'lost'
    expect((await readRecords(records, 'pi')).findings).toEqual(['missing-link@9'])
  })

  it('counts calls beside the conversation: of tools, of summaries, to keep a cache warm', async () => {
    const [trace] = (await read('edited.jsonl')).traces
    expect(
      trace!.sideCalls.map(({ kind, usage, model, line }) => [kind, usage.input, usage.output, model, line]),
    ).toEqual([
      ['aside', 50, 5, null, 6],
      ['aside', 903, 1, 'claude-haiku-4-5', 8],
      ['summary', 1200, 30, null, 15],
    ])
  })
})

describe('pi: oh-my-pi', () => {
  it('reads what it has beside: a title, the prompt of a sub-agent, files, developers, a cleared context', async () => {
    const result = await read('omp.jsonl')
    expect(outlines(result)).toEqual([
      '7 ?user: Find the lamps.',
      '8 injected: Be brief.',
      '9 injected: <system-reminder>',
      '10 assistant: Two lamps.',
      '19 ?user: Count again.',
      '20 assistant: Two.',
    ])
    expect(result.findings).toEqual([])
    const [trace] = result.traces
    expect(trace!.isReset(4)).toBe(true)
    expect(trace!.preamble.system.map(textOf)).toEqual(['You are a scout.\nReport what you find.'])
    expect(trace!.preamble.complete).toBe(false)
    expect(trace!.sideCalls).toMatchObject([
      { kind: 'aside', line: 11, model: 'claude-haiku-4-5' },
      { kind: 'taken-back', line: 15 },
    ])
  })

  it('knows its first line', () => {
    const [title] = linesOf(fixtureText('pi', 'omp.jsonl'))
    expect(reader.recognise(title)).toBe(1)
    expect(reader.recognise({ type: 'title', title: 'Lamps' })).toBe(0)
  })
})
