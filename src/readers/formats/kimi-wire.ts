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
import type { Block, Message, Usage } from '../../model/message.ts'
import { bad, defineReader, type Outcome, type ReaderContext, type Reading, unknown } from '../reader.ts'
import {
  callBlock,
  itemsOf,
  type JsonObject,
  jsonBlock,
  objectOf,
  stringOf,
  textBlocks,
  thinkingBlocks,
  urlBlock,
} from '../wire/blocks.ts'
import { parsedObject, timeOf } from '../wire/bodies.ts'
import { injected, type Mark, Session, textIn } from '../wire/session.ts'
import { both, keys, kinds, listOf, optional, orText, prose, someOf } from '../wire/shape.ts'
import { sideCallOf } from '../wire/side-calls.ts'
import { tokens } from '../wire/usage.ts'

const partShape = kinds('type', { text: keys({ text: 'string' }), think: keys({ think: 'string' }) })
const contentShape = orText(listOf(partShape))
const countsShape = keys({ inputOther: 'any', output: 'any', inputCacheRead: 'any', inputCacheCreation: 'any' })

const recordShape = kinds('type', {
  'turn.prompt': keys({ input: contentShape }),
  'profile.bind': keys({ systemPrompt: 'string' }),
  'llm.request': keys({ kind: 'string', model: 'string' }),
  'llm.tools_snapshot': keys({ tools: listOf(keys({ name: 'string', description: 'string', parameters: 'object' })) }),
  'usage.record': keys({ usage: countsShape }),
  'context.append_message': keys({
    message: keys({ role: 'string', content: contentShape, origin: optional(keys({ kind: 'string' })) }),
  }),
  'context.apply_compaction': both(
    someOf({ contextSummary: prose, summary: 'any' }),
    keys({ keptUserMessageCount: 'amount?' }),
  ),
  'context.append_loop_event': keys({
    event: kinds('type', {
      'content.part': keys({ part: partShape }),
      'tool.call': keys({ toolCallId: 'string', name: 'string', args: 'arguments?' }),
      'tool.result': keys({ toolCallId: 'string', result: keys({ output: contentShape, note: 'text?' }) }),
      'step.end': keys({ usage: optional(countsShape) }),
    }),
  }),
})

const eventShapes = {
  TurnBegin: keys({ payload: keys({ user_input: contentShape }) }),
  SteerInput: keys({ payload: keys({ user_input: contentShape }) }),
  ContentPart: keys({ payload: partShape }),
  ToolCall: keys({
    payload: keys({ id: 'string', function: keys({ name: 'string', arguments: 'string|null' }) }),
  }),
  ToolResult: keys({
    payload: keys({ tool_call_id: 'string', return_value: keys({ output: contentShape, message: 'text?' }) }),
  }),
  StatusUpdate: keys({
    payload: keys({
      token_usage: optional(
        keys({ input_other: 'any', output: 'any', input_cache_read: 'any', input_cache_creation: 'any' }),
      ),
    }),
  }),
}

const subagentShape = keys({ payload: keys({ event: kinds('type', eventShapes) }) })
const lineShape = keys({ message: kinds('type', { ...eventShapes, SubagentEvent: subagentShape }) })

/** Kinds of Kimi CLI's events that no model sees. */
const unseen = new Set(
  `ApprovalRequest ApprovalRequestResolved ApprovalResponse BtwBegin BtwEnd CompactionBegin HookResolved HookTriggered
  MCPLoadingBegin MCPLoadingEnd Notification PlanDisplay QuestionRequest StepInterrupted ToolCallRequest TurnEnd`.split(
    /\s+/,
  ),
)

/** The families of Kimi Code's records that are bookkeeping. */
const bookkeeping =
  /^(?:metadata|cron|forked|full_compaction|goal|interaction|interruptionReminder|mcp|permission|plan|plan_mode|plugin|prompt|runtime|staleGuard|swarm_mode|task|token_counting|tools|tower_mode|turn)(?:\.|$)/

export default defineReader({
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
  shape: (record) => (eventOf(record) ? lineShape : recordShape)(record),
  recognise(record) {
    if (eventOf(record)) return 1
    const type = kindOf(record) ?? ''
    if (type === 'metadata') return 'protocol_version' in Object(record) ? 1 : 0
    return /^(?:context\.(?:append|apply)_|llm\.(?:request|tools_snapshot)$|usage\.record$|turn\.prompt$)/.test(type)
      ? 1
      : 0
  },
  read: (context) => new Wires(context),
})

function kindOf(record: unknown): string | undefined {
  return stringOf(objectOf(record)?.type)
}

/** An event of Kimi CLI. */
function eventOf(record: unknown): { readonly type: string; readonly payload: JsonObject } | undefined {
  const message = objectOf(objectOf(record)?.message) ?? {}
  const payload = objectOf(message.payload)
  return typeof message.type === 'string' && payload ? { type: message.type, payload } : undefined
}

class Wires implements Reading {
  readonly #context: ReaderContext
  readonly #main = new Wire()
  /** Sub-agents whose events stand among those of the main one, by the call that started them. */
  readonly #subagents = new Map<string, Wire>()

  constructor(context: ReaderContext) {
    this.#context = context
  }

  record(value: unknown, line: number): Outcome {
    const record = objectOf(value)
    if (!record) return bad
    const mark = { line, time: timeOf(record.time ?? record.timestamp) }
    const event = eventOf(record)
    return event ? this.#event(event, this.#main, mark) : this.#main.record(record, mark)
  }

  #event({ type, payload }: NonNullable<ReturnType<typeof eventOf>>, wire: Wire, mark: Mark): Outcome {
    if (type !== 'SubagentEvent') return wire.event(type, payload, mark)
    const event = eventOf({ message: payload.event })
    const id = textIn(payload, 'agent_id', 'parent_tool_call_id', 'task_tool_call_id')
    if (!event || id === undefined) return bad
    const subagent = this.#subagents.get(id) ?? new Wire()
    this.#subagents.set(id, subagent)
    return this.#event(event, subagent, mark)
  }

  end(): void {
    const path = this.#context.file.replaceAll('\\', '/')
    const [, session, agent = 'main'] = /([^/]+)(?:\/agents\/([^/]+))?\/wire\.jsonl$/.exec(path) ?? []
    const state = objectOf(this.#context.beside('../../state.json'))
    const above = stringOf(objectOf(objectOf(state?.agents)?.[agent])?.parentAgentId)
    const nameOf = (of: string) => (of === 'main' ? session : `${session}/${of}`)
    const conversation = nameOf(agent) ?? null
    const cwd = textIn(state, 'workDir', 'cwd')
    const begun = itemsOf(this.#context.beside('context.jsonl')).map(objectOf)
    this.#main.system ??= stringOf(begun.find((record) => record?.role === '_system_prompt')?.content)
    this.#main.write(this.#context, { conversation, cwd, parent: above === undefined ? undefined : nameOf(above) })
    for (const [id, subagent] of this.#subagents)
      subagent.write(this.#context, {
        conversation: `${conversation ?? ''}/${id}`,
        cwd,
        parent: conversation ?? undefined,
      })
  }
}

/** One agent. */
class Wire {
  readonly #session = new Session()
  system: string | undefined
  #tools: readonly unknown[] | undefined
  #cwd: string | undefined
  #model: string | undefined
  /** A prompt that the context has not taken yet. */
  #prompt: { readonly blocks: readonly Block[]; readonly mark: Mark } | null = null
  /** The step has a response, and that a count of its own. */
  #isWriting = false
  #isCounted = false
  #isCompacting = false
  /** What the newest compaction left, as places in the session, with -1 for the summary, and how long that was then. */
  #left: readonly number[] = []
  #since = 0

  record(record: JsonObject, mark: Mark): Outcome {
    const type = stringOf(record.type)
    switch (type) {
      case 'config.update':
      case 'profile.bind':
        this.system = stringOf(record.systemPrompt) ?? this.system
        this.#cwd = stringOf(record.cwd) ?? stringOf(objectOf(record.environmentDisclosure)?.cwd) ?? this.#cwd
        return 'used'
      case 'llm.tools_snapshot':
        this.#tools = itemsOf(record.tools).map((tool) => ({ type: 'function', function: tool }))
        return 'used'
      case 'llm.request':
        this.#model = stringOf(record.model) ?? this.#model
        this.system = stringOf(record.systemPrompt) ?? this.system
        this.#isCompacting = record.kind === 'compaction'
        if (!this.#isCompacting) this.#step()
        return 'used'
      case 'turn.prompt':
      case 'turn.steer':
        this.#ask()
        this.#prompt = { blocks: blocksOf(record.input), mark }
        return 'used'
      case 'context.append_message':
        return this.#append(objectOf(record.message), mark)
      case 'context.append_loop_event':
        return this.#loop(objectOf(record.event), mark)
      case 'usage.record':
        this.#count(record.usage, mark, true)
        return 'used'
      case 'full_compaction.begin':
        this.#isCompacting = true
        return 'no-context'
      case 'context.apply_compaction':
        this.#compact(record, mark.line)
        return 'used'
      case 'context.clear':
        this.#session.compaction([], mark.line)
        this.#remember([])
        return 'used'
      case 'context.undo':
        this.#undo(typeof record.count === 'number' ? record.count : 1)
        return 'used'
      default:
        return bookkeeping.test(type ?? '') ? 'no-context' : unknown(type)
    }
  }

  event(type: string, payload: JsonObject, mark: Mark): Outcome {
    switch (type) {
      case 'TurnBegin':
      case 'SteerInput':
        this.#session.prompt(blocksOf(payload.user_input), mark)
        this.#step()
        return 'used'
      case 'StepBegin':
        this.#step()
        return 'used'
      case 'ContentPart':
        this.#write(partBlocks(payload), mark)
        return 'used'
      case 'ToolCall': {
        const { name, arguments: input } = objectOf(payload.function) ?? {}
        this.#write([callBlock(payload.id, name, parsedObject(input) ?? input ?? {})], mark)
        return 'used'
      }
      case 'ToolResult': {
        const returned = objectOf(payload.return_value) ?? {}
        this.#result(payload.tool_call_id, returned, returned.is_error === true, mark)
        return 'used'
      }
      case 'StatusUpdate':
        if (!objectOf(payload.token_usage)) return 'no-context'
        this.#count(payload.token_usage, mark, true)
        return 'used'
      case 'CompactionEnd':
        this.#session.compaction([injected(textBlocks('[a summary that is not recorded]'), mark.line)], mark.line)
        return 'used'
      default:
        return unseen.has(type) ? 'no-context' : unknown(type)
    }
  }

  write(
    context: ReaderContext,
    head: { conversation: string | null; cwd: string | undefined; parent: string | undefined },
  ) {
    this.#ask()
    if (this.#session.length === 0) return
    const system: Message[] = textBlocks(this.system).map((block) => ({ role: 'system', line: 1, blocks: [block] }))
    const complete = system.length > 0 && this.#tools !== undefined
    this.#session.write(context, {
      ...head,
      cwd: this.#cwd ?? head.cwd,
      model: this.#model,
      preamble: { system, complete, ...(this.#tools && { tools: this.#tools }) },
    })
  }

  #step(): void {
    this.#ask()
    this.#isWriting = this.#isCounted = false
  }

  /** The prompt did not go into the context by itself: versions differ. */
  #ask(): void {
    if (this.#prompt) this.#session.prompt(this.#prompt.blocks, this.#prompt.mark)
    this.#prompt = null
  }

  #write(blocks: readonly Block[], mark: Mark, usage?: Usage): void {
    this.#ask()
    if (this.#isWriting) this.#session.continueResponse(blocks, usage)
    else this.#session.response(blocks, { ...mark, model: this.#model, usage })
    this.#isWriting = true
  }

  #result(id: unknown, { output, message, note }: JsonObject, isError: boolean, mark: Mark): void {
    const said = textBlocks(message ?? note).map(
      ({ text }) => ({ type: 'text', text: `<system>${text}</system>` }) as const,
    )
    this.#session.result([...said, ...blocksOf(output)], { ...mark, id: stringOf(id) ?? '', isError })
  }

  /** @param isOwn a record by itself: the end of a step only repeats what one says */
  #count(value: unknown, mark: Mark, isOwn: boolean): void {
    const usage = usageIn(objectOf(value) ?? {})
    if (this.#isCompacting || (isOwn && this.#isCounted)) {
      const kind = this.#isCompacting ? 'summary' : 'taken-back'
      this.#session.sideCall(sideCallOf({ kind, usage, model: this.#model, line: mark.line, time: mark.time }))
      return
    }
    this.#write([], mark, usage)
    this.#isCounted = isOwn
  }

  #append(message: JsonObject | undefined, mark: Mark): Outcome {
    if (!message) return bad
    const blocks = blocksOf(message.content)
    const origin = objectOf(message.origin)
    switch (message.role) {
      case 'user': {
        const isOwn = origin === undefined || origin.kind === 'user' || origin.trigger === 'user-slash'
        if (isOwn) this.#prompt = null
        this.#session.prompt(blocks, mark, isOwn ? undefined : 'injected')
        return 'used'
      }
      case 'assistant':
        this.#step()
        this.#write([...blocks, ...callsOf(message.toolCalls)], mark)
        this.#isWriting = false
        return 'used'
      case 'tool':
        this.#result(
          message.toolCallId,
          { output: message.content, note: message.note },
          message.isError === true,
          mark,
        )
        return 'used'
      case 'system':
        this.#session.instruct(blocks, mark)
        return 'used'
      default:
        return bad
    }
  }

  #loop(event: JsonObject | undefined, mark: Mark): Outcome {
    switch (event?.type) {
      case 'step.begin':
        this.#step()
        return 'used'
      case 'content.part':
        this.#write(partBlocks(objectOf(event.part) ?? {}), mark)
        return 'used'
      case 'tool.call':
        this.#write([callBlock(event.toolCallId, event.name, event.args ?? {})], mark)
        return 'used'
      case 'tool.result': {
        const result = objectOf(event.result) ?? {}
        this.#result(event.toolCallId, result, result.isError === true, mark)
        return 'used'
      }
      case 'step.end':
        if (objectOf(event.usage) && !this.#isCounted) this.#count(event.usage, mark, false)
        return 'used'
      default:
        return event ? unknown(event.type) : bad
    }
  }

  /** The context as it is, as places in the session. */
  get #window(): readonly number[] {
    const { length } = this.#session
    return [...this.#left, ...Array.from({ length: length - this.#since }, (_, nth) => this.#since + nth)]
  }

  /** Before it kept the newest of all messages, later only what users had said. */
  #compact(record: JsonObject, line: number): void {
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
    this.#isCompacting = false
    if (typeof kept !== 'number') {
      const tail = window.slice(Number(compactedCount ?? count))
      this.#session.compaction([told], line, tail.find((place) => place >= 0) ?? this.#session.length)
      this.#remember([-1, ...tail])
      return
    }
    const messages = this.#session.messagesFor('openai')
    const users = window.filter((place) => messages[place]?.role === 'user' && messages[place]?.origin === undefined)
    const head = typeof keptHeadUserMessageCount === 'number' ? keptHeadUserMessageCount : 0
    const places = [...users.slice(0, head), ...users.slice(Math.max(head, users.length - (kept - head)))]
    const stayed = places.map((place) => injected((messages[place] as Message).blocks, line))
    this.#session.compaction([...stayed, told], line)
    this.#remember([...places, -1])
  }

  #remember(left: readonly number[]): void {
    this.#left = left
    this.#since = this.#session.length
  }

  /** Takes back the newest prompts, with all that came behind them. */
  #undo(count: number): void {
    const messages = this.#session.messagesFor('openai')
    const prompts = messages.flatMap(({ role, origin }, at) => (role === 'user' && origin === undefined ? [at] : []))
    const from = prompts.at(-count) ?? 0
    this.#session.takeBack(from)
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
