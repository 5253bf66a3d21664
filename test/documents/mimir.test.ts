/** Mimir, "Context Window Management", sentence by sentence: the numbers are those of statements.data.json. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Message, textOf } from '../../src/model/message.ts'
import { requests, shown, Talk } from '../policies/requests.ts'
import { assistant, simulated, user } from './run.ts'

interface Turn {
  readonly asks: number
  readonly results: readonly number[]
  readonly answer: number
}

const turn: fc.Arbitrary<Turn> = fc.record({
  asks: fc.integer({ min: 1, max: 60 }),
  results: fc.array(fc.nat(80), { maxLength: 3 }),
  answer: fc.integer({ min: 1, max: 60 }),
})

function write(turns: readonly Turn[]): Message[] {
  const talk = new Talk()
  for (const { asks, results, answer } of turns) {
    talk.user('q'.repeat(asks))
    for (const result of results) talk.calls({ name: 'query', result: 'r'.repeat(result) })
    talk.assistant('a'.repeat(answer))
  }
  return talk.messages
}

const noteOf = (gone: number, kept: number) =>
  `system: [Context note: ${gone} earlier messages were truncated to manage context window. The conversation continues from the most recent ${kept} messages.]`

/** The document's rules over a list: exchanges of the past leave one by one, oldest first, but the newest three. */
function slowly(list: readonly Message[], budget: number, preamble: number): string[][] {
  const tokensOf = (messages: readonly Message[]) =>
    messages.reduce((sum, message) => sum + textOf(message).length, preamble)
  const sent: string[][] = []
  const past: Message[][] = []
  let current: Message[] = []
  let gone = 0
  let note: string | null = null
  for (const message of list) {
    if (message.role === 'user') {
      if (current.length > 0) past.push(current)
      current = []
    }
    if (message.role === 'assistant') {
      // The note is a message, too: it counts, and what leaves next has to make room for it.
      const all = () => tokensOf([...past.flat(), ...current]) + (note === null ? 0 : note.length - 'system: '.length)
      while (all() > 0.8 * budget && past.length > 3) {
        gone += past.shift()!.length
        note = noteOf(gone, past.flat().length + current.length)
      }
      sent.push([...(note === null ? [] : [note]), ...[...past.flat(), ...current].map(shown)])
    }
    current.push(message)
  }
  return sent
}

it('drops the oldest pairs of the past over 80 % of the context, but three, before each request of the loop', () => {
  fc.assert(
    fc.property(
      fc.array(turn, { minLength: 1, maxLength: 9 }),
      fc.integer({ min: 50, max: 900 }),
      fc.constantFrom(0, 100),
      (turns, budget, preamble) => {
        const list = write(turns)
        expect(requests('mimir', list, { budget, preamble })).toEqual(slowly(list, budget, preamble))
      },
    ),
    { numRuns: 300 },
  )
})

it('leaves what has exactly 80 % of the context', () => {
  const list = write(Array.from({ length: 6 }, () => ({ asks: 10, results: [], answer: 10 })))
  // The last request has five exchanges and a question: 110.
  const last = (budget: number) => requests('mimir', list, { budget }).at(-1)!
  expect(last(137.5)).toHaveLength(11)
  expect(last(137)[0]).toMatch(/^system: \[Context note: /)
})

it('has 128,000 tokens where no budget is given', async () => {
  const { budget } = await simulated(['--policy', 'mimir'], [user('one'), assistant('1')])
  expect(budget).toBe(128_000)
})

it('goes by a share of the model’s window where it is asked to', async () => {
  const rows = [user('one'), { ...assistant('1'), model: 'claude-sonnet-4-5' }]
  const { budget } = await simulated(['--policy', 'mimir', '--budget', '100%'], rows)
  expect(budget).toBe(200_000)
})
