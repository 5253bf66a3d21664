import { describe, expect, it } from 'vitest'
import { cutMiddle } from '../../../src/policies/agents/codex.ts'
import { policies } from '../../../src/policies/index.ts'
import { requests, shown, Talk } from '../requests.ts'

describe('codex-compact-local', () => {
  /** Four characters are a token here, as the program counts user messages. */
  const tokens = (message: Parameters<typeof shown>[0]) =>
    Math.ceil((shown(message).length - message.role.length - 2) / 4)
  const said = (tokens: number, letter: string) => letter.repeat(4 * tokens)
  const talk = (rest: number) =>
    new Talk()
      .user(said(15_000, 'a'))
      .assistant(said(rest, 'x'))
      .user(said(4_000, 'b'))
      .assistant('')
      .user(said(3_000, 'c'))
      .assistant('done').messages

  it('keeps what the user said, newest first, and cuts the message that no longer fits', () => {
    const last = requests('codex-compact-local', talk(68_000), { budget: 100_000, tokens }).at(-1)
    expect(last).toEqual([
      `user: ${said(6_500, 'a')}…2000 tokens truncated…${said(6_500, 'a')}`,
      `user: ${said(4_000, 'b')}`,
      `user: ${said(3_000, 'c')}`,
      'user: [summary, 2000 tokens]',
    ])
  })

  it('acts at nine tenths of the window, and not a token before', () => {
    expect(requests('codex-compact-local', talk(67_999), { budget: 100_000, tokens }).at(-1)).toHaveLength(5)
    expect(
      requests('codex-compact-local', talk(67_999), { budget: 100_000, tokens, given: { limit: 89_999 } }).at(-1),
    ).toHaveLength(4)
    expect(
      requests('codex-compact-local', talk(67_999), { budget: 100_000, tokens, given: { limit: 95_000 } }).at(-1),
    ).toHaveLength(5)
  })

  it('does not keep an earlier summary', () => {
    const { messages } = new Talk()
      .user('u'.repeat(40))
      .assistant('a'.repeat(60))
      .user('v')
      .assistant('b'.repeat(90))
      .user('w')
      .assistant('done')
    const given = { userTokens: 2, summaryTokens: 5 }
    expect(requests('codex-compact-local', messages, { budget: 100, given }).at(-1)).toEqual([
      'user: v',
      'user: w',
      'user: [summary, 5 tokens]',
    ])
  })

  it('cuts between characters', () => {
    expect(cutMiddle('ööööööö', 1)).toBe('ö…3 tokens truncated…ö')
  })
})

describe('codex-compact', () => {
  const tokens = (message: Parameters<typeof shown>[0]) =>
    Math.ceil((shown(message).length - message.role.length - 2) / 4)
  const said = (tokens: number, letter: string) => letter.repeat(4 * tokens)
  /** What the user said, a call with a result that fills the window, and what comes behind it. */
  const talk = (rest: number) =>
    new Talk()
      .user(said(60_000, 'a'))
      .assistant('')
      .user(said(4_000, 'b'))
      .assistant('')
      .user(said(3_000, 'c'))
      .calls({ name: 'read', result: said(rest, 'r') })
      .assistant('done')
      .user('next')
      .assistant('yes').messages
  const sent = (rest: number, given = {}) =>
    requests('codex-compact', talk(rest), { budget: 100_000, tokens, given }).map((request) =>
      request.map((message) => message.replace(/(.)\1{99,}/g, (run) => `${run[0]}*${run.length / 4}`)),
    )

  it('keeps 64,000 tokens of what the user said, newest first, and cuts the message that no longer fits', () => {
    expect(sent(23_000).at(-2)).toEqual([
      'user: a*28500…3000 tokens truncated…a*28500',
      'user: b*4000',
      'user: c*3000',
      'user: [summary, 3300 tokens]',
    ])
  })

  it('acts at nine tenths of the window, and not a token before', () => {
    const cuts = (rest: number) => sent(rest).map((request) => request.some((text) => text.includes('[summary')))
    // The call has no tokens here, and its result is what remains to 90,000.
    expect(cuts(23_000)).toEqual([false, false, false, true, true])
    expect(cuts(22_998)).toEqual([false, false, false, false, false])
  })

  it('has the prompt that is about to be sent behind the summary', () => {
    // The answer fills the window; the prompt behind it is not in the history yet.
    const { messages } = new Talk().user(said(10, 'a')).assistant(said(90, 'x')).user('next').assistant('done')
    expect(requests('codex-compact', messages, { budget: 110, tokens, given: { summaryTokens: 5 } }).at(-1)).toEqual([
      `user: ${said(10, 'a')}`,
      'user: [summary, 5 tokens]',
      'user: next',
    ])
    // Without it there are 100 tokens, and the limit is 100.8.
    expect(requests('codex-compact', messages, { budget: 112, tokens }).at(-1)).toHaveLength(3)
  })

  it('counts from the first request on with `body_after_prefix`, and acts at 95 % of the window', () => {
    const { messages } = new Talk()
      .user(said(50, 'a'))
      .assistant(said(20, 'x'))
      .user('b')
      .assistant(said(10, 'y'))
      .user('c')
      .assistant('done')
    const cuts = (budget: number, limit: number) =>
      requests('codex-compact', messages, {
        budget,
        tokens,
        given: { limit, scope: 'body_after_prefix', summaryTokens: 5 },
      }).map((request) => request.some((text) => text.includes('[summary')))
    expect(cuts(1000, 31)).toEqual([false, false, true])
    expect(cuts(1000, 32)).toEqual([false, false, false])
    expect(cuts(86, 32)).toEqual([false, false, true])
    expect(cuts(87, 32)).toEqual([false, false, false])
  })
})

describe('codex-reset', () => {
  const long = 'x'.repeat(90)
  const inLoop = new Talk()
    .user('go')
    .calls({ name: 'read', result: long })
    .assistant('done')
    .user('on')
    .assistant('yes')

  it('leaves nothing inside a loop, and the prompt that is about to be sent between two', () => {
    expect(requests('codex-reset', inLoop.messages, { budget: 100 })).toEqual([
      ['user: go'],
      [],
      ['assistant: done', 'user: on'],
    ])
    const { messages } = new Talk().user('go').assistant(long).user('on').assistant('yes')
    expect(requests('codex-reset', messages, { budget: 100 }).at(-1)).toEqual(['user: on'])
  })

  it('does nothing below nine tenths of the window', () => {
    expect(requests('codex-reset', inLoop.messages, { budget: 104 })[1]).toHaveLength(3)
    expect(requests('codex-reset', inLoop.messages, { budget: 104, given: { limit: 90 } })[1]).toHaveLength(0)
  })
})

describe('an older version', () => {
  it('has its name still', () => {
    expect(policies.get('codex-compact@0.154.0').name).toBe('codex-compact-local')
    expect(policies.get('codex-compact@0.169.0').name).toBe('codex-compact')
  })
})
