import fc from 'fast-check'
import { expect, test } from 'vitest'
import { price, states } from '../../src/estimators/automaton.ts'
import { priceInKernel } from '../../src/estimators/pricer.ts'
import { anyText } from '../any-text.ts'

// No sum of such costs is exact, so another order of adding them up gives another sum.
const someCosts = Float64Array.from(states, (_, id) => ((id * 37) % 101) / 7)
const otherCosts = Float64Array.from(states, (_, id) => ((id * 53) % 89) / 11)

const units = fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)) })

test('WebAssembly prices a text as TypeScript does, whatever costs it had before', () => {
  fc.assert(
    fc.property(fc.oneof(anyText(), units), fc.constantFrom(someCosts, otherCosts), (text, costs) => {
      expect(priceInKernel(text, costs)).toBe(price(text, costs))
    }),
    { numRuns: 1000 },
  )
})

test.each([0, 1, 0x3fff, 0x4000, 0x4001, 0x8000, 100_001])('WebAssembly prices a text of %i code units', (length) => {
  const text = 'Über 1,234 Zeilen: getHTTPResponse(x)\n\t漢字🎉 '.repeat(3000).slice(0, length)
  expect(priceInKernel(text, someCosts)).toBe(price(text, someCosts))
})
