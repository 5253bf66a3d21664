import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Samples, samplesInKernel, samplesInTypescript } from '../../src/estimators/samples.ts'

const number = fc.oneof(fc.nat({ max: 1_000_000 }), fc.double({ noNaN: true }), fc.constantFrom(0, -0, Infinity, NaN))
const sample = fc.record({
  head: fc.constantFrom(0, 1),
  units: number,
  beyond: number,
  tokens: number,
  input: number,
})
const fitted = fc.tuple(number, number, number)

test('WebAssembly adds up the samples of a calibration as TypeScript does, to the last bit and whatever it had before', () => {
  fc.assert(
    fc.property(
      fc.array(sample, { maxLength: 40 }),
      fc.array(fitted, { minLength: 1, maxLength: 3 }),
      (rows, rounds) => {
        const sumsIn = (samples: Samples): Float64Array => {
          for (const [at, { head, units, beyond, tokens, input }] of rows.entries()) {
            samples.heads[at] = head
            samples.units[at] = units
            samples.beyond[at] = beyond
            samples.tokens[at] = tokens
            samples.inputs[at] = input
          }
          for (const [preamble, factor, thought] of rounds) samples.addSamples(preamble, factor, thought)
          return samples.sums.slice()
        }
        expect(sumsIn(samplesInKernel(rows.length))).toEqual(sumsIn(samplesInTypescript(rows.length)))
      },
    ),
  )
})

test('WebAssembly makes room for the samples of a session of a hundred thousand requests', () => {
  const sumsIn = (samples: Samples): Float64Array => {
    for (let at = 0; at < 100_000; at++) {
      samples.heads[at] = at % 2
      samples.beyond[at] = at % 7
      samples.units[at] = (at * 37) % 1009
      samples.tokens[at] = (at * 53) % 2003
      samples.inputs[at] = 1 + at
    }
    samples.addSamples(100, 1.5, 0.5)
    return samples.sums.slice()
  }
  expect(sumsIn(samplesInKernel(100_000))).toEqual(sumsIn(samplesInTypescript(100_000)))
})
