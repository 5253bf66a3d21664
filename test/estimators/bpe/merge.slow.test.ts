import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PieceMerger } from '../../../src/estimators/bpe/merge.ts'
import { loadMerges, PADDING } from '../../../src/estimators/bpe/tables.ts'
import { ENCODINGS, referenceRanks, slowTokens } from './reference.ts'

describe.each(ENCODINGS)('merging one piece of %s', (encoding) => {
  const ranks = referenceRanks(encoding)
  const merger = new PieceMerger(loadMerges(encoding))
  const count = (piece: Uint8Array) => {
    const padded = new Uint8Array(piece.length + PADDING).fill(0xff)
    padded.set(piece)
    return merger.count(padded, 0, piece.length)
  }
  const same = (piece: Uint8Array): void => {
    expect(count(piece)).toBe(slowTokens(ranks, piece))
  }

  it('makes every token of the vocabulary one token', () => {
    const wrong = [...ranks.keys()].filter((token) => count(Buffer.from(token, 'latin1')) !== 1)
    expect(wrong).toEqual([])
  })

  it('equals the obvious algorithm on any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), same))
  })

  it.each(['ab', ' \n', '=-', 'aA', 'the', 'abcdefghijklmnopqrstuvwxyz'])('equals it on runs over %j', (alphabet) => {
    const piece = fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength: 200 })
    fc.assert(fc.property(piece, (text) => same(Buffer.from(text))))
  })

  it('equals it on tokens of the vocabulary put together', () => {
    const tokens = [...ranks.keys()]
    const joined = fc.array(fc.nat(tokens.length - 1), { minLength: 1, maxLength: 20 })
    fc.assert(fc.property(joined, (picks) => same(Buffer.from(picks.map((i) => tokens[i]!).join(''), 'latin1'))))
  })

  it('forgets a piece when it is done with it', () => {
    const long = Buffer.from('tokenisation'.repeat(20))
    const first = count(long)
    count(Buffer.from('=-'.repeat(300)))
    expect(count(long)).toBe(first)
  })
})
