/**
 * The canonical message, which readers produce and everything else consumes. A tool result is a message of its own. A
 * response of the provider is one message, even if it was recorded on many lines.
 */
import type { PriceTerm } from './price-terms.ts'

export const roles = ['system', 'user', 'assistant', 'tool'] as const
export type Role = (typeof roles)[number]

/**
 * The shape of a message is what tells how it is joined with those in front of it, in one integer: its role, counted from 1, and
 * of an answer whether it has calls, text or both. A system message that is `native` was recorded by Anthropic's API, where
 * others become a user's. One that `continues` shares a recorded message with the one before it.
 */
export const shapes = { role: 7, answer: 3, calls: 8, text: 16, native: 16, continues: 32 } as const

export type ProviderName = 'anthropic' | 'openai' | 'google'

/** The APIs that a request can be sent to: OpenAI has two. */
export type ApiName = 'anthropic' | 'chat' | 'responses' | 'google'

export type Block =
  | { readonly type: 'text'; readonly text: string }
  /** `wire`: as recorded, with its signature, without which the provider would not take it back. */
  | { readonly type: 'thinking'; readonly text: string; readonly wire?: Wire }
  /** Reasoning that only the provider can read (encrypted or redacted). `bytes` is the length of what is stored. */
  | { readonly type: 'opaque'; readonly bytes: number; readonly wire?: Wire }
  /** `input` is an object if the format records one, else the JSON text that the model wrote. */
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly input: unknown }
  /** Not counted as text. `bytes` is the decoded size if the data is recorded, else 0. */
  | { readonly type: 'image'; readonly mediaType: string; readonly bytes: number; readonly data?: string }
  | { readonly type: 'document'; readonly mediaType: string; readonly bytes: number; readonly data?: string }

/** The provider's count for one request, in tokens. `input` is the whole context, cached parts included. */
export interface Usage {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** The part of `cacheWrite` that was written for an hour. */
  readonly cacheWrite1h: number
  readonly output: number
  /** What it was billed at other terms for; absent at the usual ones. */
  readonly terms?: readonly PriceTerm[]
  /** What the program itself says that the call cost, in US dollars; absent where it does not say. */
  readonly cost?: number
  /** The response went on behind this count: it has no reason to have ended, and `output` may be the first figure of a stream. */
  readonly partial?: true
  /** Calls that were made for the same response and are billed beside it: the history has no request for them. */
  readonly beside?: readonly BesideUsage[]
  /** @internal Paths of recorded counts that nobody reads: they become findings where the usage is written. */
  readonly unread?: readonly string[]
}

/**
 * A call that the provider billed and that is no request of the history: its messages were `taken-back` later, another model
 * gave `advice`, a model wrote a `summary`, the response was `continued` behind a tool that the provider ran itself, or the
 * program asked `aside` (for a title, within a tool, to keep a cache warm). A `search` of the web has a fee, and no tokens. Where a program records only what several
 * requests came to together, that is `summed`, and none of them has a usage of its own.
 */
export const sideCallKinds = ['taken-back', 'advice', 'summary', 'continued', 'aside', 'search', 'summed'] as const
export type SideCallKind = (typeof sideCallKinds)[number]

export interface BesideUsage {
  readonly kind: SideCallKind
  readonly usage: Omit<Usage, 'beside'>
  /** The one that answered; null for that of the response. */
  readonly model: string | null
  /** How many calls the usage is the sum of; default one. */
  readonly calls?: number
}

/**
 * The message as recorded, if the transcript is in a provider's wire form, so that the request can be rebuilt exactly.
 * `openai`: the message object. `anthropic`: its `content` (string or blocks), of a block the block. `google`: its `parts`.
 */
export interface Wire {
  readonly provider: ProviderName
  readonly value: unknown
}

/** A sub-agent, as the result of the call says that started it. */
export interface StartedAgent {
  /** The id of its own conversation. */
  readonly conversation: string
  /** It works on while the caller does: what it found does not stand in this result. */
  readonly inBackground?: true
}

export interface Message {
  readonly role: Role
  /** 1-based line of the file; for a file that is one JSON document, the element's index + 1. */
  readonly line: number
  readonly blocks: readonly Block[]
  /**
   * A user-role message that starts no exchange: `queued` was typed while the agent worked, `injected` was written by
   * the harness (reminders, environment, background notices).
   */
  readonly origin?: 'queued' | 'injected'
  /** On a message that starts an exchange: the user stopped the agent in it, which is recorded. */
  readonly interrupted?: true
  /** On a tool result: the id of its call, the tool's name if recorded, and whether the tool failed. */
  readonly callId?: string
  readonly toolName?: string
  readonly isError?: boolean
  /** On the result of a call that started a sub-agent, where that is recorded. */
  readonly agent?: StartedAgent
  /** It shares one wire message with the message before it (parallel results, text beside a result). */
  readonly continues?: boolean
  readonly responseId?: string
  readonly model?: string
  /** Milliseconds since the epoch. */
  readonly time?: number
  readonly usage?: Usage
  readonly wire?: Wire
  /** Its units where its words are others than were counted, one for each of `TranscriptHead.sizedBy`. */
  readonly sizes?: readonly number[]
  /** The same of its reasoning. */
  readonly thoughtSizes?: readonly number[]
}

/** What every request contains besides the messages. It is counted and never pruned. */
export interface Preamble {
  readonly system: readonly Message[]
  /** Tool definitions as recorded. */
  readonly tools?: readonly unknown[]
  /** The transcript records the whole preamble, so nothing of it has to be inferred. */
  readonly complete: boolean
}

/** The text of a message's text blocks, joined by newlines. */
export function textOf(message: Message): string {
  const texts: string[] = []
  for (const block of message.blocks) if (block.type === 'text') texts.push(block.text)
  return texts.join('\n')
}

/** Whether a message has no block, or only blank text. Providers refuse such a message, except a tool result. */
export function isEmpty(message: Message): boolean {
  if (message.role === 'tool') return false
  return message.blocks.every((block) => block.type === 'text' && block.text.trim() === '')
}

/** The shape of a message that continues no other. */
export function shapeOf(message: Message): number {
  const { role, blocks, wire } = message
  const shape = roles.indexOf(role) + 1
  if (role === 'system') return wire?.provider === 'anthropic' ? shape | shapes.native : shape
  if (role !== 'assistant') return shape
  const calls = blocks.some(({ type }) => type === 'call') ? shapes.calls : 0
  return shape | calls | (textOf(message) === '' ? 0 : shapes.text)
}
