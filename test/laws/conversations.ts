/** Random conversations as each API records them: parallel calls, results, pictures, thoughts, prompts and tools in its own form. */
import fc from 'fast-check'
import { lines } from '../readers/reading.ts'

const words = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('', ' ', '“quoted”\n\\ 今日は', 'line\u2028sep\u0007'),
)

const asked = fc.record({ kind: fc.constant('asked' as const), text: words, picture: fc.boolean() })
const answer = fc.record({
  kind: fc.constant('answer' as const),
  thought: fc.constantFrom('none', 'signed', 'unsigned', 'redacted'),
  texts: fc.array(words, { maxLength: 2 }),
  calls: fc.array(words, { maxLength: 3 }),
  results: fc.record({
    text: words,
    picture: fc.boolean(),
    failed: fc.boolean(),
    missing: fc.nat(9),
    beside: fc.nat(4),
  }),
})
const turns = fc.array(fc.oneof({ weight: 2, arbitrary: asked }, { weight: 3, arbitrary: answer }), { maxLength: 12 })
type Turn = ReturnType<typeof sample>
declare function sample(): typeof turns extends fc.Arbitrary<(infer T)[]> ? T : never

const schema = { type: 'object', properties: { path: { type: 'string', description: 'Ü' } }, required: ['path'] }
const picture = 'iVBORw0KGgo='
type Json = Readonly<Record<string, unknown>>

/** What stands in front of the messages: how many texts the prompt has, and whether there are tools. */
const front = fc.record({ prompts: fc.constantFrom(0, 1, 2), text: words, tools: fc.boolean() })
type Front = { prompts: number; text: string; tools: boolean }

/** Calls are numbered through a conversation. */
function numbered(list: readonly Turn[]) {
  let next = 0
  return list.map((turn) =>
    turn.kind === 'asked' ? turn : { ...turn, calls: turn.calls.map((text) => ({ id: `call_${next++}`, text })) },
  )
}
type Numbered = ReturnType<typeof numbered>[number]

function anthropic(list: readonly Numbered[], { prompts, text, tools }: Front): string {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } }
  const messages = list.flatMap((turn): Json[] => {
    if (turn.kind === 'asked') {
      const said = { type: 'text', text: turn.text, cache_control: { type: 'ephemeral' } }
      return [{ role: 'user', content: turn.picture ? [image, said] : turn.text }]
    }
    const thoughts: Record<string, Json[]> = {
      signed: [{ type: 'thinking', thinking: 'So.', signature: 'sig' }],
      unsigned: [{ type: 'thinking', thinking: 'So.' }],
      redacted: [{ type: 'redacted_thinking', data: 'AAAA' }],
    }
    const made = turn.calls.map(({ id, text }) => ({ type: 'tool_use', id, name: 'read', input: { path: text } }))
    const content = [...(thoughts[turn.thought] ?? []), ...turn.texts.map((text) => ({ type: 'text', text })), ...made]
    const { results } = turn
    const given = turn.calls.slice(0, results.missing === 0 ? -1 : undefined).map(({ id }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: results.picture ? [{ type: 'text', text: results.text }, image] : results.text,
      ...(results.failed && { is_error: true }),
    }))
    const beside = results.beside === 0 ? [{ type: 'text', text: 'Faster.' }] : []
    return [
      { role: 'assistant', content },
      ...(given.length > 0 ? [{ role: 'user', content: [...given, ...beside] }] : []),
    ]
  })
  const system = prompts === 1 ? text : Array.from({ length: prompts }, () => ({ type: 'text', text }))
  return lines([
    {
      ...{ model: 'claude-sonnet-4-5', max_tokens: 9, messages },
      ...(prompts > 0 && { system }),
      ...(tools && {
        tools: [
          { name: 'read', description: 'Reads.', input_schema: schema },
          { name: 'see', input_schema: {} },
        ],
      }),
    },
  ])
}

function chat(list: readonly Numbered[], { prompts, text, tools }: Front): string {
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } }
  const messages = list.flatMap((turn): Json[] => {
    if (turn.kind === 'asked') {
      return [{ role: 'user', content: turn.picture ? [{ type: 'text', text: turn.text }, image] : turn.text }]
    }
    const made = turn.calls.map(({ id, text }) => ({
      ...{ id, type: 'function' },
      function: { name: 'read', arguments: JSON.stringify({ path: text }) },
    }))
    const [said = null] = turn.texts
    // Some programs record what was said in parts.
    const content = turn.texts.length > 1 ? turn.texts.map((text) => ({ type: 'text', text })) : said
    const given = turn.calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: turn.results.text }))
    return [{ role: 'assistant', content, ...(made.length > 0 && { tool_calls: made }) }, ...given]
  })
  const system = Array.from({ length: prompts }, () => ({ role: 'system', content: text }))
  const read = { type: 'function', function: { name: 'read', description: 'Reads.', parameters: schema, strict: true } }
  return lines([{ model: 'gpt-5.2', messages: [...system, ...messages], ...(tools && { tools: [read] }) }])
}

function items(list: readonly Numbered[]): Json[] {
  return list.flatMap((turn): Json[] => {
    if (turn.kind === 'asked') {
      const image = turn.picture ? [{ type: 'input_image', image_url: `data:image/png;base64,${picture}` }] : []
      return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: turn.text }, ...image] }]
    }
    const thought = turn.thought === 'none' ? [] : [{ type: 'reasoning', summary: [], encrypted_content: 'AAAA' }]
    const said = turn.texts.map((text) => ({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text }],
    }))
    const made = turn.calls.map(({ id, text }, nth) =>
      nth === 1
        ? { type: 'custom_tool_call', call_id: id, name: 'patch', input: text }
        : { type: 'function_call', call_id: id, name: 'read', arguments: JSON.stringify({ path: text }) },
    )
    const given = turn.calls.map(({ id }, nth) => ({
      ...{ type: nth === 1 ? 'custom_tool_call_output' : 'function_call_output', call_id: id },
      output: turn.results.text,
    }))
    return [...thought, ...said, ...made, ...given]
  })
}

function codex(list: readonly Numbered[], { prompts, text }: Front): string {
  const meta = { id: 'c', cwd: '/home', originator: 'codex_cli_rs', cli_version: '0.140.0', model_provider: 'openai' }
  const records: Json[] = [
    { type: 'session_meta', payload: { ...meta, ...(prompts > 0 && { base_instructions: { text } }) } },
    { type: 'turn_context', payload: { turn_id: 't', cwd: '/home', model: 'gpt-5.5' } },
    ...items(list).map((payload) => ({ type: 'response_item', payload })),
  ]
  return lines(records.map((record) => ({ timestamp: '2026-03-02T09:00:00.000Z', ...record })))
}

function responses(list: readonly Numbered[], { prompts, text, tools }: Front): string {
  const read = { type: 'function', name: 'read', description: 'Reads.', parameters: schema }
  const patch = { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: 'a' } }
  return lines([
    {
      ...{ model: 'gpt-5.2', input: items(list) },
      ...(prompts > 0 && { instructions: text }),
      ...(tools && { tools: [read, patch, { type: 'web_search' }] }),
    },
  ])
}

function google(list: readonly Numbered[], { prompts, text, tools }: Front): string {
  const image = { inlineData: { mimeType: 'image/png', data: picture } }
  const contents = list.flatMap((turn): Json[] => {
    if (turn.kind === 'asked') return [{ role: 'user', parts: [{ text: turn.text }, ...(turn.picture ? [image] : [])] }]
    const thought = turn.thought === 'none' ? [] : [{ text: 'So.', thought: true }]
    const made = turn.calls.map(({ id, text }, nth) => ({
      // Some programs leave out the ids.
      functionCall: { ...(nth === 0 && { id }), name: 'read', args: { path: text } },
      ...(turn.thought === 'signed' && { thoughtSignature: 'sig' }),
    }))
    const given = turn.calls.map(({ id }, nth) => ({
      functionResponse: { ...(nth === 0 && { id }), name: 'read', response: { output: turn.results.text } },
    }))
    return [
      { role: 'model', parts: [...thought, ...turn.texts.map((text) => ({ text })), ...made] },
      ...(given.length > 0 ? [{ role: 'user', parts: given }] : []),
    ]
  })
  const declared = {
    functionDeclarations: [{ name: 'read', description: 'Reads.', parameters: { ...schema, type: 'OBJECT' } }],
  }
  return lines([
    {
      contents,
      ...(prompts > 0 && { systemInstruction: { parts: [{ text }] } }),
      ...(tools && { tools: [declared, { googleSearch: {} }] }),
    },
  ])
}

const forms = {
  'anthropic-messages': anthropic,
  'openai-chat': chat,
  'openai-responses': responses,
  codex,
  'gemini-api': google,
}
export const formats = Object.keys(forms) as (keyof typeof forms)[]

/** The text of a file in that format. */
export const conversationIn = (format: keyof typeof forms): fc.Arbitrary<string> =>
  fc.tuple(turns, front).map(([list, before]) => forms[format](numbered(list), before))
