import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulate } from '../../src/app/by-plan.ts'
import { caseOf, type Plan, sizersFor } from '../../src/app/plan.ts'
import { choose } from '../../src/base/chosen.ts'
import { estimators } from '../../src/estimators/index.ts'
import type { Message, ProviderName } from '../../src/model/message.ts'
import { canCorrect } from '../../src/model/recorded.ts'
import type { Clearing, SideCall, Trace } from '../../src/model/trace.ts'
import { policies } from '../../src/policies/index.ts'
import type { Policy } from '../../src/policies/policy.ts'
import { providers } from '../../src/providers/index.ts'
import { TraceBuilder } from '../../src/readers/trace-builder.ts'
import { ReferenceDigest } from '../../src/references/digest.ts'
import { simulateOne } from '../../src/simulator/simulate.ts'
import { messagesOf, type Said, said } from '../references/transcripts.ts'
import { headOf, messages, traceOf, withGroups } from './arbitrary.ts'
import { addedBy } from './joins.ts'

describe('choose', () => {
  const plugin = policies.get('ikigai')

  it('fills in the defaults', () => {
    expect(choose(plugin, { target: '0.5' })).toEqual({ plugin, values: { keepLast: 1, target: 0.5 } })
  })

  it('refuses a param that is not there, and a value that is none', () => {
    expect(() => choose(plugin, { taget: 1 })).toThrow('unknown param of ikigai "taget". Did you mean "target"?')
    expect(() => choose(plugin, { target: 2 })).toThrow('ikigai:target: 2 is not')
  })
})

describe('the preamble', () => {
  const plan = { policies: [], estimators: [choose(estimators.get('bytes'))], budgets: [] }
  const text = (role: Message['role'], line: number, size: number): Message => ({
    ...{ role, line, blocks: [{ type: 'text', text: 'x'.repeat(size) }] },
    ...(role === 'assistant' && { model: 'gpt-5.4' }),
  })

  it('is what requests had besides their messages on average, where only their sum is recorded', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(900), { minLength: 1, maxLength: 6 }), fc.nat(5000), (sizes, preamble) => {
        const list = sizes.flatMap((size, at) => [text('user', 2 * at + 1, size), text('assistant', 2 * at + 2, 40)])
        const traceWith = (sideCalls: readonly SideCall[]) =>
          traceOf(list, sizersFor(plan)(headOf('openai')), 'openai', { sideCalls })
        const trace = traceWith([])
        const without = caseOf(trace, plan).sizes
        let sum = 0
        // Each request holds all messages before its response.
        for (let request = 0; request < sizes.length; request++) {
          let units = 0
          for (let at = 0; at <= 2 * request; at++) units += addedBy(trace, without, 0, at)
          sum += without.tokens(units) + preamble
        }
        const usage = { input: sum, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 1 }
        const call = { kind: 'summed', calls: sizes.length, model: 'gpt-5.4', usage, time: Number.NaN } as const
        const span = { from: 0, to: list.length }
        const told = caseOf(traceWith([{ ...call, line: 1, response: 0, span }]), plan)
        expect(told.counted.source).toBe('inferred')
        expect(told.sizes.tokens(told.sizes.preamble)).toBeCloseTo(preamble, 6)
        // Nobody says which requests a sum without a span is of.
        expect(caseOf(traceWith([{ ...call, line: 1, response: 0 }]), plan).counted.source).toBe('none')
      }),
    )
  })
})

describe('simulate', () => {
  const plan = {
    policies: [choose(policies.get('as-recorded'))],
    estimators: [choose(estimators.get('bytes'))],
    budgets: [1000],
  }
  const result = fc.record(
    {
      callId: fc.string({ unit: 'grapheme', maxLength: 9 }),
      toolName: fc.string({ maxLength: 9 }),
      isError: fc.boolean(),
    },
    { requiredKeys: [] },
  )

  it('gives the same figures whether the text is kept or not, whatever was cleared', () => {
    fc.assert(
      fc.property(
        messages.map(withGroups),
        fc.array(result, { minLength: 60, maxLength: 60 }),
        fc.infiniteStream(fc.boolean()),
        fc.constantFrom(...(Object.keys(providers) as ProviderName[])),
        (list, results, isCleared, provider) => {
          const named = list.map(
            (message, index): Message => (message.role === 'tool' ? { ...message, ...results[index] } : message),
          )
          const cleared = [...named.keys()].filter((index) => named[index]!.role === 'tool' && isCleared.next().value)
          const at = named.length - 1
          const left = new Map(cleared.filter((index) => index < at).map((index) => [index, []]))
          const clearings: Clearing[] = [{ at, left, restored: false, line: at }]
          const sizers = sizersFor(plan)({ ...traceOf([], []).head, provider })
          const figures = [true, false].map((keepsText) =>
            simulate(traceOf(named, sizers, provider, { clearings, keepsText }), plan),
          )
          expect(figures[1]).toEqual(figures[0])
        },
      ),
    )
  })

  it('counts exactly where no usage is recorded that corrects an estimate', () => {
    const chosen = (...names: string[]) => names.map((name) => choose(estimators.get(name)))
    const both = { ...plan, estimators: chosen('calibrated', 'auto', 'recorded', 'openai'), budgets: [0] }
    const head = { model: 'gpt-5' }
    fc.assert(
      fc.property(messages.map(withGroups), fc.nat({ max: 3 }), (list, recorded) => {
        let responses = 0
        const counted = list.map((message, index): Message => {
          if (message.role !== 'assistant' || responses++ >= recorded) return message
          return { ...message, usage: { input: 2000 + index, output: 1, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 } }
        })
        const trace = traceOf(counted, sizersFor(both)({ ...headOf('openai'), ...head }), 'openai', { head })
        const [calibrated, auto, own, openai] = simulate(trace, both)
        if (canCorrect(trace)) {
          expect([auto!.estimator, own!.estimator]).toEqual(['calibrated(o200k)', 'recorded(o200k)'])
          expect(auto!.fullTokens).toBe(calibrated!.fullTokens)
        } else {
          expect([auto!.estimator, own!.estimator]).toEqual(['openai', 'openai'])
          expect([auto!.fullTokens, own!.fullTokens]).toEqual([openai!.fullTokens, openai!.fullTokens])
        }
      }),
    )
  })

  const named = [
    'keep-all',
    'ikigai',
    'drop-oldest',
    'drop-messages',
    'mask-tool-results',
    'truncate-tool-results:max=20',
  ]
  const others = ['summarise-oldest', 'insert-notice', 'duragent', 'mimir', 'forge', 'as-recorded', 'actor-window']
  const some = [...named, ...others].map((name) => {
    const [word, max] = name.split(':max=')
    return choose<Policy>(policies.get(word!), max === undefined ? {} : { max })
  })

  it('gives each policy the same figures, whether others ran before it or somebody watches it', () => {
    const pauses = fc.infiniteStream(fc.constantFrom(1, 40, 400, 4000))
    fc.assert(
      fc.property(said, pauses, fc.constantFrom(0, 60, 300, 1500, 90_000), (list, pauses, budget) => {
        const all: Plan = { ...plan, policies: some, budgets: [budget], references: true, ...claude }
        const trace = readWith(all, list, pauses)
        const shared = simulate(trace, all)
        const facts = caseOf(trace, all)
        const watched = some.map((policy) => simulateOne({ policy, facts, budget }, [{}]))
        expect(watched).toEqual(shared)
        // Once more behind those that have been counted.
        expect(some.map((policy) => simulateOne({ policy, facts, budget }, []))).toEqual(shared)
      }),
      { numRuns: 50 },
    )
  })
})

const claude = { provider: 'anthropic', model: 'claude-opus-4-6' } as const

/** @param pauses the seconds between its messages */
function readWith(plan: Plan, list: readonly Said[], pauses: Iterator<number>): Trace {
  const head = headOf('anthropic')
  const builder = new TraceBuilder(head, sizersFor(plan)(head), true, new ReferenceDigest(head))
  let time = 0
  for (const [index, message] of messagesOf(list).entries()) {
    time += 1000 * pauses.next().value
    if (list[index]!.reset) builder.reset()
    builder.add({ ...message, time })
  }
  return builder.build()
}
