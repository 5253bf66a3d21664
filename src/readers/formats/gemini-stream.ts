/**
 * The stream of `gemini --output-format stream-json`: what a run did, for programs to follow.
 *
 * - A response comes in pieces (`delta`), and its calls behind its text. What the model wrote with no result in between is
 *   one response.
 * - Usage is a sum over the run: it is taken where there was one response. System prompt and tools are not recorded.
 */

import { type JsonObject, objectOf } from '../../base/json.ts'
import { setOf } from '../../base/words.ts'
import { kind, kindsBy, recordReader } from '../frames.ts'
import { bad } from '../reader.ts'
import { callBlock, textBlocks, thinkingBlocks } from '../wire/blocks.ts'
import { Pieces } from '../wire/pieces.ts'
import { textIn } from '../wire/session.ts'
import { keys, kinds, optional, orText, prose, someOf, where } from '../wire/shape.ts'
import { usageBy, withInput } from '../wire/usage.ts'
import { usageKeys } from '../wire/usage-keys.ts'

const errorShape = orText(keys({ message: 'string' }))

interface Run {
  readonly pieces: Pieces
  head: JsonObject
}

const events = kindsBy<Run>(
  'type',
  {
    init: kind({ session_id: 'string', model: 'string' }, (event, _, run) => {
      run.head = event
    }),
    message: kind({ role: 'string', content: 'string', delta: 'boolean?' }, (event, mark, { pieces }) => {
      if (event.role === 'user') pieces.prompt(textBlocks(event.content), mark)
      else if (event.role !== 'assistant') return bad
      else pieces.written(textBlocks(event.content), mark, event.delta === true)
    }),
    thought: kind(
      someOf({ content: 'string', text: 'string', description: 'string', subject: 'string' }),
      (event, mark, { pieces }) =>
        pieces.written(thinkingBlocks(textIn(event, 'content', 'text', 'description', 'subject')), mark),
    ),
    tool_use: kind({ tool_id: 'string', tool_name: 'string', parameters: 'object' }, (event, mark, { pieces }) =>
      pieces.written([callBlock(event.tool_id, event.tool_name, event.parameters ?? {})], mark),
    ),
    // The stream has only that part of a result which is shown as text.
    tool_result: kind(
      kinds('status', {
        success: keys({ tool_id: 'string', output: optional(prose) }),
        error: keys({ tool_id: 'string', output: 'string?', error: errorShape }),
      }),
      ({ tool_id: id, output, error, status }, mark, { pieces }) =>
        pieces.result(textBlocks(output ?? objectOf(error)?.message ?? error), {
          ...mark,
          id,
          isError: status === 'error',
        }),
    ),
    // A run that failed may have counted nothing.
    result: kind(
      where(
        ({ status }) => status !== 'error',
        keys({ stats: keys({ input_tokens: 'any', output_tokens: 'any', cached: 'any' }) }),
      ),
      ({ stats }, _, { pieces }) => pieces.counted(withInput(usageBy(usageKeys.geminiStream, stats))),
    ),
  },
  setOf('error'),
)

export default recordReader({
  name: 'gemini-stream',
  program: 'gemini-cli',
  summary: 'the stream of `gemini --output-format stream-json`',
  source: 'output of `gemini -o stream-json`',
  shapes: [['type', 'timestamp', 'session_id', 'role', 'content', 'delta', 'tool_name', 'tool_id', 'parameters']],
  recognise({ type, timestamp, session_id, model, tool_name, tool_id, status, role, content, stats }) {
    const are = (...values: readonly unknown[]): boolean => values.every((value) => typeof value === 'string')
    if (!are(timestamp)) return 0
    if (type === 'init') return are(session_id, model)
    if (type === 'tool_use') return are(tool_name, tool_id)
    if (type === 'tool_result') return are(tool_id, status)
    if (type === 'message') return (role === 'user' || role === 'assistant') && are(content) ? 0.9 : 0
    return type === 'result' && objectOf(stats) ? 0.9 : 0
  },
  record: events,
  begin: (): Run => ({ pieces: new Pieces(), head: {} }),
  begins: ({ type, session_id }, { head }) => type === 'init' && session_id !== head.session_id,
  end: ({ pieces, head: { session_id, model } }, context) =>
    pieces.write(context, { conversation: session_id, model, provider: 'google' }),
})
