/**
 * The stream of `codex exec --json`, and of Codex's SDK: what a run did, for programs to follow.
 *
 * - The prompt of a turn is not in it: a placeholder stands for it. Nor are system prompt, tools and model.
 * - A command, a change of files or a call of an MCP server is a call with its result, in the order in which they ended.
 * - `turn.completed` counts all that the thread has used so far. Where a turn is one response, what it adds is the usage of
 *   that response; of a turn with calls only the sum is known, which is no request's.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { setOf } from '../../base/words.ts'
import type { Block, Usage } from '../../model/message.ts'
import { kind, kindsBy, recordReader, Underway } from '../frames.ts'
import { bad, type Outcome, type Shape, unknown } from '../reader.ts'
import { callBlock, jsonBlock, textBlocks } from '../wire/blocks.ts'
import { unrecordedPrompt } from '../wire/lost-head.ts'
import { Pieces } from '../wire/pieces.ts'
import { type Mark, textIn } from '../wire/session.ts'
import { both, keys, kinds, listOf, someOf } from '../wire/shape.ts'
import { noTokens, usageOfEach } from '../wire/usage.ts'
import { countsOf, countsShape } from './codex/counts.ts'

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

const itemShape: Shape = (item) => itemShapes[kindOf(objectOf(item) ?? {}) ?? '']?.(item) ?? null

const events = kindsBy<Thread>(
  'type',
  {
    'thread.started': kind(null, ({ thread_id }, _, thread) => {
      thread.id = thread_id
    }),
    'turn.started': kind(null, (_, mark, thread) => thread.turn(mark)),
    'turn.completed': kind({ usage: countsShape }, ({ usage }, { line }, thread) =>
      thread.counted(objectOf(usage), line),
    ),
    'item.completed': kind({ item: itemShape }, ({ item }, mark, thread) => thread.item(objectOf(item), mark)),
  },
  setOf('error item.started item.updated turn.failed'),
)

export default recordReader({
  name: 'codex-exec',
  program: 'codex',
  summary: 'the stream of `codex exec --json` and of the Codex SDK',
  source: 'output of `codex exec --json`',
  shapes: [['type', 'thread_id', 'item.id', 'item.type', 'item.text', 'usage.cached_input_tokens']],
  recognise(record) {
    const type = stringOf(record.type) ?? ''
    if (!events.has(type)) return 0
    if (type.startsWith('item.')) return kindOf(objectOf(record.item) ?? {}) !== undefined ? 0.9 : 0
    if (type === 'thread.started') return typeof record.thread_id === 'string'
    return type.startsWith('turn.') ? 0.9 : 0
  },
  record: events,
  begin: (context) => new Thread(context),
  begins: ({ type, thread_id }, { id }) => type === 'thread.started' && id !== undefined && thread_id !== id,
  end: ({ pieces, id }, context) => pieces.write(context, { conversation: id, provider: 'openai' }),
})

class Thread extends Underway {
  readonly pieces = new Pieces()
  id: unknown
  #total: Usage = noTokens
  #inTurn = false

  turn(mark: Mark): void {
    this.pieces.prompt(textBlocks(unrecordedPrompt), mark)
    this.#inTurn = true
  }

  item(item: JsonObject | undefined, mark: Mark): Outcome {
    if (!item) return bad
    const written = writtenIn(item)
    if (!written) {
      const kind = kindOf(item)
      return kind === 'todo_list' || kind === 'error' ? 'no-context' : unknown(kind)
    }
    if (!this.#inTurn) this.turn(mark)
    this.pieces.written(written, mark)
    const result = resultIn(item)
    const isError = item.status === 'failed' || item.status === 'declined'
    if (result) this.pieces.result(result, { ...mark, id: item.id, isError })
    return 'used'
  }

  counted(counts: JsonObject | undefined, line: number): Outcome {
    this.#inTurn = false
    if (!counts) return bad
    const total = countsOf(counts)
    if (Object.values(total).some(Number.isNaN)) this.context.finding({ code: 'bad-usage', line })
    else {
      this.pieces.counted(usageOfEach((kind) => total[kind] - this.#total[kind]))
      this.#total = total
    }
    return 'used'
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
