/**
 * A law of everything that counts: the same tool definition adds the same each time, however many stand in front of it. It is
 * asked of each estimator and family, of the counters of programs, and of a window in an agent.
 */
import { describe, expect, it } from 'vitest'
import type { Params, Values } from '../../src/base/param.ts'
import { estimators } from '../../src/estimators/index.ts'
import { live } from '../../src/live/index.ts'
import { families } from '../../src/model/families.ts'
import type { Preamble, ProviderName } from '../../src/model/message.ts'
import type { NativeCounter } from '../../src/policies/policy.ts'
import { subjects } from './subjects.ts'

const schema = {
  type: 'object',
  properties: { path: { type: 'string', description: 'Absolute path, “as typed”' }, all: { type: 'boolean' } },
  required: ['path'],
}
/** One tool, as each API has it. */
const forms: Readonly<Record<string, unknown>> = {
  anthropic: { name: 'read', description: 'Reads a file.', input_schema: schema },
  chat: { type: 'function', function: { name: 'read', description: 'Reads a file.', parameters: schema } },
  responses: { type: 'function', name: 'read', description: 'Reads a file.', parameters: schema },
  google: { functionDeclarations: [{ name: 'read', description: 'Reads a file.', parameters: schema }] },
}
const names = Object.keys(forms)

/** What each tool behind the first adds. */
function growth(count: (tools: readonly unknown[]) => number, tool: unknown): number[] {
  const counts = Array.from({ length: 14 }, (_, more) => count(Array.from({ length: more + 1 }, () => tool)))
  return counts.slice(1).map((one, at) => one - (counts[at] as number))
}

/** @param rounding how much two differences may be apart where each count is rounded by itself */
function expectLinear(differences: readonly number[], rounding: number): void {
  expect(Math.min(...differences)).toBeGreaterThan(0)
  expect(Math.max(...differences) - Math.min(...differences)).toBeLessThanOrEqual(rounding)
}

const withTools = (tools: readonly unknown[]): Preamble => ({ system: [], tools, complete: true })

const models: readonly (readonly [ProviderName, string | null])[] = [
  ['anthropic', 'claude-opus-4-6'],
  ['anthropic', null],
  ['openai', 'gpt-5.2'],
  ['openai', 'gpt-4'],
  ['google', 'gemini-2.5-pro'],
]
const plain = estimators.all.map((plugin) => {
  const values = Object.fromEntries(Object.entries(plugin.params).map(([key, param]) => [key, param.default]))
  return [plugin.name, plugin, values as Values<Params>] as const
})
const ofFamilies = families.map((family) => [`estimate:${family}`, estimators.get('estimate'), { family }] as const)

describe.each([...plain, ...ofFamilies])('%s', (_, plugin, values) => {
  it.each(names)('counts each tool in the form of %s alike', (form) => {
    for (const [provider, model] of models) {
      const meter = plugin.meter({ provider, model }, values)
      // Sums of fractions: the last digits are no rounding of a count.
      expectLinear(
        growth((tools) => meter.preamble(withTools(tools)), forms[form]),
        1e-6,
      )
    }
  })
})

describe('counters of programs', () => {
  const counters = new Map(
    subjects.flatMap(({ policy }) =>
      policy.native && 'preamble' in policy.native ? [[policy.native, policy.name] as [NativeCounter, string]] : [],
    ),
  )
  const counting = [...counters].filter(
    ([{ preamble }]) => preamble(withTools([forms.chat])) > preamble({ system: [], complete: true }),
  )

  it('some of them count tools', () => {
    expect(counting.length).toBeGreaterThan(2)
  })

  it.each(counting.map(([counter, name]) => [name, counter] as const))('%s', (_, { preamble }) => {
    // They round each sum to whole units.
    for (const form of names)
      expectLinear(
        growth((tools) => preamble(withTools(tools)), forms[form]),
        1,
      )
  })
})

describe('a window in an agent', () => {
  it.each(['anthropic', 'chat', 'responses'] as const)('%s', (api) => {
    const prompt = [{ role: 'user', content: 'Hi' }]
    const count = (tools: readonly unknown[]) =>
      live('ikigai', { api, budget: 100_000, model: 'claude-sonnet-4-5', tools }).next(prompt).tokens
    // Its tokens are whole ones.
    expectLinear(growth(count, forms[api]), 1)
  })
})
