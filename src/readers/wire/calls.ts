/**
 * Finds out which call a tool result answers, even if the record lacks the ids or gives all calls of a response the same
 * one. The recorded wire form stays as it is; only the canonical messages get ids that match.
 */
import type { Block } from '../../model/message.ts'

type Call = Block & { type: 'call' }

interface OpenCall {
  /** As recorded; empty when there was none. */
  readonly recorded: string
  readonly id: string
  readonly name: string
}

export class OpenCalls {
  /** The calls of the newest step that have no result yet. */
  #open: OpenCall[] = []
  #made = 0
  #stepEnded = false

  /** The blocks of a response with a unique id for each call. The calls are open until their results come. */
  make(blocks: readonly Block[]): Block[] {
    // Parallel calls may be spread over several messages; a result or user message in between begins a new step.
    if (this.#stepEnded) this.#open = []
    this.#stepEnded = false
    return blocks.map((block) => (block.type === 'call' ? this.#make(block) : block))
  }

  /** The next calls belong to a new step. Until they come, results may still answer the calls of this one. */
  endStep(): void {
    this.#stepEnded = true
  }

  /** The call that a result answers: the one with its id; without an id, the first open one of that name, or of any. */
  answer(id: string, name: string | undefined): { callId?: string; toolName?: string } {
    this.endStep()
    const call = this.#take((open) => open.recorded === id && id !== '')
    const guess = id === '' ? (this.#take((open) => open.name === name) ?? this.#take(() => true)) : undefined
    const callId = (call ?? guess)?.id ?? (id === '' ? undefined : id)
    const toolName = name ?? (call ?? guess)?.name
    return { ...(callId === undefined ? {} : { callId }), ...(toolName === undefined ? {} : { toolName }) }
  }

  #make(call: Call): Call {
    const index = this.#made++
    const usable = call.id !== '' && !this.#open.some((open) => open.id === call.id)
    const id = usable ? call.id : `unnamed:${index}`
    this.#open.push({ recorded: call.id, id, name: call.name })
    return usable ? call : { ...call, id }
  }

  #take(test: (open: OpenCall) => boolean): OpenCall | undefined {
    const index = this.#open.findIndex(test)
    return index === -1 ? undefined : this.#open.splice(index, 1)[0]
  }
}
