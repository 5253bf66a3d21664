/** Which tool each call of a transcript is to. */
import type { Message } from '../model/message.ts'
import type { Digest, DigestKind, Trace } from '../model/trace.ts'

export interface PlainNames {
  readonly names: string[]
  readonly calls: number[]
}

export const toolNames: DigestKind = {
  name: 'tool names',
  of: (_, state) => new ToolNames(state as PlainNames | undefined),
  revived: (plain) => new ToolNames(plain as PlainNames),
}

/** The same of a transcript that was read with its messages for something else. */
export function toolNamesIn(trace: Trace): ToolNames {
  const numbers = new Map<string, number>()
  const calls: number[] = []
  for (const [index, { role, blocks }] of (trace.messages ?? []).entries()) {
    if (role !== 'assistant') continue
    let call = trace.call(index)
    for (const block of blocks) {
      if (block.type !== 'call') continue
      const number = numbers.get(block.name) ?? numbers.size
      numbers.set(block.name, number)
      calls[call++] = number
    }
  }
  return new ToolNames({ names: [...numbers.keys()], calls })
}

export class ToolNames implements Digest {
  readonly #names: string[]
  readonly #numbers: Map<string, number>
  /** By the trace's number of a call, which counts through the transcript and is not given out again. */
  readonly #calls: number[]

  constructor({ names, calls }: PlainNames = { names: [], calls: [] }) {
    this.#names = names
    this.#calls = calls
    this.#numbers = new Map(names.map((name, number) => [name, number]))
  }

  add({ role, blocks }: Message): void {
    if (role !== 'assistant') return
    for (const block of blocks) if (block.type === 'call') this.#calls.push(this.#numberOf(block.name))
  }

  rewind(): void {}

  plain(): PlainNames {
    return { names: this.#names, calls: this.#calls }
  }

  state(): PlainNames {
    return this.plain()
  }

  /** The tool of the call that a tool's message answers; null where it answers none. */
  of(trace: Trace, message: number): string | null {
    const name = this.#names[this.#calls[trace.call(message)] ?? -1]
    return name === undefined ? null : trace.redaction.tool(name)
  }

  #numberOf(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    this.#numbers.set(name, this.#names.length)
    return this.#names.push(name) - 1
  }
}
