import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keptOf } from '../../../src/policies/agents/copilot-compact.ts'
import { requests, Talk } from '../requests.ts'

describe('copilot-compact', () => {
  const text = (tokens: number, letter: string) => letter.repeat(tokens)
  /** Requests of 800, 900 and 950 tokens, and one more. */
  const talk = () =>
    new Talk()
      .user(text(100, 'a'))
      .assistant(text(100, 'x'))
      .user(text(600, 'b'))
      .assistant(text(50, 'y'))
      .user(text(50, 'c'))
      .assistant(text(25, 'z'))
      .user(text(25, 'd'))
      .assistant('done').messages
  const given = { summaryTokens: 5 }
  const asked = (budget: number, list = talk()) => requests('copilot-compact', list, { budget, given })

  it('sends the request of 80 % as it is, and the next with the summary in front of what came since', () => {
    const sent = asked(1000)
    expect(sent[1]).toHaveLength(3)
    expect(sent[2]).toEqual([
      `user: ${text(100, 'a')}`,
      `user: ${text(600, 'b')}`,
      'user: [summary, 5 tokens]',
      `assistant: ${text(50, 'y')}`,
      `user: ${text(50, 'c')}`,
    ])
  })

  it('does nothing below 80 %', () => {
    expect(asked(1001)[2]).toHaveLength(5)
    expect(asked(1001)[3]).not.toHaveLength(7)
    expect(asked(2000)[3]).toHaveLength(7)
  })

  it('waits for the model where times are recorded, and at 95 % in any case', () => {
    const at = (seconds: number[]) =>
      talk().map((message, index) => ({ ...message, time: 1e12 + (seconds[(index - 1) >> 1] ?? 0) * 1000 }))
    const summarised = (seconds: number[], budget: number) =>
      asked(budget, at(seconds)).map((request) => request.some((message) => message.includes('[summary')))
    expect(summarised([0, 10, 66, 70], 1000)).toEqual([false, false, true, true])
    expect(summarised([0, 10, 65, 66], 1000)).toEqual([false, false, false, true])
    // 900 of 940 tokens are more than 95 %.
    expect(summarised([0, 10, 11, 12], 940)).toEqual([false, false, true, true])
    expect(summarised([0, 10, 11, 12], 1000)).toEqual([false, false, false, true])
  })

  it('summarises all of a request over the window at once', () => {
    expect(asked(749)[1]).toEqual([`user: ${text(100, 'a')}`, `user: ${text(600, 'b')}`, 'user: [summary, 5 tokens]'])
  })

  it('does not act with fewer than four messages, the system prompt among them', () => {
    const { messages } = new Talk()
      .user(text(900, 'a'))
      .assistant('x')
      .user('b')
      .assistant('y')
      .user('c')
      .assistant('z')
    const sent = requests('copilot-compact', messages, { budget: 1000, given })
    // Begun at the second request, which has three.
    expect(sent.map((request) => request.length)).toEqual([1, 3, 5])
  })
})

describe('what the user said', () => {
  it('stays whole up to 20 messages and 30,000 characters', () => {
    expect([...keptOf([10, 20, 29_970])]).toEqual([
      [0, 10],
      [1, 20],
      [2, 29_970],
    ])
    expect(keptOf([40_000])).toEqual(new Map([[0, 30_000]]))
    expect(keptOf(Array(20).fill(1)).size).toBe(20)
  })

  it('leaves between the first three and the newest sixteen', () => {
    const kept = [...keptOf(Array(30).fill(1)).keys()].sort((a, b) => a - b)
    expect(kept).toEqual([0, 1, 2, ...Array.from({ length: 16 }, (_, index) => 14 + index)])
  })

  it('is cut where the first or the newest alone is longer than its share', () => {
    expect(keptOf([7_000, 25_000])).toEqual(
      new Map([
        [1, 24_001],
        [0, 5_999],
      ]),
    )
    expect(keptOf([10, 40_000, 10])).toEqual(
      new Map([
        [2, 10],
        [0, 10],
      ]),
    )
  })

  it('has at most 30,000 characters, the newest among them, and never comes back once it has left', () => {
    const lengths = fc.array(fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40_000 })), {
      minLength: 1,
      maxLength: 40,
    })
    fc.assert(
      fc.property(lengths, (all) => {
        const left = new Set<number>()
        for (let count = 1; count <= all.length; count++) {
          const kept = keptOf(all.slice(0, count))
          expect(kept.has(count - 1)).toBe(true)
          expect([...kept.values()].reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(30_000)
          for (let index = 0; index < count; index++) {
            if (!kept.has(index)) left.add(index)
            else expect(left.has(index)).toBe(false)
          }
        }
      }),
    )
  })
})
