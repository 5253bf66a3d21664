import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../src/model/message.ts'
import { canCorrect } from '../../src/model/recorded.ts'
import type { Sizer, Trace } from '../../src/model/trace.ts'
import { TraceBuilder } from '../../src/readers/trace-builder.ts'
import { headOf } from '../simulator/arbitrary.ts'

interface Step {
  readonly units: number
  readonly input: number | null
  /** Takes back this share of the messages first. */
  readonly back: number | null
}

/** Each message is its number, and has so many units for the first sizer and ten times as many for the spare one. */
function read(steps: readonly Step[]): { readonly trace: Trace; readonly asked: number; readonly exact: number[] } {
  const exact: number[] = []
  let asked = 0
  const units = ({ line }: Message): number => steps[line]!.units
  const spare: Sizer = Object.assign(
    (message: Message): number => {
      asked++
      return 10 * units(message)
    },
    { spareFor: 0 },
  )
  const builder = new TraceBuilder(headOf('openai'), [units, spare], false)
  for (const [line, { units, input, back }] of steps.entries()) {
    if (back !== null) {
      exact.length = Math.floor(exact.length * back)
      builder.rewind(exact.length)
    }
    exact.push(10 * units)
    const usage = { input: input ?? 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 }
    builder.add({ role: 'assistant', line, blocks: [], ...(input !== null && { usage }) })
  }
  return { trace: builder.build(), asked, exact }
}

const sizesIn = (trace: Trace, meter: number): number[] =>
  Array.from({ length: trace.length }, (_, index) => trace.units(index, meter))

/** With so much, a transcript does not wait to its end. */
const much = 100_000

const stepsOf = (usage: fc.Arbitrary<number | null>, units: fc.Arbitrary<number>) =>
  fc.array(
    fc.record({ units, input: usage, back: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { freq: 5 }) }),
    { minLength: 1, maxLength: 30 },
  )
const input = fc.integer({ min: 1, max: 9999 })

describe('sizes that are seldom needed', () => {
  it('are those of every message where too little usage is recorded', () => {
    const few = stepsOf(fc.option(input, { freq: 1 }), fc.integer({ min: 0, max: 500 }))
    const none = stepsOf(fc.constant(null), fc.integer({ min: 0, max: much }))
    fc.assert(
      fc.property(fc.oneof(few, none), (steps) => {
        const { trace, exact } = read(steps)
        expect(trace.isSized(1)).toBe(!canCorrect(trace))
        if (trace.isSized(1)) expect(sizesIn(trace, 1)).toEqual(exact)
      }),
    )
  })

  it('are all there or not at all, however long the transcript is', () => {
    fc.assert(
      fc.property(stepsOf(fc.option(input), fc.integer({ min: 0, max: much })), (steps) => {
        const { trace, exact } = read(steps)
        if (trace.isSized(1)) expect(sizesIn(trace, 1)).toEqual(exact)
        else expect(sizesIn(trace, 1).at(-1)).toBeNaN()
      }),
    )
  })

  it('are not asked for where usage is recorded', () => {
    const read1 = (input: number | null) => read([{ units: 900, input, back: null }])
    expect(read1(1000).asked).toBe(0)
    expect(read1(null).asked).toBe(1)
  })
})
