/**
 * `openhands-condense`: the LLMSummarizingCondenser of the OpenHands SDK. When there are more than `maxSize` events, or
 * more tokens than the budget, the first `keepFirst` events stay, the newest stay that make half of `maxSize` (or half
 * of the tokens), and a summary replaces those between. Each call of a tool is an event, and so is each result and
 * message. The cut never parts a call from its result, and nothing happens unless a tenth of the events leaves.
 *
 * Operators: acts at `>` for both. Not simulated: the summary that is made after the provider refused a request, with
 * retries that shrink what is summarised.
 *
 * Law: whole pairs, sticky; the first `keepFirst` events stay. Worked example: `maxSize` 10, `keepFirst` 2, eleven
 * messages: half of ten are five; the first two, the summary and the newest two.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { thousands } from '../catalogue/thousands.ts'
import type { Entry, Window } from '../policy.ts'
import { wholeRange } from '../primitives/keep-pairs.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'

const leastShare = 0.1

const eventsOf = ({ calls }: Entry): number => Math.max(1, calls)

/** The entry behind the first `events` events. */
function behind(window: Window, events: number): Entry | null {
  let entry = window.first
  for (let count = 0; entry; entry = entry.next) {
    count += eventsOf(entry)
    if (count > events) return entry
  }
  return null
}

/** The oldest entry of a tail of at most `most`, as `sizeOf` counts. */
function tailWithin(window: Window, most: number, sizeOf: (entry: Entry) => number): Entry | null {
  let tail: Entry | null = null
  let sum = 0
  for (let entry = window.last; entry; entry = entry.previous) {
    sum += sizeOf(entry)
    if (sum > most) break
    tail = entry
  }
  return tail
}

export default definePolicy({
  name: 'openhands-condense',
  version: '1',
  summary:
    'above a number of events or the budget, summarise what lies between the first few events and the newest half',
  source: 'OpenHands/software-agent-sdk 611629e69, openhands-sdk/openhands/sdk/context/condenser (2026)',
  trigger: 'most tokens of a request; acts over it, or over `maxSize` events',
  unlike: '`openhands-mask` takes only results; `summarise-oldest` keeps no beginning',
  params: {
    maxSize: integer({ default: 240, min: 4, help: 'most events; with more, it acts' }),
    keepFirst: integer({ default: 2, min: 0, help: 'first events that stay' }),
    summaryTokens: integer({ default: 2_000, min: 1, help: 'tokens of the summary' }),
  },
  wholePairs: true,
  inserts: true,
  compacts: true,
  availableIn: ['openhands'],
  turnOn: ({ maxSize, keepFirst }, budget) => ({
    file: 'your code, with the OpenHands SDK, in Agent(…)',
    text: `condenser=LLMSummarizingCondenser(llm=llm, max_size=${maxSize}, keep_first=${keepFirst}, max_tokens=${budget})`,
    note: `summarises above ${thousands(budget)} or ${maxSize} events`,
  }),
  start({ maxSize, keepFirst, summaryTokens }) {
    let events = 0
    let isNew = false
    return {
      message(_window, entry) {
        events += eventsOf(entry)
        isNew = true
      },
      request(window) {
        const isOver = window.tokens > window.budget
        if (!isNew || (events <= maxSize && !isOver)) return
        isNew = false
        const half = Math.floor(maxSize / 2)
        const tails = [
          events > maxSize ? tailWithin(window, Math.max(0, half - keepFirst - 1), eventsOf) : window.first,
          isOver ? tailWithin(window, window.budget / 2, (entry) => window.tokensOf(entry, entry)) : window.first,
        ]
        const from = behind(window, keepFirst)
        // The later of the two: what is null keeps nothing.
        const tail = tails.includes(null) ? null : laterOf(tails[0] as Entry, tails[1] as Entry)
        const to = tail ? tail.previous : window.last
        const range = from && to && precedes(from, to) ? wholeRange(from, to) : null
        if (!range) return
        let leaving = 0
        for (let entry: Entry | null = range.from; entry; entry = entry === range.to ? null : entry.next)
          leaving += eventsOf(entry)
        if (leaving < leastShare * events) return
        summariseRange(window, range.from, range.to, { role: 'user', tokens: summaryTokens })
        events += 1 - leaving
      },
    }
  },
})

function precedes(one: Entry, other: Entry): boolean {
  let entry: Entry | null = one
  while (entry && entry !== other) entry = entry.next
  return entry !== null
}

function laterOf(one: Entry, other: Entry): Entry {
  return precedes(one, other) ? other : one
}
