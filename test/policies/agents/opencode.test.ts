import { describe, expect, it } from 'vitest'
import { requests, Talk } from '../requests.ts'

const result = (tokens: number, name = 'read') => ({ name, result: 'x'.repeat(tokens) })

describe('opencode-prune', () => {
  /** The results in an exchange of their own, two more prompts, and the turn's end behind each. */
  const pruned = (results: ReturnType<typeof result>[], prompts = 2) => {
    const talk = new Talk().user('go')
    for (const one of results) talk.calls(one)
    talk.assistant('done')
    for (let index = 0; index < prompts; index++) talk.user('on').assistant('yes')
    return requests('opencode-prune', talk.user('last').assistant('bye').messages, { budget: 0 })
      .at(-1)
      ?.filter((message) => message.startsWith('tool:'))
      .map((message) => message.includes('content cleared'))
  }

  it('keeps the newest 40,000 tokens in front of two prompts, and clears more than 20,000', () => {
    expect(pruned(Array(4).fill(result(15_000)))).toEqual([true, true, false, false])
    expect(pruned(Array(3).fill(result(15_000)))).toEqual([false, false, false])
  })

  it('keeps exactly 40,000, and does not clear exactly 20,000', () => {
    expect(pruned([result(20_001), result(40_000)])).toEqual([true, false])
    expect(pruned([result(20_000), result(40_000)])).toEqual([false, false])
  })

  it('clears nothing of the newest two exchanges', () => {
    expect(pruned(Array(4).fill(result(15_000)), 1)).toEqual([false, false, false, false])
  })

  it('leaves skills', () => {
    expect(pruned([result(90_000, 'skill'), ...Array(4).fill(result(15_000))])).toEqual([
      false,
      true,
      true,
      false,
      false,
    ])
  })
})

describe('opencode-compact', () => {
  const talk = (first: number, answer: number) =>
    new Talk()
      .user('u'.repeat(first))
      .assistant('a'.repeat(answer))
      .user('v'.repeat(9_000))
      .assistant('b'.repeat(6_000))
      .user('w')
      .assistant('c').messages
  const last = (first: number, answer: number) =>
    requests('opencode-compact', talk(first, answer), { budget: 100_000 })
      .at(-1)
      ?.map((message) => `${message.slice(0, 30)} ${message.length}`)

  it('keeps a tail of at most 15,000 tokens behind a summary', () => {
    // The latest response ends at 80,000; a tail with all of v would have 15,001 tokens.
    expect(last(60_000, 5_000)).toEqual([
      'user: What did we do so far? 28',
      'assistant: [summary, 2000 toke 33',
      `assistant: ${'b'.repeat(19)} 6011`,
      'user: w 7',
    ])
  })

  it('acts when the latest response has filled what is usable', () => {
    expect(last(59_999, 5_000)).toHaveLength(5)
  })
})
