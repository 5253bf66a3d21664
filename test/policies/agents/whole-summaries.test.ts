/** goose, Crush and Continue: agents that replace everything by a summary. */
import { describe, expect, it } from 'vitest'
import { threshold } from '../../../src/policies/agents/continue-auto.ts'
import { restOf } from '../../../src/policies/agents/crush-auto.ts'
import { requests, Talk } from '../requests.ts'

const given = { summaryTokens: 5 }
const short = (messages: readonly string[] | undefined) =>
  messages?.map((message) => message.replaceAll(/(.)\1{5,}/g, '$1…'))
/** A first exchange of so many tokens, and a prompt. */
const exchange = (tokens: number) =>
  new Talk()
    .user('u'.repeat(tokens - 20))
    .assistant('a'.repeat(20))
    .user('and now?')
    .assistant('done').messages
/** A loop: a prompt, and a step that ends at so many tokens. */
const loop = (tokens: number, result: number) =>
  new Talk()
    .user('do it')
    .calls({ name: 'bash', result: 'r'.repeat(tokens - 5) })
    .calls({ name: 'bash', result: 's'.repeat(result) })
    .assistant('done').messages

describe('goose-auto', () => {
  const sent = (list: ReturnType<typeof exchange>, threshold = 0.8) =>
    short(requests('goose-auto', list, { budget: 100, given: { ...given, threshold } }).at(-1))

  it('compacts before a prompt over 80 % of the window, and repeats the prompt', () => {
    expect(sent(exchange(80))).toEqual(['user: u…', 'assistant: a…', 'user: and now?'])
    expect(sent(exchange(81))).toEqual([
      'user: [summary, 5 tokens]',
      'assistant: Your context was compacted. The previous message contains a summary of the conversation so far. Continue naturally.',
      'user: and now?',
    ])
  })

  it('waits in a loop until the window is full', () => {
    expect(sent(loop(90, 10))).toHaveLength(5)
    expect(sent(loop(90, 11))?.[0]).toBe('user: [summary, 5 tokens]')
    expect(sent(loop(90, 11))?.at(-1)).toBe('user: do it')
  })

  it('is off at 0 and 1', () => {
    expect(sent(exchange(100), 0)).toHaveLength(3)
    expect(sent(exchange(100), 1)).toHaveLength(3)
  })
})

describe('crush-auto', () => {
  const sent = (list: ReturnType<typeof exchange>) => short(requests('crush-auto', list, { budget: 100, given }).at(-1))

  it('leaves a fifth, or 20,000 tokens of a large window', () => {
    expect([100_000, 200_000, 200_001, 300_000].map(restOf)).toEqual([20_000, 40_000, 20_000, 20_000])
  })

  it('compacts at the end of a turn, and the prompt comes behind the summary', () => {
    expect(sent(exchange(79))).toHaveLength(3)
    expect(sent(exchange(80))).toEqual(['user: [summary, 5 tokens]', 'user: and now?'])
  })

  it('asks an interrupted prompt again', () => {
    const { messages } = new Talk()
      .user('do it')
      .assistant('x'.repeat(80))
      .calls({ name: 'bash', result: 'r' })
      .assistant('done')
    expect(sent(messages)).toEqual([
      'user: [summary, 5 tokens]',
      'user: The previous session was interrupted because it got too long, the initial user request was: `do it`',
    ])
  })
})

describe('continue-auto', () => {
  const sent = (list: ReturnType<typeof exchange>, budget: number) =>
    short(requests('continue-auto', list, { budget, given: { ...given, maxOutput: 20 } }).at(-1))

  it('leaves room for the largest answer and a margin', () => {
    expect(threshold(200_000, 0)).toBe(121_000)
    expect(threshold(100, 20)).toBe(60)
    expect(threshold(100, 10)).toBe(72)
    expect(threshold(30_000, 0)).toBe(19_500 - 10_500)
  })

  it('replaces everything but the prompt by a summary of the assistant', () => {
    // 52 tokens and the prompt's 8.
    expect(sent(exchange(52), 100)).toEqual(['assistant: [summary, 5 tokens]', 'user: and now?'])
    expect(sent(exchange(51), 100)).toHaveLength(3)
  })

  it('goes on with a message of the user inside a loop', () => {
    expect(sent(loop(50, 10), 100)).toEqual(['assistant: [summary, 5 tokens]', 'user: continue'])
  })
})
