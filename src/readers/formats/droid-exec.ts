/**
 * The stream of `droid exec --output-format stream-json`: what a run of Factory's Droid did, for programs to follow.
 *
 * - What the model wrote with no result in between is one response. The end repeats its last text.
 * - Usage is a sum over the run: it is taken where there was one response. Of system prompt and tools only names are
 *   recorded.
 */

import { type JsonObject, objectOf } from '../../base/json.ts'
import { setOf } from '../../base/words.ts'
import { kind, kindsBy, recordReader } from '../frames.ts'
import { bad } from '../reader.ts'
import { callBlock, textBlocks, thinkingBlocks } from '../wire/blocks.ts'
import { Pieces } from '../wire/pieces.ts'
import { textIn } from '../wire/session.ts'
import { both, keys, optional, someOf } from '../wire/shape.ts'
import { usageOf, usageShape } from '../wire/usage.ts'

const namedShape = someOf({ id: 'string', toolCallId: 'string' })

const resultShape = both(
  namedShape,
  keys({ isError: 'boolean?', value: 'string?', error: optional(keys({ message: 'string' })) }),
  someOf({ value: 'any', error: 'any' }),
)

interface Run {
  readonly pieces: Pieces
  head: JsonObject
  id: string | undefined
  /** What was said last. */
  said: unknown
}

const events = kindsBy<Run>(
  'type',
  {
    system: kind(null, (event, _, run) => {
      run.head = event
    }),
    message: kind({ text: 'string' }, (event, mark, run) => {
      if (!isTurn(event)) return bad
      if (event.role === 'user') run.pieces.prompt(textBlocks(event.text), mark)
      else run.pieces.written(textBlocks(event.text), mark)
      run.said = event.text
    }),
    reasoning: kind({ text: 'string' }, ({ text }, mark, { pieces }) => pieces.written(thinkingBlocks(text), mark)),
    tool_call: kind(both(namedShape, keys({ toolName: 'string', parameters: 'object' })), (event, mark, { pieces }) =>
      pieces.written([callBlock(callOf(event), event.toolName, event.parameters ?? {})], mark),
    ),
    tool_result: kind(resultShape, (event, mark, { pieces }) =>
      pieces.result(textBlocks(event.value ?? objectOf(event.error)?.message), {
        ...mark,
        id: callOf(event),
        isError: event.isError,
      }),
    ),
    completion: kind({ finalText: 'string', usage: optional(usageShape) }, ({ finalText, usage }, mark, run) => {
      if (finalText !== run.said) run.pieces.written(textBlocks(finalText), mark)
      run.pieces.counted(usageOf(usage))
    }),
  },
  setOf('error'),
)

export default recordReader({
  name: 'droid-exec',
  program: 'factory-droid',
  summary: 'the stream of `droid exec --output-format stream-json`',
  source: 'output of `droid exec -o stream-json`',
  shapes: [['type', 'session_id', 'timestamp', 'role', 'text', 'toolName', 'parameters', 'value', 'finalText']],
  recognise(event) {
    if (sessionOf(event) === undefined) return 0
    if (event.type === 'message') return isTurn(event) ? 0.95 : 0
    if (event.type === 'tool_call') return typeof event.toolName === 'string' && 'parameters' in event
    if (event.type === 'tool_result') return 'value' in event && callOf(event) !== ''
    return event.type === 'completion' && typeof event.finalText === 'string'
  },
  begin: (): Run => ({ pieces: new Pieces(), head: {}, id: undefined, said: undefined }),
  begins: (event, { id }) => id !== undefined && (sessionOf(event) ?? id) !== id,
  record(event, mark, run) {
    run.id = sessionOf(event) ?? run.id
    return events.read(event, mark, run)
  },
  shape: events.shape,
  end: ({ pieces, head, id }, context) =>
    pieces.write(context, { conversation: id, cwd: textIn(head, 'cwd'), model: textIn(head, 'model') }),
})

function sessionOf(event: JsonObject): string | undefined {
  return textIn(event, 'session_id', 'sessionId')
}

function callOf(event: JsonObject): string {
  return textIn(event, 'toolCallId', 'id') ?? ''
}

function isTurn({ role, text }: JsonObject): boolean {
  return (role === 'user' || role === 'assistant') && typeof text === 'string'
}
