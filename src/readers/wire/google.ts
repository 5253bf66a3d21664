/** Turns the parts of Google's Gemini API into canonical blocks, and its token counts into usage. */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import type { Block, Message, Usage } from '../../model/message.ts'
import type { Shape } from '../reader.ts'
import { callBlock, jsonBlock, textBlocks, urlBlock } from './blocks.ts'
import { both, keys, listOf, optional, someOf } from './shape.ts'
import { atTier, usageBy } from './usage.ts'
import { usageKeys } from './usage-keys.ts'

const plainParts = {
  text: 'string',
  inlineData: keys({ mimeType: 'string', data: 'string' }),
  fileData: keys({ mimeType: 'string?', fileUri: 'string' }),
  // These parts are counted as they are, so any value will do.
  executableCode: 'any',
  codeExecutionResult: 'any',
} as const

const heldShape = someOf({
  ...plainParts,
  functionCall: keys({ id: 'string?', name: 'string', args: 'arguments?' }),
  functionResponse: keys({
    id: 'string?',
    name: 'string',
    response: 'object',
    parts: optional(listOf(someOf(plainParts))),
  }),
})

/** What a part must hold. Only newer versions have ids, and Google leaves out the arguments of a call that has none. */
export const partShape: Shape = both(heldShape, keys({ thought: 'boolean?' }))

/** A string, a part, or a list of both. Results of calls are left out: see `functionResults`. */
export function googleBlocks(content: unknown): Block[] {
  return itemsOf(content).flatMap((value) => {
    const part = objectOf(value)
    if (!part) return textBlocks(value)
    return part.functionResponse === undefined ? partBlocks(part) : []
  })
}

/** The result of a call, as Google's API sends it back. */
export interface FunctionResult {
  /** Empty where there is none: only newer versions have ids. */
  readonly id: string
  readonly name: string | undefined
  readonly blocks: readonly Block[]
  readonly isError: boolean
}

/** The results among the parts. What stands beside them (an image that a tool read) belongs to the last of them. */
export function functionResults(content: unknown): FunctionResult[] {
  const results: (FunctionResult & { blocks: Block[] })[] = []
  for (const value of itemsOf(content)) {
    const response = objectOf(objectOf(value)?.functionResponse)
    if (!response) {
      const last = results.at(-1)
      for (const block of googleBlocks(value)) last?.blocks.push(block)
      continue
    }
    const output = objectOf(response.response)
    const isError = output?.error !== undefined && output.output === undefined
    const text = output?.output ?? output?.error ?? response.response
    const blocks = [...textBlocks(text), ...googleBlocks(response.parts)]
    results.push({ id: stringOf(response.id) ?? '', name: stringOf(response.name), blocks, isError })
  }
  return results
}

/** A `Content` of Google's API as messages. What is said in the user's name starts no exchange: it is for summaries. */
export function googleMessages(content: JsonObject, line: number): Message[] {
  const parts = content.parts ?? content.content
  const results = functionResults(parts).map(({ id, name, blocks, isError }): Message => {
    const toolName = name === undefined ? {} : { toolName: name }
    return { role: 'tool', line, blocks, ...(id !== '' && { callId: id }), ...toolName, ...(isError && { isError }) }
  })
  const blocks = results.length > 0 ? [] : googleBlocks(parts)
  if (blocks.length === 0) return results
  const isModel = content.role === 'model' || content.type === 'gemini'
  return [isModel ? { role: 'assistant', line, blocks } : { role: 'user', line, blocks, origin: 'injected' }]
}

function partBlocks(part: JsonObject): Block[] {
  if (typeof part.text === 'string') {
    if (part.text === '') return []
    return [{ type: part.thought === true ? 'thinking' : 'text', text: part.text }]
  }
  const call = objectOf(part.functionCall)
  if (call) return [callBlock(call.id, call.name, call.args ?? {})]
  const inline = objectOf(part.inlineData)
  if (inline) return [mediaBlock(inline.mimeType, `;base64,${stringOf(inline.data) ?? ''}`)]
  const file = objectOf(part.fileData)
  return [file ? mediaBlock(file.mimeType, '') : jsonBlock(part)]
}

function mediaBlock(mimeType: unknown, data: string): Block {
  const type = stringOf(mimeType) ?? ''
  return urlBlock(type.startsWith('image/') ? 'image' : 'document', `data:${type}${data}`)
}

/** What `usageMetadata` must hold. Google leaves out counts of 0. */
export const googleUsageShape: Shape = keys({
  promptTokenCount: 'any',
  totalTokenCount: 'number?',
  cachedContentTokenCount: 'amount?',
  candidatesTokenCount: 'amount?',
  thoughtsTokenCount: 'amount?',
})

/**
 * `usageMetadata`: cached tokens are part of the prompt, thoughts stand beside the candidates, and what a tool of Google's
 * own read stands beside the prompt. Programs that translate OpenAI's counts into these leave thoughts among the
 * candidates: the total tells.
 *
 * @returns undefined if there is no count of input tokens
 */
export function googleUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value)
  const counted = usageBy(usageKeys.gemini, usage)
  // The Gemini API tells the first, Vertex AI the second.
  return atTier(counted, usage?.serviceTier ?? usage?.trafficType)
}
