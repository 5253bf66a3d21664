/** Forge, "Agent Context Sliding Window Compaction", sentence by sentence: the numbers are those of statements.data.json. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Message, textOf } from '../../src/model/message.ts'
import { requests, shown, Talk } from '../policies/requests.ts'

const tokensOf = (list: readonly Message[]) => list.reduce((sum, message) => sum + textOf(message).length, 0)
/** Nothing is old enough to be summarised: what is left is the sliding window. */
const dropping = { retentionWindow: 100_000 }

interface Turn {
  readonly asks: number
  /** Sizes of the results of parallel calls, for each step. */
  readonly results: readonly (readonly number[])[]
  readonly answer: number | null
  readonly noted: boolean
}

const turn: fc.Arbitrary<Turn> = fc.record({
  asks: fc.integer({ min: 1, max: 60 }),
  results: fc.array(fc.array(fc.nat(60), { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
  answer: fc.option(fc.integer({ min: 1, max: 60 })),
  noted: fc.boolean(),
})

function write(turns: readonly Turn[], leading: 'none' | 'system' | 'answer'): Message[] {
  const talk = new Talk()
  const note = () =>
    talk.messages.push({ role: 'system', line: talk.messages.length + 1, blocks: [{ type: 'text', text: 'note' }] })
  if (leading === 'system') note()
  if (leading === 'answer') talk.assistant('said before')
  for (const { asks, results, answer, noted } of turns) {
    talk.user('q'.repeat(asks))
    for (const parallel of results) talk.calls(...parallel.map((size) => ({ name: 'read', result: 'r'.repeat(size) })))
    if (noted) note()
    if (answer !== null) talk.assistant('a'.repeat(answer))
  }
  return talk.messages
}

interface Thresholds {
  readonly tokens: number
  readonly turns: number
  readonly messages: number
}

/** The plan's criteria, over a list: the oldest messages leave, up to a user message, until no threshold is reached. */
function slowly(list: readonly Message[], { tokens, turns, messages }: Thresholds): string[][] {
  const sent: string[][] = []
  let context: Message[] = []
  const shouldCompact = () =>
    tokensOf(context) >= tokens ||
    (turns > 0 && context.filter(({ role }) => role === 'user').length >= turns) ||
    (messages > 0 && context.length >= messages)
  for (const message of list) {
    if (message.role === 'assistant') {
      while (shouldCompact()) {
        const start = context.findIndex(({ role }) => role !== 'system')
        const next = context.findIndex(({ role }, index) => index > start && role === 'user')
        if (start < 0 || next < 0) break
        // The system's messages among the oldest stay.
        context = [
          ...context.slice(0, next).filter(({ role }, index) => role === 'system' && index < start),
          ...context.slice(next),
        ]
      }
      sent.push(context.map(shown))
    }
    context.push(message)
  }
  return sent
}

describe('where nothing can be summarised', () => {
  it('drops the oldest messages up to a user message, again and again, until no threshold is reached', () => {
    fc.assert(
      fc.property(
        fc.array(turn, { minLength: 1, maxLength: 6 }),
        fc.constantFrom('none', 'system', 'answer'),
        fc.record({
          tokens: fc.integer({ min: 20, max: 400 }),
          turns: fc.constantFrom(0, 0, 2, 4),
          messages: fc.constantFrom(0, 0, 5, 12),
        }),
        (turns, leading, thresholds) => {
          const list = write(turns, leading)
          const given = { ...dropping, turnThreshold: thresholds.turns, messageThreshold: thresholds.messages }
          expect(requests('forge', list, { budget: thresholds.tokens, given })).toEqual(slowly(list, thresholds))
        },
      ),
      { numRuns: 400 },
    )
  })

  it('leaves a context without a user message, or with only those of the system, as it is', () => {
    const given = { ...dropping, messageThreshold: 2 }
    const talk = new Talk().assistant('a').assistant('b').assistant('c')
    expect(requests('forge', talk.messages, { budget: 1, given }).map(({ length }) => length)).toEqual([0, 1, 2])
    const system = talk.messages.map((message): Message => ({ ...message, role: 'system' }))
    expect(requests('forge', [...system, ...new Talk().assistant('!').messages], { budget: 1, given })[0]).toHaveLength(
      3,
    )
  })

  it('does without a threshold of tokens', () => {
    let dropped = 0
    fc.assert(
      fc.property(
        fc.array(turn, { minLength: 1, maxLength: 6 }),
        fc.constantFrom({ turns: 2, messages: 0 }, { turns: 0, messages: 5 }, { turns: 4, messages: 12 }),
        (turns, { turns: turnThreshold, messages: messageThreshold }) => {
          const list = write(turns, 'none')
          const sent = requests('forge', list, { budget: 0, given: { ...dropping, turnThreshold, messageThreshold } })
          const thresholds = { tokens: Infinity, turns: turnThreshold, messages: messageThreshold }
          expect(sent).toEqual(slowly(list, thresholds))
          if (sent.some(([first]) => first !== shown(list[0] as Message))) dropped++
        },
      ),
      { numRuns: 200 },
    )
    expect(dropped).toBeGreaterThan(50)
  })

  it('stays below a threshold, as one that is reached compacts', () => {
    const list = new Talk().user('12345').assistant('67890').user('12').assistant('!').messages
    const sent = (budget: number) => requests('forge', list, { budget, given: dropping })[1]!.length
    expect([sent(13), sent(12)]).toEqual([3, 1])
  })
})

describe('where something can be summarised', () => {
  const list = new Talk()
    .user('first')
    .calls({ name: 'read', result: 'r'.repeat(100) })
    .assistant('done')
    .user('second')
    .assistant('done, too')
    .user('third')
    .assistant('!').messages

  it('is summarised before anything is dropped', () => {
    const sent = requests('forge', list, { budget: 100, given: { retentionWindow: 2, summaryTokens: 10 } })
    expect(sent.at(-1)!.slice(0, 2)).toEqual(['user: first', expect.stringMatching(/^assistant: /)])
    expect(sent.at(-1)).toHaveLength(6)
    expect(sent.at(-1)!.join()).not.toContain('rrr')
  })

  it('is what the newest messages, as many as the retention window has, are not', () => {
    const sent = requests('forge', list, { budget: 100, given: dropping })
    expect(sent.at(-1)).toEqual(['user: second', 'assistant: done, too', 'user: third'])
  })
})
