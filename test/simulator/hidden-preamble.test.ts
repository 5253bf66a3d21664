import { describe, expect, it } from 'vitest'
import { simulate } from '../../src/app/by-plan.ts'
import { caseOf, type Plan, sizersFor } from '../../src/app/plan.ts'
import { choose } from '../../src/base/chosen.ts'
import auto from '../../src/estimators/auto.ts'
import type { Message, Preamble } from '../../src/model/message.ts'
import type { Trace, TranscriptHead } from '../../src/model/trace.ts'
import { composedInterval } from '../../src/models/intervals.ts'
import { preambleOf, priorPreamble } from '../../src/models/preambles.ts'
import { policies } from '../../src/policies/index.ts'
import { hiddenPreamble } from '../../src/simulator/hidden-preamble.ts'
import { traceOf } from './arbitrary.ts'

const plan: Plan = { policies: [choose(policies.get('keep-all'))], estimators: [choose(auto)], budgets: [0] }
const text = (words: string): Message['blocks'] => [{ type: 'text', text: words }]
const known = { format: 'claude-code', version: '2.1.17' }

/** A session whose provider counted so much for each request; null where nothing was recorded. */
function session(
  inputs: readonly (number | null)[],
  head: Partial<TranscriptHead> = known,
  preamble?: Preamble,
  cutBefore?: number,
): Trace {
  const list = inputs.flatMap((input, index): Message[] => [
    { role: 'user', line: 2 * index + 1, blocks: text('Where does the river come from?') },
    {
      ...{ role: 'assistant', line: 2 * index + 2, blocks: text('From the hills.') },
      ...(input !== null && { usage: { input, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0 } }),
    },
  ])
  const summary: Message = { role: 'user', line: 99, blocks: text('So far: nothing.') }
  const at = cutBefore === undefined ? null : 2 * cutBefore
  const compactions = at === null ? [] : [{ at, keptFrom: at, summary: [summary], line: 99 }]
  return traceOf(list, sizersFor(plan)({ provider: 'anthropic', model: null } as TranscriptHead), 'anthropic', {
    head,
    compactions,
    ...(preamble && { preamble }),
  })
}

const words: Message[] = [{ role: 'system', line: 1, blocks: text('You know all rivers. '.repeat(50)) }]

/** Tokens of a request without messages: the system prompt, and the brackets around it. */
function recordedTokens(system: readonly Message[]): number {
  const { sizes } = caseOf(session([null], known, { system, complete: true }), plan)
  return sizes.tokens(sizes.preamble)
}

/** Tokens of request number `at` if nothing is hidden, as it is counted where no usage tells. */
function recordedOf(trace: Trace, at: number): number {
  const { system } = trace.preamble
  const same = session(Array(trace.requests).fill(null), known, { system, complete: true })
  return simulate(same, plan, 'request')[0]!.rows![at]!.sentTokens
}

describe('hiddenPreamble', () => {
  const { inputs } = caseOf(session([1]), plan)

  it('is the middle of what the first three requests had beyond their messages', () => {
    const trace = session([20_000, 31_000, 30_000, 90_000, 90_000])
    const beyond = [20_000, 31_000, 30_000].map((input, at) => input - recordedOf(trace, at))
    expect(hiddenPreamble(trace, inputs)).toBe(beyond.sort((a, b) => a - b)[1])
  })

  it('takes nothing from behind a cut, and nothing from requests without usage', () => {
    const cut = session([20_000, 60_000, 60_000], known, undefined, 1)
    expect(hiddenPreamble(cut, inputs)).toBe(20_000 - recordedOf(cut, 0))
    const late = session([null, null, 25_000])
    expect(hiddenPreamble(late, inputs)).toBe(25_000 - recordedOf(late, 2))
  })

  it('leaves out the system prompt where that is recorded', () => {
    const [without, within] = [session([20_000]), session([20_000], known, { system: words, complete: false })].map(
      (trace) => hiddenPreamble(trace, inputs)!,
    )
    expect(within).toBe(without! - recordedTokens(words) + recordedTokens([]))
  })

  it('is not known where nothing is hidden, the beginning is missing, or no agent asked', () => {
    expect(hiddenPreamble(session([20_000], known, { system: [], complete: true }), inputs)).toBeNull()
    expect(hiddenPreamble(session([20_000], { ...known, headless: true }), inputs)).toBeNull()
    expect(hiddenPreamble(session([null]), inputs)).toBeNull()
    expect(hiddenPreamble(session([100]), inputs)).toBeNull()
  })
})

describe('a transcript without usage', () => {
  it('has the usual preamble of its program in each window, and says so', () => {
    const trace = session([null, null])
    const [run] = simulate(trace, plan)
    const prior = priorPreamble(preambleOf(trace))
    expect(run).toMatchObject({
      preambleSource: 'usual',
      preambleTokens: recordedTokens([]) + Math.round(prior.tokens),
    })
    expect(run!.sentTokens).toBe(2 * Math.round(prior.tokens) + recordedOf(trace, 0) + recordedOf(trace, 1))
    expect(run!.predictionInterval).toEqual(composedInterval(run!.sentTokens / 2, prior, 'auto'))
  })

  it('has the usual rest beside the system prompt that is recorded', () => {
    const trace = session([null], { format: 'codex', version: '0.144.1' }, { system: words, complete: false })
    const { tokens } = priorPreamble(preambleOf(trace))
    const own = recordedTokens(words)
    expect(simulate(trace, plan)[0]).toMatchObject({
      preambleTokens: own + Math.round(tokens),
      preambleSource: 'usual',
    })
  })

  it('is not given the preamble of other programs, but the width of what they have', () => {
    const trace = session([null], { format: 'a format that nobody published' })
    const [run] = simulate(trace, plan)
    expect(run).toMatchObject({
      preambleSource: 'none',
      preambleTokens: recordedTokens([]),
      predictionInterval: { basis: 'all' },
    })
    expect(run!.predictionInterval!.lowPercent).toBeLessThan(-90)
  })

  it('goes by what the user says, by what is recorded, and by usage first', () => {
    const sourceOf = (trace: Trace, more: Partial<Plan> = {}) =>
      simulate(trace, { ...plan, ...more })[0]!.preambleSource
    expect(sourceOf(session([null]), { preamble: 100 })).toBe('given')
    expect(sourceOf(session([null], known, { system: [], complete: true }))).toBe('recorded')
    expect(sourceOf(session([20_000]))).toBe('inferred')
  })
})
