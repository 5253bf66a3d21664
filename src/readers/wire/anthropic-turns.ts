/** Adds messages with Anthropic's blocks to an agent's session. */

import { type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import type { Message } from '../../model/message.ts'
import { anthropicBlocks } from './blocks.ts'
import type { Responded, Session } from './session.ts'

/**
 * A message of role `user` or `assistant`. Text beside results was typed while the agent worked, and starts no exchange.
 * @param origin of a user message that starts none for another reason
 */
export function addTurn(
  session: Session,
  { role, content }: JsonObject,
  about: Responded,
  origin?: Message['origin'],
): void {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content]
  if (role === 'assistant') {
    session.response(anthropicBlocks(blocks.filter((block) => !resultOf(block))), about)
  }
  const results = blocks.map(resultOf).filter((result) => result !== undefined)
  for (const result of results) {
    const id = stringOf(result.tool_use_id) ?? ''
    session.result(anthropicBlocks([result]), { ...about, id, isError: result.is_error === true })
  }
  if (role === 'assistant') return
  const rest = blocks.filter((block) => !resultOf(block))
  session.prompt(anthropicBlocks(rest), about, origin ?? (results.length > 0 ? 'queued' : undefined))
}

function resultOf(block: unknown): JsonObject | undefined {
  const object = objectOf(block)
  return object?.type === 'tool_result' ? object : undefined
}
