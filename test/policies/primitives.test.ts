/**
 * The windows that primitives leave, on random conversations, computed anew from their rules (docs/compose.md): a list of
 * messages from which some leave before a request, with tokens that are the characters of each text.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Message, textOf } from '../../src/model/message.ts'
import { requests, shown, Talk } from './requests.ts'

const size = fc.integer({ min: 1, max: 40 })
const exchange = fc.record({
  prompt: size,
  steps: fc.array(fc.array(size, { minLength: 1, maxLength: 2 }), { maxLength: 2 }),
  answer: size,
})
const conversations = fc.array(exchange, { minLength: 1, maxLength: 5 }).map((exchanges) => {
  const talk = new Talk()
  for (const { prompt, steps, answer } of exchanges) {
    talk.user('p'.repeat(prompt))
    for (const results of steps) talk.calls(...results.map((result) => ({ name: 'read', result: 'r'.repeat(result) })))
    talk.assistant('a'.repeat(answer))
  }
  return talk.messages
})
/** Small, so that each boundary is met often. */
const amount = fc.integer({ min: 10, max: 150 })
const share = fc.constantFrom(1, 0.5, 0.7)

const sum = (messages: readonly Message[]) => messages.reduce((all, message) => all + textOf(message).length, 0)

/** The requests of a policy that takes messages out of what it left before, in each. */
function left(list: readonly Message[], act: (window: Message[], at: number) => Message[]): string[][] {
  let window: Message[] = []
  return list.flatMap((message, at) => {
    const isRequest = message.role === 'assistant'
    if (isRequest) window = act(window, at)
    const sent = window.map(shown)
    window = [...window, message]
    return isRequest ? [sent] : []
  })
}

const prompts = (messages: readonly Message[]) => messages.filter(({ role }) => role === 'user').length

function withoutResultsInFront(window: readonly Message[]): Message[] {
  const first = window.findIndex(({ role }) => role !== 'tool')
  return first < 0 ? [] : window.slice(first)
}

/** As many of the newest as have no more tokens than that. */
const newest = (window: readonly Message[], most: number): Message[] =>
  window.slice([...window.keys(), window.length].find((from) => sum(window.slice(from)) <= most))

describe('before each request', () => {
  it('drop-oldest lets whole exchanges go while there are too many tokens, but the newest', () => {
    fc.assert(
      fc.property(conversations, amount, share, fc.integer({ min: 1, max: 3 }), (list, budget, target, keepLast) => {
        const expected = left(list, (window) => {
          if (sum(window) <= budget) return window
          let rest = window
          while (sum(rest) > budget * target && prompts(rest) > keepLast) {
            const next = rest.findIndex(({ role }, at) => at > 0 && role === 'user')
            rest = rest.slice(next)
          }
          return rest
        })
        expect(requests('drop-oldest', list, { budget, given: { target, keepLast } })).toEqual(expected)
      }),
    )
  })

  it('fill-newest keeps the newest messages that fit beside the preamble, and no result without its call', () => {
    fc.assert(
      fc.property(
        conversations,
        amount,
        share,
        fc.nat({ max: 60 }),
        fc.nat({ max: 30 }),
        (list, budget, target, max, preamble) => {
          const room = Math.max(0, budget - preamble)
          const most = max === 0 ? room : Math.min(max, room)
          const expected = left(list, (window) =>
            sum(window) <= most ? window : withoutResultsInFront(newest(window, most * target)),
          )
          expect(requests('fill-newest', list, { budget, preamble, given: { target, max } })).toEqual(expected)
        },
      ),
    )
  })

  it('render-budget fills what reserves and preamble leave, when a loop starts, and says how many are omitted', () => {
    fc.assert(
      fc.property(
        conversations,
        amount,
        fc.nat({ max: 60 }),
        fc.nat({ max: 20 }),
        fc.nat({ max: 20 }),
        (list, budget, maxHistoryTokens, maxOutputTokens, preamble) => {
          const room = Math.max(0, Math.ceil((9 * budget) / 10) - preamble - maxOutputTokens)
          const most = maxHistoryTokens === 0 ? room : Math.min(room, maxHistoryTokens)
          const notices: string[][] = []
          const windows = left(list, (window, at) => {
            const isStart = list[at - 1]?.role === 'user'
            const kept = isStart ? withoutResultsInFront(newest(window, most)) : window
            const omitted = at - kept.length
            const notice = `system: [conversation truncated — ${omitted} older messages omitted]`
            notices.push(isStart ? (omitted > 0 ? [notice] : []) : (notices.at(-1) ?? []))
            return kept
          })
          const expected = windows.map((window, nth) => [...(notices[nth] ?? []), ...window])
          const given = { maxHistoryTokens, maxOutputTokens }
          expect(requests('render-budget', list, { budget, preamble, given })).toEqual(expected)
        },
      ),
    )
  })

  it('truncate-tool-results cuts of a result what is over so many tokens of four bytes', () => {
    const keeps = fc.constantFrom('head', 'tail', 'both')
    fc.assert(
      fc.property(conversations, fc.integer({ min: 1, max: 12 }), keeps, (list, max, keep) => {
        const cut = (text: string) => {
          const tokens = Math.floor(text.length / 4)
          if (tokens <= max) return text
          const [half, whole] = [2 * max, 4 * max]
          if (keep === 'head')
            return `${text.slice(0, whole)}\n\n[truncated: kept first ~${max} of ~${tokens} tokens (head)]`
          if (keep === 'tail')
            return `[truncated: kept last ~${max} of ~${tokens} tokens (tail)]\n\n${text.slice(-whole)}`
          const note = `[truncated: kept first+last ~${max} of ~${tokens} tokens (both)]`
          return `${text.slice(0, half)}\n\n${note}\n\n${text.slice(-half)}`
        }
        const expected = left(list, (window) => window).map((sent) =>
          sent.map((line) => (line.startsWith('tool: ') ? `tool: ${cut(line.slice(6))}` : line)),
        )
        expect(requests('truncate-tool-results', list, { budget: 1, given: { max, keep } })).toEqual(expected)
      }),
    )
  })
})
