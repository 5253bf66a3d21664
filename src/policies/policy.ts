/**
 * The policy contract: what the simulator knows of a policy. What people are told of one is its card
 * (`catalogue/card.ts`), in the same object, and nothing here may depend on it. A policy is called at *occasions* and
 * edits the window. It returns nothing and counts nothing: the simulator counts, so every figure means the same for
 * every policy. The window keeps its totals up to date, so a step costs O(edits), never O(history).
 */

import type { Chosen } from '../base/chosen.ts'
import { CtxwinError } from '../base/errors.ts'
import type { Params, Values } from '../base/param.ts'
import { isObject } from '../base/plain-shape.ts'
import type { Named } from '../base/registry.ts'
import type { Block, Message, Preamble, Role } from '../model/message.ts'
import type { Recount } from '../model/recorded.ts'
import type { Clearing, Compaction } from '../model/trace.ts'
import type { OwnBudget } from '../models/own-budget.ts'

/**
 * A message in the window, an element of a doubly linked list: `next` and `previous` are its neighbours in the window.
 */
export interface Entry {
  /** Index in the transcript; -1 for a message that a policy inserted. */
  readonly index: number
  readonly role: Role
  /** The exchange it belongs to; -1 before the first user message. */
  readonly exchange: number
  /** It starts an exchange. */
  readonly isPrompt: boolean
  /** How many calls it makes (assistant). */
  readonly calls: number
  /**
   * Number of the first call it makes (assistant), or of the call it answers (tool; -1 if that call is not recorded).
   */
  readonly call: number
  /** It is the first message of a response: a request goes out right before it. */
  readonly isResponse: boolean
  /** The program put it in, in the user's role. */
  readonly isInjected: boolean
  readonly inside: boolean
  readonly replaced: boolean
  readonly next: Entry | null
  readonly previous: Entry | null
  /** The message as it is in the window now; null unless the policy declares `text`. */
  readonly message: Message | null
}

/** An exchange that has messages inside the window. */
export interface WindowExchange {
  readonly index: number
  readonly first: Entry
  /** How many of its messages are inside. */
  readonly count: number
  /**
   * Index of the newest exchange with a result of one of its calls, or of those in front of the first exchange: it
   * cannot leave without that and those between.
   */
  readonly through: number
}

export interface Window {
  /** The most tokens a request should have; Infinity without a budget. */
  readonly budget: number
  /** Tokens of the request that would be sent now, preamble included, as the policy counts them. */
  readonly tokens: number
  readonly preambleTokens: number
  /** Tokens of the messages inside, without the preamble: what a program counts that keeps its system prompt apart. */
  readonly messageTokens: number
  /** Tokens of the request if nothing had ever been dropped, replaced or inserted. For `view` policies only. */
  readonly historyTokens: number
  /** How many messages are inside, and how many of them are user messages. */
  readonly count: number
  readonly users: number
  /** How many messages of the transcript were dropped and are not inside. */
  readonly omitted: number
  readonly first: Entry | null
  readonly last: Entry | null
  /** How many exchanges have messages inside, and the oldest and the newest of them. */
  readonly exchangeCount: number
  readonly oldestExchange: WindowExchange | null
  readonly newestExchange: WindowExchange | null
  /** The exchange after `exchange`, or null. */
  nextExchange(exchange: WindowExchange): WindowExchange | null
  /** Tokens that the entries from `from` to `to` add to a request, both included. Costs O(entries). */
  tokensOf(from: Entry, to: Entry): number
  /** Tokens that the entries from `entry` on add to a request. Costs O(entries in front of it). */
  tokensFrom(entry: Entry): number
  /** Removes every entry from `from` to `to`, both included. */
  drop(from: Entry, to: Entry): void
  /**
   * Replaces the entry's content by a text (which needs the policy's `text`), or by blocks that are left of it. Its
   * role and its place stay, and with a text its calls; of the blocks, the calls that are missing count as gone.
   */
  replace(entry: Entry, content: string | readonly Block[]): void
  /**
   * Inserts a message of the policy's own (a notice) in front of `before`, or at the end for null. With `tokens` it is
   * counted as adding so many to the request, whatever it says.
   */
  insert(before: Entry | null, message: Inserted, tokens?: number): Entry
  /**
   * Replaces the entries from `from` to `to` by a summary that a model would have to write. If its text is not known,
   * pass `tokens`: the summary is counted as that many tokens, whatever the text of `summary` is. What the model would
   * read and write for it is counted as a cost of its own. Entries that `keeps` names are read too, but stay, in front
   * of the summary.
   */
  summarise(from: Entry, to: Entry, summary: Inserted, tokens?: number, keeps?: (entry: Entry) => boolean): Entry
  /** Undoes every drop, replacement and insertion from transcript message `index` on. For `view` policies only. */
  restore(index?: number): void
}

/** A message of the policy's own. */
export type Inserted = Pick<Message, 'role' | 'blocks'>

/** The circumstances of an occasion, besides the window itself. */
export interface Moment {
  /** How many messages of the transcript have come so far. */
  readonly messages: number
  /** `exchangeEnd`: whether the agent gave its final answer, or was interrupted. */
  readonly answered: boolean
  /** Input tokens the provider recorded for the latest request, or null. */
  readonly recordedInput: number | null
  /** The most input tokens that it recorded for any request so far, or null. */
  readonly largestInput: number | null
  /** Seconds from the latest response to the next one; null if no times are recorded. */
  readonly idleSeconds: number | null
}

/** A policy at work on one run. It may keep state of its own between occasions. */
export interface PolicyRun {
  /** A message was added to the window. */
  message?(window: Window, entry: Entry): void
  /** A request is about to be sent. */
  request?(window: Window, moment: Moment): void
  /** The agent went idle: the exchange is over. */
  exchangeEnd?(window: Window, moment: Moment): void
}

/** A run that can begin anew. */
export interface RestartableRun extends PolicyRun {
  /** The history starts anew (`/clear`): the window is empty, and the policy knows nothing of what was before. */
  restart?(): void
}

export interface Policy<P extends Params = Params> extends Named {
  /**
   * For what a program does: the version it does it in. `name@version` names the policy, too. It tells policies apart,
   * so the key of a case has it.
   */
  readonly version?: string
  readonly params: P
  /** `sticky`: edits stay. `view`: the policy may restore the history and edit it again. */
  readonly kind: 'sticky' | 'view'
  /** A larger budget never keeps less, at any request. See `isMonotone`. */
  readonly monotone: boolean
  /**
   * No tool result ever stays without its call, and no call without its results. A result that comes after its call has
   * left is not taken in, and the policy is not told of it.
   */
  readonly wholePairs: boolean
  /** It inserts messages of its own: notices, summaries. */
  readonly inserts?: true
  /**
   * It asks for summaries behind the very requests it has sent so far, so that the call reads them from the prompt
   * cache. Without it the call is a prompt of its own.
   */
  readonly summariesShareThePrompt?: true
  /** The budget its program uses by default. */
  readonly ownBudget?: OwnBudget
  /** It ignores the budget. */
  readonly budgetless?: true
  /**
   * Its requests are those that were recorded: a provider took them as they are, and they tell nothing of other
   * transcripts.
   */
  readonly repeats?: true
  /** The API applies it to the whole history that it is sent, so nothing changes in front of the reasoning. */
  readonly serverSide?: true
  /** It reads or writes the text of messages. */
  readonly text: boolean
  /**
   * Where the text was not kept it goes by sizes, and by which file a call reads (`PolicyContext.fileOf`): what it
   * leaves is about as large. For advice on a running session, of which only what is new is read.
   */
  readonly withoutText?: true
  /** It is told what will be used: no program can be, so it serves only as a bound in comparisons. */
  readonly looksAhead?: true
  /** How the program it comes from counts tokens, for `--measure native`. */
  readonly native?: Native
  start(values: Values<P>, context: PolicyContext): PolicyRun
  /** For a user's own policy: the module it comes from, as the user named it. Its calls are then guarded. */
  readonly module?: string
  /** For a user's own policy: how many seconds it may take per transcript and budget; default 30. */
  readonly seconds?: number
}

/** How an upstream program counts: tokens per message, summed. */
export interface NativeCounter {
  readonly summary: string
  /** @param file the transcript's file, for the error message if the counter fails */
  message(message: Message, file?: string): number
  preamble(preamble: Preamble, file?: string): number
  /** For a program that adds up smaller units (bytes) and divides the sum once: the divisor. Default 1. */
  readonly unitsPerToken?: number
  /** Rounds the quotient up; down without it. */
  readonly roundsUp?: true
}

/** A program that counts as one of our estimators does, by name. */
export interface NativeEstimator {
  readonly summary: string
  readonly estimator: string
}

export type Native = NativeCounter | NativeEstimator

/** What the provider's prompt cache costs. */
export interface CachePrices {
  /** Of a token that is read from it or written to it, as a share of the price of input. */
  readonly read: number
  readonly write: number
  /** How long an entry lives after its last use. */
  readonly seconds: number
}

/** What a policy may know of the transcript before it starts. */
export interface PolicyContext {
  readonly model: string | null
  readonly cwd: string | null
  /** Absent where nobody says. */
  readonly cache?: CachePrices
  /** Messages of the system prompt: part of the preamble here, of the message list in some of the programs. */
  readonly systemMessages: number
  /** The compactions that the recorded agent did itself, in order. */
  readonly compactions: readonly Compaction[]
  /** What it took out without a summary, in order. */
  readonly clearings: readonly Clearing[]
  /** Where the provider counted the context anew, in order. */
  readonly recounts: readonly Recount[]
  /**
   * The file that a call reads, by the call's number, where the transcript was read for references; null for other
   * calls.
   */
  fileOf?(call: number): string | null
  /**
   * For a policy that looks ahead: by message, the responses that will copy from it, each by its first message. Only
   * the newest message with what they copy is named.
   */
  readonly users?: ReadonlyMap<number, readonly number[]>
  /** The same with the responses that will name what it brought in, too. */
  readonly usersByName?: ReadonlyMap<number, readonly number[]>
}

/** Whether calls and results stay together, also where a composition repairs them last. */
export function keepsPairs(policy: Policy, { repair }: Readonly<Record<string, unknown>>): boolean {
  return policy.wholePairs || (typeof repair === 'string' && /(^|\+)pairs$/.test(repair))
}

/**
 * A policy at work.
 * @throws CtxwinError where its `start` gives none: it may be anybody's
 */
export function started({ plugin, values }: Chosen<Policy>, context: PolicyContext): RestartableRun {
  return restartable(() => {
    const run: unknown = plugin.start(values, context)
    if (isObject(run)) return run
    throw new CtxwinError('bad-policy', plugin.name, 'its `start` does not return an object of occasions')
  })
}

/** A run that restarts by calling `start` again, so that no policy has to forget anything itself. */
export function restartable(start: () => PolicyRun): RestartableRun {
  let run = start()
  return {
    ...(run.message && { message: (window, entry) => run.message?.(window, entry) }),
    ...(run.request && { request: (window, moment) => run.request?.(window, moment) }),
    ...(run.exchangeEnd && { exchangeEnd: (window, moment) => run.exchangeEnd?.(window, moment) }),
    restart() {
      run = start()
    },
  }
}

/** False with `target` below 1: a larger budget that has just cut can hold less than a smaller one that cut earlier. */
export function isMonotone(policy: Policy, values: Readonly<Record<string, unknown>>): boolean {
  return policy.monotone && (values.target === undefined || values.target === 1)
}
