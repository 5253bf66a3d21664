import { describe, expect, it } from 'vitest'
import { aiSdk, langchain, opencode, pi } from '../../src/live/forms.ts'
import { live } from '../../src/live/index.ts'
import { Said } from './libraries.ts'

const long = 'word '.repeat(400)
const masked = expect.stringContaining('masked')
const masks = 'mask-tool-results:keepFirst=0,keepLast=1,scope=all'

describe('a window over messages of a library', () => {
  it('changes of the AI SDK’s results of one message those that it must', () => {
    const call = (toolCallId: string) => ({ type: 'tool-call', toolCallId, toolName: 'read', input: {} })
    const result = (toolCallId: string) => ({
      ...{ type: 'tool-result', toolCallId, toolName: 'read', providerOptions: { own: {} } },
      output: { type: 'json', value: { long } },
    })
    const thought = { type: 'reasoning', text: '', providerOptions: { openai: { reasoningEncryptedContent: 'x' } } }
    const history = [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: [thought, call('a'), call('b')] },
      { role: 'tool', content: [result('a'), result('b')] },
    ]
    const { messages } = live(masks, { api: aiSdk, budget: 500 }).next(history)
    expect(messages.slice(0, 2)).toEqual(history.slice(0, 2))
    expect(messages[1]).toBe(history[1])
    expect(messages[2]).toEqual({
      role: 'tool',
      content: [{ ...result('a'), output: { type: 'text', value: masked } }, result('b')],
    })
  })

  it('leaves approvals of the AI SDK where they are', () => {
    const call = { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {} }
    const asked = { type: 'tool-approval-request', approvalId: '1', toolCallId: 'a' }
    const given = { type: 'tool-approval-response', approvalId: '1', approved: true }
    const result = { type: 'tool-result', toolCallId: 'a', toolName: 'read', output: { type: 'text', value: 'x' } }
    const history = [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: [call, asked] },
      { role: 'tool', content: [given, result] },
    ]
    const { messages } = live('drop-oldest', { api: aiSdk, budget: '10k' }).next(history)
    expect(messages).toEqual(history)
  })

  it('gives LangChain messages of the same class, with what is stored of them', () => {
    const called = new Said('ai', '', { tool_calls: [{ id: 'a', name: 'read', args: { path: 'a.ts' } }] })
    const result = new Said('tool', long, { tool_call_id: 'a', id: 'own' })
    const next = new Said('ai', '', { tool_calls: [{ id: 'b', name: 'read', args: {} }] })
    const history = [new Said('human', 'Look.'), called, result, next, new Said('tool', long, { tool_call_id: 'b' })]
    const { messages } = live(masks, { api: langchain, budget: 500 }).next(history)
    expect(messages[1]).toBe(called)
    expect(messages[2]).toBeInstanceOf(Said)
    expect(messages[2]).toMatchObject({ content: masked, tool_call_id: 'a', id: 'own', lc_kwargs: { content: masked } })
    expect(result.content).toBe(long)
  })

  it('clears a call of LangChain wherever it stands', () => {
    const input = { path: 'a.ts' }
    const text = { type: 'text', text: 'I look.' }
    const content = [text, { type: 'tool_use', id: 'a', name: 'read', input }]
    const raw = { id: 'a', type: 'function', function: { name: 'read', arguments: JSON.stringify(input) } }
    const fields = { tool_calls: [{ id: 'a', name: 'read', args: input }], additional_kwargs: { tool_calls: [raw] } }
    const history = [
      new Said('human', 'Look.'),
      Object.assign(new Said('ai', '', fields), { content }),
      new Said('tool', long, { tool_call_id: 'a' }),
    ]
    const { messages } = live('langchain-clear-tool-uses:keep=0,clearInputs=true', {
      ...{ api: langchain, budget: 100 },
    }).next(history)
    expect(messages[1]).toMatchObject({
      content: [text, { type: 'tool_use', id: 'a', name: 'read', input: {} }],
      tool_calls: [{ id: 'a', name: 'read', args: {} }],
      additional_kwargs: { tool_calls: [{ ...raw, function: { name: 'read', arguments: '{}' } }] },
    })
  })

  it('takes of opencode a call with its result, and keeps the question with its summary', () => {
    const prompt = (text: string) => ({ info: { role: 'user' }, parts: [{ type: 'text', text }] })
    const tool = (callID: string) => ({
      ...{ type: 'tool', tool: 'read', callID },
      state: { status: 'completed', input: {}, output: long },
    })
    const response = (...parts: object[]) => ({
      info: { role: 'assistant' },
      parts: [{ type: 'step-start' }, ...parts],
    })
    const history = [
      { info: { role: 'user' }, parts: [{ type: 'compaction' }] },
      { info: { role: 'assistant', summary: true }, parts: [{ type: 'text', text: 'We looked.' }] },
      prompt('Look again.'),
      response(tool('a')),
      response(tool('b')),
    ]
    const { messages } = live(masks, { api: opencode, budget: 500 }).next(history)
    expect(messages.length).toBe(5)
    for (const at of [0, 1, 2, 4]) expect(messages[at]).toBe(history[at])
    expect(messages[3]?.parts).toEqual([
      { type: 'step-start' },
      { ...tool('a'), state: { status: 'completed', input: {}, output: masked } },
    ])
  })

  it('writes to pi what pi asks of a message', async () => {
    const say = (role: string) => ({ role, content: [{ type: 'text', text: long }], timestamp: 1 })
    const history = ['user', 'assistant', 'user', 'assistant', 'user'].map(say)
    const { messages } = await live('forge', { api: pi, budget: 900, summarise: () => 'All of it.' }).next(history)
    for (const message of messages) expect(message).toHaveProperty('timestamp')
  })

  it('learns from what pi and opencode counted, in their words', () => {
    const history = [{ role: 'user', content: 'Hello' }]
    const window = live('drop-oldest', { api: pi, budget: '100k' })
    window.next(history)
    const more = [...history, { role: 'assistant', content: [] }, { role: 'user', content: 'And?' }]
    const usage = { input: 10, output: 1, cacheRead: 5_000, cacheWrite: 0 }
    expect(window.next(more, { usage }).tokens).toBeGreaterThan(5_010)
    const entry = { info: { role: 'user' }, parts: [{ type: 'text', text: 'Hello' }] }
    const other = live('drop-oldest', { api: opencode, budget: '100k' })
    other.next([entry])
    const tokens = { input: 10, output: 1, reasoning: 0, cache: { read: 5_000, write: 0 } }
    expect(other.next([entry, entry], { usage: tokens }).tokens).toBeGreaterThan(5_010)
  })

  it('names the message that is none', () => {
    for (const api of [aiSdk, pi, opencode]) {
      expect(() => live('drop-oldest', { api, budget: '10k' } as never).next(['x'] as never)).toThrow(
        'message 0 of the history is none that this API knows',
      )
    }
  })
})
