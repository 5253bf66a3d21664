import { describe, expect, it } from 'vitest'
import { limitOf } from '../../../src/policies/agents/aider-summary.ts'
import { requests, Talk } from '../requests.ts'

describe('aider-summary', () => {
  it('takes a sixteenth of the window, from 1,024 to 8,192 tokens', () => {
    expect([8_000, 65_536, 200_000].map(limitOf)).toEqual([1024, 4096, 8192])
  })

  const talk = (exchanges: number, tokens: number) => {
    const talk = new Talk()
    for (let index = 0; index < exchanges; index++)
      talk.user(`${index}`.padEnd(tokens)).assistant(`${index}`.padEnd(tokens))
    return talk.user('now').assistant('done').messages
  }
  const sent = (exchanges: number, tokens: number, limit: number) =>
    requests('aider-summary', talk(exchanges, tokens), { budget: 1, given: { limit, summaryTokens: 10 } })
      .at(-1)
      ?.map((message) => message.slice(0, 26).trim())

  it('summarises what is in front of less than half of the limit, up to a message of the assistant', () => {
    // Ten messages of 100: four are less than 500, the fifth would not be.
    expect(sent(5, 100, 999)).toEqual([
      'user: [summary, 10 tokens]',
      'assistant: Ok.',
      'user: 3',
      'assistant: 3',
      'user: 4',
      'assistant: 4',
      'user: now',
    ])
  })

  it('does nothing at the limit', () => {
    expect(sent(3, 100, 600)).toHaveLength(7)
  })

  it('summarises everything if at most four messages are in front', () => {
    expect(sent(2, 100, 399)).toEqual(['user: [summary, 10 tokens]', 'assistant: Ok.', 'user: now'])
  })
})
