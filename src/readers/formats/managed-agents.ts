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

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import type { Block, Usage } from '../../model/message.ts'
import { kind, kindsBy, readItems, recordReader } from '../frames.ts'
import { type Outcome, unknown } from '../reader.ts'
import { anthropicBlocks, anthropicShape, callBlock, textBlocks } from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import { type Mark, Session, textIn } from '../wire/session.ts'
import { both, keys, kinds, optional, someOf, where } from '../wire/shape.ts'
import { sideCallOf } from '../wire/side-calls.ts'
import { usageOf, usageShape } from '../wire/usage.ts'

const resultShape = both(
  someOf({ tool_use_id: 'string', mcp_tool_use_id: 'string', custom_tool_use_id: 'string' }),
  keys({ content: optional(anthropicShape), is_error: 'boolean?' }),
)

const countsShape = both(usageShape, keys({ cache_creation_input_tokens: 'number', cache_read_input_tokens: 'number' }))

const said = kind<Thread>({ content: anthropicShape }, ({ content }, mark, { session }) =>
  session.prompt(anthropicBlocks(content), mark),
)
const told = kind<Thread>({ content: anthropicShape }, ({ content }, mark, { session }) =>
  session.prompt(anthropicBlocks(content), mark, 'injected'),
)
const call = kind<Thread>({ id: 'string', name: 'string', input: 'object' }, ({ id, name, input }, mark, thread) =>
  thread.respond([callBlock(id, name, input ?? {})], mark),
)
const result = kind<Thread>(resultShape, (event, mark, { session }) => {
  const { content, is_error: isError } = event
  const id = textIn(event, 'tool_use_id', 'mcp_tool_use_id', 'custom_tool_use_id')
  session.result(itemsOf(content).length > 0 ? anthropicBlocks(content) : [], { ...mark, id, isError })
})

const events = kindsBy<Thread>(
  'type',
  {
    'user.message': said,
    'user.define_outcome': kind(
      {
        description: 'string',
        // A rubric may also be a file.
        rubric: optional(kinds('type', { text: keys({ content: 'string' }) })),
      },
      ({ description, rubric }, mark, { session }) =>
        session.prompt([...textBlocks(description), ...textBlocks(objectOf(rubric)?.content)], mark),
    ),
    'system.message': told,
    'agent.thread_message_received': told,
    'agent.message': kind({ content: anthropicShape }, ({ content }, mark, thread) =>
      thread.respond(anthropicBlocks(content), mark),
    ),
    'agent.tool_use': call,
    'agent.mcp_tool_use': call,
    'agent.custom_tool_use': call,
    'agent.tool_result': result,
    'agent.mcp_tool_result': result,
    'user.tool_result': result,
    'user.custom_tool_result': result,
    'agent.thread_context_compacted': kind(null, (_, { line }, { session }) => session.compaction([], line)),
    'span.model_request_start': kind(null, (_, _mark, thread) => {
      thread.isBegun = false
      return 'no-context'
    }),
    // A request that failed was not counted.
    'span.model_request_end': kind(
      where(({ is_error }) => is_error !== true, keys({ model_usage: countsShape })),
      ({ model_usage }, mark, thread) => {
        const usage = usageOf(model_usage)
        return usage && usage.input + usage.output !== 0 ? thread.respond([], mark, usage) : 'no-context'
      },
    ),
    'span.outcome_evaluation_end': kind({ usage: optional(countsShape) }, (event, { line, time }, { session }) => {
      const usage = usageOf(event.usage)
      if (!usage) return 'no-context'
      session.sideCall(sideCallOf({ kind: 'aside', usage, model: undefined, line, time }))
    }),
  },
  /^(?:session\.|agent\.thinking$|agent\.thread_message_sent$|user\.(?:interrupt|tool_confirmation)$|span\.)/,
)

const families = /^(?:user|agent|session|span|system)\.[a-z_]+$/

/** An event that was sent to the session is one before it has an id. */
function isEvent({ type, id, processed_at }: JsonObject): boolean {
  const isNamed = typeof id === 'string' && id.startsWith('sevt_')
  return typeof type === 'string' && families.test(type) && (isNamed || processed_at !== undefined)
}

const recordShape = both(
  keys({ type: 'string', processed_at: 'string|null', session_thread_id: 'string?' }),
  events.shape,
)

export default recordReader({
  name: 'managed-agents',
  program: 'managed-agents',
  summary: 'Events of Claude Managed Agents',
  source: "GET /v1/sessions/{id}/events of Anthropic's API, and logs of it",
  shapes: [['id', 'type', 'processed_at', 'content', 'model_usage', 'tool_use_id', 'session_thread_id']],
  shape: (record) => (listIn(record) ? null : recordShape(record)),
  recognise: (record) => (listIn(record) ?? [record]).some((event) => isEvent(objectOf(event) ?? {})),
  time: 'processed_at',
  // By the id of the thread; the session's own has none.
  begin: (context) => ({ context, threads: new Map<string | undefined, Thread>() }),
  record(record, mark, { context, threads }) {
    const list = listIn(record)
    if (!list) return add(record, mark, threads)
    readItems(context, list, null, (event, line) => add(event, { line, time: timeOf(event.processed_at) }, threads))
  },
  end({ context, threads }) {
    for (const [name, { session }] of threads)
      if (session.length > 0) session.write(context, { conversation: name, provider: 'anthropic' })
  },
})

/** The events of a page of the API. */
function listIn(record: unknown): readonly unknown[] | undefined {
  const data = objectOf(record)?.data
  return Array.isArray(data) ? data : undefined
}

function add(event: JsonObject, mark: Mark, threads: Map<string | undefined, Thread>): Outcome {
  const { type } = event
  if (typeof type !== 'string') return { code: 'bad-shape', key: 'type' }
  if (!families.test(type)) return unknown(type)
  // Events about a thread name it, too.
  const name = type.startsWith('session.') ? undefined : stringOf(event.session_thread_id)
  const thread = threads.get(name) ?? new Thread()
  threads.set(name, thread)
  return events.read(event, mark, thread)
}

class Thread {
  readonly session = new Session()
  /** Something of the response to the request under way is known already. */
  isBegun = false

  respond(blocks: readonly Block[], mark: Mark, usage?: Usage): Outcome {
    if (this.isBegun) this.session.continueResponse(blocks, usage)
    else this.session.response(blocks, { ...mark, usage })
    this.isBegun = true
    return 'used'
  }
}
