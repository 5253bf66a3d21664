/**
 * What fills a window: its units by kind of message and by tool. It remembers the window of the last request, so that a
 * request that only appends costs what it appends.
 */
import type { Request, SentItem } from '../measures/measure.ts'
import type { Message } from '../model/message.ts'
import type { PartKind } from '../model/session-picture.ts'
import { joinOf, type Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'

/** A trace that was read with its messages. */
export type FullTrace = Trace & { readonly messages: readonly Message[] }

/** One of the parts that a window is divided into. */
export interface Part {
  readonly kind: PartKind
  readonly tool: string | null
}

/** Which part each message of a transcript belongs to, and how much of it is thinking. The same for every policy. */
export class MessageParts {
  readonly parts: readonly Part[]
  readonly thinking: number
  readonly inserted: number
  readonly #trace: FullTrace
  readonly #sizes: Sizes
  readonly #part: Int32Array
  readonly #thought = new WeakMap<Message, number>()

  /**
   * @param tools how many tools have a part of their own: those with the largest results
   * @param headless the first message stands for what is not known of the beginning
   */
  constructor(trace: FullTrace, sizes: Sizes, tools: number, headless: boolean) {
    this.#trace = trace
    this.#sizes = sizes
    const toolOf = toolsOfResults(trace)
    const largest = largestTools(trace, sizes, toolOf).slice(0, tools)
    const plain = (kind: PartKind): Part => ({ kind, tool: null })
    this.parts = [
      ...(['preamble', 'unknown', 'inserted', 'program', 'user', 'assistant', 'thinking'] as const).map(plain),
      ...largest.map((tool): Part => ({ kind: 'tool', tool })),
      plain('tool'),
    ]
    const numbers = new Map(this.parts.map(({ kind, tool }, number) => [tool === null ? kind : `tool ${tool}`, number]))
    const numberOf = (name: string): number => numbers.get(name) as number
    this.thinking = numberOf('thinking')
    this.inserted = numberOf('inserted')
    this.#part = Int32Array.from(trace.messages, ({ role, origin }, index) => {
      if (headless && index === 0) return numberOf('unknown')
      if (role === 'tool') return numbers.get(`tool ${toolOf[index]}`) ?? numberOf('tool')
      if (role === 'system' || origin === 'injected') return numberOf('program')
      return numberOf(role)
    })
  }

  of(index: number): number {
    return this.#part[index] as number
  }

  /** Units of the thinking in a message; `message` is what the policy made of it, or null. */
  thoughtIn(index: number, message: Message | null): number {
    const { role } = this.#trace.messages[index] as Message
    if (role !== 'assistant') return 0
    const told = message ?? (this.#trace.messages[index] as Message)
    const known = this.#thought.get(told)
    if (known !== undefined) return known
    // The wire form is left out, because it has the thinking even where the blocks have none.
    const { wire: _, ...bare } = told
    const spoken = bare.blocks.filter(({ type }) => type !== 'thinking' && type !== 'opaque')
    const units =
      spoken.length === bare.blocks.length
        ? 0
        : Math.max(0, this.#sizes.message(bare) - this.#sizes.message({ ...bare, blocks: spoken }))
    this.#thought.set(told, units)
    return units
  }
}

/** Of each result, the tool that gave it: results often do not name it. */
function toolsOfResults(trace: FullTrace): (string | null)[] {
  const called = new Map<string, string>()
  return trace.messages.map(({ role, toolName, callId, blocks }) => {
    if (role === 'tool') return toolName ?? called.get(callId ?? '') ?? null
    for (const block of blocks) if (block.type === 'call') called.set(block.id, block.name)
    return null
  })
}

function largestTools(trace: FullTrace, sizes: Sizes, toolOf: readonly (string | null)[]): string[] {
  const units = new Map<string, number>()
  for (const [index, tool] of toolOf.entries()) {
    if (tool !== null && trace.role(index) === 'tool') units.set(tool, (units.get(tool) ?? 0) + sizes.of(index))
  }
  return [...units].sort(([, one], [, other]) => other - one).map(([tool]) => tool)
}

/** A message of a window: its units, and those of them that are thinking. */
interface Item {
  readonly place: number
  readonly part: number
  readonly units: number
  readonly thought: number
}

/** The parts of one run's window, request by request. */
export class WindowParts {
  /** Units by part, of the last request. */
  readonly units: Float64Array
  readonly #trace: FullTrace
  readonly #sizes: Sizes
  readonly #parts: MessageParts
  /** The last request. */
  readonly #items: Item[] = []
  /** Of the whole history: the next message to append. */
  #next = 0

  constructor(trace: FullTrace, sizes: Sizes, parts: MessageParts) {
    this.#trace = trace
    this.#sizes = sizes
    this.#parts = parts
    this.units = new Float64Array(parts.parts.length)
    this.units[0] = sizes.preamble
  }

  request({ message, sent }: Request): void {
    const { sequence } = sent
    if (sequence === null) {
      this.#appendTo(message)
      return
    }
    const { changedFrom } = sequence
    while ((this.#items.at(-1)?.place ?? -1) >= changedFrom) this.#pop()
    const since: SentItem[] = []
    for (let item = sequence.last; item && item.place >= changedFrom; item = item.previous) since.push(item)
    for (const item of since.reverse()) this.#push(item.place, item.index, item.message, sequence.unitsOf(item))
  }

  /** The whole history, which no policy edits. */
  #appendTo(message: number): void {
    const { joins } = this.#sizes
    for (; this.#next < message; this.#next++) {
      const index = this.#next
      if (this.#trace.isReset(index)) this.#clear()
      const join = joinOf(joins, this.#items.length === 0, this.#trace.continues(index))
      this.#push(index, index, null, this.#sizes.of(index) + join)
    }
    // A response may itself begin the history anew.
    if (this.#trace.isReset(message)) this.#clear()
  }

  #clear(): void {
    while (this.#items.length > 0) this.#pop()
  }

  #push(place: number, index: number, message: Message | null, units: number): void {
    const part = index < 0 ? this.#parts.inserted : this.#parts.of(index)
    const thought = index < 0 ? 0 : Math.min(units, this.#parts.thoughtIn(index, message))
    this.#items.push({ place, part, units, thought })
    this.#add(part, units - thought)
    this.#add(this.#parts.thinking, thought)
  }

  #pop(): void {
    const { part, units, thought } = this.#items.pop() as Item
    this.#add(part, thought - units)
    this.#add(this.#parts.thinking, -thought)
  }

  #add(part: number, units: number): void {
    this.units[part] = (this.units[part] as number) + units
  }
}
