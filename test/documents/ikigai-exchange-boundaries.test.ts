/** Ikigai, "Exchange Boundaries", sentence by sentence: the numbers are those of statements.data.json. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Message, textOf } from '../../src/model/message.ts'
import { requests, shown, Talk } from '../policies/requests.ts'
import { assistant, ran, step, system, told, user } from './run.ts'

interface Exchange {
  readonly firstLine: number
  readonly lastLine: number
  readonly messages: number
  readonly tokens: number
  readonly state: string
}

const exchangesOf = (rows: readonly object[], ...more: string[]) =>
  told(['history', '--exchanges', '--estimator', 'bytes', ...more], rows) as Promise<Exchange[]>

describe('an exchange', () => {
  const rows = [
    system('Be brief.'),
    user('Fix the lint.'),
    ...step('bash', { command: 'lint' }, '5 errors'),
    ...step('edit', { path: 'a.js' }, 'success'),
    assistant('Fixed.'),
    user('Implement X.'),
    ...step('read', { path: 'x.c' }, 'content'),
    user('Actually, do Y.'),
    assistant('Sure.'),
  ]

  it('begins with a user message and ends before the next, answered or not', async () => {
    const found = await exchangesOf(rows)
    expect(found.map(({ firstLine, lastLine, state }) => [firstLine, lastLine, state])).toEqual([
      [2, 7, 'complete'],
      [8, 10, 'interrupted'],
      [11, 12, 'complete'],
    ])
  })

  it('has the sum of the tokens of its messages', async () => {
    const whole = await exchangesOf(rows)
    for (const { firstLine, lastLine, tokens } of whole) {
      const bytes = rows
        .slice(firstLine - 1, lastLine)
        .reduce((sum, row) => sum + Buffer.byteLength(JSON.stringify(row)) + 1, 0)
      // A comma between messages counts with the one behind it, and the sum is rounded once.
      expect(Math.abs(tokens - bytes / 4)).toBeLessThan(1)
    }
  })

  it('is not begun by what stands before the first user message', async () => {
    const found = await exchangesOf([system('a'), assistant('b'), user('c'), assistant('d')])
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({ firstLine: 3, messages: 2 })
  })
})

describe('eviction', () => {
  interface Sketch {
    readonly asks: number
    readonly steps: readonly { readonly result: number; readonly marked: boolean }[]
    readonly answer: number | null
  }

  const exchange: fc.Arbitrary<Sketch> = fc.record({
    asks: fc.nat(60),
    steps: fc.array(fc.record({ result: fc.nat(90), marked: fc.boolean() }), { maxLength: 3 }),
    answer: fc.option(fc.nat(60)),
  })

  /** The messages of exchanges, some with a mark among them, some interrupted. */
  function write(exchanges: readonly Sketch[], leading: number): Message[] {
    const talk = new Talk()
    for (let index = 0; index < leading; index++) talk.assistant('said before')
    for (const { asks, steps, answer } of exchanges) {
      talk.user('q'.repeat(asks + 1))
      for (const { result, marked } of steps) {
        if (marked)
          talk.messages.push({
            role: 'system',
            line: talk.messages.length + 1,
            blocks: [{ type: 'text', text: 'mark' }],
          })
        talk.calls({ name: 'look', result: 'r'.repeat(result) })
      }
      if (answer !== null) talk.assistant('a'.repeat(answer + 1))
    }
    return talk.messages
  }

  /** The document's C, over a list: exchanges from the front leave while the sum of all is over `most`. */
  function slowly(list: readonly Message[], most: number): string[][] {
    const sent: string[][] = []
    let inside: Message[] = []
    for (const message of list) {
      if (message.role === 'assistant') sent.push(inside.map(shown))
      inside.push(message)
      if (message.role !== 'assistant' || message.blocks.some(({ type }) => type === 'call')) continue
      for (;;) {
        const starts = inside.flatMap(({ role }, index) => (role === 'user' ? [index] : []))
        const [oldest, next] = starts
        if (oldest === undefined) break
        const total = inside.slice(oldest).reduce((sum, message) => sum + textOf(message).length, 0)
        if (total <= most) break
        inside = [...inside.slice(0, oldest), ...inside.slice(next ?? inside.length)]
      }
    }
    return sent
  }

  it('takes whole exchanges, oldest first, while their tokens are over the budget, after an answer without calls', () => {
    fc.assert(
      fc.property(
        fc.array(exchange, { maxLength: 7 }),
        fc.constantFrom(0, 2),
        fc.integer({ min: 1, max: 300 }),
        (exchanges, leading, budget) => {
          const list = write(exchanges, leading)
          expect(requests('exchange', list, { budget, given: { keepLast: 0 } })).toEqual(slowly(list, budget))
        },
      ),
      { numRuns: 400 },
    )
  })

  it('leaves an exchange that has exactly the budget', () => {
    const list = new Talk().user('1234').assistant('567890').user('?').assistant('!').messages
    expect(requests('exchange', list, { budget: 10, given: { keepLast: 0 } })[1]).toHaveLength(3)
    expect(requests('exchange', list, { budget: 9, given: { keepLast: 0 } })[1]).toHaveLength(1)
  })

  it('is held to whole pairs by `check --assert orphanedPairs`', async () => {
    const rows = [
      user('a'.repeat(90)),
      ...step('read', {}, 'b'.repeat(90)),
      ...step('read', {}, 'c'.repeat(90)),
      assistant('d'),
      user('e'),
      assistant('f'),
    ]
    const argv = ['check', '--budget', '60', '--estimator', 'bytes', '--assert', 'maxOrphanedPairs=0']
    expect((await ran([...argv, '--policy', 'exchange'], rows)).code).toBe(0)
    expect((await ran([...argv, '--policy', 'drop-messages'], rows)).code).toBe(1)
  })
})
