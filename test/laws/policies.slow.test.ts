/** Laws that hold for every policy and primitive on any transcript. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cacheBehaviour } from '../../src/measures/cache-behaviour.ts'
import { findExchanges } from '../../src/model/exchanges.ts'
import type { Message } from '../../src/model/message.ts'
import type { Trace } from '../../src/model/trace.ts'
import { builtinModels } from '../../src/models/lookup.ts'
import { pricingOf } from '../../src/models/pricing.ts'
import { isMonotone, keepsPairs, type RestartableRun, type Window } from '../../src/policies/policy.ts'
import type { Item } from '../../src/simulator/item.ts'
import { type Observer, type Replayed, replay } from '../../src/simulator/replay.ts'
import { EditableWindow } from '../../src/simulator/window.ts'
import { expectWindow, itemsOf, measured } from '../simulator/check-window.ts'
import { casesOf } from './drawn.ts'
import { type Subject, start, subjects } from './subjects.ts'
import { longTranscript, transcripts } from './transcripts.ts'

const longDay = measured(longTranscript(1000), 'anthropic')

const pricing = pricingOf(longDay.trace, null, 'anthropic', builtinModels)

function sizedAnew(list: readonly Message[]) {
  const { trace, sizes } = measured(list, 'anthropic')
  return { trace, sizes, cache: cacheBehaviour(trace, sizes, pricing, 'ideal', 'anthropic') }
}

const known = new WeakMap<readonly Message[], ReturnType<typeof sizedAnew>>()

/** A transcript is sized once, however many replays it has. */
function sized(list: readonly Message[]): ReturnType<typeof sizedAnew> {
  const one = known.get(list) ?? sizedAnew(list)
  known.set(list, one)
  return one
}

const unrecorded = { recordedInput: null, largestInput: null, idleSeconds: null }

/** Looks at a request as it goes out. */
type Look = (window: EditableWindow, message: number, run: RestartableRun) => void

function lookedAt({ policy, values }: Subject, list: readonly Message[], budget: number, look: Look): Replayed {
  const run = start(policy, values)
  // With the occasion of a request there is a window even where the policy never acts.
  const shown = {
    message: run.message?.bind(run),
    request: (window: Window, moment: never) => run.request?.(window, moment),
    exchangeEnd: run.exchangeEnd?.bind(run),
    restart: run.restart?.bind(run),
  } as RestartableRun
  return replayed({ policy, values }, shown, list, budget, {
    request(request, window) {
      if (window instanceof EditableWindow) look(window, request.message, run)
    },
  })
}

/**
 * What is found in all requests of a replay: mostly what is wrong with them. For requests by the thousand, `expect` once for
 * each takes longer than the replay.
 */
function found<Found>(
  subject: Subject,
  list: readonly Message[],
  budget: number,
  look: (window: EditableWindow, message: number) => readonly Found[],
): Found[] {
  const all: Found[] = []
  lookedAt(subject, list, budget, (window, message) => all.push(...look(window, message)))
  return all
}

function replayed(
  { policy, values }: Pick<Subject, 'policy' | 'values'>,
  run: RestartableRun,
  list: readonly Message[],
  budget: number,
  observer: Observer,
) {
  const { trace, sizes, cache } = sized(list)
  const kept = { kind: policy.kind, keepsPairs: keepsPairs(policy, values) }
  return replay(trace, { policy: run, ...kept, budget, sizes, modelWindow: null, pricing, cache }, [observer])
}

const budgets = fc.constantFrom(30, 120, 300, 700, 2000)

const between = (from: number, to: number) => Array.from({ length: to - from }, (_, offset) => from + offset)
/** Those of `all` that are not in `kept`. */
const missing = (all: readonly number[], kept: readonly number[]) => {
  const there = new Set(kept)
  return all.filter((index) => !there.has(index))
}
/** The message that makes the call which a result answers; -1 where none does, or for another message. */
const callerOf = (list: readonly Message[], { callId }: Message): number =>
  callId === undefined
    ? -1
    : list.findIndex(({ blocks }) => blocks.some((one) => one.type === 'call' && one.id === callId))
/** Whether a result among `inside` from message `cut` on answers a call in front of it. */
const isParting = (list: readonly Message[], inside: readonly number[], cut: number): boolean =>
  inside.some((index) => {
    const caller = callerOf(list, list[index] as Message)
    return index >= cut && caller >= 0 && caller < cut
  })
const indices = (window: EditableWindow) =>
  itemsOf(window)
    .map(({ index }) => index)
    .filter((index) => index >= 0)

/** Policies whose program has the fault that it cuts or masks again if it is called twice. */
const restless = ['mimir-shipped', 'duragent-shipped', 'forge-literal', 'forge-pr616', 'langchain-summarize']

/** The calls before a message that no result there answers. */
function unansweredCalls(trace: Trace, message: number): number {
  const calls = new Set<number>()
  const answered = new Set<number>()
  for (let index = 0; index < message; index++) {
    if (trace.role(index) === 'tool') answered.add(trace.call(index))
    for (let call = 0; call < trace.callCount(index); call++) calls.add(trace.call(index) + call)
  }
  return [...calls].filter((call) => !answered.has(call)).length
}

/**
 * What breaks a law, under the words of the law. All laws are asked of the same replays, which take most of the time: one
 * with the budget, one in which the policy is asked twice, and one with a larger budget.
 */
function broken(subject: Subject, list: readonly Message[], budget: number, more: number): Record<string, unknown[]> {
  const { policy, values } = subject
  const { trace } = sized(list)
  const faults: Record<string, unknown[]> = {}
  const tell = (law: string, ...what: unknown[]) => {
    if (what.length > 0) faults[law] = [...(faults[law] ?? []), ...what]
  }

  const kept: number[][] = []
  let edits = -1
  const last = trace.requestAt(trace.requests - 1)
  const small = lookedAt(subject, list, budget, (window, message) => {
    // Recounted after each edit and at the end: in between messages are only added, which the window's own test recounts.
    if (window.edits !== edits || message === last) expectWindow(window, trace, 'anthropic', 0, message)
    edits = window.edits
    const inside = indices(window)
    kept.push(inside)
    const order = [...inside, message]
    tell('never reorders', ...order.filter((index, place) => place > 0 && index <= (order[place - 1] as number)))
    if (!policy.inserts) tell('never invents', ...itemsOf(window).filter(({ index }) => index < 0))
    if (!keepsPairs(policy, values)) return
    const { orphanResults, orphanCalls } = window.pairs
    if (orphanResults === 0 && orphanCalls === 0) return
    const unanswered = unansweredCalls(trace, message)
    if (orphanResults > 0 || orphanCalls > unanswered)
      tell('parts no call from its results', { orphanResults, orphanCalls, unanswered })
  })

  if (!restless.includes(policy.name)) {
    lookedAt(subject, list, budget, (window, message, run) => {
      const shown = () => itemsOf(window).map(({ index, size, message }) => ({ index, size, blocks: message?.blocks }))
      const before = shown()
      run.request?.(window, { messages: message, answered: false, ...unrecorded })
      const after = shown()
      const same = ({ index, size, blocks }: (typeof after)[number], place: number) =>
        index === before[place]?.index &&
        size === before[place]?.size &&
        isDeepStrictEqual(blocks, before[place]?.blocks)
      if (after.length !== before.length || !after.every(same))
        tell('changes nothing when it is asked twice', { before, after })
    })
  }

  let request = 0
  const monotone = isMonotone(policy, values)
  const large = lookedAt(subject, list, budget + more, (window) => {
    const before = kept[request++] as number[]
    if (monotone) tell('keeps no less with a larger budget', ...missing(before, indices(window)))
  })
  if (request !== kept.length) tell('leaves as many requests as there are', kept.length, request)
  if (small.exact.edits === 0 && large.exact.edits > 0)
    tell('edits nothing with a larger budget where it edits nothing', large.exact.edits)
  const figures = ({ overBudgetRequests: _, ...rest }: Replayed) => ({ ...rest, cuts: [...rest.cuts] })
  if (!small.exact.heedsBudget && !isDeepStrictEqual(figures(large), figures(small)))
    tell('does the same at any budget where it never asks for it', figures(small), figures(large))
  return faults
}

const forAnyBudgets = casesOf(fc.tuple(transcripts, budgets, fc.integer({ min: 1, max: 900 })), 8, 3)
const forTranscripts = casesOf(fc.tuple(transcripts), 3, 3)
const forAnyBudget = casesOf(fc.tuple(transcripts, budgets), 20)
const forManyBudgets = casesOf(fc.tuple(transcripts, budgets), 50)

describe.each(subjects.map((subject, turn) => ({ ...subject, subject, turn })))('$name', ({ subject, turn }) => {
  it('keeps the laws of a policy on any transcript', () => {
    forAnyBudgets(
      (list, budget, more) => {
        const faults = broken(subject, list, budget, more)
        if (Object.keys(faults).length > 0) expect(faults).toEqual({})
      },
      turn,
      subject.rests ? 3 : undefined,
    )
  })

  it('does without a budget what it does at one that no request comes near', () => {
    forTranscripts((list) => {
      const [none, huge] = [0, 1e15].map((budget) =>
        found(subject, list, budget, (window) => [
          itemsOf(window).map(({ index, message }) => [index, message?.blocks]),
        ]),
      )
      if (!isDeepStrictEqual(none, huge)) expect(none).toEqual(huge)
    }, turn)
  })

  it('makes edits in proportion to the messages, not to the history at each step', () => {
    const tight = longDayOf(subject, 600)
    expect(tight.edits).toBeLessThanOrEqual(4 * longDay.trace.length)
    // What did not ask for the budget would do the same at another.
    if (tight.heedsBudget) expect(longDayOf(subject, 6000).edits).toBeLessThanOrEqual(4 * longDay.trace.length)
  })
})

/** The occasions of a replay, without measures. */
function longDayOf({ policy, values }: Subject, budget: number): EditableWindow {
  const { trace, sizes } = longDay
  const keepsDropped = policy.kind === 'view'
  const window = new EditableWindow(trace, { budget, sent: sizes, believed: null, keepsDropped })
  const run = start(policy, values)
  for (let index = 0; index < trace.length; index++) {
    const moment = { messages: index, answered: true, ...unrecorded }
    if (trace.isPrompt(index) && index > 0) run.exchangeEnd?.(window, moment)
    if (trace.isResponse(index)) run.request?.(window, moment)
    // Outside the optional call, which a policy without the occasion would skip.
    const entry = window.append(index)
    run.message?.(window, entry)
  }
  return window
}

describe('what the texts promise', () => {
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
    'the newest exchange stays, but for results of calls that had left: $name',
    (subject) => {
      forAnyBudget((list, budget) => {
        const { trace } = sized(list)
        const exchanges = findExchanges(trace)
        const gone = found(subject, list, budget, (window, message) => {
          const from = exchanges.findLast((exchange) => exchange.from < message)?.from ?? message
          const inside = indices(window)
          return missing(between(from, message), inside).filter((index) => {
            const caller = callerOf(list, list[index] as Message)
            return (
              caller < 0 || caller >= from || inside.includes(caller) || !keepsPairs(subject.policy, subject.values)
            )
          })
        })
        expect(gone).toEqual([])
      })
    },
  )

  it.each(subjects.filter(({ policy }) => policy.name === 'drop-steps'))(
    'every word of the user stays: $name',
    (subject) => {
      forAnyBudget((list, budget) => {
        const gone = found(subject, list, budget, (window, message) => {
          const said = between(0, message).filter((index) => list[index]?.role === 'user')
          return missing(said, indices(window))
        })
        expect(gone).toEqual([])
      })
    },
  )

  it.each(subjects.filter(({ policy }) => policy.name === 'drop-steps'))('the newest step stays: $name', (subject) => {
    forAnyBudget((list, budget) => {
      const gone = found(subject, list, budget, (window, message) => {
        const newest = list.slice(0, message).findLastIndex(({ blocks }) => blocks.some(({ type }) => type === 'call'))
        return missing(newest >= 0 ? [newest] : [], indices(window))
      })
      expect(gone).toEqual([])
    })
  })

  it.each(subjects.filter(({ policy }) => policy.name === 'forge'))(
    'the four criteria of the plan are met: $name',
    (subject) => {
      forManyBudgets((list, budget) => {
        const threshold = Number(subject.values.messageThreshold) || Infinity
        const faults = found(subject, list, budget, (window) => {
          const satisfied = window.sentTokens < budget && window.count + 1 < threshold
          // At a user message the window can be cut if no result behind it answers a call in front of it.
          const inside = itemsOf(window)
          const front = inside.findIndex(({ role }) => role !== 'system')
          const canBegin = ({ isPrompt, index }: Item, place: number) =>
            isPrompt && place > front && !isParting(list, indices(window), index)
          const faults = !satisfied && inside.some(canBegin) ? ['more could leave'] : []
          const hasDropped = inside[front] && inside[front].index !== list.findIndex(({ role }) => role !== 'system')
          if (hasDropped && window.firstRole !== 'user') faults.push(`begins with ${window.firstRole}`)
          return faults
        })
        expect(faults).toEqual([])
      })
    },
  )
})

describe('a larger budget keeps less, where that is not promised', () => {
  /** Tries transcripts in a fixed order until one shows it. */
  function counterExample(subject: Subject): { budget: number; larger: number; lost: number[] } | null {
    for (const list of fc.sample(transcripts, { numRuns: 60, seed: 1 })) {
      for (const budget of [30, 120, 300, 700, 2000]) {
        const smaller = found(subject, list, budget, (window) => [indices(window)])
        for (const more of [10, 50, 150, 400, 900]) {
          let request = 0
          const lost = found(subject, list, budget + more, (window) =>
            missing(smaller[request++] as number[], indices(window)),
          )
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
