/** What policies that clear tool uses need: which message calls for a result, and how a call loses its arguments. */
import type { Block } from '../../model/message.ts'
import type { Call } from '../calls.ts'
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
}

/** Takes the arguments of one call out of its message. */
export function clearInput(window: Window, maker: Entry, callId: string): void {
  clear(window, maker, ({ id }) => id === callId)
}

/** Takes the arguments of all its calls out of a message. */
export function clearInputs(window: Window, maker: Entry): void {
  clear(window, maker, () => true)
}

function clear(window: Window, maker: Entry, isMeant: (call: Call) => boolean): void {
  const blocks = (maker.message?.blocks ?? []).map((block): Block => {
    if (block.type !== 'call' || !isMeant(block)) return block
    return { ...block, input: typeof block.input === 'string' ? '{}' : {} }
  })
  window.replace(maker, blocks)
}
