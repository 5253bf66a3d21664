/**
 * ATIF, the Agent Trajectory Interchange Format of Harbor (Terminal-Bench): `steps` of the system, the user and the agent.
 *
 * - An agent's step is one response; what its calls, or the commands in its text, came to is in its `observation`.
 * - The system's first steps are the system prompt. Later ones tell of the harness: they start no exchange, and one that
 *   replaces the context is a recorded compaction, behind which the new context follows.
 * - Steps that a continued run copied from the one before (`is_copied_context`) are inherited.
 * - Embedded trajectories of sub-agents are transcripts of their own. Steps are numbered 1, 2, ….
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import type { Block, Message, ProviderName } from '../../model/message.ts'
import { documentReader } from '../frames.ts'
import { bad, type ReaderContext, type TranscriptWriter, tell } from '../reader.ts'
import { callBlock, jsonBlock, textBlocks, thinkingBlocks } from '../wire/blocks.ts'
import { definitionsShape, timeOf } from '../wire/bodies.ts'
import { OpenCalls } from '../wire/calls.ts'
import type { Draft } from '../wire/conversations.ts'
import { both, keys, kinds, listOf, oddIn, optional, orText, someOf, where } from '../wire/shape.ts'
import { spokenBy } from '../wire/spoken.ts'
import { usageBy, usageShape } from '../wire/usage.ts'
import { usageKeys } from '../wire/usage-keys.ts'

export default documentReader({
  name: 'atif',
  summary: 'ATIF trajectories of Harbor and Terminal-Bench',
  source: '`trajectory.json` of the agents that Harbor runs',
  shapes: [['schema_version', 'session_id', 'agent', 'steps', 'steps.step_id', 'steps.source', 'steps.message']],
  recognise: isTrajectory,
  record(trajectory, { line }, context) {
    if (!isTrajectory(trajectory)) return bad
    write(trajectory, null, line, context)
  },
})

const contentShape = orText(listOf(kinds('type', { text: keys({ text: 'string' }) })))

const resultShape = both(
  keys({ source_call_id: 'string?' }),
  someOf({ content: contentShape, subagent_trajectory_ref: 'list' }),
)

const observed = optional(keys({ results: listOf(resultShape) }))

/** Some programs record the price only. */
const metricsShape = both(
  keys({
    extra: optional(keys({ cache_creation_input_tokens: 'amount?', cache_read_input_tokens: 'any?' })),
    cost_usd: 'amount?',
    cached_tokens: 'amount?',
  }),
  where(({ prompt_tokens, completion_tokens }) => (prompt_tokens ?? completion_tokens ?? null) !== null, usageShape),
)

const stepShape = kinds('source', {
  system: keys({
    message: contentShape,
    observation: observed,
    extra: optional(keys({ context_management: optional(keys({ boundary: 'string?' })) })),
  }),
  user: keys({ message: contentShape, is_copied_context: 'boolean?' }),
  agent: both(
    keys({
      message: contentShape,
      reasoning_content: 'text?',
      tool_calls: optional(listOf(keys({ tool_call_id: 'string', function_name: 'string', arguments: 'object' }))),
      observation: observed,
      metrics: optional(metricsShape),
      is_copied_context: 'boolean?',
    }),
    where(namesCalls, keys({ tool_calls: 'list' })),
  ),
})

const trajectoryShape = keys({
  agent: keys({ tool_definitions: optional(definitionsShape) }),
  subagent_trajectories: optional(listOf(keys({ steps: 'list' }))),
})

/** Results that name their calls answer calls of the same step. */
function namesCalls({ observation }: JsonObject): boolean {
  return itemsOf(objectOf(observation)?.results).some((result) => typeof objectOf(result)?.source_call_id === 'string')
}

type Trajectory = JsonObject & { readonly steps: readonly unknown[] }

function isTrajectory(record: JsonObject): record is Trajectory {
  return stringOf(record.schema_version)?.startsWith('ATIF') === true && Array.isArray(record.steps)
}

function write(trajectory: Trajectory, parent: string | null, line: number, context: ReaderContext): void {
  tell(context, oddIn(trajectoryShape, trajectory), line)
  const session = stringOf(trajectory.session_id) ?? stringOf(trajectory.trajectory_id) ?? null
  const steps = trajectory.steps.map(objectOf)
  const agent = objectOf(trajectory.agent)
  const model =
    steps.map((step) => stringOf(step?.model_name)).find((name) => name !== undefined) ?? stringOf(agent?.model_name)
  const provider = spokenBy(model)
  const writer = context.open({ conversation: session, provider })
  writer.describe({ parent, model, version: stringOf(agent?.version) })
  const run = new Run(writer, provider)
  const inherited = steps.findLastIndex((step) => step?.is_copied_context === true)
  // The number of inherited messages is known only behind the last of them, so until then all count as inherited.
  if (inherited !== -1) writer.describe({ forkMessage: Number.MAX_SAFE_INTEGER })
  for (const [index, step] of steps.entries()) {
    tell(context, step && run.add(step, index + 1) ? oddIn(stepShape, step) : bad, index + 1)
    if (index === inherited) writer.describe({ forkMessage: writer.length })
  }
  run.end(agent?.tool_definitions)
  writer.close()
  for (const inner of itemsOf(trajectory.subagent_trajectories)) {
    const embedded = objectOf(inner)
    // An embedded trajectory need not repeat the version of the format.
    if (embedded && Array.isArray(embedded.steps)) write(embedded as Trajectory, session, line, context)
  }
}

class Run {
  readonly #writer: TranscriptWriter
  readonly #provider: ProviderName
  readonly #calls = new OpenCalls()
  readonly #system: Message[] = []
  #called = false

  constructor(writer: TranscriptWriter, provider: ProviderName) {
    this.#writer = writer
    this.#provider = provider
  }

  /** @returns false if it is no step */
  add(step: JsonObject, line: number): boolean {
    const time = timeOf(step.timestamp)
    const about = { line, ...(time !== undefined && { time }) }
    if (step.source === 'agent') this.#response(step, about)
    else if (step.source === 'user') {
      this.#calls.endStep()
      const isCopied = step.is_copied_context === true
      this.#write({ role: 'user', blocks: contentOf(step.message), ...about, ...(isCopied && { origin: 'injected' }) })
    } else if (step.source === 'system') this.#said(step, about)
    else return false
    return true
  }

  end(tools: unknown): void {
    const known = Array.isArray(tools) ? { tools } : {}
    const complete = this.#system.length > 0 && (Array.isArray(tools) || !this.#called)
    this.#writer.preamble({ system: this.#system, ...known, complete })
  }

  #said(step: JsonObject, about: Pick<Draft, 'line' | 'time'>): void {
    const results = itemsOf(objectOf(step.observation)?.results).map((result) => objectOf(result) ?? {})
    if (isCompaction(step, results)) {
      const at = this.#writer.length
      if (at > 0) this.#writer.compaction({ at, keptFrom: at, summary: [], line: about.line })
      return
    }
    const blocks = [...contentOf(step.message), ...results.flatMap(({ content }) => contentOf(content))]
    if (blocks.length === 0) return
    if (this.#writer.length === 0) this.#system.push({ role: 'system', blocks, ...about })
    else this.#write({ role: 'user', origin: 'injected', blocks, ...about })
  }

  #response(step: JsonObject, about: Pick<Draft, 'line' | 'time'>): void {
    const calls = itemsOf(step.tool_calls).map((value): Block => {
      const call = objectOf(value)
      return call ? callBlock(call.tool_call_id, call.function_name, call.arguments ?? {}) : jsonBlock(value)
    })
    if (calls.length > 0) this.#called = true
    const said = [...thinkingBlocks(step.reasoning_content), ...contentOf(step.message)]
    const message: Draft = { role: 'assistant', blocks: this.#calls.make([...said, ...calls]), ...about }
    const model = stringOf(step.model_name)
    const usage = usageBy(usageKeys.atif, step.metrics)
    if (model !== undefined) message.model = model
    if (usage) message.usage = usage
    this.#write(message)
    let answers = 0
    for (const value of itemsOf(objectOf(step.observation)?.results)) {
      const result = objectOf(value) ?? { content: value }
      const answered = this.#calls.answer(stringOf(result.source_call_id) ?? '', undefined)
      const tool: Draft = { role: 'tool', blocks: contentOf(result.content), ...about, ...answered }
      // OpenAI's API takes one message per result, the others one message with all of them.
      if (answers++ > 0 && this.#provider !== 'openai') tool.continues = true
      this.#write(tool)
    }
  }

  #write(message: Message): void {
    this.#writer.message(message)
  }
}

/** Before 1.7 a compaction is told only by the sub-agents that made the summary. */
function isCompaction({ extra }: JsonObject, results: readonly JsonObject[]): boolean {
  const management = objectOf(objectOf(extra)?.context_management)
  if (management) return (management.boundary ?? 'replace') === 'replace'
  return results.some((result) => itemsOf(result.subagent_trajectory_ref).length > 0)
}

/** A text, or parts; an image is a file beside the trajectory. */
function contentOf(content: unknown): Block[] {
  if (!Array.isArray(content)) return textBlocks(content)
  return content.flatMap((value): Block[] => {
    const part = objectOf(value)
    if (part?.type === 'image')
      return [{ type: 'image', mediaType: stringOf(objectOf(part.source)?.media_type) ?? '', bytes: 0 }]
    return typeof part?.text === 'string' ? textBlocks(part.text) : [jsonBlock(value)]
  })
}
