/** What went wrong around compactions, against a count deed by deed. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mishapsAround } from '../../src/measures/mishaps.ts'
import type { Message } from '../../src/model/message.ts'
import type { Mishaps } from '../../src/model/spending.ts'
import type { Compaction } from '../../src/model/trace.ts'
import { firstsBehind } from '../../src/references/read-again.ts'
import { traceOf } from '../simulator/arbitrary.ts'
import { outcomesOf } from './outcomes-of.ts'

const results = {
  fine: 'all of it',
  failed: 'Exit code: 1\nno such file',
  rejected: 'The user denied this operation',
  stopped: 'aborted by user',
} as const
const prompts = { plain: 'Go on', correcting: 'No, the other one' } as const

interface Step {
  /** What the user typed in front of it. */
  readonly prompt: keyof typeof prompts | null
  readonly results: readonly (keyof typeof results)[]
  /** How often the agent compacts in front of it. */
  readonly compacts: number
}

const kindsOf = <K extends string>(texts: Readonly<Record<K, string>>) =>
  fc.constantFrom(...(Object.keys(texts) as K[]))
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    prompt: fc.option(kindsOf(prompts), { freq: 3, nil: null }),
    results: fc.array(kindsOf(results), { maxLength: 3 }),
    compacts: fc.integer({ min: -10, max: 2 }).map((count) => Math.max(0, count)),
  }),
  { maxLength: 60 },
)

function aroundOf(all: readonly Step[]) {
  const list: Message[] = []
  const compactions: Compaction[] = []
  const say = (message: Omit<Message, 'line'>): void => void list.push({ ...message, line: list.length + 1 })
  for (const [at, { prompt, results: own, compacts }] of all.entries()) {
    if (prompt !== null) say({ role: 'user', blocks: [{ type: 'text', text: prompts[prompt] }] })
    for (let nth = 0; nth < compacts; nth++)
      compactions.push({ at: list.length, keptFrom: list.length, summary: [], line: list.length })
    const idOf = (nth: number): string => `c${at}_${nth}`
    say({ role: 'assistant', blocks: own.map((_, nth) => ({ type: 'call', id: idOf(nth), name: 'Bash', input: {} })) })
    for (const [nth, kind] of own.entries())
      say({ role: 'tool', callId: idOf(nth), blocks: [{ type: 'text', text: results[kind] }] })
  }
  const trace = traceOf(list, [() => 1], 'openai', { compactions })
  const outcomes = outcomesOf(list)
  return mishapsAround(trace, outcomes, firstsBehind(trace))
}

/** What the user typed behind the last of the requests is an answer to it. */
function slowly(all: readonly Step[], from: number, to: number): Mishaps {
  const own = all.slice(from, to)
  const kinds = own.flatMap((step) => step.results)
  const typed = all.slice(from + 1, to + 1).flatMap(({ prompt }) => prompt ?? [])
  const count = <T>(list: readonly T[], one: T): number => list.filter((other) => other === one).length
  return {
    over: to - from,
    results: count(kinds, 'fine') + count(kinds, 'failed'),
    failed: count(kinds, 'failed'),
    rejected: count(kinds, 'rejected'),
    interrupted: own.filter((step) => step.results.includes('stopped')).length,
    prompts: typed.length,
    corrected: count(typed, 'correcting'),
  }
}

describe('mishapsAround', () => {
  it('counts as many requests in front of a compaction as behind it, up to fifteen and to the next one', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const cuts = all.flatMap(({ compacts }, at) => Array.from({ length: compacts }, () => at))
        const expected = cuts.map((first, nth) => {
          let over = 0
          const isFree = (request: number): boolean => request >= 0 && request < all.length
          while (
            over < 15 &&
            isFree(first - over - 1) &&
            isFree(first + over) &&
            !cuts.slice(0, nth).some((cut) => cut < first && first - over - 1 < cut) &&
            !cuts.slice(nth + 1).some((cut) => first + over >= cut)
          )
            over++
          if (over === 0) return null
          return { before: slowly(all, first - over, first), behind: slowly(all, first, first + over) }
        })
        expect(aroundOf(all)).toEqual(expected)
      }),
      { numRuns: 200 },
    )
  })
})
