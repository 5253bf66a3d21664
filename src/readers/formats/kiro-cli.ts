/**
 * Conversations of Kiro's CLI, and of Amazon Q's before it: a document, as its database has it.
 *
 * - A turn is what was sent, with its context, and the response. A compaction takes the turns before it out of the record: of those
 *   only the summary is left.
 * - It is paid for in credits. No tokens are recorded, nor the system prompt.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import type { Block } from '../../model/message.ts'
import { documentReader, readItems } from '../frames.ts'
import { bad, type LeftOut } from '../reader.ts'
import { callBlock, jsonBlock, textBlocks } from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import { Session, textIn } from '../wire/session.ts'
import { keys, listLike, listOf, optional, someOf } from '../wire/shape.ts'

const resultsShape = listOf(
  keys({ tool_use_id: 'string', status: 'string', content: listOf(someOf({ Text: 'string', Json: 'any' })) }),
)

const turnShape = keys({
  user: keys({
    additional_context: 'string',
    images: optional(listOf(keys({ source: keys({ Bytes: 'list' }) }))),
    content: someOf({
      Prompt: keys({ prompt: 'string' }),
      ToolUseResults: keys({ tool_use_results: resultsShape }),
      CancelledToolUses: keys({ prompt: 'string|null', tool_use_results: resultsShape }),
    }),
  }),
  assistant: someOf({
    Response: keys({ content: 'string' }),
    ToolUse: keys({ content: 'string', tool_uses: listOf(keys({ id: 'string', name: 'string', args: 'object' })) }),
  }),
  request_metadata: optional(keys({ model_id: 'string?' })),
})

export default documentReader({
  name: 'kiro-cli',
  program: 'kiro-cli',
  summary: "conversations of Kiro's CLI",
  source: '~/.local/share/kiro-cli/data.sqlite3, on macOS ~/Library/Application Support/kiro-cli/data.sqlite3',
  places: [
    ['$XDG_DATA_HOME/kiro-cli', '~/.local/share/kiro-cli'],
    ['~/Library/Application Support/kiro-cli'],
    ['$LOCALAPPDATA/kiro-cli'],
  ].map((directories) => ({ directories, files: 'data.sqlite3' })),
  shapes: [
    ['conversation_id', 'history', 'history.user', 'history.assistant', 'history.request_metadata', 'transcript'],
  ],
  recognise({ conversation_id, history }) {
    const turns = itemsOf(history).map(objectOf)
    return typeof conversation_id === 'string' && turns.some((turn) => turn?.user && turn.assistant)
  },
  shape: keys({ history: listLike(turnShape), latest_summary: 'list?' }),
  record(conversation, _, context) {
    const { conversation_id, history, latest_summary } = conversation
    if (!Array.isArray(history)) return bad
    const session = new Session()
    session.prompt(textBlocks(itemsOf(latest_summary)[0]), { line: 1 }, 'injected')
    readItems(context, history, turnShape, (turn, line) => addTurn(session, turn, line))
    session.write(context, { conversation: conversation_id, cwd: textIn(conversation, 'cwd') })
  },
})

function addTurn(session: Session, { user, assistant, request_metadata }: JsonObject, line: number): LeftOut | null {
  const sent = objectOf(user)
  const answer = objectOf(assistant)
  if (!sent || !answer) return bad
  const { Prompt, ToolUseResults, CancelledToolUses } = objectOf(sent.content) ?? {}
  const content = objectOf(Prompt ?? ToolUseResults ?? CancelledToolUses)
  const time = timeOf(sent.timestamp)
  for (const value of itemsOf(content?.tool_use_results)) {
    const { tool_use_id: id, content: parts, status } = objectOf(value) ?? {}
    session.result(itemsOf(parts).flatMap(resultBlocks), { line, time, id, isError: status === 'Error' })
  }
  session.prompt(textBlocks(sent.additional_context), { line, time }, 'injected')
  session.prompt([...textBlocks(content?.prompt), ...itemsOf(sent.images).map(imageBlock)], { line, time })
  const { Response, ToolUse } = answer
  const said = objectOf(Response ?? ToolUse)
  const { model_id, stream_end_timestamp_ms } = objectOf(request_metadata) ?? {}
  const calls = itemsOf(said?.tool_uses).map((value) => {
    const { id, name, args } = objectOf(value) ?? {}
    return callBlock(id, name, args ?? {})
  })
  const blocks = [...textBlocks(said?.content), ...calls]
  session.response(blocks, { line, time: timeOf(stream_end_timestamp_ms), model: model_id })
  return null
}

function resultBlocks(part: unknown): Block[] {
  const { Text, Json } = objectOf(part) ?? {}
  return Text !== undefined ? textBlocks(Text) : [jsonBlock(Json ?? part)]
}

function imageBlock(value: unknown): Block {
  const { format, source } = objectOf(value) ?? {}
  return { type: 'image', mediaType: `image/${stringOf(format) ?? ''}`, bytes: itemsOf(objectOf(source)?.Bytes).length }
}
