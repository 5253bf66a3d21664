import { describe, expect, it } from 'vitest'
import { closest } from '../../src/base/closest.ts'

const few = ['table', 'json', 'ndjson', 'csv']
const many = [
  'maxPeakTokens',
  'maxSentTokens',
  'maxCuts',
  'maxLostReferencePercent',
  'maxSavedPercent',
  'minSavedPercent',
].concat(Array.from({ length: 100 }, (_, index) => `maxOther${'x'.repeat(9)}${index}`))

describe('a name that there is not', () => {
  it('is taken for the one that was mistyped', () => {
    expect(closest('jsno', few)).toBe('Did you mean "json"?')
    expect(closest('maxpeaktoken', many)).toBe('Did you mean "maxPeakTokens"?')
  })

  it('gets all names where they are few', () => {
    expect(closest('spreadsheet', few)).toBe('Known: table, json, ndjson, csv')
  })

  it('gets those that share most of its words where they are many, and where to find the rest', () => {
    expect(closest('percentLost', many, 'the list has all')).toMatch(
      /^Nearest: maxLostReferencePercent, (maxSavedPercent|minSavedPercent), \w+; the list has all$/,
    )
  })

  it('gets the nearest where none shares a word', () => {
    expect(closest('q', many).split(', ')).toHaveLength(6)
  })

  it('is taken for none that has not one letter of it', () => {
    expect(closest('', ['o1', 'o3'])).toBe('Known: o1, o3')
    expect(closest('xy', ['o1', 'o3'])).toBe('Known: o1, o3')
  })

  it('may be as long as a file', () => {
    expect(closest('x'.repeat(1_000_000), many)).toMatch(/^Nearest: /)
  })

  it('may be asked of nothing', () => {
    expect(closest('x', [])).toBe('It has none.')
  })
})
