/** Compares `duragent` with the document's layers on a list that is really edited, as the loop of the program edits its own. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Message, textOf } from '../../../src/model/message.ts'
import { transcripts } from '../../laws/transcripts.ts'
import { requests, shown, Talk } from '../requests.ts'

interface Settings {
  readonly maxInput: number
  readonly preamble: number
  readonly maxHistoryTokens: number
  readonly maxOutputTokens: number
  readonly maxToolResultTokens: number
  readonly keepFirst: number
  readonly keepLast: number
}

/** What document and program do otherwise. */
interface Rules {
  /** Tokens that a message has besides its parts. */
  readonly perMessage: number
  /** Whether the list of layer 3c has the system prompt. */
  readonly withPreamble: boolean
  /** Whether a mask is masked again, and the line says what the message had, and not its text. */
  readonly masksAgain: boolean
  step(loop: readonly Message[], from: number): readonly Message[]
}

const isPrompt = (message: Message) => message.role === 'user' && message.origin === undefined
const callsOf = (message: Message) => message.blocks.flatMap((block) => (block.type === 'call' ? [block] : []))
const saying = (message: Message, text: string): Message => ({
  ...message,
  blocks: [{ type: 'text', text }, ...callsOf(message)],
})

/** "token_count ≈ byte_length / 4" */
const quarter = (text: string) => Math.floor(Buffer.byteLength(text) / 4)

/** Of the parts of a message: what it says, its calls in the form of the API, and which call it answers. */
function tokensOf(message: Message): number {
  const calls = callsOf(message).map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
  const parts = [textOf(message), calls.length > 0 ? JSON.stringify(calls) : '', message.callId ?? '']
  return parts.reduce((sum, part) => sum + quarter(part), 0)
}

/** Layer 3a: the beginning of a long result, and a line that says so. Every character of these transcripts is a byte. */
function truncated(message: Message, most: number): Message {
  const text = textOf(message)
  if (message.role !== 'tool' || quarter(text) <= most) return message
  const said = `${text.slice(0, 4 * most)}\n\n[truncated: kept first ~${most} of ~${quarter(text)} tokens (head)]`
  return saying(message, said)
}

/** The response whose calls lead to this request; null if a prompt does, or nothing was called. */
function goesOn(before: readonly Message[]): boolean {
  const last = before.findLast(({ role }) => role === 'assistant')
  if (!last || before.slice(before.lastIndexOf(last)).some(isPrompt)) return false
  return before.some((message) => message.responseId === last.responseId && callsOf(message).length > 0)
}

/** The requests of the loops, as roles and texts. */
function slowly(list: readonly Message[], rules: Rules, settings: Settings): string[][] {
  const { maxInput, preamble, maxHistoryTokens, maxOutputTokens, keepFirst, keepLast } = settings
  const reserved = maxOutputTokens + Math.floor(maxInput / 10)
  const count = (message: Message) => tokensOf(message) + rules.perMessage
  const sum = (messages: readonly Message[]) => messages.reduce((total, message) => total + count(message), 0)
  const sent: string[][] = []
  const history: Message[] = []
  const masked = new Set<Message>()
  let messages: Message[] = []
  let conversationEnd = 0

  const render = () => {
    const available = Math.max(0, maxInput - preamble - reserved)
    const budget = maxHistoryTokens > 0 ? Math.min(available, maxHistoryTokens) : available
    let from = history.length
    while (from > 0 && sum(history.slice(from - 1)) <= budget) from--
    while (history[from]?.role === 'tool') from++
    const text = `[conversation truncated — ${from} older messages omitted]`
    const notice: Message[] = from > 0 ? [{ role: 'system', line: 0, blocks: [{ type: 'text', text }] }] : []
    messages = [...notice, ...history.slice(from)]
    conversationEnd = messages.length
  }

  const mask = () => {
    const results = messages.filter(({ role }, index) => index >= conversationEnd && role === 'tool')
    if ((keepFirst === 0 && keepLast === 0) || results.length <= keepFirst + keepLast) return
    for (const result of results.slice(keepFirst, results.length - keepLast)) {
      if (masked.has(result) && !rules.masksAgain) continue
      const tokens = rules.masksAgain ? count(result) : quarter(textOf(result))
      const line = saying(result, `[result masked — ~${tokens} tokens removed]`)
      masked.add(line)
      messages[messages.indexOf(result)] = line
    }
  }

  const drop = () => {
    const goal = Math.max(0, maxInput - reserved)
    const total = () => sum(messages) + (rules.withPreamble ? preamble : 0)
    const loop = messages.slice(conversationEnd)
    const steps = loop.flatMap((message, index) => (callsOf(message).length > 0 ? [rules.step(loop, index)] : []))
    while (steps.length > 1 && total() > goal) {
      const gone = steps.shift() ?? []
      messages = messages.filter((message) => !gone.includes(message))
    }
  }

  for (const [index, message] of list.entries()) {
    const isResponse =
      message.role === 'assistant' &&
      (message.responseId === undefined || message.responseId !== list[index - 1]?.responseId)
    if (isResponse) {
      if (goesOn(list.slice(0, index))) mask()
      else render()
      drop()
      sent.push(messages.map(shown))
    }
    const came = truncated(message, settings.maxToolResultTokens)
    history.push(came)
    messages.push(came)
  }
  return sent
}

const rulesOf: Readonly<Record<string, Rules>> = {
  duragent: {
    perMessage: 0,
    withPreamble: false,
    masksAgain: false,
    // "assistant_with_tool_calls + tool_results"
    step: (loop, from) => {
      const { responseId } = loop[from] as Message
      const ids = callsOf(loop[from] as Message).map(({ id }) => id)
      return loop.filter(
        (other) =>
          (other.role === 'assistant' && other.responseId === responseId) ||
          (other.role === 'tool' && ids.includes(other.callId as string)),
      )
    },
  },
  'duragent-shipped': {
    perMessage: 4,
    withPreamble: true,
    masksAgain: true,
    step: (loop, from) => {
      const after = loop.slice(from + 1)
      const other = after.findIndex(({ role }) => role !== 'tool')
      return [loop[from] as Message, ...(other < 0 ? after : after.slice(0, other))]
    },
  },
}

const settings = fc.record({
  maxInput: fc.constantFrom(400, 900, 2000, 100_000),
  preamble: fc.constantFrom(0, 40, 300),
  maxHistoryTokens: fc.constantFrom(0, 60, 200, 800),
  maxOutputTokens: fc.constantFrom(0, 50),
  maxToolResultTokens: fc.constantFrom(10, 60, 8000),
  keepFirst: fc.integer({ min: 0, max: 2 }),
  keepLast: fc.integer({ min: 0, max: 2 }),
})

describe.each(Object.entries(rulesOf))('%s', (name, rules) => {
  it('sends what the layers, run on a list of their own, would send', () => {
    let windows = 0
    fc.assert(
      // With more messages layer 1 would act, which the vectors test.
      fc.property(
        transcripts.filter((list) => list.length < 100),
        settings,
        (list, given) => {
          const { maxInput: budget, preamble, ...params } = given
          const tokens = (message: Message) => tokensOf(message) + rules.perMessage
          const sent = requests(name, list, { budget, preamble, tokens, given: params })
          expect(sent).toEqual(slowly(list, rules, given))
          windows += sent.length
        },
      ),
      { numRuns: 400, endOnFailure: true },
    )
    expect(windows).toBeGreaterThan(2000)
  })
})

describe('a loop of duragent', () => {
  /** @param sizes of the results in tokens */
  const loop = (...sizes: readonly number[]): Message[] => {
    const talk = new Talk().user('go on')
    for (const size of sizes) talk.calls({ name: 'read', result: 'x'.repeat(4 * size) })
    return talk.assistant('done').messages
  }
  const given = { maxOutputTokens: 0, keepFirst: 0, keepLast: 0 }
  const counted = (message: Message) => quarter(textOf(message))
  const results = (request: readonly string[] = []) => request.filter((line) => line.startsWith('tool'))

  it.each(['duragent', 'duragent-shipped'])('of %s is dropped for its own size', (name) => {
    const list = loop(200, 200, 200)
    const last = (preamble: number) => {
      const sent = requests(name, list, { budget: 1000, preamble, tokens: counted, given })
      return results(sent.at(-1)).length
    }
    // Nine tenths of the budget are the loop's. The program's list has the system prompt, too.
    expect([last(0), last(350)]).toEqual([3, name === 'duragent' ? 3 : 2])
  })

  it.each(['duragent', 'duragent-shipped'])('of %s masks by the results that are left in it', (name) => {
    const sent = requests(name, loop(400, 400, 400, 400, 400), {
      budget: 1000,
      tokens: counted,
      given: { ...given, keepFirst: 1, keepLast: 2 },
    })
    // Two steps fit, so there are never more than three results.
    expect(results(sent.at(-1)).map((line) => line.slice(0, 9))).toEqual(['tool: xxx', 'tool: xxx'])
  })

  it('says in a mask how many tokens its text had', () => {
    const sent = requests('duragent', loop(1000, 2000, 10), {
      budget: 100_000,
      tokens: (message) => counted(message) + 27,
      given: { ...given, keepLast: 1, maxToolResultTokens: 1500 },
    })
    const note = quarter('\n\n[truncated: kept first ~1500 of ~2000 tokens (head)]')
    expect(results(sent.at(-1)).slice(0, 2)).toEqual([
      'tool: [result masked — ~1000 tokens removed]',
      `tool: [result masked — ~${1500 + note} tokens removed]`,
    ])
  })
})
