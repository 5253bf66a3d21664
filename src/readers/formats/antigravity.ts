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

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import type { Usage } from '../../model/message.ts'
import { recordReader } from '../frames.ts'
import { duplicate, type Outcome } from '../reader.ts'
import { callBlock, textBlocks, thinkingBlocks } from '../wire/blocks.ts'
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

export default recordReader({
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
  recognise: ({ step_index, source, type }) =>
    typeof step_index === 'number' && typeof source === 'string' && typeof type === 'string',
  time: 'created_at',
  begin: () => new Steps(),
  record: (step, mark, steps) => steps.add(step, mark),
  end: ({ session, model }, context) => {
    if (session.length === 0) return
    session.write(context, { conversation: null, provider: model === undefined ? 'google' : spokenBy(model) })
  },
})

/** Steps of the program that the model does not see. */
const unseen = new Set<unknown>(['ERROR_MESSAGE', 'CHECKPOINT'])

class Steps {
  readonly session = new Session()
  model: string | undefined
  readonly #known = new Set<unknown>()
  /** How many calls of the newest response have no result yet. */
  #open = 0

  add(step: JsonObject, mark: Mark): Outcome {
    const { step_index, type, source, status } = step
    if (typeof type !== 'string') return { code: 'bad-shape', key: 'type' }
    if (typeof source !== 'string') return { code: 'bad-shape', key: 'source' }
    if (this.#known.has(step_index)) return duplicate
    if (typeof step_index === 'number') this.#known.add(step_index)
    if (isResponse(step)) return this.#respond(step, mark)
    const blocks = textBlocks(step.content)
    if (blocks.length === 0 || unseen.has(type)) return 'no-context'
    if (type === 'USER_INPUT') {
      this.model = modelIn(step) ?? this.model
      this.#open = 0
      this.session.prompt(blocks, mark, source === 'USER_EXPLICIT' ? undefined : 'injected')
    } else if (this.#open > 0 && (source === 'MODEL' || type === 'TOOL_RESPONSE')) {
      this.#open--
      this.session.result(blocks, { ...mark, id: '', isError: status === 'ERROR' })
    } else this.session.prompt(blocks, mark, 'injected')
    return 'used'
  }

  #respond(step: JsonObject, mark: Mark): Outcome {
    const calls = itemsOf(step.tool_calls).map((value) => {
      const call = objectOf(value)
      return callBlock('', call?.name, call?.args ?? {})
    })
    this.#open = calls.length
    const blocks = [...thinkingBlocks(step.thinking), ...textBlocks(step.content), ...calls]
    this.session.response(blocks, { ...mark, model: this.model, usage: usageIn(step) })
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
