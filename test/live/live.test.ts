import type { MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/beta/messages'
import { describe, expect, it } from 'vitest'
import { type LiveRequest, type LiveWindow, live } from '../../src/live/index.ts'
import keepAll from '../../src/policies/keep-all.ts'
import { blocksOf, type Page, pages } from '../docs.ts'

type Message = { role: string; content: string | Record<string, unknown>[] }

const prompt = (text: string): Message => ({ role: 'user', content: text })
const call = (id: string): Message => ({
  role: 'assistant',
  content: [
    { type: 'thinking', thinking: 'Which file?', signature: 'signed' },
    { type: 'tool_use', id, name: 'Read', input: { file_path: `${id}.ts` }, cache_control: { type: 'ephemeral' } },
  ],
})
const result = (id: string, words = 400): Message => ({
  role: 'user',
  content: [
    { type: 'tool_result', tool_use_id: id, content: 'word '.repeat(words), cache_control: { type: 'ephemeral' } },
  ],
})
const answer = (text: string): Message => ({ role: 'assistant', content: text })

/** A session with as many reads. */
const session = (reads: number): Message[] => [
  prompt('Look at the files.'),
  ...Array.from({ length: reads }, (_, nth) => [call(`f${nth}`), result(`f${nth}`)]).flat(),
]

const anthropic = { api: 'anthropic', model: 'claude-opus-4-5' } as const
const masks = 'mask-tool-results:keepFirst=0,keepLast=1,scope=all'

describe('a window over the history of an agent', () => {
  it('sends no reasoning that a policy has taken out, wherever a program keeps it', () => {
    const said = { role: 'assistant', content: 'Hi.', reasoning_content: 'A greeting.' }
    const history = [prompt('Hello'), said, prompt('How are you?')]
    const policy = 'knobs:trigger=always,operation=drop-thinking,target=all,protect=nothing'
    const { messages } = live(policy, { api: 'chat', budget: '100k' }).next(history)
    expect(messages).toEqual([history[0], { role: 'assistant', content: 'Hi.' }, history[2]])
  })

  it('takes the reasoning out that is bound to what a policy has changed, and no other', () => {
    const bound = { ...anthropic, model: 'claude-opus-5-5', budget: 1_000 }
    const window = live(masks, bound)
    const thinks = ({ content }: Message) => Array.isArray(content) && content.some(({ type }) => type === 'thinking')
    // The first two results are masked at the third request: the first call was thought before them, and stands.
    window.next(session(1))
    window.next(session(2))
    const sent = window.next(session(3)).messages
    expect(sent.filter(({ role }) => role === 'assistant').map(thinks)).toEqual([true, false, false])
    // A later call was thought behind the masks, as they stand.
    const later = [...session(3), call('later'), result('later', 1)]
    const after = window.next(later).messages.filter(({ role }) => role === 'assistant')
    expect(after.map(thinks)).toEqual([true, false, false, false])
    const free = live(masks, { ...bound, model: 'claude-opus-5' })
    for (const reads of [1, 2]) free.next(session(reads))
    expect(free.next(session(3)).messages.filter(thinks)).toHaveLength(3)
  })

  it('has in docs/turn-on.md what the API itself is asked with, where no window takes reasoning out', () => {
    const asked: Pick<MessageCreateParamsNonStreaming, 'thinking'> = {
      thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } },
    }
    const page = pages.find(({ name }) => name === 'docs/turn-on.md') as Page
    const shown = blocksOf(page).filter(({ language }) => language === 'json')
    expect(shown.map(({ code }) => JSON.parse(code))).toEqual([asked])
  })

  it('gives the very objects back that nothing happened to', () => {
    const history = session(4)
    const { messages, cut } = live('drop-oldest', { ...anthropic, budget: '100k' }).next(history)
    expect(messages.length).toBe(history.length)
    for (const [at, message] of messages.entries()) expect(message).toBe(history[at])
    expect(cut).toBe(null)
  })

  it('changes of a result its content, and leaves what only the API knows', () => {
    const history = session(3)
    const { messages } = live(masks, { ...anthropic, budget: 1_000 }).next(history)
    const [, firstCall, first] = messages as Message[]
    expect(firstCall).toBe(history[1])
    expect(first?.content).toEqual([
      {
        ...(history[2]?.content[0] as object),
        content: [{ type: 'text', text: expect.stringContaining('masked') }],
      },
    ])
    expect(messages.at(-1)).toBe(history.at(-1))
  })

  it('says what was cut, and how large the request is', () => {
    const window = live('drop-oldest', { ...anthropic, budget: 2_000 })
    const history = [...session(2), answer('Done.'), ...session(2)]
    const { tokens, cut } = window.next(history)
    expect(tokens).toBeLessThan(2_000)
    expect(cut).toMatchObject({ tokensAfter: tokens })
    expect(cut?.tokensBefore).toBeGreaterThan(2_000)
    expect(window.next(history).cut).toEqual(cut)
  })

  it('does the same however often it is asked, and whether it was there from the beginning or not', () => {
    const history = [...session(3), answer('Done.'), ...session(3), answer('Done.'), ...session(3)]
    const window = live(masks, { ...anthropic, budget: 2_000 })
    let latest: LiveRequest<unknown> | undefined
    for (const [at, { role }] of history.entries()) {
      if (role !== 'assistant') continue
      const one = window.next(history.slice(0, at), { at: at * 1000 })
      latest = window.next(history.slice(0, at), { at: at * 1000 })
      expect(latest).toEqual(one)
    }
    latest = window.next(history, { at: 1e6 })
    const late = live(masks, { ...anthropic, budget: 2_000 }).next(history, { at: 1e6 })
    expect(latest.messages).toEqual(late.messages)
  })

  it('starts again where the agent takes something back', () => {
    const history = [...session(3), answer('Done.'), ...session(3)]
    const window = live('drop-oldest', { ...anthropic, budget: 2_500 })
    window.next(history)
    const other = [...history.slice(0, 5), prompt('Rather do this.')]
    expect(window.next(other).messages).toEqual(
      live('drop-oldest', { ...anthropic, budget: 2_500 }).next(other).messages,
    )
  })

  it('knows a history again that is kept elsewhere', () => {
    const history = session(3)
    const window = live(masks, { ...anthropic, budget: 1_000 })
    const one = window.next(history, { at: 1 })
    const copy = JSON.parse(JSON.stringify(history)) as Message[]
    expect(window.next([...copy, call('x'), result('x')], { at: 2 }).messages.slice(0, 5)).toEqual(
      one.messages.slice(0, 5),
    )
    expect(window.state.requests.length).toBe(2)
  })

  it('goes on in another process with its state', () => {
    const history = [...session(3), answer('Done.'), ...session(3)]
    const one = live(masks, { ...anthropic, budget: 2_000 })
    one.next(history.slice(0, 3), { at: 1000, usage: { input_tokens: 900, output_tokens: 1 } })
    one.next(history.slice(0, 7), { at: 2000, usage: { input_tokens: 2_100, output_tokens: 1 } })
    const state = JSON.parse(JSON.stringify(one.state))
    const other = live(masks, { ...anthropic, budget: 2_000, state })
    const told = { at: 9000, usage: { input_tokens: 2_600, output_tokens: 1 } }
    expect(other.next(history, told)).toEqual(one.next(history, told))
    expect(other.state).toEqual(one.state)
  })

  it('keeps no words of the history in its state', () => {
    const window = live(masks, { ...anthropic, budget: 2_000 })
    window.next(session(3))
    expect(JSON.stringify(window.state)).not.toMatch(/word|Read|file/)
  })
})

describe('tokens', () => {
  it('are what the provider counted, and the estimate for what came since', () => {
    const history = session(4)
    const window = live('drop-oldest', { ...anthropic, budget: '100k' })
    const before = window.next(history.slice(0, 3))
    const after = window.next(history.slice(0, 5), { usage: { input_tokens: 30_000, output_tokens: 10 } })
    expect(after.tokens).toBeGreaterThan(30_000)
    expect(after.tokens).toBeLessThan(30_000 + before.tokens)
  })

  it('take what is told of the preamble for granted until usage tells more', () => {
    const bare = live('drop-oldest', { ...anthropic, budget: '100k' }).next(session(1)).tokens
    const told = live('drop-oldest', { ...anthropic, budget: '100k', preamble: 20_000 }).next(session(1)).tokens
    expect(told - bare).toBeGreaterThan(19_000)
  })
})

describe('summaries', () => {
  const policy = 'summarise-oldest:tokens=50'
  const history = [...session(3), answer('Done.'), ...session(2), answer('Done.'), prompt('And now?')]

  it('are asked of the caller’s model, with the messages they stand for', async () => {
    const asked: unknown[] = []
    const window = live(policy, {
      ...anthropic,
      budget: 2_500,
      summarise({ messages, tokens }) {
        asked.push({ messages, tokens })
        return 'It read three files.'
      },
    })
    const { messages } = await window.next(history)
    expect(asked.length).toBe(1)
    expect(asked[0]).toMatchObject({ tokens: 50, messages: expect.arrayContaining([expect.anything()]) })
    expect(JSON.stringify(messages)).toContain('It read three files.')
    expect(messages.at(-1)).toEqual(prompt('And now?'))
  })

  it('are not asked again by who goes on', async () => {
    let asked = 0
    const summarise = () => `Summary ${++asked}.`
    const window = live(policy, { ...anthropic, budget: 2_500, summarise })
    const one = await window.next(history, { at: 1 })
    const state = JSON.parse(JSON.stringify(window.state))
    const other = await live(policy, { ...anthropic, budget: 2_500, summarise, state }).next(history, { at: 1 })
    expect(other).toEqual(one)
    expect(asked).toBe(1)
  })

  it('are not left out without a word', () => {
    expect(() => live(policy, { ...anthropic, budget: 2_500 }).next(history)).toThrow(/give `summarise`/)
  })
})

describe('what is wrong', () => {
  it.each([
    ['no-such', {}, /unknown policy "no-such"/],
    ['drop-oldest:keepLast=many', {}, /keepLast/],
    ['clairvoyant', {}, /only runs over transcripts/],
    ['as-recorded', {}, /only runs over transcripts/],
    ['drop-oldest', { budget: 'much' }, /budget of drop-oldest: "much" is not a number of tokens/],
    ['drop-oldest', { budget: -1 }, /is not a number of tokens/],
    [
      'drop-oldest',
      { state: { ctxwin: 1, policy: { name: 'x', values: {} }, budget: 1, requests: [], summaries: [] } },
      /the state is of x/,
    ],
  ])('%s %j', (policy, options, message) => {
    expect(() => live(policy, { ...anthropic, budget: 1_000, ...options } as never)).toThrow(message)
  })

  it.each([
    ['mimir', {}, 128_000],
    ['duragent', { model: 'claude-opus-5' }, 200_000],
    ['pi-compact-turns', { model: 'gpt-5' }, 400_000],
    ['mimir', { budget: '50k' }, 50_000],
  ])('%s %j has its own budget where none is given', (policy, options, budget) => {
    expect(live(policy, { api: 'anthropic', summarise: () => 'said', ...options }).state.budget).toBe(budget)
  })

  it.each(['drop-oldest', 'claude-code-auto'])('%s has to be given one', (policy) => {
    expect(() => live(policy, { api: 'anthropic' })).toThrow(/"nothing" is not a number of tokens/)
  })

  it.each([
    [{ api: 'openai' }, /^live: `api` has to be anthropic, chat, responses, or a form/],
    [{ api: undefined }, /^live: `api` has to be/],
    [{ model: 5 }, /^live: `model` has to be the name of a model/],
    [{ tools: {} }, /^live: `tools` has to be a list of tools/],
    [{ budget: Infinity }, /^live: `budget` has to be a number of tokens/],
    [{ preamble: -1 }, /^live: `preamble` has to be a number of tokens/],
    [{ cache: { read: 0.1, write: 1.25 } }, /^live: `cache.seconds` has to be/],
    [{ estimator: 'exact' }, /^live: `estimator` has to be estimate or bytes/],
    [{ summarize: () => '' }, /unknown option of live "summarize". Did you mean "summarise"/],
  ])('is named: %j', (options, message) => {
    expect(() => live('drop-oldest', { ...anthropic, budget: 1_000, ...options } as never)).toThrow(message)
  })

  it('takes null for nothing', () => {
    const nothing = {
      model: null,
      tools: null,
      system: null,
      cache: null,
      state: null,
      summarise: null,
      preamble: null,
    }
    const told = { usage: null, at: null } as never
    const window = live('drop-oldest', {
      api: 'anthropic',
      budget: 1_000,
      ...nothing,
    } as never) as unknown as LiveWindow<Message>
    const plain = live('drop-oldest', { api: 'anthropic', budget: 1_000 })
    expect(window.next(session(1), told).tokens).toBe(plain.next(session(1)).tokens)
  })

  it('takes no state that was edited, or of another version', () => {
    const window = live(masks, { ...anthropic, budget: 2_000 })
    for (const length of [1, 3, 5]) window.next(session(2).slice(0, length), { usage: { input_tokens: 9 * length } })
    const { state } = window
    const [first, second, third] = state.requests
    const edited: [object, string][] = [
      [{ ctxwin: 2 }, 'ctxwin'],
      [{ requests: 'abc' }, 'requests'],
      [{ requests: [{ ...first, input: 1000.5 }] }, 'requests.0.input'],
      [{ requests: [{ ...first, elements: '1' }] }, 'requests.0.elements'],
      [{ requests: [first, third, second] }, 'requests.2.elements'],
      [{ requests: [first, first] }, 'requests.1.elements'],
      [{ summaries: [5] }, 'summaries.0'],
      [{ policy: 'x' }, 'policy'],
    ]
    for (const [change, field] of edited) {
      const given = { ...state, ...change } as never
      expect(() => live(masks, { ...anthropic, budget: 2_000, state: given })).toThrow(
        `live: \`state.${field}\` has to be what the \`state\` of a window said, unchanged`,
      )
    }
  })

  it('asks again after an error as if it had not been asked', () => {
    const history = session(3)
    const window = live('drop-oldest', { ...anthropic, budget: 1_000 })
    window.next(history.slice(0, 5), { at: 1 })
    expect(() => window.next([...history, { said: 'what?' }] as never)).toThrow(/message 7/)
    expect(() => window.next([...history.slice(0, 1), 7n] as never)).toThrow('message 1 of the history is no data')
    // Shorter than what was refused, and than what was asked before.
    expect(window.next(history.slice(0, 3), { at: 2 }).messages.length).toBe(3)
    expect(window.state.requests.map(({ elements }) => elements)).toEqual([3])
  })

  it('cuts on where usage was told that no API counts', () => {
    const long = Array.from({ length: 40 }, () => [prompt('words '.repeat(300)), answer('words '.repeat(300))]).flat()
    for (const bad of [{ input_tokens: 1000.5 }, { input_tokens: '1000' }, { input_tokens: -1 }]) {
      const begun = () => live('drop-oldest', { ...anthropic, budget: 3_000 })
      const [window, other] = [begun(), begun()]
      for (let length = 1; length < long.length; length += 2) {
        const history = long.slice(0, length)
        const told = { at: length, usage: { input_tokens: 300 * Math.min(10, length), output_tokens: 300 } }
        const isBad = length === 11
        if (isBad) {
          expect(() => window.next(history, { usage: bad })).toThrow('next: `usage` has to have the counts of an API')
        }
        const { messages, tokens } = window.next(history, isBad ? { at: length } : told)
        expect(tokens).toBe(other.next(history, isBad ? { at: length } : told).tokens)
        expect(messages.length).toBeLessThan(11)
      }
    }
  })

  it('leaves out what a message itself says of usage that no API counts', async () => {
    const policy = 'opencode-compact:reserve=20,tail=30,summaryTokens=9'
    const ask = async (usage: object) => {
      const history = [...session(2), { ...answer('Done.'), ...usage }, prompt('And now?')]
      const window = live(policy, { ...anthropic, budget: 900, summarise: () => 'A summary.' })
      return (await window.next(history, { at: 1 })).messages.map(({ role, content }) => ({ role, content }))
    }
    const plain = await ask({})
    expect(JSON.stringify(plain)).toContain('A summary.')
    expect(await ask({ usage: { input_tokens: '1000', output_tokens: 1 } })).toEqual(plain)
  })

  it('names the message that is none', () => {
    const window = live('drop-oldest', { ...anthropic, budget: 1_000 })
    expect(() => window.next([...session(1), { said: 'what?' }] as never)).toThrow(
      'message 3 of the history is none that this API knows',
    )
  })

  it('says that a state is of a longer history', () => {
    const one = live('drop-oldest', { ...anthropic, budget: 1_000 })
    one.next(session(3))
    const other = live('drop-oldest', { ...anthropic, budget: 1_000, state: one.state })
    expect(() => other.next(session(1))).toThrow(/of at least 7 messages, and this one has 3/)
  })

  it('takes a policy of the caller’s own', () => {
    expect(live(keepAll, { ...anthropic, budget: 1 }).next(session(2)).messages.length).toBe(5)
  })
})
