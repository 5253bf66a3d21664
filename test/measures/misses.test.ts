import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Miss, missesOf } from '../../src/measures/misses.ts'
import { billedRequests } from '../../src/measures/spent.ts'
import type { Message, Usage } from '../../src/model/message.ts'
import type { Trace } from '../../src/model/trace.ts'
import { pricingOf } from '../../src/models/pricing.ts'
import { TraceBuilder } from '../../src/readers/trace-builder.ts'
import { headOf } from '../simulator/arbitrary.ts'
import { size, sizesOf, table, usage } from './sessions.ts'

type Event = 'compaction' | 'clearing' | 'reset' | 'resumed'
interface Step {
  readonly usage: Usage | null
  readonly model?: string
  /** Seconds since the request before. */
  readonly pause?: number
  readonly event?: Event | undefined
}

function session(steps: readonly Step[]): Trace {
  const builder = new TraceBuilder({ ...headOf('anthropic'), model: steps[0]?.model ?? 'dear' }, [size], false)
  let time = Date.parse('2026-11-22T12:00:00Z')
  for (const { usage, model = 'dear', pause = 10, event } of steps) {
    const at = builder.length
    const line = at + 1
    const blocks = [{ type: 'text', text: 'go' }] as const
    if (event === 'compaction') builder.compactions.push({ at, keptFrom: at, summary: [], line })
    if (event === 'clearing') builder.clearings.push({ at, left: new Map(), restored: false, line })
    if (event === 'reset') builder.reset()
    if (event === 'resumed') builder.resumed()
    builder.add({ role: 'user', line, blocks } as Message)
    time += pause * 1000
    builder.add({ role: 'assistant', line: line + 1, blocks, model, time, ...(usage && { usage }) } as Message)
  }
  return builder.build()
}

const head = 100

function missesIn(trace: Trace, inherited: (request: number) => boolean = () => false): Miss[] {
  const sizes = sizesOf(trace, head)
  const billed = new Map([...billedRequests(trace, sizes, null, table)].map((one) => [one.request, one]))
  return [...missesOf(trace, sizes, pricingOf(trace, null, 'anthropic', table), billed, inherited)]
}

const count = (cacheRead: number, cacheWrite: number, plain = 0): Usage => ({
  input: cacheRead + cacheWrite + plain,
  cacheRead,
  cacheWrite,
  cacheWrite1h: 0,
  output: 5,
})
const first: Step = { usage: count(0, 1000) }

describe('a miss', () => {
  it('is a request that reads less than the request before had read and written, by the least that is cached', () => {
    expect(missesIn(session([first, { usage: count(1000, 50) }]))).toEqual([])
    expect(missesIn(session([first, { usage: count(991, 59) }]))).toEqual([])
    expect(missesIn(session([first, { usage: count(990, 60) }])).map(({ tokens }) => tokens)).toEqual([10])
  })

  it('costs what was paid for its tokens beyond what reading them costs', () => {
    // 1050 tokens written at 12.50 a million, 1000 of which could have been read at 1.
    const [miss] = missesIn(session([first, { usage: count(0, 1050) }]))
    expect(miss?.usd).toBeCloseTo(1000 * 11.5e-6, 12)
    const [unpriced] = missesIn(session([first, { usage: count(0, 1050), model: 'unpriced' }]))
    expect(unpriced).toMatchObject({ tokens: 1000, usd: null })
  })

  it('is none at the first request, and none where the history begins anew', () => {
    expect(missesIn(session([first]))).toEqual([])
    expect(missesIn(session([first, { usage: count(0, 200), event: 'reset' }]))).toEqual([])
  })

  it('is none where nothing was ever read or written: that provider has no cache, or its use is not recorded', () => {
    expect(missesIn(session([{ usage: count(0, 0, 1000) }, { usage: count(0, 0, 1100) }]))).toEqual([])
  })

  it('is reckoned by what the provider would have kept where no writes are recorded', () => {
    const steps = [count(0, 0, 1005), count(990, 0, 30), count(0, 0, 1100)].map((usage) => ({ usage, model: 'other' }))
    // 1000 of 1005 tokens are kept, in steps of ten.
    expect(missesIn(session(steps)).map(({ request, tokens }) => [request, tokens])).toEqual([
      [1, 10],
      [2, 1020],
    ])
  })

  it.each([
    ['compaction', { usage: count(150, 250), event: 'compaction' }],
    ['idle', { usage: count(0, 1050), pause: 301 }],
    ['model-switch', { usage: count(0, 1050), model: 'cheap' }],
    ['resume', { usage: count(0, 1050), event: 'resumed' }],
    ['edit', { usage: count(500, 550), event: 'clearing' }],
    ['edit', { usage: count(500, 450) }],
    ['changed-head', { usage: count(99, 951) }],
    ['unexplained', { usage: count(100, 950) }],
  ] as const)('is put down to %s', (cause, step) => {
    expect(missesIn(session([first, step])).map((miss) => miss.cause)).toEqual([cause])
  })

  it('has the first cause that is enough: a compaction, then the pause, then another model', () => {
    const all = { usage: count(0, 400), pause: 301, model: 'cheap' }
    const causes = [{ ...all, event: 'compaction' as const }, all, { ...all, pause: 1 }].map(
      (step) => missesIn(session([first, step]))[0]?.cause,
    )
    expect(causes).toEqual(['compaction', 'idle', 'model-switch'])
  })

  it('is idle by the lifetime of what the request before wrote, though the session writes for an hour later', () => {
    const hour = (cacheRead: number, cacheWrite: number): Usage => ({
      ...count(cacheRead, cacheWrite),
      cacheWrite1h: cacheWrite,
    })
    const causes = (usages: readonly Usage[]) =>
      missesIn(session(usages.map((usage) => ({ usage, pause: 1000 })))).map((miss) => miss.cause)
    expect(causes([count(0, 1000), hour(0, 5000)])).toEqual(['idle'])
    expect(causes([hour(0, 5000), count(0, 5100)])).toEqual(['changed-head'])
  })

  it('is put down to a resume where another file has the requests in front', () => {
    const trace = session([first, { usage: count(0, 1050) }])
    expect(missesIn(trace, (request) => request === 0)[0]?.cause).toBe('resume')
  })

  it('is put down to no change of the head where caching is automatic: another machine has less of it', () => {
    const steps = [count(500, 0, 500), count(50, 0, 1000)].map((usage) => ({ usage, model: 'other' }))
    expect(missesIn(session(steps))[0]?.cause).toBe('unexplained')
  })

  it('never has more tokens than were paid in full, and costs no more than what was not read', () => {
    const step = fc.record({
      usage: fc.option(usage),
      model: fc.constantFrom('dear', 'cheap'),
      pause: fc.constantFrom(1, 200, 400),
      event: fc.constantFrom<Event | undefined>(undefined, undefined, 'compaction', 'clearing', 'reset', 'resumed'),
    })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const trace = session(steps)
        const misses = missesIn(trace)
        expect(new Set(misses.map(({ request }) => request)).size).toBe(misses.length)
        for (const { request, tokens, usd } of misses) {
          const { input, cacheRead, cacheWrite, cacheWrite1h } = trace.usage(request) as Usage
          const rest = input - cacheRead
          const price = trace.requestModel(request) === 'dear' ? 10e-6 : 2e-6
          const paid = price * (rest - cacheWrite + 1.25 * (cacheWrite - cacheWrite1h) + 2 * cacheWrite1h)
          expect(tokens).toBeGreaterThanOrEqual(10)
          expect(tokens).toBeLessThanOrEqual(rest)
          expect(usd).toBeCloseTo(tokens * (paid / rest - 0.1 * price), 10)
        }
      }),
    )
  })
})
