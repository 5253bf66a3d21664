import { describe, expect, it } from 'vitest'
import { cutMiddle } from '../../../src/policies/agents/codex-compact.ts'
import { requests, shown, Talk } from '../requests.ts'

describe('codex-compact', () => {
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
    const last = requests('codex-compact', talk(68_000), { budget: 100_000, tokens }).at(-1)
    expect(last).toEqual([
      `user: ${said(6_500, 'a')}…2000 tokens truncated…${said(6_500, 'a')}`,
      `user: ${said(4_000, 'b')}`,
      `user: ${said(3_000, 'c')}`,
      'user: [summary, 2000 tokens]',
    ])
  })

  it('acts at nine tenths of the window, and not a token before', () => {
    expect(requests('codex-compact', talk(67_999), { budget: 100_000, tokens }).at(-1)).toHaveLength(5)
    expect(
      requests('codex-compact', talk(67_999), { budget: 100_000, tokens, given: { limit: 89_999 } }).at(-1),
    ).toHaveLength(4)
    expect(
      requests('codex-compact', talk(67_999), { budget: 100_000, tokens, given: { limit: 95_000 } }).at(-1),
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
    expect(requests('codex-compact', messages, { budget: 100, given }).at(-1)).toEqual([
      'user: v',
      'user: w',
      'user: [summary, 5 tokens]',
    ])
  })

  it('cuts between characters', () => {
    expect(cutMiddle('ööööööö', 1)).toBe('ö…3 tokens truncated…ö')
  })
})
