import { describe, expect, it } from 'vitest'
import { policies } from '../../src/policies/index.ts'
import { choose } from '../../src/simulator/simulate.ts'

describe('choose', () => {
  const plug = policies.get('ikigai')

  it('fills in the defaults', () => {
    expect(choose(plug, { target: '0.5' })).toEqual({ plug, values: { keepLast: 1, target: 0.5 } })
  })

  it('refuses a param that is not there, and a value that is none', () => {
    expect(() => choose(plug, { taget: 1 })).toThrow('unknown setting of ikigai "taget". Did you mean "target"?')
    expect(() => choose(plug, { target: 2 })).toThrow('ikigai:target: 2 is not')
  })
})
