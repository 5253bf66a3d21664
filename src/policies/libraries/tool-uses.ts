/** What policies that clear tool uses need: which message calls for a result, and how a call loses its arguments. */
import type { Block } from '../../model/message.ts'
import type { Entry, Window } from '../policy.ts'

/** For policies that read text: without it no ids are known. */
export class Makers {
  readonly #makers = new Map<string, Entry>()

  message(entry: Entry): void {
    if (entry.role !== 'assistant') return
    for (const block of entry.message?.blocks ?? []) if (block.type === 'call') this.#makers.set(block.id, entry)
  }

  /** The message with the call that a result answers; null if it is not recorded. */
  of({ message }: Entry): Entry | null {
    return this.#makers.get(message?.callId ?? '') ?? null
  }

  reset(): void {
    this.#makers.clear()
  }
}

/** Takes the arguments of one call out of its message. */
export function clearInput(window: Window, maker: Entry, callId: string): void {
  const blocks = (maker.message?.blocks ?? []).map((block): Block => {
    if (block.type !== 'call' || block.id !== callId) return block
    return { ...block, input: typeof block.input === 'string' ? '{}' : {} }
  })
  window.replace(maker, blocks)
}
