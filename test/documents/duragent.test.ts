/** Duragent, "Context Window Management", sentence by sentence: the numbers are those of statements.data.json. */
import { describe, expect, it } from 'vitest'
import { textOf } from '../../src/model/message.ts'
import { policies } from '../../src/policies/index.ts'
import { runCli } from '../cli/run.ts'
import { requests, Talk } from '../policies/requests.ts'
import { assistant, ran, user } from './run.ts'

const { params } = policies.get('duragent')
/** A result of 60 tokens, as a tool returns it. */
const long = 'r'.repeat(240)

/** One prompt, and a loop of as many steps as `results` has. */
function loop(results: readonly string[]): Talk {
  const talk = new Talk().user('go')
  for (const result of results) talk.calls({ name: 'look', result })
  return talk.assistant('done')
}

const sent = (talk: Talk, given: object = {}, budget = 100_000) =>
  requests('duragent', talk.messages, { budget, given: { maxOutputTokens: 0, ...given } })

const resultsOf = (request: readonly string[] | undefined) =>
  request!.flatMap((line) => (line.startsWith('tool: ') ? [line.slice('tool: '.length)] : []))

describe('a loop', () => {
  it('of eight steps that keeps two and three shows the first two and the last three results', () => {
    const shown = sent(loop(Array(8).fill(long)), { keepFirst: 2, keepLast: 3 }).at(-1)
    const mask = '[result masked — ~60 tokens removed]'
    expect(resultsOf(shown)).toEqual([long, long, mask, mask, mask, long, long, long])
    // The calls stay, masked or not.
    expect(shown!.filter((line) => line.startsWith('assistant'))).toHaveLength(8)
  })

  it('masks none of as many results as it keeps, and none at all where it is to keep none', () => {
    expect(resultsOf(sent(loop(Array(5).fill(long)), { keepFirst: 2, keepLast: 3 }).at(-1))).toEqual(
      Array(5).fill(long),
    )
    expect(resultsOf(sent(loop(Array(5).fill(long)), { keepFirst: 0, keepLast: 0 }).at(-1))).toEqual(
      Array(5).fill(long),
    )
  })

  it('keeps some at one end alone where the other is 0', () => {
    const mask = '[result masked — ~60 tokens removed]'
    const [first, last] = [
      { keepFirst: 1, keepLast: 0 },
      { keepFirst: 0, keepLast: 1 },
    ].map((given) => resultsOf(sent(loop(Array(3).fill(long)), given).at(-1)))
    expect(first).toEqual([long, mask, mask])
    expect(last).toEqual([mask, mask, long])
  })

  it('drops its oldest steps where masks do not suffice, never its newest, nor what was said before it', () => {
    const talk = new Talk().user('h'.repeat(40)).assistant('i'.repeat(40))
    talk.messages.push(...loop(Array(4).fill(long)).messages)
    const list = talk.messages.map((message, index) => ({ ...message, line: index + 1 }))
    const counted = requests('duragent', list, {
      budget: 400,
      given: { maxOutputTokens: 0, keepFirst: 0, keepLast: 0 },
      tokens: (message) => textOf(message).length / 4 + 50,
    }).at(-1)!
    expect(counted.filter((line) => line.startsWith('tool'))).toHaveLength(1)
    expect(counted.slice(0, 3).map((line) => line.slice(0, 6))).toEqual(['user: ', 'assist', 'user: '])
  })

  it('begins again with the whole history, whatever the one before it masked or dropped', () => {
    const talk = loop(Array(4).fill(long))
    talk.user('and?').assistant('that is all')
    const shown = sent(talk, { keepFirst: 0, keepLast: 1 })
    expect(resultsOf(shown.at(-2))).toHaveLength(4)
    expect(new Set(resultsOf(shown.at(-2)))).toContain('[result masked — ~60 tokens removed]')
    expect(resultsOf(shown.at(-1))).toEqual(Array(4).fill(long))
  })

  it('keeps of a long result as much as it is told, cut between characters, in the history, too', () => {
    const talk = loop(['今日は'.repeat(40)])
      .user('and?')
      .assistant('that is all')
    const all = requests('duragent', talk.messages, {
      budget: 100_000,
      given: { maxToolResultTokens: 10, maxOutputTokens: 0 },
    })
    for (const request of all.slice(1)) {
      const result = request.find((line) => line.startsWith('tool: '))!
      expect(result).toMatch(
        /^tool: 今日は今日は今日は今日は今\n*\[truncated: kept first ~10 of ~90 tokens \(head\)\]$/,
      )
    }
  })
})

describe('the history', () => {
  it('is filled from its newest message, and a message of the system says how many are missing', () => {
    const talk = new Talk()
    for (let index = 0; index < 30; index++) talk.user('q'.repeat(40)).assistant('a'.repeat(40))
    const request = requests('duragent', talk.messages, {
      budget: 2000,
      given: { maxOutputTokens: 100, maxHistoryTokens: 0 },
      preamble: 700,
    }).at(-1)!
    // 2000 less the preamble, the answer and a tenth: 1,000 tokens, at 40 a message.
    expect(request).toHaveLength(26)
    expect(request[0]).toBe('system: [conversation truncated — 34 older messages omitted]')
    expect(request.at(-1)).toMatch(/^user: q/)
  })

  it('has a cap of its own, the smaller of the two, and none at 0', () => {
    const talk = new Talk()
    for (let index = 0; index < 30; index++) talk.user('q'.repeat(40)).assistant('a'.repeat(40))
    const kept = (maxHistoryTokens: number) =>
      requests('duragent', talk.messages, { budget: 2000, given: { maxOutputTokens: 0, maxHistoryTokens } }).at(-1)!
        .length - 1
    expect([kept(200), kept(0), kept(100_000)]).toEqual([5, 45, 45])
  })
})

describe('its settings', () => {
  it('have the defaults of the table', () => {
    const byDefault = Object.fromEntries(Object.entries(params).map(([key, { default: value }]) => [key, value]))
    expect(byDefault).toMatchObject({
      maxHistoryTokens: 20_000,
      maxToolResultTokens: 8000,
      truncation: 'head',
      keepFirst: 2,
      keepLast: 5,
    })
  })

  it('are refused where a result may keep nothing, or in a way that nobody knows', async () => {
    const rows = [user('one'), assistant('1')]
    for (const wrong of ['maxToolResultTokens=0', 'truncation=middle'])
      expect((await ran(['simulate', '--policy', `duragent:${wrong}`], rows)).code).toBe(2)
    expect((await ran(['simulate', '--policy', 'duragent:truncation=tail,maxToolResultTokens=1'], rows)).code).toBe(0)
  })

  it('are those of a file', async () => {
    const { stdout } = await runCli([
      'emit',
      '--policy',
      'duragent-shipped:maxHistoryTokens=20000',
      '--budget',
      '150k',
      '--no-config',
    ])
    for (const line of [
      'max_input_tokens: 150000',
      'max_history_tokens: 20000',
      'max_tool_result_tokens: 8000',
      'tool_result_truncation: head',
      'tool_result_keep_first: 2',
      'tool_result_keep_last: 5',
    ])
      expect(stdout).toContain(line)
  })
})
