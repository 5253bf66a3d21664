/** A shape names the first key that is missing or of another type, and nothing else. */
import { expect, it } from 'vitest'
import { anthropicShape, anthropicShapeWithResults, responsesShape } from '../../../src/readers/wire/blocks.ts'
import { chatShape } from '../../../src/readers/wire/chat.ts'
import { partShape } from '../../../src/readers/wire/google.ts'
import { itemShape } from '../../../src/readers/wire/responses.ts'
import { both, keys, kinds, listOf, notRenamed, optional, orText, someOf } from '../../../src/readers/wire/shape.ts'
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
  const samples = notRenamed('samples', ({ epoch }) => typeof epoch === 'number')
  const found = [{ samples: [] }, { samples: [], trials: [{ epoch: 1 }] }, {}, { plan: [{ name: 'solve' }, 7, null] }]
  expect(found.map(samples)).toEqual([null, null, null, null])
  expect([{ trials: [{ epoch: 1 }] }, { trial: { epoch: 1 } }].map(samples)).toEqual(['samples', 'samples'])
  expect(messageProblem({ tool_calls: [{ function: { name: 'look', arguments: '' } }] })).toBeNull()
  expect(messageProblem({ calls: [{ function: { name: 'look', arguments: '' } }] })).toBe('tool_calls')
})

const messageProblem = (said: object) => chatShape({ role: 'assistant', content: 'I look.', ...said })
