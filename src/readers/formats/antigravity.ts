/**
 * Transcripts of Google's Antigravity, its editor and its command line: a line per step. Antigravity itself is closed; this is
 * read from a transcript of June 2026 and from programs that read such files, on 2026-11-23 (AgyTranscriptReader of UsageBeacon for the
 * counts).
 *
 * - What the model says and calls is a `PLANNER_RESPONSE`. What each call gave is a step of its own, named by the kind of tool and
 *   without an id: they come in the order of the calls.
 * - `transcript_full.jsonl` has everything; `transcript.jsonl` beside it is the same with long outputs cut.
 * - Models are named where the user changes them, as the editor shows them. Newer versions of the command line count tokens:
 *   `input_tokens` beside what was read from the cache.
 */
import type { Usage } from '../../model/message.ts'
import { bad, defineReader, duplicate, type Outcome, type ReaderContext, type Reading } from '../reader.ts'
import { callBlock, itemsOf, type JsonObject, objectOf, stringOf, textBlocks, thinkingBlocks } from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import { type Mark, Session } from '../wire/session.ts'
import { both, keys, listOf, optional, prose, someOf, where } from '../wire/shape.ts'
import { spokenBy } from '../wire/spoken.ts'
import { usageOf, withInput } from '../wire/usage.ts'

const isResponse = ({ type }: JsonObject): boolean => type === 'PLANNER_RESPONSE'

const spoken = new Set<unknown>(['USER_INPUT', 'EPHEMERAL_MESSAGE', 'SYSTEM_MESSAGE', 'TOOL_RESPONSE'])

/** Whether a step has a content by its kind. */
const says = (step: JsonObject): boolean => spoken.has(step.type) || (step.source === 'MODEL' && !isResponse(step))

const stepShape = both(
  keys({ step_index: 'number', source: 'string', type: 'string', created_at: 'string?', content: 'string?' }),
  where(says, keys({ content: 'string' })),
  where(
    isResponse,
    both(
      someOf({ content: 'string', tool_calls: 'list', thinking: 'string' }),
      keys({
        tool_calls: optional(listOf(keys({ name: 'string', args: 'object' }))),
        content: optional(prose),
        thinking: 'text?',
        input_tokens: 'amount?',
        output_tokens: 'amount?',
        cache_read_tokens: 'amount?',
      }),
    ),
  ),
)

export default defineReader({
  name: 'antigravity',
  program: 'antigravity',
  summary: "Google Antigravity's transcripts",
  source: '~/.gemini/antigravity*/brain/*/.system_generated/logs/transcript_full.jsonl',
  places: ['antigravity', 'antigravity-ide', 'antigravity-cli'].map((program) => ({
    directories: [`~/.gemini/${program}/brain`],
    files: '*/.system_generated/logs/transcript_full.jsonl',
    session: /([^/]+)\/\.system_generated\/logs\/[^/]+$/,
  })),
  shapes: [['step_index', 'source', 'type', 'status', 'created_at', 'content', 'tool_calls', 'thinking']],
  shape: stepShape,
  recognise(record) {
    const step = objectOf(record)
    return step &&
      typeof step.step_index === 'number' &&
      typeof step.source === 'string' &&
      typeof step.type === 'string'
      ? 1
      : 0
  },
  read: (context) => new Steps(context),
})

/** Steps of the program that the model does not see. */
const unseen = new Set<unknown>(['ERROR_MESSAGE', 'CHECKPOINT'])

class Steps implements Reading {
  readonly #context: ReaderContext
  readonly #session = new Session()
  readonly #known = new Set<unknown>()
  #model: string | undefined
  /** How many calls of the newest response have no result yet. */
  #open = 0

  constructor(context: ReaderContext) {
    this.#context = context
  }

  record(value: unknown, line: number): Outcome {
    const step = objectOf(value)
    if (!step) return bad
    if (typeof step.type !== 'string') return { code: 'bad-shape', key: 'type' }
    if (typeof step.source !== 'string') return { code: 'bad-shape', key: 'source' }
    if (this.#known.has(step.step_index)) return duplicate
    if (typeof step.step_index === 'number') this.#known.add(step.step_index)
    const mark = { line, time: timeOf(step.created_at) }
    if (isResponse(step)) return this.#respond(step, mark)
    const blocks = textBlocks(step.content)
    if (blocks.length === 0 || unseen.has(step.type)) return 'no-context'
    if (step.type === 'USER_INPUT') {
      this.#model = modelIn(step) ?? this.#model
      this.#open = 0
      this.#session.prompt(blocks, mark, step.source === 'USER_EXPLICIT' ? undefined : 'injected')
    } else if (this.#open > 0 && (step.source === 'MODEL' || step.type === 'TOOL_RESPONSE')) {
      this.#open--
      this.#session.result(blocks, { ...mark, id: '', isError: step.status === 'ERROR' })
    } else this.#session.prompt(blocks, mark, 'injected')
    return 'used'
  }

  end(): void {
    if (this.#session.length === 0) return
    const provider = this.#model === undefined ? 'google' : spokenBy(this.#model)
    this.#session.write(this.#context, { conversation: null, provider })
  }

  #respond(step: JsonObject, mark: Mark): Outcome {
    const calls = itemsOf(step.tool_calls).map((value) => {
      const call = objectOf(value)
      return callBlock('', call?.name, call?.args ?? {})
    })
    this.#open = calls.length
    const blocks = [...thinkingBlocks(step.thinking), ...textBlocks(step.content), ...calls]
    this.#session.response(blocks, { ...mark, model: this.#model, usage: usageIn(step) })
    return blocks.length > 0 ? 'used' : 'no-context'
  }
}

function usageIn({ input_tokens, cache_read_tokens, output_tokens }: JsonObject): Usage | undefined {
  return withInput(usageOf({ input_tokens, cache_read_tokens, output_tokens }))
}

/** The model in the notice that the user has chosen another: `Gemini 3.1 Pro (High)` is `gemini-3.1-pro`. */
function modelIn({ content }: JsonObject): string | undefined {
  const notice = /changed setting `Model Selection` from [^\r\n<]+? to ([^\r\n<(]+?)(?: \([^)\r\n]*\))?\.(?:\s|$)/
  const name = notice
    .exec(stringOf(content) ?? '')?.[1]
    ?.trim()
    .toLowerCase()
    .replaceAll(/\s+/g, '-')
  if (name === undefined || name === 'none') return undefined
  return name.startsWith('claude-') ? name.replaceAll('.', '-') : name
}
