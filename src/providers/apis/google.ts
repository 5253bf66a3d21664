/** POST /v1beta/models/<model>:generateContent of Google, as its SDK 2.32 declares it. The model is in the address. */
import { wordOf } from '../../base/json-text.ts'
import { type Message, textOf } from '../../model/message.ts'
import { objectOf as argsOf } from '../anthropic.ts'
import { google as recorded } from '../google.ts'
import type { Json } from '../provider.ts'
import { callables } from '../tool-spec.ts'
import { type Api, joined, type LeftOut, objectOf, pick, resultsFirst } from './api.ts'

const kinds = [
  'text',
  'functionCall',
  'functionResponse',
  'inlineData',
  'fileData',
  'executableCode',
  'codeExecutionResult',
]

export const googleApi: Api = {
  settings: [],
  body(parts, left) {
    const { system, tools, messages } = parts
    const head = system.map(textOf).filter((text) => text.trim() !== '')
    const given = tools?.flatMap((tool) => toolOf(tool, left)) ?? []
    const turns = resultsFirst(messages).map((message) => ({
      role: message.role === 'assistant' ? 'model' : 'user',
      parts: partsOf(message, left),
    }))
    return {
      ...(head.length > 0 ? { systemInstruction: { parts: head.map((text) => ({ text })) } } : {}),
      contents: joined(turns).map(({ role, parts }) => ({ role, parts })),
      ...(given.length > 0 ? { tools: given } : {}),
    }
  },
}

function partsOf(message: Message, left: LeftOut): Json[] {
  const { parts } = recorded.message(message) as { parts: Json[] }
  const ids = message.blocks.flatMap((block) => (block.type === 'call' ? [block.id] : []))
  let calls = 0
  return parts.flatMap((value): Json[] => {
    const part = objectOf(value)
    const kind = kinds.find((name) => part?.[name] != null)
    if (!part || kind === undefined) return []
    const kept = pick(part, [kind, 'thought', 'thoughtSignature'])
    if (kind === 'text') return typeof part.text === 'string' && part.text !== '' ? [kept] : []
    if (kind === 'functionCall') {
      const { name, args, id = ids[calls++] } = part.functionCall as { name?: Json; args?: Json; id?: Json }
      return [{ ...kept, functionCall: { ...(id ? { id } : {}), name: name ?? '', args: argsOf(args ?? {}) } }]
    }
    if (kind === 'functionResponse') {
      const {
        name,
        response,
        id = message.callId,
      } = part.functionResponse as { name?: Json; response?: Json; id?: string }
      return [
        {
          ...kept,
          functionResponse: {
            ...(id ? { id } : {}),
            name: name || (message.toolName ?? ''),
            response: objectOf(response) ?? { output: response },
          },
        },
      ]
    }
    if (kind === 'inlineData' && !objectOf(part.inlineData)?.data) {
      left.media++
      return [{ text: `[${wordOf(objectOf(part.inlineData)?.mimeType).startsWith('image/') ? 'image' : 'document'}]` }]
    }
    return [kept]
  })
}

/** Google's own tools stay; a function of any provider is declared with its JSON schema. */
function toolOf(tool: Json, left: LeftOut): Json[] {
  const own = objectOf(tool)
  if (Array.isArray(own?.functionDeclarations) || own?.googleSearch || own?.codeExecution || own?.urlContext)
    return [tool]
  const specs = callables(tool)
  if (specs.length === 0) left.tools++
  const declared = specs.map(({ name, description, parameters }) => ({
    name,
    ...(description === '' ? {} : { description }),
    parametersJsonSchema: parameters,
  }))
  return declared.length > 0 ? [{ functionDeclarations: declared }] : []
}
