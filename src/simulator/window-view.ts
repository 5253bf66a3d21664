/**
 * The window as a user's own policy sees it: only the members of the contract, read-only, with every argument checked.
 */
import { jsonText } from '../base/json-text.ts'
import type { Block, Message, Role } from '../model/message.ts'
import type { Entry, Inserted, Policy, Window, WindowExchange } from '../policies/policy.ts'

/** The policy called the window in a way the contract forbids. The error's text contains nothing of a transcript. */
export class Misuse extends TypeError {}

/** Freezes the value and everything in it. */
export function frozen<T>(value: T): T {
  const left: unknown[] = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue
    Object.freeze(next)
    for (const member of Object.values(next)) left.push(member)
  }
  return value
}

export class WindowView implements Window {
  readonly #window: Window
  readonly readsText: boolean
  readonly #isView: boolean
  readonly #entries = new WeakMap<Entry, EntryView>()
  readonly #exchanges = new WeakMap<WindowExchange, ExchangeView>()
  readonly #given = new WeakMap<object, Entry | WindowExchange>()

  constructor(window: Window, { kind, text }: Pick<Policy, 'kind' | 'text'>) {
    this.#window = window
    this.#isView = kind === 'view'
    this.readsText = text
  }

  get budget(): number {
    return this.#window.budget
  }
  get tokens(): number {
    return this.#window.tokens
  }
  get preambleTokens(): number {
    return this.#window.preambleTokens
  }
  get messageTokens(): number {
    return this.#window.messageTokens
  }
  get historyTokens(): number {
    this.#needsView('historyTokens')
    return this.#window.historyTokens
  }
  get count(): number {
    return this.#window.count
  }
  get users(): number {
    return this.#window.users
  }
  get omitted(): number {
    return this.#window.omitted
  }
  get first(): Entry | null {
    return this.entryOrNull(this.#window.first)
  }
  get last(): Entry | null {
    return this.entryOrNull(this.#window.last)
  }
  get exchangeCount(): number {
    return this.#window.exchangeCount
  }
  get oldestExchange(): WindowExchange | null {
    return this.#exchange(this.#window.oldestExchange)
  }
  get newestExchange(): WindowExchange | null {
    return this.#exchange(this.#window.newestExchange)
  }

  nextExchange(exchange: WindowExchange): WindowExchange | null {
    const known = this.#given.get(exchange)
    if (!(exchange instanceof ExchangeView) || !known)
      throw new Misuse('called nextExchange with something that is not an exchange of the window')
    return this.#exchange(this.#window.nextExchange(known as WindowExchange))
  }

  tokensOf(from: Entry, to: Entry): number {
    const [first, last] = this.#range('tokensOf', from, to)
    return this.#window.tokensOf(first, last)
  }

  tokensFrom(entry: Entry): number {
    return this.#window.tokensFrom(this.#inside('tokensFrom', entry))
  }

  drop(from: Entry, to: Entry): void {
    const [first, last] = this.#range('drop', from, to)
    this.#window.drop(first, last)
  }

  replace(entry: Entry, content: string | readonly Block[]): void {
    const item = this.#inside('replace', entry)
    if (typeof content === 'string') {
      if (!this.readsText) throw new Misuse('called replace without declaring `text`')
      this.#window.replace(item, content)
    } else if (Array.isArray(content) && content.every(isBlock)) {
      this.#window.replace(item, JSON.parse(jsonText(content)) as Block[])
    } else throw new Misuse('called replace with something that is neither text nor blocks')
  }

  insert(before: Entry | null, message: Inserted, tokens?: number): Entry {
    const item = before === null ? null : this.#inside('insert', before)
    if (tokens !== undefined && !isCount(tokens)) throw new Misuse('called insert with what is no number of tokens')
    return this.entry(this.#window.insert(item, inserted('insert', message), tokens))
  }

  summarise(from: Entry, to: Entry, summary: Inserted, tokens?: number, keeps?: (entry: Entry) => boolean): Entry {
    const [first, last] = this.#range('summarise', from, to)
    if (tokens !== undefined && !isCount(tokens))
      throw new Misuse('called summarise with something that is not a number of tokens')
    if (keeps !== undefined && typeof keeps !== 'function')
      throw new Misuse('called summarise with something that does not say which entries stay')
    const stays = keeps && ((item: Entry) => keeps(this.entry(item)))
    return this.entry(this.#window.summarise(first, last, inserted('summarise', summary), tokens, stays))
  }

  restore(index = 0): void {
    this.#needsView('restore')
    if (!Number.isInteger(index)) throw new Misuse('called restore with something that is not the index of a message')
    this.#window.restore(index)
  }

  entry(item: Entry): Entry {
    let view = this.#entries.get(item)
    if (!view) {
      view = new EntryView(item, this)
      this.#entries.set(item, view)
      this.#given.set(view, item)
    }
    return view
  }

  entryOrNull(item: Entry | null): Entry | null {
    return item && this.entry(item)
  }

  #exchange(exchange: WindowExchange | null): WindowExchange | null {
    if (!exchange) return null
    let view = this.#exchanges.get(exchange)
    if (!view) {
      view = new ExchangeView(exchange, this)
      this.#exchanges.set(exchange, view)
      this.#given.set(view, exchange)
    }
    return view
  }

  #needsView(what: string): void {
    if (!this.#isView) throw new Misuse(`called ${what}, which only a \`view\` policy can`)
  }

  #inside(what: string, entry: Entry): Entry {
    const item = this.#given.get(entry)
    if (!(entry instanceof EntryView) || !item)
      throw new Misuse(`called ${what} with something that is not an entry of the window`)
    if (!entry.inside) throw new Misuse(`called ${what} with an entry that is not inside`)
    return item as Entry
  }

  #range(what: string, from: Entry, to: Entry): [from: Entry, to: Entry] {
    const [first, last] = [this.#inside(what, from), this.#inside(what, to)]
    let item: Entry | null = first
    while (item && item !== last) item = item.next
    if (!item) throw new Misuse(`called ${what} with an end before its beginning`)
    return [first, last]
  }
}

class EntryView implements Entry {
  readonly #item: Entry
  readonly #window: WindowView

  constructor(item: Entry, window: WindowView) {
    this.#item = item
    this.#window = window
  }

  get index(): number {
    return this.#item.index
  }
  get role(): Role {
    return this.#item.role
  }
  get exchange(): number {
    return this.#item.exchange
  }
  get isPrompt(): boolean {
    return this.#item.isPrompt
  }
  get calls(): number {
    return this.#item.calls
  }
  get call(): number {
    return this.#item.call
  }
  get isResponse(): boolean {
    return this.#item.isResponse
  }
  get isInjected(): boolean {
    return this.#item.isInjected
  }
  get inside(): boolean {
    return this.#item.inside
  }
  get replaced(): boolean {
    return this.#item.replaced
  }
  get next(): Entry | null {
    return this.#window.entryOrNull(this.#item.next)
  }
  get previous(): Entry | null {
    return this.#window.entryOrNull(this.#item.previous)
  }
  get message(): Message | null {
    return this.#window.readsText ? frozen(this.#item.message) : null
  }
}

class ExchangeView implements WindowExchange {
  readonly #exchange: WindowExchange
  readonly #window: WindowView

  constructor(exchange: WindowExchange, window: WindowView) {
    this.#exchange = exchange
    this.#window = window
  }

  get index(): number {
    return this.#exchange.index
  }
  get first(): Entry {
    return this.#window.entry(this.#exchange.first)
  }
  get count(): number {
    return this.#exchange.count
  }
  get through(): number {
    return this.#exchange.through
  }
}

/** A checked copy, so that the policy cannot change the message later. */
function inserted(what: string, message: unknown): Inserted {
  const { role, blocks } = (message ?? {}) as Partial<Inserted>
  const isRole = role === 'system' || role === 'user' || role === 'assistant' || role === 'tool'
  if (!isRole || !Array.isArray(blocks) || !blocks.every(isBlock)) {
    throw new Misuse(`called ${what} with a message that has no role or no blocks: see Inserted`)
  }
  return JSON.parse(jsonText({ role, blocks })) as Inserted
}

function isBlock(value: unknown): value is Block {
  const block = (value ?? {}) as Partial<Record<string, unknown>>
  switch (block.type) {
    case 'text':
    case 'thinking':
      return typeof block.text === 'string'
    case 'opaque':
      return isCount(block.bytes)
    case 'call':
      return typeof block.id === 'string' && typeof block.name === 'string'
    case 'image':
    case 'document':
      return typeof block.mediaType === 'string' && isCount(block.bytes) && typeof (block.data ?? '') === 'string'
    default:
      return false
  }
}

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0
