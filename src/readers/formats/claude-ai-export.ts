/**
 * Claude.ai's export: conversations with their messages.
 *
 * - Where messages name their parent and the conversation its newest message (as browser extensions save them), the path
 *   between them is what counts, and other branches are forks, which are read if they are asked for; the official export is
 *   a plain list.
 * - `content` has what a message is made of, `text` says it once more. Calls and their results stand in one message of the
 *   assistant: each result ends a response, and what follows is the next one.
 * - The text of attachments is part of the prompt. Of other files only the names are recorded.
 * - System prompt, tools, models and usage are not recorded.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import type { Block } from '../../model/message.ts'
import { documentReader } from '../frames.ts'
import { bad, type ReaderContext } from '../reader.ts'
import { anthropicBlocks, textBlocks } from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import { type Fork, forksOf } from '../wire/forks.ts'
import { type Mark, Session, textIn } from '../wire/session.ts'
import { both, keys, kinds, listOf, optional, orText, someOf, where } from '../wire/shape.ts'

const textShape = keys({ text: 'string' })

const blockShape = kinds('type', {
  text: textShape,
  thinking: keys({ thinking: 'string' }),
  tool_use: keys({ name: 'string', input: 'object', id: 'string?' }),
  tool_result: keys({
    content: orText(listOf(kinds('type', { text: textShape }))),
    tool_use_id: 'string?',
    is_error: 'boolean?',
  }),
})

const saidShape = both(
  keys({ content: optional(listOf(blockShape)) }),
  // Before late 2024 messages had only their text.
  where(({ content }) => itemsOf(content).length === 0, textShape),
  where(hasContent, keys({ content: 'list' })),
)

const messageShape = kinds('sender', {
  human: both(
    saidShape,
    keys({
      attachments: listOf(keys({ extracted_content: 'string|null' })),
      files: optional(listOf(someOf({ file_name: 'string', file_kind: 'string' }))),
    }),
  ),
  assistant: saidShape,
})

/** The parent of a conversation's first message. */
const noMessage = '00000000-0000-4000-8000-000000000000'

const treeShape = keys({ uuid: 'string', parent_message_uuid: 'string' })

/** What `text` has in the place of a call and its result. */
const notInText = 'This block is not supported on your current device yet.'

/** Whether `content` is expected. Extensions that save whole trees came after `content`, so their messages have it. */
function hasContent({ text, parent_message_uuid }: JsonObject): boolean {
  return parent_message_uuid !== undefined || stringOf(text)?.includes(notInText) === true
}

export default documentReader({
  name: 'claude-ai-export',
  program: 'claude-ai',
  summary: "conversations of Claude.ai's data export",
  source: '`conversations.json` of the data export (Settings, Privacy), and what browser extensions save like it',
  shapes: [['uuid', 'name', 'chat_messages', 'chat_messages.sender', 'chat_messages.text']],
  recognise: ({ chat_messages }) => Array.isArray(chat_messages),
  record(conversation, { line }, context) {
    if (!Array.isArray(conversation.chat_messages)) return bad
    const numbered = conversation.chat_messages.map((message, index) => ({ message: objectOf(message), at: index + 1 }))
    const shown = pathOf(numbered, stringOf(conversation.current_leaf_message_uuid))
    const isTree = shown !== numbered && context.branches
    const left = isTree ? leavesOf(numbered).map((leaf) => pathOf(numbered, leaf)) : []
    const id = textIn(conversation, 'uuid') ?? null
    const forks = forksOf(id, shown, left, (last) => textIn(last?.message, 'uuid'))
    for (const fork of forks) write(context, conversation, fork, line)
    check(context, conversation, numbered, shown, line)
  },
})

function check(
  context: ReaderContext,
  { current_leaf_message_uuid: leaf }: JsonObject,
  all: readonly Numbered[],
  shown: readonly Numbered[],
  line: number,
): void {
  const isTree = (leaf ?? null) !== null
  const find = (key: string, at: number) =>
    context.finding({ code: 'bad-shape', key, line: context.elements ? line : at })
  for (const { message, at } of all) {
    const odd = message && (messageShape(message) ?? (isTree ? treeShape(message) : null))
    if (typeof odd === 'string') find(odd, at)
  }
  if (!isTree) return
  const [root] = shown
  const above = stringOf(root?.message?.parent_message_uuid)
  if (shown === all) find('current_leaf_message_uuid', line)
  else if (root && above !== undefined && above !== noMessage) find('parent_message_uuid', root.at)
}

function write(
  context: ReaderContext,
  conversation: JsonObject,
  { path, head, isShared }: Fork<Numbered>,
  line: number,
): void {
  const session = new Session()
  let shared = 0
  for (const numbered of path) {
    const { message, at } = numbered
    // In a file of many conversations all messages of one have its line.
    const mark = { line: context.elements ? line : at, time: timeOf(message?.created_at) }
    if (message?.sender === 'human') session.prompt(promptBlocks(message), mark)
    else if (message?.sender === 'assistant') writeResponses(blocksOf(message), mark, session)
    else if (!isShared(numbered)) context.finding({ ...bad, line: mark.line })
    if (isShared(numbered)) shared = session.length
  }
  const model = textIn(conversation, 'model')
  session.write(context, { ...head, forkMessage: shared || undefined, model, provider: 'anthropic' })
}

interface Numbered {
  readonly message: JsonObject | undefined
  readonly at: number
}

/** From the first message to the newest one; all of them where that is not recorded. */
function pathOf(messages: readonly Numbered[], leaf: string | undefined): readonly Numbered[] {
  const byId = new Map(messages.map((each) => [stringOf(each.message?.uuid), each]))
  // A set, as damaged messages may be their own ancestors.
  const path = new Set<Numbered>()
  for (let at = leaf === undefined ? undefined : byId.get(leaf); at && !path.has(at); ) {
    path.add(at)
    at = byId.get(stringOf(at.message?.parent_message_uuid))
  }
  return path.size > 0 ? [...path].reverse() : messages
}

/** The messages that no other names as its parent. */
function leavesOf(messages: readonly Numbered[]): string[] {
  const parents = new Set(messages.map(({ message }) => message?.parent_message_uuid))
  return messages.flatMap(({ message }) => {
    const id = stringOf(message?.uuid)
    return id === undefined || parents.has(id) ? [] : [id]
  })
}

function blocksOf(message: JsonObject): readonly unknown[] {
  const content = itemsOf(message.content)
  return content.length > 0 ? content : textBlocks(message.text)
}

function promptBlocks(message: JsonObject): Block[] {
  const attached = itemsOf(message.attachments).flatMap((value) => textBlocks(objectOf(value)?.extracted_content))
  const files = itemsOf(message.files).map((value): Block => {
    const file = objectOf(value)
    const isImage =
      file?.file_kind === 'image' || /\.(?:png|jpe?g|gif|webp|heic)$/i.test(stringOf(file?.file_name) ?? '')
    return { type: isImage ? 'image' : 'document', mediaType: '', bytes: 0 }
  })
  return [...attached, ...files, ...anthropicBlocks(blocksOf(message))]
}

function writeResponses(content: readonly unknown[], mark: Mark, session: Session): void {
  let said: unknown[] = []
  const respond = () => {
    session.response(anthropicBlocks(said), mark)
    said = []
  }
  for (const value of content) {
    const block = objectOf(value)
    // What is left of the budget, for the screen.
    if (block?.type === 'token_budget') continue
    if (block?.type !== 'tool_result') {
      said.push(value)
      continue
    }
    if (said.length > 0) respond()
    const { tool_use_id: id, name, is_error: isError } = block
    session.result(anthropicBlocks(block.content), { ...mark, id, name, isError })
  }
  if (said.length > 0) respond()
}
