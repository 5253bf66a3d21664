import type { Exchange } from './exchanges.ts'
import type { PreambleSource, Run, TermClass } from './run.ts'
import type { WithoutUsage } from './without-usage.ts'

/**
 * One transcript's window at one moment, and what has left it: what `history` draws. Indices are 0-based. Ages are in
 * milliseconds before that moment, by the times in the transcript; null if it records none.
 */
export interface HistoryView {
  readonly transcript: string
  readonly conversation: string | null
  readonly policy: string
  /** Its params that are not at their defaults. */
  readonly params: Run['params']
  /** 0 = none. */
  readonly budget: number
  /** As it was asked for, where that was no number of tokens. */
  readonly budgetAsked?: string
  readonly estimator: string
  /** The request that is about to go out; null at the end of the transcript. */
  readonly request: number | null
  /** The last recorded time before that moment, in milliseconds since the epoch; null if none is recorded. */
  readonly time: number | null
  /**
   * Tokens of that request, or of the one that would come next: the sum of `preambleTokens`, `unknownHistoryTokens`, and the
   * tokens of what was inserted and of the exchanges inside.
   */
  readonly tokens: number
  readonly preambleTokens: number
  readonly preambleSource: PreambleSource
  /** How far `tokens` may be off where no usage is recorded; null where some is. */
  readonly withoutUsage: WithoutUsage | null
  /** Of a transcript without its beginning: what came before it, as far as it is inside; else 0. */
  readonly unknownHistoryTokens: number
  readonly outside: readonly OutsideExchange[]
  /** What the policy put between exchanges: summaries, notices. */
  readonly inserted: readonly InsertedMessages[]
  readonly inside: readonly InsideExchange[]
  /**
   * The exchange in which the last cut was made, behind the last response of which the rule stands; -1 before the first user
   * message. Null where nothing was cut since the history began.
   */
  readonly cutAfter: number | null
  /** What was used up to this moment when it was no longer inside. */
  readonly lost: readonly LostUse[]
}

/** A use of something that had left the window: content, paths, urls, errors, ids and searches. */
export interface LostUse {
  /** For content: the file that it is from; null if it is not known. */
  readonly term: string | null
  readonly termClass: TermClass
  /** Where it was used: the exchange (-1 before the first user message) and the line of the file. */
  readonly exchange: number
  readonly line: number
  /** Whether no mention was inside, and whether no source was. */
  readonly mentionLost: boolean
  readonly sourceLost: boolean
  /** Its last source (or its last mention, if no source was lost), and the tokens since then. */
  readonly seenExchange: number
  readonly seenLine: number
  readonly seenTokensAgo: number
}

export interface ShownExchange {
  /** -1 for the messages before the first user message. */
  readonly exchange: number
  /** The user's first words, on one line; null for the messages before the first user message. */
  readonly title: string | null
  /** Since it left; of one that is inside, since the user's request. */
  readonly age: number | null
  readonly interrupted: boolean
  /** Of one that is inside: what its messages inside add to the request. */
  readonly tokens: number
}

export interface OutsideExchange extends ShownExchange {
  /** The policy dropped it, or the user cleared the history. */
  readonly left: 'evicted' | 'cleared'
}

/** Messages of the policy at one place. Those in the middle of an exchange are among its lines instead. */
export interface InsertedMessages {
  /** The exchange that they stand in front of, which may have left the window; -1 before the first user message. */
  readonly before: number
  readonly tokens: number
  readonly lines: readonly HistoryLine[]
}

export interface InsideExchange extends ShownExchange {
  /** The agent is still working on it. */
  readonly current: boolean
  /** Messages of the exchange that have left the window. */
  readonly missing: number
  readonly lines: readonly HistoryLine[]
}

/** `aside`: assistant text beside a call. `inserted`: a message of the policy. */
export type HistoryLine =
  | { readonly kind: 'user' | 'assistant' | 'aside' | 'inserted'; readonly text: string }
  /** `shortened`: the policy replaced the result. */
  | { readonly kind: 'tool'; readonly name: string; readonly target: string | null; readonly shortened: boolean }

/** One exchange of a transcript, as `history --exchanges` lists them. */
export interface ExchangeSummary {
  readonly transcript: string
  readonly conversation: string | null
  readonly exchange: number
  readonly state: Exchange['state']
  readonly firstLine: number
  readonly lastLine: number
  readonly messages: number
  readonly requests: number
  readonly toolCalls: number
  readonly tokens: number
  readonly title: string
}
