/** What the versions of Codex share: when the window is full, and what the user said that stays. */

import { utf8Length } from '../../base/bytes.ts'
import { integer } from '../../base/param.ts'
import { type Message, textOf } from '../../model/message.ts'
import { bytesOverFour } from '../counters.ts'
import type { Entry, Window } from '../policy.ts'
import { headBytes, tailBytes } from '../text.ts'

/** Four bytes are a token, rounded up. */
const textTokens = (text: string): number => Math.ceil(utf8Length(text) / 4)

/** Half from the start and half from the end, with a mark between them. */
export function cutMiddle(text: string, tokens: number): string {
  const half = 2 * tokens
  return `${headBytes(text, half)}…${textTokens(text) - tokens} tokens truncated…${tailBytes(text, half)}`
}

/** What the cards of all versions say. */
export const codexCard = {
  ownBudget: 'window',
  trigger: 'the window; acts at nine tenths of it, or at `limit` if that is less',
  wholePairs: true,
  native: bytesOverFour,
  availableIn: ['codex'],
} as const

export const limitParam = integer({
  default: 0,
  min: 0,
  help: 'act at this many tokens, if that is less than nine tenths of the budget; 0 = off',
})

/** The most tokens of a request at which it does not compact yet: nine tenths of the window, or a limit below that. */
export function limitOf(window: number, limit: number): number {
  const nine = Math.floor((window * 9) / 10)
  return limit > 0 ? Math.min(limit, nine) : nine
}

/** What the user said, and what the harness says in the user's role in front of it. */
export class Said {
  #started = false
  /** Tokens of what the user said. */
  readonly #tokens = new Map<Entry, number>()

  message(window: Window, entry: Entry): void {
    this.#started ||= entry.isPrompt
    if (entry.role !== 'user' || entry.index < 0 || entry.isInjected) return
    this.#tokens.set(entry, entry.message ? sizeOf(entry.message) : window.tokensOf(entry, entry))
  }

  /** The instructions and the environment in front of the first prompt, which are built anew. */
  context(window: Window): Set<Entry> {
    const stay = new Set<Entry>()
    for (let entry = window.first; entry && !entry.isPrompt && this.#started; entry = entry.next) {
      if (entry.role === 'user' && entry.isInjected) stay.add(entry)
    }
    return stay
  }

  /**
   * Which entries stay of those up to `last`: that context, and of what the user said the newest, up to `most` tokens.
   * The message that no longer fits is cut in its middle.
   * @param least tokens that a message counts at least
   */
  kept(window: Window, last: Entry, { most, least }: { readonly most: number; readonly least: number }): Set<Entry> {
    const stay = this.context(window)
    let left = most
    for (let entry: Entry | null = last; entry && left > 0; entry = entry.previous) {
      const own = this.#tokens.get(entry)
      if (own === undefined) continue
      const tokens = Math.max(own, least)
      stay.add(entry)
      if (tokens > left) {
        if (entry.message) {
          const text = cutMiddle(textOf(entry.message), left)
          window.replace(entry, text)
          this.#tokens.set(entry, textTokens(text))
        } else {
          // A stand-in of the size that is left takes its place.
          stay.delete(entry)
          stay.add(window.insert(entry, { role: 'user', blocks: [] }, left))
        }
        break
      }
      left -= tokens
    }
    return stay
  }
}

const sizeOf = (message: Message): number => textTokens(textOf(message))

/**
 * The history as the program has it before it sends a request: its last entry and the tokens up to it. A prompt that is
 * about to be sent joins the history only then, with what is said behind it. Null if there is nothing else.
 */
export function historyOf(window: Window): { readonly last: Entry; readonly tokens: number } | null {
  const last = beforePrompt(window)
  if (!last) return null
  const waiting = last.next && window.last ? window.tokensOf(last.next, window.last) : 0
  return { last, tokens: window.tokens - waiting }
}

function beforePrompt(window: Window): Entry | null {
  let entry = window.last
  while (entry && entry.role === 'user' && entry.index >= 0) {
    if (entry.isPrompt) return entry.previous
    entry = entry.previous
  }
  return window.last
}
