/**
 * `keep-pairs`: a step after others in a composition. It drops tool results whose call has left. If a call's result has
 * left, it drops the message with the call and the results of the message's other calls. A call that never had a result
 * stays.
 * Law: whole pairs, sticky; it ignores the budget.
 */
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry, Window } from '../policy.ts'
import { entriesFrom } from './drop-steps.ts'

/** Drops results without their call and calls without their results. `answered`: the calls that once had a result. */
export function dropBrokenPairs(window: Window, answered: ReadonlySet<number>): void {
  const results = new Set<number>()
  for (const entry of entriesFrom(window.first)) if (entry.role === 'tool' && entry.call >= 0) results.add(entry.call)
  const made = new Set<number>()
  const doomed: Entry[] = []
  for (const entry of entriesFrom(window.first)) {
    if (entry.role === 'assistant') {
      const calls = Array.from({ length: entry.calls }, (_, index) => entry.call + index)
      if (calls.some((call) => answered.has(call) && !results.has(call))) doomed.push(entry)
      else for (const call of calls) made.add(call)
    } else if (entry.role === 'tool' && entry.call >= 0 && !made.has(entry.call)) doomed.push(entry)
  }
  for (const entry of doomed) window.drop(entry, entry)
}

/**
 * The part of a range of entries that can leave without separating a call from its results: both ends move inwards.
 * Null if nothing is left of the range.
 */
export function wholeRange(from: Entry, to: Entry): { from: Entry; to: Entry } | null {
  let first: Entry = from
  let last: Entry = to
  for (;;) {
    const maker = new Map<number, Entry>()
    let foreign: Entry | null = null
    for (let entry: Entry | null = first; entry; entry = entry === last ? null : entry.next) {
      for (let call = entry.call; entry.calls > 0 && call < entry.call + entry.calls; call++) maker.set(call, entry)
      if (entry.role === 'tool' && entry.call >= 0 && !maker.has(entry.call)) foreign = entry
    }
    let split: Entry | null = null
    for (let entry = last.next; entry && !split; entry = entry.next) {
      if (entry.role === 'tool') split = maker.get(entry.call) ?? null
    }
    if (!foreign && !split) return { from: first, to: last }
    if (foreign) {
      if (foreign === last || !foreign.next) return null
      first = foreign.next
    } else {
      if (split === first || !split?.previous) return null
      last = split.previous
    }
  }
}

export default definePolicy({
  name: 'keep-pairs',
  summary: 'after a cut, drop results without their call and calls without their results',
  source: 'ikigai, Exchange Boundaries: "Never orphan tool calls or results"',
  monotone: true,
  wholePairs: true,
  part: true,
  start() {
    const answered = new Set<number>()
    let omitted = 0
    return {
      message(_window, entry) {
        if (entry.role === 'tool' && entry.call >= 0) answered.add(entry.call)
      },
      request(window) {
        if (window.omitted === omitted) return
        dropBrokenPairs(window, answered)
        omitted = window.omitted
      },
    }
  },
})
