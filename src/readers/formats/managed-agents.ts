/**
 * Events of a session of Claude Managed Agents: lines, or a page of the events API. The kinds are those of the beta of April 2026, as
 * the reference of Anthropic's SDKs lists them, read on 2026-11-23.
 *
 * - What stands between `span.model_request_start` and `span.model_request_end` is one response, and the end has its usage.
 * - A result names the event of its call. Of its thoughts the agent records only that there were any.
 * - A grader's requests stand as one sum, and are counted beside the history. `session.usage` is the sum of everything.
 * - Events of an agent that another one called name its thread, and are a transcript of their own.
 * - Models, system prompt and tools are those of the agent's definition, which is kept elsewhere.
 */
import type { Block } from '../../model/message.ts'
import { bad, defineReader, type Outcome, type ReaderContext, type Reading, unknown } from '../reader.ts'
import {
  anthropicBlocks,
  anthropicShape,
  callBlock,
  itemsOf,
  type JsonObject,
  objectOf,
  stringOf,
  textBlocks,
} from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import { type Mark, Session, textIn } from '../wire/session.ts'
import { both, keys, kinds, optional, someOf, where } from '../wire/shape.ts'
import { sideCallOf } from '../wire/side-calls.ts'
import { usageOf, usageShape } from '../wire/usage.ts'

const saidShape = keys({ content: anthropicShape })
const callShape = keys({ id: 'string', name: 'string', input: 'object' })
const resultShape = both(
  someOf({ tool_use_id: 'string', mcp_tool_use_id: 'string', custom_tool_use_id: 'string' }),
  keys({ content: optional(anthropicShape), is_error: 'boolean?' }),
)

const countsShape = both(usageShape, keys({ cache_creation_input_tokens: 'number', cache_read_input_tokens: 'number' }))

const eventShape = kinds('type', {
  'user.message': saidShape,
  // A rubric may also be a file.
  'user.define_outcome': keys({
    description: 'string',
    rubric: optional(kinds('type', { text: keys({ content: 'string' }) })),
  }),
  'user.tool_result': resultShape,
  'user.custom_tool_result': resultShape,
  'system.message': saidShape,
  'agent.message': saidShape,
  'agent.tool_use': callShape,
  'agent.mcp_tool_use': callShape,
  'agent.custom_tool_use': callShape,
  'agent.tool_result': resultShape,
  'agent.mcp_tool_result': resultShape,
  'agent.thread_message_received': saidShape,
  // A request that failed was not counted.
  'span.model_request_end': where(({ is_error }) => is_error !== true, keys({ model_usage: countsShape })),
  'span.outcome_evaluation_end': keys({ usage: optional(countsShape) }),
})

const families = /^(?:user|agent|session|span|system)\.[a-z_]+$/

/** An event that was sent to the session is one before it has an id. */
function isEvent({ type, id, processed_at }: JsonObject): boolean {
  const isNamed = typeof id === 'string' && id.startsWith('sevt_')
  return typeof type === 'string' && families.test(type) && (isNamed || processed_at !== undefined)
}

const recordShape = both(
  keys({ type: 'string', processed_at: 'string|null', session_thread_id: 'string?' }),
  eventShape,
)

export default defineReader({
  name: 'managed-agents',
  program: 'managed-agents',
  summary: 'Events of Claude Managed Agents',
  source: "GET /v1/sessions/{id}/events of Anthropic's API, and logs of it",
  shapes: [['id', 'type', 'processed_at', 'content', 'model_usage', 'tool_use_id', 'session_thread_id']],
  shape: (record) => (listIn(record) ? null : recordShape(record)),
  recognise(record) {
    const events = listIn(record) ?? [record]
    return events.some((event) => isEvent(objectOf(event) ?? {})) ? 1 : 0
  },
  read: (context) => new Events(context),
})

/** The events of a page of the API. */
function listIn(record: unknown): readonly unknown[] | undefined {
  const data = objectOf(record)?.data
  return Array.isArray(data) ? data : undefined
}

class Events implements Reading {
  readonly #context: ReaderContext
  /** By the id of the thread; the session's own has none. */
  readonly #threads = new Map<string | undefined, Thread>()

  constructor(context: ReaderContext) {
    this.#context = context
  }

  record(value: unknown, line: number): Outcome {
    const list = listIn(value)
    if (!list) return this.#event(value, line)
    for (const [index, event] of list.entries()) {
      const outcome = this.#event(event, index + 1)
      if (typeof outcome === 'object') this.#context.finding({ ...outcome, line: index + 1 })
    }
    return 'used'
  }

  end(): void {
    for (const [name, { session }] of this.#threads) {
      if (session.length > 0) session.write(this.#context, { conversation: name ?? null, provider: 'anthropic' })
    }
  }

  #event(value: unknown, line: number): Outcome {
    const event = objectOf(value)
    if (!event) return bad
    const { type } = event
    if (typeof type !== 'string') return { code: 'bad-shape', key: 'type' }
    if (!families.test(type)) return unknown(type)
    // Events about a thread name it, too.
    const name = type.startsWith('session.') ? undefined : stringOf(event.session_thread_id)
    const thread = this.#threads.get(name) ?? new Thread()
    this.#threads.set(name, thread)
    return thread.add(type, event, { line, time: timeOf(event.processed_at) })
  }
}

const unseen =
  /^(?:session\.|agent\.thinking$|agent\.thread_message_sent$|user\.(?:interrupt|tool_confirmation)$|span\.)/

class Thread {
  readonly session = new Session()
  /** Something of the response to the request under way is known already. */
  #isBegun = false

  add(type: string, event: JsonObject, mark: Mark): Outcome {
    switch (type) {
      case 'user.message':
        this.session.prompt(anthropicBlocks(event.content), mark)
        return 'used'
      case 'user.define_outcome': {
        const rubric = objectOf(event.rubric)
        this.session.prompt([...textBlocks(event.description), ...textBlocks(rubric?.content)], mark)
        return 'used'
      }
      case 'system.message':
      case 'agent.thread_message_received':
        this.session.prompt(anthropicBlocks(event.content), mark, 'injected')
        return 'used'
      case 'agent.message':
        return this.#respond(anthropicBlocks(event.content), mark)
      case 'agent.tool_use':
      case 'agent.mcp_tool_use':
      case 'agent.custom_tool_use':
        return this.#respond([callBlock(event.id, event.name, event.input ?? {})], mark)
      case 'agent.tool_result':
      case 'agent.mcp_tool_result':
      case 'user.tool_result':
      case 'user.custom_tool_result': {
        const id = textIn(event, 'tool_use_id', 'mcp_tool_use_id', 'custom_tool_use_id') ?? ''
        const isError = event.is_error === true
        this.session.result(itemsOf(event.content).length > 0 ? anthropicBlocks(event.content) : [], {
          ...mark,
          id,
          isError,
        })
        return 'used'
      }
      case 'agent.thread_context_compacted':
        this.session.compaction([], mark.line)
        return 'used'
      case 'span.model_request_start':
        this.#isBegun = false
        return 'no-context'
      case 'span.model_request_end':
        return this.#endRequest(event, mark)
      case 'span.outcome_evaluation_end': {
        const usage = usageOf(event.usage)
        if (!usage) return 'no-context'
        this.session.sideCall(sideCallOf({ kind: 'aside', usage, model: undefined, ...mark, time: mark.time }))
        return 'used'
      }
      default:
        return unseen.test(type) ? 'no-context' : unknown(type)
    }
  }

  #respond(blocks: readonly Block[], mark: Mark): Outcome {
    if (this.#isBegun) this.session.continueResponse(blocks)
    else this.session.response(blocks, mark)
    this.#isBegun = true
    return 'used'
  }

  #endRequest(event: JsonObject, mark: Mark): Outcome {
    const usage = usageOf(event.model_usage)
    const isCounted = usage !== undefined && usage.input + usage.output !== 0
    if (!isCounted) return 'no-context'
    if (this.#isBegun) this.session.continueResponse([], usage)
    else this.session.response([], { ...mark, usage })
    this.#isBegun = true
    return 'used'
  }
}
