import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Message, textOf } from '../../../src/model/message.ts'
import { tailOf, thresholdOf } from '../../../src/policies/agents/hermes-cut.ts'
import { itemsOf } from '../../simulator/check-window.ts'
import { atRequests, counterOf, requests, Talk } from '../requests.ts'

const name = 'hermes-compact'
const a = (length: number, letter = 'a') => letter.repeat(length)
const thousand = 1_000

describe('where hermes-compact acts', () => {
  const at = (window: number, share = 0.5, limit = 256_000) => thresholdOf(window, share, limit)

  it('is three quarters of a window below 512,000, half of a larger one, and never above 256,000', () => {
    expect(at(200_000)).toBe(150_000)
    expect(at(511_999, 0.5, 1e9)).toBe(383_999)
    expect(at(512_000)).toBe(256_000)
    expect(at(600_000, 0.5, 1e9)).toBe(300_000)
    expect(at(1_000_000)).toBe(256_000)
    expect(at(200_000, 0.9)).toBe(180_000)
  })

  it('is 64,000 of a window that has less than that at three quarters, but at most 85 % of it', () => {
    expect(at(80_000)).toBe(64_000)
    expect(at(70_000)).toBe(59_500)
    expect(at(64_000)).toBe(54_400)
    expect(at(100, 1)).toBe(85)
  })

  it('is always inside the window', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 2_000_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (window, share) => {
          expect(at(window, share)).toBeGreaterThan(0)
          expect(at(window, share)).toBeLessThan(window)
        },
      ),
    )
  })

  it('leaves 2.5 % of the window, 10,000 to 25,000 tokens and at most a fifth, and half as many again', () => {
    expect(tailOf(200_000)).toEqual({ wanted: 10_000, most: 15_000 })
    expect(tailOf(600_000)).toEqual({ wanted: 15_000, most: 22_500 })
    expect(tailOf(2_000_000)).toEqual({ wanted: 25_000, most: 37_500 })
    expect(tailOf(60_000)).toEqual({ wanted: 10_000, most: 12_000 })
    expect(tailOf(20_000)).toEqual({ wanted: 4_000, most: 4_000 })
  })
})

describe(name, () => {
  const budget = 200 * thousand
  const given = { summaryTokens: 7 }
  /** Tokens are characters; those of arguments do not count. */
  const asked = (list: readonly Message[], more: Readonly<Record<string, unknown>> = {}) =>
    requests(name, list, { budget, given: { ...given, ...more } })
  const read = (result: string) => ({ name: 'read', input: { path: 'a.ts', from: 1, to: 2 }, result })

  it('keeps the first three messages and the newest, with the prompt’s step', () => {
    const talk = () => {
      const talk = new Talk().user('first').assistant('hello').user('second').assistant(a(130_000))
      for (let turn = 0; turn < 5; turn++) talk.user(`u${turn}`).assistant(a(3_000, `${turn}`))
      return talk
    }
    const before = talk().messages.reduce((sum, message) => sum + textOf(message).length, 0)
    const last = (length: number) => asked(talk().user(a(length)).assistant('end').messages).at(-1)
    expect(last(150_000 - before - 1)).toHaveLength(15)
    const sent = last(150_000 - before)
    expect(sent?.slice(0, 4)).toEqual(['user: first', 'assistant: hello', 'user: second', 'user: [summary, 7 tokens]'])
    // Behind the summary what the user said in the middle, then as much as 15,000 tokens.
    expect(sent?.slice(4, 7)).toEqual(['user: > u1\n\n> u0', 'user: u2', `assistant: ${a(3_000, '2')}`])
    expect(sent).toHaveLength(12)
    expect(sent?.at(-1)).toBe(`user: ${a(150_000 - before)}`)
  })

  it('says the prompt again where its own steps are too much', () => {
    const talk = new Talk().user('do it')
    for (let step = 0; step < 8; step++) talk.calls(read(a(20_000, `${step}`)))
    const sent = asked(talk.assistant('end').messages)
    const compacted = sent.find((request) => request.some((message) => message.includes('[summary')))
    expect(compacted?.[0]).toBe('user: do it')
    expect(compacted?.at(-1)).toBe('user: do it')
    expect(compacted?.filter((message) => message === 'user: do it')).toHaveLength(2)
  })

  it('leaves one line of results outside of the tail, and of the longest in it', () => {
    const talk = new Talk()
      .user('u')
      .calls(read(a(300)))
      .calls(read(a(200)))
    for (let step = 0; step < 6; step++) talk.calls(read(a(25_000, `${step}`)))
    const sent = asked(talk.assistant('end').messages)
    const compacted = sent.find((request) => request.some((message) => message.includes('[summary'))) as string[]
    expect(compacted.slice(0, 3)).toEqual([
      'user: u',
      'assistant: ',
      'tool: [read] path=a.ts from=1 (300 chars result)',
    ])
    const tokens = compacted.reduce((sum, message) => sum + message.replace(/^\w+: /, '').length, 0)
    expect(tokens).toBeLessThan(16_000)
  })

  it('keeps only the newest of equal results', () => {
    const twin = a(4_000, 't')
    const talk = new Talk().user('u').assistant('x').user('v').assistant(a(140_000))
    talk.user('w').assistant('y').user('w').assistant('y').user('w')
    const sent = asked(talk.calls(read(twin)).calls(read(twin)).user(a(2_100)).assistant('end').messages).at(-1)
    expect(sent?.filter((message) => message === `tool: ${twin}`)).toHaveLength(1)
    expect(sent).toContain('tool: [the same output as of a later call]')
  })

  it('cuts the strings of long arguments outside of the tail', () => {
    const input = { path: 'a.ts', edits: [{ text: a(600) }] }
    const list = (given: unknown) =>
      new Talk()
        .user('u')
        .calls({ name: 'edit', input: given, result: 'ok' })
        .assistant(a(150_000))
        .user('v')
        .assistant('b')
        .user('w')
        .assistant('end').messages
    const cut = (given: unknown) =>
      atRequests(name, list(given), { budget, given: { summaryTokens: 7 } }, (window) =>
        itemsOf(window).flatMap(({ message }) =>
          (message?.blocks ?? []).flatMap((block) => (block.type === 'call' ? [block.input] : [])),
        ),
      ).at(-1)
    const short = { path: 'a.ts', edits: [{ text: `${a(200)}...[truncated]` }] }
    expect(cut(input)).toEqual([short])
    expect(cut(JSON.stringify(input))).toEqual([JSON.stringify(short)])
    expect(cut({ path: a(400) })).toEqual([{ path: a(400) }])
    expect(cut(`${a(600)}{`)).toEqual([`${a(600)}{`])
  })

  it('gives up after two compactions that left too much, until five minutes later', () => {
    const talk = new Talk().user('u').assistant('x', 0).user('v').assistant('y', 1)
    for (let turn = 0; turn < 12; turn++)
      talk.user(`u${turn}`).assistant(a(thousand), 10 + (turn < 8 ? turn : 100 * turn))
    const compactions = (preamble: number) => {
      let before = 0
      return atRequests(name, talk.messages, { budget, given, preamble }, (window) => {
        const texts = itemsOf(window).map(({ message }) => textOf(message as Message))
        const isNew = texts.some((text) => text.startsWith('[summary')) && window.edits !== before
        before = window.edits
        return isNew
      })
    }
    const acted = compactions(150_000)
    // Twice, then after 793 seconds, then after three times a hundred.
    expect(acted.filter(Boolean)).toHaveLength(4)
    expect(acted.slice(-4)).toEqual([true, false, false, true])
    expect(compactions(100_000).filter(Boolean)).toHaveLength(0)
  })

  it('asks for a summary of a fifth of what it is of, from 6,000 to 14,000 tokens', () => {
    const size = (length: number, window: number) => {
      const talk = new Talk().user('u').assistant('x').user('v').assistant(a(length)).user('w').assistant('y').user('z')
      const list = talk.assistant('end').messages
      const sent = requests(name, list, { budget: window, given: { limit: length } }).at(-1)
      return sent?.find((message) => message.includes('[summary'))
    }
    expect(size(150_000, 200_000)).toContain('14000 tokens')
    expect(size(90_000, 120_000)).toContain('10000 tokens')
    expect(size(9_000, 80_000)).toContain('6000 tokens')
  })

  it('counts a call with its envelope, and ten tokens for a message', () => {
    const native = counterOf(name)
    const call = { type: 'call', id: 'c', name: 'read', input: { path: 'a' } } as const
    const envelope = `{'id': 'c', 'type': 'function', 'function': {'name': 'read', 'arguments': '{"path":"a"}'}}`
    const blocks = [{ type: 'text', text: 'abcde' }, call, call] as const
    expect(native.message({ role: 'assistant', line: 1, blocks })).toBe(10 + 2 + 2 * Math.ceil(envelope.length / 4))
    const system: Message[] = [{ role: 'system', line: 0, blocks: [{ type: 'text', text: 'abc' }] }]
    expect(native.preamble({ system, tools: [{ name: 'x' }], complete: true })).toBe(10 + 1 + 3)
  })
})
