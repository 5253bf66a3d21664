import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Message, textOf } from '../../../src/model/message.ts'
import type { Trace } from '../../../src/model/trace.ts'
import reader from '../../../src/readers/formats/codex/codex.ts'
import { openFile } from '../../../src/readers/lines/source.ts'
import { sampled } from '../../whole.ts'
import { exchangesOf, fixture, messagesOf, outlines, readFixture, readRecords, readSource } from '../reading.ts'

const read = (theme: string) => readFixture('codex', `${theme}.jsonl`)

/** Input, cached input and output of each request. */
const usageOf = (trace: Trace) =>
  Array.from({ length: trace.requests }, (_, request) => {
    const usage = trace.usage(request)
    return usage && [usage.input, usage.cacheRead, usage.output]
  })

describe('codex: responses', () => {
  it('are not taken from events for the screen, those of goals and of the guardian among them', async () => {
    const event = (type: string) => ({ type: 'event_msg', payload: { type } })
    const { report } = await readRecords([event('thread_goal_updated'), event('guardian_assessment')], 'codex')
    expect(report).toMatchObject({ noContext: 2, leftOut: 0 })
  })

  it('takes what the model wrote between two counts as one response, its results behind it', async () => {
    const result = await read('counts')
    expect(outlines(result)).toEqual([
      '4 ?user: Is the lamp on?',
      '7 assistant: <opaque 8> | I look. | exec_command#call_1 | exec_command#call_2 | exec_command#call_3',
      '12 tool#call_1: on',
      '14 tool#call_2: 40 W',
      '15 tool#call_3: red',
      '17 assistant: <opaque 8> | exec_command#call_4',
      '20 tool#call_4: dimmed',
      '22 assistant: <opaque 8> | It is on, and dimmed.',
    ])
    const [trace] = result.traces
    expect(usageOf(trace!)).toEqual([
      [9000, 0, 120],
      [9200, 9000, 60],
      [9300, 9200, 30],
    ])
    expect(trace!.usage(0)).toMatchObject({ cacheWrite: 0, cacheWrite1h: 0 })
    expect(trace!.head).toMatchObject({ provider: 'openai', model: 'gpt-5.5', cwd: '/home/ada/lamp', parent: null })
    expect(trace!.head.version).toBe('0.140.0')
    expect(messagesOf(result).map(({ wire }) => wire)).toEqual(Array(8).fill(undefined))
  })

  it('subtracts where only running totals are counted', async () => {
    const { traces } = await read('totals-only')
    expect(usageOf(traces[0]!)).toEqual([
      [100, 0, 5],
      [130, 100, 7],
    ])
  })

  it('takes runs for responses where nothing is counted', async () => {
    const result = await read('bare-items')
    expect(outlines(result)).toEqual([
      '3 injected: <user_instructions>',
      '4 injected: <environment_context>',
      '5 ?user: What is in here?',
      '6 assistant: (**Listing**) | shell#call_1 | shell#call_2',
      '9 tool#call_1: {"output":"lamp.ts\\n","metadata"',
      '10 tool#call_2: {"output":"/home/ada/lamp\\n","me',
      '12 assistant: One file.',
      '13 ?user: Thanks.',
      '14 assistant: Welcome.',
    ])
    expect(usageOf(result.traces[0]!)).toEqual([null, null, null])
  })

  it('knows the items there are', async () => {
    const result = await read('items')
    expect(outlines(result)).toEqual([
      '4 ?user: What is this? | <image 8>',
      '5 assistant: (**Looking**) | {"type":"web_search_call","statu | tool_search#call_1 | apply_patch#call_2 | local_shell#call_3 | <opaque 0>',
      '8 tool#call_1: [{"type":"function","name":"zoom',
      '10 tool#call_2: done | <image 8>',
      '12 tool#call_3: {"output":"lamp.ts","metadata":{',
      '17 assistant: A lamp.',
    ])
    const calls = messagesOf(result)[1]!.blocks.filter((block) => block.type === 'call')
    expect(calls.map(({ input }) => input)).toEqual([
      { query: 'zoom' },
      '*** Begin Patch\n*** End Patch',
      { type: 'exec', command: ['ls'] },
    ])
  })

  it('puts a result that stands before its call behind it', async () => {
    const result = await read('out-of-order')
    expect(outlines(result)).toEqual([
      '4 ?user: Status?',
      '6 assistant: <opaque 8> | exec_command#call_1',
      '7 tool#call_1: on',
      '10 tool#call_0: a result of nothing',
      '11 assistant: exec_command#call_2 | On.',
    ])
    expect([0, 1, 2, 3, 4].map((index) => result.traces[0]!.call(index))).toEqual([-1, 0, 0, -1, 1])
  })
})

describe('codex: what users and harness wrote', () => {
  it('sends leading instructions in front, and reads what the program adds as context', async () => {
    const result = await read('instructions')
    expect(outlines(result)).toEqual([
      '5 injected: # AGENTS.md instructions for /ho | <environment_context>',
      '8 ?user: # Files mentioned by the user:',
      '11 assistant: It is a lamp.',
      '14 system: <model_switch>',
      '15 injected: <user_shell_command>',
      '18 ?user: And now?',
      '21 assistant: Still a lamp.',
    ])
    const { preamble, head } = result.traces[0]!
    expect(preamble.complete).toBe(false)
    expect(preamble.system.map(({ line, role }) => [line, role])).toEqual([
      [1, 'system'],
      [3, 'system'],
      [4, 'system'],
    ])
    expect(preamble.tools).toMatchObject([{ name: 'dim' }])
    expect(head.model).toBe('gpt-5.5')
    expect(messagesOf(result).at(-1)?.model).toBe('gpt-5.6')
  })

  it('takes the mode of planning for a message: behind a compaction there is the mode of then', async () => {
    const rules = '<permissions instructions>\nRead only.'
    const mode = (name: string) => `<collaboration_mode># ${name}\nHow to work.`
    const [plan, usual] = [mode('Plan Mode (Conversational)'), mode('Collaboration Mode: Default')]
    const instructed = (...texts: string[]) => ({
      type: 'message',
      role: 'developer',
      content: texts.map((text) => ({ type: 'input_text', text })),
    })
    const said = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Lamp?' }] }
    const replaced = (...items: object[]) => ({
      type: 'compacted',
      payload: { message: 'Lamp.', replacement_history: [said, ...items] },
    })
    const systemIn = async (front: readonly string[], behind: readonly string[]) => {
      const items = [instructed(...front), instructed('Never the bulb.'), said].map((payload) => ({
        type: 'response_item',
        payload,
      }))
      const { traces } = await readRecords([...items, replaced(instructed(...behind))], 'codex')
      const [{ preamble, messages, compactions }] = traces as [(typeof traces)[0]]
      const words = (list: readonly Message[]) => list.filter(({ role }) => role === 'system').map(textOf)
      return [preamble.system.map(textOf), words(messages!), words(compactions[0]!.summary)]
    }
    const front = [rules, 'Never the bulb.']
    expect(await systemIn([rules, plan], [rules, usual])).toEqual([front, [plan], [usual]])
    expect(await systemIn([rules, plan], [rules, plan])).toEqual([front, [plan], [plan]])
    const inFront = [`${rules}\n${usual}`, 'Never the bulb.']
    expect(await systemIn([rules, usual], [rules, plan])).toEqual([inFront, [], [plan]])
    expect(await systemIn([rules, usual], [rules, usual])).toEqual([inFront, [], []])
    expect(await systemIn([rules, usual], [`${rules} And no shade.`, 'New.'])).toEqual([inFront, [], ['New.']])
  })

  it('keeps what was typed while the agent worked inside the exchange', async () => {
    const result = await read('queued')
    expect(outlines(result)).toEqual([
      '4 ?user: Paint it red.',
      '6 assistant: exec_command#call_1',
      '9 tool#call_1: stopped',
      '7 queued: No, blue.',
      '11 queued: Light blue.',
      '14 assistant: Blue it is.',
      '18 ?user: Thanks.',
      '21 assistant: Welcome.',
    ])
    expect(exchangesOf(result)).toEqual(['4 complete', '18 complete'])
  })

  it('reads a sub-agent: whose it is, and its task as the prompt', async () => {
    const result = await read('sub-agent')
    expect(outlines(result)).toEqual([
      '6 ?user: Message Type: NEW_TASK | <opaque 12>',
      '7 assistant: exec_command#call_1',
      '8 tool#call_1: lamp.ts',
      '10 injected: Hurry.',
      '12 assistant: One file.',
    ])
    const [trace, ...others] = result.traces
    expect(others).toEqual([])
    expect(trace!.head).toMatchObject({
      conversation: '019c0000-0000-7000-8000-7375622d6167',
      parent: '019c0000-0000-7000-8000-0000000000aa',
    })
    expect(trace!.preamble.system.map(({ blocks }) => blocks)).toEqual([[{ type: 'text', text: 'You are Codex.' }]])
  })
})

describe('codex: the shape of a session', () => {
  it('takes rolled back turns back', async () => {
    const result = await read('rollback')
    expect(outlines(result)).toEqual([
      '4 ?user: First.',
      '7 assistant: 1',
      '24 ?user: Another second.',
      '27 assistant: zwei',
    ])
    expect(usageOf(result.traces[0]!)).toEqual([
      [5000, 0, 3],
      [5100, 5000, 3],
    ])
    // What was taken back was billed.
    expect(result.traces[0]!.sideCalls).toMatchObject([
      { kind: 'taken-back', line: 14, model: 'gpt-5.5', usage: { input: 5100, cacheRead: 5000, output: 3 } },
    ])
  })

  it('counts the items of a replacement that are none', async () => {
    const said = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Seven.' }] }
    const records = ['lamp', null, said].map((item) => ({
      timestamp: '2026-01-01T00:00:00.000Z',
      type: 'compacted',
      payload: { message: '', replacement_history: [item, said] },
    }))
    const { traces, findings } = await readRecords([{ type: 'response_item', payload: said }, ...records], 'codex')
    expect(traces[0]!.compactions.map(({ summary }) => summary.length)).toEqual([2, 2, 3])
    expect(findings).toEqual(['bad-record@2', 'bad-record@3'])
  })

  describe('has a summary that only the provider can read', () => {
    const text = 'Seven – or “eight”.'
    const said = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }
    const picture = `data:image/png;base64,${'A'.repeat(40_000)}`
    const shown = { type: 'message', role: 'user', content: [{ type: 'input_image', image_url: picture }] }
    const item = { type: 'response_item', payload: said }
    const prompt = 'You are Codex. '.repeat(40)
    const head = { type: 'session_meta', payload: { id: 'c', base_instructions: { text: prompt } } }
    const counted = (last: object) => ({
      type: 'event_msg',
      payload: { type: 'token_count', info: { last_token_usage: last } },
    })
    const usage = (total_tokens: number) => ({
      input_tokens: 0,
      cached_input_tokens: 0,
      output_tokens: 0,
      total_tokens,
    })
    const response = { input_tokens: 900, cached_input_tokens: 0, output_tokens: 9, total_tokens: 909 }
    const compacted = (...items: object[]) => ({
      type: 'compacted',
      payload: { message: '', replacement_history: [...items, { type: 'compaction', encrypted_content: 'REDACTED' }] },
    })
    /** A quarter of the bytes of each, as Codex counts. */
    const own = (...texts: string[]) => texts.reduce((sum, one) => sum + Math.ceil(Buffer.byteLength(one) / 4), 0)
    const hidden = async (...records: object[]) => {
      const { traces } = await readRecords([head, item, ...records], 'codex')
      return traces[0]!.compactions.map(({ summary }) => textOf(summary.at(-1)!).split(' the').length - 2)
    }

    it('as large as what is left of its own count of the history', async () => {
      const rest = own(prompt, JSON.stringify(said), JSON.stringify(said))
      expect(await hidden(compacted(said, said), counted(usage(rest + 4500)), item)).toEqual([4000])
    })

    it('with an image at the size that Codex takes it for', async () => {
      const rest = own(prompt, JSON.stringify(shown).replace(picture, 'x'.repeat(7373)))
      expect(await hidden(compacted(shown), counted(usage(rest + 900)))).toEqual([800])
    })

    it('whatever is repeated in between', async () => {
      const rest = own(prompt, JSON.stringify(said))
      const between = [{ type: 'turn_context', payload: {} }, counted(response)]
      expect(await hidden(compacted(said), ...between, counted(usage(rest + 450)))).toEqual([400])
    })

    it.each([
      ['nothing is counted', [item]],
      ['the count comes later', [item, counted(usage(9000))]],
      ['the count is less than what can be read', [counted(usage(5))]],
      ['another compaction comes first', [compacted(said)]],
    ])('of the usual size where %s', async (_, records) => {
      expect(new Set(await hidden(compacted(said), ...records))).toEqual(new Set([3300]))
    })

    it('of the usual size where the system prompt is not recorded', async () => {
      const { traces } = await readRecords([item, compacted(said), counted(usage(9000))], 'codex')
      expect(textOf(traces[0]!.compactions[0]!.summary.at(-1)!).split(' the').length - 2).toBe(3300)
    })
  })

  it('leaves compactions out of the history and remembers what took its place', async () => {
    const result = await read('compaction')
    expect(outlines(result).map((line) => line.replace(/^\d+ /, ''))).toEqual([
      '?user: Remember seven.',
      'assistant: Seven.',
      '?user: Which number?',
      'assistant: Seven.',
      '?user: Double it.',
      'assistant: Fourteen.',
    ])
    const [items, text, ...others] = result.traces[0]!.compactions
    expect(others).toEqual([])
    expect([items?.at, items?.keptFrom, text?.at, text?.keptFrom]).toEqual([2, 2, 4, 4])
    expect(items?.summary).toMatchObject([
      { role: 'user', origin: 'injected' },
      { role: 'system' },
      // A summary that only the provider can read has its usual size.
      {
        role: 'user',
        blocks: [{ type: 'text', text: expect.stringMatching(/^\[a summary that only the provider can read/) }],
      },
    ])
    expect(text?.summary).toMatchObject([
      { role: 'user', origin: 'injected', blocks: [{ type: 'text', text: 'The number was seven.' }] },
    ])
  })

  it('ends an interrupted response where it was interrupted', async () => {
    const result = await read('interrupted')
    expect(outlines(result)).toEqual([
      '4 ?user: Count the stars.',
      '6 assistant: <opaque 8> | exec_command#call_1',
      '8 tool#call_1: aborted by user',
      '9 assistant: exec_command#call_2',
      '10 injected: <turn_aborted>',
      '13 ?user: Stop.',
      '16 assistant: Stopped.',
    ])
    expect(exchangesOf(result)).toEqual(['4 interrupted', '13 complete'])
    expect(usageOf(result.traces[0]!)).toEqual([null, null, [5000, 0, 3]])
  })

  it('reads a session that is one document, numbering its items', async () => {
    const result = await readFixture('codex', 'document.json')
    expect(result.report.format).toBe('codex')
    expect(outlines(result)).toEqual([
      '1 ?user: Hello.',
      '2 assistant: <opaque 0> | shell#call_1',
      '4 tool#call_1: lamp.ts',
      '5 assistant: One file.',
    ])
    expect(result.traces[0]!.head.conversation).toBe('019c0000-0000-7000-8000-646f63756d65')
  })

  it('says what it does not know, and counts what is broken', async () => {
    const result = await read('unknown')
    expect(result.findings).toEqual([
      'unknown-record@2',
      'bad-record@4',
      'unknown-record@5',
      'bad-record@6',
      'unknown-record@7',
      'bad-record@12',
    ])
    expect(result.report.damagedLines).toBe(3)
    expect(outlines(result)).toEqual(['8 ?user: Fine?', '11 assistant: Fine.'])
  })
})

describe('codex: which records it recognises', () => {
  it('knows every line of its fixtures', () => {
    for (const file of readdirSync(fixture('codex'))) {
      if (file === 'unknown.jsonl') continue
      const text = readFileSync(fixture('codex', file), 'utf8')
      const records = file.endsWith('.json')
        ? [JSON.parse(text)]
        : text
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line))
      expect(
        records.filter((record) => reader.recognise(record) === 0),
        file,
      ).toEqual([])
    }
  })

  it.each([
    ['a chat message', { role: 'user', content: [{ type: 'text', text: 'hello' }] }],
    ['a chat body', { messages: [{ role: 'user', content: 'hello' }] }],
    ['Claude Code', { type: 'user', uuid: 'u', sessionId: 's', message: { role: 'user', content: 'hello' } }],
    ['codex exec --json', { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'hello' } }],
  ])('leaves %s to others', (_, record) => {
    expect(reader.recognise(record)).toBe(0)
  })
})

const corpus = join(process.env.CTXWIN_CORPUS ?? '../shared/corpus', 'codex-rollout')

describe.skipIf(!existsSync(corpus))('real rollouts of Codex', () => {
  const files = existsSync(corpus)
    ? readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.jsonl'))
    : []

  it.each(sampled(files, 5))('are read whole and counted once: %s', async (file) => {
    const { traces, report } = await readSource(openFile(join(corpus, file)))
    expect(report.format).toBe('codex')
    expect(traces).toHaveLength(1)
    const trace = traces[0]!
    const requests = Array.from({ length: trace.requests }, (_, request) => ({
      line: trace.line(trace.requestAt(request)),
      usage: trace.usage(request),
    }))
    // Rolled back turns were counted where they stand.
    const counted = [...requests, ...trace.sideCalls]
      .sort((a, b) => a.line - b.line)
      .flatMap(({ usage }) => usage ?? [])
    const all = recount(contentOf(file))
    const inherited = all.length - counted.length
    expect(counted.map(({ input, cacheRead, output }) => [input, cacheRead, output])).toEqual(all.slice(inherited))
    const messages = trace.messages ?? []
    expect(messages.filter((message, index) => message.role === 'tool' && trace.call(index) === -1)).toEqual([])
    const { forkMessage } = trace.head
    expect(inherited > 0).toBe(forkMessage !== null)
    if (forkMessage === null) return
    const parent = files.find((other) => other !== file && idIn(contentOf(other)) === trace.head.parent)
    if (parent === undefined) return
    // What stands at the beginning of both is the parent's.
    const own = recount(contentOf(parent))
    const differs = own.findIndex((one, at) => String(one) !== String(all[at]))
    expect(inherited).toBe(differs < 0 ? own.length : differs)
  })

  const contentOf = (file: string): string => readFileSync(join(corpus, file), 'utf8')
  const idIn = (text: string): unknown => JSON.parse(text.slice(0, text.indexOf('\n'))).payload?.id

  /** The counts whose totals changed: one per response. */
  function recount(text: string): number[][] {
    const counts: number[][] = []
    let before = ''
    for (const line of text.trimEnd().split('\n')) {
      // Some recorders break escapes in long outputs; a count has no text.
      if (!line.includes('token_count')) continue
      const { payload } = JSON.parse(line)
      if (payload?.type !== 'token_count' || !payload.info) continue
      const { total_token_usage: total, last_token_usage: last } = payload.info
      if (JSON.stringify(total) === before) continue
      before = JSON.stringify(total)
      // A window without a request yet: the program writes its size with counts of nothing.
      if (last.input_tokens > 0) counts.push([last.input_tokens, last.cached_input_tokens, last.output_tokens])
    }
    return counts
  }
})

describe('codex: hostile records', () => {
  const known = readdirSync(fixture('codex'))
    .filter((file) => file.endsWith('.jsonl'))
    .flatMap((file) => readFileSync(fixture('codex', file), 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line))
  const fields = [
    'type',
    'role',
    'content',
    'call_id',
    'output',
    'info',
    'summary',
    'num_turns',
    'id',
    'source',
    '__proto__',
  ]
  const mutated = fc
    .record({
      record: fc.constantFrom(...known),
      field: fc.constantFrom(...fields),
      value: fc.jsonValue(),
      outer: fc.boolean(),
    })
    .map(({ record, field, value, outer }) =>
      outer || !record.payload
        ? { ...record, [field]: value }
        : { ...record, payload: { ...record.payload, [field]: value } },
    )

  it('never throws, whatever a field holds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(mutated, fc.jsonValue()), { maxLength: 30 }), async (records) => {
        const { traces } = await readRecords(records, 'codex')
        for (const trace of traces) expect(trace.messages).toHaveLength(trace.length)
      }),
      { numRuns: 120 },
    )
  })
})
