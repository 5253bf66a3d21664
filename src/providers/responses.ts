/** Converts a Chat Completions body to the Responses API: what Codex talks to, and the only one that counts tokens. */

type Json = Readonly<Record<string, unknown>>

export function responsesBody({ messages, tools }: Json): Json {
  const custom = new Set<unknown>()
  const input = (messages as readonly Json[]).flatMap((message) => itemsOf(message, custom))
  return tools === undefined ? { input } : { input, tools: (tools as readonly Json[]).map(toolOf) }
}

/** @param custom the ids of the calls so far whose input is text: their results are of another kind, too */
function itemsOf({ role, content, refusal, tool_calls, tool_call_id }: Json, custom: Set<unknown>): Json[] {
  if (role === 'tool') {
    const type = custom.has(tool_call_id) ? 'custom_tool_call_output' : 'function_call_output'
    return [{ type, call_id: tool_call_id, output: textOf(content) }]
  }
  const items: Json[] = []
  // A refusal stands in the place of the content.
  const said = content || refusal
  if (said) items.push({ role, content: Array.isArray(said) ? contentOf(role, said) : said })
  for (const call of Array.isArray(tool_calls) ? (tool_calls as readonly Json[]) : []) {
    const own = call.custom as Json | undefined
    const { name, arguments: input } = (call.function ?? {}) as Json
    if (own) custom.add(call.id)
    items.push(
      own
        ? { type: 'custom_tool_call', call_id: call.id, name: own.name, input: own.input }
        : { type: 'function_call', call_id: call.id, name, arguments: input },
    )
  }
  return items
}

/** Whether a message becomes any item. */
export const isSaid = (message: Json): boolean => itemsOf(message, new Set()).length > 0

/** Parts of what the model said itself have an id and a status that Chat Completions does not record: it is sent as text. */
function contentOf(role: unknown, parts: readonly Json[]): unknown {
  return role === 'assistant' ? textOf(parts) : parts.map(partOf)
}

function partOf(part: Json): Json {
  if (part.type === 'text') return { type: 'input_text', text: part.text }
  if (part.type === 'image_url') {
    const { url, detail = 'auto' } = part.image_url as Json
    return { type: 'input_image', image_url: url, detail }
  }
  if (part.type === 'file') return { type: 'input_file', ...(part.file as Json) }
  return part
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return (Array.isArray(content) ? (content as readonly Json[]) : [])
    .map(({ text, refusal }) => text ?? refusal ?? '')
    .join('\n')
}

function toolOf(tool: Json): Json {
  const spec = tool.function as Json | undefined
  const { format, ...custom } = (tool.custom ?? {}) as Json
  if (tool.custom) return { type: 'custom', ...custom, ...(format ? { format: flatFormat(format as Json) } : {}) }
  return spec ? { type: 'function', strict: false, parameters: null, ...spec } : tool
}

/** Chat Completions has a grammar's text within another object. */
function flatFormat({ grammar, ...format }: Json): Json {
  return grammar ? { ...format, ...(grammar as Json) } : format
}
