/**
 * The rules of duragent that are not primitives: how it counts, what it reserves, which messages its session actor
 * keeps, and when its agentic loop starts. From the document "Context Window Management" and, if the document gives no
 * number, from duragent 0.5.4 (crates/duragent/src/context, session).
 */

import { jsonText } from '../../base/json-text.ts'
import { integer } from '../../base/param.ts'
import { type Message, type Preamble, type Role, textOf } from '../../model/message.ts'
import type { Entry, NativeCounter, Window } from '../policy.ts'
import { estimateTokens } from '../text.ts'

/** Tokens of the content, of the calls as compact JSON and of the id of the answered call. */
function partTokens(message: Message): number {
  const calls = message.blocks.flatMap((block) =>
    block.type === 'call'
      ? {
          id: block.id,
          type: 'function',
          function: {
            name: block.name,
            arguments: typeof block.input === 'string' ? block.input : jsonText(block.input ?? {}),
          },
        }
      : [],
  )
  return (
    estimateTokens(textOf(message)) +
    (calls.length > 0 ? estimateTokens(jsonText(calls)) : 0) +
    estimateTokens(message.callId ?? '')
  )
}

/** The program adds four for each message. */
export function messageTokens(message: Message): number {
  return partTokens(message) + 4
}

export function toolTokens(tools: readonly unknown[]): number {
  return tools.length > 0 ? estimateTokens(jsonText(tools)) : 0
}

const systemTokens = (preamble: Preamble) => estimateTokens(preamble.system.map(textOf).join('\n'))

/** How the document counts: tool definitions are included in what is reserved. */
export const documentCounter: NativeCounter = {
  summary: 'floor(bytes / 4) of each part; tool definitions, too',
  message: partTokens,
  preamble: (preamble) => systemTokens(preamble) + toolTokens(preamble.tools ?? []),
}

/** How the program counts: none of its callers passes the tool definitions. */
export const programCounter: NativeCounter = {
  summary: 'floor(bytes / 4) of each part and 4 per message; tool definitions are not counted',
  message: messageTokens,
  preamble: systemTokens,
}

/** What is left of it by a safety margin of a tenth, which is rounded down. */
function withinMargin(maxInput: number): number {
  return Math.ceil((9 * maxInput) / 10)
}

export const historyParams = {
  maxHistoryTokens: integer({
    default: 20_000,
    min: 0,
    help: 'most tokens of history at the start of a loop; 0 = no cap',
  }),
  maxOutputTokens: integer({ default: 4096, min: 0, help: 'tokens reserved for the response' }),
} as const

export interface Reserves {
  readonly maxInput: number
  readonly maxOutput: number
}

/** Layer 2: tokens left for the history after the preamble, the response and a margin of a tenth. Never below 0. */
export function historyBudget({ maxInput, maxOutput }: Reserves, preamble: number, maxHistory: number): number {
  const available = Math.max(0, withinMargin(maxInput) - (preamble + maxOutput))
  return maxHistory > 0 ? Math.min(available, maxHistory) : available
}

/** Layer 3c: what a loop may have. Neither system prompt nor tool definitions are subtracted. Never below 0. */
export function loopBudget({ maxInput, maxOutput }: Reserves): number {
  return Math.max(0, withinMargin(maxInput) - maxOutput)
}

/** Layer 2: the notice about omitted messages, or null if there are none. */
export function truncationNotice(omitted: number): string | null {
  return omitted > 0 ? `[conversation truncated — ${omitted} older messages omitted]` : null
}

/** Layer 1: how many messages the actor keeps: twice what fits at 200 tokens per message, between 100 and 2000. */
export function actorMessageLimit(maxInput: number): number {
  return Math.min(2000, Math.max(100, Math.floor(maxInput / 200) * 2))
}

/**
 * Layer 1: the messages that a session actor keeps. New ones are pending until there are fifty of them; only
 * checkpointed ones leave, and only when a user or assistant message comes, so many tool results in a row can exceed
 * the limit.
 */
export class ActorWindow {
  checkpointed = 0
  pending = 0
  /** Messages that have left, from the front. */
  dropped = 0
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  add(role: Role): void {
    this.pending++
    if (role !== 'user' && role !== 'assistant') return
    if (this.pending >= 50) {
      this.checkpointed += this.pending
      this.pending = 0
    }
    const excess = Math.max(0, this.checkpointed + this.pending - this.#limit)
    const leaving = Math.min(excess, this.checkpointed)
    this.checkpointed -= leaving
    this.dropped += leaving
  }
}

/**
 * Tells whether a request starts an agentic loop or continues one: it continues one if the last response called tools.
 */
export class Loop {
  #goesOn = false
  #called = false

  message(entry: Entry): void {
    if (entry.isPrompt) this.#goesOn = false
    if (entry.role !== 'assistant') return
    if (entry.isResponse) this.#called = false
    this.#called ||= entry.calls > 0
    this.#goesOn = this.#called
  }

  get starts(): boolean {
    return !this.#goesOn
  }
}

/** Drops messages from the front until `count` are gone. */
export function dropFirst(window: Window, count: number): void {
  while (window.first && window.omitted < count) window.drop(window.first, window.first)
}

/** What a message of a loop is to the program's group finder. */
export type LoopKind = 'calls' | 'result' | 'steering' | 'other'

/**
 * The program's iteration groups: calls, the results right after them, and one steering message. Ends are inclusive.
 */
export function iterationGroups(kinds: readonly LoopKind[]): { from: number; to: number }[] {
  const groups: { from: number; to: number }[] = []
  for (let from = 0; from < kinds.length; from++) {
    if (kinds[from] !== 'calls') continue
    let to = from
    while (kinds[to + 1] === 'result') to++
    if (kinds[to + 1] === 'steering') to++
    groups.push({ from, to })
    from = to
  }
  return groups
}

/**
 * How many of the oldest groups leave. Never the last one. @param groups tokens of each group @param total of the
 * request
 */
export function groupsToDrop(groups: readonly number[], total: number, budget: number): number {
  let left = total
  let count = 0
  for (; count < groups.length - 1 && left > budget; count++) left -= groups[count] as number
  return count
}
