/**
 * Messages of the Strands Agents SDK for TypeScript, as a middleware of its `InvokeModelStage` is given them:
 * `Message`s with the results of tools as blocks of user messages. A message that a policy changed is of the same
 * class, and so are its blocks.
 */

import { itemsOf, type JsonObject, objectOf } from '../../base/json.ts'
import { jsonText } from '../../base/json-text.ts'
import { textOf } from '../../model/message.ts'
import { anthropicBlocks } from '../../readers/wire/blocks.ts'
import { usageOf } from '../../readers/wire/usage.ts'
import { anthropic } from './anthropic.ts'
import type { Form, Kept } from './form.ts'
import { type Parts, partsLeft } from './left.ts'

export interface StrandsMessage {
  readonly role: string
  readonly content: readonly unknown[]
}

export const strands: Form<StrandsMessage> = {
  provider: null,
  reader(begun, sink) {
    const reader = anthropic.reader(begun, sink)
    return {
      add(element, index) {
        const { role, content } = objectOf(element) ?? {}
        if (typeof role !== 'string' || !Array.isArray(content)) sink.stranger(index)
        else reader.add({ role, content: resultsFirst(content).flatMap(inApi) }, index)
      },
      settle: () => reader.settle(),
    }
  },
  partial: ([element], kept) => {
    const { content } = element as StrandsMessage
    return [like(element as StrandsMessage, { content: kept.flatMap((one) => partsOf(content as JsonObject[], one)) })]
  },
  usageOf,
  write: ({ role, blocks }) => [said(role === 'assistant' ? role : 'user', textOf({ role, blocks, line: 0 }))],
  joined(elements) {
    const whole: StrandsMessage[] = []
    for (const element of elements) {
      const last = whole.at(-1)
      if (last?.role !== element.role) whole.push(element)
      else whole[whole.length - 1] = like(last, { content: resultsFirst([...last.content, ...element.content]) })
    }
    return whole
  },
}

/** As providers want them. */
const resultsFirst = (blocks: readonly unknown[]): readonly unknown[] => [
  ...blocks.filter(isResult),
  ...blocks.filter((block) => !isResult(block)),
]

const isResult = (block: unknown): boolean => objectOf(block)?.type === 'toolResultBlock'

/** The SDK's blocks and messages write themselves, and it asks that of each. */
const textPart = (text: string): JsonObject => ({ type: 'textBlock', text, toJSON: () => ({ text }) })

function said(role: string, text: string): StrandsMessage {
  const content = [textPart(text)]
  return { type: 'message', role, content, toJSON: () => ({ role, content }) } as StrandsMessage
}

const parts: Parts<JsonObject> = {
  blocksOf: (block) => anthropicBlocks(inApi(block)),
  textPart,
  withInput: (block, input) => like(block, { input }),
}

function partsOf(content: readonly JsonObject[], kept: Kept): readonly JsonObject[] {
  const { original, message } = kept
  if (message.role !== 'tool') {
    return partsLeft(
      content.filter((block) => !isResult(block)),
      kept,
      parts,
    )
  }
  const results = content.filter((block) => isResult(block) && block.toolUseId === original.callId)
  return message === original ? results : results.map((block) => like(block, { content: [textPart(textOf(message))] }))
}

/** The same class with other fields. */
function like<Original extends object>(original: Original, fields: Partial<Original> & object): Original {
  return Object.assign(Object.create(Object.getPrototypeOf(original)), original, fields)
}

/** A block as the Messages API would have it, which is enough to read it; none for a mark for the cache. */
function inApi(block: unknown): JsonObject[] {
  const { type, ...rest } = objectOf(block) ?? {}
  switch (type) {
    case 'textBlock':
      return [{ type: 'text', text: rest.text }]
    case 'jsonBlock':
      return [{ type: 'text', text: jsonText(rest.json) }]
    case 'toolUseBlock':
      return [{ type: 'tool_use', id: rest.toolUseId, name: rest.name, input: rest.input }]
    case 'toolResultBlock': {
      const content = itemsOf(rest.content).flatMap(inApi)
      return [{ type: 'tool_result', tool_use_id: rest.toolUseId, is_error: rest.status === 'error', content }]
    }
    case 'reasoningBlock':
      return typeof rest.text === 'string'
        ? [{ type: 'thinking', thinking: rest.text, signature: rest.signature }]
        : [{ type: 'redacted_thinking', data: '' }]
    case 'cachePointBlock':
      return []
    // Bytes are counted by no estimator, and their JSON would be.
    case 'imageBlock':
      return [{ type: 'image', source: {} }]
    case 'audioBlock':
    case 'videoBlock':
    case 'documentBlock':
      return [{ type: 'document', source: {} }]
    default:
      return [{ type, ...rest }]
  }
}
