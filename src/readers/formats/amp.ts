/**
 * Amp's threads: one document, with Anthropic's blocks. A result is a block of its own form, with the tool's `run` inside.
 * Files that a prompt mentions are sent behind it. System prompt and tools are not recorded.
 */

import { itemsOf, type JsonObject, objectOf } from '../../base/json.ts'
import type { Block } from '../../model/message.ts'
import { documentReader, readItems } from '../frames.ts'
import { bad, type LeftOut, type Shape, unknown } from '../reader.ts'
import { anthropicBlocks, anthropicParts, anthropicShape, jsonBlock, textBlocks } from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import { injected, type Mark, Session, textIn } from '../wire/session.ts'
import { keys, kinds, listOf, optional, orText, someOf } from '../wire/shape.ts'
import { usageOf, withInput } from '../wire/usage.ts'

/** Present, be it null: a provider without a cache has null for its counts. */
const isThere: Shape = (count) => (count === undefined ? '' : null)

const runShape = kinds('status', {
  done: keys({ result: 'any' }),
  error: keys({ error: orText(keys({ message: 'string' })) }),
})

const resultShape = someOf({ run: runShape, content: anthropicShape })

const messageShape = kinds('role', {
  assistant: keys({
    content: anthropicShape,
    usage: optional(
      keys({
        inputTokens: 'any',
        outputTokens: 'any',
        cacheReadInputTokens: isThere,
        cacheCreationInputTokens: isThere,
      }),
    ),
  }),
  user: keys({
    content: orText(listOf(kinds('type', { ...anthropicParts, tool_result: resultShape }))),
    fileMentions: optional(keys({ files: listOf(someOf({ content: 'string', isImage: 'boolean' })) })),
  }),
  info: keys({
    content: orText(
      listOf(
        kinds('type', {
          summary: keys({ summary: orText(keys({ summary: 'string' })) }),
          manual_bash_invocation: keys({ hidden: 'boolean?' }),
        }),
      ),
    ),
  }),
})

export default documentReader({
  name: 'amp',
  program: 'amp',
  summary: "Amp's threads",
  source: '~/.local/share/amp/threads/T-*.json',
  places: [
    {
      directories: ['$XDG_DATA_HOME/amp/threads', '~/.local/share/amp/threads'],
      files: 'T-*.json',
      session: /^(T-[^/]+)\.json$/,
    },
  ],
  shapes: [['id', 'v', 'created', 'messages', 'messages.messageId', 'messages.content', 'env']],
  recognise({ id, messages, ...thread }) {
    const isNamed = typeof id === 'string' && id.startsWith('T-')
    return Array.isArray(messages) && isNamed && ['created', 'env', 'usageLedger', 'v'].some((key) => key in thread)
  },
  record({ id, env, messages }, _, context) {
    if (!Array.isArray(messages)) return bad
    const session = new Session()
    readItems(context, messages, messageShape, (message, line) => add(message, line, session))
    const tree = objectOf(itemsOf(objectOf(objectOf(env)?.initial)?.trees)[0])
    session.write(context, { conversation: id, cwd: pathOf(tree?.uri) })
  },
})

/** @returns why it was left out, if it was */
function add(message: JsonObject, line: number, session: Session): LeftOut | null {
  const { role, content } = message
  const time = timeOf(objectOf(message.meta)?.sentAt ?? message.createdAt ?? objectOf(message.usage)?.timestamp)
  if (role !== 'assistant' && role !== 'user' && role !== 'info') return role === undefined ? bad : unknown(role)
  if (typeof content !== 'string' && !Array.isArray(content)) return bad
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content]
  if (role === 'assistant') {
    const model = textIn(objectOf(message.usage), 'model')
    session.response(anthropicBlocks(parts), { line, time, model, usage: withInput(usageOf(message.usage)) })
  } else if (role === 'info') addInfo(parts, line, session)
  else addUser(message, parts, { line, time }, session)
  return null
}

function addUser(message: JsonObject, parts: readonly unknown[], mark: Mark, session: Session): void {
  const results = parts.map(objectOf).filter((part) => part?.type === 'tool_result')
  for (const result of results) {
    const run = objectOf(result?.run)
    const id = textIn(result, 'toolUseID', 'tool_use_id')
    const isError = run !== undefined && run.status !== 'done' && run.status !== 'in-progress'
    session.result(runBlocks(run) ?? anthropicBlocks(result?.content), { ...mark, id, isError })
  }
  const said = anthropicBlocks(parts.filter((part) => objectOf(part)?.type !== 'tool_result'))
  const files = itemsOf(objectOf(message.fileMentions)?.files).flatMap((file) => textBlocks(objectOf(file)?.content))
  session.prompt([...said, ...files], mark, results.length > 0 ? 'queued' : undefined)
}

function runBlocks(run: JsonObject | undefined): Block[] | undefined {
  if (!run) return undefined
  const error = objectOf(run.error)?.message ?? run.error
  return textBlocks(run.result ?? error ?? run.reason)
}

/** Adds what the program put in: a summary of everything before it, or a command that the user ran. */
function addInfo(parts: readonly unknown[], line: number, session: Session): void {
  for (const value of parts) {
    const part = objectOf(value)
    if (part?.type === 'summary') {
      const summary = textBlocks(objectOf(part.summary)?.summary ?? part.summary)
      if (summary.length > 0) session.compaction([injected(summary, line)], line)
    } else if (part && part.hidden !== true) session.prompt([jsonBlock(part)], { line }, 'injected')
  }
}

function pathOf(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || !uri.startsWith('file://')) return undefined
  try {
    return decodeURIComponent(uri.slice('file://'.length))
  } catch {
    return undefined
  }
}
