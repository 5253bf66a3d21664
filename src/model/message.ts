/**
 * The canonical message every reader maps to and everything else reads from. A tool result is a message of its own; one
 * response of the provider, however many lines it was written over, is one message.
 */
export type Role = 'system' | 'user' | 'assistant' | 'tool'

export type ProviderName = 'anthropic' | 'openai' | 'google'

export type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly text: string }
  /** Reasoning that only the provider can read (encrypted or redacted). `bytes` is the length of what is stored. */
  | { readonly type: 'opaque'; readonly bytes: number }
  /** `input` is an object where the format records one, else the JSON text as the model wrote it. */
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly input: unknown }
  /** Never priced as text. `bytes` is the decoded size where the data is recorded, else 0. */
  | { readonly type: 'image'; readonly mediaType: string; readonly bytes: number; readonly data?: string }
  | { readonly type: 'document'; readonly mediaType: string; readonly bytes: number; readonly data?: string }

/** What the provider says it counted for one request, in tokens. `input` is the whole context, cached parts included. */
export interface Usage {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** The part of `cacheWrite` that was written for an hour. */
  readonly cacheWrite1h: number
  readonly output: number
}

/**
 * The message as the transcript recorded it, where the transcript's own form is a provider's wire form, so that the
 * request can be rebuilt to the byte. `openai`: the message object. `anthropic`: its `content` (string or blocks).
 * `google`: its `parts`.
 */
export interface Wire {
  readonly provider: ProviderName
  readonly value: unknown
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
  /** On a tool result: the call it answers, the tool's name where recorded, and whether the tool failed. */
  readonly callId?: string
  readonly toolName?: string
  readonly isError?: boolean
  /** It shares one wire message with the message before it (parallel results, text riding on a result). */
  readonly continues?: boolean
  readonly responseId?: string
  readonly model?: string
  /** Milliseconds since the epoch. */
  readonly time?: number
  readonly usage?: Usage
  readonly wire?: Wire
}

/** What every request carries besides the messages; it is counted and never pruned. */
export interface Preamble {
  readonly system: readonly Message[]
  /** Tool definitions as recorded, in the wire form of `toolsProvider`. */
  readonly tools?: readonly unknown[]
  /** The transcript records everything that was sent in front of the messages, so nothing has to be inferred. */
  readonly complete: boolean
}

/** The text of a message's text blocks, joined by newlines: what a person would read. */
export function textOf(message: Message): string {
  const texts: string[] = []
  for (const block of message.blocks) if (block.type === 'text') texts.push(block.text)
  return texts.join('\n')
}

/** A message with nothing in it: no block, or only blank text. A provider refuses it; a result may well be blank. */
export function isEmpty(message: Message): boolean {
  if (message.role === 'tool') return false
  return message.blocks.every((block) => block.type === 'text' && block.text.trim() === '')
}
