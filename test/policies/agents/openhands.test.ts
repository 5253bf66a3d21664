import { describe, expect, it } from 'vitest'
import { requests, Talk } from '../requests.ts'

describe('openhands-condense', () => {
  const talk = (messages: number) => {
    const talk = new Talk()
    for (let index = 0; index < messages; index++) {
      if (index % 2 === 0) talk.user(`${index}`.padEnd(50))
      else talk.assistant(`${index}`.padEnd(50))
    }
    return talk.assistant('done').messages
  }
  const sent = (messages: number, budget: number, maxSize = 10) =>
    requests('openhands-condense', talk(messages), { budget, given: { maxSize, summaryTokens: 9 } })
      .at(-1)
      ?.map((message) => message.slice(0, 20).trim())

  it('keeps the first two events, a summary and the newest of half of the most', () => {
    expect(sent(11, 10_000)).toEqual(['user: 0', 'assistant: 1', 'user: [summary, 9 to', 'assistant: 9', 'user: 10'])
  })

  it('does nothing with as many events as it may have', () => {
    expect(sent(10, 10_000)).toHaveLength(10)
  })

  it('keeps half of the tokens when they are too many', () => {
    // 450 tokens; half of 449 are four messages of 50.
    expect(sent(9, 450, 100)).toHaveLength(9)
    expect(sent(9, 449, 100)).toEqual([
      'user: 0',
      'assistant: 1',
      'user: [summary, 9 to',
      'assistant: 5',
      'user: 6',
      'assistant: 7',
      'user: 8',
    ])
  })

  it('does nothing for less than a tenth of the events', () => {
    expect(sent(11, 10_000, 4)).not.toHaveLength(11)
    const given = { maxSize: 10, keepFirst: 10, summaryTokens: 9 }
    expect(requests('openhands-condense', talk(11), { budget: 10_000, given }).at(-1)).toHaveLength(11)
  })
})

describe('openhands-mask', () => {
  const result = (result: string) => ({ name: 'run', result })
  const sent = (attentionWindow: number) =>
    requests(
      'openhands-mask',
      new Talk().user('go').calls(result('a')).calls(result('b'), result('c')).assistant('done').messages,
      {
        budget: 0,
        given: { attentionWindow },
      },
    ).at(-1)

  it('counts events: a call each, a result each', () => {
    // The newest events: c, b, their two calls, a.
    expect(sent(5)?.filter((message) => message.includes('MASKED'))).toEqual([])
    expect(sent(4)).toEqual(['user: go', 'assistant: ', 'tool: <MASKED>', 'assistant: ', 'tool: b', 'tool: c'])
    expect(sent(1)?.slice(-2)).toEqual(['tool: <MASKED>', 'tool: c'])
  })
})
