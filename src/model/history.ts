import type { TermClass } from './run.ts'

/**
 * One transcript's window at one moment, and what has left it: the picture that `history` draws. Indices are 0-based.
 * An age is in milliseconds before that moment, by the clock of the transcript; null where it records no times.
 */
export interface HistoryView {
  readonly transcript: string
  readonly conversation: string | null
  readonly policy: string
  readonly budget: number
  readonly estimator: string
  /** The request that is about to go out; null when the transcript is over. */
  readonly request: number | null
  /** Of that request, or of the one that would come next; preamble included. */
  readonly tokens: number
  readonly preambleTokens: number
  readonly outside: readonly OutsideExchange[]
  readonly inside: readonly InsideExchange[]
  /** What was used up to this moment and not inside when it was. */
  readonly lost: readonly LostUse[]
}

/** What was used when the window no longer held it: content, paths, urls, errors, ids and searches. */
export interface LostUse {
  /** Of content: the file that it is of; null where nobody says. */
  readonly term: string | null
  readonly termClass: TermClass
  /** Where it was used: the exchange (-1 before the first user message) and the line of the file. */
  readonly exchange: number
  readonly line: number
  /** No mention was left inside; no source was. */
  readonly mentionLost: boolean
  readonly sourceLost: boolean
  /** Its last source, or where that is not what was lost its last mention; and the tokens said since. */
  readonly seenExchange: number
  readonly seenLine: number
  readonly seenTokensAgo: number
}

export interface OutsideExchange {
  /** -1 for the messages before the first user message. */
  readonly exchange: number
  /** The user's first words, on one line; null for the messages before the first user message. */
  readonly title: string | null
  /** The policy dropped it, or the user cleared the history. */
  readonly left: 'evicted' | 'cleared'
  /** When it left. */
  readonly age: number | null
  readonly tokens: number
}

export interface InsideExchange {
  readonly exchange: number
  readonly title: string | null
  /** The agent is still at it. */
  readonly current: boolean
  /** When the user asked. */
  readonly age: number | null
  /** Of what is inside. */
  readonly tokens: number
  /** Messages of the exchange that have left the window. */
  readonly missing: number
  readonly lines: readonly HistoryLine[]
}

/** `aside`: what the assistant said along with a call. `inserted`: what the policy itself put there. */
export type HistoryLine =
  | { readonly kind: 'user' | 'assistant' | 'aside' | 'inserted'; readonly text: string }
  /** `shortened`: the policy replaced the result. */
  | { readonly kind: 'tool'; readonly name: string; readonly target: string | null; readonly shortened: boolean }

/** One exchange of a transcript, as `exchanges` lists them. */
export interface ExchangeSummary {
  readonly transcript: string
  readonly conversation: string | null
  readonly exchange: number
  readonly state: 'complete' | 'interrupted' | 'open'
  readonly firstLine: number
  readonly lastLine: number
  readonly messages: number
  readonly requests: number
  readonly toolCalls: number
  readonly tokens: number
  readonly title: string
}
