import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cacheBehaviour, cacheRecords } from '../../src/measures/cache-behaviour.ts'
import { type Message, textOf, type Usage } from '../../src/model/message.ts'
import type { CacheMode } from '../../src/model/run.ts'
import type { Sizes } from '../../src/model/sizes.ts'
import type { Trace } from '../../src/model/trace.ts'
import type { Pricing, Rates } from '../../src/models/pricing.ts'
import type { CacheRule } from '../../src/models/table.ts'
import asRecorded from '../../src/policies/as-recorded.ts'
import keepAll from '../../src/policies/keep-all.ts'
import type { PolicyRun } from '../../src/policies/policy.ts'
import dropMessages from '../../src/policies/primitives/drop-messages.ts'
import { replay } from '../../src/simulator/replay.ts'
import { traceOf } from '../simulator/arbitrary.ts'

// One character is one token, so that a recorded count can equal the request's real size.
const size = (message: Message): number => textOf(message).length
const preamble = 1000
const text = (length: number) => [{ type: 'text' as const, text: 'x'.repeat(length) }]

const rule: CacheRule = { id: 'test', minPrefix: 0, granularity: 'block', ttl: 300, read: 0.1, write: 1.25, source: '' }
const rates: Rates = { input: 1, output: 5, read: 0.1, write: 1.25, write1h: 2 }
const pricing: Pricing = {
  unit: 'input-token-equivalents',
  asOf: '2026-01-01',
  rule,
  hour: false,
  life: 300,
  rates: () => rates,
}

function sizesOf(trace: Trace): Sizes {
  return {
    preamble,
    joins: () => 0,
    of: (index) => trace.units(index, 0),
    message: size,
    tokens: (units) => Math.round(units),
    units: (tokens) => tokens,
  }
}

/** A request: the message before it, the time since the request before, and the recorded usage. */
interface Step {
  readonly said: number
  readonly answered: number
  readonly role: 'user' | 'tool'
  /** Seconds. */
  readonly pause: number
  /** Parts: of what it shares with the one before, read; of the rest, written; of that, for an hour. Null: no usage. */
  readonly cache: readonly [read: number, written: number, hour: number] | null
}

function session(
  steps: readonly Step[],
  more: Parameters<typeof traceOf>[3] = {},
): { trace: Trace; inputs: number[]; usages: (Usage | null)[] } {
  const list: Message[] = []
  const inputs: number[] = []
  const usages: (Usage | null)[] = []
  let input = preamble
  let time = 0
  for (const [at, { said, answered, role, pause, cache }] of steps.entries()) {
    const isUser = role === 'user' || at === 0
    list.push({
      role: isUser ? 'user' : 'tool',
      line: list.length + 1,
      blocks: text(said),
      ...(!isUser && { callId: `c${at - 1}` }),
    })
    input += said
    time += pause * 1000
    const [read, written, hour] = cache ?? [0, 0, 0]
    const cacheRead = Math.floor(read * (inputs.at(-1) ?? preamble))
    const cacheWrite = Math.floor(written * (input - cacheRead))
    const usage = { input, cacheRead, cacheWrite, cacheWrite1h: Math.floor(hour * cacheWrite), output: answered }
    usages.push(cache ? usage : null)
    list.push({
      role: 'assistant',
      line: list.length + 1,
      time,
      blocks: [...text(answered), { type: 'call', id: `c${at}`, name: 'read', input: {} }],
      ...(cache && { usage }),
    })
    inputs.push(input)
    input += answered
  }
  return { trace: traceOf(list, [size], 'anthropic', more), inputs, usages }
}

function run(trace: Trace, mode: CacheMode, policy: PolicyRun = keepAll.start({}, {} as never), budget = 0) {
  const sizes = sizesOf(trace)
  const cache = cacheBehaviour(trace, sizes, pricing, mode, 'anthropic')
  return replay(trace, { policy, kind: 'sticky', budget, sizes, modelWindow: null, pricing, cache })
}

const billed = ({ input, cacheRead, cacheWrite, cacheWrite1h }: Usage): number =>
  input - cacheRead - cacheWrite + 0.1 * cacheRead + 1.25 * (cacheWrite - cacheWrite1h) + 2 * cacheWrite1h

const part = fc.double({ min: 0, max: 1, noNaN: true })
const step: fc.Arbitrary<Step> = fc.record({
  said: fc.integer({ min: 1, max: 900 }),
  answered: fc.integer({ min: 1, max: 300 }),
  role: fc.constantFrom('user', 'tool'),
  pause: fc.constantFrom(1, 30, 299, 301, 1800, 4000),
  cache: fc.tuple(fc.oneof(fc.constant(0), fc.constant(1), part), part, part),
})
const steps = fc.array(step, { minLength: 1, maxLength: 25 })
const warm: Step = { said: 100, answered: 50, role: 'tool', pause: 10, cache: [1, 1, 0] }

it('takes a request that read more than it shares for one that read all: another session had sent the same', () => {
  const { trace, usages } = session([warm, { ...warm, cache: [1.05, 1, 0] }])
  expect(usages[1]?.cacheRead).toBeGreaterThan(usages[0]?.input as number)
  expect(cacheRecords(trace, pricing, preamble, 'anthropic').map(({ share }) => share)).toEqual([1, 1])
})

it('does not know what a request shares behind one without usage: it may be all of it', () => {
  const { trace, usages } = session([warm, { ...warm, cache: null }, { ...warm, cache: [0.5, 1, 0] }])
  const { input = 0, cacheRead = 0 } = usages[2] ?? {}
  const shares = cacheRecords(trace, pricing, preamble, 'anthropic').map(({ share }) => share)
  expect(shares).toEqual([1, null, cacheRead / input])
})

describe('--cache recorded', () => {
  it('comes to what was billed, token by token, where a session is replayed as it was', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const { trace, usages } = session(list)
        const bill = usages.reduce((sum, usage) => sum + (usage ? billed(usage) : 0), 0)
        // A token is whole, so what a request shares is served to half a token.
        expect(Math.abs(run(trace, 'recorded').cost.input - bill)).toBeLessThanOrEqual(2 * list.length)
      }),
    )
  })

  it('misses where the provider missed, whatever the policy', () => {
    const list = Array.from({ length: 12 }, (_, at): Step => ({ ...warm, cache: [at === 7 ? 0 : 1, 1, 0] }))
    const { trace, inputs } = session(list)
    const drop = dropMessages.start({ keepLast: 1, target: 0.5 }, {} as never)
    const sent: number[] = []
    const sizes = sizesOf(trace)
    const at = (mode: CacheMode, upTo: number) => {
      const cache = cacheBehaviour(trace, sizes, pricing, mode, 'anthropic')
      sent.length = 0
      const { cost } = replay(
        trace,
        { policy: drop, kind: 'sticky', budget: 1900, sizes, modelWindow: null, pricing, cache },
        [{ request: ({ sentTokens }) => void sent.push(sentTokens) }],
      )
      expect(sent[upTo]).toBeLessThan(inputs[upTo]!)
      return cost.input
    }
    const missed = at('recorded', 7)
    const served = session(list.map(() => warm)).trace
    const cache = cacheBehaviour(served, sizes, pricing, 'recorded', 'anthropic')
    const fine = replay(served, {
      policy: dropMessages.start({ keepLast: 1, target: 0.5 }, {} as never),
      kind: 'sticky',
      budget: 1900,
      sizes,
      modelWindow: null,
      pricing,
      cache,
    }).cost.input
    // What request 7 shares with request 6 is written instead of read.
    expect(missed - fine).toBeCloseTo(1.15 * sent[6]!, 3)
  })

  it('serves a part of what a policy shares where a part was served', () => {
    const list = Array.from({ length: 6 }, (_, at): Step => ({ ...warm, cache: [at === 3 ? 0.25 : 1, 1, 0] }))
    const { trace } = session(list)
    const behaviour = cacheBehaviour(trace, sizesOf(trace), pricing, 'recorded', 'anthropic')
    expect(behaviour.hit(3, 400, 900)).toBe(100)
    expect(behaviour.hit(4, 400, 900)).toBe(400)
    expect(behaviour.hit(4, 900, 400)).toBe(400)
  })

  it('begins warm where another session had sent the same, and reads it whatever the policy', () => {
    const { trace, usages } = session([{ ...warm, cache: [0.8, 1, 0] }, warm])
    const behaviour = cacheBehaviour(trace, sizesOf(trace), pricing, 'recorded', 'anthropic')
    expect(usages[0]?.cacheRead).toBe(800)
    expect(behaviour.hit(0, 0, 1100)).toBe(800)
    expect(behaviour.hit(0, 0, 500)).toBe(500)
  })

  it('takes no cut of the agent for a miss: the preamble was served, and so is what a policy still has', () => {
    // Of the 1,700 tokens before, the preamble's 1,000 are read.
    const list = Array.from({ length: 7 }, (_, at): Step => ({ ...warm, cache: [at === 5 ? 1000.5 / 1700 : 1, 1, 0] }))
    const clearing = { at: 10, left: new Map(), restored: false, line: 11 }
    const hits = (more: Parameters<typeof session>[1]) => {
      const { trace } = session(list, more)
      const behaviour = cacheBehaviour(trace, sizesOf(trace), pricing, 'recorded', 'anthropic')
      return [1700, 1000, 700].map((shared) => behaviour.hit(5, shared, 1850))
    }
    expect(hits({ clearings: [clearing] })).toEqual([1700, 1000, 1000])
    expect(hits({ compactions: [{ at: 10, keptFrom: 10, summary: [], line: 11 }] })).toEqual([1700, 1000, 1000])
    expect(hits({})).toEqual([1000, 588, 412])
  })

  it('has what was served after a long pause alive, and what was not served cold', () => {
    const late = (read: number) => session([warm, warm, { ...warm, pause: 3000, cache: [read, 1, 0] }]).trace
    const [served, missed] = [late(1), late(0)].map((trace) => run(trace, 'recorded').cost.input) as [number, number]
    expect(run(late(1), 'ideal').cost.input).toBe(run(late(0), 'ideal').cost.input)
    expect(missed - served).toBeCloseTo(1.15 * (preamble + 250), 3)
  })

  it('pays for what is not served as it was recorded: written for minutes, for an hour, not at all', () => {
    const { trace } = session([
      { ...warm, cache: [0, 0.5, 0.5] },
      { ...warm, cache: [1, 0, 0] },
    ])
    const behaviour = cacheBehaviour(trace, sizesOf(trace), pricing, 'recorded', 'anthropic')
    // 1,100 tokens: 275 for minutes, 275 for an hour, 550 neither.
    expect(behaviour.input(0, 1100, 0, rates)).toBeCloseTo(275 * 1.25 + 275 * 2 + 550, 6)
    // The second request left 150 tokens unwritten; a policy that needs more of it anew pays for that as usual.
    const usual = (275 * 1.25 + 275 * 2 + 700) / 1250
    expect(behaviour.input(1, 1250, 250, rates)).toBeCloseTo(25 + 150 + 850 * usual, 6)
  })

  it('is as expected at requests without usage', () => {
    const list = Array.from({ length: 9 }, (_, at): Step => ({ ...warm, cache: at === 5 ? null : [1, 1, 0] }))
    const { trace } = session(list)
    const [recorded, expected] = (['recorded', 'expected'] as const).map((mode) =>
      cacheBehaviour(trace, sizesOf(trace), pricing, mode, 'anthropic'),
    )
    expect(recorded?.hit(4, 1000, 2000)).toBe(1000)
    expect(recorded?.hit(5, 1000, 2000)).toBe(expected?.hit(5, 1000, 2000))
    expect(recorded?.hit(5, 1000, 2000)).toBeLessThan(1000)
  })
})

describe('usage that never mentions the cache', () => {
  const behaviour = (requests: number, provider: 'anthropic' | 'openai', mode: CacheMode) => {
    const { trace } = session(Array.from({ length: requests }, (): Step => ({ ...warm, cache: [0, 0, 0] })))
    return cacheBehaviour(trace, sizesOf(trace), pricing, mode, provider)
  }

  it('says nothing of a cache that nobody has to ask for: it is expected to have served', () => {
    for (const at of [1, 2, 3]) {
      expect(behaviour(4, 'openai', 'recorded').hit(at, 1000, 2000)).toBe(
        behaviour(4, 'openai', 'expected').hit(at, 1000, 2000),
      )
    }
    expect(behaviour(4, 'openai', 'recorded').hit(1, 1000, 2000)).toBeGreaterThan(800)
  })

  it('is the truth where few requests could have read, and where the cache has to be asked for', () => {
    expect(behaviour(3, 'openai', 'recorded').hit(1, 1000, 2000)).toBe(0)
    expect(behaviour(9, 'anthropic', 'recorded').hit(1, 1000, 2000)).toBe(0)
  })
})

describe('--cache expected', () => {
  it('learns from what a transcript recorded, and more from more of it', () => {
    const half = (count: number) => {
      const halves = Array.from({ length: count }, (): Step => ({ ...warm, cache: [0.5, 1, 0] }))
      const { trace } = session([warm, ...halves, { ...warm, cache: null }])
      const behaviour = cacheBehaviour(trace, sizesOf(trace), pricing, 'expected', 'anthropic')
      return behaviour.hit(count + 1, 10_000, 20_000)
    }
    const [none, few, many] = [half(0), half(10), half(400)] as [number, number, number]
    expect(none).toBeGreaterThan(few)
    expect(few).toBeGreaterThan(many)
    expect(many).toBeGreaterThan(5000)
    expect(many).toBeLessThan(5500)
  })

  it('learns more from a long request than from a short one: in the long run it reads what was read', () => {
    const steps = Array.from({ length: 400 }, (_, at): Step => ({ ...warm, said: 10, cache: [at > 200 ? 1 : 0, 1, 0] }))
    const { trace, inputs, usages } = session(steps)
    const behaviour = cacheBehaviour(trace, sizesOf(trace), pricing, 'expected', 'anthropic')
    const sum = (figures: readonly number[]) => figures.reduce((all, figure) => all + figure, 0)
    const later = inputs.slice(0, -1)
    const read = sum(usages.slice(1).map((usage) => usage?.cacheRead ?? 0))
    const foretold = sum(later.map((input, at) => behaviour.hit(at + 1, input, input)))
    // By requests half of all was served, by tokens three quarters.
    expect(foretold / read).toBeGreaterThan(0.98)
    expect(foretold / read).toBeLessThan(1.03)
  })

  it('has for sessions that write for an hour what such sessions have', () => {
    const { trace } = session([warm, { ...warm, role: 'user', cache: null }])
    const [minutes, hour] = [pricing, { ...pricing, hour: true, life: 3600 }].map((by) =>
      cacheBehaviour(trace, sizesOf(trace), by, 'expected', 'anthropic').hit(1, 10_000, 20_000),
    )
    expect(hour).toBeGreaterThan(minutes!)
  })

  it('learns nothing from a request whose context was cut', () => {
    const list = [...Array.from({ length: 30 }, (): Step => ({ ...warm, cache: [0, 1, 0] })), { ...warm, cache: null }]
    const hit = (more: Parameters<typeof session>[1]) => {
      const { trace } = session(list, more)
      return cacheBehaviour(trace, sizesOf(trace), pricing, 'expected', 'anthropic').hit(30, 10_000, 20_000)
    }
    const clearings = list.map((_, at) => ({ at: 2 * at, left: new Map(), restored: false, line: 1 }))
    expect(hit({})).toBeLessThan(5000)
    expect(hit({ clearings })).toBeGreaterThan(9000)
  })

  it('expects less behind a prompt than in a tool loop, less after a pause, and nothing after an hour', () => {
    const kinds: Partial<Step>[] = [{}, { role: 'user' }, { pause: 1000 }, { pause: 4000 }]
    const { trace } = session([warm, ...kinds.map((kind): Step => ({ ...warm, ...kind, cache: null }))])
    const behaviour = cacheBehaviour(trace, sizesOf(trace), pricing, 'expected', 'anthropic')
    const hits = kinds.map((_, at) => behaviour.hit(at + 1, 1000, 2000))
    expect(hits).toEqual([...hits].sort((a, b) => b - a))
    expect(new Set(hits).size).toBe(4)
    expect(hits[3]).toBe(0)
  })
})

it('serves nothing that is too short for the cache, however it is expected', () => {
  const { trace } = session([{ ...warm, cache: null }, warm])
  const first = (minPrefix: number) =>
    cacheBehaviour(trace, sizesOf(trace), { ...pricing, rule: { ...rule, minPrefix } }, 'expected', 'anthropic').hit(
      0,
      0,
      1100,
    )
  expect(first(preamble)).toBeGreaterThan(0)
  expect(first(preamble + 1)).toBe(0)
})

it('--cache ideal has the price lists alone, whatever was recorded', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const inputOf = (steps: readonly Step[]) => run(session(steps).trace, 'ideal').cost.input
      expect(inputOf(list)).toBe(inputOf(list.map((step) => ({ ...step, cache: null }))))
    }),
  )
})

it('a summary is read from the cache where its prompt is the one that was sent before, and is still there', () => {
  const compacted = (pause: number) => {
    const list: Message[] = []
    for (let at = 0; at < 4; at++) {
      list.push({ role: 'user', line: 2 * at + 1, blocks: text(100) })
      list.push({ role: 'assistant', line: 2 * at + 2, blocks: text(50), time: at === 3 ? pause : at })
    }
    const summary: Message = { role: 'user', line: 7, blocks: text(40) }
    const compaction = { at: 6, keptFrom: 6, summary: [summary], line: 7 }
    const trace = traceOf(list, [size], 'anthropic', { compactions: [compaction] })
    const sizes = sizesOf(trace)
    const context = {
      model: null,
      cwd: null,
      systemMessages: 0,
      compactions: trace.compactions,
      clearings: trace.clearings,
      recounts: [],
    }
    const cache = cacheBehaviour(trace, sizes, pricing, 'ideal', 'anthropic')
    const settings = { kind: 'sticky' as const, budget: 1, sizes, modelWindow: null, pricing, cache }
    const cost = (shared: boolean) =>
      replay(trace, {
        ...settings,
        policy: asRecorded.start({}, context),
        ...(shared && { summariesShareThePrompt: true }),
      }).cost.summaries
    return [cost(true), cost(false)]
  }
  const written = 5 * 40
  expect(compacted(3)).toEqual([0.1 * (preamble + 450) + written, 450 + written])
  expect(compacted(3_000_000)).toEqual([preamble + 450 + written, 450 + written])
})
