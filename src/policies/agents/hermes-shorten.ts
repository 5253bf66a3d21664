/** How Hermes Agent counts, and how it shortens results and the arguments of calls. */
import { jsonText } from '../../base/json-text.ts'
import type { Block, Message } from '../../model/message.ts'
import { Calls } from '../calls.ts'
import type { Entry, NativeCounter, Window } from '../policy.ts'
import { Cut, leastMessages, overhead, type Tail, textIn } from './hermes-cut.ts'

const shortResult = 200
const shortArguments = 500
const argumentHead = 200
const argumentMark = '...[truncated]'
const shownArguments = 2
const shownArgument = 40
/** How many of the newest messages are shortened last if the tail is too large. */
const newestWhole = 3

/** Results of the newest steps stay whole; of older steps, only the shorter ones. */
const wholeSteps = 6
const longResult = 1_500

/** Characters of a call besides its id, name and arguments. */
const envelope = "{'id': '', 'type': 'function', 'function': {'name': '', 'arguments': ''}}".length
const quarter = (characters: number) => Math.ceil(characters / 4)

const argumentsOf = (input: unknown): string => (typeof input === 'string' ? input : jsonText(input ?? {}))

export const hermesCounter: NativeCounter = {
  summary: 'ceil(characters / 4) + 10 per message, of a call with its envelope; system prompt, and tools as JSON',
  message: tokensOfMessage,
  preamble: ({ system, tools = [] }) =>
    system.reduce((sum, message) => sum + tokensOfMessage(message), 0) +
    tools.reduce<number>((sum, tool) => sum + quarter(jsonText(tool).length), 0),
}

function tokensOfMessage({ blocks }: Message): number {
  let [characters, calls] = [0, 0]
  for (const block of blocks) {
    if (block.type === 'text' || block.type === 'thinking') characters += block.text.length
    else if (block.type === 'call')
      calls += quarter(envelope + block.id.length + block.name.length + argumentsOf(block.input).length)
  }
  return overhead + quarter(characters) + calls
}

/** Each string of arguments, however deep, cut to its beginning. */
function cut(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length > argumentHead ? value.slice(0, argumentHead) + argumentMark : value
  if (Array.isArray(value)) return value.map(cut)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cut(inner)]))
}

/** The call with its long arguments cut; itself if they are short, or no JSON. */
function cutCall(block: Block): Block {
  if (block.type !== 'call') return block
  const text = argumentsOf(block.input)
  if (text.length <= shortArguments) return block
  if (typeof block.input !== 'string') return { ...block, input: cut(block.input) }
  try {
    return { ...block, input: jsonText(cut(JSON.parse(text))) }
  } catch {
    return block
  }
}

/** What is left of a result: its tool, the first arguments, its length. */
function lineOf(calls: Calls, entry: Entry, length: number): string {
  const input = calls.of(entry)?.input
  const given = Object.entries(typeof input === 'object' && input !== null ? input : {}).slice(0, shownArguments)
  const shown = given.map(
    ([key, value]) => ` ${key}=${(typeof value === 'string' ? value : jsonText(value)).slice(0, shownArgument)}`,
  )
  return `[${calls.toolOf(entry) || 'unknown'}]${shown.join('')} (${length.toLocaleString('en-US')} chars result)`
}

/** Shortens each message once. */
export class Shortener {
  readonly #calls = new Calls()
  /** Results that are one line, and messages whose arguments are cut. */
  readonly #shortened = new WeakSet<Entry>()

  message(entry: Entry): void {
    this.#calls.message(entry)
  }

  /** Shortens what is older than the tail, and the tail where it alone is too much. */
  shortenAll(window: Window, entries: readonly Entry[], { wanted, most }: Tail): void {
    const count = entries.length
    const least = Math.min(leastMessages, count)
    const from = Math.min(new Cut(window, entries, 0, () => false).walk(0, wanted, least, true).from, count - least)
    this.#shortenTwins(window, entries)
    for (const entry of entries.slice(0, from)) this.#shorten(window, entry)
    this.#shortenTail(window, entries.slice(from), most)
  }

  /** Of the results behind the summary those of the newest steps stay. */
  shortenOldSteps(window: Window, tail: readonly Entry[]): void {
    let steps = 0
    for (const [at, entry] of [...tail.entries()].reverse()) {
      if (entry.role !== 'tool') continue
      if (tail[at + 1]?.role !== 'tool') steps++
      if (steps > wholeSteps && textIn(entry).length >= longResult) this.#shortenResult(window, entry)
    }
  }

  #shortenResult(window: Window, entry: Entry): void {
    const { length } = textIn(entry)
    if (entry.role !== 'tool' || this.#shortened.has(entry) || length <= shortResult) return
    this.#shortened.add(entry)
    window.replace(entry, lineOf(this.#calls, entry, length))
  }

  #shorten(window: Window, entry: Entry): void {
    this.#shortenResult(window, entry)
    if (entry.calls === 0 || entry.index < 0 || this.#shortened.has(entry) || !entry.message) return
    const { blocks } = entry.message
    const left = blocks.map(cutCall)
    if (left.every((block, index) => block === blocks[index])) return
    this.#shortened.add(entry)
    window.replace(entry, left)
  }

  /** Of equal results only the newest stays. */
  #shortenTwins(window: Window, entries: readonly Entry[]): void {
    const seen = new Set<string>()
    for (const entry of entries.toReversed()) {
      const text = entry.role === 'tool' ? textIn(entry) : ''
      if (text.length < shortResult || this.#shortened.has(entry)) continue
      if (seen.has(text)) {
        this.#shortened.add(entry)
        window.replace(entry, '[the same output as of a later call]')
      }
      seen.add(text)
    }
  }

  /**
   * Until it has at most so many tokens: the oldest first, then the last three messages, the newest result at the very
   * end.
   */
  #shortenTail(window: Window, tail: readonly Entry[], most: number): void {
    let size = tail.reduce((sum, entry) => sum + window.tokensOf(entry, entry), 0)
    if (size <= most || tail.length <= newestWhole) return
    const shorten = (entry: Entry): void => {
      const before = window.tokensOf(entry, entry)
      this.#shorten(window, entry)
      size += window.tokensOf(entry, entry) - before
    }
    for (const entry of tail.slice(0, -newestWhole)) if (size > most) shorten(entry)
    if (size <= most) return
    const newest = tail.findLast(({ role }) => role === 'tool')
    for (const entry of tail) if (entry !== newest) shorten(entry)
    if (newest && size > most) this.#shortenResult(window, newest)
  }
}
