/** An invalid token count is left out and reported, in every format. */
import { describe, expect, it } from 'vitest'
import { timeOf } from '../../../src/readers/wire/bodies.ts'
import { usageIn } from '../../../src/readers/wire/gen-ai.ts'
import { readRecords } from '../reading.ts'

const time = '2026-03-02T09:00:00.000Z'
const user = { role: 'user', content: 'Hello' }
const answer = { role: 'assistant', content: 'Hello' }
const session = { sessionId: 'a', timestamp: time }

/** Records with this input count, and the line of the usage. */
const formats: Record<string, (input: unknown) => readonly unknown[]> = {
  atif: (input) => [
    {
      schema_version: 'ATIF-v1.7',
      agent: { name: 'lamp', version: '1' },
      steps: [{ source: 'agent', message: 'Hello', metrics: { prompt_tokens: input, completion_tokens: 7 } }],
    },
  ],
  'openai-chat': (input) => [
    {
      messages: [user],
      response: { choices: [{ message: answer }], usage: { prompt_tokens: input, completion_tokens: 7 } },
    },
  ],
  'anthropic-messages': (input) => [
    { messages: [user], response: { ...answer, usage: { input_tokens: input, output_tokens: 7 } } },
  ],
  'claude-code': (input) => [
    { type: 'user', uuid: '1', ...session, message: user },
    {
      type: 'assistant',
      uuid: '2',
      ...session,
      message: {
        id: 'm',
        model: 'claude-opus-4-5',
        role: 'assistant',
        content: [{ type: 'text', text: 'Hello' }],
        usage: { input_tokens: input, output_tokens: 7 },
      },
    },
  ],
  codex: (input) => [
    {
      type: 'response_item',
      payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] },
    },
    {
      type: 'event_msg',
      payload: {
        type: 'token_count',
        info: { last_token_usage: { input_tokens: input, cached_input_tokens: 0, output_tokens: 7 } },
      },
    },
  ],
  duragent: (input) => [
    {
      type: 'assistant_message',
      seq: 1,
      timestamp: time,
      content: 'Hello',
      usage: { input_tokens: input, output_tokens: 7 },
    },
  ],
  forge: (input) => [
    {
      id: 'a',
      context: {
        messages: [
          {
            text: { role: 'Assistant', content: 'Hello' },
            usage: { prompt_tokens: { actual: input }, completion_tokens: { actual: 7 }, cached_tokens: { actual: 0 } },
          },
        ],
      },
    },
  ],
  ikigai: (input) => [
    { id: 1, kind: 'assistant', content: 'Hello', data: {} },
    { id: 2, kind: 'usage', data: { input_tokens: input, output_tokens: 7 } },
  ],
  inspect: (input) => [
    {
      id: 1,
      epoch: 1,
      input: 'Hello',
      target: '',
      messages: [user, answer],
      events: [
        {
          event: 'model',
          input: [user],
          tools: [],
          output: {
            choices: [{ message: answer }],
            usage: { input_tokens: input, output_tokens: 7, total_tokens: 1241 },
          },
        },
      ],
    },
  ],
  langsmith: (input) => [
    {
      run_type: 'llm',
      trace_id: 't',
      inputs: { messages: [user] },
      outputs: { choices: [{ message: answer }], usage_metadata: { input_tokens: input, output_tokens: 7 } },
    },
  ],
  'otel-genai': (input) => [
    {
      name: 'chat',
      start_time: time,
      attributes: {
        'gen_ai.input.messages': [user],
        'gen_ai.output.messages': [answer],
        'gen_ai.usage.input_tokens': input,
        'gen_ai.usage.output_tokens': 7,
      },
    },
  ],
  mimir: (input) => [
    { event: 'llm_response', session_id: 'a', content: 'Hello', tokens: { prompt: input, completion: 7 } },
  ],
  'mini-swe-agent': (input) => [
    {
      trajectory_format: 'mini-swe-agent-1.1',
      messages: [
        user,
        {
          ...answer,
          extra: { response: { usage: { input_tokens: input, output_tokens: 7, input_tokens_details: {} } } },
        },
      ],
    },
  ],
  openhands: (input) => [
    {
      source: 'agent',
      action: 'message',
      args: {},
      tool_call_metadata: {
        model_response: {
          id: 'r',
          choices: [{ message: { ...answer, tool_calls: [] } }],
          usage: { prompt_tokens: input, completion_tokens: 7 },
        },
      },
    },
  ],
  opencode: (input) => [
    {
      info: {},
      messages: [
        { info: { role: 'assistant', tokens: { input, output: 7 } }, parts: [{ type: 'text', text: 'Hello' }] },
      ],
    },
  ],
  pi: (input) => [
    {
      type: 'message',
      id: '1',
      parentId: null,
      timestamp: time,
      message: { ...answer, stopReason: 'stop', usage: { input, output: 7, cacheRead: 0, cacheWrite: 0 } },
    },
  ],
  'tau-bench': (input) => [
    {
      task_id: '1',
      reward_info: {},
      messages: [user, { ...answer, usage: { prompt_tokens: input, completion_tokens: 7 } }],
    },
  ],
}

describe.each(Object.entries(formats))('usage: %s', (format, records) => {
  const usages = async (input: unknown) => {
    const { traces, findings, report } = await readRecords(records(input), format)
    return {
      inputs: traces.flatMap((trace) => (trace.messages ?? []).flatMap(({ usage }) => (usage ? [usage.input] : []))),
      findings: findings.map((finding) => finding.replace(/@.*/, '')),
      damaged: report.damagedLines,
    }
  }

  it('is read up to what a request may have', async () => {
    expect(await usages(1234)).toEqual({ inputs: [1234], findings: [], damaged: 0 })
    expect((await usages(1e8)).inputs).toEqual([1e8])
  })

  it.each([1e308, 1e15, 1e8 + 1, 12.5, -1, '12', {}, true])(
    'is left out and named where it is no count: %o',
    async (input) => {
      expect(await usages(input)).toEqual({ inputs: [], findings: ['bad-usage'], damaged: 1 })
    },
  )
})

describe('what a program says that a call cost', () => {
  const costs = async (format: string, records: readonly unknown[]) => {
    const { traces, findings } = await readRecords(records, format)
    const told = traces.flatMap((trace) => Array.from({ length: trace.requests }, (_, at) => trace.usage(at)?.cost))
    return [told, findings.map((finding) => finding.replace(/@.*/, ''))]
  }
  const counted = { input_tokens: 10, output_tokens: 7 }
  const said = { role: 'assistant', model: 'claude-sonnet-4', content: [{ type: 'text', text: 'Hello' }] }
  const withCost: Record<string, (cost: unknown) => readonly unknown[]> = {
    atif: (cost) => {
      const metrics = { prompt_tokens: 10, completion_tokens: 7, cost_usd: cost }
      const agent = { name: 'lamp', version: '1' }
      return [{ schema_version: 'ATIF-v1.7', agent, steps: [{ source: 'agent', message: 'Hello', metrics }] }]
    },
    'claude-code': (cost) =>
      // The lines of a response repeat it.
      ['1', '2'].map((uuid) => ({
        ...{ type: 'assistant', uuid, ...session, costUSD: cost, message: { ...said, id: 'm', usage: counted } },
      })),
    opencode: (cost) => [
      {
        info: {},
        messages: [
          {
            info: { role: 'assistant', cost, tokens: { input: 10, output: 7 } },
            parts: [{ type: 'text', text: 'Hello' }],
          },
        ],
      },
    ],
    pi: (cost) => {
      const usage = { input: 10, output: 7, cacheRead: 0, cacheWrite: 0, cost: { total: cost } }
      const message = { ...answer, stopReason: 'stop', usage }
      return [{ type: 'message', id: '1', parentId: null, timestamp: time, message }]
    },
  }

  it.each(Object.entries(withCost))(
    '%s: is kept with the usage, and named where it is no amount',
    async (format, records) => {
      expect(await costs(format, records(0.25))).toEqual([[0.25], []])
      expect(await costs(format, records(0))).toEqual([[0], []])
      const [, findings] = await costs(format, records('0.25'))
      expect(findings).toContain('bad-shape')
    },
  )
})

describe('the service tier of a response', () => {
  const counted = { prompt_tokens: 100, completion_tokens: 7 }
  const chat = (tier: unknown) => ({ choices: [{ message: answer }], usage: counted, service_tier: tier })
  const google = (told: object) => ({
    request: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
    response: {
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hello' }] } }],
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 7, ...told },
    },
  })
  const termsOf = async (format: string, records: readonly unknown[]) => {
    const { traces } = await readRecords(records, format)
    const [trace] = traces
    return Array.from({ length: trace?.requests ?? 0 }, (_, request) => trace?.usage(request)?.terms)
  }

  it.each([
    ['flex', ['flex']],
    ['priority', ['priority']],
    ['fast', ['priority']],
    ['scale', ['scale']],
    ['batch', ['batch']],
    ['default', undefined],
    ['auto', undefined],
    [null, undefined],
    [7, undefined],
  ])('stands beside the counts of OpenAI: %s', async (tier, terms) => {
    expect(await termsOf('openai-chat', [{ messages: [user], response: chat(tier) }])).toEqual([terms])
    expect(await termsOf('openai-chat', [{ messages: [user], ...chat(tier) }])).toEqual([terms])
  })

  it.each([
    [{ serviceTier: 'SERVICE_TIER_PRIORITY' }, ['priority']],
    [{ serviceTier: 'flex' }, ['flex']],
    [{ trafficType: 'ON_DEMAND_FLEX' }, ['flex']],
    [{ trafficType: 'PROVISIONED_THROUGHPUT' }, ['scale']],
    [{ trafficType: 'ON_DEMAND' }, undefined],
    [{}, undefined],
  ])('stands among the counts of Google: %o', async (told, terms) => {
    expect(await termsOf('gemini-api', [google(told)])).toEqual([terms])
  })

  it.each(['openai.response.service_tier', 'gen_ai.openai.response.service_tier'])(
    'is an attribute of a span: %s',
    (name) => {
      const counts = [
        ['gen_ai.usage.input_tokens', 100],
        ['gen_ai.usage.output_tokens', 7],
      ] as const
      expect(usageIn(new Map<string, unknown>([...counts, [name, 'flex']]))?.terms).toEqual(['flex'])
      expect(usageIn(new Map<string, unknown>(counts))?.terms).toBeUndefined()
    },
  )

  it('is set by the session in Codex, from there on', async () => {
    const line = (type: string, payload: object) => ({ timestamp: time, type, payload })
    const set = (tier: unknown) =>
      line('event_msg', { type: 'thread_settings_applied', thread_settings: { service_tier: tier } })
    const said = (role: string, type: string) =>
      line('response_item', { type: 'message', role, content: [{ type, text: 'Hello' }] })
    let total = 0
    const turn = () => {
      total += 100
      const counts = { input_tokens: total, cached_input_tokens: 0, output_tokens: total }
      const last = { input_tokens: 100, cached_input_tokens: 0, output_tokens: 100 }
      return [
        said('user', 'input_text'),
        said('assistant', 'output_text'),
        line('event_msg', { type: 'token_count', info: { total_token_usage: counts, last_token_usage: last } }),
      ]
    }
    const records = [
      ...turn(),
      ...['priority', 'fast', 'flex', 'default', null].flatMap((tier) => [set(tier), ...turn()]),
    ]
    expect(await termsOf('codex', records)).toEqual([
      undefined,
      ['priority'],
      ['priority'],
      ['flex'],
      undefined,
      undefined,
    ])
  })
})

describe('a recorded time', () => {
  it.each([
    0,
    -1,
    1e300,
    1.7e18,
    Number.NaN,
    '0001-01-01T00:00:00Z',
    '275760-09-13T00:00:00Z',
    '2999-01-01T00:00:00.000Z',
    '2026-99-99T00:00',
    {},
    null,
  ])('that no agent can have worked at is none: %o', (value) => expect(timeOf(value)).toBeUndefined())

  it('is milliseconds, whatever it was', () => {
    for (const value of [1772442000, 1772442000000, time, '2026-03-02T10:00:00+01:00', '2026-03-02 09:00:00'])
      expect(timeOf(value)).toBe(1772442000000)
  })
})
