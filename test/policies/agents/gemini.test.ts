import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/model/message.ts'
import { geminiCounter } from '../../../src/policies/agents/gemini.ts'
import { session } from '../../../tools/oracles/conversations.mjs'
import answers from '../large-oracles.data.json' with { type: 'json' }
import { atRequests, requests, Talk } from '../requests.ts'

const result = (tokens: number, name = 'read_file') => ({ name, result: 'x'.repeat(tokens) })

describe('gemini-compress', () => {
  /** So many exchanges of 100 tokens, of which the prompt has 10, and a short prompt at the end. */
  const exchanges = (count: number) => {
    const talk = new Talk()
    for (let index = 1; index <= count; index++) talk.user(`prompt ${index}`.padEnd(10)).assistant('a'.repeat(90))
    return talk.user('').assistant('done').messages
  }
  const compressed = (messages: Parameters<typeof requests>[1], budget: number) =>
    requests('gemini-compress', messages, { budget, given: { summaryTokens: 30 } })
      .at(-1)
      ?.map((message) => message.slice(0, 20).trim())

  it('cuts in front of the first prompt behind 70 %', () => {
    expect(compressed(exchanges(5), 820)).toEqual([
      'user: [summary, 30 t',
      'assistant: Got it. T',
      'user: prompt 5',
      'assistant: aaaaaaaaa',
      'user:',
    ])
  })

  it('looks at the latest request, without its answer', () => {
    // The latest request had 410 tokens; the answer makes it 500.
    expect(compressed(exchanges(5), 820)).toHaveLength(5)
    expect(compressed(exchanges(5), 822)).toHaveLength(11)
  })

  it('does nothing in one long loop of tools', () => {
    const talk = new Talk().user('go')
    for (let index = 0; index < 9; index++) talk.calls(result(100))
    expect(compressed(talk.assistant('done').messages, 500)).toHaveLength(19)
  })

  it('pays for the snapshot twice: it is checked against the same messages', () => {
    const setting = { budget: 820, given: { summaryTokens: 30 } }
    const paid = atRequests('gemini-compress', exchanges(5), setting, (_window, summaries) => summaries)
    expect(paid.flat()).toMatchObject([
      { readTokens: 400, writtenTokens: 30 },
      { readTokens: 430, writtenTokens: 30 },
    ])
  })
})

describe('gemini-mask', () => {
  const masked = (...results: ReturnType<typeof result>[]) => {
    const talk = new Talk().user('go')
    for (const one of results) talk.calls(one)
    return requests('gemini-mask', talk.assistant('done').user('on').assistant('yes').messages, { budget: 0 })
      .at(-1)
      ?.filter((message) => message.startsWith('tool:'))
      .map((message) => message.includes('<tool_output_masked>'))
  }

  it('protects 50,000 tokens, and acts when 30,000 others can go', () => {
    expect(masked(...Array(3).fill(result(20_000)))).toEqual([false, false, false])
    expect(masked(...Array(4).fill(result(20_000)))).toEqual([true, true, false, false])
  })

  it('acts at 30,000, and protects exactly 50,000', () => {
    expect(masked(result(30_000), result(50_000))).toEqual([true, false])
    expect(masked(result(29_999), result(50_000))).toEqual([false, false])
    expect(masked(result(30_000), result(50_001))).toEqual([true, true])
  })

  it('neither masks nor counts what the model has not seen', () => {
    const { messages } = new Talk().user('go').calls(result(30_000)).calls(result(90_000)).assistant('done')
    expect(
      requests('gemini-mask', messages, { budget: 0 })
        .at(-1)
        ?.map(({ length }) => length),
    ).toEqual([8, 11, 30_006, 11, 90_006])
  })

  it('leaves the tools that are exempt, and counts them for nothing', () => {
    expect(masked(result(90_000, 'ask_user'), result(30_000), result(50_000))).toEqual([false, true, false])
  })

  it('leaves what a preview would not make smaller', () => {
    expect(masked(...Array(60).fill(result(540)), result(50_000))?.filter(Boolean)).toHaveLength(0)
  })
})

describe('gemini-context-management', () => {
  /** Messages of 10,000 tokens, the newest with so many more. */
  const talk = (messages: number, more: number) => {
    const talk = new Talk()
    for (let index = 0; index < messages; index++) {
      const text = `${index}`.padEnd(10_000 + (index === messages - 1 ? more : 0))
      if (index % 2 === 0) talk.user(text)
      else talk.assistant(text)
    }
    return talk.assistant('done').messages
  }
  const last = (list: ReturnType<typeof talk>, given = {}) =>
    requests('gemini-context-management', list, { budget: 150_000, given: { summaryTokens: 7, ...given } })
      .at(-1)
      ?.map((message) => message.slice(0, 26).trim())

  it('replaces all but the newest 65,000 tokens by a snapshot over 150,000', () => {
    expect(last(talk(15, 0))).toHaveLength(15)
    expect(last(talk(15, 1))).toEqual([
      'user: [summary, 7 tokens]',
      ...[8, 9, 10, 11, 12, 13, 14].map((index) => `${index % 2 === 0 ? 'user' : 'assistant'}: ${index}`),
    ])
  })

  it('takes a draft of an earlier request where none begins', () => {
    expect(last(talk(15, 1), { drafts: 45_000 })?.slice(0, 2)).toEqual(['user: [summary, 7 tokens]', 'user: 6'])
    expect(last(talk(15, 1), { drafts: 90_000 })?.slice(0, 2)).toEqual(['user: [summary, 7 tokens]', 'user: 8'])
  })

  it('keeps what is being sent, however large', () => {
    const { messages } = new Talk().user('go').calls(result(70_000), result(90_000)).assistant('done')
    const sent = requests('gemini-context-management', messages, { budget: 150_000, given: { mask: 0 } })
    expect(sent.at(-1)).toHaveLength(4)
  })

  it('masks a result of more than 24,000 characters when it is first sent', () => {
    const masked = (length: number, name?: string) =>
      requests(
        'gemini-context-management',
        new Talk().user('go').calls(result(length, name)).assistant('done').messages,
        {
          budget: 150_000,
        },
      ).at(-1)?.[2]
    expect(masked(24_000)).toHaveLength(24_006)
    expect(masked(24_001)).toBe(
      'tool: <tool_output_masked>\n[0.02 MB, 1 lines, saved to: ~/.gemini/tmp/tool-outputs/read_file.txt]\n</tool_output_masked>',
    )
    expect(masked(24_001, 'ask_user')).toHaveLength(24_007)
  })
})

describe('the counter of Gemini CLI', () => {
  const tokens = (text: string) => geminiCounter.message({ role: 'user', line: 1, blocks: [{ type: 'text', text }] })

  it('counts ASCII as a quarter, other characters as one and a half, and long texts by length', () => {
    expect(tokens('abcd'.repeat(10))).toBe(10)
    expect(tokens('äöüß')).toBe(6)
    expect(tokens('ä'.repeat(100_000))).toBe(150_000)
    expect(tokens('ä'.repeat(100_004))).toBe(25_001)
  })

  it('counts every message of recorded sessions as the program does', () => {
    const recorded = answers.filter(({ policy }) => policy === 'gemini-mask')
    for (const { seed, tokens } of recorded)
      expect((session(seed) as Message[]).map((message) => geminiCounter.message(message))).toEqual(tokens)
    expect(recorded.length).toBeGreaterThan(9)
  })
})
