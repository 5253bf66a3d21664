import { describe, expect, it } from 'vitest'
import { foreseeTrace } from '../../src/app/calibrate.ts'
import { caseOf, sizersFor } from '../../src/app/plan.ts'
import { choose } from '../../src/base/chosen.ts'
import auto from '../../src/estimators/auto.ts'
import type { Message } from '../../src/model/message.ts'
import type { Sizes } from '../../src/model/sizes.ts'
import type { Compaction, Trace } from '../../src/model/trace.ts'
import { foresee, foreseeFrom, foresightOf, ownInterval, worstOf } from '../../src/simulator/foresight.ts'
import { traceOf } from './arbitrary.ts'

const plan = { policies: [], estimators: [choose(auto)], budgets: [] }
const [sizer] = sizersFor(plan)({ provider: 'anthropic', model: null } as Trace['head'])

/** A conversation whose provider counts a preamble of 2,000 tokens, and each message as the estimator does. */
function conversation(requests: number, compactions: readonly Compaction[] = []): Trace {
  let input = 2000
  const list: Message[] = []
  for (let request = 0; request < requests; request++) {
    const prompt: Message = {
      role: 'user',
      line: 2 * request + 1,
      blocks: [{ type: 'text', text: 'word '.repeat(40) }],
    }
    if (compactions.some(({ at }) => at === list.length)) input = 2000
    input += sizer!(prompt)
    const usage = { input: Math.round(input), output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 }
    const answer: Message = { role: 'assistant', line: 2 * request + 2, blocks: [], usage }
    input += sizer!(answer)
    list.push(prompt, answer)
  }
  return traceOf(list, [sizer!], 'anthropic', { compactions })
}

const count = (seen: Trace): Sizes => caseOf(seen, plan).sizes

describe('foresee', () => {
  it('keeps what was recorded behind the first cut from the count, and predicts it', () => {
    const trace = conversation(9, [{ at: 10, keptFrom: 10, summary: [], line: 11 }])
    let told = 0
    const foreseen = foresee(trace, (seen) => {
      for (let request = 0; request < seen.requests; request++) if (seen.usage(request)) told++
      return count(seen)
    })
    expect(told).toBe(5)
    expect(foreseen.test).toBe('cut')
    expect(foreseen.requests.map(({ request, first }) => [request, first])).toEqual([
      [5, true],
      [6, false],
      [7, false],
      [8, false],
    ])
    for (const { foreseen: tokens, recorded } of foreseen.requests) expect(tokens / recorded).toBeCloseTo(1, 1)
  })

  it('predicts the second half of a transcript without a cut', () => {
    const foreseen = foresee(conversation(10), count)
    expect(foreseen.test).toBe('half')
    expect(foreseen.requests.map(({ request }) => request)).toEqual([5, 6, 7, 8, 9])
  })

  it('says nothing where no request stands in front', () => {
    expect(foresee(conversation(1), count)).toEqual({
      test: 'few-requests',
      requests: [],
    })
  })
})

describe('foreseeFrom', () => {
  it('predicts every request when it knows none', () => {
    const trace = conversation(5)
    let told = 0
    const foreseen = foreseeFrom(
      trace,
      (seen) => {
        for (let request = 0; request < seen.requests; request++) if (seen.usage(request)) told++
        return count(seen)
      },
      0,
    )
    expect(told).toBe(0)
    expect(foreseen.map(({ request }) => request)).toEqual([0, 1, 2, 3, 4])
  })
})

const requests = (errors: readonly number[]) => ({
  test: 'half' as const,
  requests: errors.map((error, request) => ({
    ...{ request, recorded: 1000, foreseen: 1000 + 10 * error },
    ...{ first: false, reach: null },
  })),
})

describe('how far predictions are off', () => {
  it('is their mean and their sum, and where they are off most', () => {
    const foreseen = requests([1, -8, 3, 8, -2])
    expect(foresightOf(foreseen)).toEqual({ requests: 5, meanAbsolutePercent: 4.4, biasPercent: 0.4 })
    expect(worstOf(foreseen)).toEqual([
      { request: 1, recorded: 1000, errorPercent: -8 },
      { request: 3, recorded: 1000, errorPercent: 8 },
      { request: 2, recorded: 1000, errorPercent: 3 },
    ])
    expect(foresightOf(requests([]))).toBeNull()
  })
})

describe('ownInterval', () => {
  it('leaves out one request in twenty on either side', () => {
    const errors = Array.from({ length: 40 }, (_, index) => index - 20)
    expect(ownInterval(requests(errors))).toEqual({
      basis: 'transcript',
      transcripts: 1,
      lowPercent: -18,
      highPercent: 17,
    })
  })

  it('is not given for fewer than thirty requests', () => {
    expect(ownInterval(requests(Array.from({ length: 29 }, () => 1)))).toBeNull()
    expect(ownInterval(requests(Array.from({ length: 30 }, () => 1)))).not.toBeNull()
  })
})

describe('what is foreseen of a copy', () => {
  it('is foreseen as in the whole of it: requests that count elsewhere tell how it is counted', () => {
    const whole = conversation(9, [{ at: 10, keptFrom: 10, summary: [], line: 11 }])
    const copy = whole.withoutRequests(new Set([0, 1, 2, 3, 6]))
    expect(foreseeTrace(copy, plan).test).toBe('cut')
    const elsewhere = foreseeTrace(whole, plan).requests.filter(({ request }) => request !== 6)
    expect(foreseeTrace(copy, plan).requests).toEqual(elsewhere)
    expect(elsewhere.map(({ request }) => request)).toEqual([5, 7, 8])
  })
})
