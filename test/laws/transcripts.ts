/** Random transcripts as agents write them: every call has its result before the next user message, unless interrupted. */
import fc from 'fast-check'
import type { Block, Message } from '../../src/model/message.ts'

interface Step {
  readonly calls: number
  readonly answered: number
  readonly size: number
  readonly said: boolean
  readonly aside: 'none' | 'queued' | 'injected'
}

interface Exchange {
  readonly size: number
  readonly steps: readonly Step[]
  readonly end: 'answer' | 'interrupted' | 'two answers'
}

const size = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 100, max: 600 }))

const step: fc.Arbitrary<Step> = fc.record({
  calls: fc.integer({ min: 1, max: 3 }),
  answered: fc.constantFrom(3, 3, 3, 1),
  size,
  said: fc.boolean(),
  aside: fc.constantFrom('none', 'none', 'none', 'queued', 'injected'),
})

const exchange: fc.Arbitrary<Exchange> = fc.record({
  size,
  steps: fc.array(step, { maxLength: 4 }),
  end: fc.constantFrom('answer', 'answer', 'answer', 'interrupted', 'two answers'),
})

/** As several programs write them, some again and again. */
const reads = [
  { name: 'read', input: { path: 'a.ts' } },
  { name: 'Read', input: { file_path: 'b.ts' } },
  { name: 'Read', input: { file_path: 'c.ts' } },
  { name: 'Read', input: { file_path: 'd.ts' } },
  { name: 'read', input: { path: 'e.ts' } },
]

/** The messages of exchanges; some transcripts begin with messages before the first user message. */
function write(exchanges: readonly Exchange[], leading: number): Message[] {
  const messages: Message[] = []
  let number = 0
  let response = 0
  const say = (message: Omit<Message, 'line'>) => messages.push({ ...message, line: messages.length + 1 })
  const text = (size: number): Block[] => [{ type: 'text', text: 'word '.repeat(Math.ceil(size / 5)).slice(0, size) }]
  for (let index = 0; index < leading; index++)
    say({ role: index % 2 === 0 ? 'assistant' : 'system', blocks: text(20) })
  for (const { size, steps, end } of exchanges) {
    say({ role: 'user', blocks: text(size) })
    for (const { calls, answered, size, said, aside } of steps) {
      const responseId = `response_${response++}`
      const usage = { input: 100 * messages.length, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 10 }
      if (said) say({ role: 'assistant', blocks: text(12), responseId, usage })
      const ids = Array.from({ length: calls }, () => `call_${number++}`)
      say({
        role: 'assistant',
        blocks: ids.map((id, nth): Block => ({ type: 'call', id, ...reads[(response + nth) % reads.length]! })),
        responseId,
        usage,
      })
      ids.slice(0, answered).forEach((callId, index) => {
        if (index === 1 && aside === 'queued') say({ role: 'user', origin: 'queued', blocks: text(15) })
        say({ role: 'tool', callId, blocks: text(size), ...(index > 0 && aside === 'none' ? { continues: true } : {}) })
      })
      if (aside === 'injected') say({ role: 'user', origin: 'injected', blocks: text(15) })
    }
    if (end !== 'interrupted') say({ role: 'assistant', blocks: text(size), responseId: `response_${response++}` })
    if (end === 'two answers') say({ role: 'assistant', blocks: text(10), responseId: `response_${response++}` })
  }
  return messages
}

/** @param most exchanges */
export const transcriptsUpTo = (most: number): fc.Arbitrary<Message[]> =>
  fc
    .tuple(fc.array(exchange, { minLength: 1, maxLength: most }), fc.constantFrom(0, 0, 0, 2))
    .map(([exchanges, leading]) => write(exchanges, leading))

export const transcripts = transcriptsUpTo(7)

/** A long session, always the same: about 180 tokens a message, so that a thousand reach what policies for long sessions wait for. */
export function longTranscript(length: number): Message[] {
  const exchanges: Exchange[] = []
  for (let index = 0; index < length / 8; index++) {
    exchanges.push({
      size: 60 + ((index * 74) % 400),
      steps: Array.from({ length: (index * 7) % 6 }, (_, number) => ({
        calls: 1 + ((index + number) % 2),
        answered: 3,
        size: 100 + ((index * 182 + number * 106) % 1400),
        said: number % 2 === 0,
        aside: 'none',
      })),
      end: 'answer',
    })
  }
  return write(exchanges, 0).slice(0, length)
}
