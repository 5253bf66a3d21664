/**
 * `hermes-compact`: Hermes Agent compacts at a share of the window, half of it, or three quarters of one below 512,000 tokens, and never
 * later than at 256,000. First it shortens, in all that is there but the newest 2.5 % of the window (10,000 to 25,000 tokens, and at
 * most a fifth of it): a result of more than 200 characters becomes one line, and in arguments of more than 500
 * each string is cut to 200. Of equal results only the newest stays whole. If the newest messages have more than one and a half times
 * that share, their results are shortened, too, oldest first, the last three messages last.
 *
 * Then a summary replaces the middle. In front of it stay the first three messages, the first time only; behind it the newest that fit
 * one and a half times that share, whole steps, with the newest prompt and the newest answer in words, however far back these are. Where
 * steps of the current prompt alone are too much, the prompt goes into the summary, and is said again at the end. Of the results behind the
 * summary those of the newest six steps stay whole. The summary quotes what the user said in the middle, the newest first, up to
 * 24,000 characters. If the request has not become smaller than the threshold twice in a row, nothing happens for five minutes, or until the
 * window is full.
 *
 * Operators: acts at `>=`. The summary has as many tokens as the program asks for: a fifth of the middle, from 2,000 to a twentieth of
 * the window or 10,000, and 4,000 for a log.
 *
 * Not simulated: the note in the system prompt, which breaks the cache once; up to 7,000 characters of names and numbers behind the summary; that
 * of a long middle only 160,000 characters are read for it; skills; what OpenAI's own compaction takes over; the sweep at
 * 85 % before a message of a chat app; that it looks again only after five minutes where there was nothing to compact. Where it goes by what the provider counted and an estimate of what is new, this goes by the request.
 *
 * What was read (2026-11-23): agent/context_compressor.py and website/docs/developer-guide/context-compression-and-caching.md of
 * NousResearch/hermes-agent at 042431a7, agent/model_metadata.py at 00067189 (0.21.3). `threshold_tokens` came on 2026-07-22 (#69335), the small
 * share as the default on 2026-08-26 (#95571). The first versions kept a fifth of the threshold (0.5.0, 2026-03).
 *
 * Law: whole pairs, sticky. Worked example: of a window of 200,000 the request of 150,000 is compacted; 5,000 are 2.5 %, so the newest 10,000 stay
 * as they are, and up to 15,000 behind the summary.
 */
import { jsonText } from '../../base/json-text.ts'
import { integer, number } from '../../base/param.ts'
import { type Block, type Message, textOf } from '../../model/message.ts'
import { Calls } from '../calls.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { thousands } from '../catalogue/thousands.ts'
import type { Entry, NativeCounter, Window } from '../policy.ts'
import { entriesFrom } from '../primitives/drop-steps.ts'
import { dropBrokenPairs } from '../primitives/keep-pairs.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'

/** The program's own values, which need not be set. */
const usualThreshold = 0.5
const usualLimit = 256_000

/** Below a window of so many tokens it acts no earlier than at this share of it. */
const smallWindow = 512_000
const smallShare = 0.75
/** It acts no earlier than here, but at this share of a window that is hardly larger. */
const leastThreshold = 64_000
const nearlyFull = 0.85

/** What stays behind the summary: a share of the window, its bounds, by how much whole messages may exceed it. */
const tailShare = 0.025
const [leastTail, mostTail] = [10_000, 25_000]
const tailMost = 0.2
const overrun = 1.5
const leastMessages = 8

const firstMessages = 3
/** Besides the first messages, there must be so many. */
const fewest = 3

const shortResult = 200
const shortArguments = 500
const argumentHead = 200
const argumentMark = '...[truncated]'
const shownArguments = 2
const shownArgument = 40
/** The newest messages that are shortened last, where what is newest is too much. */
const newestWhole = 3

const wholeSteps = 6
const longResult = 1_500
/** Characters of a prompt that may be said again at the end instead of staying where it is. */
const shortPrompt = 1_400

const quotedInAll = 24_000
const quotedOfOne = 4_000

const summaryShare = 0.2
const leastSummary = 2_000
const [summaryOfWindow, mostSummary] = [0.05, 10_000]
const logTokens = 4_000

const mostStrikes = 2
const pauseSeconds = 300

/** What a message has besides its text, and a call besides its id, name and arguments. */
const overhead = 10
const envelope = "{'id': '', 'type': 'function', 'function': {'name': '', 'arguments': ''}}".length
const quarter = (characters: number) => Math.ceil(characters / 4)

/** In tokens of the window: where it acts. */
export function thresholdOf(window: number, share: number, limit: number): number {
  const wanted = Math.floor(window * (window < smallWindow ? Math.max(share, smallShare) : share))
  const nearly = Math.floor(window * nearlyFull)
  let at = Math.max(wanted, leastThreshold)
  if (at > wanted && at > nearly) at = Math.max(wanted, nearly)
  if (at >= window) at = Math.max(1, Math.min(nearly, window - 1))
  return Math.min(at, limit)
}

/** In tokens: what stays as it is, and the most that stays. */
export function tailOf(window: number): { wanted: number; most: number } {
  const share = Math.floor(window * tailMost)
  const wanted = Math.max(1, Math.min(Math.max(leastTail, Math.min(mostTail, Math.floor(window * tailShare))), share))
  return { wanted, most: Math.max(wanted, Math.min(Math.floor(wanted * overrun), share)) }
}

const argumentsOf = (input: unknown): string => (typeof input === 'string' ? input : jsonText(input ?? {}))

const native: NativeCounter = {
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

const textIn = ({ message }: Entry): string => (message ? textOf(message) : '')
/** The first index behind `from` that is no result. */
function behindResults(entries: readonly Entry[], from: number): number {
  let at = from
  while (entries[at]?.role === 'tool') at++
  return at
}

/** In front of the calls whose results stand before the cut, or which stand there themselves. */
function beforeCalls(entries: readonly Entry[], at: number): number {
  if (at <= 0 || at >= entries.length) return at
  const before = entries.slice(0, at).findLastIndex(({ role }) => role !== 'tool')
  return before >= 0 && (entries[before] as Entry).calls > 0 ? before : at
}

/** One compaction: the messages as they are, and what of them is in front of the middle. */
class Cut {
  readonly #window: Window
  readonly #entries: readonly Entry[]
  readonly #head: number
  readonly #isPrompt: (entry: Entry) => boolean

  constructor(window: Window, entries: readonly Entry[], head: number, isPrompt: (entry: Entry) => boolean) {
    this.#window = window
    this.#entries = entries
    this.#head = behindResults(entries, head)
    this.#isPrompt = isPrompt
  }

  get start(): number {
    return this.#head
  }

  tokens(at: number): number {
    const entry = this.#entries[at] as Entry
    return this.#window.tokensOf(entry, entry)
  }

  /**
   * Walks back from the newest message while there is room for `most` tokens, and in any case over the `least` newest.
   * @param takesMore the message that has no room is the last that is taken
   */
  walk(to: number, most: number, least: number, takesMore: boolean): { from: number; tokens: number } {
    let [from, sum] = [this.#entries.length, 0]
    for (let at = from - 1; at >= to; at--) {
      const tokens = this.tokens(at)
      if (sum + tokens > most && this.#entries.length - at >= least) return { from: takesMore ? at : from, tokens: sum }
      sum += tokens
      from = at
    }
    return { from, tokens: sum }
  }

  /** Where the tail begins, and whether the newest prompt may leave for the summary. */
  end({ wanted, most }: { readonly wanted: number; readonly most: number }): number {
    const entries = this.#entries
    const [head, count] = [this.#head, entries.length]
    const behind = Math.max(0, count - head - 1)
    const least = behind > 1 ? Math.min(leastMessages, Math.max(fewest, behind - 2), behind) : 0
    const floor = most >= least * overhead ? 0 : least
    let { from: at, tokens } = this.walk(head, most, floor, false)
    // All of it has room: a smaller tail, so that there is a middle.
    if (at <= head && tokens > 0 && tokens <= most) at = this.walk(head, wanted, least, true).from
    at = Math.min(at, count - floor)
    if (at <= head) at = Math.max(count - least, head + 1)
    at = beforeCalls(entries, at)
    const prompt = entries.findLastIndex((entry, index) => index >= head && this.#isPrompt(entry))
    const anchored = this.#withPrompt(prompt, at)
    const splits =
      anchored < at &&
      this.tokens(prompt) <= most &&
      textIn(entries[prompt] as Entry).trim().length <= shortPrompt &&
      entries.slice(prompt, at).some(({ calls }) => calls > 0) &&
      this.walk(anchored, most, 0, false).from > anchored
    if (!splits) at = this.#withAnswer(anchored)
    at = Math.min(count, behindResults(entries, Math.max(at, head + 1)))
    return this.#withBridge(at)
  }

  #withPrompt(prompt: number, at: number): number {
    if (prompt < 0 || prompt >= at) return at
    if (prompt > this.#head) return prompt
    // It has no room in front of the middle: it leaves with its answer.
    const answer = prompt + 1
    const end = this.#entries[answer]?.role === 'assistant' ? behindResults(this.#entries, answer + 1) : answer
    return Math.max(end, this.#head + 1)
  }

  #withAnswer(at: number): number {
    const entries = this.#entries
    const isAnswer = (entry: Entry, index: number) =>
      index >= this.#head && entry.role === 'assistant' && entry.index >= 0
    const spoken = entries.findLastIndex((entry, index) => isAnswer(entry, index) && textIn(entry).trim() !== '')
    const answer = spoken < 0 ? entries.findLastIndex(isAnswer) : spoken
    return answer < 0 || answer >= at ? at : Math.max(beforeCalls(entries, answer), this.#head + 1)
  }

  /** The tail does not begin with the newest prompt, but with the step before it. */
  #withBridge(at: number): number {
    const entries = this.#entries
    if (at !== entries.findLastIndex(this.#isPrompt)) return at
    const role = entries[at - 1]?.role
    const bridge = role === 'tool' ? beforeCalls(entries, at) : role === 'assistant' ? at - 1 : -1
    return bridge > this.#head ? bridge : at
  }
}

export default definePolicy({
  name: 'hermes-compact',
  version: '042431a7',
  summary: 'at three quarters of the window, or half of a large one, replace all but the first and newest by a summary',
  source: 'NousResearch/hermes-agent at 042431a7, agent/context_compressor.py and its page in website/docs (2026-11)',
  ownBudget: 'window',
  trigger: 'the window; acts at `threshold` of it (at least three quarters of one below 512,000), or at `limit`',
  unlike:
    '`pi-compact` keeps a fixed tail and no beginning; `openhands-condense` keeps a beginning for good, and whole results',
  params: {
    threshold: number({ default: usualThreshold, min: 0, max: 1, help: 'share of the window at which it acts' }),
    limit: integer({ default: usualLimit, min: 1, help: 'act at this many tokens at the latest' }),
    summaryTokens: integer({
      default: 0,
      min: 0,
      help: 'tokens of the summary; 0 = as many as the program asks the model for',
    }),
  },
  wholePairs: true,
  inserts: true,
  text: true,
  native,
  availableIn: ['hermes-agent'],
  turnOn({ threshold, limit }, budget) {
    const at = thresholdOf(budget, threshold, limit)
    const share = threshold === usualThreshold ? '' : `threshold: ${threshold}, `
    return {
      file: '~/.hermes/config.yaml',
      text: `compression: { ${share}threshold_tokens: ${at} }`,
      note: `compacts at ${thousands(at)}; since 2026-07-22`,
    }
  },
  start({ threshold, limit, summaryTokens }) {
    const calls = new Calls()
    const answered = new Set<number>()
    /** Results that are one line, and messages whose arguments are cut. */
    const shortened = new WeakSet<Entry>()
    /** Prompts that were said again. */
    const repeated = new WeakSet<Entry>()
    let compacted = false
    /** Compactions in a row that left as much as the threshold, and seconds since it gave up. */
    let strikes = 0
    let paused = 0
    let isNew = false

    const isPrompt = (entry: Entry): boolean =>
      entry.role === 'user' &&
      (entry.index >= 0 ? !entry.isInjected : repeated.has(entry)) &&
      textIn(entry).trim() !== ''

    function shortenResult(window: Window, entry: Entry, text = textIn(entry)): void {
      if (entry.role !== 'tool' || shortened.has(entry) || text.length <= shortResult) return
      shortened.add(entry)
      window.replace(entry, lineOf(calls, entry, text.length))
    }

    function shorten(window: Window, entry: Entry): void {
      shortenResult(window, entry)
      if (entry.calls === 0 || entry.index < 0 || shortened.has(entry) || !entry.message) return
      const { blocks } = entry.message
      const left = blocks.map(cutCall)
      if (left.every((block, index) => block === blocks[index])) return
      shortened.add(entry)
      window.replace(entry, left)
    }

    function shortenTwins(window: Window, entries: readonly Entry[]): void {
      const seen = new Set<string>()
      for (const entry of entries.toReversed()) {
        const text = entry.role === 'tool' ? textIn(entry) : ''
        if (text.length < shortResult || shortened.has(entry)) continue
        if (seen.has(text)) {
          shortened.add(entry)
          window.replace(entry, '[the same output as of a later call]')
        }
        seen.add(text)
      }
    }

    /** Shortens what is older than the tail, and the tail where it alone is too much. */
    function shortenAll(window: Window, entries: readonly Entry[], { wanted, most }: ReturnType<typeof tailOf>): void {
      const count = entries.length
      const least = Math.min(leastMessages, count)
      const from = Math.min(new Cut(window, entries, 0, isPrompt).walk(0, wanted, least, true).from, count - least)
      shortenTwins(window, entries)
      for (const entry of entries.slice(0, from)) shorten(window, entry)
      const tail = entries.slice(from)
      let size = tail.reduce((sum, entry) => sum + window.tokensOf(entry, entry), 0)
      const shortenFirst = (list: readonly Entry[], whileOver: boolean) => {
        for (const entry of list) {
          if (whileOver && size <= most) return
          const before = window.tokensOf(entry, entry)
          shorten(window, entry)
          size += window.tokensOf(entry, entry) - before
        }
      }
      if (size <= most || tail.length <= newestWhole) return
      shortenFirst(tail.slice(0, -newestWhole), true)
      if (size <= most) return
      const newest = tail.findLast(({ role }) => role === 'tool')
      shortenFirst(
        tail.filter((entry) => entry !== newest),
        false,
      )
      if (newest && size > most) shortenResult(window, newest)
    }

    /** Of the results behind the summary those of the newest steps stay. */
    function shortenOldSteps(window: Window, tail: readonly Entry[]): void {
      let steps = 0
      for (const [at, entry] of [...tail.entries()].reverse()) {
        if (entry.role !== 'tool') continue
        if (tail[at + 1]?.role !== 'tool') steps++
        const text = textIn(entry)
        if (steps > wholeSteps && text.length >= longResult && !shortened.has(entry)) shortenResult(window, entry, text)
      }
    }

    /** What the user said, the newest first. */
    function quotes(entries: readonly Entry[]): string {
      const said: string[] = []
      let left = quotedInAll
      for (const entry of entries.filter(isPrompt).reverse()) {
        if (left <= 0) break
        const text = textIn(entry).trim().slice(0, Math.min(quotedOfOne, left))
        said.push(`> ${text.replaceAll('\n', '\n> ')}`)
        left -= text.length
      }
      return said.join('\n\n')
    }

    /** @returns whether there was anything to compact */
    function compact(window: Window): boolean {
      const entries = [...entriesFrom(window.first)]
      const head = compacted ? 0 : Math.min(firstMessages, entries.length)
      if (entries.length <= head + fewest) return false
      const tail = tailOf(window.budget)
      shortenAll(window, entries, tail)
      const cut = new Cut(window, entries, head, isPrompt)
      const { start } = cut
      const end = cut.end(tail)
      const [first, last] = [entries[start], entries[end - 1]]
      if (!first || !last || end <= start) return false
      shortenOldSteps(window, entries.slice(end))
      const middle = entries.slice(start, end)
      if (middle.every(({ index }) => index < 0)) return false
      const asked = Math.floor(window.tokensOf(first, last) * summaryShare)
      const most = Math.min(Math.floor(window.budget * summaryOfWindow), mostSummary)
      const tokens = summaryTokens || Math.max(leastSummary, Math.min(asked, most)) + logTokens
      const said = quotes(middle)
      const newest = entries.slice(0, end).findLast(isPrompt)
      const isAsked = newest && !entries.slice(end).some(isPrompt) && entries.at(-1)?.role !== 'assistant'
      const again = isAsked ? textIn(newest) : ''
      const summary = summariseRange(window, first, last, { role: 'user', tokens })
      if (said !== '') window.insert(summary.next, { role: 'user', blocks: [{ type: 'text', text: said }] })
      dropBrokenPairs(window, answered)
      if (again !== '') repeated.add(window.insert(null, { role: 'user', blocks: [{ type: 'text', text: again }] }))
      compacted = true
      return true
    }

    return {
      message(_window, entry) {
        isNew = true
        calls.message(entry)
        if (entry.role === 'tool' && entry.call >= 0) answered.add(entry.call)
      },
      request(window, { idleSeconds }) {
        if (!isNew) return
        isNew = false
        const at = thresholdOf(window.budget, threshold, limit)
        if (window.tokens < at) {
          strikes = 0
          return
        }
        if (strikes >= mostStrikes && window.tokens <= window.budget) {
          paused += idleSeconds ?? 0
          if (paused < pauseSeconds) return
          strikes = mostStrikes - 1
        }
        paused = 0
        const isDone = compact(window)
        if (window.tokens < at) strikes = 0
        else if (isDone) strikes++
      },
    }
  },
})
