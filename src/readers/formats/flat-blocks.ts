/**
 * Messages with one block a line: `content` is a block and no list of them, in Anthropic's kinds, with `tool_name` and `tool_id` in
 * place of their names and ids. Read from a transcript of Claude Code that was published so in February 2026, on 2026-11-23; the
 * program that wrote it does not name itself.
 *
 * Lines of the assistant that follow one another are one response. Usage, models, system prompt and tools are not recorded.
 */

import { type JsonObject, objectOf } from '../../base/json.ts'
import type { Block } from '../../model/message.ts'
import { recordReader } from '../frames.ts'
import { bad, unknown } from '../reader.ts'
import { callBlock, textBlocks, thinkingBlocks } from '../wire/blocks.ts'
import { Session } from '../wire/session.ts'
import { keys, kinds } from '../wire/shape.ts'

const blockShape = kinds('type', {
  text: keys({ text: 'string' }),
  thinking: keys({ text: 'string' }),
  tool_use: keys({ tool_name: 'string', tool_id: 'string', input: 'object' }),
  tool_result: keys({ tool_id: 'string', output: 'any|null', is_error: 'boolean?' }),
})

export default recordReader({
  name: 'flat-blocks',
  summary: 'Messages with one block a line',
  source: 'published transcripts of Claude Code',
  shapes: [['timestamp', 'role', 'content', 'content.type', 'content.tool_name', 'content.tool_id']],
  shape: keys({ role: 'string', timestamp: 'string?', content: blockShape }),
  recognise: ({ role, content }) => (typeof objectOf(content)?.type === 'string' && typeof role === 'string' ? 0.9 : 0),
  begin: () => new Session(),
  record({ role, content }, mark, session) {
    const block = objectOf(content)
    if (!block) return bad
    if (role === 'tool')
      session.result(textBlocks(block.output), { ...mark, id: block.tool_id, isError: block.is_error })
    else if (role === 'user') session.prompt(blocksOf(block), mark)
    else if (role === 'system') session.instruct(blocksOf(block), mark)
    else if (role !== 'assistant') return unknown(role)
    else if (session.last?.role === 'assistant') session.continueResponse(blocksOf(block))
    else session.response(blocksOf(block), mark)
  },
  end(session, context) {
    if (session.length > 0) session.write(context, { conversation: null, provider: 'anthropic' })
  },
})

function blocksOf(block: JsonObject): readonly Block[] {
  if (block.type === 'tool_use') return [callBlock(block.tool_id, block.tool_name, block.input ?? {})]
  return block.type === 'thinking' ? thinkingBlocks(block.text) : textBlocks(block.type === 'text' ? block.text : block)
}
