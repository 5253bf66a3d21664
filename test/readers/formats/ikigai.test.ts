import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { firstCell, type Plan, sizersFor } from '../../../src/app/plan.ts'
import bytes from '../../../src/estimators/bytes.ts'
import type { Trace } from '../../../src/model/trace.ts'
import shipped from '../../../src/policies/systems/ikigai-shipped.ts'
import reader from '../../../src/readers/formats/ikigai/ikigai.ts'
import { readTranscripts } from '../../../src/readers/read.ts'
import { simulateOne } from '../../../src/simulator/simulate.ts'
import { exchangesOf, fixture, messagesOf, outlines, readFixture, readRecords } from '../reading.ts'

const read = (file: string) => readFixture('ikigai', file)

const inputs = (trace: Trace) => Array.from({ length: trace.requests }, (_, request) => trace.usage(request)?.input)

const resets = (trace: Trace) =>
  Array.from({ length: trace.length }, (_, index) => index).filter((index) => trace.isReset(index))

describe('ikigai: rows', () => {
  it('reads calls, results and answers, and gives each response its count', async () => {
    const result = await read('tools.jsonl')
    expect(outlines(result)).toEqual([
      '3 ?user: Is the lamp on?',
      '4 assistant: (The source knows.) | <opaque 8> | file_read#toolu_1',
      '5 tool#toolu_1: {"tool_success":true,"result":"i',
      '6 assistant: It is on.',
      '9 ?user: Dim it.',
      '11 assistant: file_edit#toolu_2',
      '12 !tool#toolu_2: {"tool_success":false}',
      '13 assistant: I try again. | file_write#toolu_3',
      '16 tool#toolu_3: {"tool_success":true}',
      '17 assistant: Done.',
    ])
    const [trace] = result.traces
    expect(inputs(trace!)).toEqual([undefined, 1234, 1300, 1400, 1500])
    expect(trace!.head).toMatchObject({ provider: 'anthropic', model: 'claude-sonnet-4-6', conversation: null })
    expect(trace!.preamble).toEqual({
      system: [{ role: 'system', line: 2, blocks: [{ type: 'text', text: "You are a lamp's keeper." }] }],
      complete: false,
    })
    const call = messagesOf(result)[1]!.blocks.find(({ type }) => type === 'call')
    expect(call).toMatchObject({ input: '{"path":"lamp.c"}' })
    expect(messagesOf(result)[2]).toMatchObject({ toolName: 'file_read', time: Date.UTC(2026, 2, 1, 9, 0, 5) })
    expect(result.findings).toEqual([])
  })

  it('takes back everything behind the target of a rewind', async () => {
    const result = await read('rewind.jsonl')
    expect(outlines(result)).toEqual(['3 ?user: One.', '4 assistant: 1', '11 ?user: Three.', '12 assistant: 3'])
    expect(inputs(result.traces[0]!)).toEqual([100, 125])
    expect(result.findings).toEqual(['bad-record@14', 'bad-record@15'])
    expect(result.report.damagedLines).toBe(2)
  })

  it('starts the history anew at a clear, and never rewinds behind it', async () => {
    const result = await read('clear.jsonl')
    expect(outlines(result)).toEqual([
      '3 ?user: One.',
      '4 assistant: 1',
      '9 ?user: Two.',
      '10 assistant: It is two, by all accounts.',
      '13 ?user: Three.',
    ])
    expect(resets(result.traces[0]!)).toEqual([2])
    expect(result.traces[0]!.preamble.system.map(({ line }) => line)).toEqual([8])
    expect(result.findings).toEqual(['bad-record@12'])
  })

  it('keeps an interrupted exchange', async () => {
    const result = await read('interrupted.jsonl')
    expect(exchangesOf(result)).toEqual(['2 interrupted', '6 complete', '9 interrupted', '11 interrupted'])
    expect(messagesOf(result)).toHaveLength(8)
    expect(result.findings).toEqual([])
  })

  it.each(['user', 'tool_call', 'tool_result', 'assistant'])(
    'takes an exchange for interrupted where its %s was',
    async (kind) => {
      const rows = ['user', 'tool_call', 'tool_result', 'assistant', 'user', 'assistant'].map((each, id) => ({
        id,
        kind: each,
        content: each,
        data: { tool_call_id: 'a', tool_name: 'b', tool_args: '{}', output: 'c' },
        interrupted: id < 4 && each === kind,
      }))
      expect(exchangesOf(await readRecords(rows, 'ikigai'))).toEqual(['1 interrupted', '5 complete'])
    },
  )

  it('takes an interruption back with what a rewind takes back', async () => {
    const row = (id: number, kind: string, more: object = {}) => ({ id, kind, content: kind, data: {}, ...more })
    const rows = [
      row(1, 'user'),
      row(2, 'assistant'),
      row(3, 'mark'),
      row(4, 'user'),
      row(5, 'assistant', { interrupted: true }),
      row(6, 'rewind', { data: { target_message_id: 3 } }),
      row(7, 'user'),
      row(8, 'assistant'),
    ]
    expect(exchangesOf(await readRecords(rows, 'ikigai'))).toEqual(['1 complete', '7 complete'])
    expect((await readRecords([row(1, 'user', { interrupted: 'yes' })], 'ikigai')).report.problems).toMatchObject([
      { code: 'bad-shape', detail: 'interrupted' },
    ])
  })

  it('leaves out what the model never sees, and tells what it does not know', async () => {
    const result = await read('other-kinds.jsonl')
    expect(outlines(result)).toEqual(['8 ?user: Hello.', '9 tool#undefined: an old result', '10 assistant: Hi.'])
    expect(result.traces[0]!.head.provider).toBe('google')
    expect(result.findings).toEqual(['unknown-record@11', 'bad-record@15', 'bad-record@14', 'bad-usage@10'])
  })

  it('reads one array, and what the database prints as text', async () => {
    const result = await read('array.json')
    expect(outlines(result)).toEqual(['1 ?user: Hello.', '2 assistant: Hi.', '4 ?user: Bye.'])
    expect(inputs(result.traces[0]!)).toEqual([9])
    expect(messagesOf(result)[1]).toMatchObject({ model: 'gpt-5-mini', time: Date.UTC(2026, 2, 1, 9, 0, 2, 250) })
    expect(result.traces[0]!.head.provider).toBe('openai')
  })

  it('plays rows by time, then by id, wherever they stand', async () => {
    const rows = readFileSync(fixture('ikigai', 'tools.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    const said = (await readRecords(rows, 'ikigai')).traces[0]!.messages!.map(({ role, blocks }) => ({ role, blocks }))
    const same = { created_at: '2026-03-01T09:00:00Z' }
    for (const shuffled of [rows.toReversed(), rows.map((row) => ({ ...row, ...same })).toReversed()]) {
      const { traces } = await readRecords(shuffled, 'ikigai')
      expect(traces[0]!.messages!.map(({ role, blocks }) => ({ role, blocks }))).toEqual(said)
    }
  })

  it('names what a row lacks, and rows of nobody among those of agents', async () => {
    const row = (id: unknown, kind: string, content: unknown, data: unknown, agent_uuid?: unknown) => ({
      id,
      kind,
      content,
      data,
      agent_uuid,
    })
    const oddities = async (...rows: object[]) =>
      (await readRecords(rows, 'ikigai')).report.problems.map(({ code, line, detail }) => [code, line, detail])
    expect(await oddities(row('x', 'user', 'One.', {}))).toEqual([['bad-shape', 1, 'id']])
    expect(await oddities({ ...row(1, 'user', 'One.', {}), created_at: 7 })).toEqual([['bad-shape', 1, 'created_at']])
    expect(await oddities(row(1, 'tool_result', 'One.', '{"tool_call_id":"a"}'))).toEqual([
      ['bad-shape', 1, 'data.output'],
    ])
    expect(await oddities(row(1, 'usage', null, { input_tokens: 7 }))).toEqual([['bad-shape', 1, 'data.output_tokens']])
    expect(await oddities(row(1, 'user', 'One.', {}, 'a'), row(2, 'assistant', 'Two.', {}))).toEqual([
      ['missing-link', 2, undefined],
    ])
    expect(await oddities(row(1, 'user', 'One.', {}, 'a'), row(2, 'assistant', 'Two.', {}, 7))).toEqual([
      ['bad-shape', 2, 'agent_uuid'],
    ])
  })

  it('holds rows of different sessions apart where no agent is named', async () => {
    const row = (id: number, session_id: number, kind: string) => ({ id, session_id, kind, content: kind, data: {} })
    const result = await readRecords([row(1, 7, 'user'), row(2, 8, 'user'), row(3, 7, 'assistant')], 'ikigai')
    expect(result.traces.map(({ head, length }) => [head.conversation, length])).toEqual([
      ['7', 2],
      ['8', 1],
    ])
  })
})

describe('ikigai: forks', () => {
  it('gives a child what its ancestors had said up to the fork, since their last clear', async () => {
    const result = await read('forks.jsonl')
    expect(result.traces.map(({ head }) => [head.conversation, head.parent, head.forkMessage])).toEqual([
      ['root', null, null],
      ['child', 'root', 2],
      ['grandchild', 'child', 3],
    ])
    expect(outlines(result, 1)).toEqual([
      '8 ?user: One.',
      '9 assistant: 1',
      '15 ?user: Child: two.',
      '16 assistant: 2',
      '21 ?user: Child: more.',
      '22 assistant: More.',
      '29 ?user: Child: afresh.',
      '30 assistant: Afresh.',
    ])
    expect(result.traces.map(resets)).toEqual([[1], [6], []])
    expect(result.traces[1]!.preamble.system.map(({ line }) => line)).toEqual([7])
  })

  it('says so where a child has no parent, or one that is not in the file', async () => {
    const said = { id: 9, kind: 'user', content: 'One.', data: {}, agent_uuid: 'child' }
    const child = { uuid: 'child', parent_uuid: 'root', fork_message_id: 6 }
    const findings = async (...records: object[]) => (await readRecords(records, 'ikigai')).findings
    expect(await findings(child, said)).toEqual(['missing-link@1'])
    expect(await findings({ ...child, parent_uuid: undefined }, said)).toEqual(['bad-shape@1'])
    expect(await findings({ ...child, fork_message_id: 'x' }, { ...said, agent_uuid: 'root' }, said)).toEqual([
      'bad-shape@1',
    ])
    expect(await findings({ uuid: 'root', parent_uuid: null, fork_message_id: null }, child, said)).toEqual([])
  })

  it('rewinds into what was inherited, which then is shorter', async () => {
    const result = await read('forks.jsonl')
    expect(outlines(result, 2)).toEqual([
      '8 ?user: One.',
      '9 assistant: 1',
      '15 ?user: Child: two.',
      '25 ?user: Grandchild: again.',
      '26 assistant: Again.',
    ])
  })

  it('counts a request in one transcript only', async () => {
    const { traces } = await read('forks.jsonl')
    expect(traces.map(inputs)).toEqual([[100, 130], [140, 170, 20], [150]])
  })

  it('survives agents that are their own ancestors, or that nobody knows', async () => {
    const agent = (uuid: string, parent_uuid: unknown, fork_message_id: unknown) => ({
      uuid,
      parent_uuid,
      fork_message_id,
    })
    const row = (id: number, agent_uuid: string) => ({ id, agent_uuid, kind: 'user', content: agent_uuid, data: null })
    const agents = [agent('a', 'b', 9), agent('b', 'a', 9), agent('c', 'nobody', 1)]
    const { traces } = await readRecords([...agents, row(1, 'a'), row(2, 'b'), row(3, 'c'), row(4, 'd')], 'ikigai')
    expect(traces.map(({ head, length }) => [head.conversation, head.forkMessage, length])).toEqual([
      ['a', 1, 2],
      ['b', 1, 2],
      ['c', 0, 1],
      ['d', null, 1],
    ])
  })
})

interface Case {
  readonly id: string
  readonly fn: string
  readonly input: {
    readonly budget: number
    readonly turns: readonly (
      | Turn
      | { readonly msgs: Turn; readonly last_input_tokens?: number; readonly ok?: boolean }
    )[]
  }
  readonly expect: { readonly after_each_turn: readonly { context_start_index: number }[] }
}

/** Messages, each as a letter for the role and its bytes. */
type Turn = readonly (readonly [letter: string, bytes: number])[]

const vectors = JSON.parse(readFileSync(fixture('vectors', 'ikigai_window.json'), 'utf8')) as { cases: Case[] }
const replays = vectors.cases.filter(({ fn }) => fn === 'replay').map((each) => [each.id, each] as const)

describe('ikigai: what the program did with its rows', () => {
  const kindOf: Readonly<Record<string, string>> = { u: 'user', a: 'assistant', t: 'tool_call', r: 'tool_result' }

  /** The rows as the program would write them. */
  function rowsOf(turns: Case['input']['turns']): Record<string, unknown>[] {
    const rows: Record<string, unknown>[] = []
    const row = (kind: string, content: string | null, data: unknown) =>
      rows.push({ id: rows.length + 1, kind, content, data })
    for (const turn of turns) {
      const { msgs, last_input_tokens: input, ok = true } = 'msgs' in turn ? turn : { msgs: turn }
      for (const [letter, bytes] of msgs) {
        const text = 'x'.repeat(bytes)
        row(kindOf[letter]!, text, { tool_call_id: 'c', tool_name: '', tool_args: text, output: text })
      }
      if (input !== undefined) row('usage', null, { input_tokens: input, output_tokens: 1 })
      if (!ok) row('interrupted', null, null)
    }
    return rows
  }

  const planOf = (budget: number): Plan => ({
    policies: [{ plugin: shipped, values: {} }],
    estimators: [{ plugin: bytes, values: { bytesPerToken: 4 } }],
    budgets: [budget],
    preamble: 0,
    model: null,
    provider: null,
    native: true,
  })

  it.each(replays)('replays as the program did: %s', async (_, { input, expect: expected }) => {
    for (const [turn, { context_start_index: start }] of expected.after_each_turn.entries()) {
      const traces: Trace[] = []
      const plan = planOf(input.budget)
      await readTranscripts(
        { name: 'rows', chunks: [Buffer.from(JSON.stringify(rowsOf(input.turns.slice(0, turn + 1))))] },
        { format: 'auto', sizersFor: sizersFor(plan), keepMessages: true },
        (trace) => traces.push(trace),
      )
      expect(traces.map((trace) => simulateOne(firstCell(trace, plan), []).cutoff?.message ?? 0)).toEqual([start])
    }
  })
})

describe('ikigai: recognition', () => {
  it('knows its rows and agents, and nothing that only looks like them', () => {
    expect(reader.recognise({ id: 1, kind: 'mark', content: null, data: {} })).toBe(1)
    expect(reader.recognise({ uuid: 'a', parent_uuid: null, fork_message_id: null })).toBe(1)
    expect(reader.recognise({ id: 1, kind: 'telepathy', content: '', data: {} })).toBe(0)
    expect(reader.recognise({ kind: 'user', content: 'hi' })).toBe(0)
    expect(reader.recognise({ role: 'user', content: 'hi' })).toBe(0)
    expect(reader.recognise([])).toBe(0)
  })
})
