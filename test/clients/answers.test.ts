import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answerIn } from '../../src/clients/answers.ts'
import { NoAnswer } from '../../src/clients/retries.ts'
import type { Answer } from '../../src/model/probe.ts'
import { responseCallInputs } from '../../src/model/response-calls.ts'
import { responseBlocks } from '../../src/readers/wire/responses.ts'
import { anyText } from '../any-text.ts'
import { answerText, type Said } from './model-server.ts'

const apis = ['anthropic', 'responses', 'chat'] as const
const whole = (text: string) => ({ text, end: 'whole' as const })
const streamOf = (...events: unknown[]) => whole(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
const json = (value: unknown) => whole(JSON.stringify(value))

/** What an answer is whatever came: plain data of the type, that JSON takes there and back. */
function expectSound(answer: Answer): void {
  const { action, stop, model, usage } = answer
  expect(typeof action.text).toBe('string')
  for (const { name } of action.calls) expect(typeof name).toBe('string')
  for (const short of [stop, model]) expect(short === null || short.length <= 200).toBe(true)
  for (const tokens of Object.values(usage ?? {})) expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true)
  expect(JSON.parse(JSON.stringify(answer))).toEqual(answer)
}

describe.each(apis)('%s', (api) => {
  const tool = fc.record({
    name: anyText({ maxLength: 8 }),
    input: fc.dictionary(anyText({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 })),
  })
  const said: fc.Arbitrary<Said> = fc.record({
    text: anyText({ maxLength: 60 }),
    calls: fc.array(tool, { maxLength: 3 }),
    usage: fc.constantFrom(null, { input: 9, cacheRead: 4, cacheWrite: 5, output: 2 }),
  })

  it('is read as it was said, streamed or not', () => {
    fc.assert(
      fc.property(said, fc.boolean(), (one, isStreamed) => {
        const answer = answerIn(api, whole(answerText(api, one, {}, isStreamed)))
        expect(answer.action).toEqual(JSON.parse(JSON.stringify({ calls: one.calls, text: one.text })))
        expect(answer.usage).toEqual(one.usage)
        expectSound(answer)
      }),
      { numRuns: 50 },
    )
  })

  it('is sound or none, whatever stands in place of something in it', () => {
    const anything = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom(-1, 1e300, '', [], {}, [[]], null))
    fc.assert(
      fc.property(said, fc.boolean(), anything, fc.nat(), (one, isStreamed, other, at) => {
        const text = answerText(api, one, {}, isStreamed)
        // A value of some member, cut out where it stands.
        const places = [...text.matchAll(/":(?=[[{"\dn])/g)].map(({ index }) => index + 2)
        const place = places[at % places.length] as number
        const value = /^(?:"(?:[^"\\]|\\.)*"|[\d.]+|null|true|false)/.exec(text.slice(place))?.[0] ?? ''
        const changed =
          text.slice(0, place) +
          JSON.stringify(other) +
          (value === '' ? ',"rest":' : '') +
          text.slice(place + value.length)
        try {
          expectSound(answerIn(api, whole(changed)))
        } catch (error) {
          if (!(error instanceof NoAnswer)) throw error
        }
      }),
      { numRuns: 150 },
    )
  })

  it('is none in any other text or JSON', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText(),
          fc.json(),
          anyText().map((text) => `data: ${text}\n\n`),
        ),
        (text) => {
          expect(() => answerIn(api, whole(text))).toThrow(NoAnswer)
        },
      ),
    )
  })

  it('holds no input that nests deeper than what reads it on', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    for (const isStreamed of [true, false]) {
      const text = answerText(api, { calls: [{ name: 'Read', input: {} }] }, { rawArguments: deep }, isStreamed)
      expect(answerIn(api, whole(text)).action.calls).toEqual([{ name: 'Read', input: deep }])
    }
  })
})

describe('what other servers leave out, or write another way', () => {
  const message = { role: 'assistant', content: null, tool_calls: [] }

  it('is read in Chat Completions', () => {
    const call = (args: unknown) => ({ id: 'c', type: 'function', function: { name: 'ls', arguments: args } })
    const read = (more: object) => answerIn('chat', json({ choices: [{ message: { ...message, ...more } }] }))
    expect(read({ content: 'hi' })).toEqual({ action: { calls: [], text: 'hi' }, stop: null, model: null, usage: null })
    expect(
      read({
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      }).action.text,
    ).toBe('a\nb')
    expect(read({ refusal: 'no' }).action.text).toBe('no')
    expect(
      read({ tool_calls: [call({ a: 1 }), call(''), call('{"a":')] }).action.calls.map(({ input }) => input),
    ).toEqual([{ a: 1 }, {}, '{"a":'])
    const custom = { id: 'c', type: 'custom', custom: { name: 'patch', input: '{"a":1}' } }
    expect(read({ tool_calls: [custom] }).action.calls).toEqual([{ name: 'patch', input: '{"a":1}' }])
    const usage = { prompt_tokens: 5, completion_tokens: 2 }
    const counted = answerIn('chat', json({ choices: [{ message }], usage }))
    expect(counted.usage).toEqual({ input: 5, cacheRead: 0, cacheWrite: 0, output: 2 })
    const wrong = { ...usage, prompt_tokens_details: { cached_tokens: 6 } }
    expect(answerIn('chat', json({ choices: [{ message }], usage: wrong })).usage).toBe(null)
  })

  it('is read where a stream of Chat Completions numbers no call, or all alike', () => {
    const piece = (call: object) => ({ choices: [{ delta: { tool_calls: [call] } }] })
    const end = { choices: [{ delta: {}, finish_reason: 'tool_calls' }] }
    for (const number of [{}, { index: 0 }]) {
      const events = [
        piece({ ...number, id: 'a', function: { name: 'ls', arguments: '{"d"' } }),
        piece({ ...number, function: { arguments: ':1}' } }),
        piece({ ...number, id: 'b', function: { name: 'cat', arguments: { f: 2 } } }),
        end,
      ]
      expect(answerIn('chat', streamOf(...events)).action.calls).toEqual([
        { name: 'ls', input: { d: 1 } },
        { name: 'cat', input: { f: 2 } },
      ])
    }
  })

  it('is read in Responses, with calls of every kind that the caller answers', () => {
    const items = [
      { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin' },
      { type: 'local_shell_call', action: { command: ['ls'] } },
      { type: 'web_search_call', action: { query: 'x' } },
      {
        type: 'message',
        content: [
          { type: 'output_text', text: 'a' },
          { type: 'refusal', refusal: 'b' },
        ],
      },
    ]
    const action = {
      calls: [
        { name: 'apply_patch', input: '*** Begin' },
        { name: 'local_shell', input: { command: ['ls'] } },
      ],
      text: 'a\nb',
    }
    const cut = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, model: 'm' }
    const answer = { action, stop: 'max_output_tokens', model: 'm', usage: null }
    expect(answerIn('responses', json({ ...cut, output: items }))).toEqual(answer)
    // Some send the items once, and not again at the end.
    const done = items.map((item) => ({ type: 'response.output_item.done', item }))
    const end = { type: 'response.incomplete', response: { ...cut, output: [] } }
    expect(answerIn('responses', streamOf(...done, end))).toEqual(answer)
  })

  it('has the calls that a transcript with the same items has', () => {
    for (const [type, key] of Object.entries(responseCallInputs)) {
      const input = type === 'custom_tool_call' ? 'text' : { q: [type] }
      const item: Record<string, unknown> = {
        type,
        call_id: 'a',
        name: 'own',
        [key]: type === 'function_call' ? JSON.stringify(input) : input,
      }
      const { calls } = answerIn('responses', json({ output: [item] })).action
      expect(responseBlocks(item), type).toEqual([{ type: 'call', id: 'a', name: 'own', input: item[key] }])
      expect(calls, type).toEqual([{ name: 'own', input }])
    }
  })

  it('is an error where it says so with status 200', () => {
    const failing = (error: unknown) => () => answerIn('chat', streamOf({ choices: [] }, { error }))
    const passing = (error: unknown): boolean | undefined => {
      try {
        failing(error)()
      } catch (thrown) {
        return (thrown as NoAnswer).isPassing
      }
      return undefined
    }
    expect([{ code: 502 }, { code: 429 }, 'busy', { type: 'overloaded_error' }].map(passing)).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect([{ code: 401 }, { code: 'context_length_exceeded' }].map(passing)).toEqual([false, false])
    const failed = { status: 'failed', error: { code: 'invalid_prompt' }, output: [] }
    expect(() => answerIn('responses', json(failed))).toThrow('reported an error')
    expect(() => answerIn('responses', streamOf({ type: 'response.failed', response: failed }))).toThrow(
      'reported an error',
    )
  })

  it('says what is wrong', () => {
    expect(() => answerIn('chat', { text: '{"choices"', end: 'cut' })).toThrow('its answer broke off')
    expect(() => answerIn('chat', { text: '', end: 'late' })).toThrow('its answer did not end in time')
    expect(() => answerIn('chat', whole('<html>'))).toThrow('its answer is not what this API sends')
    expect(() => answerIn('chat', whole('{}'))).toThrow('its response holds no answer')
  })
})

describe('an answer of very many parts', () => {
  const many = Array.from({ length: 100_000 }, (_, at) => at)
  const lines = (of: (at: number) => unknown) => whole(many.map((at) => `data: ${JSON.stringify(of(at))}\n\n`).join(''))

  // Each of them took minutes where every part was compared with all before it.
  it.each([
    ['calls', 'chat', () => streamOf({ choices: [{ delta: { tool_calls: many.map((index) => ({ index })) } }] }, '')],
    ['members', 'chat', () => lines((at) => ({ [`k${at}`]: at, choices: [{ finish_reason: 'stop' }] }))],
    [
      'counts',
      'anthropic',
      () => lines((at) => ({ type: 'message_delta', delta: { stop_reason: 'x' }, usage: { [`k${at}`]: at } })),
    ],
  ] as const)(
    'is read in proportion to its size: %s',
    (what, api, make) => {
      const text = `${make().text}data: [DONE]\n\n`.replace('data: ""\n\n', '')
      const { action, usage } = answerIn(api, whole(text))
      expect([action.calls.length, usage]).toEqual([what === 'calls' ? many.length : 0, null])
    },
    30_000,
  )
})
