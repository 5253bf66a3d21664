/** Which calls of a response a policy has left in it. */
import { jsonText } from '../../base/json-text.ts'
import type { Block, Message } from '../../model/message.ts'
import type { Kept } from './form.ts'

type Call = Block & { readonly type: 'call' }

/** What is left of a call. */
export interface CallLeft {
  /** Of the input, if the policy has changed it: what it is now, and the same as JSON text. */
  readonly changed: { readonly input: unknown; readonly text: string } | null
}

const isCall = (block: Block): block is Call => block.type === 'call'

/**
 * Of each call of the original, in order; null for a call that is gone. Ids need not be those of the API: programs give
 * some twice.
 */
export function callsLeft({ original, message }: Kept): (CallLeft | null)[] {
  const left = new Map(message.blocks.filter(isCall).map((call) => [call.id, call.input]))
  return original.blocks.filter(isCall).map(({ id, input }) => {
    if (!left.has(id)) return null
    const now = left.get(id)
    return { changed: now === input ? null : { input: now, text: typeof now === 'string' ? now : jsonText(now) } }
  })
}

/** Whether a message has reasoning, readable or not. */
export const thinks = ({ blocks }: Message): boolean =>
  blocks.some(({ type }) => type === 'thinking' || type === 'opaque')
