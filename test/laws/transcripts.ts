/**
 * Random transcripts as agents write them: most calls have their results before the next user message. Of an interrupted step
 * some come one or two user messages later, and others never.
 */
import fc from 'fast-check'
import type { Block, Message } from '../../src/model/message.ts'

interface Step {
  readonly calls: number
  readonly answered: number
  /** How many user messages later the others are answered; 0 for never. */
  readonly late: number
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
  answered: fc.constantFrom(3, 3, 3, 1, 0),
  late: fc.constantFrom(0, 1, 1, 2),
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

/** What stands before the first user message. A call there is answered behind it, or behind the next one. */
type Leading = 'nothing' | 'words' | 'call' | 'longer call'

function write(exchanges: readonly Exchange[], leading: Leading): Message[] {
  const messages: Message[] = []
  let number = 0
  let response = 0
  const say = (message: Omit<Message, 'line'>) => messages.push({ ...message, line: messages.length + 1 })
  const text = (size: number): Block[] => [{ type: 'text', text: 'word '.repeat(Math.ceil(size / 5)).slice(0, size) }]
  const late: { readonly callId: string; readonly exchange: number; readonly size: number }[] = []
  if (leading !== 'nothing') {
    const call: Block = { type: 'call', id: 'call_first', ...reads[0]! }
    say({ role: 'assistant', blocks: leading === 'words' ? text(20) : [...text(20), call] })
    say({ role: 'system', blocks: text(20) })
    if (leading !== 'words') late.push({ callId: call.id, exchange: leading === 'call' ? 0 : 1, size: 20 })
  }
  for (const [exchange, { size, steps, end }] of exchanges.entries()) {
    const due = late.filter((result) => result.exchange === exchange)
    // In front of what the agent does, or behind it.
    const sayLate = (isFirst: boolean) =>
      due.forEach(({ callId, size }, nth) => {
        if ((nth % 2 === 0) === isFirst) say({ role: 'tool', callId, blocks: text(size) })
      })
    say({ role: 'user', blocks: text(size) })
    sayLate(true)
    for (const { calls, answered, size, said, aside, late: after } of steps) {
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
      if (after > 0) for (const callId of ids.slice(answered)) late.push({ callId, exchange: exchange + after, size })
      if (aside === 'injected') say({ role: 'user', origin: 'injected', blocks: text(15) })
    }
    sayLate(false)
    if (end !== 'interrupted') say({ role: 'assistant', blocks: text(size), responseId: `response_${response++}` })
    if (end === 'two answers') say({ role: 'assistant', blocks: text(10), responseId: `response_${response++}` })
  }
  return messages
}

/** @param most exchanges */
export const transcriptsUpTo = (most: number): fc.Arbitrary<Message[]> =>
  fc
    .tuple(
      fc.array(exchange, { minLength: 1, maxLength: most }),
      fc.constantFrom<Leading[]>('nothing', 'nothing', 'nothing', 'nothing', 'words', 'call', 'longer call'),
    )
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
        late: 0,
        size: 100 + ((index * 182 + number * 106) % 1400),
        said: number % 2 === 0,
        aside: 'none',
      })),
      end: 'answer',
    })
  }
  return write(exchanges, 'nothing').slice(0, length)
}
