/**
 * The rules of the documents, written from their text alone: a list of messages that is really mutated, and nothing of the
 * simulator. Over random conversations, in which results come late, twice after the user, or never.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Message, textOf } from '../../../src/model/message.ts'
import { contextNote } from '../../../src/policies/upstream/mimir.ts'
import { transcripts } from '../../laws/transcripts.ts'
import { itemsOf } from '../../simulator/check-window.ts'
import { cases } from '../../whole.ts'
import { atRequests } from '../requests.ts'

/** Four characters are a token, and what is counted is rounded once. */
const perToken = 4
const size = (message: Message): number => textOf(message).length + 3
const preamble = 7

const tokensOf = (list: readonly Message[], beside = 0): number =>
  Math.ceil(list.reduce((total, message) => total + size(message), beside) / perToken)
const isPrompt = ({ role, origin }: Message): boolean => role === 'user' && origin === undefined
const isResponse = (message: Message, before: Message | undefined): boolean =>
  message.role === 'assistant' && (message.responseId === undefined || message.responseId !== before?.responseId)
const callsOf = ({ blocks }: Message): string[] => blocks.flatMap((block) => (block.type === 'call' ? [block.id] : []))

/** Of each message its exchange; -1 before the first user message. */
const exchangeOf = new WeakMap<Message, number>()

/** The places at which an exchange begins, or what is left of it. */
const startsOf = (list: readonly Message[]): number[] =>
  list.flatMap((message, place) => {
    const exchange = exchangeOf.get(message) ?? -1
    return exchange >= 0 && exchange !== exchangeOf.get(list[place - 1] as Message) ? [place] : []
  })

/** Whether a call in front of place `cut` has a result behind it. */
function parts(list: readonly Message[], cut: number): boolean {
  const calls = new Set(list.slice(0, cut).flatMap(callsOf))
  return list.slice(cut).some(({ callId }) => callId !== undefined && calls.has(callId))
}

/** The first place at which an exchange begins, so that whole ones leave, no pair is parted, and `keep` of them stay. */
function nextCut(list: readonly Message[], keep: number): number | undefined {
  const starts = startsOf(list)
  const cuts = keep === 0 && starts.length > 0 ? [...starts, list.length] : starts
  return cuts.slice(1).find((start, nth) => starts.length - nth - 1 >= keep && !parts(list, start))
}

/** The window, as the rule mutates it. */
interface Rule {
  message?(window: Message[]): void
  /** @param come how many messages have come so far */
  request?(window: Message[], come: number): void
  idle?(window: Message[]): void
}

/** What goes out, message by message. */
function byTheText(all: readonly Message[], rule: Rule): Message[][] {
  const window: Message[] = []
  const sent: Message[][] = []
  const made = new Set<string>()
  let exchange = -1
  for (const [index, message] of all.entries()) {
    if (isPrompt(message)) {
      if (exchange >= 0) rule.idle?.(window)
      exchange++
    }
    exchangeOf.set(message, exchange)
    if (isResponse(message, all[index - 1])) {
      rule.request?.(window, index)
      sent.push([...window])
    }
    const { callId } = message
    // A result without its call is none.
    const isOrphan = callId !== undefined && made.has(callId) && !window.flatMap(callsOf).includes(callId)
    if (!isOrphan) window.push(message)
    for (const call of callsOf(message)) made.add(call)
    if (!isOrphan) rule.message?.(window)
  }
  return sent
}

/** Over budget the oldest whole turn leaves, with what is in front of it; the newest `keep` stay. */
const dropTurns = (window: Message[], budget: number, keep: number): void => {
  while (tokensOf(window, preamble) > budget) {
    const cut = nextCut(window, keep)
    if (cut === undefined) return
    window.splice(0, cut)
  }
}

type Given = Readonly<Record<string, unknown>>

interface Subject {
  readonly policy: string
  readonly given: Given
  readonly rule: (budget: number) => Rule
}

const exchange = (keep: number) => (budget: number) => ({
  message(window: Message[]) {
    const last = window.at(-1) as Message
    if (last.role !== 'assistant' || callsOf(last).length > 0) return
    for (;;) {
      const first = startsOf(window)[0]
      if (first === undefined || tokensOf(window.slice(first)) <= budget) return
      const cut = nextCut(window, keep)
      if (cut === undefined) return
      // Of what belongs to no exchange only a call leaves whose result does, and what is behind it.
      const answers = window.slice(first, cut).map(({ callId }) => callId)
      const caller = window.slice(0, first).findIndex((one) => callsOf(one).some((call) => answers.includes(call)))
      const from = caller < 0 ? first : caller
      window.splice(from, cut - from)
    }
  },
})

/** A window has at most one note, which says how many messages are gone. */
const mimir =
  ({ minTurns, threshold }: { readonly minTurns: number; readonly threshold: number }) =>
  (budget: number): Rule => {
    const most = Math.trunc(Math.fround(Math.fround(budget) * Math.fround(threshold)))
    return {
      request(window, come) {
        while (tokensOf(window, preamble) > most) {
          const list = window.filter(({ line }) => line > 0)
          const cut = nextCut(list, minTurns + 1)
          if (cut === undefined) return
          const kept = list.slice(cut)
          const text = contextNote(come - kept.length, kept.length)
          window.splice(0, Infinity, { role: 'system', line: 0, blocks: [{ type: 'text', text }] }, ...kept)
        }
      },
    }
  }

/** What is in front of the first turn leaves first; the leading system messages and the newest turn stay. */
const forge =
  (turns: number, messages: number) =>
  (budget: number): Rule => ({
    request(window) {
      const isOver = () =>
        tokensOf(window, preamble) >= budget ||
        (turns > 0 && window.filter(({ role }) => role === 'user').length >= turns) ||
        (messages > 0 && window.length >= messages)
      while (isOver()) {
        const from = window.findIndex(({ role }) => role !== 'system')
        const first = window.findIndex(isPrompt)
        if (from < 0 || first < 0) return
        const cut = first > from && !parts(window, first) ? first : nextCut(window, 1)
        if (cut === undefined) return
        window.splice(from, cut - from)
      }
    },
  })

const unsummarised = { retentionWindow: 100_000 }

const subjects: readonly Subject[] = [
  ...[1, 2].map((keep): Subject => {
    const rule = (budget: number): Rule => ({ idle: (window) => dropTurns(window, budget, keep) })
    return { policy: 'ikigai', given: { keepLast: keep }, rule }
  }),
  ...[1, 3].map((keep): Subject => {
    const rule = (budget: number): Rule => ({ request: (window) => dropTurns(window, budget, keep) })
    return { policy: 'drop-oldest', given: { keepLast: keep }, rule }
  }),
  ...[0, 1, 2].map((keep): Subject => ({ policy: 'exchange', given: { keepLast: keep }, rule: exchange(keep) })),
  ...[
    { minTurns: 0, threshold: 0.8 },
    { minTurns: 3, threshold: 0.5 },
  ].map((given): Subject => ({ policy: 'mimir', given, rule: mimir(given) })),
  { policy: 'forge', given: unsummarised, rule: forge(0, 0) },
  { policy: 'forge', given: { ...unsummarised, turnThreshold: 3 }, rule: forge(3, 0) },
  { policy: 'forge', given: { ...unsummarised, messageThreshold: 9 }, rule: forge(0, 9) },
]

const budgets = [10, 40, 100, 230, 400, 0]

describe('what goes out by the text of the document', () => {
  it.each(subjects)('$policy $given', ({ policy, given, rule }) => {
    let [windows, cut, bound] = [0, 0, 0]
    fc.assert(
      fc.property(transcripts, (list) => {
        for (const budget of budgets) {
          const setting = { budget, tokens: size, perToken, preamble, given }
          const sent = atRequests(policy, list, setting, (window) =>
            itemsOf(window).map(({ index, message }) => (index < 0 ? textOf(message as Message) : index)),
          )
          const expected = byTheText(list, rule(budget || Infinity))
          const told = expected.map((request) => request.map((one) => (one.line > 0 ? one.line - 1 : textOf(one))))
          expect(sent).toEqual(told)
          for (const request of expected) {
            const calls = request.flatMap(callsOf)
            const answers = request.flatMap(({ callId }) => callId ?? [])
            expect(answers.filter((id) => !calls.includes(id))).toEqual([])
            windows++
            if (request.length > 0 && !request.includes(list[0] as Message)) cut++
            const prompts = request.flatMap((message, place) => (isPrompt(message) ? [place] : []))
            if (prompts.some((place) => parts(request, place))) bound++
          }
        }
      }),
      { numRuns: cases(40) },
    )
    expect(windows).toBeGreaterThan(1300)
    expect([cut > 12, bound > 12]).toEqual([true, true])
  })
})
