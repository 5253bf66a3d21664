/**
 * Claude Code's session files (`~/.claude/projects/<directory>/<session>.jsonl`), sub-agents' files, and what
 * `claude -p --output-format stream-json` prints. They log everything that the program keeps, and the conversation is only
 * a part of it. There is no specification: the rules here were derived from hundreds of real files.
 *
 * - A response is all lines with the same (message.id, requestId), see `Chain`. Local error messages are not responses.
 * - The main conversation and each sub-agent are transcripts of their own. So is a second session in the same file, unless
 *   it continues the first.
 * - `toolUseResult`, progress and bookkeeping records are left out, because the model never sees them.
 * - The system prompt and the tools are recorded since 2.1.287 (`prompt_snapshot`), and what is sent of an attachment (`rendered`).
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import { setOf } from '../../../base/words.ts'
import type { Message, StartedAgent, Usage } from '../../../model/message.ts'
import {
  bad,
  defineReader,
  duplicate,
  type Outcome,
  type Place,
  type ReaderContext,
  type Reading,
  type TranscriptWriter,
  unknown,
  unlinked,
} from '../../reader.ts'
import { anthropicBlocks } from '../../wire/blocks.ts'
import { timeOf } from '../../wire/bodies.ts'
import type { Draft } from '../../wire/conversations.ts'
import { costIn, usageOf } from '../../wire/usage.ts'
import { Chain, type PlainChain } from './chain.ts'
import { Links, type PlainLinks } from './links.ts'
import { recordShapeOf } from './record-shape.ts'
import { asksSomething, attached, isKnownAttachment } from './shown.ts'
import { resultBlocks, withoutPlan } from './unsent.ts'

/** Records that never hold context: titles, undo data, queues, and the frame of stream-json. */
const bookkeeping = setOf(`
  agent-color agent-name agent-setting ai-title atis-latch attribution-snapshot bridge-session content-replacement
  control_request control_response custom-title file-history-delta file-history-snapshot frame-link keep_alive
  last-prompt mode permission-mode pr-link queue-operation rate_limit_event relocated result started stream_event
  summary tag tool_progress worktree-state
`)

/** Records that are part of the conversation's tree. */
const linked = new Set(['user', 'assistant', 'system', 'attachment', 'progress'])

const kept = {
  // A sub-agent's file is beside its session's, in newer versions in a directory with the session's name.
  files: '**/*.jsonl',
  session: /(?:^|\/)(?:agent-)?([^/]+)\.jsonl$/,
  subagents: '**/agent-*.jsonl',
} satisfies Omit<Place, 'directories'>

export default defineReader({
  name: 'claude-code',
  program: 'claude-code',
  summary: 'Claude Code sessions, sub-agents and stream-json output',
  source: '~/.claude/projects/*/*.jsonl, claude -p --output-format stream-json',
  places: [
    { directories: ['$CLAUDE_CONFIG_DIR/projects', '~/.claude/projects'], ...kept },
    {
      directories: ['$CLAUDE_CONFIG_DIR/projects', '$XDG_CONFIG_HOME/claude/projects', '~/.config/claude/projects'],
      ...kept,
    },
  ],
  shapes: [['type', 'uuid', 'parentUuid', 'sessionId', 'message.role', 'message.content']],
  recognise(record) {
    const object = objectOf(record)
    const type = stringOf(object?.type)
    if (!object || type === undefined) return 0
    // Qwen Code has the same envelope, but messages in Gemini's form.
    if (Array.isArray(objectOf(object.message)?.parts)) return 0
    if (typeof object.sessionId === 'string') {
      if (linked.has(type)) return typeof object.uuid === 'string' ? 1 : 0
      return bookkeeping.has(type) ? 1 : 0
    }
    if (type === 'summary') return typeof object.leafUuid === 'string' ? 1 : 0
    if (type === 'file-history-snapshot') return objectOf(object.snapshot) ? 1 : 0
    if (typeof object.session_id !== 'string') return 0
    return linked.has(type) || type === 'result' || type === 'stream_event' ? 0.9 : 0
  },
  shape: recordShapeOf(linked),
  read: (context) => new SessionFile(context),
  resume: (context, state, writers) => SessionFile.of(context, state as PlainSession, writers),
})

/** What is known of a file, with its chains by number. */
interface PlainSession {
  readonly links: PlainLinks
  readonly all: readonly { readonly writer: number; readonly chain: PlainChain }[]
  readonly chains: readonly (readonly [id: string, chain: number])[]
  readonly agents: readonly (readonly [id: string, chain: number])[]
  readonly owners: Int32Array
  readonly roots: ReadonlySet<number>
  readonly orphans: ReadonlyMap<string, number>
  readonly latestAgent: number
}

class SessionFile implements Reading {
  readonly #context: ReaderContext
  #links = new Links()
  /** The main conversations by session id, and the sub-agents' by agent id. */
  readonly #chains = new Map<string, Chain>()
  readonly #agents = new Map<string, Chain>()
  /** The chain of each branch, by the branch's number. */
  readonly #owners: Chain[] = []
  /** Branches that begin at a record without a parent, and have no message yet. */
  readonly #roots = new Set<number>()
  /** The lines of records whose parent has not been seen, by the parent's id: some come a few lines before their parent. */
  readonly #orphans = new Map<string, number>()
  #latestAgent: Chain | undefined
  /** The branch of the current record. */
  #branch = 0
  // Cached: most lines belong to the same session as the line before, and often to the same response.
  #session: string | undefined
  #main: Chain | undefined
  #key = { message: '', request: '', whole: ':' }

  constructor(context: ReaderContext) {
    this.#context = context
  }

  static of(context: ReaderContext, state: PlainSession, writers: readonly TranscriptWriter[]): SessionFile {
    const file = new SessionFile(context)
    const all = state.all.map(({ writer, chain }) => new Chain(writers[writer] as TranscriptWriter, chain))
    const chainOf = (number: number): Chain => all[number] as Chain
    file.#links = new Links(state.links)
    for (const [id, chain] of state.chains) file.#chains.set(id, chainOf(chain))
    for (const [id, chain] of state.agents) file.#agents.set(id, chainOf(chain))
    for (const chain of state.owners) file.#owners.push(chainOf(chain))
    for (const root of state.roots) file.#roots.add(root)
    for (const [parent, line] of state.orphans) file.#orphans.set(parent, line)
    file.#latestAgent = all[state.latestAgent]
    return file
  }

  state(numberOf: (writer: TranscriptWriter) => number): PlainSession {
    const all = [...new Set(this.#owners)]
    const numbers = new Map(all.map((chain, number) => [chain, number]))
    const number = (chain: Chain): number => numbers.get(chain) as number
    return {
      links: this.#links.plain(),
      all: all.map((chain) => ({ writer: numberOf(chain.writer), chain: chain.plain() })),
      chains: Array.from(this.#chains, ([id, chain]) => [id, number(chain)] as const),
      agents: Array.from(this.#agents, ([id, chain]) => [id, number(chain)] as const),
      owners: Int32Array.from(this.#owners, number),
      roots: this.#roots,
      orphans: this.#orphans,
      latestAgent: this.#latestAgent === undefined ? -1 : number(this.#latestAgent),
    }
  }

  /** A printed stream says at its end what all of its session has cost so far. */
  #ended({ session_id, total_cost_usd }: JsonObject): void {
    this.#chains.get(stringOf(session_id) ?? '')?.writer.describe(costIn(total_cost_usd))
  }

  record(value: unknown, line: number): Outcome {
    const record = objectOf(value)
    if (!record) return bad
    const { type } = record
    const uuid = stringOf(record.uuid)
    if (uuid !== undefined) this.#orphans.delete(uuid)
    if (typeof type !== 'string' || !linked.has(type)) {
      if (type === 'result') this.#ended(record)
      this.#link(record, uuid)
      return bookkeeping.has(type) ? 'no-context' : unknown(type)
    }
    if (uuid !== undefined && this.#links.has(uuid)) return duplicate

    const chain = this.#chainOf(record, uuid)
    const isFirst = chain.state.isFresh
    if (isFirst) this.#begin(record, chain, line)
    const branch = this.#branchOf(record, chain)
    if (branch === undefined && !isFirst) this.#orphan(record, line)
    this.#branch = branch ?? chain.branch
    const place = chain.length
    const outcome = this.#linked(type, record, chain, line)
    // A record that was left out is still a link in the tree.
    if (uuid !== undefined) this.#links.add(uuid, record.parentUuid, this.#branch, place)
    return outcome
  }

  /** A record of an unknown kind is a link in the tree, too. */
  #link({ parentUuid }: JsonObject, uuid: string | undefined): void {
    const owner = this.#ownerOf(parentUuid)
    if (uuid === undefined || !owner || this.#links.has(uuid)) return
    this.#links.add(uuid, parentUuid, this.#links.branchOf(parentUuid as string) as number, owner.length)
  }

  #orphan({ parentUuid }: JsonObject, line: number): void {
    if (typeof parentUuid !== 'string') this.#context.finding({ ...unlinked, line })
    else if (!this.#orphans.has(parentUuid)) this.#orphans.set(parentUuid, line)
  }

  /** Reads the first record of a conversation. Unless it is a compaction, its parent should be in the file. */
  #begin(record: JsonObject, chain: Chain, line: number): void {
    chain.state.isFresh = false
    if (typeof record.version === 'string') chain.writer.describe({ version: record.version })
    const { parentUuid } = record
    if (chain.state.isSide || typeof parentUuid !== 'string' || isCut(record)) return
    if (this.#links.has(parentUuid)) return
    chain.beginWithoutHead(line)
    this.#context.finding({ code: 'missing-head', line })
  }

  #linked(type: string, record: JsonObject, chain: Chain, line: number): Outcome {
    switch (type) {
      case 'assistant':
        return this.#assistant(record, chain, line)
      case 'user':
        return this.#user(record, chain, line)
      case 'attachment':
        return this.#attachment(record, chain, line)
      case 'system':
        return this.#system(record, chain, line)
      default:
        if (objectOf(record.data)?.hookName === 'SessionStart:resume') this.#resumed(record, chain, line)
        return 'no-context'
    }
  }

  end(): void {
    for (const line of this.#orphans.values()) this.#context.finding({ ...unlinked, line })
    for (const chain of this.#chains.values()) chain.end()
    for (const chain of this.#agents.values()) chain.end()
  }

  #chainOf(record: JsonObject, uuid: string | undefined): Chain {
    const session = stringOf(record.sessionId) ?? stringOf(record.session_id) ?? ''
    const chain =
      record.isSidechain === true || typeof record.parent_tool_use_id === 'string'
        ? this.#sideChainOf(record, uuid, session)
        : this.#mainChainOf(record, session)
    if (!chain.state.hasCwd && typeof record.cwd === 'string') {
      chain.state.hasCwd = true
      chain.writer.describe({ cwd: record.cwd })
    }
    return chain
  }

  #mainChainOf(record: JsonObject, session: string): Chain {
    if (session === this.#session) return this.#main as Chain
    let chain = this.#chains.get(session)
    if (!chain) {
      const parent = this.#ownerOf(record.parentUuid)
      chain = parent && !parent.state.isSide ? parent : this.#open(session === '' ? null : session, null)
      this.#chains.set(session, chain)
    }
    this.#session = session
    this.#main = chain
    return chain
  }

  /** Sub-agents have an id since 2025; in older files only the links between their records tell them apart. */
  #sideChainOf(record: JsonObject, uuid: string | undefined, session: string): Chain {
    const agent = stringOf(record.agentId) ?? stringOf(record.parent_tool_use_id)
    let chain: Chain | undefined
    if (agent !== undefined) chain = this.#agents.get(agent)
    else if (typeof record.parentUuid === 'string') {
      const parent = this.#ownerOf(record.parentUuid)
      chain = parent?.state.isSide ? parent : parent ? undefined : this.#latestAgent
    }
    if (!chain) {
      const id = agent ?? uuid ?? `${session}/${this.#agents.size + 1}`
      chain = this.#open(id, session === '' ? null : session)
      this.#agents.set(id, chain)
    }
    this.#latestAgent = chain
    return chain
  }

  /** @param parent the session that a sub-agent works for; null for a main conversation */
  #open(conversation: string | null, parent: string | null): Chain {
    const writer = this.#context.open({ conversation, provider: 'anthropic' })
    if (parent !== null) writer.describe({ parent })
    const branches = [{ number: this.#owners.length, start: 0 }]
    const chain = new Chain(writer, { isSide: parent !== null, branches })
    this.#owners.push(chain)
    return chain
  }

  #ownerOf(uuid: unknown): Chain | undefined {
    const branch = typeof uuid === 'string' ? this.#links.branchOf(uuid) : undefined
    return branch === undefined ? undefined : this.#owners[branch]
  }

  #newBranch(chain: Chain): number {
    return this.#owners.push(chain) - 1
  }

  /** @returns undefined if its parent is not known: it is then taken for the record before */
  #branchOf(record: JsonObject, chain: Chain): number | undefined {
    const { parentUuid } = record
    if (typeof parentUuid === 'string') {
      chain.state.isLinked = true
      const branch = this.#links.branchOf(parentUuid)
      return branch === undefined || this.#owners[branch] === chain ? branch : chain.branch
    }
    // A compaction has no parent, but continues the history.
    if (isCut(record) || !chain.state.isLinked || chain.length === 0) return chain.branch
    if (parentUuid !== null || !mayBegin(record)) return undefined
    const root = this.#newBranch(chain)
    this.#roots.add(root)
    return root
  }

  #assistant(record: JsonObject, chain: Chain, line: number): Outcome {
    const message = objectOf(record.message)
    const recorded = message?.content
    if (!message || !(typeof recorded === 'string' || Array.isArray(recorded))) return bad
    const content = typeof recorded === 'string' ? recorded : withoutPlan(recorded, record)
    if (record.isApiErrorMessage === true || message.model === '<synthetic>') {
      // The program writes this when a session is resumed, to close what an earlier run left open.
      if (textOf(content) === 'No response requested.') this.#resumed(record, chain, line)
      return 'no-context'
    }
    const isNew = chain.part({
      key: this.#keyOf(record, message, line),
      line,
      blocks: anthropicBlocks(content),
      wire: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
      model: stringOf(message.model),
      time: timeOf(record.timestamp),
      usage: countedUsage(message.usage, record.costUSD),
      hasEnded: typeof message.stop_reason === 'string',
    })
    if (calls(content, 'EnterPlanMode')) chain.planning(line)
    return isNew ? 'used' : duplicate
  }

  #resumed({ parentUuid }: JsonObject, chain: Chain, line: number): void {
    chain.flush()
    chain.writer.resumed()
    if (typeof parentUuid === 'string') chain.resumed(this.#links.pathTo(parentUuid), line)
  }

  #user(record: JsonObject, chain: Chain, line: number): Outcome {
    const content = objectOf(record.message)?.content
    if (!(typeof content === 'string' || Array.isArray(content))) return bad
    const time = timeOf(record.timestamp)
    chain.restored.tool(record.toolUseResult)
    if (record.isMeta === true) chain.restored.skill(textOf(content))
    if (record.isCompactSummary === true) {
      chain.summary(userMessage(content, line, time, 'injected'))
      return 'used'
    }
    if (record.isVisibleInTranscriptOnly === true || content.length === 0) return 'no-context'

    const injected = record.isMeta === true || record.isSynthetic === true || !asksSomething(content)
    const rest = Array.isArray(content) ? content.filter((part) => !isResult(part)) : content
    if (rest.length < content.length) {
      const agent = content.length - rest.length === 1 ? agentOf(record.toolUseResult) : undefined
      for (const part of content)
        if (isResult(part)) chain.result(resultMessage(part, line, time, agent), this.#links.number)
      // The user typed it into a question or a permission prompt, which means while the agent was working.
      if (rest.length > 0)
        chain.riding(userMessage(rest, line, time, injected || !asksSomething(rest) ? 'injected' : 'queued'))
      return 'used'
    }

    if (this.#roots.delete(this.#branch)) chain.startAnew(this.#branch)
    else chain.continueFrom(this.#branch)
    if (injected) {
      chain.aside(userMessage(content, line, time, 'injected'))
      return 'used'
    }
    // A compaction writes its summary before anything else is said.
    if (chain.lacksSummary()) this.#context.finding({ code: 'bad-shape', key: 'isCompactSummary', line })
    this.#branch = this.#newBranch(chain)
    chain.beginBranch(this.#branch)
    chain.prompt(userMessage(content, line, time, undefined))
    if (record.permissionMode === 'plan') chain.planning(line)
    else if (record.permissionMode !== undefined) chain.state.isPlanning = false
    return 'used'
  }

  #attachment(record: JsonObject, chain: Chain, line: number): Outcome {
    const attachment = objectOf(record.attachment)
    if (!attachment) return bad
    chain.state.recordsAttachments = true
    if (attachment.hookName === 'SessionStart:resume') this.#resumed(record, chain, line)
    if (attachment.type === 'prompt_snapshot') return this.#begins(attachment, chain, line)
    const { rendered } = record
    const message = attached(attachment, line, rendered)
    if (!message) return rendered || isKnownAttachment(attachment) ? 'no-context' : unknown(attachment.type)
    chain.aside(withTime(message, timeOf(record.timestamp)))
    return 'used'
  }

  /** The prompt and the tools, as they are sent. A later one, of other tools, is not replayed. */
  #begins({ systemPrompt, tools }: JsonObject, chain: Chain, line: number): Outcome {
    if (chain.state.hasPrompt) return 'no-context'
    chain.state.hasPrompt = true
    const blocks = anthropicBlocks(systemPrompt)
    chain.writer.preamble({
      system: blocks.length > 0 ? [{ role: 'system', line, blocks }] : [],
      tools: itemsOf(tools).map((tool) => objectOf(tool)?.schema ?? tool),
      complete: true,
    })
    return 'used'
  }

  #system(record: JsonObject, chain: Chain, line: number): Outcome {
    if (record.subtype === 'compact_boundary') {
      const kept = firstKept(objectOf(record.compactMetadata) ?? objectOf(record.compact_metadata))
      const known = kept !== undefined && this.#ownerOf(kept) === chain
      chain.compacted(known ? this.#links.messageOf(kept) : undefined, line)
      return 'used'
    }
    if (record.subtype === 'microcompact_boundary') {
      const { compactedToolIds: calls } = objectOf(record.microcompactMetadata) ?? {}
      chain.cleared(Array.isArray(calls) ? calls.filter((call) => typeof call === 'string') : [], line)
      return 'used'
    }
    if (record.subtype !== 'init' || typeof record.model !== 'string') return 'no-context'
    chain.writer.describe({ model: record.model })
    return 'used'
  }

  /** Compatible services leave out one of the ids; a line without any is a response by itself. */
  #keyOf(record: JsonObject, answer: JsonObject, line: number): string {
    const message = stringOf(answer.id) ?? ''
    const request = stringOf(record.requestId) ?? ''
    if (message === '') return request || (stringOf(record.uuid) ?? `line ${line}`)
    if (request === '') return message
    // Cached, because building and hashing the string on every line of a response is slow.
    if (message !== this.#key.message || request !== this.#key.request)
      this.#key = { message, request, whole: `${message}:${request}` }
    return this.#key.whole
  }
}

function isCut(record: JsonObject): boolean {
  return record.subtype === 'compact_boundary' || record.isCompactSummary === true
}

/**
 * Whether it may be the first of a new history behind another one: a prompt (the first was rewound, or `/clear` typed), or
 * the hook that runs behind `/clear`.
 */
function mayBegin({ type, message, data, attachment }: JsonObject): boolean {
  if ((objectOf(data) ?? objectOf(attachment))?.hookEvent === 'SessionStart') return true
  const content = objectOf(message)?.content
  return type === 'user' && !(Array.isArray(content) && content.some(isResult))
}

function textOf(content: string | readonly unknown[]): string {
  return typeof content === 'string' ? content : (stringOf(objectOf(content[0])?.text) ?? '')
}

function calls(content: string | readonly unknown[], tool: string): boolean {
  return typeof content !== 'string' && content.some((part) => objectOf(part)?.name === tool)
}

function isResult(part: unknown): part is JsonObject {
  return objectOf(part)?.type === 'tool_result'
}

/** The sub-agent of a result, as recorded beside it. */
function agentOf(result: unknown): StartedAgent | undefined {
  const { agentId, isAsync } = objectOf(result) ?? {}
  if (typeof agentId !== 'string') return undefined
  return { conversation: agentId, ...(isAsync === true && { inBackground: true }) }
}

function resultMessage(
  part: JsonObject,
  line: number,
  time: number | undefined,
  agent: StartedAgent | undefined,
): Message {
  const message: Draft = {
    role: 'tool',
    line,
    blocks: resultBlocks(part.content),
    wire: { provider: 'anthropic', value: [part] },
  }
  if (typeof part.tool_use_id === 'string') message.callId = part.tool_use_id
  if (part.is_error === true) message.isError = true
  if (agent !== undefined) message.agent = agent
  if (time !== undefined) message.time = time
  return message
}

function userMessage(
  content: string | readonly unknown[],
  line: number,
  time: number | undefined,
  origin: Message['origin'],
): Message {
  const message: Draft = {
    role: 'user',
    line,
    blocks: anthropicBlocks(content),
    wire: { provider: 'anthropic', value: content },
  }
  if (origin) message.origin = origin
  if (time !== undefined) message.time = time
  return message
}

function withTime(message: Message, time: number | undefined): Message {
  return time === undefined ? message : { ...message, time }
}

/** Usage with an input of 0 is not counted: local placeholders have it, and some services' lines during a stream. */
function countedUsage(value: unknown, cost: unknown): Usage | undefined {
  const usage = usageOf(value)
  return usage && usage.input !== 0 ? { ...usage, ...costIn(cost) } : undefined
}

/** The uuid of the first record that a compaction kept unchanged. */
function firstKept(compaction: JsonObject | undefined): string | undefined {
  const messages = compaction?.preservedMessages
  const list = Array.isArray(messages) ? messages : objectOf(messages)?.uuids
  return (
    stringOf(objectOf(compaction?.preservedSegment)?.headUuid) ?? stringOf(Array.isArray(list) ? list[0] : undefined)
  )
}
