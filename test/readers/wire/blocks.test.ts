import { describe, expect, it } from 'vitest'
import { reasoningDetails, thinkingBlocks } from '../../../src/readers/wire/blocks.ts'

const thinking = (text: string) => ({ type: 'thinking', text })
const text = (text: string) => ({ type: 'text', text })
const opaque = (bytes: number) => ({ type: 'opaque', bytes })

describe('reasoning_details', () => {
  it.each<[string, unknown, unknown[]]>([
    [
      'entries of each kind',
      [{ text: 'a' }, { summary: 'b' }, { data: 'abc' }],
      [thinking('a'), thinking('b'), opaque(3)],
    ],
    ['nothing', null, []],
    ['a signature only', [{ type: 'reasoning.text', text: '', signature: 'abc' }], []],
    ['one entry without its list', { text: 'a' }, [thinking('a')]],
    ['a text without its list', 'a', [thinking('a')]],
    ['a text as an entry', ['a'], [thinking('a')]],
    ['another type', 7, [text('7')]],
    ['another type in an entry', [{ text: { a: 1 } }, { data: 7 }], [text('{"a":1}'), text('7')]],
  ])('loses nothing of %s', (_, details, blocks) => {
    expect(reasoningDetails(details, false)).toEqual(blocks)
  })

  it('does not say again what a field of its own says, but keeps what that cannot hold', () => {
    expect(reasoningDetails([{ text: 'a' }, { data: 'abc' }, { text: [1] }], true)).toEqual([opaque(3), text('[1]')])
  })

  it('has the same for a field of its own', () => {
    expect([undefined, null, '', 'a', ['a']].map(thinkingBlocks)).toEqual([
      [],
      [],
      [],
      [thinking('a')],
      [text('["a"]')],
    ])
  })
})
