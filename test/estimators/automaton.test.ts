import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newVisits, price, states, visit } from '../../src/estimators/automaton.ts'
import { anyText } from '../any-text.ts'

const visitsOf = (text: string) => {
  const visits = newVisits()
  visit(text, visits)
  return visits
}
const named = (text: string) =>
  Object.fromEntries([...visitsOf(text)].map((count, id) => [states[id], count]).filter(([, count]) => count !== 0))

const texts = fc.oneof(anyText(), fc.string({ unit: 'grapheme' }), fc.string())

describe('the automaton', () => {
  test('has distinct states that fit its table', () => {
    expect(new Set(states).size).toBe(states.length)
    expect(states.length).toBeLessThanOrEqual(256)
  })

  test('visits one state for each code unit', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(visitsOf(text).reduce((sum, count) => sum + count, 0)).toBe(text.length)
      }),
    )
  })

  test('begins each text in the start state', () => {
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        const together = visitsOf(one)
        visit(other, together)
        const apart = visitsOf(other)
        expect([...together]).toEqual([...visitsOf(one)].map((count, id) => count + apart[id]!))
      }),
    )
  })

  test('prices a text as its visits times the costs', () => {
    const costs = Float64Array.from(states, (_, id) => (id * 37) % 101)
    fc.assert(
      fc.property(texts, (text) => {
        const slow = [...visitsOf(text)].reduce((sum, count, id) => sum + count * costs[id]!, 0)
        expect(price(text, costs)).toBe(slow)
      }),
    )
  })

  test('tells words, humps, numbers and runs apart', () => {
    expect(named('12345')).toEqual({ 'digit:1joined': 1, 'digit:2': 2, 'digit:3': 1, 'digit:1': 1 })
    expect(named(' aTb')).toEqual({ 'space:1': 1, 'word:1vowelspaced': 1, 'upper:1hump': 1, 'word:2rare': 1 })
    expect(named('==\n\n\n')).toEqual({ 'rule:1': 1, 'rule:2': 1, 'newline:1': 1, 'newline:2': 2 })
    expect(named('漢字')).toEqual({ 'han:1': 1, 'han:2': 1 })
  })
})
