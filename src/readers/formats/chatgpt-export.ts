/**
 * ChatGPT's export: conversations as trees of messages, each with the node that was shown last.
 *
 * - The path from that node to the root is what counts; the branches that an edit or a new answer left are forks, which
 *   are read if they are asked for.
 * - A message that the assistant addresses to a tool is a call, and what the tool says next is its result; a call has no id
 *   of its own, so it has that of its message. Messages in a row are one response.
 * - A `weight` of 0 takes a message out of later requests. Only results are read in spite of it: without them the calls
 *   would be unanswered.
 * - Custom instructions are the preamble; the system prompt and the tools are not recorded, nor is usage.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { wordOf } from '../../base/json-text.ts'
import { setOf } from '../../base/words.ts'
import type { Block, Message } from '../../model/message.ts'
import { documentReader } from '../frames.ts'
import { bad, type ReaderContext } from '../reader.ts'
import { jsonBlock, textBlocks, thinkingBlocks } from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import { type Fork, forksOf } from '../wire/forks.ts'
import { type Mark, Session, textIn } from '../wire/session.ts'
import { keys, kinds, listOf, oddIn, optional } from '../wire/shape.ts'

export default documentReader({
  name: 'chatgpt-export',
  program: 'chatgpt',
  summary: "conversations of ChatGPT's data export",
  source: '`conversations.json` of the data export (Settings, Data controls), and what browser extensions save like it',
  shapes: [['title', 'create_time', 'mapping', 'current_node']],
  recognise({ mapping }) {
    const nodes = objectOf(mapping)
    return nodes !== undefined && Object.values(nodes).slice(0, 5).some(isNode)
  },
  record(conversation, { line }, context) {
    const mapping = objectOf(conversation.mapping)
    if (!mapping) return bad
    const ids = pathOf(mapping, stringOf(conversation.current_node))
    const shown = messagesOf(mapping, ids)
    const left = context.branches ? leavesOf(mapping).map((leaf) => messagesOf(mapping, pathOf(mapping, leaf))) : []
    const id = textIn(conversation, 'conversation_id', 'id') ?? null
    const forks = forksOf(id, shown, left, (message) => textIn(message, 'id'))
    for (const fork of forks) writeFork(context, conversation, fork, line)
    const odd = nodesShape(Object.values(mapping))
    const key = odd === null ? tornAt(conversation, mapping, ids) : `mapping${odd}`
    if (key !== null) context.finding({ code: 'bad-shape', key, line })
  },
})

const nodesShape = listOf(keys({ message: 'object|null', parent: 'string?', children: 'list' }))

const partShape = kinds('content_type', {
  image_asset_pointer: keys({ size_bytes: 'number' }),
  audio_asset_pointer: keys({ asset_pointer: 'string', size_bytes: 'number' }),
  audio_transcription: keys({ text: 'string' }),
})

const partsShape = keys({ parts: listOf((part) => (typeof part === 'string' ? null : partShape(part))) })

const textShape = keys({ text: 'string' })

const contentShape = kinds('content_type', {
  text: partsShape,
  multimodal_text: partsShape,
  code: textShape,
  execution_output: textShape,
  system_error: textShape,
  user_editable_context: keys({ user_profile: 'string|null', user_instructions: 'string|null' }),
  thoughts: keys({ thoughts: listOf(keys({ summary: 'string|null', content: 'string|null' })) }),
  tether_quote: keys({ title: 'string|null', url: 'string|null', text: 'string' }),
  tether_browsing_display: keys({ result: 'string|null' }),
})

const messageShape = keys({
  author: keys({ role: 'string' }),
  content: contentShape,
  recipient: 'string',
  weight: 'number?',
  metadata: optional(keys({ is_user_system_message: 'boolean?', is_visually_hidden_from_conversation: 'boolean?' })),
})

function writeFork(
  context: ReaderContext,
  conversation: JsonObject,
  { path, head, isShared }: Fork<JsonObject>,
  line: number,
): void {
  const session = new Session()
  const instructions: Message[] = []
  let shared = 0
  for (const [index, message] of path.entries()) {
    // In a file of many conversations all messages of one have its line.
    const at = context.elements ? line : index + 1
    const found = oddIn(messageShape, message) ?? (roles.has(objectOf(message.author)?.role) ? null : bad)
    if (found && !isShared(message)) context.finding({ ...found, line: at })
    if (session.length === 0 && isInstructions(message)) instructions.push(systemMessage(message, at))
    else write(message, at, session)
    if (isShared(message)) shared = session.length
  }
  session.write(context, {
    ...head,
    forkMessage: shared || undefined,
    model: textIn(conversation, 'default_model_slug'),
    provider: 'openai',
    preamble: { system: instructions.filter(({ blocks }) => blocks.length > 0), complete: false },
  })
}

function isNode(value: unknown): boolean {
  const node = objectOf(value)
  return node !== undefined && 'message' in node && ('children' in node || 'parent' in node)
}

const roles = setOf('system user assistant tool')

/** The nodes from the root to the one that was shown last; without one, along the newest children. */
function pathOf(mapping: JsonObject, current: string | undefined): string[] {
  const path = new Set<string>()
  const step = (id: string | undefined, next: (node: JsonObject) => unknown): void => {
    for (let at = id; at !== undefined && !path.has(at); ) {
      const node = objectOf(mapping[at])
      if (!node) return
      path.add(at)
      at = stringOf(next(node))
    }
  }
  if (current !== undefined && Object.hasOwn(mapping, current)) {
    step(current, ({ parent }) => parent)
    return [...path].reverse()
  }
  const root = Object.keys(mapping).find((id) => !Object.hasOwn(mapping, wordOf(objectOf(mapping[id])?.parent)))
  step(root, ({ children }) => itemsOf(children).at(-1))
  return [...path]
}

function messagesOf(mapping: JsonObject, ids: readonly string[]): JsonObject[] {
  return ids.map((id) => objectOf(objectOf(mapping[id])?.message)).filter((message) => message !== undefined)
}

/** The key by which the file names a part of the path that is missing; null if the path is whole. */
function tornAt({ current_node }: JsonObject, mapping: JsonObject, path: readonly string[]): string | null {
  const nodes = Object.values(mapping).map((node) => objectOf(node) ?? {})
  const [first, last] = [path[0] ?? '', path.at(-1) ?? '']
  const isNamed = (current_node ?? null) !== null
  if (isNamed ? current_node !== last : nodes.some(({ children }) => itemsOf(children).length > 1))
    return 'current_node'
  const isBelow = nodes.some(({ children }) => itemsOf(children).includes(first))
  if (isBelow || (objectOf(mapping[first])?.parent ?? null) !== null) return 'mapping[].parent'
  const isAbove = nodes.some(({ parent }) => parent === last) || itemsOf(objectOf(mapping[last])?.children).length > 0
  return isAbove && !isNamed ? 'mapping[].children' : null
}

/** The nodes that nothing follows. */
function leavesOf(mapping: JsonObject): string[] {
  return Object.keys(mapping).filter((id) => itemsOf(objectOf(mapping[id])?.children).length === 0)
}

function metadataOf(message: JsonObject): JsonObject {
  return objectOf(message.metadata) ?? {}
}

function isInstructions(message: JsonObject): boolean {
  return metadataOf(message).is_user_system_message === true
}

function systemMessage(message: JsonObject, line: number): Message {
  return { role: 'system', line, blocks: contentBlocks(objectOf(message.content) ?? {}) }
}

function write(message: JsonObject, line: number, session: Session): void {
  const { role, name } = objectOf(message.author) ?? {}
  const blocks = contentBlocks(objectOf(message.content) ?? {})
  const time = timeOf(message.create_time)
  const isLeftOut = message.weight === 0
  const isHidden = metadataOf(message).is_visually_hidden_from_conversation === true
  if (role === 'tool') writeResult(blocks, { line, time, name, isLeftOut }, session)
  else if (isLeftOut) return
  else if (role === 'user') session.prompt(blocks, { line, time }, isHidden ? 'injected' : undefined)
  else if (role === 'system') session.instruct(blocks, { line, time })
  else if (role === 'assistant') writeResponse(message, blocks, { line, time }, session)
}

interface Result extends Mark {
  readonly name: unknown
  readonly isLeftOut: boolean
}

/** Writes what a tool said. Where no call precedes it, the tool shows something: a model's thoughts, or a notice. */
function writeResult(blocks: readonly Block[], { line, time, name, isLeftOut }: Result, session: Session): void {
  const { last } = session
  if (last?.role === 'tool') last.blocks = [...last.blocks, ...blocks]
  else if (last?.blocks.some(({ type }) => type === 'call')) session.result(blocks, { line, time, id: '', name })
  else if (!isLeftOut) session.prompt(blocks, { line, time }, 'injected')
}

function writeResponse(message: JsonObject, blocks: readonly Block[], mark: Mark, session: Session): void {
  const recipient = textIn(message, 'recipient') ?? 'all'
  const said = recipient === 'all' ? blocks : [callOf(message, recipient, blocks)]
  if (said.length === 0) return
  if (session.last?.role === 'assistant') session.continueResponse(said)
  else session.response(said, { ...mark, model: textIn(metadataOf(message), 'model_slug') })
}

function callOf(message: JsonObject, name: string, blocks: readonly Block[]): Block {
  const input = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
  return { type: 'call', id: stringOf(message.id) ?? '', name, input }
}

function contentBlocks(content: JsonObject): Block[] {
  switch (content.content_type) {
    case 'text':
    case 'multimodal_text':
      return itemsOf(content.parts).flatMap(partBlocks)
    case 'user_editable_context':
      return [...textBlocks(content.user_profile), ...textBlocks(content.user_instructions)]
    case 'thoughts':
      return itemsOf(content.thoughts).flatMap((thought) => {
        const { summary, content: text } = objectOf(thought) ?? {}
        return thinkingBlocks([summary, text].filter((part) => typeof part === 'string' && part !== '').join('\n'))
      })
    // How long it thought, for the screen.
    case 'reasoning_recap':
      return []
    case 'tether_quote':
      return textBlocks(
        [content.title, content.url, content.text].filter((part) => typeof part === 'string').join('\n'),
      )
    case 'tether_browsing_display':
      return textBlocks(content.result)
    default:
      return otherBlocks(content)
  }
}

/** Code, output of code, errors, and kinds that are not known. */
function otherBlocks(content: JsonObject): Block[] {
  if (typeof content.text === 'string') return textBlocks(content.text)
  if (Array.isArray(content.parts)) return content.parts.flatMap(partBlocks)
  return Object.keys(content).length === 0 ? [] : [jsonBlock(content)]
}

function partBlocks(part: unknown): Block[] {
  const object = objectOf(part)
  if (!object) return textBlocks(part)
  if (typeof object.text === 'string') return textBlocks(object.text)
  const { size_bytes: size } = object
  const bytes = typeof size === 'number' && size >= 0 ? size : 0
  if (object.content_type === 'image_asset_pointer') return [{ type: 'image', mediaType: '', bytes }]
  if (typeof object.asset_pointer === 'string') return [{ type: 'document', mediaType: '', bytes }]
  return [jsonBlock(part)]
}
