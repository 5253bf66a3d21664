import { describe, expect, it } from 'vitest'
import { counterOf, requests, Talk } from '../requests.ts'

const result = (text: string, name = 'read') => ({ name, input: { path: 'a' }, result: text })

/** peers' conversation, and an answer to ask for: each message is a token. */
const talk = () =>
  new Talk()
    .user('u1')
    .calls(result('R1'))
    .calls(result('R2'))
    .assistant('a3')
    .user('u2')
    .assistant('a4')
    .user('u3')
    .assistant('end').messages

describe('langchain-trim', () => {
  const last = (budget: number, given: Readonly<Record<string, unknown>> = {}) =>
    requests('langchain-trim', talk(), { budget, given, tokens: () => 1 }).at(-1)

  it('keeps the longest suffix of at most as many tokens', () => {
    expect(last(4)).toEqual(['assistant: a3', 'user: u2', 'assistant: a4', 'user: u3'])
    expect(last(9)).toHaveLength(9)
  })

  it('begins with a message of the types of startOn, or is empty', () => {
    expect(last(4, { startOn: 'human' })).toEqual(['user: u2', 'assistant: a4', 'user: u3'])
    expect(last(3, { startOn: 'tool' })).toEqual([])
  })

  it('separates a result from its call', () => {
    expect(last(5)?.[0]).toBe('tool: R2')
  })

  it('keeps a prefix with strategy=first, for good', () => {
    const given = { strategy: 'first', endOn: 'human' }
    const sent = requests('langchain-trim', talk(), { budget: 3, given, tokens: () => 1 })
    expect(sent).toEqual([...Array(5).fill(['user: u1']), ['user: u1']].slice(0, sent.length))
    expect(last(6, { strategy: 'first' })?.at(-1)).toBe('assistant: a3')
  })

  it('holds back what follows the last message of endOn, until one comes', () => {
    const sent = requests('langchain-trim', talk(), { budget: 9, given: { endOn: 'human' }, tokens: () => 1 })
    expect(sent.slice(1, 4)).toEqual([
      ['user: u1'],
      ['user: u1'],
      ['user: u1', 'assistant: ', 'tool: R1', 'assistant: ', 'tool: R2', 'assistant: a3', 'user: u2'],
    ])
  })

  it('keeps the last lines of the message that does not fit with allowPartial', () => {
    const { messages } = new Talk().user('one\ntwo\nthree').assistant('four').assistant('end')
    const given = { allowPartial: true }
    expect(requests('langchain-trim', messages, { budget: 13, given }).at(-1)).toEqual([
      'user: two\nthree',
      'assistant: four',
    ])
    expect(requests('langchain-trim', messages, { budget: 8, given }).at(-1)).toEqual(['assistant: four'])
  })

  it('refuses what the library refuses', () => {
    expect(() => last(4, { strategy: 'first', startOn: 'human' })).toThrow('langchain-trim:startOn: "human" is not')
    expect(() => last(4, { startOn: 'user' })).toThrow('is not none, or human, ai, tool, system, joined by +')
  })

  it('counts like countTokensApproximately: a quarter of the characters, calls as JSON, rounded up once', () => {
    const native = counterOf('langchain-trim')
    const characters = talk().map((message) => native.message(message))
    const call = '[{"name":"read","args":{"path":"a"},"id":"call 1 0","type":"tool_call"}]'.length
    expect(characters).toEqual([2, call, 2 + 'call 1 0'.length, call, 2 + 'call 3 0'.length, 2, 2, 2, 2, 3])
    expect(native).toMatchObject({ unitsPerToken: 4, roundsUp: true })
  })

  it('counts a call by what its arguments are in JSON, and not at all if they are none', () => {
    const native = counterOf('langchain-trim')
    const counted = (input: unknown) =>
      native.message({ role: 'assistant', line: 1, blocks: [{ type: 'call', id: 'c', name: 'read', input }] })
    const size = (args: string) => `[{"name":"read","args":${args},"id":"c","type":"tool_call"}]`.length
    expect(['{ "a": 1.0 }', '5', 'null', '"x"', '{"a":'].map(counted)).toEqual([
      size('{"a":1}'),
      size('5'),
      size('null'),
      size('"x"'),
      0,
    ])
  })
})

describe('langchain-clear-tool-uses', () => {
  /** 601 characters before the last answer. */
  const six = () => {
    const talk = new Talk().user('u')
    for (const [index, name] of ['read', 'grep', 'read', 'grep', 'read', 'grep'].entries())
      talk.calls(result(String(index).repeat(100), name))
    return talk.assistant('end').messages
  }
  /** The first letters of the results: [ is [cleared]. */
  const results = (budget: number, given: Readonly<Record<string, unknown>> = {}) =>
    requests('langchain-clear-tool-uses', six(), { budget, given })
      .at(-1)
      ?.flatMap((message) => (message.startsWith('tool') ? [message['tool: '.length]] : []))
      .join('')

  it('clears all but the last three at the trigger, not below it', () => {
    expect(results(601)).toBe('[[[345')
    expect(results(602)).toBe('012345')
  })

  it('needs more than the trigger in Python', () => {
    expect(results(600, { language: 'python' })).toBe('[[[345')
    expect(results(601, { language: 'python' })).toBe('012345')
  })

  it('lets excluded tools take places', () => {
    expect(results(601, { keep: 2, exclude: 'read' })).toBe('0[2[45')
  })

  it('acts again only at the trigger in JavaScript, and at every request in Python', () => {
    const { messages } = new Talk()
      .user('u')
      .calls(result('a'.repeat(30)))
      .calls(result('b'.repeat(30)))
      .calls(result('c'.repeat(3)))
      .calls(result('d'.repeat(3)))
      .assistant('end')
    const sent = (language: string) =>
      requests('langchain-clear-tool-uses', messages, { budget: 60, given: { keep: 1, language } })
        .at(-1)
        ?.filter((message) => message === 'tool: [cleared]').length
    expect([sent('js'), sent('python')]).toEqual([1, 3])
  })
})

describe('langchain-summarize', () => {
  it('keeps the last messages, and goes back to the call of a result', () => {
    const given = { keep: 5, summaryTokens: 1 }
    const sent = requests('langchain-summarize', talk(), { budget: 9, given, tokens: () => 1 })
    expect(sent.at(-1)).toEqual([
      'user: [summary, 1 tokens]',
      'assistant: ',
      'tool: R2',
      'assistant: a3',
      'user: u2',
      'assistant: a4',
      'user: u3',
    ])
    expect(requests('langchain-summarize', talk(), { budget: 10, given, tokens: () => 1 }).at(-1)).toHaveLength(9)
  })

  it('keeps the longest suffix of so many tokens', () => {
    const given = { keepTokens: 3, summaryTokens: 1 }
    const sent = requests('langchain-summarize', talk(), { budget: 9, given, tokens: () => 1 })
    expect(sent.at(-1)).toEqual(['user: [summary, 1 tokens]', 'user: u2', 'assistant: a4', 'user: u3'])
  })
})
