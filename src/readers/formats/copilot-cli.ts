/**
 * The events of GitHub Copilot's CLI, and those of its SDK.
 *
 * - The model sees `transformedContent` of a prompt, and `content` of a result. Hooks repeat both: they are not read.
 * - An `assistant.message` is one response. Sub-agents' events stand between those of the session, with an `agentId`, and
 *   are transcripts of their own.
 * - The input of requests is not recorded, only sums (`session.shutdown`), of all models, sub-agents included: where a run is
 *   one request of its model, the sum is its usage, else a call beside the requests that stands for so many. A session that
 *   is taken up again goes on adding to them. The SDK's `assistant.usage` counts each request, and so does the store of the CLI
 *   (`session-store.db`), whose rows are then taken out of the sums.
 * - Since 1.0.9x some calls are recorded by themselves (`model.model_call_success`), before the response to them: one that no
 *   response of its model follows was made beside the history. A store and a sum have them, too. A checkpoint
 *   (`session.usage_checkpoint`) has the input of the newest request, whose output is not known, and what the session came to.
 * - A compaction becomes a recorded compaction, and the call that wrote its summary one beside the requests, which is in no
 *   sum; the history stays. The newest system prompt before the first response is the preamble; later editions replace it for
 *   the program. Tools are not recorded.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { setOf } from '../../base/words.ts'
import type { Block, Message, Preamble, Usage } from '../../model/message.ts'
import { type Kind, kind, kindsBy, recordReader } from '../frames.ts'
import { bad, type Outcome, type ReaderContext, type Shape, unknown } from '../reader.ts'
import { callBlock, opaque, textBlocks, thinkingBlocks } from '../wire/blocks.ts'
import { Billed, type SumOfCalls } from '../wire/copilot-store.ts'
import { injected, type Mark, Session, type SessionHead, textIn } from '../wire/session.ts'
import { both, type Expected, keys, listOf, mapOf, optional, orText, someOf } from '../wire/shape.ts'
import { sideCallOf } from '../wire/side-calls.ts'
import {
  costIn,
  nanoAiuInDollar,
  noTokens,
  tokens,
  usageBeyond,
  usageBy,
  usageOf,
  usageOfEach,
  usageShape,
  withInput,
} from '../wire/usage.ts'
import { usageKeys } from '../wire/usage-keys.ts'

/** Families of events, by what stands in front of the dot. */
const families = setOf(`
  abort assistant auto_mode_switch capabilities command commands elicitation exit_plan_mode external_tool hook mcp
  model pending_messages permission sampling session skill subagent system tool user user_input
`)

/** A kind of event, of which the data are handed on. */
function event(expected: Readonly<Record<string, Expected>> | Shape | null, read: Kind<Agent>['read']): Kind<Agent> {
  const shape = typeof expected === 'object' ? keys(expected ?? {}) : expected
  return kind(expected && keys({ data: shape }), ({ data }, at, agent) => read(data as JsonObject, at, agent))
}

const callShape = keys({ toolCallId: 'string', name: 'string', arguments: 'object|string' })

const outputShape = orText(someOf({ content: 'string', textResultForLlm: 'string' }))

const sumShape = keys({
  requests: keys({ count: 'number' }),
  usage: keys({ inputTokens: 'any', outputTokens: 'any', cacheReadTokens: 'any', cacheWriteTokens: 'any' }),
})

/** The newest request to a model. */
const requestShape = keys({
  prompt_tokens: 'number',
  cache_read: 'number?',
  cache_write: 'number?',
  model_call_id: 'string?',
})

const summaryShape = keys({ success: 'boolean', summaryContent: 'string' })

const events = kindsBy<Agent>(
  'type',
  {
    'system.message': event({ content: 'string' }, (data, at, agent) => agent.instructed(data, at)),
    'user.message': event(
      { content: 'string', transformedContent: 'text?', source: 'string?', delivery: 'string?' },
      (data, at, agent) => agent.said(data, at),
    ),
    'system.notification': event({ content: 'string' }, ({ content }, at, { session }) =>
      session.prompt(textBlocks(content), at, 'injected'),
    ),
    'assistant.message': event(
      {
        content: 'string',
        toolRequests: listOf(callShape),
        reasoningText: 'text?',
        reasoningOpaque: 'text?',
        encryptedContent: 'text?',
      },
      (data, at, agent) => agent.responded(data, at),
    ),
    'assistant.usage': event(
      { inputTokens: 'any', outputTokens: 'any', cacheReadTokens: 'amount?', cacheWriteTokens: 'amount?' },
      (data, _, agent) => agent.counted(data),
    ),
    'model.model_call_success': event(
      { modelCall: keys({ model: 'string', api_id: 'string?' }), responseUsage: optional(usageShape) },
      (data, at, agent) => agent.call(data, at),
    ),
    'session.usage_checkpoint': event(
      {
        totalNanoAiu: 'number?',
        promptCacheBreakState: optional(listOf(keys({ conversation: 'string', models: mapOf(requestShape) }))),
      },
      (data, _, agent) => agent.checked(data),
    ),
    'tool.execution_complete': event(
      both(keys({ success: 'boolean' }), someOf({ result: outputShape, error: orText(keys({ message: 'string' })) })),
      (data, at, agent) => agent.resulted(data, at),
    ),
    // A compaction that failed has no summary.
    'session.compaction_complete': event(
      (data) => (objectOf(data)?.success === false ? null : summaryShape(data)),
      (data, at, agent) => agent.compacted(data, at),
    ),
    'session.shutdown': event({ modelMetrics: mapOf(sumShape) }, (data, at, agent) => agent.summed(data, at)),
    'session.resume': event(null, ({ selectedModel }, _, agent) => {
      agent.session.resumed()
      agent.chose(selectedModel)
    }),
    'session.start': event(null, ({ selectedModel }, _, agent) => agent.chose(selectedModel)),
    'session.model_change': event(null, ({ newModel }, _, agent) => agent.chose(newModel)),
    'subagent.started': event(null, ({ model }, _, agent) => agent.chose(model)),
  },
  // What else the families have is for the screen.
  /^/,
)

export default recordReader({
  name: 'copilot-cli',
  program: 'copilot-cli',
  summary: "sessions of GitHub Copilot's CLI and their sub-agents",
  source: '~/.copilot/session-state/*/events.jsonl, before 1.0 session-state/*.jsonl',
  places: ['*/events.jsonl', '*.jsonl'].map((files) => ({
    directories: ['$COPILOT_HOME/session-state', '~/.copilot/session-state'],
    files,
    session: /^([^/]+?)(?:\/events)?\.jsonl$/,
  })),
  shapes: [['type', 'data', 'id', 'timestamp', 'parentId', 'data.content', 'data.toolCallId', 'data.interactionId']],
  recognise: (record) => isEvent(record) && families.has(familyOf(record)),
  shape: both(keys({ agentId: 'string?' }), events.shape),
  begin: (context, { data }) => new Events(context, objectOf(data) ?? {}),
  // Another session begins where files were joined.
  begins: ({ type, data }, { id }) =>
    type === 'session.start' && id !== undefined && objectOf(data) !== undefined && objectOf(data)?.sessionId !== id,
  record: (record, at, file) => file.event(record, at),
  end: (file) => file.write(),
})

class Events {
  readonly #context: ReaderContext
  /** By the sub-agent's id; that of the session itself is empty. */
  readonly #agents = new Map<string, Agent>()
  #head: JsonObject
  #billed = new Billed([])

  constructor(context: ReaderContext, head: JsonObject) {
    this.#context = context
    this.#head = head
  }

  get id(): string | undefined {
    return stringOf(this.#head.sessionId)
  }

  event(event: JsonObject, at: Mark): Outcome {
    const data = objectOf(event.data)
    if (typeof event.type !== 'string') return bad
    if (!families.has(familyOf(event))) return unknown(event.type)
    if (!data) return bad
    if (event.type === 'session.start') {
      this.#head = data
      this.#billed = new Billed(this.id === undefined ? [] : this.#rowsOf(this.id))
    }
    const name = stringOf(event.agentId) ?? stringOf(data.parentToolCallId) ?? ''
    const agent = this.#agents.get(name) ?? new Agent(this.#billed)
    this.#agents.set(name, agent)
    return events.read(event, at, agent)
  }

  write(): void {
    const { id } = this
    const { context, copilotVersion } = this.#head
    const about = { cwd: objectOf(context)?.cwd, version: textIn({ copilotVersion }, 'copilotVersion') }
    for (const [name, agent] of this.#agents) {
      const isSession = name === ''
      if (isSession) agent.billed()
      const own = isSession ? { conversation: id, parent: undefined } : { conversation: name, parent: id }
      agent.write(this.#context, { ...own, ...about })
    }
  }

  /** The store lies beside the directory of all sessions. */
  #rowsOf(session: string): unknown {
    const up = /(?:^|[\\/])events\.jsonl$/.test(this.#context.file) ? '../..' : '..'
    return this.#context.beside(`${up}/session-store.db`, { table: 'assistant_usage_events', session })
  }
}

/** A call of a model that no response is known of yet. */
interface Called extends Mark {
  readonly model: string
  readonly id: string | undefined
  readonly usage: Usage
}

/** A response whose usage is not known yet. */
interface Uncounted {
  readonly message: Message
  readonly model: string
  readonly outputTokens: number
  /** Its index. */
  readonly at: number
}

class Agent {
  readonly session = new Session()
  readonly #billed: Billed
  #system: Message[] = []
  #hasAnswered = false
  #newest: string | undefined
  /** The model that was chosen: older responses do not name theirs. */
  #model: string | undefined
  /** The responses of the run so far. */
  #uncounted: Uncounted[] = []
  /** The newest sums by model, and the time from which they count. */
  readonly #sums = new Map<string, SumOfCalls>()
  /** What was counted by itself since the newest sums. */
  #single = new Map<string, SumOfCalls>()
  #called: Called[] = []
  /** What the session came to, in dollars. */
  #cost: number | undefined
  #summedSince: unknown

  constructor(billed: Billed) {
    this.#billed = billed
  }

  write(context: ReaderContext, head: SessionHead): void {
    const preamble: Preamble = { system: this.#system, complete: false }
    for (const { id: _, ...call } of this.#called)
      this.session.sideCall(sideCallOf({ kind: 'aside', ...call, time: call.time }))
    // Of a part of the requests it says nothing.
    const cost = this.#uncounted.length === 0 ? this.#cost : undefined
    this.session.write(context, { ...head, preamble, cost })
  }

  /** Adds what the store has beyond the responses. */
  billed(): void {
    for (const call of this.#billed.calls()) this.session.sideCall(call)
  }

  chose(model: unknown): void {
    this.#model = stringOf(model) ?? this.#model
  }

  instructed(data: JsonObject, { line, time }: Mark): Outcome {
    const blocks = textBlocks(data.content)
    if (this.#hasAnswered || blocks.length === 0) return 'no-context'
    this.#system = [{ role: 'system', line, blocks, ...(time !== undefined && { time }) }]
    return 'used'
  }

  said(data: JsonObject, at: Mark): Outcome {
    const text = textIn(data, 'transformedContent', 'content')
    if (text === undefined) return 'content' in data ? 'no-context' : bad
    const source = textIn(data, 'source')
    const isInjected = source !== undefined && source !== 'user' && !source.startsWith('agent-')
    // What the program adds to a turn is recorded twice: when it is queued, and when it is sent.
    if (isInjected && text === this.#newest) return 'no-context'
    this.#newest = text
    const isSteering = data.delivery === 'steering'
    this.session.prompt(textBlocks(text), at, isInjected ? 'injected' : isSteering ? 'queued' : undefined)
    return 'used'
  }

  responded(data: JsonObject, { line, time }: Mark): Outcome {
    const model = textIn(data, 'model') ?? this.#model
    const before = this.session.length
    const usage = this.#billed.response(model, data.outputTokens)
    const responseId = textIn(data, 'apiCallId', 'messageId')
    this.session.response(blocksIn(data), { line, time, model, usage, responseId })
    this.#hasAnswered = true
    const message = this.session.last
    if (!message || usage || this.session.length === before) return 'used'
    const response = { message, model: model ?? '', at: before, outputTokens: tokens(data.outputTokens) ?? 0 }
    this.#uncounted.push(response)
    const call =
      this.#called.findLast(({ id }) => id === message.responseId) ??
      this.#called.findLast((one) => one.model === model)
    if (!call) return 'used'
    this.#called = this.#called.filter((one) => one !== call)
    this.#count(response, call.usage)
    return 'used'
  }

  call(data: JsonObject, { line, time }: Mark): Outcome {
    const called = objectOf(data.modelCall)
    const usage = withInput(usageOf(data.responseUsage))
    if (!usage || this.#billed.isKept) return 'no-context'
    const billed = objectOf(data.copilotUsage)
    const cacheWrite = writesIn(billed) ?? usage.cacheWrite
    const cost = typeof billed?.total_nano_aiu === 'number' ? costIn(billed.total_nano_aiu / nanoAiuInDollar) : {}
    this.#called.push({
      model: stringOf(called?.model) ?? '',
      id: stringOf(called?.api_id),
      usage: { ...usage, cacheWrite, ...cost },
      line,
      time,
    })
    return 'used'
  }

  checked(data: JsonObject): Outcome {
    const { totalNanoAiu } = data
    if (typeof totalNanoAiu === 'number') this.#cost = totalNanoAiu / nanoAiuInDollar
    const main = itemsOf(data.promptCacheBreakState)
      .map(objectOf)
      .find((state) => state?.conversation === 'main')
    for (const [model, value] of Object.entries(objectOf(main?.models) ?? {})) {
      const id = objectOf(value)?.model_call_id
      const response = this.#uncounted.find(({ message }) => id !== undefined && message.responseId === id)
      const usage = usageBy(usageKeys.copilotCheckpoint, value)
      if (usage && response?.model === model) this.#count(response, { ...usage, output: response.outputTokens })
    }
    return 'used'
  }

  /** The usage of one response, which the next sums have in them, too. */
  #count(response: Uncounted, usage: Usage): void {
    Object.assign(response.message, { usage })
    this.#uncounted = this.#uncounted.filter((one) => one !== response)
    const { calls, usage: before } = this.#single.get(response.model) ?? { calls: 0, usage: noTokens }
    this.#single.set(response.model, { calls: calls + 1, usage: usageOfEach((kind) => before[kind] + usage[kind]) })
  }

  counted(data: JsonObject): Outcome {
    const usage = withInput(usageBy(usageKeys.copilot, data))
    const response = this.#uncounted.at(-1)
    if (!usage || !response) return 'no-context'
    Object.assign(response.message, { usage })
    this.#uncounted = []
    return 'used'
  }

  resulted(data: JsonObject, { line, time }: Mark): Outcome {
    const { toolCallId: id } = data
    if (typeof id !== 'string') return bad
    const failed = data.success === false
    const result = objectOf(data.result) ?? {}
    const content = failed ? (objectOf(data.error)?.message ?? data.error) : undefined
    const blocks = textBlocks(content ?? result.content ?? result.textResultForLlm ?? stringOf(data.result))
    this.session.result(blocks, { line, time, id, name: textIn(data, 'toolName'), isError: failed })
    return 'used'
  }

  compacted(data: JsonObject, { line, time }: Mark): Outcome {
    const used = objectOf(data.compactionTokensUsed)
    const usage = withInput(usageBy(usageKeys.copilot, used))
    if (usage) {
      const cacheWrite = writesIn(objectOf(used?.copilotUsage)) ?? usage.cacheWrite
      const billed = this.#billed.summary(usage.input) ?? { ...usage, cacheWrite }
      this.session.sideCall(sideCallOf({ kind: 'summary', usage: billed, model: stringOf(used?.model), time, line }))
    }
    const blocks = textBlocks(data.summaryContent)
    if (data.success === false || blocks.length === 0) return 'no-context'
    this.session.compaction([injected(blocks, line)], line)
    return 'used'
  }

  /** The sums of a run, by model: one request's sum is its usage. */
  summed(data: JsonObject, { line, time }: Mark): Outcome {
    // With another start of the session the sums begin at zero.
    const start = data.sessionStartTime
    if (start === undefined || start !== this.#summedSince) this.#sums.clear()
    this.#summedSince = start
    for (const [model, value] of Object.entries(objectOf(data.modelMetrics) ?? {})) {
      const sums = objectOf(value)
      const calls = tokens(objectOf(sums?.requests)?.count) ?? 0
      const sum = withInput(usageBy(usageKeys.copilot, sums?.usage))
      if (sum === undefined) continue
      this.#called = this.#called.filter((call) => call.model !== model)
      const before = this.#sums.get(model)
      this.#sums.set(model, { calls, usage: sum })
      const isAnew = before !== undefined && (calls < before.calls || sum.input < before.usage.input)
      const all = isAnew ? { calls, usage: sum } : rest({ calls, usage: sum }, before)
      const run = rest(rest(all, this.#billed.sumUntil(model, time)), this.#single.get(model))
      if (run.calls === 0) continue
      const responses = this.#uncounted.filter((each) => each.model === model)
      const [response] = responses
      if (response && run.calls === 1 && responses.length === 1) Object.assign(response.message, { usage: run.usage })
      else {
        // A sum may include a sub-agent's requests. It belongs to these responses only where it counts as many calls as
        // there are.
        const isOfThese = responses.length === run.calls && response !== undefined
        const span = isOfThese && { span: { from: response.at, to: this.session.length } }
        this.session.sideCall(sideCallOf({ kind: 'summed', ...run, model, time, line, ...span }))
      }
    }
    this.#uncounted = []
    this.#single = new Map()
    return 'used'
  }
}

/** What is left of a sum without what was counted of it before. */
function rest(sum: SumOfCalls, of: SumOfCalls | undefined): SumOfCalls {
  if (of === undefined) return sum
  return { calls: Math.max(0, sum.calls - of.calls), usage: usageBeyond(sum.usage, of.usage) }
}

function blocksIn(data: JsonObject): Block[] {
  const thoughts = thinkingBlocks(data.reasoningText)
  const hidden = textIn(data, 'reasoningOpaque', 'encryptedContent')
  const calls = itemsOf(data.toolRequests).map((value) => {
    const { toolCallId, name, arguments: input } = objectOf(value) ?? {}
    return callBlock(toolCallId, name, input ?? {})
  })
  const reasoning = thoughts.length === 0 && hidden !== undefined ? [opaque(hidden)] : thoughts
  const blocks = [...reasoning, ...textBlocks(data.content), ...calls]
  // A response that recorded nothing but output tokens was reasoning.
  return blocks.length === 0 && data.outputTokens !== undefined ? [opaque(undefined)] : blocks
}

/** Tokens written to the cache, as they are billed; the counts beside it have none, and these among the plain input. */
function writesIn(billed: JsonObject | undefined): number | undefined {
  const write = itemsOf(billed?.tokenDetails ?? billed?.token_details)
    .map(objectOf)
    .find((one) => (one?.tokenType ?? one?.token_type) === 'cache_write')
  return tokens(write?.tokenCount ?? write?.token_count)
}

function familyOf({ type }: JsonObject): string {
  return (stringOf(type) ?? '').split('.', 1)[0] as string
}

function isEvent({ type, data, id, timestamp }: JsonObject): boolean {
  const named = typeof type === 'string' && (type.includes('.') || type === 'abort')
  return named && objectOf(data) !== undefined && typeof id === 'string' && typeof timestamp === 'string'
}
