import { itemsOf, type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import type { Message } from '../../../model/message.ts'
import { bad, type ReaderContext, type TranscriptWriter } from '../../reader.ts'
import type { Reply } from '../../wire/bodies.ts'
import { ChatMapping } from '../../wire/chat.ts'
import type { Entry } from '../../wire/growing.ts'
import { usageOf } from '../../wire/usage.ts'

/** Messages of one conversation in the form of Chat Completions, and the events that they come from. */
export class Conversation {
  readonly #context: ReaderContext
  readonly #writer: TranscriptWriter
  readonly #usages = new Map<string, Reply['usage']>()
  readonly #model: string | undefined
  /** By the id of an event: how many messages there were in front of it. */
  readonly #places = new Map<string, number>()
  /** The first messages: a condensation keeps some of them. */
  readonly #first: Message[] = []
  #mapping: ChatMapping | null = null
  #system: readonly unknown[] = []
  #tools: readonly unknown[] | undefined
  /** The response whose calls are still coming. */
  #pending: { readonly id: string; readonly entry: Entry; readonly calls: unknown[] } | null = null
  readonly responses = new Set<string>()
  /** Calls without ids that have no result yet. */
  open = 0

  /** @param row what is recorded beside the events */
  constructor(context: ReaderContext, name: string | null, row: JsonObject) {
    this.#context = context
    this.#writer = context.open({ conversation: name, provider: 'openai' })
    this.#model =
      stringOf(objectOf(objectOf(row.metadata)?.llm_config)?.model) ??
      stringOf(objectOf(objectOf(row.metadata)?.llm)?.model)
    const metrics = objectOf(row.metrics)
    for (const each of [metrics, ...Object.values(objectOf(metrics?.usage_to_metrics) ?? {})])
      this.#count(objectOf(each))
  }

  get length(): number {
    return this.#writer.length + (this.#pending ? 1 : 0)
  }

  get isEmpty(): boolean {
    return this.length === 0
  }

  /** What the system prompt and the tools were. Only in front of the first message. */
  preamble(system: unknown, tools: unknown): void {
    this.#system = itemsOf(system)
    if (Array.isArray(tools) && tools.length > 0) this.#tools = tools
  }

  /** The event with this id comes next. */
  place(id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') this.#places.set(String(id), this.length)
  }

  add(entry: Entry): void {
    this.#flush()
    this.#write(entry)
  }

  /** Adds a call to the response with this id; without one the call is a response by itself. */
  call(id: string | undefined, call: unknown, entry: Entry): void {
    if (id !== undefined && this.#pending?.id === id) {
      this.#pending.calls.push(call)
      return
    }
    this.#flush()
    this.#pending = { id: id ?? '', entry, calls: [call] }
    if (id === undefined) this.#flush()
  }

  usageOf(response: string | undefined): Reply['usage'] {
    return response === undefined ? undefined : this.#usages.get(response)
  }

  /** @param isForgotten whether the event with this id left; the first events in front of those stayed */
  condensed(isForgotten: (id: string) => boolean, summary: string | undefined, line: number): void {
    this.#flush()
    const places = [...this.#places].filter(([id]) => isForgotten(id)).map(([, place]) => place)
    if (places.length === 0) return
    const [from, last] = places.reduce(([least, most], at) => [Math.min(least, at), Math.max(most, at)], [Infinity, 0])
    const told: Message[] = summary
      ? [{ role: 'user', line, blocks: [{ type: 'text', text: summary }], origin: 'injected' }]
      : []
    let keptFrom = this.length
    for (const place of this.#places.values()) if (place > last) keptFrom = Math.min(keptFrom, place)
    this.#writer.compaction({ at: this.length, keptFrom, summary: [...this.#first.slice(0, from), ...told], line })
  }

  end(): void {
    this.#flush()
    this.#begin().end()
    this.#writer.close()
  }

  #count(metrics: JsonObject | undefined): void {
    for (const value of itemsOf(metrics?.token_usages)) {
      const counts = objectOf(value)
      const response = stringOf(counts?.response_id)
      const usage = usageOf(counts && countsOf(counts))
      if (response !== undefined && usage) this.#usages.set(response, usage)
    }
  }

  #flush(): void {
    if (!this.#pending) return
    const { entry, calls } = this.#pending
    this.#pending = null
    this.#write({ ...entry, value: { ...objectOf(entry.value), tool_calls: calls } })
  }

  #write(entry: Entry): void {
    const message = this.#begin().add(entry)
    if (message && this.#first.length < kept) this.#first.push(message)
  }

  #begin(): ChatMapping {
    if (this.#mapping) return this.#mapping
    if (this.#model !== undefined) this.#writer.describe({ model: this.#model })
    const finding = (line: number) => this.#context.finding({ ...bad, line })
    this.#mapping = new ChatMapping(
      { tools: this.#tools, complete: this.#system.length > 0 && this.#tools !== undefined },
      this.#writer,
      finding,
    )
    for (const content of this.#system) this.#mapping.add({ value: { role: 'system', content }, line: 1 })
    return this.#mapping
  }
}

/**
 * How many first messages are remembered: more than any condenser keeps, which by default is the system prompt and three
 * events.
 */
const kept = 32

/** Counts under OpenHands' names, in which cached tokens are part of the prompt. */
export function countsOf({
  prompt_tokens,
  completion_tokens,
  cache_read_tokens,
  cache_write_tokens,
}: JsonObject): JsonObject {
  return {
    prompt_tokens,
    completion_tokens,
    prompt_tokens_details: { cached_tokens: cache_read_tokens },
    cache_creation_input_tokens: cache_write_tokens,
  }
}
