/** Recomputes each figure of a window from the messages in it alone. */
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import bytes from '../../src/estimators/bytes.ts'
import { isEmpty, type Message, type ProviderName } from '../../src/model/message.ts'
import type { Sizes } from '../../src/model/sizes.ts'
import type { Trace } from '../../src/model/trace.ts'
import type { Item } from '../../src/simulator/item.ts'
import { sizesOf } from '../../src/simulator/sizes.ts'
import type { EditableWindow } from '../../src/simulator/window.ts'
import { traceOf } from './arbitrary.ts'
import { messageBytes, requestBytes } from './request-bytes.ts'

/** A trace sized by the bytes of its serialized messages, and its sizes for a run. */
export function measured(list: readonly Message[], provider: ProviderName): { trace: Trace; sizes: Sizes } {
  const context = { provider, model: null }
  const values = { bytesPerToken: 4 }
  const meter = bytes.meter(context, values)
  const system: Message[] = [{ role: 'system', line: 1, blocks: [{ type: 'text', text: 'S' }] }]
  const trace = traceOf(list, [meter.message], provider, { preamble: { system, complete: true } })
  return { trace, sizes: sizesOf(trace, 0, meter, bytes.scale(trace, 0, values, context)) }
}

export function itemsOf(window: EditableWindow): Item[] {
  const items: Item[] = []
  for (let item = window.first; item; item = item.next) items.push(item)
  return items
}

/** Builds the request and serializes it; a summary without a known text has its given size. */
export function recount(window: EditableWindow, trace: Trace, provider: ProviderName): number {
  const items = itemsOf(window)
  let unknown = 0
  const messages = items.map((item) => {
    const message = item.message as Message
    if (item.index < 0) unknown += item.size - messageBytes(provider, message)
    return message
  })
  return Math.ceil((requestBytes(provider, trace.preamble, messages) + unknown) / 4)
}

/**
 * Halves of pairs that the policy parted.
 * @param since index of the first message since the history last began; @param until number of messages so far
 */
export function pairsLeft(window: EditableWindow, trace: Trace, since: number, until: number) {
  const real = itemsOf(window).filter((item) => item.index >= 0)
  const calls = (item: Item) => Array.from({ length: item.calls }, (_, index) => item.call + index)
  const idsOf = (message: Message | null | undefined) =>
    (message?.blocks ?? []).flatMap((block) => (block.type === 'call' ? [block.id] : []))
  /** A policy may have cut some of them out of the message. */
  const left = (item: Item) => {
    const ids = idsOf(trace.messages?.[item.index])
    const inMessage = idsOf(item.message)
    return calls(item).filter((_, place) => inMessage.includes(ids[place] ?? ''))
  }
  // What the whole history has too is no fault of the policy's.
  const history = () => Array.from({ length: until - since }, (_, index) => since + index)
  const wasMade = (call: number) =>
    history().some((index) => {
      const first = trace.call(index)
      return trace.role(index) === 'assistant' && call >= first && call < first + trace.callCount(index)
    })
  const wasAnswered = (call: number) =>
    history().some((index) => trace.role(index) === 'tool' && trace.call(index) === call)
  const made = new Set(real.filter((item) => item.role === 'assistant').flatMap(left))
  const results = real.filter((item) => item.role === 'tool')
  const answered = new Set(results.map((item) => item.call))
  return {
    orphanResults: results.filter((item) => !made.has(item.call) && wasMade(item.call)).length,
    orphanCalls: [...made].filter((call) => !answered.has(call) && wasAnswered(call)).length,
  }
}

/** The exchange that a call was made in since the history last began: what is before the first goes with it. Null for none. */
function calledIn(trace: Trace, since: number, call: number): number | null {
  let prompts = 0
  for (let index = 0; index < trace.length; index++) {
    if (trace.isPrompt(index)) prompts++
    const [first, count] = [trace.call(index), trace.callCount(index)]
    if (index >= since && call >= first && call < first + count) return Math.max(0, prompts - 1)
  }
  return null
}

/** @param since index of the first message since the history last began; @param until number of messages so far */
export function expectWindow(
  window: EditableWindow,
  trace: Trace,
  provider: ProviderName,
  since: number,
  until: number,
) {
  const items = itemsOf(window)
  const real = items.filter((item) => item.index >= 0)
  const exchanges = [...new Set(real.map((item) => item.exchange))].filter((exchange) => exchange >= 0)
  const listed: [number, number, number, number][] = []
  for (let exchange = window.oldestExchange; exchange; exchange = window.nextExchange(exchange)) {
    listed.push([exchange.index, exchange.first.index, exchange.count, exchange.through])
  }
  const backwards: Item[] = []
  for (let item = window.last; item; item = item.previous) backwards.push(item)
  const told = {
    backwards: backwards.reverse(),
    tokens: window.sentTokens,
    count: window.count,
    users: window.users,
    addedEmpty: window.addedEmpty,
    omitted: window.omitted,
    orphanResults: window.pairs.orphanResults,
    orphanCalls: window.pairs.orphanCalls,
    firstRole: window.firstRole,
    exchangeCount: window.exchangeCount,
    exchanges: listed,
    newest: window.newestExchange?.index,
  }
  const recounted = {
    backwards: items,
    tokens: recount(window, trace, provider),
    count: items.length,
    users: items.filter((item) => item.role === 'user').length,
    addedEmpty: items.filter(
      (item) => isEmpty(item.message as Message) && !(item.index >= 0 && trace.isEmpty(item.index)),
    ).length,
    omitted: until - since - real.length,
    ...pairsLeft(window, trace, since, until),
    firstRole: items.find((item) => item.role !== 'system')?.role ?? null,
    exchangeCount: exchanges.length,
    exchanges: exchanges.map((exchange) => {
      const members = real.filter((item) => item.exchange === exchange)
      const answers = real.filter(({ role, call }) => role === 'tool' && calledIn(trace, since, call) === exchange)
      return [exchange, members[0]?.index, members.length, Math.max(exchange, ...answers.map((item) => item.exchange))]
    }),
    newest: exchanges.at(-1),
  }
  // `expect` is slow where it is called for each request of thousands of transcripts: it shows what differs.
  if (!isDeepStrictEqual(told, recounted)) expect(told).toEqual(recounted)
}
