/** What each API's body leaves out, or says in another place, because the API would refuse it. */
import { expect, it } from 'vitest'
import type { Message } from '../../../src/model/message.ts'
import { type ApiName, apis } from '../../../src/providers/apis/index.ts'
import { problemsOf } from './rules.ts'

const asked: Message = { role: 'user', line: 1, blocks: [{ type: 'text', text: 'Look.' }] }
const recorded = (provider: 'anthropic' | 'openai', value: unknown, blocks: Message['blocks'] = []): Message => ({
  ...{ role: 'assistant', line: 2, blocks },
  wire: { provider, value },
})

interface Sent extends Readonly<Record<string, unknown>> {
  readonly messages: readonly {
    readonly content: readonly { readonly type: string }[]
    readonly tool_calls?: unknown
  }[]
  readonly input: readonly unknown[]
}

function bodyOf(api: ApiName, messages: readonly Message[], tools?: readonly unknown[]) {
  const parts = { model: 'm', maxTokens: 1, system: [], tools, messages }
  const left = { media: 0, tools: 0 }
  return { body: apis[api].body(parts, left) as Record<string, unknown> as Sent, left }
}

const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }
const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] }
const text = { type: 'text', text: 'So.' }

it.each([
  ['both', [search], [found], 2],
  ['no result', [search], [], 0],
  ['no call', [], [found], 0],
  ['a tool of a beta', [{ ...search, name: 'advisor' }], [found], 0],
])('Anthropic’s own calls and results stay together: %s', (_, before, behind, left) => {
  // As programs record it: a response in parts, of which a policy may drop one.
  const parts = [recorded('anthropic', [...before, text]), recorded('anthropic', [...behind, text])]
  const { body } = bodyOf('anthropic', [asked, ...parts])
  const [, answer] = body.messages
  expect(answer?.content.filter(({ type }) => type !== 'text').length).toBe(left)
  expect(problemsOf('anthropic', body)).toEqual([])
})

it('Anthropic gets the fields of tools that it knows, and tools that need no beta', () => {
  const own = { name: 'read', input_schema: { properties: {} }, cache_control: { type: 'ephemeral' }, is_mcp: true }
  const { body, left } = bodyOf('anthropic', [asked], [own, { type: 'computer_20250124', name: 'computer' }])
  expect(body.tools).toEqual([{ name: 'read', input_schema: { type: 'object', properties: {} } }])
  expect(left.tools).toBe(1)
})

it('a grammar of a custom tool stands where each API of OpenAI has it', () => {
  const grammar = { syntax: 'lark', definition: 'start: "a"' }
  const flat = { type: 'custom', name: 'patch', format: { type: 'grammar', ...grammar } }
  const nested = { type: 'custom', custom: { name: 'patch', format: { type: 'grammar', grammar } } }
  for (const tool of [flat, nested]) {
    expect(bodyOf('chat', [asked], [tool]).body.tools).toEqual([nested])
    expect(bodyOf('responses', [asked], [tool]).body.tools).toEqual([flat])
  }
})

it.each([
  ['', '{}'],
  ['{"path": 1}', '{"path": 1}'],
  ['*** Begin Patch', '{"input":"*** Begin Patch"}'],
  ['{"path": "a', '{"input":"{\\"path\\": \\"a"}'],
  ['[1]', '{"input":[1]}'],
])('arguments are an object: %j is sent as %j', (input, sent) => {
  const call: Message = { role: 'assistant', line: 2, blocks: [{ type: 'call', id: 'c', name: 'f', input }] }
  const result: Message = { role: 'tool', line: 3, callId: 'c', blocks: [] }
  const { messages } = bodyOf('chat', [asked, call, result]).body
  expect(messages[1]?.tool_calls).toEqual([{ id: 'c', type: 'function', function: { name: 'f', arguments: sent } }])
  const { input: items } = bodyOf('responses', [asked, call, result]).body
  expect(items[1]).toEqual({ type: 'function_call', call_id: 'c', name: 'f', arguments: sent })
})

it('what the model said is text in the Responses API, a refusal too', () => {
  const parts = [text, { type: 'refusal', refusal: 'No more.' }]
  for (const [value, said] of [
    [{ role: 'assistant', content: parts }, 'So.\nNo more.'],
    [{ role: 'assistant', content: null, refusal: 'No.' }, 'No.'],
  ]) {
    const { body } = bodyOf('responses', [asked, recorded('openai', value)])
    expect(body.input[1]).toEqual({ role: 'assistant', content: said })
  }
})

it('words that stand in another field of a part are sent', () => {
  const wire = { provider: 'openai', value: { role: 'user', content: [{ type: 'text', value: 'Look.' }] } } as const
  expect(bodyOf('chat', [{ ...asked, wire }]).body.messages).toEqual([{ role: 'user', content: 'Look.' }])
})
