/** Sessions with recorded usage and known prices, for the measures of money. */
import fc from 'fast-check'
import { type Message, textOf, type Usage } from '../../src/model/message.ts'
import type { Sizes } from '../../src/model/sizes.ts'
import type { Trace } from '../../src/model/trace.ts'
import type { ModelTable } from '../../src/models/table.ts'

export const size = (message: Message): number => textOf(message).length

/** A token a character. */
export function sizesOf(trace: Trace, preamble = 0): Sizes {
  return {
    preamble,
    joins: () => 0,
    of: (index) => trace.units(index, 0),
    message: size,
    tokens: (units) => units,
    units: (tokens) => tokens,
  }
}

export const table: ModelTable = {
  asOf: '2026-01-01',
  sources: [],
  cacheRules: [
    { id: 'a', minPrefix: 10, granularity: 'block', ttl: 300, read: 0.1, write: 1.25, write1h: 2, source: 'test' },
    { id: 'o', minPrefix: 10, granularity: 10, ttl: 300, read: 0.5, write: 1, source: 'test' },
  ],
  models: [
    { id: 'dear', provider: 'anthropic', cache: 'a', price: { input: 10, output: 50 } },
    { id: 'cheap', provider: 'anthropic', cache: 'a', price: { input: 2, output: 10 } },
    { id: 'other', provider: 'openai', cache: 'o', price: { input: 4, output: 8 } },
    { id: 'unpriced', provider: 'anthropic', cache: 'a' },
  ],
}

export const usage: fc.Arbitrary<Usage> = fc
  .tuple(fc.nat(3000), fc.nat(100), fc.nat(100), fc.nat(100), fc.nat(500))
  .map(([input, read, write, hour, output]) => {
    const cacheRead = Math.floor((input * read) / 100)
    const cacheWrite = Math.floor(((input - cacheRead) * write) / 100)
    return { input, cacheRead, cacheWrite, cacheWrite1h: Math.floor((cacheWrite * hour) / 100), output }
  })
