import { describe, expect, it } from 'vitest'
import { requests, Talk } from '../requests.ts'

describe('letta-sliding', () => {
  /** So many messages of so many tokens, the last of them of the user and as large as `last`. */
  const talk = (messages: number, tokens: number, last: number) => {
    const talk = new Talk()
    for (let index = 0; index < messages; index++) {
      if (index % 2 === messages % 2) talk.assistant(`${index}`.padEnd(tokens))
      else talk.user(`${index}`.padEnd(index === messages - 1 ? last : tokens))
    }
    return talk.assistant('done').messages
  }
  const sent = (messages: number, budget: number, tokens = 100, last = 100) =>
    requests('letta-sliding', talk(messages, tokens, last), { budget, given: { summaryTokens: 10 } })
      .at(-1)
      ?.map((message) => message.slice(0, 26).trim())

  it('evicts 40 % of the messages at first, back to one of the assistant', () => {
    expect(sent(10, 1000)?.slice(0, 3)).toEqual(['user: [summary, 10 tokens]', 'assistant: 4', 'user: 5'])
    expect(sent(11, 1200)?.slice(0, 3)).toEqual(['user: [summary, 10 tokens]', 'assistant: 3', 'user: 4'])
  })

  it('acts over nine tenths of the window', () => {
    expect(sent(9, 1000)).toHaveLength(9)
    expect(sent(9, 999)).not.toHaveLength(9)
  })

  it('evicts more until less than 70 % of the window is left', () => {
    // 40 % leave 600 of 800, 50 % are the same messages; 60 % leave 500.
    expect(sent(10, 800, 50, 350)?.slice(0, 2)).toEqual(['user: [summary, 10 tokens]', 'assistant: 6'])
  })
})
