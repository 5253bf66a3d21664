/**
 * The log of what Kimi Code did, and of what Kimi CLI did before it, which has the same events under other names. Read from
 * MoonshotAI/kimi-code (packages/agent-core-v2/docs/wire-manifest.d.ts@d723cc47ee) and MoonshotAI/kimi-cli
 * (wire/types.py@026ae98e22) on 2026-11-28.
 *
 * - A step is a response: its parts, its calls and its usage. Usage that comes while a summary is written is of that call.
 * - What went into the context counts (`context.append_message`); a prompt alone (`turn.prompt`) only where that is missing.
 * - Kimi Code writes down the system prompt and the tools; Kimi CLI has the prompt in `context.jsonl` alone.
 * - Each agent has a file of its own. In Kimi CLI's, the events of sub-agents stand among those of their parent.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { setOf } from '../../base/words.ts'
import type { Block, Message, Usage } from '../../model/message.ts'
import { type Kind, kind, kindsBy, recordReader } from '../frames.ts'
import { bad, type Outcome, type ReaderContext } from '../reader.ts'
import { callBlock, jsonBlock, textBlocks, thinkingBlocks, urlBlock } from '../wire/blocks.ts'
import { parsedObject, timeOf } from '../wire/bodies.ts'
import { injected, type Mark, Session, type SessionHead, textIn } from '../wire/session.ts'
import { both, keys, kinds, listOf, optional, orText, prose, someOf } from '../wire/shape.ts'
import { sideCallOf } from '../wire/side-calls.ts'
import { tokens } from '../wire/usage.ts'

const partShape = kinds('type', { text: keys({ text: 'string' }), think: keys({ think: 'string' }) })
const contentShape = orText(listOf(partShape))
const countsShape = keys({ inputOther: 'any', output: 'any', inputCacheRead: 'any', inputCacheCreation: 'any' })

const events = kindsBy<Wire>('type', {
  'content.part': kind({ part: partShape }, ({ part }, mark, wire) =>
    wire.write(partBlocks(objectOf(part) ?? {}), mark),
  ),
  'step.begin': kind(null, (_, _mark, wire) => wire.step()),
  'tool.call': kind({ toolCallId: 'string', name: 'string', args: 'arguments?' }, (event, mark, wire) =>
    wire.write([callBlock(event.toolCallId, event.name, event.args ?? {})], mark),
  ),
  'tool.result': kind(
    { toolCallId: 'string', result: keys({ output: contentShape, note: 'text?' }) },
    ({ toolCallId, result }, mark, wire) => {
      const { isError, ...said } = objectOf(result) ?? {}
      wire.result(toolCallId, said, isError, mark)
    },
  ),
  'step.end': kind({ usage: optional(countsShape) }, ({ usage }, mark, wire) => {
    if (objectOf(usage)) wire.count(usage, mark, false)
  }),
})

const bound = ({ systemPrompt, cwd, environmentDisclosure }: JsonObject, _: Mark, wire: Wire): void => {
  wire.system = stringOf(systemPrompt) ?? wire.system
  wire.cwd = stringOf(cwd) ?? stringOf(objectOf(environmentDisclosure)?.cwd) ?? wire.cwd
}
const prompted = ({ input }: JsonObject, mark: Mark, wire: Wire): void => wire.ask({ blocks: blocksOf(input), mark })

const records = kindsBy<Wire>(
  'type',
  {
    'turn.prompt': kind({ input: contentShape }, prompted),
    'turn.steer': kind(null, prompted),
    'config.update': kind(null, bound),
    'profile.bind': kind({ systemPrompt: 'string' }, bound),
    'llm.request': kind({ kind: 'string', model: 'string' }, (record, _, wire) => {
      wire.model = stringOf(record.model) ?? wire.model
      wire.system = stringOf(record.systemPrompt) ?? wire.system
      wire.isCompacting = record.kind === 'compaction'
      if (!wire.isCompacting) wire.step()
    }),
    'llm.tools_snapshot': kind(
      { tools: listOf(keys({ name: 'string', description: 'string', parameters: 'object' })) },
      ({ tools }, _, wire) => {
        wire.tools = itemsOf(tools).map((tool) => ({ type: 'function', function: tool }))
      },
    ),
    'usage.record': kind({ usage: countsShape }, ({ usage }, mark, wire) => wire.count(usage, mark, true)),
    'context.append_message': kind(
      { message: keys({ role: 'string', content: contentShape, origin: optional(keys({ kind: 'string' })) }) },
      ({ message }, mark, wire) => wire.append(objectOf(message), mark),
    ),
    'full_compaction.begin': kind(null, (_, _mark, wire) => {
      wire.isCompacting = true
      return 'no-context'
    }),
    'context.apply_compaction': kind(
      both(someOf({ contextSummary: prose, summary: 'any' }), keys({ keptUserMessageCount: 'amount?' })),
      (record, { line }, wire) => wire.compact(record, line),
    ),
    'context.clear': kind(null, (_, { line }, wire) => wire.clear(line)),
    'context.undo': kind(null, ({ count }, _, wire) => wire.undo(typeof count === 'number' ? count : 1)),
    'context.append_loop_event': kind({ event: events.shape }, ({ event }, mark, wire) => {
      const inner = objectOf(event)
      return inner ? events.read(inner, mark, wire) : bad
    }),
  },
  // The families of records that are bookkeeping.
  /^(?:metadata|cron|forked|full_compaction|goal|interaction|interruptionReminder|mcp|permission|plan|plan_mode|plugin|prompt|runtime|staleGuard|swarm_mode|task|token_counting|tools|tower_mode|turn)(?:\.|$)/,
)

/** An event of Kimi CLI, of which the payload is handed on. */
const told = (expected: Parameters<typeof kind>[0], read: Kind<Wire>['read']): Kind<Wire> =>
  kind({ payload: typeof expected === 'function' ? expected : keys(expected ?? {}) }, ({ payload }, mark, wire) =>
    read(objectOf(payload) ?? {}, mark, wire),
  )

const asked = told({ user_input: contentShape }, ({ user_input }, mark, wire) => {
  wire.session.prompt(blocksOf(user_input), mark)
  wire.step()
})

const olderKinds = {
  TurnBegin: asked,
  SteerInput: asked,
  StepBegin: kind<Wire>(null, (_, _mark, wire) => wire.step()),
  ContentPart: told(partShape, (part, mark, wire) => wire.write(partBlocks(part), mark)),
  ToolCall: told(
    { id: 'string', function: keys({ name: 'string', arguments: 'string|null' }) },
    ({ id, function: made }, mark, wire) => {
      const { name, arguments: input } = objectOf(made) ?? {}
      wire.write([callBlock(id, name, parsedObject(input) ?? input ?? {})], mark)
    },
  ),
  ToolResult: told(
    { tool_call_id: 'string', return_value: keys({ output: contentShape, message: 'text?' }) },
    ({ tool_call_id, return_value }, mark, wire) => {
      const returned = objectOf(return_value) ?? {}
      wire.result(tool_call_id, returned, returned.is_error, mark)
    },
  ),
  StatusUpdate: told(
    {
      token_usage: optional(
        keys({ input_other: 'any', output: 'any', input_cache_read: 'any', input_cache_creation: 'any' }),
      ),
    },
    ({ token_usage }, mark, wire) => {
      if (!objectOf(token_usage)) return 'no-context'
      wire.count(token_usage, mark, true)
    },
  ),
  CompactionEnd: kind<Wire>(null, (_, { line }, { session }) =>
    session.compaction([injected(textBlocks('[a summary that is not recorded]'), line)], line),
  ),
}

const unseen = setOf(`
  ApprovalRequest ApprovalRequestResolved ApprovalResponse BtwBegin BtwEnd CompactionBegin HookResolved HookTriggered
  MCPLoadingBegin MCPLoadingEnd Notification PlanDisplay QuestionRequest StepInterrupted ToolCallRequest TurnEnd
`)

const inner = kindsBy('type', olderKinds, unseen)
const older = kindsBy<Wire>('type', { ...olderKinds, SubagentEvent: told({ event: inner.shape }, () => bad) }, unseen)
const lineShape = keys({ message: older.shape })

export default recordReader({
  name: 'kimi-wire',
  program: 'kimi-cli',
  summary: "Kimi Code's sessions, and Kimi CLI's logs",
  source: '~/.kimi-code/sessions/*/*/agents/*/wire.jsonl, ~/.kimi/sessions/*/*/wire.jsonl',
  places: [
    ...[
      ['$KIMI_CODE_HOME/sessions', '~/.kimi-code/sessions'],
      ['~/Library/Application Support/kimi-desktop/daimon-share/daimon/runtime/kimi-code/home/sessions'],
    ].map((directories) => ({
      directories,
      files: '*/*/agents/*/wire.jsonl',
      session: /([^/]+)\/agents\/main\/wire\.jsonl$/,
      subagents: '*/*/agents/!(main)/wire.jsonl',
    })),
    {
      directories: ['$KIMI_SHARE_DIR/sessions', '~/.kimi/sessions'],
      files: '*/*/wire.jsonl',
      session: /([^/]+)\/wire\.jsonl$/,
    },
  ],
  shapes: [
    ['type', 'time', 'protocol_version', 'event', 'event.type', 'usage.inputOther'],
    ['timestamp', 'message', 'message.type', 'message.payload'],
  ],
  shape: (record) => (eventIn(objectOf(record)?.message) ? lineShape : records.shape)(record),
  recognise(record) {
    if (eventIn(record.message)) return 1
    if (record.type === 'metadata') return 'protocol_version' in record
    return /^(?:context\.(?:append|apply)_|llm\.(?:request|tools_snapshot)$|usage\.record$|turn\.prompt$)/.test(
      stringOf(record.type) ?? '',
    )
  },
  begin: () => new Wires(),
  record(record, { line }, wires) {
    const mark = { line, time: timeOf(record.time ?? record.timestamp) }
    const event = eventIn(record.message)
    return event ? wires.event(event, wires.main, mark) : records.read(record, mark, wires.main)
  },
  end: (wires, context) => wires.write(context),
})

/** An event of Kimi CLI. */
function eventIn(value: unknown): JsonObject | undefined {
  const event = objectOf(value)
  return typeof event?.type === 'string' && objectOf(event.payload) ? event : undefined
}

class Wires {
  readonly main = new Wire()
  /** Sub-agents whose events stand among those of the main one, by the call that started them. */
  readonly #subagents = new Map<string, Wire>()

  event(event: JsonObject, wire: Wire, mark: Mark): Outcome {
    if (event.type !== 'SubagentEvent') return older.read(event, mark, wire)
    const payload = objectOf(event.payload)
    const told = eventIn(payload?.event)
    const id = textIn(payload, 'agent_id', 'parent_tool_call_id', 'task_tool_call_id')
    if (!told || id === undefined) return bad
    const subagent = this.#subagents.get(id) ?? new Wire()
    this.#subagents.set(id, subagent)
    return this.event(told, subagent, mark)
  }

  write(context: ReaderContext): void {
    const path = context.file.replaceAll('\\', '/')
    const [, session, agent = 'main'] = /([^/]+)(?:\/agents\/([^/]+))?\/wire\.jsonl$/.exec(path) ?? []
    const state = objectOf(context.beside('../../state.json'))
    const above = stringOf(objectOf(objectOf(state?.agents)?.[agent])?.parentAgentId)
    const nameOf = (of: string) => (of === 'main' ? session : `${session}/${of}`)
    const conversation = nameOf(agent)
    const cwd = textIn(state, 'workDir', 'cwd')
    const begun = itemsOf(context.beside('context.jsonl')).map(objectOf)
    this.main.system ??= stringOf(begun.find((record) => record?.role === '_system_prompt')?.content)
    this.main.save(context, { conversation, cwd, parent: above === undefined ? undefined : nameOf(above) })
    for (const [id, subagent] of this.#subagents)
      subagent.save(context, { conversation: `${conversation ?? ''}/${id}`, cwd, parent: conversation })
  }
}

/** One agent. */
class Wire {
  readonly session = new Session()
  system: string | undefined
  tools: readonly unknown[] | undefined
  cwd: string | undefined
  model: string | undefined
  isCompacting = false
  /** A prompt that the context has not taken yet. */
  #prompt: { readonly blocks: readonly Block[]; readonly mark: Mark } | null = null
  /** The step has a response, and that a count of its own. */
  #isWriting = false
  #isCounted = false
  /** What the newest compaction left, as places in the session, with -1 for the summary, and how long that was then. */
  #left: readonly number[] = []
  #since = 0

  save(context: ReaderContext, head: Pick<SessionHead, 'conversation' | 'cwd' | 'parent'>): void {
    this.ask(null)
    if (this.session.length === 0) return
    const { tools, model } = this
    const system: Message[] = textBlocks(this.system).map((block) => ({ role: 'system', line: 1, blocks: [block] }))
    const preamble = { system, complete: system.length > 0 && tools !== undefined, ...(tools && { tools }) }
    this.session.write(context, { ...head, cwd: this.cwd ?? head.cwd, model, preamble })
  }

  step(): void {
    this.ask(null)
    this.#isWriting = this.#isCounted = false
  }

  /** Adds the last prompt, unless the context took it (versions differ), and holds the next one. */
  ask(next: { readonly blocks: readonly Block[]; readonly mark: Mark } | null): void {
    if (this.#prompt) this.session.prompt(this.#prompt.blocks, this.#prompt.mark)
    this.#prompt = next
  }

  write(blocks: readonly Block[], mark: Mark, usage?: Usage): void {
    this.ask(null)
    if (this.#isWriting) this.session.continueResponse(blocks, usage)
    else this.session.response(blocks, { ...mark, model: this.model, usage })
    this.#isWriting = true
  }

  result(id: unknown, { output, message, note }: JsonObject, isError: unknown, mark: Mark): void {
    const said = textBlocks(message ?? note).map(
      ({ text }) => ({ type: 'text', text: `<system>${text}</system>` }) as const,
    )
    this.session.result([...said, ...blocksOf(output)], { ...mark, id, isError })
  }

  /** @param isOwn a record by itself: the end of a step only repeats what one says */
  count(value: unknown, mark: Mark, isOwn: boolean): void {
    if (!isOwn && this.#isCounted) return
    const usage = usageIn(objectOf(value) ?? {})
    if (this.isCompacting || (isOwn && this.#isCounted)) {
      const kind = this.isCompacting ? 'summary' : 'taken-back'
      this.session.sideCall(sideCallOf({ kind, usage, model: this.model, line: mark.line, time: mark.time }))
      return
    }
    this.write([], mark, usage)
    this.#isCounted = isOwn
  }

  append(message: JsonObject | undefined, mark: Mark): Outcome {
    if (!message) return bad
    const blocks = blocksOf(message.content)
    const origin = objectOf(message.origin)
    switch (message.role) {
      case 'user': {
        const isOwn = origin === undefined || origin.kind === 'user' || origin.trigger === 'user-slash'
        if (isOwn) this.#prompt = null
        this.session.prompt(blocks, mark, isOwn ? undefined : 'injected')
        return 'used'
      }
      case 'assistant':
        this.step()
        this.write([...blocks, ...callsOf(message.toolCalls)], mark)
        this.#isWriting = false
        return 'used'
      case 'tool':
        this.result(message.toolCallId, { output: message.content, note: message.note }, message.isError, mark)
        return 'used'
      case 'system':
        this.session.instruct(blocks, mark)
        return 'used'
      default:
        return bad
    }
  }

  clear(line: number): void {
    this.session.compaction([], line)
    this.#remember([])
  }

  /** The context as it is, as places in the session. */
  get #window(): readonly number[] {
    const { length } = this.session
    return [...this.#left, ...Array.from({ length: length - this.#since }, (_, nth) => this.#since + nth)]
  }

  /** Before it kept the newest of all messages, later only what users had said. */
  compact(record: JsonObject, line: number): void {
    const {
      contextSummary,
      summary,
      compactedCount,
      count,
      keptUserMessageCount: kept,
      keptHeadUserMessageCount,
    } = record
    const text = contextSummary ?? (objectOf(summary) ? objectOf(summary)?.content : summary)
    const told = injected(blocksOf(text), line)
    const window = this.#window
    this.isCompacting = false
    if (typeof kept !== 'number') {
      const tail = window.slice(Number(compactedCount ?? count))
      this.session.compaction([told], line, tail.find((place) => place >= 0) ?? this.session.length)
      this.#remember([-1, ...tail])
      return
    }
    const messages = this.session.messagesFor('openai')
    const users = window.filter((place) => messages[place]?.role === 'user' && messages[place]?.origin === undefined)
    const head = typeof keptHeadUserMessageCount === 'number' ? keptHeadUserMessageCount : 0
    const places = [...users.slice(0, head), ...users.slice(Math.max(head, users.length - (kept - head)))]
    const stayed = places.map((place) => injected((messages[place] as Message).blocks, line))
    this.session.compaction([...stayed, told], line)
    this.#remember([...places, -1])
  }

  #remember(left: readonly number[]): void {
    this.#left = left
    this.#since = this.session.length
  }

  /** Takes back the newest prompts, with all that came behind them. */
  undo(count: number): void {
    const messages = this.session.messagesFor('openai')
    const prompts = messages.flatMap(({ role, origin }, at) => (role === 'user' && origin === undefined ? [at] : []))
    const from = prompts.at(-count) ?? 0
    this.session.takeBack(from)
    this.#since = Math.min(this.#since, from)
  }
}

function blocksOf(content: unknown): Block[] {
  return Array.isArray(content)
    ? itemsOf(content).flatMap((part) => partBlocks(objectOf(part) ?? { text: part }))
    : textBlocks(content)
}

function partBlocks(part: JsonObject): Block[] {
  switch (part.type) {
    case 'text':
      return textBlocks(part.text)
    case 'think':
      return thinkingBlocks(part.think)
    case 'image_url':
      return [urlBlock('image', objectOf(part.image_url)?.url ?? objectOf(part.imageUrl)?.url)]
    default:
      return [jsonBlock(part)]
  }
}

function callsOf(calls: unknown): Block[] {
  return itemsOf(calls).flatMap((call) => {
    const { id, name, arguments: input } = objectOf(call) ?? {}
    return typeof name === 'string' ? [callBlock(id, name, parsedObject(input) ?? input ?? {})] : []
  })
}

function usageIn(counts: JsonObject): Usage {
  const count = (...names: string[]) =>
    tokens(names.map((name) => counts[name]).find((value) => value !== undefined)) ?? 0
  const cacheRead = count('inputCacheRead', 'input_cache_read')
  const cacheWrite = count('inputCacheCreation', 'input_cache_creation')
  const input = count('inputOther', 'input_other') + cacheRead + cacheWrite
  return { input, cacheRead, cacheWrite, cacheWrite1h: 0, output: count('output') }
}
