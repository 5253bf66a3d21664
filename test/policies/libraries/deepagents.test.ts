import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Message, textOf } from '../../../src/model/message.ts'
import { previewOf } from '../../../src/policies/libraries/deepagents-summarize.ts'
import { itemsOf } from '../../simulator/check-window.ts'
import { atRequests, counterOf, requests, shown, Talk } from '../requests.ts'

const name = 'deepagents-summarize'
const a = (length: number, letter = 'a') => letter.repeat(length)
const result = (text: string, tool = 'bash') => ({ name: tool, input: { path: 'a' }, result: text })

describe(name, () => {
  const given = { summaryTokens: 5 }

  it('keeps the newest tenth behind a summary from 85 % on', () => {
    const talk = () =>
      new Talk().user(a(400)).assistant(a(400)).user(a(40)).assistant(a(9)).user(a(1)).assistant('end').messages
    expect(requests(name, talk(), { budget: 1_000, given }).at(-1)).toEqual([
      'user: [summary, 5 tokens]',
      `user: ${a(40)}`,
      `assistant: ${a(9)}`,
      'user: a',
    ])
    expect(requests(name, talk(), { budget: 1_002, given }).at(-1)).toHaveLength(5)
  })

  it('moves a cut at a result back to the message with its call, or behind the results', () => {
    const talk = (before: number) => {
      const talk = new Talk()
      for (let count = 0; count < before; count++) talk.user(a(100))
      return talk.calls(result(a(60)), result(a(30)), result(a(30))).assistant('end').messages
    }
    const last = (before: number) =>
      requests(name, talk(before), { budget: 100 * before, given: { ...given, keep: 0.07, trigger: 0.5 } }).at(-1)
    // The tail of 70 tokens begins with the second result, the tenth message; its call is two before it.
    expect(last(10)).toEqual([
      'user: [summary, 5 tokens]',
      'assistant: ',
      `tool: ${a(60)}`,
      `tool: ${a(30)}`,
      `tool: ${a(30)}`,
    ])
    // Of three messages two is more than a half: the results leave, and there would be nothing left.
    const few = new Talk()
      .user(a(100))
      .calls(result(a(60)), result(a(30)))
      .assistant('end').messages
    expect(requests(name, few, { budget: 200, given: { ...given, keep: 0.2 } }).at(-1)).toEqual([
      'user: [summary, 5 tokens]',
    ])
  })

  describe('arguments', () => {
    it('are cut, and nothing else happens, where that is enough', () => {
      const tokens = (message: Message) =>
        message.blocks.reduce((sum, block) => {
          if (block.type === 'text') return sum + block.text.length
          return block.type === 'call' ? sum + JSON.stringify(block.input).length : sum
        }, 0)
      const input = { path: 'a', content: a(500) }
      const seen = (tool: string, given: unknown, more: Readonly<Record<string, unknown>> = {}) =>
        atRequests(
          name,
          new Talk().user('u').calls({ name: tool, input: given, result: 'ok' }).user(a(100)).assistant('end').messages,
          { budget: 600, tokens, given: { arguments: 499, keep: 0.167, ...more } },
          (window) => itemsOf(window).map(({ message }) => message?.blocks),
        ).at(-1)
      const cut = { path: 'a', content: `${a(20)}...(argument truncated)` }
      expect(seen('write_file', input)).toHaveLength(4)
      expect(seen('write_file', input)?.[1]).toMatchObject([{ input: cut }])
      expect(seen('edit_file', JSON.stringify(input))?.[1]).toMatchObject([{ input: JSON.stringify(cut) }])
      expect(seen('Write', input, { tools: 'Write' })?.[1]).toMatchObject([{ input: cut }])
      const summary = [{ text: expect.stringMatching(/^\[summary/) }]
      expect(seen('Write', input)?.[0]).toMatchObject(summary)
      expect(seen('write_file', a(520))?.[0]).toMatchObject(summary)
    })
  })

  it('shortens the results for one request where nothing would stay', () => {
    const talk = new Talk()
      .user(a(500))
      .calls(result(a(5_000, 'b')), result(a(9_000, 'c')))
      .assistant('x')
      .user('y')
      .assistant('end').messages
    const tokens = (message: Message) => Math.ceil(textOf(message).length / 4)
    const sent = requests(name, talk, { budget: 3_000, given, tokens })
    // Seven tenths are 2,100 tokens, of which the prompt has 125: 987 for each result.
    expect(sent[1]).toEqual([
      `user: ${a(500)}`,
      'assistant: ',
      `tool: ${a(3_948, 'b')}\n...(result truncated)`,
      `tool: ${a(3_948, 'c')}\n...(result truncated)`,
    ])
    expect(sent[2]).toEqual(['user: [summary, 5 tokens]', 'assistant: x', 'user: y'])
  })

  it('has at most seven tenths of the window where results were shortened, but for their marks', () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 60_000 }), { minLength: 1, maxLength: 6 })
    const tokens = (message: Message) => Math.ceil(textOf(message).length / 4)
    fc.assert(
      fc.property(lengths, fc.integer({ min: 5_000, max: 40_000 }), (all, budget) => {
        const talk = new Talk().user('u').calls(...all.map((length) => result(a(length), 'read_file')))
        const total = all.reduce((sum, length) => sum + Math.ceil(length / 4), 1)
        const [, sent] = atRequests(name, talk.assistant('end').messages, { budget, given, tokens }, (window) => ({
          tokens: window.tokens,
          texts: itemsOf(window).map(({ message }) => shown(message as Message)),
        }))
        if (total < Math.floor(0.85 * budget)) expect(sent?.tokens).toBe(total)
        else if (sent?.texts.some((text) => text.endsWith('truncated)')))
          expect(sent.tokens).toBeLessThanOrEqual(0.7 * budget + 6 * all.length)
        else expect(sent?.texts[0]).toBe('user: [summary, 5 tokens]')
      }),
    )
  })

  describe('what is too long', () => {
    const sent = (tool: string, text: string, prompt = 'u') =>
      requests(name, new Talk().user(prompt).calls(result(text, tool)).assistant('end').messages, {
        budget: 1_000_000,
      }).at(-1)
    const long = Array.from({ length: 12 }, (_, index) => `${index + 1}${a(7_000)}`).join('\n')

    it('goes to a file when it comes, and its first and last lines stay', () => {
      const [, , text = ''] = sent('bash', long) ?? []
      expect(text.endsWith(`\n\n${previewOf(long)}`)).toBe(true)
      expect(sent('bash', a(80_000))?.[2]).toBe(`tool: ${a(80_000)}`)
      expect(sent('bash', a(80_001))?.[2]).toContain(`     1\t${a(1_000)}`)
      expect(sent('bash', 'r', a(200_000))?.[0]).toBe(`user: ${a(200_000)}`)
      expect(sent('bash', 'r', a(200_001))?.[0]?.endsWith(`\n\n     1\t${a(1_000)}`)).toBe(true)
    })

    it('stays if a tool of its own for files gave it', () => {
      expect(sent('read_file', long)?.[2]).toBe(`tool: ${long}`)
      expect(sent('execute', long)?.[2]).not.toBe(`tool: ${long}`)
    })

    it('has numbered lines of at most a thousand characters', () => {
      expect(previewOf('x\ny')).toBe('     1\tx\n     2\ty')
      const lines = previewOf(long).split('\n')
      expect(lines).toHaveLength(11)
      expect(lines[5]).toBe('... [2 lines truncated] ...')
      expect(lines[10]).toBe(`    12\t12${a(998)}`)
      fc.assert(
        fc.property(fc.array(fc.string({ maxLength: 5 }), { minLength: 1, maxLength: 30 }), (all) => {
          const shownLines = previewOf(all.join('\n')).split('\n').length
          const count = all.join('\n').split('\n').length
          expect(shownLines).toBe(count <= 10 ? count : 11)
        }),
      )
    })
  })

  it('counts the system prompt and the tools as JSON, a quarter of the characters, rounded up once', () => {
    const native = counterOf(name)
    const tools = [{ name: 'read', schema: { type: 'object' } }, { name: 'é' }]
    const system: Message[] = [{ role: 'system', line: 0, blocks: [{ type: 'text', text: 'four' }] }]
    const characters = 4 + tools.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0)
    expect(native.preamble({ system, tools, complete: true })).toBe(characters)
    expect(native).toMatchObject({ unitsPerToken: 4, roundsUp: true })
  })
})
