/**
 * Grok Build's sessions: the updates that the program sends to its screen, in the Agent Client Protocol and in records of its own.
 * Read from xai-org/grok-build (xai-grok-shell/src/extensions/notification.rs and session/storage/@19d42e35c0) on 2026-11-28.
 *
 * - What the model wrote comes in chunks; with no result and no prompt in between they are one response.
 * - `turn_completed` counts a turn, by model, with cached tokens inside the input and what it cost, in ticks. One that comes
 *   again replaces what it said before.
 * - System prompt and tools are not recorded, and of summaries only the beginning. A rewind takes prompts back, with what
 *   came behind them.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { setOf } from '../../base/words.ts'
import type { Block, Usage } from '../../model/message.ts'
import { kind, kindsBy, recordReader } from '../frames.ts'
import { bad, type Outcome, type ReaderContext } from '../reader.ts'
import { callBlock, jsonBlock, textBlocks, thinkingBlocks } from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import { Pieces } from '../wire/pieces.ts'
import { injected, type Mark, textIn } from '../wire/session.ts'
import { both, keys, kinds, listOf, mapOf, optional } from '../wire/shape.ts'
import { tokens, usageAt } from '../wire/usage.ts'

const contentShape = kinds('type', { text: keys({ text: 'string' }), diff: keys({ newText: 'string' }) })
const chunkShape = keys({ content: contentShape })

const countsShape = keys({
  inputTokens: 'any',
  outputTokens: 'any',
  cachedReadTokens: 'amount?',
  cacheCreationTokens: 'amount?',
  modelCalls: 'amount?',
  costUsdTicks: 'amount?',
})

const updates = kindsBy<Updates>(
  'sessionUpdate',
  {
    user_message_chunk: kind(chunkShape, ({ content }, mark, file) => file.asked(contentBlocks(content), mark)),
    agent_message_chunk: kind(chunkShape, ({ content }, mark, file) => file.write(contentBlocks(content), mark)),
    agent_thought_chunk: kind(chunkShape, ({ content }, mark, file) =>
      file.write(thinkingBlocks(objectOf(content)?.text), mark),
    ),
    tool_call: kind({ toolCallId: 'string', title: 'string', rawInput: 'arguments?' }, (update, mark, file) => {
      file.call(textIn(update, 'toolCallId') ?? '', textIn(update, 'title'), update.rawInput)
      if (ended.has(update.status)) file.result(update, mark)
    }),
    tool_call_update: kind(
      {
        toolCallId: 'string',
        rawInput: 'arguments?',
        rawOutput: 'any?',
        content: optional(listOf(kinds('type', { content: chunkShape, diff: contentShape }))),
      },
      (update, mark, file) => file.result(update, mark),
    ),
    auto_compact_completed: kind({ summary_preview: 'text?' }, ({ summary_preview }, { line }, file) => {
      const summary = textBlocks(summary_preview ?? '[a summary that is not recorded]')
      file.settle()
      file.pieces.session.compaction([injected(summary, line)], line)
    }),
    turn_completed: kind(
      {
        prompt_id: 'string',
        usage: optional(both(countsShape, keys({ modelUsage: optional(mapOf(countsShape)) }))),
      },
      ({ prompt_id, usage }, _, file) => file.turned(prompt_id, objectOf(usage)),
    ),
    rewind_marker: kind(null, ({ target_prompt_index }, _, file) => file.rewind(target_prompt_index)),
  },
  // For the screen, for other programs, or about sub-agents, which have sessions of their own.
  /^(?:auto_(?:compact_(?:started|failed|cancelled)|continue_completed|recovery_\w+)|available_commands_update|compaction_checkpoint|config_option_update|current_mode_update|diff_review|feedback_request|goal_updated|hook\w*|image_\w+|interaction_resolved|last_turn_summary|memory_\w+|model_\w+|monitor_event|pending_interaction|plan|plugin\w*|reasoning_completed|relay_sync_status|response_\w+|retry_state|scheduled_task_\w+|session_\w+|subagent_\w+|task_\w+|tool_call_delta_chunk|usage_update|workflow_updated)$/,
)

/** What ends a call. */
const ended = setOf('completed failed')

export default recordReader({
  name: 'grok-build',
  program: 'grok-build',
  summary: "Grok Build's sessions",
  source: '~/.grok/sessions/*/*/updates.jsonl',
  places: [
    {
      directories: ['$GROK_HOME/sessions', '~/.grok/sessions'],
      files: '*/*/updates.jsonl',
      session: /([^/]+)\/updates\.jsonl$/,
    },
  ],
  shapes: [['timestamp', 'method', 'params', 'params.sessionId', 'params.update', 'params._meta']],
  shape: keys({ params: keys({ update: updates.shape }) }),
  recognise: ({ method, params }) =>
    typeof method === 'string' &&
    /^(?:_x\.ai\/)?session\/update$/.test(method) &&
    typeof objectOf(objectOf(params)?.update)?.sessionUpdate === 'string',
  begin: () => new Updates(),
  record({ params, timestamp }, { line }, file) {
    const { update, sessionId, _meta: meta } = objectOf(params) ?? {}
    const { agentTimestampMs, modelId } = objectOf(meta) ?? {}
    const recorded = objectOf(update)
    if (typeof recorded?.sessionUpdate !== 'string') return bad
    file.id = stringOf(sessionId) ?? file.id
    file.model = stringOf(modelId) ?? file.model
    return updates.read(recorded, { line, time: timeOf(agentTimestampMs ?? timestamp) }, file)
  },
  end: (file, context) => file.end(context),
})

interface Call {
  readonly id: string
  readonly title: string | undefined
  input: unknown
}

class Updates {
  readonly pieces = new Pieces()
  id: string | undefined
  model: string | undefined
  /** A prompt that comes in chunks, until something else does. */
  #prompt: { readonly blocks: readonly Block[]; readonly mark: Mark } | null = null
  /** Where the prompts stand. */
  #prompts: number[] = []
  /** Calls whose input may still come. */
  #calls: Call[] = []
  /** What the newest turn came to. */
  #turn: { readonly id: unknown; readonly usage: JsonObject } | null = null

  asked(more: readonly Block[], mark: Mark): void {
    if (!this.#prompt) this.settle()
    const { blocks, mark: begun } = this.#prompt ?? { blocks: [], mark }
    this.#prompt = { blocks: [...blocks, ...more], mark: begun }
  }

  call(id: string, title: string | undefined, input: unknown): void {
    this.#ask()
    this.#calls.push({ id, title, input })
  }

  turned(id: unknown, usage: JsonObject | undefined): Outcome {
    if (!usage) return 'no-context'
    if (this.#turn && this.#turn.id !== id) this.#count()
    this.#turn = { id, usage }
    return 'used'
  }

  end(context: ReaderContext): void {
    this.settle()
    this.#ask()
    const summary = objectOf(context.beside('summary.json'))
    const info = objectOf(summary?.info)
    this.pieces.write(context, {
      conversation: textIn(info, 'id') ?? this.id,
      cwd: textIn(info, 'cwd'),
      parent: textIn(summary, 'parent_session_id'),
      model: this.model ?? textIn(summary, 'current_model_id'),
    })
  }

  /** What went before is at its end. */
  settle(): void {
    this.#flush()
    this.#count()
  }

  #ask(): void {
    if (!this.#prompt) return
    const { blocks, mark } = this.#prompt
    this.#prompt = null
    this.#prompts.push(this.pieces.session.length)
    this.pieces.prompt(blocks, mark)
  }

  write(blocks: readonly Block[], mark: Mark): void {
    this.#flush(mark)
    this.pieces.written(blocks, { ...mark, model: this.model }, true)
  }

  #flush(mark?: Mark): void {
    this.#ask()
    const { line = 1, time } = mark ?? this.pieces.session.last ?? {}
    const calls = this.#calls.map(({ id, title, input }) => callBlock(id, title, input ?? {}))
    this.#calls = []
    this.pieces.written(calls, { line, time, model: this.model })
  }

  result(update: JsonObject, mark: Mark): void {
    const id = textIn(update, 'toolCallId') ?? ''
    const call = this.#calls.find((each) => each.id === id)
    if (call) call.input = update.rawInput ?? call.input
    if (!ended.has(update.status)) return
    this.#flush(mark)
    const said = itemsOf(update.content).flatMap((part) => contentBlocks(objectOf(part)?.content ?? part))
    const blocks = said.length > 0 ? said : textBlocks(update.rawOutput)
    this.pieces.result(blocks, { ...mark, id, isError: update.status === 'failed' })
  }

  #count(): void {
    if (!this.#turn) return
    const { usage } = this.#turn
    this.#turn = null
    const models = Object.entries(objectOf(usage.modelUsage) ?? {})
    const parts = models.length > 1 ? models : [[models[0]?.[0] ?? this.model, usage] as const]
    for (const [model, part] of parts) {
      const counts = objectOf(part) ?? {}
      const calls = tokens(counts.modelCalls) || undefined
      this.pieces.counted(usageIn(counts), { calls, model, isBeside: models.length > 1 && model !== this.model })
    }
  }

  rewind(target: unknown): Outcome {
    this.settle()
    const from = typeof target === 'number' ? this.#prompts[target] : undefined
    if (from === undefined) return bad
    this.pieces.session.takeBack(from)
    this.#prompts = this.#prompts.filter((prompt) => prompt < from)
    return 'used'
  }
}

/** Text as it is, a change of a file by its new text, and what else there is as it was recorded. */
function contentBlocks(content: unknown): Block[] {
  const part = objectOf(content)
  if (!part) return textBlocks(content)
  if (part.type === 'text') return textBlocks(part.text)
  return part.type === 'diff' ? textBlocks(part.newText) : [jsonBlock(part)]
}

/** Ten billion ticks are a dollar. A part of a cost is none. */
const ticks = 1e10

function usageIn(counts: JsonObject): Usage | undefined {
  const { inputTokens, costUsdTicks, costIsPartial, usageIsIncomplete } = counts
  if (tokens(inputTokens) === undefined) return undefined
  const isWhole = typeof costUsdTicks === 'number' && costIsPartial !== true && usageIsIncomplete !== true
  const usage = usageAt(counts, {
    input: 'inputTokens',
    cacheRead: 'cachedReadTokens',
    cacheWrite: 'cacheCreationTokens',
    output: 'outputTokens',
    isBeside: false,
  })
  return { ...usage, ...(isWhole && { cost: costUsdTicks / ticks }) }
}
