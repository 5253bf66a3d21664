/** Laws that hold for every estimator. */
import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstCell, type Plan, sizersFor } from '../../src/app/plan.ts'
import type { Estimator } from '../../src/estimators/estimator.ts'
import { estimators } from '../../src/estimators/index.ts'
import { findExchanges } from '../../src/model/exchanges.ts'
import { type Block, type Message, type ProviderName, shapeOf, shapes, type Usage } from '../../src/model/message.ts'
import { canCorrect } from '../../src/model/recorded.ts'
import { ends } from '../../src/model/sizes.ts'
import keepAll from '../../src/policies/keep-all.ts'
import { simulateOne } from '../../src/simulator/simulate.ts'
import { anyText } from '../any-text.ts'
import { messages, traceOf, withGroups } from '../simulator/arbitrary.ts'
import { addedBy } from '../simulator/joins.ts'

const valuesOf = (plugin: Estimator) =>
  Object.fromEntries(Object.entries(plugin.params).map(([key, param]) => [key, param.default]))

const contexts: { provider: ProviderName; model: string | null }[] = [
  { provider: 'openai', model: null },
  { provider: 'openai', model: 'gpt-4' },
  { provider: 'openai', model: 'gpt-5.2' },
  { provider: 'anthropic', model: 'claude-opus-4-6' },
  { provider: 'google', model: 'gemini-2.5-pro' },
]

const usage = fc.record({ input: fc.integer({ min: 0, max: 300_000 }), output: fc.integer({ min: 0, max: 9000 }) })

/** Transcripts with usage on some responses. */
const transcripts = fc
  .tuple(messages, fc.array(fc.option(usage), { minLength: 60, maxLength: 60 }))
  .map(([list, usages]) =>
    withGroups(
      list.map((message, index): Message => {
        const own = usages[index]
        if (message.role !== 'assistant' || !own) return message
        const full: Usage = { ...own, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 }
        return { ...message, usage: full }
      }),
    ),
  )

const odd = fc.oneof(fc.string(), anyText(), fc.constantFrom('\ud800', '\udfff\ud800', '\ufeff', '<|endoftext|>', '\0'))
const block: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: odd }),
  fc.record({ type: fc.constant('thinking' as const), text: odd }),
  fc.record({ type: fc.constant('opaque' as const), bytes: fc.nat() }),
  fc.record({
    type: fc.constant('call' as const),
    id: odd,
    name: odd,
    input: fc.oneof(fc.jsonValue(), odd, fc.constant(undefined)),
  }),
  fc.record({
    type: fc.constantFrom('image' as const, 'document' as const),
    mediaType: odd,
    bytes: fc.nat(),
    data: fc.oneof(odd, fc.base64String()),
  }),
)
const hostile: fc.Arbitrary<Message> = fc.record({
  role: fc.constantFrom('system' as const, 'user' as const, 'assistant' as const, 'tool' as const),
  line: fc.nat(),
  blocks: fc.array(block, { maxLength: 5 }),
  wire: fc.oneof(fc.record({ provider: fc.constant('openai' as const), value: fc.jsonValue() })),
})

it('each is registered under the name of its file', () => {
  const files = new Set(readdirSync(new URL('../../src/estimators', import.meta.url)))
  for (const { name } of estimators.all) expect(files).toContain(`${name}.ts`)
})

describe.each(estimators.all.map((plugin) => [plugin.name, plugin] as const))('%s', (_, plugin) => {
  const values = valuesOf(plugin)

  it('gives every message a finite size that is not below zero, the same each time', () => {
    fc.assert(
      fc.property(hostile, fc.constantFrom(...contexts), (message, context) => {
        // A message that no API would accept is refused when its wire form is built, not when it is sized.
        const plain =
          plugin.name === 'bytes' || context.model === null ? { ...message, wire: undefined as never } : message
        const [one, other] = [plugin.meter(context, values), plugin.meter(context, values)]
        const units = one.message(plain)
        expect(Number.isFinite(units) && units >= 0).toBe(true)
        const joins = one.joins({ system: [], complete: true })
        for (const continues of [0, shapes.continues])
          for (const end of ends)
            if (units > 0) expect(units + joins(end, shapeOf(plain) | continues)).toBeGreaterThanOrEqual(0)
        expect(other.message(plain)).toBe(units)
      }),
    )
  })

  it('adds up: a request is its preamble, its messages and their joins, and what passes', () => {
    fc.assert(
      fc.property(transcripts, fc.constantFrom(...contexts), (list, { provider, model }) => {
        const plan: Plan = {
          policies: [{ plugin: keepAll, values: {} }],
          estimators: [{ plugin, values }],
          budgets: [0],
          preamble: 'auto',
          model,
          provider,
          native: false,
        }
        const sizers = sizersFor(plan)
        const trace = traceOf(list, sizers(traceOf([], [], provider).head), provider)
        const context = { provider, model }
        const other = plugin.uncorrected?.(context)
        const isOther = other && !canCorrect(trace)
        const counting = isOther ? other : { plugin, values }
        const at = isOther ? 1 : 0
        const meter = counting.plugin.meter(context, counting.values)
        const scale = counting.plugin.scale(trace, at, counting.values, context)
        const joins = meter.joins(trace.preamble)
        const seen: number[] = []
        const run = simulateOne(firstCell(trace, plan), [{ request: ({ fullTokens }) => void seen.push(fullTokens) }])

        let units = run.preambleSource === 'inferred' ? null : meter.preamble(trace.preamble)
        const full: number[] = []
        // What a model thought since the newest prompt behind an answer, where it drops that at the next.
        const passing = (end: number): number => {
          const ended = findExchanges(trace).filter(({ to, state }) => state === 'complete' && to < end)
          const from = ended.at(-1)?.to ?? 0
          return list.slice(from, end).reduce((sum, _, at) => sum + (scale.passing?.of(from + at) ?? 0), 0)
        }
        for (const [index] of list.entries()) {
          if (trace.isResponse(index)) full.push((units ?? 0) + passing(index))
          const of = (message: number) => scale.of?.(message) ?? trace.units(message, at)
          const own = of(index)
          if (!(Number.isFinite(own) && own >= 0)) expect.fail(`message ${index} has ${own}`)
          units = (units ?? 0) + addedBy(trace, { of, joins }, 0, index)
        }
        // Except for rounding, a request exceeds the first by the same amount with any preamble.
        for (const [at, tokens] of full.entries()) {
          const growth = scale.tokens(tokens) - scale.tokens(full[0] ?? 0)
          const grown = seen[at]! - seen[0]!
          if (!(Math.abs(grown - growth) <= 1))
            expect.fail(`request ${at} exceeds the first by ${grown}, not ${growth}`)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('never gives fewer tokens for more units, and finds the units of tokens again', () => {
    fc.assert(
      fc.property(transcripts, fc.array(fc.double({ min: 0, max: 1e7, noNaN: true })), (list, sizes) => {
        const context = { provider: 'openai', model: 'gpt-5' } as const
        const meter = plugin.meter(context, values)
        const trace = traceOf(list, [meter.message])
        const scale = plugin.scale(trace, 0, values, context)
        const tokens = sizes.sort((a, b) => a - b).map(scale.tokens)
        expect(tokens).toEqual([...tokens].sort((a, b) => a - b))
        expect(tokens.filter((count) => !(Math.abs(scale.tokens(scale.units(count)) - count) <= 1))).toEqual([])
      }),
      { numRuns: 40 },
    )
  })
})
