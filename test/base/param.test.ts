import { describe, expect, it } from 'vitest'
import { choice, flag, integer, number, parseTokens, resolveParams, words, wordsOf } from '../../src/base/param.ts'

describe('parseTokens', () => {
  it.each([
    ['100000', 100_000],
    ['100k', 100_000],
    ['0.2M', 200_000],
    ['0.29m', 290_000],
    ['1_000', 1000],
    [' 5k ', 5000],
    [0, 0],
    ['0.5', undefined],
    ['1.0001k', undefined],
    ['10x', undefined],
    ['-1', undefined],
    ['', undefined],
    ['1e5', undefined],
  ])('%j is %j', (word, tokens) => expect(parseTokens(word)).toBe(tokens))
})

describe('resolveParams', () => {
  const params = {
    keepLast: integer({ default: 1, min: 1, help: '' }),
    target: number({ default: 1, min: 0, max: 1, help: '' }),
    where: choice({ default: 'head', of: ['head', 'tail'], help: '' }),
    quiet: flag({ default: false, help: '' }),
  }

  it('fills in defaults and parses words', () => {
    const given = { keepLast: '2', target: '0.5', where: 'tail', quiet: 'true' }
    expect(resolveParams('p', params, {})).toEqual({ keepLast: 1, target: 1, where: 'head', quiet: false })
    expect(resolveParams('p', params, given)).toEqual({ keepLast: 2, target: 0.5, where: 'tail', quiet: true })
  })

  it.each([
    [{ keepLast: '0' }, 'p:keepLast: "0" is not a whole number of at least 1'],
    [{ keepLast: '1.5' }, 'p:keepLast: "1.5" is not a whole number of at least 1'],
    [{ keepLast: '' }, 'p:keepLast: "" is not a whole number of at least 1'],
    [{ target: '2' }, 'p:target: "2" is not a number from 0 to 1'],
    [{ where: 'x' }, 'p:where: "x" is not one of head, tail'],
    [{ quiet: 'maybe' }, 'p:quiet: "maybe" is not true or false'],
    [{ keeplast: '2' }, 'unknown param of p "keeplast". Did you mean "keepLast"?'],
    [{ constructor: '2' }, 'unknown param of p "constructor". Known: keepLast, target, where, quiet'],
  ])('refuses %j: %s', (given, message) => expect(() => resolveParams('p', params, given)).toThrow(message))
})

describe('words', () => {
  const param = words({ of: ['human', 'ai'], help: '' })

  it('are joined by +, or a list in a config file', () => {
    expect(wordsOf(param.parse('human+ai') ?? '')).toEqual(['human', 'ai'])
    expect(param.parse(['human', 'ai'])).toBe('human+ai')
    expect(wordsOf(param.default)).toEqual([])
    expect(wordsOf(param.parse([]) ?? '')).toEqual([])
  })

  it.each(['user', 'human+', '', 7])('are not %j', (value) => {
    expect(param.parse(value)).toBeUndefined()
  })
})
