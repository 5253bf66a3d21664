/** Messages with all that an API has, and with what it takes nowhere. */
import fc from 'fast-check'
import type { Element } from './wires.ts'

/** What may stand in a content, and what no API takes there. */
const sourceOf = (type: string, more: object) => ({ source: { type, ...more } })
const data = (media_type: string) => sourceOf('base64', { media_type, data: 'aGk=' })
const anthropicParts: readonly Element[] = [
  ...['word', ' \ufeff\u2003', '\u0085', 'w😀'].map((text) => ({ type: 'text', text })),
  { type: 'text', text: 'w', citations: [{ file_id: 'f', cited_text: 'c' }, 5], cache_control: { type: 'ephemeral' } },
  { type: 'thinking', thinking: 'hm', signature: '' },
  { type: 'thinking', thinking: 'hm', signature: 'c2ln', extra: 1 },
  { type: 'redacted_thinking', data: 'xyz', signature: 's' },
  ...[data('image/png'), data('image/bmp'), sourceOf('url', { url: 'u' }), {}].map((from) => ({
    type: 'image',
    ...from,
  })),
  { type: 'document', ...data('application/pdf'), title: null, context: 'c', name: 'n' },
  { type: 'document', ...data('text/plain') },
  { type: 'document', ...sourceOf('text', { media_type: 'text/plain', data: 'word' }) },
  ...['web_search', 'advisor'].flatMap((name) => [
    { type: 'server_tool_use', id: name, name, input: { query: 'w' } },
    { type: `${name}_tool_result`, tool_use_id: name, content: [] },
  ]),
  { type: 'web_fetch_tool_result', tool_use_id: 'nobody', content: {} },
  { type: 'search_result', source: 's', title: 't', content: [], more: 1 },
  { type: 'tool_use', id: 'a.b😀', name: 'read', input: { path: 'a.ts' }, caller: { type: 'direct' }, more: 1 },
  { type: 'tool_use', id: '', name: 'read', input: {} },
  { type: 'container_upload', file_id: 'f' },
  { type: 'holo', text: 'w' },
]
const isNoMedia = ({ type }: Element): boolean => type !== 'image' && type !== 'document'

const anthropicResults: readonly Element[] = [
  { content: 'word', is_error: true },
  { content: '', is_error: true },
  { content: null, is_error: false },
  { content: [{ type: 'text', text: 'word' }, { type: 'image', ...data('image/bmp') }, { type: 'holo' }] },
  { content: [{ type: 'tool_result', tool_use_id: 'x', content: 'inside' }] },
].map((result, at) => ({ type: 'tool_result', tool_use_id: ['a.b😀', '', 'other'][at % 3], ...result }))

const chatParts: readonly unknown[] = [
  { type: 'text', text: 'word', more: 1 },
  { type: 'text', text: '' },
  { type: 'refusal', refusal: 'no' },
  'plain',
  { type: 'thinking', thinking: 'hm' },
  { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' }, detail: 1 },
  { type: 'image_url', image_url: { url: 'data:image/png;base64,' } },
  { type: 'image_url', image_url: 'u' },
  { type: 'input_audio', input_audio: { format: 'wav', data: 'aGk=' } },
  { type: 'file', file: { file_id: 'f' } },
  { type: 'holo', holo: 'w' },
]
const chatCalls = [
  ...['{"path": "a.ts"}', '{"path":', '[1, 2]', '"w"', '', 'NaN', 'null', { path: 'a.ts' }].map((given) => ({
    function: { name: 'read', arguments: given, more: 1 },
  })),
  { function: { name: 'read' } },
  { type: 'custom', custom: { name: 'patch', input: 'w', more: 1 } },
].map((call, at) => ({ id: ['a.b😀', 'b', ''][at % 3], ...call }))

/** A history of whatever an API has. */
export const mixed: Readonly<Record<'anthropic' | 'chat', fc.Arbitrary<Element[]>>> = {
  anthropic: fc.array(
    fc.oneof(
      fc.record({ role: fc.constantFrom('user', 'system'), content: fc.subarray([...anthropicParts]) }),
      fc.record({ role: fc.constant('assistant'), content: fc.subarray(anthropicParts.filter(isNoMedia)) }),
      fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.constantFrom('word', ' ', '') }),
      fc.record({
        role: fc.constant('user'),
        content: fc
          .tuple(fc.subarray([...anthropicResults]), fc.subarray([...anthropicParts]))
          .map((all) => all.flat()),
      }),
    ),
    { minLength: 1, maxLength: 7 },
  ),
  chat: fc.array(
    fc.oneof(
      fc.record(
        {
          role: fc.constantFrom('assistant', 'assistant', 'user', 'system', 'developer'),
          content: fc.oneof(fc.constantFrom('word', '', null), fc.subarray([...chatParts])),
          name: fc.constantFrom('ann', null),
          reasoning_content: fc.constant('hm'),
        },
        { requiredKeys: ['role', 'content'] },
      ),
      fc.record(
        {
          role: fc.constant('assistant'),
          content: fc.constantFrom('word', '', null),
          refusal: fc.constantFrom('no', null),
          tool_calls: fc.subarray(chatCalls),
        },
        { requiredKeys: ['role', 'content'] },
      ),
      fc.record({
        role: fc.constantFrom('tool', 'function'),
        tool_call_id: fc.constantFrom('a.b😀', 'b', '', 'other'),
        content: fc.oneof(fc.constantFrom('word', null), fc.subarray(['plain', { type: 'text', text: 'w' }])),
      }),
    ),
    { minLength: 1, maxLength: 7 },
  ),
}

const schema = { properties: { path: { type: 'STRING' } } }
/** What may stand beside it. */
export const beside = fc.record(
  {
    model: fc.constantFrom('claude-opus-4-5', 'm😀'),
    system: fc.oneof(
      fc.constantFrom<unknown>('You are brief.', '', 5, null, { type: 'text', text: 'w' }),
      fc.subarray([...anthropicParts]),
    ),
    tools: fc.subarray<unknown>([
      { name: 'read', description: 'd', input_schema: schema, cache_control: { type: 'ephemeral' } },
      { name: 'read', input_schema: { type: 'object' }, strict: true, more: 1 },
      { type: 'web_search_20250305', name: 'web_search', cache_control: { type: 'ephemeral' } },
      { type: 'computer_20250124', name: 'computer' },
      { type: 'function', function: { name: 'read', parameters: schema, strict: null, more: 1 } },
      { type: 'function', name: 'read', description: '', parameters: schema },
      { type: 'custom', custom: { name: 'patch', format: { type: 'text' } } },
      { functionDeclarations: [{ name: 'a', description: 'd', parameters: schema }, { name: 'b' }] },
      { name: 'mcp', inputSchema: schema },
      'holo',
    ]),
  },
  { requiredKeys: [] },
)
