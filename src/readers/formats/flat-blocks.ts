/**
 * Messages with one block a line: `content` is a block and no list of them, in Anthropic's kinds, with `tool_name` and `tool_id` in
 * place of their names and ids. Read from a transcript of Claude Code that was published so in February 2026, on 2026-11-23; the
 * program that wrote it does not name itself.
 *
 * Lines of the assistant that follow one another are one response. Usage, models, system prompt and tools are not recorded.
 */
import type { Block } from '../../model/message.ts'
import { bad, defineReader, type Outcome, type ReaderContext, type Reading, unknown } from '../reader.ts'
import { callBlock, type JsonObject, objectOf, stringOf, textBlocks, thinkingBlocks } from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import { Session } from '../wire/session.ts'
import { keys, kinds } from '../wire/shape.ts'

const blockShape = kinds('type', {
  text: keys({ text: 'string' }),
  thinking: keys({ text: 'string' }),
  tool_use: keys({ tool_name: 'string', tool_id: 'string', input: 'object' }),
  tool_result: keys({ tool_id: 'string', output: 'any|null', is_error: 'boolean?' }),
})

export default defineReader({
  name: 'flat-blocks',
  summary: 'Messages with one block a line',
  source: 'published transcripts of Claude Code',
  shapes: [['timestamp', 'role', 'content', 'content.type', 'content.tool_name', 'content.tool_id']],
  shape: keys({ role: 'string', timestamp: 'string?', content: blockShape }),
  recognise(record) {
    const message = objectOf(record)
    const block = objectOf(message?.content)
    return block && typeof block.type === 'string' && typeof message?.role === 'string' ? 0.9 : 0
  },
  read: (context) => new Lines(context),
})

class Lines implements Reading {
  readonly #context: ReaderContext
  readonly #session = new Session()

  constructor(context: ReaderContext) {
    this.#context = context
  }

  record(value: unknown, line: number): Outcome {
    const record = objectOf(value)
    const block = objectOf(record?.content)
    if (!record || !block) return bad
    const mark = { line, time: timeOf(record.timestamp) }
    const { role } = record
    if (role === 'tool') {
      const isError = block.is_error === true
      this.#session.result(textBlocks(block.output), { ...mark, id: stringOf(block.tool_id) ?? '', isError })
    } else if (role === 'user') this.#session.prompt(blocksOf(block), mark)
    else if (role === 'system') this.#session.instruct(blocksOf(block), mark)
    else if (role !== 'assistant') return unknown(role)
    else if (this.#session.last?.role === 'assistant') this.#session.continueResponse(blocksOf(block))
    else this.#session.response(blocksOf(block), mark)
    return 'used'
  }

  end(): void {
    if (this.#session.length > 0) this.#session.write(this.#context, { conversation: null, provider: 'anthropic' })
  }
}

function blocksOf(block: JsonObject): readonly Block[] {
  if (block.type === 'tool_use') return [callBlock(block.tool_id, block.tool_name, block.input ?? {})]
  return block.type === 'thinking' ? thinkingBlocks(block.text) : textBlocks(block.type === 'text' ? block.text : block)
}
