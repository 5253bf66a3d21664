import { describe, expect, it } from 'vitest'
import { policies } from '../../../src/policies/index.ts'
import { requests, Talk } from '../requests.ts'

describe('pi-compact-turns', () => {
  const words = (messages: readonly string[] | undefined) =>
    messages?.map((message) => message.replaceAll(/(.)\1{8,}/g, '$1…'))
  const read = (tokens: number) => ({ name: 'read', result: 'R'.repeat(tokens) })

  /** u10 a R100 a R100 a10 u10 a10 u10, then a prompt. */
  const talk = new Talk()
    .user('u'.repeat(10))
    .calls(read(100))
    .calls(read(100))
    .assistant('a'.repeat(10))
    .user('v'.repeat(10))
    .assistant('b'.repeat(10))
    .user('w')
    .assistant('c').messages

  it('cuts in front of the first message of the user or the model behind 45 tokens', () => {
    const given = { reserve: 10, keep: 45, summaryTokens: 5 }
    expect(words(requests('pi-compact-turns', talk, { budget: 245, given }).at(-1))).toEqual([
      'user: [summary, 5 tokens]',
      'assistant: a…',
      'user: v…',
      'assistant: b…',
      'user: w',
    ])
  })

  it('acts when more than the window without the reserve is used', () => {
    const given = { reserve: 10, keep: 45, summaryTokens: 5 }
    // The latest response ends at 240 tokens.
    expect(requests('pi-compact-turns', talk, { budget: 249, given }).at(-1)).toHaveLength(5)
    expect(requests('pi-compact-turns', talk, { budget: 250, given }).at(-1)).toHaveLength(9)
  })

  it('summarises the beginning of a turn that it cuts on its own', () => {
    const { messages } = new Talk()
      .user('u'.repeat(50))
      .assistant('a'.repeat(50))
      .user('v'.repeat(50))
      .calls(read(50))
      .calls(read(50))
      .assistant('b')
      .user('w')
      .assistant('c')
    const sent = requests('pi-compact-turns', messages, {
      budget: 210,
      given: { reserve: 10, keep: 40, summaryTokens: 5 },
    })
    expect(words(sent.at(-1))).toEqual([
      'user: [summary, 5 tokens]',
      'user: [summary, 5 tokens]',
      'assistant: b',
      'user: w',
    ])
  })

  it('compacts nothing if the last result alone has the tokens that stay', () => {
    const { messages } = new Talk().user('u'.repeat(90)).calls(read(200)).assistant('').user('w').assistant('c')
    const before = new Talk().user('u'.repeat(90)).calls(read(200)).calls(read(500))
    expect(
      requests('pi-compact-turns', messages, { budget: 300, given: { reserve: 20, keep: 45 } }).at(-1),
    ).not.toHaveLength(0)
    const cut = requests('pi-compact-turns', before.assistant('done').messages, {
      budget: 300,
      given: { reserve: 20, keep: 45 },
    })
    expect(words(cut.at(-1))).toEqual(['user: u…', 'assistant: ', 'tool: R…', 'assistant: ', 'tool: R…'])
  })

  it('compacts inside a turn only when the window is full', () => {
    const talk = (tokens: number) =>
      new Talk().user('u'.repeat(90)).calls(read(100)).calls(read(tokens)).calls(read(1)).assistant('c').messages
    const count = (tokens: number) =>
      requests('pi-compact-turns', talk(tokens), {
        budget: 300,
        given: { reserve: 200, keep: 20, summaryTokens: 5 },
      }).at(-1)?.length
    expect([count(109), count(110)]).toEqual([7, 3])
  })
})

describe('pi-compact', () => {
  const words = (messages: readonly string[] | undefined) =>
    messages?.map((message) => message.replaceAll(/(.)\1{8,}/g, '$1…'))
  const read = (tokens: number) => ({ name: 'read', result: 'R'.repeat(tokens) })
  const given = { reserve: 10, keep: 45, summaryTokens: 5 }

  it('cuts where the older one does when a turn has ended', () => {
    const { messages } = new Talk()
      .user('u'.repeat(10))
      .calls(read(100))
      .calls(read(100))
      .assistant('a'.repeat(10))
      .user('v'.repeat(10))
      .assistant('b'.repeat(10))
      .user('w')
      .assistant('c')
    for (const name of ['pi-compact', 'pi-compact-turns'])
      expect(words(requests(name, messages, { budget: 245, given }).at(-1)), name).toEqual([
        'user: [summary, 5 tokens]',
        'assistant: a…',
        'user: v…',
        'assistant: b…',
        'user: w',
      ])
    // The latest response ends at 240 tokens.
    expect(requests('pi-compact', messages, { budget: 250, given }).at(-1)).toHaveLength(9)
  })

  it('acts between the steps of a turn, over the window without the reserve', () => {
    const { messages } = new Talk().user('u'.repeat(90)).calls(read(100)).calls(read(50)).calls(read(1)).assistant('c')
    const counts = (budget: number) =>
      requests('pi-compact', messages, { budget, given: { ...given, reserve: 100 } }).map(({ length }) => length)
    // The third request has 240 tokens, the fourth 241.
    expect(counts(341)).toEqual([1, 3, 5, 7])
    expect(counts(340)).toEqual([1, 3, 5, 3])
    expect(counts(339)).toEqual([1, 3, 3, 5])
  })

  it('does not act before the first request of a turn, unless the window is full', () => {
    const { messages } = new Talk().user('u'.repeat(20)).assistant('a'.repeat(50)).user('v'.repeat(60)).assistant('c')
    const counts = (budget: number) =>
      requests('pi-compact', messages, { budget, given: { ...given, reserve: 30 } }).map(({ length }) => length)
    expect(counts(130)).toEqual([1, 3])
    expect(counts(129)).toEqual([1, 2])
  })

  it('cuts in front of the call of a result that alone has the tokens that stay', () => {
    const { messages } = new Talk().user('u'.repeat(90)).calls(read(20)).calls(read(500)).assistant('done')
    expect(words(requests('pi-compact', messages, { budget: 300, given }).at(-1))).toEqual([
      'user: [summary, 5 tokens]',
      'assistant: ',
      'tool: R…',
    ])
  })

  it('keeps an earlier summary right in front of the turn that it cuts', () => {
    const { messages } = new Talk()
      .user('u'.repeat(50))
      .assistant('a'.repeat(50))
      .user('v'.repeat(50))
      .calls(read(60))
      .calls(read(60))
      .assistant('b')
    const sent = requests('pi-compact', messages, { budget: 110, given: { ...given, keep: 50 } })
    // Before v the summary is of u and a; then the cut is behind v, and at last in a turn that has no beginning any more.
    expect(words(sent.at(1))).toEqual(['user: [summary, 5 tokens]', 'user: v…'])
    expect(words(sent.at(-1))).toEqual(['user: [summary, 5 tokens]', 'assistant: ', 'tool: R…'])
    expect(words(sent.at(2))).toEqual([
      'user: [summary, 5 tokens]',
      'user: [summary, 5 tokens]',
      'assistant: ',
      'tool: R…',
    ])
  })

  it('is still there as it was', () => {
    expect(policies.get('pi-compact@0.74.2').name).toBe('pi-compact-turns')
  })
})
