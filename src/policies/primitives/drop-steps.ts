/**
 * `drop-steps`: drops steps from the front. A step is an assistant response that calls tools, with the results of its
 * calls (duragent, layer 3c, "Iteration Group Dropping"). User messages stay, and so does the newest step. A step is
 * found by its calls, so a message typed while the tools ran neither leaves with the step nor splits it.
 *
 * `scope=exchange` is duragent's layer: only steps of the current exchange. `scope=all` drops the oldest steps
 * anywhere. Law: whole pairs, sticky. Not monotone: a step may leave from between messages that stay.
 */
import { choice, integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry, Window } from '../policy.ts'
import { lowWater, target } from '../watermark.ts'

/** The steps with tool calls among these entries, oldest first; a step is its messages in order. */
export function stepsOf(entries: Iterable<Entry>): Entry[][] {
  const steps: Entry[][] = []
  const stepOfCall = new Map<number, Entry[]>()
  let response: Entry[] = []
  for (const entry of entries) {
    if (entry.role === 'assistant') {
      if (entry.isResponse) response = []
      response.push(entry)
      if (entry.calls > 0 && steps.at(-1) !== response) steps.push(response)
      for (let call = entry.call; call < entry.call + entry.calls; call++) stepOfCall.set(call, response)
    } else if (entry.role === 'tool') stepOfCall.get(entry.call)?.push(entry)
  }
  return steps
}

/** Drops the oldest of these steps as long as the window is over; the newest `keepLast` stay. */
export function dropOldestSteps(
  window: Window,
  steps: readonly Entry[][],
  isOver: () => boolean,
  keepLast: number,
): void {
  for (const step of steps.slice(0, Math.max(0, steps.length - keepLast))) {
    if (!isOver()) return
    for (const entry of step) window.drop(entry, entry)
  }
}

/** The entries inside, from `first` on. */
export function* entriesFrom(first: Entry | null): Generator<Entry> {
  for (let entry = first; entry; entry = entry.next) yield entry
}

export default definePolicy({
  name: 'drop-steps',
  summary: 'drop steps (tool calls with their results), oldest first, while over budget',
  source: 'duragent, Context Window Management, sub-layer 3c',
  params: {
    keepLast: integer({ default: 1, min: 1, help: 'newest steps that are never dropped' }),
    scope: choice({
      default: 'exchange',
      of: ['exchange', 'all'],
      help: 'which steps: of the current exchange, or all',
    }),
    target,
  },
  wholePairs: true,
  start: ({ keepLast, scope, target }) => ({
    request(window) {
      const goal = lowWater(window, target)
      if (goal === null) return
      const first = scope === 'all' ? window.first : (window.newestExchange?.first ?? null)
      dropOldestSteps(window, stepsOf(entriesFrom(first)), () => window.tokens > goal, keepLast)
    },
  }),
})
