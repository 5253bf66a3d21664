/** Where Hermes Agent compacts, and which messages it leaves in front of the summary and behind it. */
import { textOf } from '../../model/message.ts'
import type { Entry, Window } from '../policy.ts'

/** Below a window of so many tokens it acts no earlier than at this share of it. */
const smallWindow = 512_000
const smallShare = 0.75
/** It acts no earlier than here, but at this share of a window that is hardly larger. */
const leastThreshold = 64_000
const nearlyFull = 0.85

/** The tail behind the summary: its share of the window, its bounds, and by how much whole messages may exceed it. */
const tailShare = 0.025
const [leastTail, mostTail] = [10_000, 25_000]
const tailMost = 0.2
const overrun = 1.5
export const leastMessages = 8

/** Behind the first messages there must be so many. */
export const fewest = 3

/** Characters of a prompt that may be said again at the end instead of staying where it is. */
const shortPrompt = 1_400

/** Tokens that a message has besides its text. */
export const overhead = 10

/** In tokens of the window: where it acts. */
export function thresholdOf(window: number, share: number, limit: number): number {
  const wanted = Math.floor(window * (window < smallWindow ? Math.max(share, smallShare) : share))
  const nearly = Math.floor(window * nearlyFull)
  let at = Math.max(wanted, leastThreshold)
  if (at > wanted && at > nearly) at = Math.max(wanted, nearly)
  if (at >= window) at = Math.max(1, Math.min(nearly, window - 1))
  return Math.min(at, limit)
}

/** In tokens: what stays as it is behind the summary, and the most that stays there. */
export interface Tail {
  readonly wanted: number
  readonly most: number
}

export function tailOf(window: number): Tail {
  const share = Math.floor(window * tailMost)
  const wanted = Math.max(1, Math.min(Math.max(leastTail, Math.min(mostTail, Math.floor(window * tailShare))), share))
  return { wanted, most: Math.max(wanted, Math.min(Math.floor(wanted * overrun), share)) }
}

export const textIn = ({ message }: Entry): string => (message ? textOf(message) : '')

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
export class Cut {
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

  /** Where the middle begins. */
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

  /** Where the tail begins. */
  end(room: Tail): number {
    const entries = this.#entries
    const [head, count] = [this.#head, entries.length]
    const at = this.#withRoom(room)
    const prompt = entries.findLastIndex((entry, index) => index >= head && this.#isPrompt(entry))
    const anchored = this.#withPrompt(prompt, at)
    const end = this.#partsTurn(prompt, anchored, at, room.most) ? at : this.#withAnswer(anchored)
    return this.#withBridge(Math.min(count, behindResults(entries, Math.max(end, head + 1))))
  }

  /** Where the newest messages begin that there is room for; some are behind it in any case. */
  #withRoom({ wanted, most }: Tail): number {
    const [head, count] = [this.#head, this.#entries.length]
    const behind = Math.max(0, count - head - 1)
    const least = behind > 1 ? Math.min(leastMessages, Math.max(fewest, behind - 2), behind) : 0
    const floor = most >= least * overhead ? 0 : least
    let { from: at, tokens } = this.walk(head, most, floor, false)
    // Everything fits: take a smaller tail, so that there is a middle.
    if (at <= head && tokens > 0 && tokens <= most) at = this.walk(head, wanted, least, true).from
    at = Math.min(at, count - floor)
    if (at <= head) at = Math.max(count - least, head + 1)
    return beforeCalls(this.#entries, at)
  }

  /** Whether the newest prompt goes into the summary because its own steps do not fit the tail. */
  #partsTurn(prompt: number, anchored: number, at: number, most: number): boolean {
    const entries = this.#entries
    return (
      anchored < at &&
      this.tokens(prompt) <= most &&
      textIn(entries[prompt] as Entry).trim().length <= shortPrompt &&
      entries.slice(prompt, at).some(({ calls }) => calls > 0) &&
      this.walk(anchored, most, 0, false).from > anchored
    )
  }

  /** The newest prompt stays, too. */
  #withPrompt(prompt: number, at: number): number {
    if (prompt < 0 || prompt >= at) return at
    if (prompt > this.#head) return prompt
    // There is no room in front of the middle, so the prompt leaves with its answer.
    const answer = prompt + 1
    const end = this.#entries[answer]?.role === 'assistant' ? behindResults(this.#entries, answer + 1) : answer
    return Math.max(end, this.#head + 1)
  }

  /** The newest answer stays, too: the newest in words, where there is one. */
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
