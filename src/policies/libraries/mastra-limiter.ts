/**
 * `mastra-limiter`: `TokenLimiterProcessor` of Mastra, on the prompt of each request. From the newest message backwards,
 * what still fits the limit stays (`<=`); a call and the results right behind it are one. `mode=best-fit`, the default,
 * skips what does not fit and goes on with older messages, which leaves holes; `contiguous` stops there. 24 tokens are
 * reserved. System messages in between always stay.
 *
 * Faults: where nothing fits, Mastra refuses the request (`TripWire`); here the preamble goes out alone. Mastra looks at
 * the whole history each time, so with `best-fit` an old message can come back after a newer one has left; here what has
 * left stays out. Its own counter (tokenx, and 3.8 tokens a message) is not used.
 *
 * Law: whole pairs where results follow their calls, sticky. Worked example, limit 124, messages of 10, 200 (a pair) and 60:
 * `best-fit` keeps 10 and 60, `contiguous` only 60.
 */
import { choice } from '../../base/param.ts'
import { definePolicy, type Entry } from '../policy.ts'
import { entriesFrom } from '../primitives/drop-steps.ts'

const reserved = 24

/** Messages that stay or leave together. */
function groupsOf(first: Entry | null): Entry[][] {
  const groups: Entry[][] = []
  let maker: Entry | null = null
  for (const entry of entriesFrom(first)) {
    const group = groups.at(-1)
    const isAnswer = entry.role === 'tool' && maker && entry.call >= maker.call && entry.call < maker.call + maker.calls
    if (group && isAnswer) group.push(entry)
    else {
      groups.push([entry])
      maker = entry.calls > 0 ? entry : null
    }
  }
  return groups
}

export default definePolicy({
  name: 'mastra-limiter',
  version: '1.71.0',
  summary: 'keep what fits from the newest backwards, skipping what does not',
  source: '@mastra/core 1.71.0, processors, TokenLimiterProcessor; npm (2026-11)',
  trigger: '`limit`, of the whole prompt; acts at more than that less 24 tokens',
  unlike: '`fill-newest` and `langchain-trim` stop at the first message that does not fit',
  params: {
    mode: choice({ default: 'best-fit', of: ['best-fit', 'contiguous'], help: 'what happens behind the first misfit' }),
  },
  kind: 'sticky',
  turnOn: ({ mode }, budget) =>
    `Mastra: new Agent({ inputProcessors: [new TokenLimiterProcessor({ limit: ${budget}, trimMode: '${mode}' })] })`,
  start: ({ mode }) => ({
    request(window) {
      const room = window.budget - reserved
      if (window.tokens <= room) return
      const groups = groupsOf(window.first).filter(([entry]) => entry?.role !== 'system')
      let sum = window.preambleTokens
      for (const entry of entriesFrom(window.first)) if (entry.role === 'system') sum += window.tokensOf(entry, entry)
      const leaving: Entry[][] = []
      for (const group of groups.reverse()) {
        let size = 0
        for (const entry of group) size += window.tokensOf(entry, entry)
        if (sum + size <= room && (mode === 'best-fit' || leaving.length === 0)) sum += size
        else leaving.push(group)
      }
      for (const group of leaving) for (const entry of group) window.drop(entry, entry)
    },
  }),
})
