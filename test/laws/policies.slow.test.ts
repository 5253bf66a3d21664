/** Laws that hold for every policy and primitive on any transcript. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Params, resolveParams } from '../../src/base/param.ts'
import { cacheBehaviour } from '../../src/measures/cache-behaviour.ts'
import { findExchanges } from '../../src/model/exchanges.ts'
import type { Message } from '../../src/model/message.ts'
import { builtinModels } from '../../src/models/lookup.ts'
import { pricingOf } from '../../src/models/pricing.ts'
import { compose } from '../../src/policies/compose.ts'
import { policies } from '../../src/policies/index.ts'
import { isMonotone, type Policy, type PolicyRun, type Window } from '../../src/policies/policy.ts'
import { replay } from '../../src/simulator/replay.ts'
import { EditableWindow } from '../../src/simulator/window.ts'
import { expectWindow, itemsOf, measured } from '../simulator/check-window.ts'
import { longTranscript, transcripts } from './transcripts.ts'

/** Params that have an effect on transcripts of a few dozen messages; the defaults suit long sessions. */
const small: Readonly<Record<string, Readonly<Record<string, unknown>>[]>> = {
  'cap-messages': [{ max: 6 }, { max: 9, target: 0.5 }],
  'drop-oldest': [{ keepLast: 2 }, { target: 0.5 }, { on: 'exchange' }],
  'drop-steps': [{ scope: 'all' }, { target: 0.5 }],
  'truncate-tool-results': [{ max: 20 }, { max: 9, keep: 'tail' }, { max: 30, keep: 'both' }],
  'mask-tool-results': [
    { keepFirst: 1, keepLast: 1 },
    { keepFirst: 1, keepLast: 1, scope: 'all' },
    { keepFirst: 0, keepLast: 2, scope: 'all', when: 'over', target: 0.7 },
  ],
  'summarise-oldest': [{ tokens: 30 }, { tokens: 20, target: 0.5 }],
  'actor-window': [{ limit: 7 }],
  'render-budget': [{ maxHistoryTokens: 150, maxOutputTokens: 10 }],
  'claude-code-auto': [
    { window: 13_400, reserve: 0, summaryTokens: 30 },
    { window: 13_700, reserve: 0, summaryTokens: 30, microcompact: 'count' },
  ],
  exchange: [{ keepLast: 2 }],
  forge: [
    { retentionWindow: 2, summaryTokens: 20 },
    { messageThreshold: 8, summaryTokens: 20, retentionWindow: 0 },
  ],
  'forge-literal': [
    { retentionWindow: 2, summaryTokens: 20 },
    { messageThreshold: 8, summaryTokens: 20 },
  ],
  'forge-pr616': [
    { retentionWindow: 2, summaryTokens: 20 },
    { messageThreshold: 8, summaryTokens: 20 },
  ],
  'forge-shipped': [
    { messageThreshold: 12, retentionWindow: 3 },
    { onTurnEnd: true, turnThreshold: 3 },
  ],
  mimir: [{ minTurns: 0 }, { minTurns: 1, threshold: 0.5 }],
  duragent: [{ maxHistoryTokens: 200, maxOutputTokens: 10, maxToolResultTokens: 20, keepFirst: 1, keepLast: 1 }],
  'duragent-shipped': [
    { maxHistoryTokens: 200, maxOutputTokens: 10, maxToolResultTokens: 20, keepFirst: 1, keepLast: 1 },
  ],
}

const composed = [
  compose('composed', [
    { truncateToolResults: { max: 40 } },
    { maskToolResults: { keepFirst: 1, keepLast: 1 } },
    { dropOldest: { keepLast: 1, target: 0.5 } },
    'insertNotice',
  ]),
  compose('composed-pairs', ['dropMessages', 'keepPairs']),
  compose('composed-snap', [{ capMessages: { max: 7 } }, 'snapToUser', 'keepPairs']),
]

interface Subject {
  readonly name: string
  readonly policy: Policy
  readonly values: Readonly<Record<string, unknown>>
}

const subjects: Subject[] = [...policies.all, ...composed].flatMap((policy) =>
  [{}, ...(small[policy.name] ?? [])].map((given) => ({
    name: [policy.name, ...Object.entries(given).map(([key, value]) => `${key}=${value}`)].join(' '),
    policy,
    values: resolveParams<Params>(policy.name, policy.params, given),
  })),
)

const longDay = measured(longTranscript(5000), 'anthropic')

const pricing = pricingOf(longDay.trace, null, 'anthropic', builtinModels)

function start(policy: Policy, values: Subject['values']): PolicyRun {
  return policy.start(values, {
    model: 'claude-sonnet-4-5',
    cwd: null,
    systemMessages: 1,
    compactions: [],
    clearings: [],
    recounts: [],
  })
}

type Look = (window: EditableWindow, index: number, run: PolicyRun) => void

/** Replays a transcript and checks each request as it goes out. */
function replayed({ policy, values }: Subject, list: readonly Message[], budget: number, look: Look) {
  const { trace, sizes } = measured(list, 'anthropic')
  const run = start(policy, values)
  const shown = { ...run, request: (window: Window, moment: never) => run.request?.(window, moment) } as PolicyRun
  const cache = cacheBehaviour(trace, sizes, pricing, 'ideal', 'anthropic')
  return replay(trace, { policy: shown, kind: policy.kind, budget, sizes, modelWindow: null, pricing, cache }, [
    {
      request(request, window) {
        if (window instanceof EditableWindow) look(window, request.message, run)
      },
    },
  ])
}

const budgets = fc.constantFrom(30, 120, 300, 700, 2000)
const between = (from: number, to: number) => Array.from({ length: to - from }, (_, offset) => from + offset)
const indices = (window: EditableWindow) => itemsOf(window).flatMap(({ index }) => (index >= 0 ? [index] : []))

/** Policies whose program has the fault that it cuts or masks again if it is called twice. */
const restless = ['mimir-shipped', 'duragent-shipped', 'forge-literal', 'forge-pr616']

describe.each(subjects)('$name', (subject) => {
  const { policy } = subject

  it('never invents or reorders, and its totals are those of the request serialized anew', () => {
    fc.assert(
      fc.property(transcripts, budgets, (list, budget) => {
        const { trace } = measured(list, 'anthropic')
        replayed(subject, list, budget, (window, message) => {
          const own = itemsOf(window).filter(({ index }) => index < 0)
          if (!policy.inserts) expect(own).toEqual([])
          const kept = indices(window)
          expect(kept).toEqual([...new Set(kept)].sort((a, b) => a - b))
          expect(kept.at(-1) ?? -1).toBeLessThan(message)
          expectWindow(window, trace, 'anthropic', 0, message)
        })
      }),
      { numRuns: 20 },
    )
  })

  it.runIf(!restless.includes(policy.name))('changes nothing when it is asked twice', () => {
    fc.assert(
      fc.property(transcripts, budgets, (list, budget) => {
        replayed(subject, list, budget, (window, message, run) => {
          const shown = () => itemsOf(window).map(({ index, size, message }) => [index, size, message?.blocks])
          const before = shown()
          run.request?.(window, { messages: message, answered: false, recordedInput: null, idleSeconds: null })
          expect(shown()).toEqual(before)
        })
      }),
      { numRuns: 20 },
    )
  })

  it.runIf(isMonotone(policy, subject.values))('keeps no less with a larger budget', () => {
    fc.assert(
      fc.property(transcripts, budgets, fc.integer({ min: 1, max: 900 }), (list, budget, more) => {
        const smaller: number[][] = []
        replayed(subject, list, budget, (window) => smaller.push(indices(window)))
        let request = 0
        replayed(subject, list, budget + more, (window) => {
          const kept = new Set(indices(window))
          expect(smaller[request++]?.filter((index) => !kept.has(index))).toEqual([])
        })
      }),
      { numRuns: 30 },
    )
  })

  it.runIf(policy.wholePairs)('parts no call from its results', () => {
    fc.assert(
      fc.property(transcripts, budgets, (list, budget) => {
        const { trace } = measured(list, 'anthropic')
        replayed(subject, list, budget, (window, message) => {
          const calls = new Set<number>()
          const answered = new Set<number>()
          for (let index = 0; index < message; index++) {
            if (trace.role(index) === 'tool') answered.add(trace.call(index))
            for (let call = 0; call < trace.callCount(index); call++) calls.add(trace.call(index) + call)
          }
          const unanswered = [...calls].filter((call) => !answered.has(call)).length
          expect(window.pairs.orphanResults).toBe(0)
          expect(window.pairs.orphanCalls).toBeLessThanOrEqual(unanswered)
        })
      }),
      { numRuns: 30 },
    )
  })

  it('makes edits in proportion to the messages, not to the history at each step', () => {
    for (const budget of [300, 3000])
      expect(editsOfLongDay(subject, budget)).toBeLessThanOrEqual(4 * longDay.trace.length)
  })
})

/** The occasions of a replay, without measures. */
function editsOfLongDay({ policy, values }: Subject, budget: number): number {
  const { trace, sizes } = longDay
  const keepsDropped = policy.kind === 'view'
  const window = new EditableWindow(trace, { budget, sent: sizes, believed: null, keepsDropped })
  const run = start(policy, values)
  for (let index = 0; index < trace.length; index++) {
    const moment = { messages: index, answered: true, recordedInput: null, idleSeconds: null }
    if (trace.isPrompt(index) && index > 0) run.exchangeEnd?.(window, moment)
    if (trace.isResponse(index)) run.request?.(window, moment)
    // Outside the optional call, which a policy without the occasion would skip.
    const entry = window.append(index)
    run.message?.(window, entry)
  }
  return window.edits
}

describe('what the texts say survives', () => {
  const keepsNewest = [
    'keep-all',
    'ikigai',
    'ikigai-shipped',
    'exchange',
    'drop-oldest',
    'summarise-oldest',
    'mimir',
    'truncate-tool-results',
    'mask-tool-results',
    'composed',
  ]
  it.each(subjects.filter(({ policy }) => keepsNewest.includes(policy.name)))(
    'the newest exchange: $name',
    (subject) => {
      fc.assert(
        fc.property(transcripts, budgets, (list, budget) => {
          const { trace } = measured(list, 'anthropic')
          const exchanges = findExchanges(trace)
          replayed(subject, list, budget, (window, message) => {
            const from = exchanges.findLast((exchange) => exchange.from < message)?.from ?? message
            const kept = new Set(indices(window))
            expect(between(from, message).filter((index) => !kept.has(index))).toEqual([])
          })
        }),
        { numRuns: 30 },
      )
    },
  )

  it.each(subjects.filter(({ policy }) => policy.name === 'drop-steps'))('every word of the user: $name', (subject) => {
    fc.assert(
      fc.property(transcripts, budgets, (list, budget) => {
        replayed(subject, list, budget, (window, message) => {
          const kept = new Set(indices(window))
          const said = between(0, message).filter((index) => list[index]?.role === 'user')
          expect(said.filter((index) => !kept.has(index))).toEqual([])
        })
      }),
      { numRuns: 30 },
    )
  })

  it.each(subjects.filter(({ policy }) => policy.name === 'drop-steps'))('the newest step: $name', (subject) => {
    fc.assert(
      fc.property(transcripts, budgets, (list, budget) => {
        replayed(subject, list, budget, (window, message) => {
          const newest = list
            .slice(0, message)
            .findLastIndex(({ blocks }) => blocks.some(({ type }) => type === 'call'))
          if (newest >= 0) expect(indices(window)).toContain(newest)
        })
      }),
      { numRuns: 30 },
    )
  })

  it.each(subjects.filter(({ policy }) => policy.name === 'forge'))(
    'the four criteria of the plan: $name',
    (subject) => {
      fc.assert(
        fc.property(transcripts, budgets, (list, budget) => {
          const threshold = Number(subject.values.messageThreshold) || Infinity
          replayed(subject, list, budget, (window) => {
            const satisfied = window.sentTokens < budget && window.count + 1 < threshold
            // Only one turn is left, or the messages before the first: nothing more can leave from the front.
            const newestOnly = itemsOf(window).filter((item) => item.isPrompt).length <= 1
            expect(satisfied || newestOnly).toBe(true)
            if (window.omitted > 0 && indices(window).length > 0 && window.first?.role !== 'system') {
              const leads = list[0]?.role === 'user' || itemsOf(window).some((item) => item.isPrompt)
              if (leads && !satisfied) expect(window.firstRole).toBe('user')
            }
          })
        }),
        { numRuns: 200 },
      )
    },
  )
})

describe('a larger budget keeps less, where that is not promised', () => {
  /** Tries transcripts in a fixed order until one shows it. */
  function counterExample(subject: Subject): { budget: number; larger: number; lost: number[] } | null {
    for (const list of fc.sample(transcripts, { numRuns: 60, seed: 1 })) {
      for (const budget of [30, 120, 300, 700, 2000]) {
        const smaller: number[][] = []
        replayed(subject, list, budget, (window) => smaller.push(indices(window)))
        for (const more of [10, 50, 150, 400, 900]) {
          let request = 0
          let lost: number[] = []
          replayed(subject, list, budget + more, (window) => {
            const kept = new Set(indices(window))
            const gone = smaller[request++]?.filter((index) => !kept.has(index)) ?? []
            if (lost.length === 0) lost = gone
          })
          if (lost.length > 0) return { budget, larger: budget + more, lost }
        }
      }
    }
    return null
  }

  it('finds none for a policy that promises it', () => {
    expect(counterExample(subjects.find(({ name }) => name === 'ikigai') as Subject)).toBeNull()
  })

  const shown = ['drop-oldest target=0.5']
  it.each(subjects.filter(({ name }) => shown.includes(name)))('$name', (subject) => {
    expect(counterExample(subject)).not.toBeNull()
  })
})
