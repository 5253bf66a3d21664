/**
 * Items of OpenAI's Agents SDK for JavaScript, as `callModelInputFilter` is given them: those of the Responses API in
 * other words (`callId`, `function_call_result`), with what only the API knows in `providerData`.
 */
import { itemsOf, type JsonObject, objectOf } from '../../base/json.ts'
import type { Form } from './form.ts'
import { type ResponseItem, responses } from './responses.ts'

export interface OpenaiAgentsItem {
  readonly type?: string | undefined
}

/** From which item of the SDK one of the API was made; a copy with something changed has it, too. */
const source = Symbol('source')

type ApiItem = ResponseItem & { readonly [source]?: JsonObject }

export const openaiAgents: Form<OpenaiAgentsItem> = {
  provider: 'openai',
  reader(begun, sink) {
    const reader = responses.reader(begun, sink)
    return { add: (element, index) => reader.add(inApi(element), index), settle: () => reader.settle() }
  },
  partial(elements, kept) {
    const items = elements.map(inApi)
    return responses.partial(items, kept).map((item) => elements[items.indexOf(item)] ?? backFrom(item))
  },
  write: (message) => responses.write(message).map(backFrom),
}

const kinds: Readonly<Record<string, string>> = {
  function_call_result: 'function_call_output',
  computer_call_result: 'computer_call_output',
  // Calls that the provider ran: one of the API's words for them will do to read them.
  hosted_tool_call: 'mcp_call',
}

function inApi(element: unknown): ApiItem {
  const item = objectOf(element)
  // What is none is handed on, for the reader to say so.
  if (!item) return element as ApiItem
  const { type, callId, content, output, providerData } = item
  const encrypted = objectOf(providerData)?.encrypted_content ?? objectOf(providerData)?.encryptedContent
  return {
    ...item,
    ...(typeof type === 'string' && { type: kinds[type] ?? type }),
    ...(callId !== undefined && { call_id: callId }),
    ...(content !== undefined && { content: partsIn(content) }),
    ...(output !== undefined && { output: partsIn(output) }),
    ...(type === 'reasoning' && { encrypted_content: encrypted, content: item.rawContent, summary: content }),
    [source]: item,
  }
}

/** Pictures and files have other keys. */
function partsIn(content: unknown): unknown {
  if (typeof content === 'string') return content
  return itemsOf(content).map((part) => {
    const { type, image, file } = objectOf(part) ?? {}
    if (type === 'image' || type === 'input_image') return { type: 'input_image', image_url: image }
    return type === 'file' || type === 'input_file' ? { type: 'input_file', file_data: file } : part
  })
}

const changeable = ['content', 'output', 'arguments', 'action', 'operation'] as const

/** What a policy changed in an item, in the item that it was made from; one of the policy's own is a message. */
function backFrom(item: ApiItem): OpenaiAgentsItem {
  const { [source]: element, role, content } = item
  if (!element) {
    const words =
      role === 'system'
        ? itemsOf(content)
            .map((part) => objectOf(part)?.text)
            .join('\n')
        : content
    return { type: 'message', ...{ role, content: words }, ...(role === 'assistant' && { status: 'completed' }) }
  }
  const before = inApi(element)
  const changed = changeable.filter((key) => JSON.stringify(item[key]) !== JSON.stringify(before[key]))
  return { ...element, ...Object.fromEntries(changed.map((key) => [key, item[key]])) }
}
