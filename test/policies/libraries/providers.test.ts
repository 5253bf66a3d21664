import { describe, expect, it } from 'vitest'
import { type Params, resolveParams } from '../../../src/base/param.ts'
import { type Block, type Message, textOf } from '../../../src/model/message.ts'
import { policies } from '../../../src/policies/index.ts'
import { requests, Talk } from '../requests.ts'

const result = (tokens: number, name = 'Read') => ({ name, input: { path: 'a' }, result: 'x'.repeat(tokens) })
const cleared = 'tool: [tool result cleared]'

describe('anthropic-clear-tool-uses', () => {
  /** A prompt of a token, and results of 100. */
  const talk = (...names: string[]) => {
    const talk = new Talk().user('u')
    for (const name of names) talk.calls(result(100, name))
    return talk.assistant('end').messages
  }
  const five = talk('a', 'b', 'a', 'b', 'a')
  const defaults = resolveParams<Params>('it', policies.get('anthropic-clear-tool-uses').params, {})
  const count = (list: readonly Message[], budget: number, given: Readonly<Record<string, unknown>> = {}) =>
    requests('anthropic-clear-tool-uses', list, { budget, given }).map(
      (request) => request.filter((message) => message === cleared).length,
    )

  it('clears all but the last three above the trigger', () => {
    expect(count(five, 501).at(-1)).toBe(0)
    expect(count(five, 500).at(-1)).toBe(2)
  })

  it('clears nothing if that frees less than the least', () => {
    expect(count(five, 500, { clearAtLeast: 201 }).at(-1)).toBe(0)
    expect(count(five, 500, { clearAtLeast: 200 }).at(-1)).toBe(2)
  })

  it('passes excluded tools over', () => {
    expect(count(five, 500, { exclude: 'a', keep: 1 }).at(-1)).toBe(1)
  })

  it('moves the boundary with each result once over, or waits until the rest has grown again', () => {
    const seven = talk('a', 'a', 'a', 'a', 'a', 'a', 'a')
    expect(count(seven, 500, { keep: 1 })).toEqual([0, 0, 0, 0, 0, 4, 5, 6].slice(0, 8))
    expect(count(seven, 500, { keep: 1, state: 'sticky' })).toEqual([0, 0, 0, 0, 0, 4, 4, 4])
  })

  it('goes by the number of tool uses instead of the input, excluded ones too', () => {
    const uses = (uses: number, more = {}) => count(five, 1, { trigger: 'tool_uses', uses, ...more })
    expect([uses(5).at(-1), uses(4).at(-1), uses(4, { exclude: 'b' }).at(-1)]).toEqual([0, 2, 0])
    expect(uses(4, { exclude: 'b', keep: 1 }).at(-1)).toBe(2)
    expect(uses(2, { keep: 1 })).toEqual([0, 0, 0, 2, 3, 4])
    expect(uses(2, { keep: 1, state: 'sticky' })).toEqual([0, 0, 0, 2, 2, 4])
    expect(
      policies.get('anthropic-clear-tool-uses').turnOn?.({ ...defaults, trigger: 'tool_uses', uses: 4 }, 9)?.text,
    ).toContain('"trigger":{"type":"tool_uses","value":4}')
  })

  it('clears inputs if it is told to', () => {
    const calls = (clearInputs: boolean) => {
      const sizes = new Set<number>()
      const sizeOf = (message: Message) => {
        for (const block of message.blocks)
          if (block.type === 'call') sizes.add(Object.keys(block.input as object).length)
        return textOf(message).length
      }
      requests('anthropic-clear-tool-uses', five, { budget: 500, given: { clearInputs }, tokens: sizeOf })
      return [...sizes]
    }
    expect([calls(false), calls(true)]).toEqual([[1], [1, 0]])
  })
})

describe('anthropic-clear-thinking', () => {
  const thought = (text: string): Block => ({ type: 'thinking', text })
  const text = (text: string): Block => ({ type: 'text', text })
  const list: Message[] = [
    { role: 'user', line: 1, blocks: [text('u1')] },
    { role: 'assistant', line: 2, blocks: [thought('t1'), { type: 'call', id: 'c', name: 'Read', input: {} }] },
    { role: 'tool', line: 3, callId: 'c', blocks: [text('r')] },
    { role: 'assistant', line: 4, blocks: [thought('t2'), text('a1')] },
    { role: 'user', line: 5, blocks: [text('u2')] },
    { role: 'assistant', line: 6, blocks: [thought('t3')] },
    { role: 'user', line: 7, blocks: [text('u3')] },
    { role: 'assistant', line: 8, blocks: [thought('t4'), text('a3')] },
    { role: 'user', line: 9, blocks: [text('u4')] },
    { role: 'assistant', line: 10, blocks: [text('a4')] },
  ]
  /** The roles and thoughts of the last request. */
  const last = (keep: number) => {
    const sizes = new Map<string, number>()
    const tokens = (message: Message) => {
      sizes.set(`${message.line}`, message.blocks.filter(({ type }) => type === 'thinking').length)
      return 1
    }
    const sent = requests('anthropic-clear-thinking', list, { budget: 1, given: { keep }, tokens }).at(-1)
    return { count: sent?.length, thoughts: [...sizes.values()].reduce((sum, thoughts) => sum + thoughts, 0) }
  }

  it('keeps the thinking of the newest turns', () => {
    expect(last(0)).toEqual({ count: 9, thoughts: 4 })
    expect(last(2)).toEqual({ count: 9, thoughts: 2 })
  })

  it('drops a message of thinking alone', () => {
    expect(last(1)).toEqual({ count: 8, thoughts: 2 })
  })
})

describe.each(['anthropic-compact', 'openai-compact'])('%s', (name) => {
  it('replaces everything above the trigger', () => {
    const { messages } = new Talk().user('u'.repeat(100)).assistant('end')
    expect(requests(name, messages, { budget: 100, given: { summaryTokens: 9 } })[0]).toHaveLength(1)
    expect(requests(name, messages, { budget: 99, given: { summaryTokens: 9 } })).toEqual([
      ['user: [summary, 9 tokens]'],
    ])
  })
})

it('leaves the words of the user beside the item of openai-compact:keep=user', () => {
  const { messages } = new Talk().user('u1').assistant('a1').user('u2').assistant('a2').user('u3').assistant('end')
  const sent = requests('openai-compact', messages, { budget: 3, given: { keep: 'user', summaryTokens: 1 } })
  expect(sent.at(-1)).toEqual(['user: u1', 'user: u2', 'user: u3', 'user: [summary, 1 tokens]'])
})

describe('openai-truncation', () => {
  const five = new Talk().user('a').assistant('b').user('c').assistant('d').user('e').assistant('end').messages
  const last = (given: Readonly<Record<string, unknown>>) =>
    requests('openai-truncation', five, { budget: 3, given }).at(-1)

  it('drops from the beginning or the middle until the request fits', () => {
    expect(last({})).toEqual(['user: c', 'assistant: d', 'user: e'])
    expect(last({ from: 'middle' })).toEqual(['user: a', 'assistant: b', 'user: e'])
  })

  it('goes down to a share of the window', () => {
    expect(last({ retain: 0.4 })).toEqual(['user: e'])
  })

  it('leaves no result without its call', () => {
    const { messages } = new Talk().user('u').calls(result(2), result(2)).user('v').assistant('end')
    expect(requests('openai-truncation', messages, { budget: 4 }).at(-1)).toEqual(['user: v'])
  })
})

describe('openai-tool-trimmer', () => {
  const talk = (tokens: number) =>
    new Talk().user('u').calls(result(tokens)).user('v').assistant('a').user('w').assistant('e')
  const trimmed = (tokens: number, given: Readonly<Record<string, unknown>> = {}) =>
    requests('openai-tool-trimmer', talk(tokens).messages, { budget: 1, given }).map((request) =>
      request[2]?.slice(0, 50),
    )

  it('trims large results in front of the last two user messages', () => {
    expect(trimmed(501).at(-1)).toBe('tool: [Trimmed: Read output — 501 chars → 200 char')
    expect(trimmed(501)[1]).toMatch(/^tool: x+$/)
    expect(trimmed(500).at(-1)).toMatch(/^tool: x+$/)
  })

  it('leaves other tools, and what would not become shorter', () => {
    expect(trimmed(501, { tools: 'grep' }).at(-1)).toMatch(/^tool: x+$/)
    expect(trimmed(501, { previewChars: 500 }).at(-1)).toMatch(/^tool: x+$/)
  })
})
