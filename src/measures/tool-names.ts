/** Which tool each call of a transcript is to. */
import { Column } from '../base/column.ts'
import type { Message } from '../model/message.ts'
import type { Digest, Trace } from '../model/trace.ts'

export interface PlainNames {
  readonly names: string[]
  readonly calls: Int32Array
  readonly ends: Int32Array
}

/** Those of a transcript that was read with its messages. */
export function toolNamesIn(trace: Trace): ToolNames {
  const names = new ToolNames()
  for (const message of trace.messages ?? []) names.add(message)
  return names
}

export class ToolNames implements Digest {
  readonly #names: string[]
  readonly #numbers: Map<string, number>
  /** By the trace's number of a call. */
  readonly #calls: Column<Int32Array>
  /** By message: how many calls there are up to it. */
  readonly #ends: Column<Int32Array>

  constructor(plain?: PlainNames) {
    this.#names = [...(plain?.names ?? [])]
    this.#calls = plain ? Column.of(plain.calls) : Column.int32()
    this.#ends = plain ? Column.of(plain.ends) : Column.int32()
    this.#numbers = new Map(this.#names.map((name, number) => [name, number]))
  }

  add({ role, blocks }: Message): void {
    if (role === 'assistant')
      for (const block of blocks) if (block.type === 'call') this.#calls.push(this.#numberOf(block.name))
    this.#ends.push(this.#calls.length)
  }

  /** The numbers of calls that are taken back are given again. */
  rewind(length: number): void {
    if (length >= this.#ends.length) return
    this.#calls.truncate(this.callsBefore(length))
    this.#ends.truncate(length)
  }

  plain(): PlainNames {
    return { names: this.#names, calls: this.#calls.values(), ends: this.#ends.values() }
  }

  state(): PlainNames {
    return this.plain()
  }

  /** How many calls stand before a message. */
  callsBefore(message: number): number {
    return message === 0 ? 0 : this.#ends.at(message - 1)
  }

  /** The tool of a call, by the trace's number; null where there is no such call. */
  name(call: number): string | null {
    return call >= 0 && call < this.#calls.length ? (this.#names[this.#calls.at(call)] ?? null) : null
  }

  /** The tool of the call that a tool's message answers, as it may be printed; null where it answers none. */
  of(trace: Trace, message: number): string | null {
    const name = this.name(trace.call(message))
    return name === null ? null : trace.redaction.tool(name)
  }

  #numberOf(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    this.#numbers.set(name, this.#names.length)
    return this.#names.push(name) - 1
  }
}
