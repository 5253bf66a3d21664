import { describe, expect, it } from 'vitest'
import { policies } from '../../src/policies/index.ts'
import { choose } from '../../src/simulator/simulate.ts'

describe('choose', () => {
  const plugin = policies.get('ikigai')

  it('fills in the defaults', () => {
    expect(choose(plugin, { target: '0.5' })).toEqual({ plugin, values: { keepLast: 1, target: 0.5 } })
  })

  it('refuses a param that is not there, and a value that is none', () => {
    expect(() => choose(plugin, { taget: 1 })).toThrow('unknown param of ikigai "taget". Did you mean "target"?')
    expect(() => choose(plugin, { target: 2 })).toThrow('ikigai:target: 2 is not')
  })
})
