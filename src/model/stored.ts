/**
 * One replay as rows: what `export` puts into tables. Indices are 0-based; times are milliseconds since the epoch, null
 * where the transcript records none.
 */
import type { Exchange } from './exchanges.ts'
import type { TermClass, TraceRun } from './run.ts'
import type { TranscriptHead } from './trace.ts'

/** When something left the window, and why. All null while it is inside. */
export interface Leaving {
  /** The first request without it; the number of requests if it left after the last one. */
  readonly request: number | null
  /** The last recorded time before it left: where an exchange is cut behind its end, that of its end. */
  readonly time: number | null
  /** The policy; `reset` if the user cleared the history. */
  readonly by: string | null
}

export interface StoredTranscript {
  readonly head: TranscriptHead
  /** The user's first words. */
  readonly title: string | null
  readonly messages: number
  readonly exchanges: number
  readonly requests: number
  readonly firstTime: number | null
  readonly lastTime: number | null
}

/**
 * What a message is: `prompt` starts an exchange, `queued` was typed while the agent worked, `injected` was written by the
 * harness, `system` stands among the messages; the agent answers (`response`) or calls tools (`call`), and a tool gives
 * its `result`.
 */
export const messageKinds = ['prompt', 'queued', 'injected', 'system', 'response', 'call', 'result'] as const
export type MessageKind = (typeof messageKinds)[number]

export interface StoredMessage {
  readonly index: number
  readonly line: number
  readonly role: string
  readonly kind: MessageKind
  /** Of a result: the tool that gave it. Of a call: the tools that are called. */
  readonly tool: string | null
  readonly tokens: number
  readonly exchange: number | null
  /** Of the exchange: one response and the results that follow it. */
  readonly step: number | null
  /** The request that it answers, or the last before it. */
  readonly request: number | null
  readonly time: number | null
  readonly inside: boolean
  /** The policy has put other content in its place. */
  readonly replaced: boolean
  readonly left: Leaving
  /** Of a read: the last earlier result of the same file, url or search. */
  readonly rereads: number | null
  /** Only if it was asked for. */
  readonly text: string | null
}

export interface StoredExchange {
  readonly index: number
  readonly first: number
  readonly last: number
  readonly state: Exchange['state']
  readonly title: string
  readonly tokens: number
  readonly requests: number
  readonly toolCalls: number
  readonly time: number | null
  /** Something of it is inside. */
  readonly inside: boolean
  /** When the last of it left. */
  readonly left: Leaving
}

/** What a request costs through the prompt cache: tokens, and money in the unit of the run's cost. */
export interface RequestBill {
  readonly cached: number
  readonly written: number
  readonly input: number
  readonly outputTokens: number
  readonly output: number
}

export interface StoredRequest {
  readonly index: number
  readonly message: number
  readonly line: number
  readonly exchange: number | null
  readonly model: string | null
  readonly time: number | null
  readonly messages: number
  readonly fullTokens: number
  readonly sentTokens: number
  readonly over: boolean
  readonly bill: RequestBill
  readonly recorded: {
    readonly input: number
    readonly cached: number
    readonly written: number
    readonly output: number
  } | null
}

export interface StoredCut {
  readonly index: number
  readonly request: number
  readonly time: number | null
  readonly exchange: number
  readonly message: number
  readonly line: number
  readonly exchanges: number
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly breakEvenRequests: number | null
}

export interface StoredReference {
  readonly index: number
  readonly request: number
  readonly message: number
  readonly termClass: TermClass
  /** What is used; null for content of which no origin is known. */
  readonly term: string | null
  /** The last message that mentions it, and the last that is a source of it; null where there is none. */
  readonly mention: number | null
  readonly source: number | null
  /** `source`: it has sources, and none is inside. `mention`: it has no source, and no mention is inside. */
  readonly lost: 'source' | 'mention' | null
  /** When that source or mention had left the window. */
  readonly left: Leaving
}

export interface StoredRun {
  readonly run: TraceRun
  readonly messages: readonly StoredMessage[]
  readonly exchanges: readonly StoredExchange[]
  readonly requests: readonly StoredRequest[]
  readonly cuts: readonly StoredCut[]
  readonly references: readonly StoredReference[]
}
