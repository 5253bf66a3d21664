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

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import type { Message, Usage } from '../../model/message.ts'
import { kind, kindsBy, recordReader } from '../frames.ts'
import type { Outcome, ReaderContext } from '../reader.ts'
import { anthropicBlocks, anthropicParts, textBlocks } from '../wire/blocks.ts'
import { type Mark, Session } from '../wire/session.ts'
import { both, keys, kinds, listOf, optional, where } from '../wire/shape.ts'
import { sideCallOf } from '../wire/side-calls.ts'
import { noTokens, tokens, usageAt } from '../wire/usage.ts'

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

const lines = kindsBy<Lines>('type', {
  user: kind({ agent: 'string', ts: 'string?', content: listOf(saidShape) }, (record, mark, file) =>
    file.add(record, (content) => {
      const blocks = content.flatMap((part) => {
        const { text, type } = objectOf(part) ?? {}
        return type === undefined ? textBlocks(text) : anthropicBlocks([part])
      })
      file.session.prompt(blocks, mark, originOf(record))
    }),
  ),
  assistant: kind(
    { agent: 'string', ts: 'string?', content: listOf(partShape), input_tokens: 'amount?', output_tokens: 'amount?' },
    (record, mark, file) => file.add(record, (content) => file.respond(record, content, mark)),
  ),
})

export default recordReader({
  name: 'entire',
  program: 'entire',
  summary: "Entire's transcripts of any agent",
  source: 'transcript.jsonl of a checkpoint on the branch entire/checkpoints/v1',
  shapes: [['v', 'agent', 'cli_version', 'type', 'ts', 'id', 'input_tokens', 'output_tokens', 'content']],
  time: 'ts',
  record: lines,
  recognise: (line) => typeof line.v === 'number' && 'cli_version' in line && typeof line.agent === 'string',
  begin: (context) => new Lines(objectOf(context.beside('metadata.json')) ?? {}),
  end: (file, context) => file.write(context),
})

class Lines {
  readonly session = new Session()
  readonly #checkpoint: JsonObject
  /** Where the responses stand that the checkpoint can have counted. */
  readonly #answers: Mark[] = []
  #agent = ''

  constructor(checkpoint: JsonObject) {
    this.#checkpoint = checkpoint
  }

  add({ content, agent }: JsonObject, read: (content: readonly unknown[]) => void): Outcome {
    if (!Array.isArray(content)) return { code: 'bad-shape', key: 'content' }
    this.#agent ||= stringOf(agent) ?? ''
    read(content)
    return 'used'
  }

  respond(record: JsonObject, content: readonly unknown[], mark: Mark): void {
    const usage = this.#agent.includes('gemini') ? usageIn(record) : undefined
    this.session.response(anthropicBlocks(content), { ...mark, responseId: record.id, usage })
    if (!usage && mark.line > (tokens(this.#checkpoint.compact_transcript_start) ?? 0)) this.#answers.push(mark)
    for (const part of content.map(objectOf)) {
      const result = objectOf(part?.result)
      if (part && result)
        this.session.result(textBlocks(result.output), { ...mark, id: part.id, isError: result.status === 'error' })
    }
  }

  write(context: ReaderContext): void {
    const model = stringOf(this.#checkpoint.model)?.replace(/\[\w+\]$/, '')
    this.#bill(model)
    this.session.write(context, { conversation: null, provider: providerOf(this.#agent), model: model || undefined })
  }

  /** Adds what the checkpoint counted, at the last response that it is of. */
  #bill(model: string | undefined): void {
    const counts = objectOf(this.#checkpoint.token_usage)
    const calls = tokens(counts?.api_call_count) ?? 0
    const last = this.#answers.slice(0, calls).at(-1)
    if (!counts || tokens(counts.input_tokens) === undefined || !last) return
    const usage = usageAt(counts, {
      input: 'input_tokens',
      cacheRead: 'cache_read_tokens',
      cacheWrite: 'cache_creation_tokens',
      output: 'output_tokens',
      isBeside: true,
    })
    this.session.sideCall(sideCallOf({ kind: 'summed', usage, calls, model, time: last.time, line: last.line }))
  }
}

/** Gemini counts what was read from the cache as part of the input. */
function usageIn({ input_tokens, output_tokens }: JsonObject): Usage | undefined {
  const input = tokens(input_tokens)
  if (input === undefined) return undefined
  return { ...noTokens, input, output: tokens(output_tokens) ?? 0 }
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
