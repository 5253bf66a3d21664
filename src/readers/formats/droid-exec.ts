/**
 * The stream of `droid exec --output-format stream-json`: what a run of Factory's Droid did, for programs to follow.
 *
 * - What the model wrote with no result in between is one response. The end repeats its last text.
 * - Usage is a sum over the run: it is taken where there was one response. Of system prompt and tools only names are
 *   recorded.
 */
import { bad, defineReader, type Outcome, type ReaderContext, type Reading, unknown } from '../reader.ts'
import { callBlock, type JsonObject, objectOf, textBlocks, thinkingBlocks } from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import { Pieces } from '../wire/pieces.ts'
import { textIn } from '../wire/session.ts'
import { both, keys, kinds, optional, someOf } from '../wire/shape.ts'
import { usageOf, usageShape } from '../wire/usage.ts'

const namedShape = someOf({ id: 'string', toolCallId: 'string' })

const eventShape = kinds('type', {
  message: keys({ text: 'string' }),
  reasoning: keys({ text: 'string' }),
  tool_call: both(namedShape, keys({ toolName: 'string', parameters: 'object' })),
  tool_result: both(
    namedShape,
    keys({ isError: 'boolean?', value: 'string?', error: optional(keys({ message: 'string' })) }),
    someOf({ value: 'any', error: 'any' }),
  ),
  completion: keys({ finalText: 'string', usage: optional(usageShape) }),
})

export default defineReader({
  name: 'droid-exec',
  program: 'factory-droid',
  summary: 'the stream of `droid exec --output-format stream-json`',
  source: 'output of `droid exec -o stream-json`',
  shapes: [['type', 'session_id', 'timestamp', 'role', 'text', 'toolName', 'parameters', 'value', 'finalText']],
  recognise(record) {
    const event = objectOf(record)
    if (!event || sessionOf(event) === undefined) return 0
    switch (event.type) {
      case 'message':
        return isTurn(event) ? 0.95 : 0
      case 'tool_call':
        return typeof event.toolName === 'string' && 'parameters' in event ? 1 : 0
      case 'tool_result':
        return 'value' in event && callOf(event) !== '' ? 1 : 0
      case 'completion':
        return typeof event.finalText === 'string' ? 1 : 0
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
  #id: string | undefined
  #said: unknown
  #pieces = new Pieces()

  constructor(context: ReaderContext) {
    this.#context = context
  }

  record(value: unknown, line: number): Outcome {
    const event = objectOf(value)
    if (!event) return bad
    const id = sessionOf(event)
    if (id !== undefined && this.#id !== undefined && id !== this.#id) this.end()
    this.#id = id ?? this.#id
    const mark = { line, time: timeOf(event.timestamp) }
    switch (event.type) {
      case 'system':
        this.#head = event
        return 'used'
      case 'message':
        if (!isTurn(event)) return bad
        if (event.role === 'user') this.#pieces.prompt(textBlocks(event.text), mark)
        else this.#pieces.written(textBlocks(event.text), mark)
        this.#said = event.text
        return 'used'
      case 'reasoning':
        this.#pieces.written(thinkingBlocks(event.text), mark)
        return 'used'
      case 'tool_call':
        this.#pieces.written([callBlock(callOf(event), event.toolName, event.parameters ?? {})], mark)
        return 'used'
      case 'tool_result':
        this.#pieces.result(textBlocks(event.value ?? objectOf(event.error)?.message), {
          ...mark,
          id: callOf(event),
          isError: event.isError === true,
        })
        return 'used'
      case 'completion':
        if (event.finalText !== this.#said) this.#pieces.written(textBlocks(event.finalText), mark)
        this.#pieces.counted(usageOf(event.usage))
        return 'used'
      default:
        return event.type === 'error' ? 'no-context' : unknown(event.type)
    }
  }

  end(): void {
    this.#pieces.write(this.#context, {
      conversation: this.#id ?? null,
      cwd: textIn(this.#head, 'cwd'),
      model: textIn(this.#head, 'model'),
    })
    this.#pieces = new Pieces()
    this.#head = {}
    this.#id = undefined
    this.#said = undefined
  }
}

function sessionOf(event: JsonObject): string | undefined {
  return textIn(event, 'session_id', 'sessionId')
}

function callOf(event: JsonObject): string {
  return textIn(event, 'toolCallId', 'id') ?? ''
}

function isTurn({ role, text }: JsonObject): boolean {
  return (role === 'user' || role === 'assistant') && typeof text === 'string'
}
