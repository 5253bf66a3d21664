/**
 * Qwen Code's sessions: records with Claude Code's envelope and messages of Google's API, a tree in one file.
 *
 * - The context is the path from the last record back to the root: a rewind begins a branch, and the responses of one that
 *   was left were billed beside the requests. A fork repeats what it inherits, each record marked `forkedFrom`.
 * - A `chat_compression` holds the history that the model saw from then on: it becomes a recorded compaction.
 * - Sub-agents (`isSidechain`) are transcripts of their own, named by `agentId`.
 * - `toolCallResult` repeats results for the screen. System prompt and tools are not recorded.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { setOf } from '../../base/words.ts'
import type { Usage } from '../../model/message.ts'
import { recordReader } from '../frames.ts'
import { bad, duplicate, type ReaderContext, unknown, unlinked } from '../reader.ts'
import { timeOf } from '../wire/bodies.ts'
import {
  functionResults,
  googleBlocks,
  googleMessages,
  googleUsage,
  googleUsageShape,
  partShape,
} from '../wire/google.ts'
import { Session } from '../wire/session.ts'
import { keys, kinds, listOf, optional } from '../wire/shape.ts'
import { type Node, Tree } from '../wire/tree.ts'

const types = setOf('assistant system tool_result user')

/** Subtypes of messages that are not part of the context: voice, and calls inside a program that the model wrote. */
const unseen = setOf('code_mode_tool_result realtime_message')

const contentShape = keys({ role: 'string', parts: listOf(partShape) })

const saidShape = keys({ message: contentShape, subtype: 'string?' })

const recordShape = kinds('type', {
  user: saidShape,
  tool_result: saidShape,
  assistant: keys({ message: contentShape, usageMetadata: optional(googleUsageShape) }),
  system: kinds('subtype', {
    chat_compression: keys({ systemPayload: keys({ compressedHistory: listOf(contentShape) }) }),
    slash_command: keys({ systemPayload: keys({ phase: 'string', rawCommand: 'string', sentToModel: 'boolean?' }) }),
  }),
})

export default recordReader({
  name: 'qwen-code',
  program: 'qwen-code',
  summary: 'sessions of Qwen Code and their sub-agents',
  source: '~/.qwen/projects/*/chats/*.jsonl, ~/.qwen/tmp/*/chats/*.jsonl',
  places: ['projects', 'tmp'].map((directory) => ({
    directories: [`$QWEN_RUNTIME_DIR/${directory}`, `$QWEN_HOME/${directory}`, `~/.qwen/${directory}`],
    files: '*/{chats,subagents}/**/*.jsonl',
    session: /(?:^|\/)([^/]+)\.jsonl$/,
    subagents: '*/subagents/**/*.jsonl',
  })),
  shapes: [['uuid', 'parentUuid', 'sessionId', 'type', 'message.role', 'message.parts', 'usageMetadata']],
  recognise: (record) =>
    // Claude Code has the same envelope, but no such payload.
    isRecord(record) &&
    (Array.isArray(objectOf(record.message)?.parts) || (record.type === 'system' && 'systemPayload' in record)),
  shape: recordShape,
  begin: (context) => ({ context, trees: new Map<string, Tree>() }),
  record(record, { line }, { context, trees }) {
    const { type, uuid, parentUuid, sessionId, agentId, isSidechain, message, subtype } = record
    const isKnown = types.has(type)
    if (!isLinked(record)) return isKnown ? bad : unknown(type)
    const name = `${sessionId}\0${isSidechain === true ? stringOf(agentId) : ''}`
    const tree = trees.get(name) ?? new Tree(mayBegin)
    trees.set(name, tree)
    // Unknown and malformed records have their place in the tree too.
    const node = tree.add(record, line, uuid, parentUuid)
    if (!node) return duplicate
    if (isKnown && type !== 'system' && !Array.isArray(objectOf(message)?.parts)) return bad
    if (node.isLost && node.parent) context.finding({ ...unlinked, line })
    if (!isKnown) return unknown(type)
    if (type === 'system') return compressedIn(record) ? 'used' : 'no-context'
    return unseen.has(subtype) ? 'no-context' : 'used'
  },
  end({ context, trees }) {
    for (const tree of trees.values()) write(tree, context)
  },
})

/** A rewind to the first prompt begins a tree beside it. */
function mayBegin({ subtype }: JsonObject, before: readonly Node[]): boolean {
  return subtype === 'rewind' || before.every(({ record }) => record.type === 'system')
}

function write(tree: Tree, context: ReaderContext): void {
  const path = tree.path()
  const session = new Session()
  const [root] = path
  if (root?.isLost && root.record.isSidechain !== true) {
    session.beginWithoutHead(root.line)
    context.finding({ code: 'missing-head', line: root.line })
  }
  let inherited = 0
  for (const node of path) {
    add(node, session)
    if (objectOf(node.record.forkedFrom)) inherited = session.length
  }
  const sent = new Set(path)
  for (const node of tree.nodes) if (!sent.has(node)) addTakenBack(node, session)
  const records = path.map(({ record }) => record)
  const last = records.at(-1)
  const isSidechain = last?.isSidechain === true
  const fork = objectOf(records[0]?.forkedFrom)
  const spawned = records.find(({ subtype }) => subtype === 'parent_session')?.systemPayload
  session.write(context, {
    conversation: isSidechain ? last.agentId : last?.sessionId,
    parent: isSidechain ? last.sessionId : (fork?.sessionId ?? objectOf(spawned)?.parentSessionId),
    forkMessage: fork ? inherited : undefined,
    cwd: records.find(({ cwd }) => typeof cwd === 'string')?.cwd,
    version: records.find(({ version }) => typeof version === 'string')?.version,
  })
}

function add({ record, line }: Node, session: Session): void {
  const time = timeOf(record.timestamp)
  const subtype = stringOf(record.subtype) ?? ''
  if (record.type === 'system') {
    const history = compressedIn(record)
    if (history)
      session.compaction(
        history.flatMap((content) => googleMessages(content, line)),
        line,
      )
    else if (subtype === 'slash_command') takeBackCommand(objectOf(record.systemPayload), session)
    return
  }
  const { role, parts } = objectOf(record.message) ?? {}
  if (unseen.has(subtype) || !isRecord(record) || !Array.isArray(parts)) return
  if (role === 'model') {
    session.response(googleBlocks(parts), { line, time, model: record.model, usage: usageIn(record) })
    return
  }
  const status = objectOf(record.toolCallResult)?.status
  for (const { id, name, blocks, isError } of functionResults(parts)) {
    session.result(blocks, { line, time, id, name, isError: isError || status === 'error' || status === 'cancelled' })
  }
  if (record.type === 'tool_result') return
  session.prompt(googleBlocks(parts), { line, time }, originOf(subtype))
}

/** A response on a branch that was left, unless a fork repeats it from its parent. */
function addTakenBack({ record, line }: Node, session: Session): void {
  if (record.type !== 'assistant' || objectOf(record.forkedFrom)) return
  session.tookBack({ line, time: timeOf(record.timestamp), model: record.model, usage: usageIn(record) })
}

function usageIn(record: JsonObject): Usage | undefined {
  const usage = googleUsage(record.usageMetadata)
  return usage && usage.input + usage.output !== 0 ? usage : undefined
}

function originOf(subtype: string): 'queued' | 'injected' | undefined {
  if (subtype === 'mid_turn_user_message') return 'queued'
  return subtype === 'notification' || subtype === 'goal_runtime' ? 'injected' : undefined
}

/** A command that the program answered itself was never sent, though it was recorded as said. */
function takeBackCommand(payload: JsonObject | undefined, session: Session): void {
  const { last } = session
  const [block] = last?.blocks ?? []
  const isCommand = last?.role === 'user' && block?.type === 'text' && block.text === payload?.rawCommand
  if (isCommand && payload?.phase === 'result' && payload.sentToModel !== true) session.rewind(session.length - 1)
}

function compressedIn(record: JsonObject): JsonObject[] | undefined {
  const history = objectOf(record.systemPayload)?.compressedHistory
  if (record.subtype !== 'chat_compression' || !Array.isArray(history)) return undefined
  return itemsOf(history)
    .map(objectOf)
    .filter((content) => content !== undefined)
}

function isLinked(record: JsonObject): boolean {
  return typeof record.uuid === 'string' && typeof record.sessionId === 'string'
}

function isRecord(record: JsonObject): boolean {
  return isLinked(record) && types.has(record.type)
}
