/**
 * Which tool a result comes from, and what it was called with: programs exempt some tools, or look for files that were
 * read.
 */
import type { Block } from '../model/message.ts'
import type { Entry } from './policy.ts'

export type Call = Extract<Block, { readonly type: 'call' }>

/** For policies that read text: without it no names are known. */
export class Calls {
  readonly #calls = new Map<string, Call>()

  message({ role, message }: Entry): void {
    if (role !== 'assistant' || !message) return
    for (const block of message.blocks) if (block.type === 'call') this.#calls.set(block.id, block)
  }

  /** The call that a tool result answers; null if it is not recorded. */
  of({ message }: Entry): Call | null {
    return this.#calls.get(message?.callId ?? '') ?? null
  }

  /** The name of a tool result's tool, '' if it is not recorded. */
  toolOf(entry: Entry): string {
    return entry.message?.toolName ?? this.of(entry)?.name ?? ''
  }
}
