import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textOf } from '../../../src/model/message.ts'
import reader from '../../../src/readers/formats/claude-code/claude-code.ts'
import { exchangesOf, fixture, messagesOf, outlines, readFixture, readRecords } from '../reading.ts'
import { recordedBody } from '../recorded-bodies.ts'

const read = (theme: string) => readFixture('claude-code', `${theme}.jsonl`)

/** A record of a session with this `parentUuid`. */
function record(type: string, uuid: string, content: unknown, parentUuid: string | null = null) {
  const message = { id: `msg_${uuid}`, role: type, model: 'claude-opus-4-5', content }
  return { type, uuid, parentUuid, sessionId: 's', isSidechain: false, message }
}

const readOf = (filePath: string) => ({ type: 'text', file: { filePath, content: 'x', numLines: 1, totalLines: 1 } })

describe('claude-code: what was really sent', () => {
  it('has the system prompt and the tools that are recorded first', async () => {
    const { traces, findings } = await read('prompt-snapshot')
    expect(findings).toEqual([])
    const { preamble, requests } = traces[0]!
    expect(requests).toBe(2)
    expect(preamble).toMatchObject({ complete: true, system: [{ role: 'system', line: 6 }] })
    expect(preamble.system.map(textOf)).toEqual(['You keep lamps.\nAnswer in one line.'])
    expect(preamble.tools).toEqual([
      {
        name: 'Bash',
        description: 'Runs a command.',
        input_schema: { type: 'object', properties: { command: { type: 'string' } } },
      },
    ])
  })

  it('has attachments in the words that they were sent in, where these are recorded', async () => {
    const result = await read('prompt-snapshot')
    expect(messagesOf(result).slice(0, 3).map(textOf)).toEqual([
      'List the lamps',
      '<system-reminder>\nNine lamps.\n</system-reminder>',
      '<system-reminder>\nIt is Friday.\n</system-reminder>',
    ])
    expect(
      messagesOf(result)
        .slice(0, 4)
        .map(({ role, origin }) => [role, origin]),
    ).toEqual([
      ['user', undefined],
      ['user', 'injected'],
      ['user', 'injected'],
      ['assistant', undefined],
    ])
  })
})

describe('claude-code: responses', () => {
  it('are not taken from records about the session, those of a move to a worktree among them', async () => {
    const records = ['relocated', 'started', 'atis-latch'].map((type) => ({ type, sessionId: 'a' }))
    expect((await readRecords(records, 'claude-code')).report).toMatchObject({ noContext: 3, leftOut: 0 })
  })

  it('puts the lines of one response together and counts its usage once', async () => {
    const result = await read('split-response')
    expect(outlines(result)).toEqual([
      '2 ?user: What does the lamp do when the b',
      '3 assistant: (I should look at the lamp first.) | Let me look at it. | Read#toolu_01',
      '7 tool#toolu_01: export const lamp = (bulb?: Bulb',
      '8 assistant: It gives null: there is no light',
    ])
    const trace = result.traces[0]!
    expect(trace.requests).toBe(2)
    const counts = { input: 12904, cacheRead: 12000, cacheWrite: 900, cacheWrite1h: 900, output: 61 }
    expect(trace.usage(0)).toEqual({ ...counts, cost: 0.0123 })
    expect(trace.usage(1)).toEqual({ input: 13026, cacheRead: 12900, cacheWrite: 120, cacheWrite1h: 0, output: 19 })
    expect(trace.requestTime(0)).toBe(Date.parse('2026-03-02T09:00:08.000Z'))
    expect(trace.head).toMatchObject({
      conversation: '5e550000-0000-4000-8000-d02242b9415b',
      model: 'claude-sonnet-4-5-20250929',
      cwd: '/home/ada/lamp',
      provider: 'anthropic',
      parent: null,
    })
    expect(trace.preamble).toEqual({ system: [], complete: false })
  })

  it('takes the first of its calls for the request, and bills the others beside it', async () => {
    const [trace] = (await read('advisor')).traces
    expect(Array.from({ length: 3 }, (_, request) => trace!.usage(request))).toEqual([
      { input: 20402, cacheRead: 20000, cacheWrite: 400, cacheWrite1h: 400, output: 170 },
      { input: 20962, cacheRead: 20900, cacheWrite: 60, cacheWrite1h: 60, output: 40 },
      { input: 21002, cacheRead: 20960, cacheWrite: 40, cacheWrite1h: 40, output: 30 },
    ])
    const counts = { cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 }
    expect(trace!.sideCalls).toMatchObject([
      { kind: 'advice', model: 'claude-opus-4-8', line: 2, usage: { ...counts, input: 21000, output: 300 } },
      {
        kind: 'continued',
        model: 'claude-sonnet-5',
        usage: { input: 20902, cacheRead: 20400, cacheWrite: 500, cacheWrite1h: 500, output: 0 },
      },
    ])
  })

  it('keeps the recorded blocks, signatures included, as the wire form', async () => {
    const [, response, toolResult] = messagesOf(await read('split-response'))
    const recorded = linesOf('split-response').map((record) => record.message?.content)
    expect(response?.wire?.value).toEqual([...recorded[2], ...recorded[3], ...recorded[4]])
    expect(toolResult?.wire?.value).toEqual(recorded[6])
  })

  it('puts results and reminders that stand between the lines of a response behind it, results first', async () => {
    const result = await read('interleaved-results')
    expect(outlines(result)).toEqual([
      '1 ?user: Are both test files green?',
      '2 assistant: I run both. | Bash#toolu_01 | Bash#toolu_02 | Bash#toolu_03',
      '4 tool#toolu_01: ok 3',
      '8 +!tool#toolu_03: Cannot find c.test.js',
      '9 +tool#toolu_02: ok 5',
      '6 injected: Tests are slow on Mondays.',
      '10 assistant: a and b are green; there is no c',
    ])
    expect(result.traces[0]!.usage(0)?.output).toBe(88)
  })

  it('sends parallel results in one wire message, as the program did', async () => {
    const messages = messagesOf(await read('interleaved-results'))
    const sent = recordedBody('anthropic', { system: [], complete: false }, messages).messages as { content: unknown }[]
    expect(sent).toHaveLength(5)
    const recorded = linesOf('interleaved-results').map((record) => record.message?.content)
    expect(sent[2]?.content).toEqual([...recorded[3], ...recorded[7], ...recorded[8]])
  })

  it('knows local error messages for what they are', async () => {
    const result = await read('api-errors')
    expect(outlines(result)).toEqual(['1 ?user: Light on.', '4 ?user: Again.', '5 assistant: On.'])
    expect(exchangesOf(result)).toEqual(['1 interrupted', '4 complete'])
  })

  it('tells responses apart where a service leaves out the ids, and takes no usage from zeros', async () => {
    const result = await read('other-services')
    expect(outlines(result)).toEqual([
      '1 ?user: Light?',
      '2 assistant: Let me see. | Bash#call_1',
      '4 tool#call_1: on',
      '5 assistant: It is on.',
      '6 assistant: Still.',
    ])
    const trace = result.traces[0]!
    expect([0, 1, 2].map((request) => trace.usage(request)?.input)).toEqual([10, undefined, undefined])
  })

  it('prices images by their decoded size and keeps hidden thoughts opaque', async () => {
    expect(outlines(await read('media'))).toEqual([
      '1 ?user: What is this? | <image 24> | <document 8>',
      '2 assistant: <opaque 24> | <opaque 8> | Read#toolu_01',
      // The provider puts in the definition of a tool that was searched for.
      '5 tool#toolu_01: the picture: | <image 24> | [the definition of Zoom] the the',
      '6 assistant: A lamp.',
    ])
  })
})

describe('claude-code: what users and harness wrote', () => {
  it('tells prompts from what the harness puts into user records', async () => {
    const result = await read('meta')
    expect(outlines(result)).toEqual([
      '2 injected: <local-command-caveat>Caveat: Th',
      '3 injected: <command-name>/theme</command-na',
      '4 injected: <local-command-stdout>Theme set ',
      '5 injected: <bash-input>git status</bash-inp',
      '6 injected: <bash-stdout>clean</bash-stdout>',
      '7 injected: <ide_opened_file>The user opened',
      '8 ?user: <ide_selection>line 3</ide_selec | Explain this line.',
      '9 assistant: It screws in the bulb.',
      '11 ?user: <command-message>lamp:review</co',
      '12 injected: Review the lamp. Focus: foot.',
      '13 assistant: Skill#toolu_01',
      '14 tool#toolu_01: Launching skill: lamp',
      '15 injected: Base directory for this skill: /',
      '16 assistant: The foot is sound.',
      '17 injected: <system-reminder>The task list i',
      '18 ?user: <teammate-message teammate_id="b',
      '19 assistant: Good.',
    ])
    expect(exchangesOf(result)).toEqual(['8 complete', '11 complete', '18 complete'])
  })

  it('keeps what was queued or typed into a refusal inside the exchange; a notice to an idle agent starts one', async () => {
    const result = await read('queued')
    expect(outlines(result)).toEqual([
      '1 ?user: Paint the lamp red.',
      '3 assistant: Edit#toolu_01',
      '4 !tool#toolu_01: The user rejected this edit.',
      '4 +queued: use the palette file instead',
      '5 queued: No, blue.',
      '6 queued: Like this: | <image 8>',
      '7 injected: <task-notification>',
      '8 assistant: Blue it is.',
      '9 ?user: <task-notification>',
      '10 assistant: The painter failed; I try again.',
    ])
    expect(exchangesOf(result)).toEqual(['1 complete', '9 complete'])
  })

  it('reads interrupt markers as context that starts nothing', async () => {
    const result = await read('interrupted')
    expect(outlines(result).filter((line) => line.includes('interrupted'))).toEqual([
      '4 injected: [Request interrupted by user for',
      '7 injected: [Request interrupted by user]',
    ])
    expect(exchangesOf(result)).toEqual(['1 interrupted', '5 complete', '8 complete'])
  })

  it('takes from attachments what the model is shown', async () => {
    const result = await read('attachments')
    expect(outlines(result)).toEqual([
      '1 injected: Today the workshop is closed.',
      '2 ?user: What changed?',
      '3 injected: 1	light()',
      '4 injected: Never touch the bulb.',
      '5 injected: Called the Read tool with the fo',
      '6 injected: <image 8>',
      '7 injected: ## lamp',
      '8 injected: A',
      '9 injected: [a reminder to keep a list of ta',
      '13 injected: [how to plan] the the the the th',
      '14 assistant: The lamp and its shade.',
    ])
  })
})

describe('claude-code: words that are not recorded', () => {
  const attachment = (uuid: string, one: unknown) => ({ ...record('attachment', uuid, ''), attachment: one })
  const shown = async (...attachments: unknown[]) => {
    const records = [record('user', 'p', 'Go.'), ...attachments.map((one, at) => attachment(`a${at}`, one))]
    return messagesOf(await readRecords([...records, record('assistant', 'r', 'Gone.')], 'claude-code'))
      .slice(1, -1)
      .map(textOf)
  }
  const filler = (text: string | undefined) => text!.split(' the').length - 1

  it('surround a file, whose lines have numbers', async () => {
    const file = { filePath: '/shade.ts', content: 'shade()\nlamp()', numLines: 2 }
    expect(await shown({ type: 'file', filename: '/shade.ts', content: { type: 'text', file } })).toEqual([
      'Called the Read tool with the following input: {"file_path":"/shade.ts"}\n' +
        'Result of calling the Read tool:\n1\tshade()\n2\tlamp()',
    ])
  })

  it('stand for a file that was too large to put back in', async () => {
    const [text] = await shown({ type: 'compact_file_reference', filename: '/lamp.ts', displayPath: 'lamp.ts' })
    expect(text).toMatch(/^Note: \/lamp\.ts was read before .* too large/)
  })

  it('remind of tasks, of which the model sees number, state and subject', async () => {
    const task = { id: '1', subject: 'Sand', status: 'pending', description: 'with the grain', blocks: [] }
    const [none, one] = await shown(
      { type: 'task_reminder', content: [], itemCount: 0 },
      { type: 'task_reminder', content: [task], itemCount: 1 },
    )
    expect(one).toBe(`${none}\n#1. [pending] Sand`)
    expect(filler(none)).toBe(112)
  })

  it('tell how to plan, unless they only remind of it', async () => {
    const plan = { type: 'plan_mode', planFilePath: '/plan.md', planExists: false }
    const texts = await shown({ ...plan, reminderType: 'full' }, { ...plan, reminderType: 'sparse' })
    expect(texts.map(filler)).toEqual([1150])
  })

  it('tell how to plan in versions without attachments: when the user has the agent plan, or it begins to', async () => {
    const prompt = (uuid: string, permissionMode: string) => ({ ...record('user', uuid, uuid), permissionMode })
    const call = { type: 'tool_use', id: 't', name: 'EnterPlanMode', input: {} }
    const result = [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }]
    const records = [
      prompt('Plan.', 'plan'),
      record('assistant', 'a', 'A plan.'),
      prompt('Again.', 'plan'),
      record('assistant', 'b', 'Another.'),
      prompt('Go.', 'default'),
      record('assistant', 'c', [call]),
      record('user', 'd', result),
      record('assistant', 'e', 'Planned.'),
    ]
    const told = (texts: readonly string[]) => texts.map((text) => text.includes('[how to plan]'))
    const [f, t] = [false, true]
    expect(told(outlines(await readRecords(records, 'claude-code')))).toEqual([f, t, f, f, f, f, f, f, t, f])
    const recorded = [attachment('x', { type: 'command_permissions' }), ...records]
    expect(told(outlines(await readRecords(recorded, 'claude-code')))).not.toContain(true)
  })

  it.each([
    ['since plans are files, which a slug names', { slug: 'a-lamp' }, {}, { allowed: 1 }],
    ['where the call names the file', {}, { planFilePath: '/plan.md' }, { allowed: 1 }],
    ['not before', {}, {}, { plan: 'Dim it.', allowed: 1 }],
  ])('are those of a plan that the program adds to the call, %s', async (_, more, input, written) => {
    const call = { type: 'tool_use', id: 't', name: 'ExitPlanMode', input: { plan: 'Dim it.', allowed: 1, ...input } }
    const records = [record('user', 'p', 'Go.'), { ...record('assistant', 'a', [call]), ...more }]
    const [, response] = messagesOf(await readRecords(records, 'claude-code'))
    expect(response).toMatchObject({ blocks: [{ name: 'ExitPlanMode', input: written }] })
    expect(response!.wire!.value).toEqual([{ ...call, input: written }])
  })

  it('define the tools that were searched for, its own ones as large as they are', async () => {
    const names = ['WebSearch', 'Monitor', 'mcp__lamp__dim']
    const content = names.map((tool_name) => ({ type: 'tool_reference', tool_name }))
    const records = [
      record('user', 'p', 'Go.'),
      record('assistant', 'a', [{ type: 'tool_use', id: 't', name: 'ToolSearch', input: {} }]),
      record('user', 'r', [{ type: 'tool_result', tool_use_id: 't', content }]),
    ]
    const result = messagesOf(await readRecords(records, 'claude-code'))[2]
    expect(result!.blocks.map((block) => filler((block as { text: string }).text))).toEqual([180, 2300, 600])
  })
})

describe('claude-code: notices to the model', () => {
  it('has the words of those that hold them in pieces', async () => {
    const result = await read('notices')
    expect(messagesOf(result).map((message) => [message.line, textOf(message)])).toEqual([
      [1, 'What is wrong with the lamp?'],
      [2, '<total_tokens>100000 tokens left</total_tokens>'],
      [5, 'The lamp was tested.\nIt flickers.'],
      [
        6,
        '<new-diagnostics>The following new diagnostic issues were detected:\n\nlamp.ts:\n' +
          "  ✘ [Line 3:5] Cannot find name 'bulb'. [2304] (ts)\n  ✘ [Line 7:1] Unused. [unused]</new-diagnostics>",
      ],
      [7, 'PreToolUse:Edit hook blocking error from command: "lock.sh": The shade is locked.'],
      [8, 'PreToolUse:Edit hook stopped continuation: Ask Ada.'],
      [9, '[Truncated: showing lines 1-10 of 20 total.]'],
      [
        10,
        'The following skills were invoked in this session. Continue to follow these guidelines:\n\n' +
          '### Skill: sand\nPath: userSettings:sand\n\nSand with the grain.\n\n---\n\n' +
          '### Skill: oil\nPath: userSettings:oil\n\nOil it twice.',
      ],
      [11, 'A loose wire.'],
    ])
    expect(
      messagesOf(result)
        .slice(1, -1)
        .every(({ origin }) => origin === 'injected'),
    ).toBe(true)
    expect(result.findings).toEqual([])
  })
})

describe('claude-code: the shape of a session', () => {
  it('leaves compactions out of the history and remembers them', async () => {
    const result = await read('compaction')
    expect(outlines(result)).toEqual([
      '2 ?user: Describe the lamp.',
      '3 assistant: It is a brass desk lamp with two',
      '4 ?user: And the switch?',
      '5 assistant: A rotary switch in the foot.',
      '8 ?user: What is it made of?',
      '9 assistant: Brass.',
    ])
    const [compaction, ...others] = result.traces[0]!.compactions
    expect(others).toEqual([])
    expect(compaction).toMatchObject({
      at: 4,
      keptFrom: 2,
      line: 6,
      summary: [{ role: 'user', origin: 'injected', line: 7 }],
    })
  })

  it('keeps results that the program itself cleared', async () => {
    const result = await read('microcompact')
    expect(outlines(result)[2]).toBe('3 tool#toolu_01: on off on off on off on off on o')
    expect(result.traces[0]!.compactions).toEqual([])
    expect(result.traces[0]!.requests).toBe(3)
  })

  it('knows which results the program cleared, and what it left of them', async () => {
    const { traces } = await read('microcompact')
    const left = new Map([[2, [{ type: 'text', text: '[Old tool result content cleared]' }]]])
    expect(traces[0]!.clearings).toEqual([{ at: 4, left, restored: false, line: 5 }])
  })

  it('puts back in behind a summary what the program did: edited files first, large ones by their name, skills', async () => {
    const text = (length: number) => 'lamp\n'.repeat(length / 5)
    const read = (uuid: string, filePath: string, content: string, totalLines = 1) => ({
      ...record('user', uuid, [{ type: 'tool_result', tool_use_id: uuid, content: 'ok' }]),
      toolUseResult: { type: 'text', file: { filePath, content, numLines: 1, totalLines } },
    })
    const edit = (uuid: string, filePath: string, originalFile: string) => ({
      ...record('user', uuid, [{ type: 'tool_result', tool_use_id: uuid, content: 'ok' }]),
      toolUseResult: { filePath, oldString: 'lamp', newString: '$&bulb', originalFile },
    })
    const skill = { ...record('user', 's', 'Base directory for this skill: /skills/glow\n\nGlow.'), isMeta: true }
    const { traces } = await readRecords(
      [
        record('user', 'p', 'Go.'),
        edit('a', '/edited-first.ts', 'lamp'),
        read('b', '/read.ts', 'one line'),
        read('c', '/part.ts', 'a part', 2),
        read('d', '/large.ts', text(20_000)),
        edit('e', '/edited-last.ts', 'lamp'),
        read('f', '/home/ada/CLAUDE.md', 'always there'),
        skill,
        { ...record('system', 'x', ''), subtype: 'compact_boundary', compactMetadata: { preTokens: 9 } },
        { ...record('user', 'y', 'A summary.'), isCompactSummary: true },
        record('user', 'z', 'Go on.'),
      ],
      'claude-code',
    )
    const [compaction] = traces[0]!.compactions
    const texts = compaction!.restored!.map(({ blocks }) => (blocks[0] as { text: string }).text)
    expect(texts.map((one) => one.match(/\/[\w-]+(?:\.ts|\/glow)/)?.[0])).toEqual([
      '/edited-last.ts',
      '/edited-first.ts',
      '/large.ts',
      '/part.ts',
      '/read.ts',
      '/skills/glow',
      undefined,
    ])
    expect(texts[0]).toContain('     1→$&bulb')
    expect(texts[2]).toContain('too large to include')
    expect(texts[3]).toContain('     2→a part')
  })

  it('puts back files that nobody saw it read where the beginning is missing, behind those that are known', async () => {
    const known = {
      ...record('user', 'a', [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }], 'lost'),
      toolUseResult: readOf('/known.ts'),
    }
    const compacted = (uuid: string) => [
      { ...record('system', `x${uuid}`, ''), subtype: 'compact_boundary', compactMetadata: {} },
      { ...record('user', `y${uuid}`, 'A summary.'), isCompactSummary: true },
      record('user', `z${uuid}`, 'Go on.'),
    ]
    const { traces } = await readRecords([known, ...compacted('1'), ...compacted('2')], 'claude-code')
    for (const { restored } of traces[0]!.compactions) {
      const texts = restored!.map((message) => /\/known\.ts|unseen file \d|lists/.exec(textOf(message))?.[0])
      expect(texts).toEqual(['/known.ts', ...[1, 2, 3, 4].map((nth) => `unseen file ${nth}`), 'lists'])
    }
  })

  it('infers nothing where the program records what it puts back in', async () => {
    const { traces } = await readRecords(
      [
        {
          ...record('user', 'a', [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }]),
          toolUseResult: readOf('/a'),
        },
        { ...record('attachment', 'b', ''), attachment: { type: 'task_reminder', content: 'Go on.' } },
        { ...record('system', 'x', ''), subtype: 'compact_boundary', compactMetadata: {} },
        { ...record('user', 'y', 'A summary.'), isCompactSummary: true },
        record('user', 'z', 'Go on.'),
      ],
      'claude-code',
    )
    expect(traces[0]!.compactions[0]).not.toHaveProperty('restored')
  })

  it('takes out what a resumed session lost: parallel results off the path, with their calls, and what was put back in', async () => {
    const call = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: { file_path: id } })
    const response = (uuid: string, parentUuid: string, block: unknown) => {
      const one = record('assistant', uuid, [block], parentUuid)
      return { ...one, message: { ...one.message, id: 'msg_1' } }
    }
    const result = (uuid: string, parentUuid: string, id: string) =>
      record('user', uuid, [{ type: 'tool_result', tool_use_id: id, content: `text of ${id}` }], parentUuid)
    const closing = record('assistant', 'k', [{ type: 'text', text: 'No response requested.' }], 'g')
    const { traces } = await readRecords(
      [
        record('user', 'a', 'Read both.'),
        response('b', 'a', call('first')),
        response('c', 'b', call('second')),
        result('d', 'b', 'first'),
        result('e', 'c', 'second'),
        record('assistant', 'f', [{ type: 'text', text: 'Read.' }], 'e'),
        record('user', 'g', '<command-name>/exit</command-name>', 'f'),
        { ...closing, message: { ...closing.message, model: '<synthetic>' } },
        record('user', 'l', 'Go on.', 'k'),
      ],
      'claude-code',
    )
    const [trace] = traces
    const resumed = Array.from({ length: trace!.length }, (_, index) => index).filter((index) =>
      trace!.isResumed(index),
    )
    expect(resumed).toEqual([trace!.length - 1])
    const [clearing, ...others] = traces[0]!.clearings
    expect(others).toEqual([])
    expect([...clearing!.left].map(([index, blocks]) => [index, blocks.map((block) => block.type)])).toEqual([
      [2, []],
      [1, ['call']],
    ])
    expect(clearing).toMatchObject({ at: 6, restored: false, line: 8 })
  })

  it('takes an abandoned branch back', async () => {
    const result = await read('rewind')
    expect(outlines(result)).toEqual([
      '1 ?user: Name the lamp.',
      '2 assistant: Edison.',
      '9 ?user: Longer, please.',
      '10 assistant: Thomas Alva.',
      '11 ?user: Thank you.',
      '12 assistant: You are welcome.',
    ])
    const inputs = [0, 1, 2].map((request) => result.traces[0]!.usage(request)?.input)
    expect(inputs).toEqual([12004, 12104, 12204])
  })

  it('starts anew where a prompt hangs off nothing', async () => {
    const result = await read('clear')
    const trace = result.traces[0]!
    expect(messagesOf(result).map((_, index) => trace.isReset(index))).toEqual([false, false, true, false, false])
  })

  it('knows of a result which sub-agent gave it, and of several in one record none', async () => {
    const { traces } = await read('started-agents')
    expect(traces[0]!.messages!.flatMap(({ role, agent }) => (role === 'tool' ? [agent] : []))).toEqual([
      { conversation: 'a1b2c3d' },
      { conversation: 'b2c3d4e', inBackground: true },
      { conversation: 'c3d4e5f' },
    ])
    const results = ['t1', 't2'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'done' }))
    const calls = ['t1', 't2'].map((id) => ({ type: 'tool_use', id, name: 'Agent', input: {} }))
    const records = [
      record('user', 'a', 'Begin.'),
      record('assistant', 'b', calls, 'a'),
      { ...record('user', 'c', results, 'b'), toolUseResult: { agentId: 'x' } },
    ]
    const messages = messagesOf(await readRecords(records, 'claude-code'))
    expect(messages.some(({ agent }) => agent !== undefined)).toBe(false)
  })

  it('gives every sub-agent a transcript of its own', async () => {
    const result = await read('sidechain')
    const [main, unnamed, named, ...others] = result.traces
    expect(others).toEqual([])
    const session = main!.head.conversation
    expect([main, unnamed, named].map((trace) => [trace!.head.parent, trace!.requests])).toEqual([
      [null, 3],
      [session, 2],
      [session, 1],
    ])
    expect(named!.head.conversation).toBe('a0b1c2d')
    expect(outlines(result)).toEqual([
      '1 ?user: Which lamps are broken? Ask a he',
      '2 assistant: Task#toolu_01',
      '8 tool#toolu_01: Four.',
      '9 assistant: Four lamps are broken.',
      '12 ?user: Which colour?',
      '13 assistant: Green.',
    ])
    expect(outlines(result, 1)[0]).toBe('3 ?user: Count the broken lamps.')
  })

  it('reads a sub-agent file as the transcript it is', async () => {
    const { traces } = await read('agent-file')
    expect(traces).toHaveLength(1)
    expect(traces[0]!.head).toMatchObject({ conversation: 'a17ef', parent: '5e550000-0000-4000-8000-d12dc8fdd28b' })
    expect(traces[0]!.requests).toBe(2)
  })

  it('keeps a session that goes on under another id in one transcript, and another session apart', async () => {
    const result = await read('two-sessions')
    expect(result.traces.map(({ head }) => [head.conversation, head.cwd])).toEqual([
      ['5e55aaaa-0000-4000-8000-000000000001', '/home/ada/lamp'],
      ['5e55cccc-0000-4000-8000-000000000003', '/home/ada/chair'],
    ])
    expect(result.traces.map(({ requests }) => requests)).toEqual([2, 1])
  })

  it('reads a record once, and a response once', async () => {
    const result = await read('duplicates')
    expect(result.findings).toEqual(['duplicate-record@3', 'duplicate-record@4', 'duplicate-record@8'])
    expect(result.report.damagedLines).toBe(0)
    expect(result.traces[0]!.requests).toBe(3)
    expect(exchangesOf(result)).toEqual(['1 complete', '5 complete', '7 complete'])
  })

  it('reads stream-json', async () => {
    const result = await read('stream-json')
    expect(result.report.format).toBe('claude-code')
    expect(outlines(result)).toEqual([
      '2 ?user: Count the lamps.',
      '3 assistant: I ask a helper. | Task#toolu_01',
      '7 tool#toolu_01: Nine.',
      '8 assistant: Nine lamps.',
    ])
    expect(outlines(result, 1)).toEqual(['5 ?user: count', '6 assistant: Nine.'])
    expect(result.traces[0]!.head).toMatchObject({ cwd: '/home/ada/lamp', model: 'claude-opus-4-5-20251101' })
    expect(result.traces[0]!.usage(0)?.output).toBe(30)
  })

  it('says what it does not know, once a kind, and counts what is broken', async () => {
    const result = await read('unknown')
    const broken = [3, 5, 6, 7, 8, 9].map((line) => `bad-record@${line}`)
    expect(result.findings).toEqual(['unknown-record@1', ...broken, 'bad-shape@10'])
    expect(result.report.damagedLines).toBe(7)
    expect(outlines(result)).toEqual(['4 ?user: Fine?', '10 assistant: Fine. | {"type":"lamp_block","watt":40} | 12'])
  })

  it('measures a session that begins with a compaction by its own model', async () => {
    const [first, second, ...rest] = linesOf('compaction').slice(5)
    const models: (string | null)[] = []
    const sizersFor = (head: { model: string | null }) => {
      models.push(head.model)
      return []
    }
    const { readTranscripts } = await import('../../../src/readers/read.ts')
    const chunks = [Buffer.from([first, second, ...rest].map((record) => JSON.stringify(record)).join('\n'))]
    const compactions: number[] = []
    await readTranscripts({ name: 'x', chunks }, { format: 'auto', sizersFor, keepMessages: false }, (trace) => {
      compactions.push(...trace.compactions.map(({ at }) => at))
    })
    expect(models).toEqual(['claude-sonnet-4-5-20250929'])
    expect(compactions).toEqual([0])
  })
})

describe('claude-code: threads that are torn', () => {
  const session = { sessionId: 's', isSidechain: false }
  const user = (uuid: string, parentUuid: string | null, content: string) => {
    return { ...session, type: 'user', uuid, parentUuid, message: { role: 'user', content } }
  }
  const assistant = (uuid: string, parentUuid: string | null) => {
    const usage = { input_tokens: 9, output_tokens: 1 }
    const message = { id: `msg_${uuid}`, model: 'claude-opus-4-5', content: [{ type: 'text', text: uuid }], usage }
    return { ...session, type: 'assistant', uuid, parentUuid, requestId: `req_${uuid}`, message }
  }
  const resetsOf = ({ traces }: Awaited<ReturnType<typeof readRecords>>) =>
    (traces[0]?.messages ?? []).map((_, index) => traces[0]!.isReset(index))

  it('goes on where a parent is missing', async () => {
    const records = [user('a', 'gone', 'One.'), assistant('b', 'a'), user('c', 'gone too', 'Two.'), assistant('d', 'c')]
    const result = await readRecords(records, 'claude-code')
    expect(outlines(result)).toEqual([
      '1 injected: [what was said before this file ',
      '1 ?user: One.',
      '2 assistant: b',
      '3 ?user: Two.',
      '4 assistant: d',
    ])
    expect(resetsOf(result)).toEqual([false, false, false, false, false])
    expect(result.traces[0]?.head.headless).toBe(true)
    expect(result.findings).toEqual(['missing-head@1', 'missing-link@3'])
  })

  it('names no parent that only stands behind', async () => {
    const records = [user('a', null, 'One.'), user('c', 'b', 'Two.'), assistant('b', 'a'), assistant('d', 'c')]
    expect((await readRecords(records, 'claude-code')).findings).toEqual([])
    expect((await readRecords(records.toSpliced(2, 1), 'claude-code')).findings).toEqual(['missing-link@2'])
    const strange = { ...session, type: 'telepathy', uuid: 'b', parentUuid: 'a' }
    const torn = [user('a', null, 'One.'), strange, user('c', 'b', 'Two.')]
    expect((await readRecords(torn, 'claude-code')).findings).toEqual(['unknown-record@2'])
  })

  it('takes a missing parent for nothing where no record names one', async () => {
    const records = [user('a', null, 'One.'), assistant('b', null), user('c', null, 'Two.'), assistant('d', null)]
    const result = await readRecords(records, 'claude-code')
    expect(resetsOf(result)).toEqual([false, false, false, false])
  })

  it('starts anew before the model is known, too', async () => {
    const records = [user('a', null, 'One.'), user('b', 'a', 'Two.'), user('c', null, 'Three.'), assistant('d', 'c')]
    const result = await readRecords(records, 'claude-code')
    expect(resetsOf(result)).toEqual([false, false, true, false])
  })

  it('takes several exchanges back at once, and does not take them back twice', async () => {
    const records = [
      ...[user('a', null, 'One.'), assistant('b', 'a'), user('c', 'b', 'Two.'), assistant('d', 'c')],
      ...[user('e', 'd', 'Three.'), assistant('f', 'e'), user('g', 'b', 'Other two.'), assistant('h', 'g')],
      // The abandoned branch cannot be brought back, and nothing else is abandoned for it.
      ...[user('i', 'f', 'Four.'), assistant('j', 'i')],
    ]
    const result = await readRecords(records, 'claude-code')
    expect(outlines(result)).toEqual([
      '1 ?user: One.',
      '2 assistant: b',
      '7 ?user: Other two.',
      '8 assistant: h',
      '9 ?user: Four.',
      '10 assistant: j',
    ])
  })
})

describe('claude-code: which records it recognises', () => {
  it('knows every record of its fixtures but the broken ones', () => {
    for (const file of readdirSync(fixture('claude-code'))) {
      if (file === 'unknown.jsonl') continue
      const records = linesOf(file.replace('.jsonl', ''))
      const unsure = records.filter((record) => reader.recognise(record) < 0.9)
      expect(unsure, file).toEqual([])
    }
  })

  it.each([
    ['Qwen Code', { sessionId: 's', uuid: 'u', parentUuid: null, type: 'user', message: { role: 'user', parts: [] } }],
    ['Gemini CLI', { sessionId: 's', projectHash: 'h', messages: [] }],
    ['chat', { role: 'user', content: 'hello' }],
    ['Codex', { type: 'session_meta', timestamp: 't', payload: { id: 's' } }],
    ['pi', { type: 'session', id: 's', cwd: '/' }],
  ])('leaves %s to others', (_, record) => {
    expect(reader.recognise(record)).toBe(0)
  })
})

describe('claude-code: hostile records', () => {
  const fields = [
    ...['type', 'subtype', 'uuid', 'parentUuid', 'sessionId', 'isSidechain', 'agentId', 'isMeta', 'timestamp', 'cwd'],
    ...['message', 'requestId', 'isCompactSummary', 'attachment', 'compactMetadata', '__proto__'],
  ]
  const types = fc.constantFrom('user', 'assistant', 'system', 'attachment', 'progress', 'compact_boundary', 'nothing')
  const known = linesOf('meta').concat(
    linesOf('sidechain'),
    linesOf('compaction'),
    linesOf('queued'),
    linesOf('rewind'),
  )
  const mutated = fc
    .record({
      record: fc.constantFrom(...known),
      field: fc.constantFrom(...fields),
      inner: fc.constantFrom('content', 'id', 'model', 'usage', 'role'),
      value: fc.oneof(fc.jsonValue(), types),
    })
    .map(({ record, field, inner, value }) => {
      if (field !== 'message') return { ...record, [field]: value }
      return { ...record, message: { ...record.message, [inner]: value } }
    })

  it('never throws, whatever a field holds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(mutated, fc.jsonValue()), { maxLength: 30 }), async (records) => {
        const { traces } = await readRecords(records, 'claude-code')
        for (const trace of traces) expect(trace.messages).toHaveLength(trace.length)
      }),
      { numRuns: 120 },
    )
  })
})

function linesOf(theme: string) {
  const text = readFileSync(fixture('claude-code', `${theme}.jsonl`), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}
