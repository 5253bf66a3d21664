/**
 * The stream of `codex exec --json`, and of Codex's SDK: what a run did, for programs to follow.
 *
 * - The prompt of a turn is not in it: a placeholder stands for it. Nor are system prompt, tools and model.
 * - A command, a change of files or a call of an MCP server is a call with its result, in the order in which they ended.
 * - `turn.completed` counts all that the thread has used so far. Where a turn is one response, what it adds is the usage of
 *   that response; of a turn with calls only the sum is known, which is no request's.
 */
import { setOf } from '../../base/words.ts'
import type { Block, Usage } from '../../model/message.ts'
import { bad, defineReader, type Outcome, type ReaderContext, type Reading, type Shape, unknown } from '../reader.ts'
import { callBlock, itemsOf, type JsonObject, jsonBlock, objectOf, stringOf, textBlocks } from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import { unrecordedPrompt } from '../wire/lost-head.ts'
import { Pieces } from '../wire/pieces.ts'
import { type Mark, textIn } from '../wire/session.ts'
import { both, keys, kinds, listOf, someOf } from '../wire/shape.ts'
import { tokens } from '../wire/usage.ts'

const events = setOf(
  'error item.completed item.started item.updated thread.started turn.completed turn.failed turn.started',
)

const textShape = keys({ text: 'string' })

const toolShape = keys({ server: 'string', tool: 'string' })

const answeredShape = both(
  toolShape,
  keys({ arguments: 'any|null' }),
  someOf({ result: keys({ content: listOf(kinds('type', { text: textShape })) }), error: keys({ message: 'string' }) }),
)

const itemShapes: Readonly<Record<string, Shape>> = {
  agent_message: textShape,
  assistant_message: textShape,
  reasoning: textShape,
  command_execution: keys({ command: 'string', aggregated_output: 'string' }),
  file_change: keys({ changes: 'list', status: 'string' }),
  // The first versions wrote neither what went to a tool nor what came back.
  mcp_tool_call: (item) =>
    (['arguments', 'result', 'error'].some((key) => Object.hasOwn(Object(item), key)) ? answeredShape : toolShape)(
      item,
    ),
}

const recordShape = kinds('type', {
  'item.completed': keys({ item: (item) => itemShapes[kindOf(objectOf(item) ?? {}) ?? '']?.(item) ?? null }),
  'turn.completed': keys({
    usage: keys({ input_tokens: 'any', cached_input_tokens: 'any', output_tokens: 'any' }),
  }),
})

export default defineReader({
  name: 'codex-exec',
  program: 'codex',
  summary: 'the stream of `codex exec --json` and of the Codex SDK',
  source: 'output of `codex exec --json`',
  shapes: [['type', 'thread_id', 'item.id', 'item.type', 'item.text', 'usage.cached_input_tokens']],
  recognise(record) {
    const object = objectOf(record)
    const type = stringOf(object?.type) ?? ''
    if (!object || !events.has(type)) return 0
    if (type.startsWith('item.')) return kindOf(objectOf(object.item) ?? {}) !== undefined ? 0.9 : 0
    if (type === 'thread.started') return typeof object.thread_id === 'string' ? 1 : 0
    return type.startsWith('turn.') ? 0.9 : 0
  },
  shape: recordShape,
  read: (context) => new Stream(context),
})

class Stream implements Reading {
  readonly #context: ReaderContext
  #pieces = new Pieces()
  #thread: string | undefined
  #total: Counts = nothing
  #inTurn = false

  constructor(context: ReaderContext) {
    this.#context = context
  }

  record(value: unknown, line: number): Outcome {
    const record = objectOf(value)
    const type = stringOf(record?.type)
    if (!record || type === undefined) return bad
    const mark = { line, time: timeOf(record.timestamp) }
    switch (type) {
      case 'thread.started':
        if (this.#thread !== undefined && record.thread_id !== this.#thread) this.end()
        this.#thread = stringOf(record.thread_id)
        return 'used'
      case 'turn.started':
        this.#turn(mark)
        return 'used'
      case 'turn.completed':
        return this.#counted(objectOf(record.usage), line)
      case 'item.completed': {
        const item = objectOf(record.item)
        return item ? this.#item(item, mark) : bad
      }
      default:
        return events.has(type) ? 'no-context' : unknown(type)
    }
  }

  end(): void {
    this.#pieces.write(this.#context, { conversation: this.#thread ?? null, provider: 'openai' })
    this.#pieces = new Pieces()
    this.#total = nothing
    this.#inTurn = false
  }

  #turn(mark: Mark): void {
    this.#pieces.prompt(textBlocks(unrecordedPrompt), mark)
    this.#inTurn = true
  }

  #item(item: JsonObject, mark: Mark): Outcome {
    const written = writtenIn(item)
    if (!written) {
      const kind = kindOf(item)
      return kind === 'todo_list' || kind === 'error' ? 'no-context' : unknown(kind)
    }
    if (!this.#inTurn) this.#turn(mark)
    this.#pieces.written(written, mark)
    const result = resultIn(item)
    if (!result) return 'used'
    const isError = item.status === 'failed' || item.status === 'declined'
    this.#pieces.result(result, { ...mark, id: stringOf(item.id) ?? '', isError })
    return 'used'
  }

  #counted(counts: JsonObject | undefined, line: number): Outcome {
    this.#inTurn = false
    if (!counts) return bad
    const total = {
      input: tokens(counts.input_tokens) ?? 0,
      cacheRead: tokens(counts.cached_input_tokens) ?? 0,
      cacheWrite: tokens(counts.cache_write_input_tokens) ?? 0,
      output: tokens(counts.output_tokens) ?? 0,
    }
    if (Object.values(total).some(Number.isNaN)) {
      this.#context.finding({ code: 'bad-usage', line })
      return 'used'
    }
    this.#pieces.counted(difference(total, this.#total))
    this.#total = total
    return 'used'
  }
}

interface Counts {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

const nothing: Counts = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }

function difference(now: Counts, before: Counts): Usage {
  return {
    input: now.input - before.input,
    cacheRead: now.cacheRead - before.cacheRead,
    cacheWrite: now.cacheWrite - before.cacheWrite,
    cacheWrite1h: 0,
    output: now.output - before.output,
  }
}

/** The first version with these events called it `item_type`. */
function kindOf(item: JsonObject): string | undefined {
  return textIn(item, 'type', 'item_type')
}

/** What the model wrote in this item; undefined for other items. */
function writtenIn(item: JsonObject): Block[] | undefined {
  switch (kindOf(item)) {
    case 'agent_message':
    case 'assistant_message':
      return textBlocks(item.text)
    case 'reasoning':
      return textBlocks(item.text).map(({ text }) => ({ type: 'thinking', text }))
    case 'command_execution':
      return [callBlock(item.id, 'shell', { command: item.command })]
    case 'file_change':
      return [callBlock(item.id, 'apply_patch', { changes: item.changes })]
    case 'mcp_tool_call':
      return [
        callBlock(
          item.id,
          [item.server, item.tool].filter((name) => typeof name === 'string').join('.'),
          item.arguments ?? {},
        ),
      ]
    // The provider runs it: its result is not in the stream.
    case 'web_search':
      return [jsonBlock(item)]
    default:
      return undefined
  }
}

function resultIn(item: JsonObject): Block[] | undefined {
  switch (kindOf(item)) {
    case 'command_execution':
      return textBlocks(item.aggregated_output)
    case 'file_change':
      return textBlocks(item.status)
    case 'mcp_tool_call': {
      const error = objectOf(item.error)
      const content = itemsOf(objectOf(item.result)?.content)
      if (error) return textBlocks(error.message)
      return content.flatMap((part) => textBlocks(objectOf(part)?.text ?? part))
    }
    default:
      return undefined
  }
}
