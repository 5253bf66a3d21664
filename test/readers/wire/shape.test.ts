/** A shape names the first key that is missing or of another type, and nothing else. */
import { expect, it } from 'vitest'
import { anthropicShape, anthropicShapeWithResults, responsesShape } from '../../../src/readers/wire/blocks.ts'
import { chatShape } from '../../../src/readers/wire/chat.ts'
import { partShape } from '../../../src/readers/wire/google.ts'
import { itemShape } from '../../../src/readers/wire/responses.ts'
import {
  both,
  keys,
  kinds,
  listLike,
  listOf,
  mapOf,
  oneOrList,
  optional,
  orNull,
  orText,
  prose,
  someOf,
  spoken,
  where,
} from '../../../src/readers/wire/shape.ts'
import { usageShape } from '../../../src/readers/wire/usage.ts'

const part = kinds('type', { text: keys({ text: 'string' }), call: keys({ input: 'object|string', id: 'string?' }) })
const message = keys({ content: orText(listOf(part)), usage: optional(keys({ input: 'number' })) })

it.each([
  [{ content: 'hi' }, null],
  [{ content: [], usage: null }, null],
  [{ content: [{ type: 'text', text: '' }], other: 7 }, null],
  [{ content: [{ type: 'lamp' }] }, null],
  [{ content: [{ type: 'call', input: '{}', id: null }] }, null],
  [null, ''],
  [[], ''],
  [{}, 'content'],
  [{ content: null }, 'content'],
  [{ content: {} }, 'content'],
  [{ content: [7] }, 'content[]'],
  [{ content: [{}] }, 'content[].type'],
  [{ content: [{ type: 'text' }] }, 'content[].text'],
  [{ content: [{ type: 'call', input: [] }] }, 'content[].input'],
  [{ content: [{ type: 'call', input: {}, id: 7 }] }, 'content[].id'],
  [{ content: '', usage: { input: '7' } }, 'usage.input'],
  [{ content: '', usage: [] }, 'usage'],
])('%j: %s', (value, odd) => expect(message(value)).toBe(odd))

it('holds a value to several shapes', () => {
  const shape = both(keys({ a: 'any' }), keys({ b: 'boolean' }))
  expect([{ a: 1, b: true }, { b: true }, { a: null, b: true }, { a: [] }].map(shape)).toEqual([null, 'a', 'a', 'b'])
})

it('asks for one of several keys', () => {
  const shape = someOf({ a: 'string', b: keys({ c: 'number' }) })
  const values = [{ a: '' }, { b: { c: 1 } }, { a: null, b: { c: 1 } }, { b: { c: '' } }, { a: 1 }, { z: 1 }, 7]
  expect(values.map(shape)).toEqual([null, null, null, 'b.c', 'a', 'a', ''])
})

it('knows the parts of the providers', () => {
  const result = { type: 'tool_result', tool_use_id: 'k1' }
  expect(
    [
      'hi',
      [{ type: 'text', text: '' }, result, { ...result, content: [{ type: 'text', text: '' }] }],
      [{ type: 'thinking', thinking: '', signature: '' }, { type: 'thinking', thinking: 'Hm.' }, { type: 'lamp' }],
      [{ type: 'thinking', thinking: '' }],
      [{ type: 'thinking', text: '' }],
      [{ type: 'tool_use', id: 'k1', name: 'look', input: {} }],
      [{ type: 'tool_use', id: 'k1', name: 'look' }],
      [{ ...result, content: [{ type: 'text' }] }],
      [{ type: 'image', source: { type: 'base64', data: '' } }],
    ].map(anthropicShape),
  ).toEqual([
    null,
    null,
    null,
    '[].signature',
    '[].thinking',
    null,
    '[].input',
    '[].content[].text',
    '[].source.media_type',
  ])
  expect(anthropicShapeWithResults([result])).toBe('[].content')
  expect([[{ type: 'input_text', text: '' }], [{ type: 'input_text' }]].map(responsesShape)).toEqual([null, '[].text'])
  expect(
    [
      { role: 'user', content: '' },
      { role: 'user' },
      { role: 'assistant', content: null, tool_calls: [{ function: { name: 'look', arguments: '{}' } }] },
      { role: 'assistant', tool_calls: [{ function: { name: 'look' } }] },
      { role: 'assistant', tool_calls: {} },
      { role: 'assistant', content: null },
    ].map(chatShape),
  ).toEqual([null, 'content', null, 'tool_calls[].function.arguments', 'tool_calls', 'content'])
  expect(
    [
      { role: 'user', content: '' },
      { type: 'message', role: 'user' },
      { type: 'function_call', name: 'look', arguments: '', call_id: '' },
      { type: 'function_call_output', call_id: '' },
      { type: 'lamp' },
      {},
      7,
    ].map(itemShape),
  ).toEqual([null, 'content', null, 'output', null, 'type', ''])
  expect(
    [{ text: '' }, { functionCall: { name: 'look' } }, { functionResponse: { name: 'look' } }, {}].map(partShape),
  ).toEqual([null, null, 'functionResponse.response', 'text'])
})

it('knows the counts of the providers', () => {
  expect(
    [
      { prompt_tokens: 1, completion_tokens: 1 },
      { input_tokens: 1, output_tokens: 1, cache_read_input_tokens: 7 },
      { inputTokens: 1, outputTokens: '1' },
      { input_tokens: 1 },
      { completion_tokens: 1 },
      {},
      7,
    ].map(usageShape),
  ).toEqual([null, null, null, 'output_tokens', 'prompt_tokens', 'prompt_tokens', ''])
})

it('misses a key that may be absent where what it held stands under another', () => {
  const samples = keys({ samples: optional(listLike(keys({ epoch: 'number' }))) })
  const found = [{ samples: [], trials: [{ epoch: 1 }] }, {}, { trials: [] }, { trials: [7] }, { trials: { epoch: 1 } }]
  expect(found.map(samples)).toEqual([null, null, null, null, null])
  expect([{ trials: [{ epoch: 1 }] }, { samples: null, trials: [{ epoch: 1 }] }].map(samples)).toEqual([
    'samples',
    'samples',
  ])
  expect(messageProblem({ tool_calls: [{ function: { name: 'look', arguments: '' } }] })).toBeNull()
  expect(messageProblem({ calls: [{ function: { name: 'look', arguments: '' } }] })).toBe('tool_calls')
})

const messageProblem = (said: object) => chatShape({ role: 'assistant', content: 'I look.', ...said })

it('takes for a renamed key only what shows what it is', () => {
  const all = keys({ left: optional(keys({ a: 'string?', b: 'number?' })), right: optional(part) })
  expect([{ lamp: { a: 'x', b: 1 } }, { lamp: {} }, { lamp: { type: 'lamp' } }].map(all)).toEqual([null, null, null])
  expect(all({ lamp: { type: 'text', text: 'x' } })).toBe('right')
})

it('does not miss what other shapes of the value declare', () => {
  const calls = keys({ calls: optional(listOf(part)) })
  const results = keys({ results: listOf(part) })
  const value = { results: [{ type: 'text', text: '' }] }
  expect(
    [
      calls,
      both(calls, results),
      both(
        calls,
        where(() => true, results),
      ),
    ].map((shape) => shape(value)),
  ).toEqual(['calls', null, null])
})

it('knows what somebody said by its words', () => {
  const said = keys({ content: optional(spoken(listOf(part))), id: 'any?' })
  const found = ['I look at it.', '我看看。', '/home/user/My Documents', 'C:\\My Documents', 'k1', 'a_b', '']
  expect(found.map((lamp) => said({ lamp }))).toEqual([...['content', 'content'], ...[null, null, null, null, null]])
  expect(said({ lamp: [{ type: 'text', text: '' }] })).toBe('content')
  // What stands there twice is not lost.
  expect(said({ id: 'I look.', lamp: 'I look.' })).toBeNull()
})

it('knows a text beside others by a word of its name, too', () => {
  const reasoned = keys({ reasoning_content: 'text?' })
  const found = ['I look at it.', 'x'.repeat(81), 'x'.repeat(80)]
  expect(found.map((opaqueReasoning) => reasoned({ opaqueReasoning }))).toEqual([
    'reasoning_content',
    'reasoning_content',
    null,
  ])
  expect(found.map((lamp) => reasoned({ lamp }))).toEqual([null, null, null])
})

it('knows an amount by a word of its name', () => {
  const usage = { input_tokens: 9, output_tokens: 1 }
  const usageShape = keys({
    ...{ input_tokens: 'number', output_tokens: 'number' },
    cache_read_input_tokens: 'amount?',
  })
  const found = [{ cached_tokens: 7 }, { cached_tokens: 0 }, { text_tokens: 7 }, { cached: '7' }]
  expect(found.map((count) => usageShape({ ...usage, ...count }))).toEqual([
    'cache_read_input_tokens',
    ...[null, null, null],
  ])
  expect(usageShape({ ...usage, cache_read_input_tokens: 7, cached_tokens: 7 })).toBeNull()
})

it('knows arguments by being an object that holds something', () => {
  const call = keys({ name: 'string', args: 'arguments?' })
  const found = [{ input: { a: 1 } }, { input: {} }, { input: [1] }, { args: {}, input: { a: 1 } }]
  expect(found.map((held) => call({ name: 'look', ...held }))).toEqual(['args', null, null, null])
})

it('holds each value of a map to a shape, and knows the map by them', () => {
  const all = keys({ texts: optional(mapOf(orNull(prose))) })
  expect(all({ texts: { a: null, b: 'x' } })).toBeNull()
  expect([all({ texts: { a: 7 } }), all({ texts: [] })]).toEqual(['texts.*', 'texts'])
  expect([all({ lamps: { a: null, b: 'I look.' } }), all({ lamps: { b: 'x' } })]).toEqual(['texts', null])
})

it('asks the shape that fits the value for what it declares, too', () => {
  const one = keys({ said: optional(prose), id: 'any?' })
  expect(oneOrList(one)({ id: 'I look.' })).toBeNull()
  expect([oneOrList(one)({ lamp: 'I look.' }), oneOrList(one)([{ lamp: 'I look.' }])]).toEqual(['said', '[].said'])
})
