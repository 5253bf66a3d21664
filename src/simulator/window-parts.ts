/**
 * What fills a window: its units by kind of message and by tool. It remembers the window of the last request, so that a
 * request that only appends costs what it appends.
 */
import type { Request, SentItem, SentSequence } from '../measures/measure.ts'
import type { Message } from '../model/message.ts'
import type { PartKind } from '../model/session-picture.ts'
import { Growing, type Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'

/** A trace that was read with its messages. */
export type FullTrace = Trace & { readonly messages: readonly Message[] }

/** One of the parts that a window is divided into. */
export interface Part {
  readonly kind: PartKind
  readonly tool: string | null
}

/** Which part each message of a transcript belongs to, and how much of it is thinking. The same for every policy. */
export interface PartsOfMessages {
  readonly parts: readonly Part[]
  /** Index of the part for thinking, and of that for what a policy puts in. */
  readonly thinking: number
  readonly inserted: number
  of(index: number): number
  /** Units of the thinking in a message; `message` is what the policy made of it, or null. */
  thoughtIn(index: number, message: Message | null): number
}

/** Tools with a part of their own where there is no text to tell more by. */
const fewTools = 2

/**
 * Seven parts, told without any text: thinking is a part of what the model wrote, and what a policy puts in of what
 * programs do.
 */
export class CoarseParts implements PartsOfMessages {
  readonly parts: readonly Part[]
  readonly thinking: number
  readonly inserted: number
  readonly #part: Int32Array

  /**
   * @param toolOf the tool of a message's result; null where it is not known
   * @param headless the first message stands for what is not known of the beginning
   */
  constructor(trace: Trace, sizes: Sizes, toolOf: (message: number) => string | null, headless: boolean) {
    const tools = Array.from({ length: trace.length }, (_, index) =>
      trace.role(index) === 'tool' ? toolOf(index) : null,
    )
    const largest = largestTools(trace, sizes, tools).slice(0, fewTools)
    this.parts = [
      ...(['preamble', 'program', 'user', 'assistant'] as const).map(plain),
      ...largest.map((tool): Part => ({ kind: 'tool', tool })),
      plain('tool'),
    ]
    const numberOf = (kind: PartKind, tool: string | null = null): number =>
      this.parts.findIndex((part) => part.kind === kind && part.tool === tool)
    this.thinking = numberOf('assistant')
    this.inserted = numberOf('program')
    this.#part = Int32Array.from({ length: trace.length }, (_, index) => {
      const role = trace.role(index)
      if (headless && index === 0) return numberOf('preamble')
      if (role === 'tool') {
        const own = numberOf('tool', tools[index] ?? null)
        return own < 0 ? numberOf('tool') : own
      }
      return numberOf(role === 'system' || trace.isInjected(index) ? 'program' : role)
    })
  }

  of(index: number): number {
    return this.#part[index] as number
  }

  thoughtIn(): number {
    return 0
  }
}

const plain = (kind: PartKind): Part => ({ kind, tool: null })

/** The same in more parts, of a transcript that was read with its text. */
export class MessageParts implements PartsOfMessages {
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
    const toolOf = trace.messages.map(({ role, toolName = null }) => (role === 'tool' ? toolName : null))
    const largest = largestTools(trace, sizes, toolOf).slice(0, tools)
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

  thoughtIn(index: number, message: Message | null): number {
    const { role } = this.#trace.messages[index] as Message
    if (role !== 'assistant') return 0
    const told = message ?? (this.#trace.messages[index] as Message)
    const known = this.#thought.get(told)
    if (known !== undefined) return known
    // The wire form is left out, because it holds thinking that the blocks may no longer have.
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

function largestTools(trace: Trace, sizes: Sizes, toolOf: readonly (string | null)[]): string[] {
  const units = new Map<string, number>()
  for (const [index, tool] of toolOf.entries()) {
    if (tool !== null && trace.role(index) === 'tool') units.set(tool, (units.get(tool) ?? 0) + sizes.of(index))
  }
  return [...units].sort(([, one], [, other]) => other - one).map(([tool]) => tool)
}

/** A message of a window: its units, and those of them that are thinking. */
interface Placed {
  readonly place: number
  readonly part: number
  readonly units: number
  readonly thought: number
}

/** The parts of one run's window, request by request. */
export class WindowParts {
  /** Units by part, of the last request. */
  readonly units: Float64Array
  readonly #trace: Trace
  readonly #sizes: Sizes
  readonly #parts: PartsOfMessages
  /** The last request. */
  #items: Placed[] = []
  /** Of the whole history: the next message to append, behind those before it. */
  #next = 0
  #growing: Growing

  constructor(trace: Trace, sizes: Sizes, parts: PartsOfMessages) {
    this.#trace = trace
    this.#sizes = sizes
    this.#parts = parts
    this.units = new Float64Array(parts.parts.length)
    this.units[0] = sizes.preamble
    this.#growing = new Growing(sizes.joins)
  }

  request({ message, sent }: Request): void {
    const { sequence } = sent
    if (sequence === null) {
      this.#appendTo(message)
      return
    }
    const known = this.#items.at(-1)?.place ?? -1
    const since: SentItem[] = []
    let last = sequence.last
    for (; last && last.place > known; last = last.previous) since.push(last)
    const from = sequence.changedFrom
    const to = Math.min(sequence.changedTo, known)
    if (from <= to) {
      const start = this.#placeOf(from)
      const changed = between(sequence.first, last, from, to).map((item) => this.#itemOf(item, sequence))
      for (const item of this.#items.splice(start, this.#placeOf(to, true) - start)) this.#count(item, -1)
      for (const item of changed) this.#count(item, 1)
      if (changed.length > 0) this.#items = this.#items.slice(0, start).concat(changed, this.#items.slice(start))
    }
    for (const item of since.reverse()) this.#push(this.#itemOf(item, sequence))
  }

  /**
   * Where in the last request the items at a place and behind it begin.
   * @param after without that at the place itself
   */
  #placeOf(place: number, after = false): number {
    let [low, high] = [0, this.#items.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const found = (this.#items[middle] as Placed).place
      if (after ? found <= place : found < place) low = middle + 1
      else high = middle
    }
    return low
  }

  #itemOf(item: SentItem, sequence: SentSequence): Placed {
    return this.#measured(item.place, item.index, item.message, sequence.unitsOf(item))
  }

  /** The whole history, which no policy edits. */
  #appendTo(message: number): void {
    for (; this.#next < message; this.#next++) {
      const index = this.#next
      if (this.#trace.isReset(index)) this.#clear()
      const units = this.#growing.add(this.#trace.shape(index), this.#sizes.of(index))
      this.#push(this.#measured(index, index, null, units))
    }
    // A response may itself begin the history anew.
    if (this.#trace.isReset(message)) this.#clear()
  }

  #clear(): void {
    for (const item of this.#items) this.#count(item, -1)
    this.#items = []
    this.#growing = new Growing(this.#sizes.joins)
  }

  #measured(place: number, index: number, message: Message | null, units: number): Placed {
    const part = index < 0 ? this.#parts.inserted : this.#parts.of(index)
    const thought = index < 0 ? 0 : Math.min(units, this.#parts.thoughtIn(index, message))
    return { place, part, units, thought }
  }

  #push(item: Placed): void {
    this.#items.push(item)
    this.#count(item, 1)
  }

  #count({ part, units, thought }: Placed, by: 1 | -1): void {
    this.#add(part, by * (units - thought))
    this.#add(this.#parts.thinking, by * thought)
  }

  #add(part: number, units: number): void {
    this.units[part] = (this.units[part] as number) + units
  }
}

/** The items at these places, in order. They are searched from both ends, as changes are usually at one of them. */
function between(first: SentItem | null, last: SentItem | null, from: number, to: number): SentItem[] {
  let [front, back] = [first, last]
  while (front && back && front.place < from && back.place > to) [front, back] = [front.next, back.previous]
  const found: SentItem[] = []
  if (front && front.place >= from) {
    for (let item: SentItem | null = front; item && item.place <= to; item = item.next) found.push(item)
    return found
  }
  for (let item = back; item && item.place >= from; item = item.previous) found.push(item)
  return found.reverse()
}
