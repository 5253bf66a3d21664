import { describe, expect, it } from 'vitest'
import { outlines, readFixture, readRecords } from '../reading.ts'

const prompt = { role: 'user', content: 'Mend the lamp.' }

/** An observation of type GENERATION. */
function generation(id: string, second: number, more: object): object {
  const at = `2026-10-13T07:05:${second}.000Z`
  return { id, traceId: 'tr', type: 'GENERATION', startTime: at, endTime: at, parentObservationId: 'root', ...more }
}

const readTrace = (observations: readonly object[]) => readRecords([{ trace: { id: 'tr' }, observations }], 'auto')

/** What is read of two requests in the form of a framework. */
async function grown(first: object, second: object) {
  return outlines(await readTrace([generation('g2', 12, second), generation('g1', 10, first)]))
}

const mended = [
  '1 ?user: Mend the lamp.',
  '1 assistant: look#call_1',
  '1 tool#call_1: A loose wire.',
  '1 assistant: Mended.',
]

describe('langfuse', () => {
  it('joins the requests of a trace, by their times, with the usage and the tools of each', async () => {
    const result = await readFixture('langfuse', 'trace.json')
    expect(outlines(result)).toEqual(mended)
    expect(result.findings).toEqual([])
    const [trace] = result.traces
    expect(trace!.head).toMatchObject({ conversation: 'se-1', model: 'gpt-5-mini' })
    expect(trace!.preamble).toMatchObject({ tools: [{ type: 'function' }], system: [{ role: 'system' }] })
    expect([0, 1].map((request) => trace!.usage(request))).toEqual([
      // Input and output are the whole: what came from the cache is a part of the input.
      { input: 90, cacheRead: 30, cacheWrite: 0, cacheWrite1h: 0, output: 9 },
      // Counts that do not overlap, of the generation inside.
      { input: 125, cacheRead: 100, cacheWrite: 5, cacheWrite1h: 0, output: 10 },
    ])
  })

  it('goes on behind what was said where a request has no messages of its own, and joins the parts of a response', async () => {
    const result = await readFixture('langfuse', 'observations.jsonl')
    expect(outlines(result)).toEqual([
      '1 ?user: Is it on?',
      '1 assistant: I look. | look#toolu_1',
      '1 tool#toolu_1: Light.',
      '1 assistant: It is on.',
    ])
    expect(result.report).toMatchObject({ used: 4, leftOut: 0 })
    expect(result.traces[0]!.usage(0)).toMatchObject({ input: 250, output: 11 })
    expect(result.traces[0]!.usage(1)).toMatchObject({ input: 307, cacheRead: 300, output: 3 })
  })

  it('takes the inner one of two generations, and the outer where the inner has only a text', async () => {
    const inner = { parentObservationId: 'g1', usageDetails: { input: 62, output: 8 } }
    const counted = { usageDetails: { input: 9, output: 1 } }
    const whole = await readTrace([
      generation('g1', 10, { input: { prompt: 'Mend' }, output: 'Mended.', ...counted }),
      generation('g2', 11, { input: [prompt], output: 'Mended.', ...inner }),
    ])
    expect(outlines(whole)).toEqual(['1 ?user: Mend the lamp.', '1 assistant: Mended.'])
    const text = await readTrace([
      generation('g1', 10, { input: [prompt], output: 'Mended.', ...counted }),
      generation('g2', 11, { input: 'user: Mend the lamp.', output: 'None', ...inner }),
    ])
    expect(outlines(text)).toEqual(['1 ?user: Mend the lamp.', '1 assistant: Mended.'])
    for (const { traces } of [whole, text]) expect(traces[0]!.usage(0)).toMatchObject({ input: 62, output: 8 })
  })

  it('reads the items of the Responses API, and its instructions in the response', async () => {
    const call = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' }
    const answer = { type: 'function_call_output', call_id: 'call_1', output: 'A loose wire.' }
    const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Mended.' }] }
    const response = { object: 'response', instructions: 'You mend lamps.' }
    const result = await readTrace([
      generation('g1', 10, { input: [prompt], output: { ...response, output: [call] } }),
      generation('g2', 12, { input: [prompt, call, answer], output: { ...response, output: [said] } }),
    ])
    expect(outlines(result)).toEqual(mended)
    expect(result.traces[0]!.preamble.system).toMatchObject([{ blocks: [{ text: 'You mend lamps.' }] }])
  })

  it("reads Google's contents, under the names of its library for Python", async () => {
    const asked = { role: 'user', parts: [{ text: 'Mend the lamp.' }] }
    const call = { role: 'model', parts: [{ function_call: { id: 'call_1', name: 'look', args: {} } }] }
    const response = { id: 'call_1', name: 'look', response: { found: 'wire' } }
    const answer = { role: 'user', parts: [{ function_response: response }] }
    const config = { system_instruction: 'You mend lamps.', tools: [{ function_declarations: [{ name: 'look' }] }] }
    const usage_metadata = { prompt_token_count: 28 }
    const result = await readTrace([
      generation('g1', 10, { input: { config, contents: [asked] }, output: { content: call, usage_metadata } }),
      generation('g2', 12, {
        input: { config, contents: [asked, call, answer] },
        output: { candidates: [{ content: { role: 'model', parts: [{ text: 'Mended.' }] } }] },
      }),
    ])
    expect(outlines(result)).toEqual(mended.with(2, '1 tool#call_1: {"found":"wire"}'))
    expect(result.traces[0]!.preamble).toMatchObject({ tools: [{ name: 'look' }], system: [{ role: 'system' }] })
  })

  it("reads LangChain's messages, with the tools behind them", async () => {
    const tool = { role: 'tool', content: { type: 'function', function: { name: 'look' } } }
    const tool_calls = [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }]
    const call = { role: 'assistant', content: '', additional_kwargs: { tool_calls } }
    const answer = { role: 'look', content: 'A loose wire.' }
    const result = await readTrace([
      generation('g1', 10, { input: [prompt, tool], output: call }),
      generation('g2', 12, { input: [prompt, call, answer, tool], output: { type: 'ai', content: 'Mended.' } }),
    ])
    expect(outlines(result)).toEqual(mended.with(1, '1 assistant:  | look#call_1'))
    expect(result.traces[0]!.preamble.tools).toEqual([tool.content])
  })

  it("reads the parts of Anthropic's API, of the AI SDK and of OpenTelemetry", async () => {
    const asked = { role: 'user', content: [{ type: 'text', text: 'Mend the lamp.' }] }
    const anthropic = { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'look', input: {} }] }
    const result = { type: 'tool_result', tool_use_id: 'call_1', content: 'A loose wire.' }
    const answer = { role: 'user', content: [result] }
    expect(
      await grown({ input: [asked], output: anthropic }, { input: [asked, anthropic, answer], output: 'Mended.' }),
    ).toEqual(mended)
    const call = { toolCallId: 'call_1', toolName: 'look', input: '{}' }
    const got = { type: 'tool-result', toolCallId: 'call_1', toolName: 'look', output: 'A loose wire.' }
    expect(
      await grown(
        { input: { messages: [asked] }, output: [call] },
        {
          input: {
            messages: [
              asked,
              { role: 'assistant', content: [{ ...call, type: 'tool-call' }] },
              { role: 'tool', content: [got] },
            ],
          },
          output: 'Mended.',
        },
      ),
    ).toEqual(mended)
    const parts = (role: string, part: object) => ({ role, parts: [part] })
    const otel = [
      parts('user', { type: 'text', content: 'Mend the lamp.' }),
      parts('assistant', { type: 'tool_call', id: 'call_1', name: 'look', arguments: {} }),
    ]
    // The rest of such a request stands with the provider.
    const rest = [parts('tool', { type: 'tool_call_response', id: 'call_1', response: 'A loose wire.' })]
    expect(await grown({ input: [otel[0]], output: [otel[1]] }, { input: rest, output: 'Mended.' })).toEqual(mended)
  })

  it("reads Koog's calls as text or as lists, and the ids of OpenAI's assistants", async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: { at: 'lamp' } } }
    const answer = { role: 'tool', content: 'A loose wire.' }
    for (const content of [[call], JSON.stringify([call])]) {
      const first = { input: [prompt], output: [{ role: 'assistant', content }] }
      const second = { input: [prompt, { role: 'tool', content }, answer], output: 'Mended.' }
      expect(await grown(first, second)).toEqual(mended)
    }
    const id = ['run_1', 'call_1']
    const asked = { role: 'assistant', parts: [{ type: 'tool_call', id, name: 'look', arguments: {} }] }
    const given = { role: 'tool', parts: [{ type: 'tool_call_response', id, response: 'A loose wire.' }] }
    const user = { role: 'user', parts: [{ type: 'text', content: 'Mend the lamp.' }] }
    // The second request has only the latest calls, and goes on behind them.
    expect(await grown({ input: [user], output: [asked] }, { input: [asked, given], output: 'Mended.' })).toEqual(
      mended,
    )
  })

  it('finds in the attributes of the span what its input has not', async () => {
    const attributes = {
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': 'Mend the lamp.',
      'gen_ai.system_instructions': [{ type: 'text', content: 'You mend lamps.' }],
    }
    const input = { messages: ["role='user' content='Mend the lamp.'"] }
    const result = await readTrace([generation('g1', 10, { input, output: 'Mended.', metadata: { attributes } })])
    expect(outlines(result)).toEqual(['1 ?user: Mend the lamp.', '1 assistant: Mended.'])
    expect(result.traces[0]!.preamble.system).toHaveLength(1)
  })

  it('leaves out what Langfuse counted itself, and older counts are read', async () => {
    const ask = (more: object) => readTrace([generation('g1', 10, { input: [prompt], output: 'Mended.', ...more })])
    expect((await ask({ usageDetails: { input: 9, total: 9 } })).traces[0]!.usage(0)).toBeNull()
    const older = await ask({ usage: { input: 9, output: 2, total: 11, unit: 'TOKENS' } })
    expect(older.traces[0]!.usage(0)).toMatchObject({ input: 9, output: 2 })
  })

  it('names a response that no later request has, and requests without messages', async () => {
    const lost = await readTrace([
      generation('g1', 10, { input: [prompt] }),
      generation('g2', 12, { input: [prompt, { role: 'assistant', content: 'I look.' }, prompt] }),
    ])
    expect(lost.report.problems).toEqual([{ code: 'bad-shape', line: 1, detail: 'observations[].output' }])
    const hidden = await readTrace([generation('g1', 10, { usageDetails: { input: 9, output: 2 } })])
    expect(hidden.report.problems).toMatchObject([{ code: 'no-content' }, { code: 'unread-usage' }])
    const headless = await readTrace([generation('g1', 10, { output: 'Mended.' })])
    expect(headless.report.problems).toEqual([{ code: 'bad-shape', line: 1, detail: 'observations[].input' }])
  })

  it('reads what the public API gives: a trace with its observations, or a page of them', async () => {
    const observations = [generation('g1', 10, { input: [prompt], output: 'Mended.' })]
    for (const record of [
      { id: 'tr', sessionId: 'se', observations },
      { data: observations, meta: { page: 1 } },
    ]) {
      expect(outlines(await readRecords([record], 'auto'))).toEqual(['1 ?user: Mend the lamp.', '1 assistant: Mended.'])
    }
  })
})
