/**
 * The policy contract. A policy is called at *occasions* and edits the window; it returns nothing and keeps no score:
 * the simulator counts, so every number means the same for every policy. The window keeps its totals up to date, so a
 * step costs O(edits), never O(history).
 */

import type { Params, Values } from '../base/param.ts'
import type { Named } from '../base/registry.ts'
import type { Block, Message, Preamble, Role } from '../model/message.ts'
import type { Clearing, Compaction } from '../model/trace.ts'

/** A message's place in the window. Linked both ways: `next` and `previous` are what is inside. */
export interface Entry {
  /** Index in the transcript; -1 for what a policy inserted. */
  readonly index: number
  readonly role: Role
  /** The exchange it belongs to, -1 before the first user message. */
  readonly exchange: number
  /** It starts an exchange. */
  readonly isPrompt: boolean
  /** Calls it makes (assistant). */
  readonly calls: number
  /** Number of the first call it makes (assistant), or of the call it answers (tool; -1 when nobody made it). */
  readonly call: number
  /** A request stands right before it: it is the first message of a response. */
  readonly isResponse: boolean
  readonly inside: boolean
  readonly replaced: boolean
  readonly next: Entry | null
  readonly previous: Entry | null
  /** The message as it now stands in the window; null unless the policy declares `text`. */
  readonly message: Message | null
}

/** An exchange that has messages inside the window. */
export interface WindowExchange {
  readonly index: number
  readonly first: Entry
  /** Messages inside. */
  readonly count: number
}

export interface Window {
  /** The ceiling, in tokens. */
  readonly budget: number
  /** Tokens of the request that would be sent now, preamble included, as the policy counts them. */
  readonly tokens: number
  readonly preambleTokens: number
  /** Tokens of the request if nothing had ever been dropped, replaced or inserted. For `view` policies only. */
  readonly historyTokens: number
  /** Messages inside, and those of them that have the user's role. */
  readonly count: number
  readonly users: number
  /** Messages of the transcript that were dropped and are not inside. */
  readonly omitted: number
  readonly first: Entry | null
  readonly last: Entry | null
  /** Exchanges with messages inside, and the oldest and the newest of them. */
  readonly exchangeCount: number
  readonly oldestExchange: WindowExchange | null
  readonly newestExchange: WindowExchange | null
  /** The exchange after `exchange`, or null. */
  nextExchange(exchange: WindowExchange): WindowExchange | null
  /** Tokens that the entries from `from` to `to` add to a request, both included. Costs O(entries). */
  tokensOf(from: Entry, to: Entry): number
  /** Every entry from `from` to `to` leaves, both included. */
  drop(from: Entry, to: Entry): void
  /**
   * The entry's content becomes a text, for which the policy needs `text`, or what is left of it; its role, its place, the
   * calls it makes or answers stay.
   */
  replace(entry: Entry, content: string | readonly Block[]): void
  /** Puts a message of the policy's own (a notice) in front of `before`, or last for null. */
  insert(before: Entry | null, message: Inserted): Entry
  /**
   * The entries from `from` to `to` leave, and a summary that a model would have to write stands in their place. Where its
   * text is not known, it is counted as adding `tokens` tokens to the request whatever `summary` says; else as what it
   * says. What the model would read and write for it is told to the observers.
   */
  summarise(from: Entry, to: Entry, summary: Inserted, tokens?: number): Entry
  /** Undoes every drop, replacement and insertion from transcript message `index` on. For `view` policies only. */
  restore(index?: number): void
}

/** A message of the policy's own. */
export type Inserted = Pick<Message, 'role' | 'blocks'>

/** What an occasion tells about the moment, beyond the window itself. */
export interface Moment {
  /** Messages the agent has seen so far. */
  readonly messages: number
  /** `exchangeEnd`: whether the agent gave its final answer, or was interrupted. */
  readonly answered: boolean
  /** Input tokens the provider recorded for the latest request, or null. */
  readonly recordedInput: number | null
}

/** A policy at work on one run. It may keep state of its own between occasions. */
export interface PolicyRun {
  /** A message was added to the window. */
  message?(window: Window, entry: Entry): void
  /** A request is about to be sent. */
  request?(window: Window, moment: Moment): void
  /** The agent went idle: the exchange is over. */
  exchangeEnd?(window: Window, moment: Moment): void
  /** The history starts anew (`/clear`): the window is empty, and what the policy remembers of it is void. */
  reset?(): void
}

export interface Policy<P extends Params = Params> extends Named {
  /** Whose idea: the document or program it follows. */
  readonly source: string
  readonly params: P
  /** `sticky`: edits stand. `view`: each request is a fresh view of the whole history. It decides the prompt cache's fate. */
  readonly kind: 'sticky' | 'view'
  /** A larger budget never keeps less (only suffix policies): the one-pass curve needs it. See `isMonotone`. */
  readonly monotone: boolean
  /** A tool result never stays without its call, nor a call without its results. */
  readonly wholePairs: boolean
  /** It puts messages of its own into the window: notices, summaries. */
  readonly inserts?: true
  /**
   * It asks for summaries behind the very requests it has sent so far, so that the call reads them from the prompt cache.
   * Without it the call is a prompt of its own.
   */
  readonly summariesShareThePrompt?: true
  /** It only tidies up after others, or is half of a program's two layers: `compare` leaves it out unless it is named. */
  readonly part?: true
  /** It does the same whatever the budget, also without one. */
  readonly budgetless?: true
  /** It reads or writes the text of messages. */
  readonly text: boolean
  /** Of a policy that keeps the longest suffix that fits, and does nothing else: which. Null with params that do more. */
  suffix?(values: Values<P>): Suffix | null
  /** The counter of the program it comes from, for `--measure native`. */
  readonly native?: NativeCounter
  /** Of a document's rule: what its program did otherwise. For docs/policies.md. */
  readonly differs?: readonly Difference[]
  start(values: Values<P>, context: PolicyContext): PolicyRun
  /** Of a user's own policy: the module it comes from, as they named it. What it does is then guarded. */
  readonly module?: string
  /** Of a user's own policy: how many seconds it may be at work on one transcript at one budget; 30 when left out. */
  readonly seconds?: number
}

/** One matter in which a program does otherwise than the document it came from, each in a few words. */
export interface Difference {
  readonly matter: string
  readonly document: string
  readonly program: string
}

/**
 * The longest suffix of the history that fits the budget: what is in front of it has left for good. Such a policy can be
 * judged at every budget in one pass, because the windows of two budgets differ only in where they begin.
 */
export interface Suffix {
  /** What leaves as a whole; an exchange takes along what stands in front of the first. */
  readonly of: 'exchange' | 'message'
  readonly on: 'request' | 'exchangeEnd'
  /** The newest that stay whatever they take; at least 1 of exchanges. */
  readonly keepLast: number
}

/** How an upstream program counts: tokens per message, added up. */
export interface NativeCounter {
  readonly summary: string
  /** @param file the transcript it is in, for the error when the counter fails */
  message(message: Message, file?: string): number
  preamble(preamble: Preamble, file?: string): number
  /** Where the program adds up something finer (bytes) and divides once, rounding down; else 1. */
  readonly unitsPerToken?: number
}

/** What a policy may know of the transcript before it starts. */
export interface PolicyContext {
  readonly model: string | null
  readonly cwd: string | null
  /** Messages of the system prompt: part of the preamble here, of the message list in some of the programs. */
  readonly systemMessages: number
  /** The compactions that the recorded agent did itself, in order. */
  readonly compactions: readonly Compaction[]
  /** What it took out without a summary, in order. */
  readonly clearings: readonly Clearing[]
}

/** With a low watermark below 1 a larger budget, not yet passed, can hold less than a smaller one that has just cut. */
export function isMonotone(policy: Policy, values: Readonly<Record<string, unknown>>): boolean {
  return policy.monotone && (values.target === undefined || values.target === 1)
}

/** What a policy has to say of itself; the rest has defaults: sticky, no params, and no promises. */
export type PolicyDefinition<P extends Params> = Pick<Policy<P>, 'name' | 'start'> & Partial<Policy<P>>

export function definePolicy<const P extends Params = Readonly<Record<never, never>>>(
  policy: PolicyDefinition<P>,
): Policy<P> {
  return {
    summary: '',
    source: '',
    params: {} as P,
    kind: 'sticky',
    monotone: false,
    wholePairs: false,
    text: false,
    ...policy,
  }
}
