/**
 * Transcripts as Entire keeps them beside a commit, whatever agent they are of: `transcript.jsonl` of a checkpoint. Read from
 * entireio/cli (transcript/*.go@3169048356) on 2026-11-23.
 *
 * - A line is what the user said, or a response with the results of its calls inside the calls.
 * - Thoughts, system prompt, tools and models are not kept.
 * - `input_tokens` is without what the agent's provider read from its cache or wrote to it, which is not kept either: most often 2
 *   tokens of a hundred thousand. Only Gemini counts the whole input there. Other counts say nothing of a request, and are left out.
 * - `metadata.json` beside the transcript has the model, and what the provider counted since the checkpoint before, summed: of the first
 *   `api_call_count` responses from line `compact_transcript_start` on (in 12 of 12 checkpoints of Soph/energy-import-export their
 *   `output_tokens` come to its sum, 2026-11-23). It is billed, and says nothing of how large a request was: thoughts, which the provider
 *   counted too, are not in the transcript.
 */
import type { Message, Usage } from '../../model/message.ts'
import { bad, defineReader, type Outcome, type ReaderContext, type Reading, unknown } from '../reader.ts'
import {
  anthropicBlocks,
  anthropicParts,
  itemsOf,
  type JsonObject,
  objectOf,
  stringOf,
  textBlocks,
} from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import { type Mark, Session } from '../wire/session.ts'
import { both, keys, kinds, listOf, optional, where } from '../wire/shape.ts'
import { sideCallOf } from '../wire/side-calls.ts'
import { tokens } from '../wire/usage.ts'

const partShape = kinds('type', {
  ...anthropicParts,
  tool_use: keys({
    name: 'string',
    input: 'any|null',
    id: 'string?',
    result: optional(keys({ output: 'string', status: 'string' })),
  }),
})

/** A text of the user has no type. */
const saidShape = both(
  where(({ type }) => type === undefined, keys({ text: 'string' })),
  where(({ type }) => type !== undefined, kinds('type', anthropicParts)),
)

export default defineReader({
  name: 'entire',
  program: 'entire',
  summary: "Entire's transcripts of any agent",
  source: 'transcript.jsonl of a checkpoint on the branch entire/checkpoints/v1',
  shapes: [['v', 'agent', 'cli_version', 'type', 'ts', 'id', 'input_tokens', 'output_tokens', 'content']],
  shape: kinds('type', {
    user: keys({ agent: 'string', ts: 'string?', content: listOf(saidShape) }),
    assistant: keys({
      agent: 'string',
      ts: 'string?',
      content: listOf(partShape),
      input_tokens: 'amount?',
      output_tokens: 'amount?',
    }),
  }),
  recognise(record) {
    const line = objectOf(record)
    return line && typeof line.v === 'number' && 'cli_version' in line && typeof line.agent === 'string' ? 1 : 0
  },
  read: (context) => new Lines(context),
})

class Lines implements Reading {
  readonly #context: ReaderContext
  readonly #session = new Session()
  readonly #checkpoint: JsonObject
  /** Where the responses stand that the checkpoint can have counted. */
  readonly #answers: Mark[] = []
  #agent = ''

  constructor(context: ReaderContext) {
    this.#context = context
    this.#checkpoint = objectOf(context.beside('metadata.json')) ?? {}
  }

  record(value: unknown, line: number): Outcome {
    const record = objectOf(value)
    if (!record) return bad
    const { type } = record
    if (type !== 'user' && type !== 'assistant') return unknown(type)
    if (!Array.isArray(record.content)) return { code: 'bad-shape', key: 'content' }
    this.#agent ||= stringOf(record.agent) ?? ''
    const mark = { line, time: timeOf(record.ts) }
    if (type === 'user') {
      const blocks = record.content.flatMap((part) => {
        const { text, type: kind } = objectOf(part) ?? {}
        return kind === undefined ? textBlocks(text) : anthropicBlocks([part])
      })
      this.#session.prompt(blocks, mark, originOf(record))
      return 'used'
    }
    const usage = this.#agent.includes('gemini') ? usageIn(record) : undefined
    this.#session.response(anthropicBlocks(record.content), { ...mark, responseId: stringOf(record.id), usage })
    if (!usage && line > (tokens(this.#checkpoint.compact_transcript_start) ?? 0)) this.#answers.push(mark)
    for (const part of record.content.map(objectOf)) {
      const result = objectOf(part?.result)
      if (!part || !result) continue
      const isError = result.status === 'error'
      this.#session.result(textBlocks(result.output), { ...mark, id: stringOf(part.id) ?? '', isError })
    }
    return 'used'
  }

  end(): void {
    const provider = providerOf(this.#agent)
    const model = stringOf(this.#checkpoint.model)?.replace(/\[\w+\]$/, '')
    this.#bill(model)
    this.#session.write(this.#context, { conversation: null, ...(provider && { provider }), ...(model && { model }) })
  }

  /** Adds what the checkpoint counted, at the last response that it is of. */
  #bill(model: string | undefined): void {
    const counts = objectOf(this.#checkpoint.token_usage)
    const calls = tokens(counts?.api_call_count) ?? 0
    const fresh = tokens(counts?.input_tokens)
    const last = this.#answers.slice(0, calls).at(-1)
    if (!counts || fresh === undefined || !last) return
    const [cacheRead, cacheWrite] = [tokens(counts.cache_read_tokens) ?? 0, tokens(counts.cache_creation_tokens) ?? 0]
    const output = tokens(counts.output_tokens) ?? 0
    const usage = { input: fresh + cacheRead + cacheWrite, cacheRead, cacheWrite, cacheWrite1h: 0, output }
    this.#session.sideCall(sideCallOf({ kind: 'summed', usage, calls, model, time: last.time, line: last.line }))
  }
}

/** Gemini counts what was read from the cache as part of the input. */
function usageIn({ input_tokens, output_tokens }: JsonObject): Usage | undefined {
  const input = tokens(input_tokens)
  if (input === undefined) return undefined
  return { input, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: tokens(output_tokens) ?? 0 }
}

function providerOf(agent: string) {
  if (agent.includes('claude') || agent.includes('cursor')) return 'anthropic'
  return agent.includes('gemini') ? 'google' : undefined
}

/** Which of a user's lines Claude Code wrote is not kept, but shows in how it words them. */
const ofProgram =
  /^(?:<(?:task-notification|system-reminder|command-name|local-command-)|Base directory for this skill: |\[Image: |\[Request interrupted by user)/

function originOf({ content }: JsonObject): Message['origin'] {
  return ofProgram.test(stringOf(objectOf(itemsOf(content)[0])?.text) ?? '') ? 'injected' : undefined
}
