import { describe, expect, it } from 'vitest'
import { messagesOf, outline, readRecords } from '../reading.ts'

const messages = [{ role: 'user', content: 'Is the lamp on?' }]

async function answered(response: unknown, beside: object = {}) {
  const result = await readRecords([{ model: 'gpt-5', messages, ...beside, response }], 'openai-chat')
  const { findings, report } = result
  const said = messagesOf(result).slice(1).map(outline)
  return { said, findings, problems: report.problems, last: messagesOf(result).at(-1)! }
}

const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"lamp"}' } }
const events = (...data: unknown[]) => data.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('')
const chunk = (delta: object, rest: object = {}) => ({ object: 'chat.completion.chunk', choices: [{ delta }], ...rest })
const chunks = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'It is ' }),
  chunk({ content: 'on.' }),
  chunk({ tool_calls: [{ index: 0, id: 'call_1', function: { name: 'look', arguments: '{"at"' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: ':"lamp"}' } }] }),
  { object: 'chat.completion.chunk', choices: [], usage: { prompt_tokens: 12, completion_tokens: 3 } },
]
const items = [
  { type: 'reasoning', summary: [] },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'It is on.' }] },
  { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":"lamp"}' },
]
const blocks = [
  { type: 'message_start', message: { id: 'msg_1', role: 'assistant', content: [], usage: { input_tokens: 12 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'It is ' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'on.' } },
  { type: 'message_delta', usage: { output_tokens: 3 } },
]

describe('a recorded response', () => {
  it.each([
    ['chat', { choices: [{ message: { role: 'assistant', content: 'It is on.' } }] }],
    ['completions', { choices: [{ text: 'It is on.' }] }],
    ['Anthropic', { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'It is on.' }] }],
    ['Anthropic inside an HTTP recording', { status: 200, body: { role: 'assistant', content: 'It is on.' } }],
    ['Ollama', { model: 'x', done: true, message: { role: 'assistant', content: 'It is on.' } }],
    ['Bedrock', { output: { message: { role: 'assistant', content: [{ type: 'text', text: 'It is on.' }] } } }],
    ['Gemini', { candidates: [{ content: { parts: [{ text: 'It is ' }, { text: 'on.' }] } }] }],
    ['LangChain', { generations: [[{ text: 'It is on.' }]] }],
    ['LangChain messages', { generations: [[{ message: { kwargs: { content: 'It is on.' } } }]] }],
    ['output_text', { id: 'resp_1', output_text: 'It is on.' }],
    ['a text completion', { completion: 'It is on.', stop_reason: 'stop_sequence' }],
    ['text', 'It is on.'],
    ['JSON text', JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'It is on.' } }] })],
    ['JSON text in a body', { statusCode: 200, body: '{"choices":[{"text":"It is on."}]}' }],
    ['a streamed text', events(...blocks)],
    ['a streamed list', blocks],
  ])('is read as its message: %s', async (_, response) => {
    const { said, findings } = await answered(response)
    expect([said, findings]).toEqual([['1 assistant: It is on.'], []])
  })

  it.each([
    ['chat', { choices: [{ message: { role: 'assistant', content: 'It is on.', tool_calls: [call] } }] }],
    ['chunks', chunks],
    ['chunks as text', events(...chunks)],
    ['chunks as text in a body', { body: `${events(...chunks)}data: [DONE]\n` }],
    ['Responses', { id: 'resp_1', output: items }],
    ['Responses items', items],
    [
      'Responses as events',
      events({ type: 'response.created' }, { type: 'response.completed', response: { output: items } }),
    ],
  ])('keeps its calls: %s', async (_, response) => {
    const { said, findings, last } = await answered(response)
    expect([said, findings]).toEqual([['1 assistant: It is on. | look#call_1'], []])
    expect(last.blocks.at(-1)).toMatchObject({ input: '{"at":"lamp"}' })
  })

  it.each([
    ['whole', { message: { role: 'assistant', content: 'It is on.', tool_calls: 'lamp' } }],
    ['chat', { choices: [{ message: { role: 'assistant', content: 'It is on.', tool_calls: 'lamp' } }] }],
    ['chunks', [...chunks.slice(0, 1), { choices: [{ delta: { content: 'It is on.', tool_calls: 'lamp' } }] }]],
  ])('keeps what stands in the place of its calls: %s', async (_, response) => {
    const { said, findings } = await answered(response)
    expect([said, findings]).toEqual([['1 assistant: It is on. | "lamp"'], ['bad-shape@1']])
  })

  it('that streamed has the usage of its stream', async () => {
    const counts = { input: 12, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 3 }
    expect((await answered(chunks)).last.usage).toEqual(counts)
    expect((await answered(blocks)).last.usage).toEqual(counts)
  })

  it.each([
    ['another form', { lamp: { on: true } }],
    ['a choice of another form', { choices: [{ lamp: 'on' }] }],
    ['a number', 17],
    ['items of another form', { output: [{ type: 'lamp' }] }],
    ['a page', { body: '<html>' }],
    ['a stream of another form', 'data: {"lamp":"on"}\n'],
    ['a list of several', [{ a: 1 }, { b: 1 }]],
  ])('of a form that is not known is counted: %s', async (_, response) => {
    const { said, findings } = await answered(response)
    expect([said, findings]).toEqual([[], ['unknown-response@1']])
  })

  it.each([
    ['no choices', { object: 'chat.completion', id: 'a' }, 'choices'],
    ['no output', { object: 'response', id: 'a' }, 'output'],
    ['half of its counts', { choices: [{ text: 'On.' }], usage: { prompt_tokens: 12 } }, 'usage.completion_tokens'],
    [
      'a chunk without what it adds',
      [...chunks.slice(0, 1), { choices: [{ index: 0 }] }],
      'response[].choices[].delta',
    ],
    [
      'an event without what it adds',
      [...blocks.slice(0, 2), { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', words: 'Hi.' } }],
      'response[].delta.text',
    ],
  ])('that lacks what it must have is named: %s', async (_, response, detail) => {
    const { problems } = await answered(response)
    expect(problems).toEqual([{ code: 'bad-shape', line: 1, detail }])
  })

  it.each([
    ['absent', undefined],
    ['null', null],
    ['an error', { error: { message: 'Overloaded' } }],
    ['a refusal of the server', { status: 529, body: 'Overloaded' }],
    ['only counts', { id: 'a', usage: { prompt_tokens: 12, completion_tokens: 0 }, choices: [] }],
  ])('that says nothing is no loss: %s', async (_, response) => {
    const { said, findings } = await answered(response)
    expect([said, findings]).toEqual([[], []])
  })

  it('may stand among the members of the request', async () => {
    const choices = [{ message: { role: 'assistant', content: 'It is on.' } }]
    expect((await answered(undefined, { choices })).said).toEqual(['1 assistant: It is on.'])
  })
})
