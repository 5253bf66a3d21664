/** Requests and responses as an API records them, with every kind of part, call and tool that it knows, and fields that are not its own. */

interface Exchange {
  readonly request: object
  readonly response: object
}

/** @returns a log of the requests of one conversation, a line each; the text of a file */
const logOf = (exchanges: readonly Exchange[]): string => `${exchanges.map((one) => JSON.stringify(one)).join('\n')}\n`

/** Of Chat Completions and of Anthropic's Messages: each answer of the model ends a request that has all before it. */
function exchangesOf(
  messages: readonly { readonly role: string }[],
  settings: object,
  answer: (message: object) => object,
): Exchange[] {
  return messages.flatMap((message, at) =>
    message.role === 'assistant'
      ? [{ request: { ...settings, messages: messages.slice(0, at) }, response: answer(message) }]
      : [],
  )
}

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const pdf = 'JVBERi0xLjQKJSVFT0YK'
const path = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }

/** Recorded of this model, so that its thoughts stay where it is asked. */
export const thinkingModel = 'claude-sonnet-4-5-20250929'

export function anthropicLog(): string {
  const base64 = (media_type: string, data: string) => ({ type: 'base64', media_type, data })
  const image = { type: 'image', source: base64('image/png', png) }
  const advice = { type: 'advisor_tool_result', tool_use_id: 'srv_2', content: { type: 'advisor_result', text: 'No.' } }
  const found = { type: 'web_search_result', encrypted_content: 'c2VhbGVk', title: 'Wires', url: 'https://a.example/w' }
  const cited = { cited_text: 'blue', document_index: 0, document_title: null }
  const messages = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look at the lamp.', cache_control: { type: 'ephemeral' } },
        image,
        { type: 'document', source: base64('application/pdf', pdf), title: 'Manual', citations: { enabled: true } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Where are the wires?', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'c2VhbGVk' },
        { type: 'text', text: 'I look it up.', citations: null },
        { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'wires' } },
        { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [{ ...found, page_age: null }] },
        { type: 'server_tool_use', id: 'srv_2', name: 'advisor', input: {} },
        advice,
        {
          type: 'text',
          text: 'Blue is neutral.',
          citations: [
            { type: 'char_location', ...cited, start_char_index: 0, end_char_index: 4, file_id: null },
            {
              type: 'web_search_result_location',
              cited_text: 'b',
              encrypted_index: 'a',
              title: null,
              url: 'https://a.example/w',
            },
          ],
        },
        { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'lamp.md' }, caller: { type: 'direct' } },
        { type: 'tool_use', id: 'toolu_2', name: 'read', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'brown: live' }, image] },
        { type: 'tool_result', tool_use_id: 'toolu_2', is_error: true, content: 'a path is missing' },
        { type: 'text', text: 'Go on.' },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'Shall I rewire it?' }] },
    { role: 'user', content: 'Yes.' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_3', name: 'bash', input: { command: 'rewire' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_3' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'It shines.' }] },
  ]
  const tools = [
    {
      name: 'read',
      description: 'Reads a file',
      input_schema: path,
      cache_control: { type: 'ephemeral' },
      is_mcp: true,
    },
    { name: 'list', input_schema: { properties: {} } },
    { type: 'bash_20250124', name: 'bash', cache_control: { type: 'ephemeral' } },
    { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
    { type: 'computer_20250124', name: 'computer', display_width_px: 800, display_height_px: 600 },
    { type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-4-6' },
  ]
  const system = [{ type: 'text', text: 'You mend lamps.', cache_control: { type: 'ephemeral' } }]
  const answer = ({ content }: { content?: unknown }) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: thinkingModel,
    content,
    stop_reason: 'end_turn',
    usage: { input_tokens: 100, output_tokens: 20 },
  })
  return logOf(exchangesOf(messages, { model: thinkingModel, max_tokens: 100, system, tools }, answer))
}

const patch = '*** Begin Patch\n*** Update File: lamp.md\n@@\n-off\n+on\n*** End Patch'
const grammar = { syntax: 'lark', definition: 'start: /.+/' }

export function chatLog(): string {
  const call = (id: string, name: string, text: string) => ({
    id,
    type: 'function',
    function: { name, arguments: text },
  })
  const messages = [
    { role: 'developer', content: [{ type: 'text', text: 'You mend lamps.' }] },
    { role: 'system', content: 'Be short.', name: 'house' },
    {
      role: 'user',
      name: 'ada',
      content: [
        { type: 'text', text: 'Look at the lamp.' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}`, detail: 'low' } },
        { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
        { type: 'file', file: { file_data: `data:application/pdf;base64,${pdf}`, filename: 'manual.pdf' } },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'text', text: 'I read.' }],
      reasoning_content: 'a thought',
      tool_calls: [
        { index: 0, ...call('call_1', 'read', '{"path": "lamp.md"}') },
        call('call_2', 'read', ''),
        call('call_3', 'read', '{"path": "la'),
        { id: 'call_4', type: 'custom', custom: { name: 'apply_patch', input: patch } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', name: 'read', content: [{ type: 'text', text: 'off' }] },
    { role: 'tool', tool_call_id: 'call_2', content: 'a path is missing' },
    { role: 'tool', tool_call_id: 'call_3', content: 'no JSON' },
    { role: 'tool', tool_call_id: 'call_4', content: 'Done!' },
    { role: 'assistant', content: null, refusal: 'I will not go on.' },
    { role: 'user', content: [{ type: 'text', text: 'Please.' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'It is on.' },
        { type: 'refusal', refusal: 'No more.' },
      ],
      annotations: [],
    },
    { role: 'user', content: 'Thanks.' },
    { role: 'assistant', content: 'You are welcome.' },
  ]
  const tools = [
    {
      type: 'function',
      function: { name: 'read', description: 'Reads', parameters: path, strict: true, requires_confirmation: false },
    },
    { type: 'function', function: { name: 'list' } },
    { type: 'custom', custom: { name: 'apply_patch', description: 'Edits', format: { type: 'grammar', grammar } } },
    { type: 'custom', custom: { name: 'note', format: { type: 'text' }, own: 1 } },
  ]
  const answer = (message: object) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'gpt-5-2025-08-07',
    choices: [{ index: 0, finish_reason: 'stop', message }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  })
  return logOf(exchangesOf(messages, { model: 'gpt-5', tools }, answer))
}

export function responsesLog(): string {
  const said = (text: string) => ({
    type: 'message',
    id: 'msg_1',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
  })
  const turns = [
    {
      input: [
        { role: 'developer', content: 'Be short.' },
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'Look at the lamp.' },
            { type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'low' },
            { type: 'input_file', file_data: `data:application/pdf;base64,${pdf}`, filename: 'manual.pdf' },
          ],
        },
      ],
      output: [
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 'a thought' }],
          encrypted_content: 'xx',
        },
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'wires' } },
        said('I read.'),
        {
          type: 'function_call',
          id: 'fc_1',
          status: 'completed',
          call_id: 'c1',
          name: 'read',
          arguments: '{"path":"l"}',
        },
        { type: 'custom_tool_call', id: 'ct_1', call_id: 'c2', name: 'apply_patch', input: patch },
        {
          type: 'local_shell_call',
          id: 'ls_1',
          call_id: 'c3',
          status: 'completed',
          action: { type: 'exec', command: ['ls'], env: {} },
        },
      ],
    },
    {
      input: [
        { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'off' }] },
        { type: 'custom_tool_call_output', call_id: 'c2', output: 'Done!' },
        { type: 'local_shell_call_output', id: 'c3', call_id: 'c3', output: 'lamp.md' },
      ],
      output: [said('It is on.')],
    },
    {
      input: [{ role: 'user', content: 'Sure?' }],
      output: [{ ...said(''), content: [{ type: 'refusal', refusal: 'I will not look again.' }] }],
    },
    { input: [{ role: 'user', content: 'Please.' }], output: [said('It is.')] },
  ]
  const tools = [
    { type: 'function', name: 'read', description: 'Reads', parameters: path, strict: null, own: 1 },
    { type: 'custom', name: 'apply_patch', description: 'Edits', format: { type: 'grammar', ...grammar } },
    { type: 'custom', name: 'note' },
    { type: 'web_search' },
    { type: 'local_shell' },
  ]
  const before: object[] = []
  return logOf(
    turns.map(({ input, output }, at) => {
      before.push(...input)
      const request = { model: 'gpt-5', instructions: 'You mend lamps.', tools, store: false, input: [...before] }
      before.push(...output)
      const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120 }
      const response = { id: `resp_${at}`, object: 'response', created_at: 1775037606, model: 'gpt-5', output, usage }
      return { request, response: { ...response, status: 'completed' } }
    }),
  )
}

const media = new Set(['image', 'document', 'image_url', 'input_audio', 'file', 'input_image', 'input_file'])

/** The same log without images, recordings and documents. */
export function withoutMedia(log: string): string {
  const kept = (value: unknown): unknown =>
    Array.isArray(value) ? value.filter((part) => !media.has(part?.type)) : value
  return log.replace(/^.+$/gm, (line) => JSON.stringify(JSON.parse(line, (_, value) => kept(value))))
}
