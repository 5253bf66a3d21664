/** Compares `duragent` with the document's layers, computed anew for each request on plain arrays. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Params, resolveParams } from '../../../src/base/param.ts'
import { type Message, textOf } from '../../../src/model/message.ts'
import type { Sizes } from '../../../src/model/sizes.ts'
import { policies } from '../../../src/policies/index.ts'
import { truncateText } from '../../../src/policies/primitives/truncate-tool-results.ts'
import { messageTokens, programCounter } from '../../../src/policies/upstream/duragent.ts'
import { EditableWindow } from '../../../src/simulator/window.ts'
import { transcripts } from '../../laws/transcripts.ts'
import { traceOf } from '../../simulator/arbitrary.ts'

interface Settings {
  readonly maxInput: number
  readonly maxHistoryTokens: number
  readonly maxOutputTokens: number
  readonly maxToolResultTokens: number
  readonly keepFirst: number
  readonly keepLast: number
}

const isPrompt = (message: Message) => message.role === 'user' && message.origin === undefined
const callsOf = (message: Message) => message.blocks.flatMap((block) => (block.type === 'call' ? [block.id] : []))
const said = (message: Message, text: string): Message => ({
  ...message,
  blocks: [{ type: 'text', text }, ...message.blocks.filter(({ type }) => type === 'call')],
})
const sum = (messages: readonly Message[]) => messages.reduce((total, message) => total + messageTokens(message), 0)

/** The requests by the document, as roles and texts. No state is kept between them. */
function slowly(list: readonly Message[], shipped: boolean, settings: Settings): string[][] {
  const { maxInput, maxHistoryTokens, maxOutputTokens, maxToolResultTokens, keepFirst, keepLast } = settings
  const margin = Math.floor(maxInput / 10)
  const cut = list.map((message) =>
    message.role === 'tool' ? said(message, truncateText(textOf(message), maxToolResultTokens, 'head')) : message,
  )
  const asked = list.flatMap((message, index) =>
    message.role === 'assistant' &&
    (message.responseId === undefined || message.responseId !== list[index - 1]?.responseId)
      ? [index]
      : [],
  )
  let sent: Message[] = []
  let start = 0
  return asked.map((request) => {
    const before = list.slice(0, request)
    const lastResponse = before.findLast(({ role }) => role === 'assistant')
    const whole = before.filter(
      ({ role, responseId }) => role === 'assistant' && responseId === lastResponse?.responseId,
    )
    const goesOn =
      lastResponse !== undefined &&
      whole.some((message) => callsOf(message).length > 0) &&
      !before.slice(before.lastIndexOf(lastResponse)).some(isPrompt)
    if (!goesOn) {
      start = request
      const room = Math.max(0, maxInput - (maxOutputTokens + margin))
      const budget = maxHistoryTokens > 0 ? Math.min(room, maxHistoryTokens) : room
      let from = request
      while (from > 0 && sum(cut.slice(from - 1, request)) <= budget) from--
      while (from < request && list[from]?.role === 'tool') from++
      const notice: Message[] =
        from > 0
          ? [
              {
                role: 'system',
                line: 0,
                blocks: [{ type: 'text', text: `[conversation truncated — ${from} older messages omitted]` }],
              },
            ]
          : []
      sent = [...notice, ...cut.slice(from, request)]
    } else {
      const loop = cut.slice(start, request)
      const results = loop.filter(({ role }) => role === 'tool')
      const masked =
        (keepFirst === 0 && keepLast === 0) || results.length <= keepFirst + keepLast
          ? []
          : results.slice(keepFirst, results.length - keepLast)
      const known = new Set(sent.map(({ line }) => line))
      const newest = Math.max(start, ...sent.map(({ line }) => line))
      sent = [...sent, ...loop.filter(({ line }) => line > newest && !known.has(line))]
      sent = sent.map((message) => {
        const result = masked.find(({ line }) => line === message.line)
        if (!result) return message
        // The document masks a result once; the program also masks its own masks.
        const tokens = messageTokens(shipped ? message : result)
        return said(message, `[result masked — ~${tokens} tokens removed]`)
      })
    }
    const goal = Math.max(0, maxInput - (maxOutputTokens + margin))
    const loop = sent.filter(({ line }) => line > start)
    const steps: Message[][] = []
    for (const [index, message] of loop.entries()) {
      if (message.role !== 'assistant' || callsOf(message).length === 0) continue
      const step = shipped
        ? [
            message,
            ...loop.slice(index + 1, index + 1 + loop.slice(index + 1).findIndex((next) => next.role !== 'tool')),
          ]
        : loop.filter(
            (other) =>
              (other.role === 'assistant' && other.responseId === message.responseId) ||
              (other.role === 'tool' && callsOf(message).includes(other.callId as string)),
          )
      if (shipped && loop.slice(index + 1).every((next) => next.role === 'tool')) step.push(...loop.slice(index + 1))
      steps.push(step)
    }
    while (steps.length > 1 && sum(sent) > goal) {
      const gone = new Set(steps.shift())
      sent = sent.filter((message) => !gone.has(message))
    }
    return sent.map((message) => `${message.role}: ${textOf(message)}`)
  })
}

function quickly(list: readonly Message[], name: string, settings: Settings): string[][] {
  const policy = policies.get(name)
  const { maxInput, ...given } = settings
  const sizes: Sizes = {
    preamble: 0,
    joins: () => 0,
    of: (index) => messageTokens(list[index] as Message),
    message: programCounter.message,
    tokens: (units) => units,
    units: (tokens) => tokens,
  }
  const trace = traceOf(list, [])
  const window = new EditableWindow(trace, { budget: maxInput, sent: sizes, believed: null, keepsDropped: true })
  const values = resolveParams<Params>(name, policy.params, given)
  const run = policy.start(values, {
    model: null,
    cwd: null,
    systemMessages: 0,
    compactions: [],
    clearings: [],
    recounts: [],
  })
  const requests: string[][] = []
  for (let index = 0; index < trace.length; index++) {
    if (trace.isResponse(index)) {
      run.request?.(window, { messages: index, answered: false, recordedInput: null, idleSeconds: null })
      const request: string[] = []
      for (let item = window.first; item; item = item.next) {
        request.push(`${item.role}: ${textOf(item.message as Message)}`)
      }
      requests.push(request)
    }
    // Outside the optional call, which a policy without the occasion would skip.
    const entry = window.append(index)
    run.message?.(window, entry)
  }
  return requests
}

const settings = fc.record({
  maxInput: fc.constantFrom(400, 900, 2000, 100_000),
  maxHistoryTokens: fc.constantFrom(0, 60, 200, 800),
  maxOutputTokens: fc.constantFrom(0, 50),
  maxToolResultTokens: fc.constantFrom(10, 60, 8000),
  keepFirst: fc.integer({ min: 0, max: 2 }),
  keepLast: fc.integer({ min: 0, max: 2 }),
})

describe.each([
  ['duragent', false],
  ['duragent-shipped', true],
] as const)('%s', (name, shipped) => {
  it('sends what the document’s layers, run anew for each request, would send', () => {
    fc.assert(
      // With more messages layer 1 would act, which the vectors test.
      fc.property(
        transcripts.filter((list) => list.length < 100),
        settings,
        (list, given) => {
          expect(quickly(list, name, given)).toEqual(slowly(list, shipped, given))
        },
      ),
      { numRuns: 80, endOnFailure: true },
    )
  })
})
