/**
 * Sessions of the pi coding agent (and of OpenClaw, which writes the same): a tree of entries in one file.
 *
 * - The context is the path from the last entry back to the root. Every entry is kept until the session ends, because the
 *   user may go back into a branch that was left before.
 * - Version 1 has no ids: each entry follows the one before it.
 * - A response with an error and no tokens was never part of the context. What extensions, `!` commands and summaries of
 *   branches add is sent as user messages, in pi's wording; `details` and `custom` entries are never sent.
 * - A compaction becomes a recorded compaction; the history stays.
 * - A fork repeats the entries it inherits, with times from before its own header.
 * - System prompt and tools are recorded since 0.86. `context_edit` (since 0.87) changes or takes away what is sent of a
 *   message from then on.
 * - Responses on branches that were left, summaries, and calls that are no part of the conversation (`usage`, and a tool's
 *   own) were billed beside the requests.
 * - oh-my-pi, a fork, has a title in the first line, the prompt of sub-agents (`session_init`), calls beside the conversation
 *   (`model_usage`) and a marker where the user cleared the context (`reset_boundary`).
 *
 * Read in earendil-works/pi (packages/coding-agent: session-manager.ts, messages.ts, docs/session-format.md) and
 * can1357/oh-my-pi@01d016ca (packages/coding-agent/src/session/session-entries.ts); of pi 0.86 and newer, what others who
 * read its sessions wrote down.
 */

import { type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import { setOf } from '../../../base/words.ts'
import type { SideCallKind } from '../../../model/message.ts'
import { recordReader, Underway } from '../../frames.ts'
import { bad, duplicate, type Outcome, type TranscriptWriter, unknown, unlinked } from '../../reader.ts'
import { timeOf } from '../../wire/bodies.ts'
import { beginWithoutHead } from '../../wire/lost-head.ts'
import { sideCallOf } from '../../wire/side-calls.ts'
import { type Node as Entry, Tree } from '../../wire/tree.ts'
import { piUsage } from '../../wire/usage.ts'
import { entryShape, isHeader, isMessage, roleOf, treeOnly, types } from './entries.ts'
import { isInherited, type Origin, Path, providerOf, typicalResponse } from './path.ts'

export default recordReader({
  name: 'pi',
  program: 'pi',
  summary: 'sessions of the pi coding agent, oh-my-pi and OpenClaw',
  source: '~/.pi/agent/sessions/*/*.jsonl, ~/.omp/agent/sessions/*/*.jsonl, ~/.openclaw/agents/*/sessions/*.jsonl',
  places: [
    {
      directories: ['$PI_CODING_AGENT_SESSION_DIR', '$PI_CODING_AGENT_DIR/sessions', '~/.pi/agent/sessions'],
      files: '**/*.jsonl',
      session: /(?:^|[/_])([^/_]+)\.jsonl$/,
    },
    {
      directories: ['$XDG_DATA_HOME/omp/sessions', '~/.omp/agent/sessions'],
      files: '**/*.jsonl',
      session: /(?:^|[/_])([^/_]+)\.jsonl$/,
      subagents: '*/*/**/*.jsonl',
    },
    {
      directories: ['$OPENCLAW_STATE_DIR/agents', '~/.openclaw/agents'],
      files: '*/sessions/*.jsonl',
      session: /\/([^/]+)\.jsonl$/,
    },
  ],
  shapes: [['type', 'id', 'parentId', 'timestamp', 'message.role', 'message.timestamp']],
  recognise(record) {
    const { type, id, message } = record
    if (isHeader(record) || isTitle(record)) return 1
    if (!types.has(type) || !('timestamp' in record)) return 0
    // Factory's Droid has the same envelope, but no time inside the message.
    if (type === 'message') return isMessage(message) && 'timestamp' in message
    return typeof id === 'string' && 'parentId' in record ? 0.9 : 0
  },
  shape: entryShape,
  begin: (context, head) => new Session(context, head),
  begins: isHeader,
  record(record, { line }, session) {
    if (isTitle(record)) return 'no-context'
    return isHeader(record) ? 'used' : session.add(record, line)
  },
  end: (session) => session.write(),
})

/** Entries with words of the conversation. */
const said = setOf('branch_summary compaction custom_message message session_init')

/**
 * A user who goes back in front of the first message and writes another begins a second tree. What begins a tree is a
 * message of the user, or of an extension in the user's name, and never an answer.
 */
function mayBegin({ type, message }: JsonObject, before: readonly Entry[]): boolean {
  const first = before.find(({ record }) => said.has(record.type))
  if (!first) return true
  const isPrompt = first.record.type === 'custom_message' || roleOf(first.record.message) === 'user'
  const isAnswer = type === 'compaction' || ['assistant', 'toolResult'].includes(roleOf(message))
  return isPrompt && first.parent === null && !isAnswer && types.has(type)
}

class Session extends Underway {
  readonly #tree = new Tree(mayBegin)

  add(record: JsonObject, line: number): Outcome {
    const { type, id, parentId, message } = record
    if (typeof type !== 'string') return bad
    // Some programs that write such files take the header for the root.
    const isRoot = parentId !== undefined && parentId === this.head.id
    // Unknown and malformed entries have their place in the tree too.
    const entry = this.#tree.add(record, line, id, isRoot ? null : parentId)
    if (!entry) return duplicate
    if (type === 'message' && !isMessage(message)) return bad
    if (!types.has(type)) return unknown(type)
    if (entry.isLost && entry.parent) this.context.finding({ ...unlinked, line })
    return treeOnly.has(type) ? 'no-context' : 'used'
  }

  write(): void {
    const context = this.context
    const path = this.#tree.path()
    // A path without an entry of a known kind is no conversation.
    if (!path.some(({ record }) => types.has(record.type))) return
    const typical = typicalResponse(path)
    const provider = providerOf(typical)
    const writer = context.open({ conversation: stringOf(this.head.id) ?? null, provider })
    writer.describe({ model: stringOf(typical?.model) ?? null, cwd: stringOf(this.head.cwd) })
    const [root] = path
    if (root?.isLost) {
      beginWithoutHead(writer, root.line)
      context.finding({ code: 'missing-head', line: root.line })
    }
    const known = (entry: Entry | undefined, { line }: Entry): Entry | undefined => {
      if (!entry) context.finding({ ...unlinked, line })
      return entry
    }
    const links = {
      firstKept: (compaction: Entry) => known(this.#firstKept(compaction.record), compaction),
      target: (edit: Entry) => known(this.#tree.get(stringOf(edit.record.targetId) ?? ''), edit),
    }
    const origin = this.#origin()
    new Path(writer, provider, links).write(path, origin)
    this.#callsBeside(new Set(path), origin, writer)
    writer.close()
  }

  #callsBeside(path: ReadonlySet<Entry>, origin: Origin | null, writer: TranscriptWriter): void {
    for (const entry of this.#tree.nodes) {
      if (isInherited(entry, origin)) continue
      const { record, line } = entry
      const message = objectOf(record.message)
      const told = message ?? record
      const usage = piUsage(told.usage)
      const kind = kindBeside(record, roleOf(message), path.has(entry))
      if (!usage || kind === null) continue
      const time = timeOf(record.timestamp)
      writer.sideCall(sideCallOf({ kind, usage, model: stringOf(told.model), time, line }))
    }
  }

  /** In version 1, compactions refer to entries by index, and the header has index 0. */
  #firstKept({ firstKeptEntryId: id, firstKeptEntryIndex: index }: JsonObject): Entry | undefined {
    if (typeof id === 'string') return this.#tree.get(id)
    return typeof index === 'number' ? this.#tree.at(index - 1) : undefined
  }

  /** For a fork: the session it came from, from that session's file name, and the time of the fork. */
  #origin(): Origin | null {
    const file = stringOf(this.head.parentSession) ?? stringOf(this.head.branchedFrom)
    const parent = file?.match(/([^/\\_]+)\.jsonl$/)?.[1]
    const time = timeOf(this.head.timestamp)
    return parent !== undefined && time !== undefined ? { parent, time } : null
  }
}

/** What kind of call an entry tells of that is no request of the history; null if none. */
function kindBeside({ type }: JsonObject, role: string, isOnPath: boolean): SideCallKind | null {
  if (type === 'message')
    return role === 'toolResult' ? 'aside' : role === 'assistant' && !isOnPath ? 'taken-back' : null
  if (type === 'compaction' || type === 'branch_summary') return 'summary'
  return type === 'usage' || type === 'model_usage' ? 'aside' : null
}

/** oh-my-pi keeps the newest title in the first line, padded so that it can be overwritten. */
function isTitle(record: JsonObject): boolean {
  return record.type === 'title' && typeof record.title === 'string' && typeof record.pad === 'string'
}
