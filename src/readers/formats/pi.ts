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
 * - System prompt and tools are not recorded.
 */
import { parsedJson } from '../../base/json-text.ts'
import type { Block, ProviderName } from '../../model/message.ts'
import {
  bad,
  duplicate,
  type Outcome,
  type Reader,
  type ReaderContext,
  type Reading,
  type TranscriptWriter,
  unknown,
  unlinked,
} from '../reader.ts'
import {
  callBlock,
  type JsonObject,
  jsonBlock,
  objectOf,
  opaque,
  stringOf,
  textBlocks,
  urlBlock,
} from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import { OpenCalls } from '../wire/calls.ts'
import type { Draft } from '../wire/conversations.ts'
import { beginWithoutHead } from '../wire/lost-head.ts'
import { responseBlocks } from '../wire/responses.ts'
import { keys, kinds, listOf, orText } from '../wire/shape.ts'
import { spokenBy } from '../wire/spoken.ts'
import { type Node as Entry, Tree } from '../wire/tree.ts'
import { piUsage } from '../wire/usage.ts'

/** Entries that are not part of the context, but of the tree: other entries can follow them. */
const treeOnly = ['custom', 'label', 'model_change', 'session_info', 'thinking_level_change']
const types = new Set([...treeOnly, 'branch_summary', 'compaction', 'custom_message', 'message'])

const roles = new Set([
  'assistant',
  'bashExecution',
  'branchSummary',
  'compactionSummary',
  'custom',
  'hookMessage',
  'toolResult',
  'user',
])

const contentShape = orText(
  listOf(
    kinds('type', {
      text: keys({ text: 'string' }),
      thinking: keys({ thinking: 'string', thinkingSignature: 'string?', redacted: 'boolean?' }),
      toolCall: keys({ id: 'string', name: 'string', arguments: 'object' }),
      image: keys({ data: 'string', mimeType: 'string' }),
    }),
  ),
)

const spokenShape = keys({ content: contentShape })

const summaryShape = keys({ summary: 'string' })

const messageShape = kinds('role', {
  assistant: keys({
    content: contentShape,
    stopReason: 'string',
    errorMessage: 'string?',
    usage: keys({ input: 'any', output: 'any', cacheRead: 'any', cacheWrite: 'any' }),
  }),
  bashExecution: keys({
    command: 'string',
    output: 'string',
    exitCode: 'number?',
    cancelled: 'boolean',
    truncated: 'boolean',
    fullOutputPath: 'string?',
    excludeFromContext: 'boolean?',
  }),
  branchSummary: summaryShape,
  compactionSummary: summaryShape,
  custom: spokenShape,
  hookMessage: spokenShape,
  toolResult: keys({ toolCallId: 'string', content: contentShape, isError: 'boolean' }),
  user: spokenShape,
})

const entryShape = kinds('type', {
  branch_summary: summaryShape,
  compaction: summaryShape,
  custom_message: spokenShape,
  message: keys({ message: messageShape }),
})

const reader: Reader = {
  name: 'pi',
  summary: 'sessions of the pi coding agent and OpenClaw',
  source: '~/.pi/agent/sessions/*/*.jsonl, ~/.openclaw/agents/*/sessions/*.jsonl',
  places: [
    {
      directories: ['$PI_CODING_AGENT_SESSION_DIR', '$PI_CODING_AGENT_DIR/sessions', '~/.pi/agent/sessions'],
      files: '**/*.jsonl',
      session: /(?:^|[/_])([^/_]+)\.jsonl$/,
    },
    {
      directories: ['$OPENCLAW_STATE_DIR/agents', '~/.openclaw/agents'],
      files: '*/sessions/*.jsonl',
      session: /\/([^/]+)\.jsonl$/,
    },
  ],
  shapes: [['type', 'id', 'parentId', 'timestamp', 'message.role', 'message.timestamp']],
  recognise(record) {
    const object = objectOf(record)
    if (!object) return 0
    if (isHeader(object)) return 1
    if (!types.has(stringOf(object.type) ?? '') || !('timestamp' in object)) return 0
    // Factory's Droid has the same envelope, but no time inside the message.
    if (object.type === 'message') return isMessage(object.message) && 'timestamp' in object.message ? 1 : 0
    return typeof object.id === 'string' && 'parentId' in object ? 0.9 : 0
  },
  shape: entryShape,
  read: (context) => new Sessions(context),
}

export default reader

/** Entries with words of the conversation. */
const said = new Set(['branch_summary', 'compaction', 'custom_message', 'message'])

/**
 * Whoever goes back in front of the first message, to write another, begins a tree beside it. That message is then the
 * user's own, or an extension's in the user's name, and what begins is no answer to anything.
 */
function mayBegin({ type, message }: JsonObject, before: readonly Entry[]): boolean {
  const first = before.find(({ record }) => said.has(stringOf(record.type) ?? ''))
  if (!first) return true
  const isPrompt = first.record.type === 'custom_message' || roleOf(first.record.message) === 'user'
  const isAnswer = type === 'compaction' || ['assistant', 'toolResult'].includes(roleOf(message))
  return isPrompt && first.parent === null && !isAnswer && types.has(stringOf(type) ?? '')
}

class Sessions implements Reading {
  readonly #context: ReaderContext
  #session: Session | null = null

  constructor(context: ReaderContext) {
    this.#context = context
  }

  record(value: unknown, line: number): Outcome {
    const record = objectOf(value)
    const type = stringOf(record?.type)
    if (!record || type === undefined) return bad
    if (!isHeader(record)) return this.#entry(type, record, line)
    this.end()
    this.#session = new Session(record)
    return 'used'
  }

  end(): void {
    this.#session?.write(this.#context)
    this.#session = null
  }

  #entry(type: string, record: JsonObject, line: number): Outcome {
    this.#session ??= new Session({})
    // Unknown and malformed entries have their place in the tree too.
    const entry = this.#session.add(record, line)
    if (!entry) return duplicate
    if (type === 'message' && !isMessage(record.message)) return bad
    if (!types.has(type)) return unknown(type)
    if (entry.isLost && entry.parent) this.#context.finding({ ...unlinked, line })
    return treeOnly.includes(type) ? 'no-context' : 'used'
  }
}

class Session {
  readonly #header: JsonObject
  readonly #tree = new Tree(mayBegin)

  constructor(header: JsonObject) {
    this.#header = header
  }

  /** @returns null for a duplicate entry */
  add(record: JsonObject, line: number): Entry | null {
    const { id, parentId } = record
    // Some programs that write such files take the header for the root.
    const isRoot = parentId !== undefined && parentId === this.#header.id
    return this.#tree.add(record, line, id, isRoot ? null : parentId)
  }

  write(context: ReaderContext): void {
    const path = this.#tree.path()
    // What nobody knows is no conversation, whatever it hangs on.
    if (!path.some(({ record }) => types.has(stringOf(record.type) ?? ''))) return
    const typical = typicalResponse(path)
    const provider = providerOf(typical)
    const writer = context.open({ conversation: stringOf(this.#header.id) ?? null, provider })
    const cwd = stringOf(this.#header.cwd)
    writer.describe({ model: stringOf(typical?.model) ?? null, ...(cwd !== undefined && { cwd }) })
    writer.preamble({ system: [], complete: false })
    const [root] = path
    if (root?.isLost) {
      beginWithoutHead(writer, root.line)
      context.finding({ code: 'missing-head', line: root.line })
    }
    const kept = ({ record, line }: Entry): Entry | undefined => {
      const entry = this.#firstKept(record)
      if (!entry) context.finding({ ...unlinked, line })
      return entry
    }
    new Path(writer, provider, kept).write(path, this.#origin())
    writer.close()
  }

  /** In version 1, compactions refer to entries by index, and the header has index 0. */
  #firstKept({ firstKeptEntryId: id, firstKeptEntryIndex: index }: JsonObject): Entry | undefined {
    if (typeof id === 'string') return this.#tree.get(id)
    return typeof index === 'number' ? this.#tree.at(index - 1) : undefined
  }

  /** For a fork: the session it came from, from that session's file name, and the time of the fork. */
  #origin(): Origin | null {
    const file = stringOf(this.#header.parentSession) ?? stringOf(this.#header.branchedFrom)
    const parent = file?.match(/([^/\\_]+)\.jsonl$/)?.[1]
    const time = timeOf(this.#header.timestamp)
    return parent !== undefined && time !== undefined ? { parent, time } : null
  }
}

interface Origin {
  readonly parent: string
  readonly time: number
}

/** Turns the entries of one path into messages. */
class Path {
  readonly #writer: TranscriptWriter
  readonly #provider: ProviderName
  readonly #firstKept: (compaction: Entry) => Entry | undefined
  readonly #calls = new OpenCalls()
  /** The agent is still working: its newest response called tools. */
  #works = false

  constructor(writer: TranscriptWriter, provider: ProviderName, firstKept: (compaction: Entry) => Entry | undefined) {
    this.#writer = writer
    this.#provider = provider
    this.#firstKept = firstKept
  }

  write(path: readonly Entry[], origin: Origin | null): void {
    const messages = path.map((entry) => this.#message(entry))
    if (origin) {
      const inherited = path.findIndex(({ record }) => !((timeOf(record.timestamp) ?? Infinity) < origin.time))
      const front = messages.slice(0, inherited === -1 ? path.length : inherited)
      const forkMessage = this.#writer.length + front.filter((message) => message).length
      this.#writer.describe({ parent: origin.parent, forkMessage })
    }
    /** How many messages come before each entry. */
    const starts = new Map<Entry, number>()
    let before: Draft | undefined
    for (const [index, entry] of path.entries()) {
      const at = this.#writer.length
      starts.set(entry, at)
      const { record, line } = entry
      if (record.type === 'compaction') {
        const kept = this.#firstKept(entry)
        const summary = [injected(summaryText('compaction', record.summary), line)]
        this.#writer.compaction({ at, keptFrom: (kept && starts.get(kept)) ?? at, summary, line })
      }
      const message = messages[index]
      if (!message) continue
      if (message.role === 'tool' && before?.role === 'tool' && this.#provider !== 'openai') message.continues = true
      this.#writer.message(message)
      before = message
    }
  }

  #message({ record, line }: Entry): Draft | undefined {
    const message = this.#of(record, line)
    const time = timeOf(record.timestamp)
    if (message && time !== undefined) message.time = time
    return message
  }

  #of(record: JsonObject, line: number): Draft | undefined {
    if (record.type === 'custom_message') return injected(contentOf(record.content), line)
    if (record.type === 'branch_summary') return injected(summaryText('branch', record.summary), line)
    if (record.type !== 'message' || !isMessage(record.message)) return undefined
    const { message } = record
    switch (message.role) {
      case 'user': {
        const user: Draft = { role: 'user', line, blocks: contentOf(message.content) }
        if (this.#works) user.origin = 'queued'
        return user
      }
      case 'assistant':
        return this.#response(message, line)
      case 'toolResult': {
        const answered = this.#calls.answer(stringOf(message.toolCallId) ?? '', stringOf(message.toolName))
        const result: Draft = { role: 'tool', line, blocks: contentOf(message.content), ...answered }
        if (message.isError === true) result.isError = true
        return result
      }
      case 'bashExecution':
        return message.excludeFromContext === true ? undefined : injected(commandText(message), line)
      case 'branchSummary':
        return injected(summaryText('branch', message.summary), line)
      case 'compactionSummary':
        return injected(summaryText('compaction', message.summary), line)
      default:
        return injected(contentOf(message.content), line)
    }
  }

  #response(message: JsonObject, line: number): Draft | undefined {
    const usage = piUsage(message.usage)
    this.#works = message.stopReason === 'toolUse'
    if (isFailed(message)) return undefined
    const model = stringOf(message.model)
    const responseId = stringOf(message.responseId)
    const blocks = this.#calls.make(contentOf(message.content))
    const response: Draft = { role: 'assistant', line, blocks }
    if (usage) response.usage = usage
    if (model !== undefined) response.model = model
    if (responseId !== undefined) response.responseId = responseId
    return response
  }
}

function isHeader(record: JsonObject): boolean {
  if (record.type !== 'session' || typeof record.id !== 'string') return false
  return typeof record.cwd === 'string' || typeof record.version === 'number'
}

function isMessage(value: unknown): value is JsonObject {
  return roles.has(roleOf(value))
}

function roleOf(message: unknown): string {
  return stringOf(objectOf(message)?.role) ?? ''
}

/** A response of the most frequent model: the model can change in a session, but a transcript is counted for one. */
function typicalResponse(path: readonly Entry[]): JsonObject | undefined {
  const byModel = new Map<string, JsonObject[]>()
  for (const { record } of path) {
    const message = objectOf(record.message)
    const model = stringOf(message?.model)
    if (message?.role !== 'assistant' || model === undefined || isFailed(message)) continue
    const responses = byModel.get(model)
    if (responses) responses.push(message)
    else byModel.set(model, [message])
  }
  let most: readonly JsonObject[] = []
  for (const responses of byModel.values()) if (responses.length > most.length) most = responses
  return most[0]
}

/** Whether the request was never answered. */
function isFailed(message: JsonObject): boolean {
  return Boolean(stringOf(message.errorMessage)) && !piUsage(message.usage)
}

/** The API that was used decides the wire form, else the model's name. */
function providerOf(response: JsonObject | undefined): ProviderName {
  const api = stringOf(response?.api) ?? ''
  for (const name of ['anthropic', 'google', 'openai'] as const) if (api.startsWith(name)) return name
  return spokenBy(stringOf(response?.model))
}

function injected(blocks: Block[], line: number): Draft {
  return { role: 'user', line, blocks, origin: 'injected' }
}

function contentOf(content: unknown): Block[] {
  return Array.isArray(content) ? content.flatMap(partBlocks) : textBlocks(content)
}

function partBlocks(value: unknown): Block[] {
  const part = objectOf(value)
  if (!part) return textBlocks(value)
  switch (part.type) {
    case 'text':
      return typeof part.text === 'string' ? [{ type: 'text', text: part.text }] : [jsonBlock(part)]
    case 'thinking':
      return thoughtBlocks(part)
    case 'toolCall':
      return [callBlock(part.id, part.name, part.arguments ?? {})]
    case 'image':
      return [urlBlock('image', `data:${stringOf(part.mimeType) ?? ''};base64,${stringOf(part.data) ?? ''}`)]
    default:
      return [jsonBlock(part)]
  }
}

/** The signature goes back to the provider: OpenAI's is the whole item, Anthropic's contains redacted reasoning. */
function thoughtBlocks(part: JsonObject): Block[] {
  const signature = stringOf(part.thinkingSignature)
  const item = signature?.startsWith('{') ? objectOf(parsedJson(signature)) : undefined
  if (item) return responseBlocks({ ...item, type: 'reasoning' }) ?? []
  if (signature && (part.redacted === true || part.thinking === '')) return [opaque(signature)]
  return typeof part.thinking === 'string' ? [{ type: 'thinking', text: part.thinking }] : [jsonBlock(part)]
}

const headings = {
  branch: 'The following is a summary of a branch that this conversation came back from:',
  compaction: 'The conversation history before this point was compacted into the following summary:',
} as const

function summaryText(of: keyof typeof headings, summary: unknown): Block[] {
  const end = of === 'branch' ? '</summary>' : '\n</summary>'
  return textBlocks(`${headings[of]}\n\n<summary>\n${stringOf(summary) ?? ''}${end}`)
}

/** A command that the user ran with `!`, in the words in which pi sends it to the model. */
function commandText({ command, output, cancelled, exitCode, truncated, fullOutputPath }: JsonObject): Block[] {
  const text = stringOf(output) ? `\`\`\`\n${output}\n\`\`\`` : '(no output)'
  const failed = typeof exitCode === 'number' && exitCode !== 0 ? `\n\nCommand exited with code ${exitCode}` : ''
  const path = truncated === true ? stringOf(fullOutputPath) : undefined
  const rest = path ? `\n\n[Output truncated. Full output: ${path}]` : ''
  const end = cancelled === true ? '\n\n(command cancelled)' : failed
  return textBlocks(`Ran \`${stringOf(command) ?? ''}\`\n${text}${end}${rest}`)
}
