import { describe, expect, it } from 'vitest'
import { requests, Talk } from '../requests.ts'

describe('roo-truncate', () => {
  const talk = (messages: number) => {
    const talk = new Talk()
    for (let index = 0; index < messages; index++) {
      if (index % 2 === 0) talk.user(`${index}`.padEnd(100))
      else talk.assistant(`${index}`.padEnd(100))
    }
    return (messages % 2 === 0 ? talk.user('last') : talk).assistant('done').messages
  }
  const short = (messages: readonly string[] | undefined) => messages?.map((message) => message.slice(0, 40).trim())
  const sent = (messages: number, budget: number, given = {}) =>
    short(requests('roo-truncate', talk(messages), { budget, given: { maxOutput: 10, ...given } }).at(-1))

  it('drops half of the messages behind the first, an even number', () => {
    // 900 tokens; nine tenths of 1,011 less 10 are 899.9.
    expect(sent(9, 1011)).toEqual([
      'user: 0',
      'user: [Sliding window truncation: 4 mess',
      'assistant: 5',
      'user: 6',
      'assistant: 7',
      'user: 8',
    ])
    expect(sent(11, 1230)?.slice(0, 3)).toEqual(['user: 0', 'user: [Sliding window truncation: 4 mess', 'assistant: 5'])
  })

  it('does nothing at nine tenths less the room for an answer', () => {
    expect(sent(9, 1012)).toHaveLength(9)
  })

  it('can replace everything by a summary', () => {
    expect(sent(9, 1011, { condense: true, summaryTokens: 7 })).toEqual(['user: [summary, 7 tokens]'])
  })
})
