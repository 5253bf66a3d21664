/**
 * The stream of `gemini --output-format stream-json`: what a run did, for programs to follow.
 *
 * - A response comes in pieces (`delta`), and its calls behind its text. What the model wrote with no result in between is
 *   one response.
 * - Usage is a sum over the run: it is taken where there was one response. System prompt and tools are not recorded.
 */
import type { Block } from '../../model/message.ts'
import { bad, defineReader, type Outcome, type ReaderContext, type Reading, unknown } from '../reader.ts'
import { callBlock, type JsonObject, objectOf, stringOf, textBlocks, thinkingBlocks } from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import { Pieces } from '../wire/pieces.ts'
import { textIn } from '../wire/session.ts'
import { keys, kinds, optional, orText, prose, someOf, where } from '../wire/shape.ts'
import { usageBy, withInput } from '../wire/usage.ts'
import { usageKeys } from '../wire/usage-keys.ts'

const errorShape = orText(keys({ message: 'string' }))

const eventShape = kinds('type', {
  init: keys({ session_id: 'string', model: 'string' }),
  message: keys({ role: 'string', content: 'string', delta: 'boolean?' }),
  thought: someOf({ content: 'string', text: 'string', description: 'string', subject: 'string' }),
  tool_use: keys({ tool_id: 'string', tool_name: 'string', parameters: 'object' }),
  // The stream has only that part of a result which is shown as text.
  tool_result: kinds('status', {
    success: keys({ tool_id: 'string', output: optional(prose) }),
    error: keys({ tool_id: 'string', output: 'string?', error: errorShape }),
  }),
  // A run that failed may have counted nothing.
  result: where(
    ({ status }) => status !== 'error',
    keys({ stats: keys({ input_tokens: 'any', output_tokens: 'any', cached: 'any' }) }),
  ),
})

export default defineReader({
  name: 'gemini-stream',
  program: 'gemini-cli',
  summary: 'the stream of `gemini --output-format stream-json`',
  source: 'output of `gemini -o stream-json`',
  shapes: [['type', 'timestamp', 'session_id', 'role', 'content', 'delta', 'tool_name', 'tool_id', 'parameters']],
  recognise(record) {
    const event = objectOf(record)
    if (!event || typeof event.timestamp !== 'string') return 0
    switch (event.type) {
      case 'init':
        return typeof event.session_id === 'string' && typeof event.model === 'string' ? 1 : 0
      case 'tool_use':
        return typeof event.tool_name === 'string' && typeof event.tool_id === 'string' ? 1 : 0
      case 'tool_result':
        return typeof event.tool_id === 'string' && typeof event.status === 'string' ? 1 : 0
      case 'message':
        return (event.role === 'user' || event.role === 'assistant') && typeof event.content === 'string' ? 0.9 : 0
      case 'result':
        return objectOf(event.stats) ? 0.9 : 0
      default:
        return 0
    }
  },
  shape: eventShape,
  read: (context) => new Stream(context),
})

class Stream implements Reading {
  readonly #context: ReaderContext
  #head: JsonObject = {}
  #pieces = new Pieces()

  constructor(context: ReaderContext) {
    this.#context = context
  }

  record(value: unknown, line: number): Outcome {
    const event = objectOf(value)
    if (!event) return bad
    const mark = { line, time: timeOf(event.timestamp) }
    switch (event.type) {
      case 'init':
        if (event.session_id !== this.#head.session_id) this.end()
        this.#head = event
        return 'used'
      case 'message':
        if (event.role === 'user') this.#pieces.prompt(textBlocks(event.content), mark)
        else if (event.role !== 'assistant') return bad
        else this.#pieces.written(textBlocks(event.content), mark, event.delta === true)
        return 'used'
      case 'thought':
        this.#pieces.written(thoughtIn(event), mark)
        return 'used'
      case 'tool_use':
        this.#pieces.written([callBlock(event.tool_id, event.tool_name, event.parameters ?? {})], mark)
        return 'used'
      case 'tool_result': {
        const error = objectOf(event.error)?.message ?? event.error
        const isError = event.status === 'error'
        this.#pieces.result(textBlocks(event.output ?? error), { ...mark, id: stringOf(event.tool_id) ?? '', isError })
        return 'used'
      }
      case 'result':
        this.#pieces.counted(withInput(usageBy(usageKeys.geminiStream, event.stats)))
        return 'used'
      default:
        return event.type === 'error' ? 'no-context' : unknown(event.type)
    }
  }

  end(): void {
    const { session_id, model } = this.#head
    this.#pieces.write(this.#context, {
      conversation: stringOf(session_id) ?? null,
      model: stringOf(model),
      provider: 'google',
    })
    this.#pieces = new Pieces()
    this.#head = {}
  }
}

function thoughtIn(event: JsonObject): Block[] {
  return thinkingBlocks(textIn(event, 'content', 'text', 'description', 'subject'))
}
