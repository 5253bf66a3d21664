/** Prompt caches the slow, obvious way: whole serialized requests, compared with each other. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect } from 'vitest'
import bytes from '../../src/estimators/bytes.ts'
import { cacheBehaviour } from '../../src/measures/cache-behaviour.ts'
import { clockOf, type Hit, WholeCache, WindowCache } from '../../src/measures/prompt-cache.ts'
import type { Block, Message, Preamble, ProviderName } from '../../src/model/message.ts'
import type { Sizes } from '../../src/model/sizes.ts'
import type { Trace } from '../../src/model/trace.ts'
import type { Pricing } from '../../src/models/pricing.ts'
import type { CacheRule } from '../../src/models/table.ts'
import type { Entry, PolicyRun, Window } from '../../src/policies/policy.ts'
import type { Contents } from '../../src/simulator/contents.ts'
import { replay } from '../../src/simulator/replay.ts'
import { sizesOf } from '../../src/simulator/sizes.ts'
import { EditableWindow } from '../../src/simulator/window.ts'
import { messages as short, traceOf, withGroups } from '../simulator/arbitrary.ts'
import { requestBytes } from '../simulator/request-bytes.ts'

export const preamble: Preamble = {
  system: [{ role: 'system', line: 1, blocks: [{ type: 'text', text: 'You are “terse”.' }] }],
  complete: true,
}

export interface Step {
  readonly message: Message
  readonly resets: boolean
}

/** Long enough for sliding windows. */
export const long = fc.array(short, { minLength: 4, maxLength: 6 }).map((lists) => lists.flat())

/** Messages with unique texts, at times that may repeat, run backwards or be missing. */
export function stepsOf(timed: boolean, messages: fc.Arbitrary<Message[]> = short): fc.Arbitrary<Step[]> {
  const seconds = fc.oneof(fc.integer({ min: -50, max: 400 }), fc.integer({ min: -400, max: 50 }))
  const gap = timed ? fc.option(seconds, { freq: 6 }) : fc.constant(null)
  return messages.chain((list) =>
    fc.tuple(...list.map(() => fc.tuple(gap, fc.integer({ min: 0, max: 19 })))).map((gaps) => {
      let now = 1_000_000
      return list.map((message, index): Step => {
        const [gap, dice] = gaps[index] as [number | null, number]
        now += (gap ?? 0) * 1000
        const [first, ...rest] = message.blocks
        // Equal texts in two messages are not recognised as equal: that is documented, so texts differ here.
        const text = first?.type === 'text' ? `${index} ${first.text}` : ' '.repeat(index)
        const blocks: Block[] = [{ type: 'text', text }, ...rest]
        const own = message.callId === 'call_none' ? { callId: `none_${index}` } : {}
        return { message: { ...message, ...own, blocks, ...(gap === null ? {} : { time: now }) }, resets: dice === 0 }
      })
    }),
  )
}

export function build(steps: readonly Step[], provider: ProviderName): Trace {
  const meter = bytes.meter({ provider, model: null }, { bytesPerToken: 4 })
  const list = steps.map(({ message }) => message)
  const grouped = provider === 'anthropic' ? withGroups(list) : list
  const resets = steps.flatMap(({ resets }, index) => (resets ? [index] : []))
  return traceOf(grouped, [meter.message], provider, { preamble, resets })
}

export function sizes(trace: Trace): Sizes {
  const context = { provider: trace.head.provider, model: null }
  const values = { bytesPerToken: 4 }
  return sizesOf(trace, 0, bytes.meter(context, values), bytes.scale(trace, 0, values, context))
}

export interface Placed {
  readonly message: Message
  readonly joined: boolean
}

export function placedIn(window: Contents, trace: Trace, length: number): Placed[] {
  const placed: Placed[] = []
  if (!(window instanceof EditableWindow)) {
    for (let index = 0; index <= length; index++) {
      if (trace.isReset(index)) placed.length = 0
      if (index < length)
        placed.push({
          message: trace.messages?.[index] as Message,
          joined: placed.length > 0 && trace.continues(index),
        })
    }
    return placed
  }
  for (let item = window.first; item; item = item.next) {
    placed.push({
      message: item.message as Message,
      joined: item.group >= 0 && item.previous !== null && item.previous.group === item.group,
    })
  }
  return placed
}

function countFromScratch(provider: ProviderName, placed: readonly Placed[]): number {
  const messages = placed.map(({ message }) => message)
  return Math.ceil(requestBytes(provider, preamble, messages) / 4)
}

/** Writes each message once, and gives the same string wherever the text is the same: such strings compare at once. */
function serializer(): (placed: Placed) => string {
  const behind = new Map<Message, string>()
  const alone = new Map<Message, string>()
  const written = new Map<string, string>()
  return ({ message, joined }) => {
    const known = joined ? behind : alone
    const before = known.get(message)
    if (before !== undefined) return before
    // A summary is new each time a model writes one, and its response tells which it is.
    const own = JSON.stringify([message.role, message.callId, message.responseId, message.blocks, joined])
    const text = written.get(own) ?? own
    written.set(own, text)
    known.set(message, text)
    return text
  }
}

/** Compares each request with every earlier one that is still cached, message by message. */
export function slowly(
  requests: readonly Placed[][],
  times: readonly number[],
  rule: CacheRule,
  provider: ProviderName,
) {
  const timed = times.some((time) => !Number.isNaN(time))
  let clock = times.find((time) => !Number.isNaN(time)) ?? 0
  const clocks = times.map((time, index) => {
    if (!timed) return index
    if (time > clock) clock = time
    return clock
  })
  const life = timed ? rule.ttl * 1000 : 64
  const serialized = serializer()
  const sent = requests.map((request) => request.map(serialized))
  return requests.map((request, k): Hit => {
    const texts = sent[k] as string[]
    let longest = -1
    // The clock never goes back: before one that has expired all have.
    for (let j = k - 1; j >= 0 && (clocks[k] as number) - (clocks[j] as number) <= life; j--) {
      const other = sent[j] as string[]
      let common = 0
      while (common < texts.length && texts[common] === other[common]) common++
      longest = Math.max(longest, common)
    }
    const prefix = longest < 0 ? 0 : countFromScratch(provider, request.slice(0, longest))
    const step = rule.granularity === 'block' ? 1 : rule.granularity
    const whole = Math.floor(prefix / step) * step
    const before = sent[k - 1] ?? []
    return { tokens: whole >= rule.minPrefix ? whole : 0, breaks: before.some((text, at) => text !== texts[at]) }
  })
}

/** Edits the window in all ways, chosen by numbers. It uses few texts, so that the same one comes again often. */
export function vandal(numbers: readonly number[], kind: 'sticky' | 'view' | 'drops'): PolicyRun {
  let next = 0
  const draw = (below: number): number =>
    numbers.length === 0 ? 0 : (numbers[next++ % numbers.length] as number) % below
  const pick = (window: Window): Entry | null => {
    let entry = window.first
    for (let left = draw(Math.max(1, window.count)); entry && left > 0; left--) entry = entry.next
    return entry
  }
  const act = (window: Window): void => {
    for (let edits = draw(4); edits > 0; edits--) {
      const entry = pick(window)
      const what = draw({ view: 7, sticky: 5, drops: 2 }[kind])
      if (what === 0 && entry) window.drop(entry, entry)
      else if (what === 1 && window.first) window.drop(window.first, entry ?? window.first)
      else if (what === 2 && entry && entry.index >= 0) window.replace(entry, `[masked ${draw(2)}]`)
      else if (what === 3)
        window.insert(entry, { role: 'user', blocks: [{ type: 'text', text: `[notice ${draw(2)}]` }] })
      else if (what === 4) window.insert(null, { role: 'user', blocks: [{ type: 'text', text: '[note]' }] })
      else if (what === 5) window.restore(draw(20))
      else if (what === 6) window.restore()
    }
  }
  return { message: act, request: act, exchangeEnd: act }
}

export const rules: CacheRule[] = [
  { id: 'a', minPrefix: 0, granularity: 'block', ttl: 300, read: 0.1, write: 1.25, write1h: 2, source: 'test' },
  { id: 'b', minPrefix: 64, granularity: 16, ttl: 300, read: 0.5, write: 1, source: 'test' },
  { id: 'c', minPrefix: 30, granularity: 'block', ttl: 0, read: 0.1, write: 1, source: 'test' },
  { id: 'd', minPrefix: 0, granularity: 1, ttl: 1e9, read: 0.1, write: 1, source: 'test' },
]

export function pricing(rule: CacheRule): Pricing {
  const rates = { input: 1, output: 5, read: rule.read, write: rule.write, write1h: rule.write }
  return { unit: 'input-token-equivalents', asOf: '2026-01-01', rule, hour: false, life: rule.ttl, rates: () => rates }
}

/** What a replay is billed by where nobody asks: the cache of the price list. */
export function ideal(trace: Trace, sizes: Sizes, rule = rules[0] as CacheRule) {
  const cache = cacheBehaviour(trace, sizes, pricing(rule), 'ideal', trace.head.provider)
  return { modelWindow: null, pricing: pricing(rule), cache }
}

/** With a thought in front of what each answer says. */
export function thoughtful(steps: readonly Step[]): Step[] {
  return steps.map((step, at) => {
    const { message } = step
    if (message.role !== 'assistant') return step
    const thinking = `thought ${at}`
    const value = { type: 'thinking', thinking, signature: 'c2ln' }
    const thought: Block = { type: 'thinking', text: thinking, wire: { provider: 'anthropic', value } }
    return { ...step, message: { ...message, blocks: [thought, { type: 'text', text: 'said' }, ...message.blocks] } }
  })
}

/** A run: its cache hits by the simulator, and by comparing the serialized requests. */
export function compare(
  trace: Trace,
  policy: PolicyRun,
  kind: 'sticky' | 'view',
  budget: number,
  rule: CacheRule,
  bindsThoughts = false,
) {
  const counted = sizes(trace)
  const clock = clockOf(trace, rule.ttl)
  const prunes = budget > 0 && Boolean(policy.message || policy.request || policy.exchangeEnd)
  const cache = prunes ? new WindowCache(trace, counted, clock, rule) : new WholeCache(trace, counted, clock, rule)
  const fast: Hit[] = []
  const requests: Placed[][] = []
  const sent: number[] = []
  const settings = { policy, kind, budget, sizes: counted, bindsThoughts, ...ideal(trace, counted, rule) }
  const run = replay(trace, settings, [
    {
      request: (request, window) => {
        fast.push(cache.request(request))
        requests.push(placedIn(window, trace, request.message))
        sent.push(request.sentTokens)
      },
    },
  ])
  const times = requests.map((_, request) => trace.requestTime(request))
  return { run, fast, slow: slowly(requests, times, rule, trace.head.provider), sent }
}

/** Matchers are slow on thousands of hits: they show what differs. */
export function expectSame(fast: readonly Hit[], slow: readonly Hit[]): void {
  if (!isDeepStrictEqual(fast, slow)) expect(fast).toEqual(slow)
}
