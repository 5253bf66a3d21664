/** Every figure of a replay, recomputed the slow, obvious way from the messages and from the requests as they went out. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cacheBehaviour } from '../../src/measures/cache-behaviour.ts'
import { clockOf } from '../../src/measures/prompt-cache.ts'
import { findExchanges } from '../../src/model/exchanges.ts'
import { isEmpty, type Message, type Usage } from '../../src/model/message.ts'
import type { Cut } from '../../src/model/run.ts'
import type { Sizes } from '../../src/model/sizes.ts'
import type { RequestBill } from '../../src/model/stored.ts'
import type { Trace } from '../../src/model/trace.ts'
import type { Pricing } from '../../src/models/pricing.ts'
import type { CacheRule } from '../../src/models/table.ts'
import type { Moment, RestartableRun, Window } from '../../src/policies/policy.ts'
import { type Observer, type Replayed, replay, type Settings } from '../../src/simulator/replay.ts'
import { type Occasion, Steps } from '../../src/simulator/step.ts'
import { replayFromFirstEdit } from '../../src/simulator/unedited.ts'
import { Watch } from '../../src/simulator/watch.ts'
import type { EditableWindow, WindowSummary } from '../../src/simulator/window.ts'
import { build, rules, type Step, sizes as sizesOf, stepsOf } from '../measures/slow-cache.ts'
import { wildPolicy } from '../references/transcripts.ts'
import { pairsLeft } from '../simulator/check-window.ts'
import { addedBy } from '../simulator/joins.ts'

/** A message of a request: what tells it from others, what it adds, and whose it is. */
interface Placed {
  readonly key: string
  readonly units: number
  readonly exchange: number
}

/** A request as it went out. */
interface Sent {
  readonly placed: readonly Placed[]
  readonly faults: readonly string[]
  readonly bill: RequestBill
}

/** What the policy did at one occasion. */
interface Done {
  readonly occasion: string
  readonly next: number
  readonly moment: Moment | null
  readonly before: { readonly cutoff: number | null; readonly tokens: number }
  readonly after: { readonly cutoff: number | null; readonly tokens: number }
  readonly inside: ReadonlySet<number>
}

interface Case {
  readonly steps: readonly Step[]
  readonly usages: readonly (Usage | null)[]
  readonly more: readonly boolean[]
  readonly models: readonly (string | undefined)[]
  readonly seed: number
  readonly kind: 'sticky' | 'view'
  readonly budget: number
  readonly rule: CacheRule | null
  /** The least that is cached is what this request has. */
  readonly edge: number | null
  readonly hour: boolean
  readonly modelWindow: number | null
  readonly beginsWithUser: boolean
  readonly shares: boolean
}

const some = fc.nat({ max: 200 })
const usage = fc
  .tuple(some, some, some, some, fc.nat({ max: 40 }), fc.boolean())
  .map(([input, cacheRead, write, hour, output, partial]) => ({
    ...(partial && { partial: true as const }),
    ...{ input: input + cacheRead + write, cacheRead, cacheWrite: write, cacheWrite1h: Math.min(write, hour), output },
  }))

/** A model whose tokenizer is known. */
const counted = 'claude-opus-4-5'

const cases: fc.Arbitrary<Case> = fc.record({
  steps: stepsOf(true),
  usages: fc.array(fc.option(usage), { minLength: 60, maxLength: 60 }),
  more: fc.array(
    fc.nat({ max: 5 }).map((number) => number === 0),
    { minLength: 60, maxLength: 60 },
  ),
  models: fc.array(fc.constantFrom(counted, 'lamp-1', undefined), { minLength: 60, maxLength: 60 }),
  seed: fc.nat({ max: 1_000_000 }),
  kind: fc.constantFrom('sticky', 'view'),
  budget: fc.constantFrom(30, 60, 150, 400),
  rule: fc.constantFrom(...rules, null),
  edge: fc.option(fc.nat({ max: 9 }), { freq: 2 }),
  hour: fc.boolean(),
  modelWindow: fc.constantFrom(null, 60, 150),
  beginsWithUser: fc.boolean(),
  shares: fc.boolean(),
})

/** A case with its transcript, and the least that is cached at the size of one of its requests. */
function drawn(given: Case): { one: Case; trace: Trace; sizes: Sizes } {
  const trace = traceFor(given)
  const sizes = sizesOf(trace)
  const { rule, edge } = given
  if (!rule || edge === null || edge >= trace.requests) return { one: given, trace, sizes }
  const { placed } = watched(given, trace, sizes).sent[edge] as Sent
  return { one: { ...given, rule: { ...rule, minPrefix: tokensOf(placed, sizes) } }, trace, sizes }
}

/** Some answers have several messages, and some have their usage or their model recorded. */
function traceFor({ steps, usages, more, models }: Case): Trace {
  let response = 0
  let goesOn = false
  const recorded = steps.map(({ message, resets }, index): Step => {
    if (message.role !== 'assistant') {
      goesOn &&= message.role !== 'user'
      return { message, resets }
    }
    if (!goesOn || !more[index]) response++
    goesOn = true
    const usage = usages[index]
    const model = models[response]
    const known = { ...(usage && { usage }), ...(model !== undefined && { model }) }
    return { message: { ...message, responseId: `r${response}`, ...known }, resets }
  })
  return build(recorded, 'anthropic')
}

/** Another price for large requests, and for every third. */
function pricingFor({ rule, hour }: Case): Pricing {
  const { read, write, write1h = 3 } = rule ?? { read: 1, write: 1 }
  const rates = (tokens: number, request: number) => {
    const by = (tokens > 80 ? 2 : 1) * (request % 3 === 2 ? 3 : 1)
    return { input: by, output: 5 * by, read: read * by, write: write * by, write1h: write1h * by }
  }
  return { unit: 'usd', asOf: '2026-01-01', rule, hour, life: rule?.ttl ?? 0, rates }
}

function placedIn(window: EditableWindow): Placed[] {
  const placed: Placed[] = []
  for (let item = window.first; item; item = item.next) {
    const { role, callId, responseId, blocks } = item.message as Message
    const joined = item.previous !== null && item.group >= 0 && item.previous.group === item.group
    // Another summary has another response, and other messages have other texts.
    const key = JSON.stringify([role, callId, item.index < 0 ? responseId : null, blocks, joined])
    placed.push({ key, units: window.unitsOf(item), exchange: item.index < 0 ? -1 : item.exchange })
  }
  return placed
}

/** The history since it last began anew, as the request in front of a message has it. */
function wholeBefore(trace: Trace, sizes: Sizes, message: number): Placed[] {
  let from = 0
  for (let index = 0; index <= message; index++) if (trace.isReset(index)) from = index
  return Array.from({ length: message - from }, (_, offset) => {
    const index = from + offset
    return { key: `${index}`, units: addedBy(trace, sizes, from, index), exchange: -1 }
  })
}

function faultsIn(window: EditableWindow, trace: Trace, message: number): string[] {
  const from = wholeBefore(trace, nothing, message).length
  const { orphanResults, orphanCalls } = pairsLeft(window, trace, message - from, message)
  const roleOf = (roles: readonly string[]) => roles.find((role) => role !== 'system')
  const [inside, empties]: [string[], boolean[]] = [[], []]
  for (let item = window.first; item; item = item.next) {
    inside.push(item.role)
    empties.push(isEmpty(item.message as Message) && !(item.index >= 0 && trace.isEmpty(item.index)))
  }
  const history = Array.from({ length: from }, (_, offset) => trace.role(message - from + offset))
  const beginsAnew = roleOf(inside) === 'assistant' && roleOf(history) !== 'assistant'
  return [
    ...(orphanResults > 0 ? ['orphanResults'] : []),
    ...(orphanCalls > 0 ? ['orphanCalls'] : []),
    ...(beginsAnew ? ['firstNotUser'] : []),
    ...(empties.includes(true) ? ['emptyMessages'] : []),
    // The window's own test recomputes it.
    ...(window.hasLatestPrompt ? [] : ['lostLatestUser']),
  ]
}

const nothing = { of: () => 0, joins: () => 0 } as unknown as Sizes

function exchangesIn(window: Window): Set<number> {
  const inside = new Set<number>()
  for (let entry = window.first; entry; entry = entry.next) if (entry.index >= 0) inside.add(entry.exchange)
  return inside
}

/** Replays, and writes down what a policy was told, what it did, and what went out. */
const seenBy = ({ overWindow, summaries, summaryTokens, forgotten, editedShare }: Watch) => ({
  ...{ overWindow, summaries, summaryTokens, forgotten, editedShare },
})

function watched(one: Case, trace: Trace, sizes: Sizes) {
  const pricing = pricingFor(one)
  const sent: Sent[] = []
  const done: Done[] = []
  const told: string[] = []
  const summaries: { call: WindowSummary; request: number }[] = []
  const run = wildPolicy(one.kind, one.seed).start({}, {} as never)
  const state = (window: EditableWindow) => ({ cutoff: window.cutoff, tokens: window.sentTokens })
  const at = (occasion: string, next: number, moment: Moment | null, window: Window, act: () => void): void => {
    const editable = window as unknown as EditableWindow
    const before = state(editable)
    act()
    done.push({ occasion, next, moment, before, after: state(editable), inside: exchangesIn(window) })
  }
  let come = 0
  const policy: RestartableRun = {
    message: (window, entry) => at('message', ++come, null, window, () => run.message?.(window, entry)),
    request: (window, moment) => at('request', come, moment, window, () => run.request?.(window, moment)),
    exchangeEnd: (window, moment) => at('end', come, moment, window, () => run.exchangeEnd?.(window, moment)),
    restart: () => {
      const nowhere = { cutoff: null, tokens: 0 }
      done.push({ occasion: 'reset', next: come, moment: null, before: nowhere, after: nowhere, inside: new Set() })
    },
  }
  let bill: RequestBill | null = null
  const observer: Observer = {
    billed: (one) => {
      bill = one
    },
    request: ({ index, message }, window) => {
      const editable = window as EditableWindow
      told.push(`request ${index}`)
      sent.push({ placed: placedIn(editable), faults: faultsIn(editable, trace, message), bill: bill as never })
    },
    summary: (call, request) => summaries.push({ call, request }),
    cut: (cut) => told.push(`cut ${JSON.stringify(cut)}`),
  }
  const { budget, kind, modelWindow, beginsWithUser, shares } = one
  const cache = cacheBehaviour(trace, sizes, pricing, 'ideal', 'anthropic')
  const settings: Settings = {
    ...{ policy, kind, budget, sizes, modelWindow, pricing, cache, beginsWithUser },
    ...(shares && { summariesShareThePrompt: true }),
  }
  return { replayed: replay(trace, settings, [observer]), settings, pricing, sent, done, told, summaries }
}

const isAnswer = (message: Message) =>
  message.role === 'assistant' && !message.blocks.some(({ type }) => type === 'call')
const rounded = (amount: number) => Math.round(amount * 1e6) / 1e6
const shareOf = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((10_000 * part) / whole) / 100)

/** What each occasion should have been told, by a walk over the messages. */
function nextOf(occasion: Exclude<Occasion, { kind: 'summary' | 'cut' }>): number {
  if (occasion.kind === 'message') return occasion.index + 1
  return occasion.kind === 'request' ? occasion.request.message : occasion.next
}

function pick<T, K extends keyof T>(of: T, ...keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, of[key]])) as Pick<T, K>
}

function occasions(trace: Trace): { occasion: string; next: number; moment: Moment | null }[] {
  const list = trace.messages as Message[]
  const prompts = list.flatMap(({ role, origin }, index) => (role === 'user' && !origin ? [index] : []))
  const found: ReturnType<typeof occasions> = []
  let requests = 0
  const momentAt = (messages: number, answered: boolean): Moment => {
    const [last, next] = [requests - 1, requests].map((request) =>
      request >= 0 && request < trace.requests ? trace.requestTime(request) : Number.NaN,
    ) as [number, number]
    const idle = Number.isNaN(next - last) ? null : Math.max(0, (next - last) / 1000)
    const inputs = Array.from({ length: requests }, (_, request) => trace.usage(request)?.input ?? null)
    const recorded = inputs.filter((input) => input !== null)
    const largestInput = recorded.length === 0 ? null : Math.max(...recorded)
    return { messages, answered, recordedInput: inputs.at(-1) ?? null, largestInput, idleSeconds: idle }
  }
  const end = (before: number): void => {
    const prompt = prompts.findLast((prompt) => prompt < before)
    if (prompt === undefined) return
    const work = list.slice(prompt + 1, before).filter(({ role }) => role === 'assistant' || role === 'tool')
    const last = work.at(-1)
    const answered = last !== undefined && isAnswer(last)
    // At the end of the transcript the agent may still be at work.
    if (answered || before < list.length)
      found.push({ occasion: 'end', next: before, moment: momentAt(before, answered) })
  }
  let response: string | undefined
  for (const [index, { role, responseId, origin }] of list.entries()) {
    if (role === 'user' && !origin) {
      end(index)
      response = undefined
    }
    if (trace.isReset(index)) found.push({ occasion: 'reset', next: index, moment: null })
    if (role === 'assistant') {
      if (responseId !== response) {
        found.push({ occasion: 'request', next: index, moment: momentAt(index, false) })
        requests++
      }
      response = responseId
    }
    found.push({ occasion: 'message', next: index + 1, moment: null })
  }
  end(list.length)
  return found
}

/** What the cache has of each request: the longest beginning that it shares with one that is alive. */
function hitsOf(requests: readonly (readonly Placed[])[], trace: Trace, sizes: Sizes, rule: CacheRule | null) {
  const { times, life } = clockOf(trace, rule?.ttl ?? 0)
  return requests.map((request, k) => {
    let longest = -1
    for (let j = k - 1; j >= 0 && times[k]! - times[j]! <= life; j--) {
      const other = requests[j] as readonly Placed[]
      let common = 0
      while (common < request.length && request[common]?.key === other[common]?.key) common++
      longest = Math.max(longest, common)
    }
    const tokens = longest < 0 ? 0 : tokensOf(request.slice(0, longest), sizes)
    const step = rule === null || rule.granularity === 'block' ? 1 : rule.granularity
    const whole = Math.floor(tokens / step) * step
    const breaks = (requests[k - 1] ?? []).some(({ key }, at) => key !== request[at]?.key)
    return { tokens: rule === null || whole < rule.minPrefix ? 0 : whole, breaks }
  })
}

function tokensOf(placed: readonly Placed[], sizes: Sizes): number {
  return sizes.tokens(placed.reduce((sum, { units }) => sum + units, sizes.preamble))
}

const isCold = (trace: Trace, life: number, request: number): boolean => {
  const clock = clockOf(trace, life)
  return request === 0 || clock.times[request]! - clock.times[request - 1]! > clock.life
}

/** The figures of a replay, from what was watched. */
function figured(one: Case, trace: Trace, sizes: Sizes, watch: ReturnType<typeof watched>) {
  const { budget, rule, hour, modelWindow, beginsWithUser, shares } = one
  const { pricing, sent, done, summaries } = watch
  const requests = sent.map(({ placed }) => placed)
  const whole = requests.map((_, request) => wholeBefore(trace, sizes, trace.requestAt(request)))
  const tokens = requests.map((placed) => tokensOf(placed, sizes))
  const fullTokens = whole.map((placed) => tokensOf(placed, sizes))
  const sum = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0)
  const hits = hitsOf(requests, trace, sizes, rule)
  const fullHits = hitsOf(whole, trace, sizes, rule)
  const inputOf = (request: number, sent: number, hit: number): number => {
    const { read, input, write, write1h } = pricing.rates(sent, request)
    const isCached = rule !== null && sent >= rule.minPrefix
    return read * hit + (isCached ? (hour ? write1h : write) : input) * (sent - hit)
  }
  const inputs = tokens.map((sent, request) => inputOf(request, sent, Math.min(sent, hits[request]!.tokens)))
  const fullInputs = fullTokens.map((sent, request) =>
    inputOf(request, sent, Math.min(sent, fullHits[request]!.tokens)),
  )
  const outputTokens = tokens.map((_, request) => {
    const end = request + 1 < trace.requests ? trace.requestAt(request + 1) : trace.length
    let visible = 0
    for (let at = trace.requestAt(request); at < end; at++)
      if (trace.role(at) === 'assistant') visible += sizes.tokens(sizes.of(at))
    const recorded = trace.usage(request)?.output ?? 0
    const isCounted = (trace.requestModel(request) ?? trace.head.model) === counted
    const isOver = !trace.isPartial(request)
    return recorded > 0 && (isOver || !isCounted || recorded * 10 >= visible * 8)
      ? recorded
      : Math.max(recorded, visible)
  })
  const outputs = outputTokens.map((output, request) => pricing.rates(tokens[request]!, request).output * output)
  const summed = sum(
    summaries.map(({ call, request }) => {
      const read = call.readTokens + (shares ? sizes.tokens(sizes.preamble) : 0)
      // Behind the last request, as at that: nothing is known of another.
      const rates = pricing.rates(read, Math.min(request, trace.requests - 1))
      const isAlive = request === trace.requests ? request > 0 : !isCold(trace, pricing.life, request)
      const isServed = shares && rule !== null && isAlive
      return (isServed ? rates.read : rates.input) * read + rates.output * call.writtenTokens
    }),
  )
  const faults = sent.map(({ faults }) => faults.filter((fault) => beginsWithUser || fault !== 'firstNotUser'))
  const withFault = (fault: string) => faults.filter((found) => found.includes(fault)).length

  /** Exchanges that have left since the last cut. */
  const left = new Set<number>()
  const cuts: { cut: Cut; open: boolean }[] = []
  const exchanges = findExchanges(trace)
  let inside: ReadonlySet<number> = new Set()
  let request = 0
  for (const { occasion, next, before, after, inside: now } of done) {
    if (occasion === 'reset') left.clear()
    else {
      // A message that has just come has brought its exchange in.
      for (const exchange of inside) if (!now.has(exchange)) left.add(exchange)
      const own = occasion === 'message' ? exchanges.findLastIndex(({ from }) => from < next) : -1
      if (own >= 0 && !now.has(own)) left.add(own)
      for (const exchange of now) left.delete(exchange)
    }
    inside = now
    while (request < trace.requests && trace.requestAt(request) < next) request++
    if (occasion === 'reset' || after.cutoff === before.cutoff || after.cutoff === null) continue
    const message = after.cutoff
    const holding = exchanges.findLastIndex(({ from }) => from <= message)
    const cut = {
      request,
      exchange: message >= trace.length && holding >= 0 ? holding + 1 : holding,
      message,
      line: message < trace.length ? trace.line(message) : 0,
      evictedExchanges: [...left].filter((exchange) => exchange >= 0).sort((a, b) => a - b),
      tokensBefore: before.tokens,
      tokensAfter: after.tokens,
    }
    left.clear()
    cuts.push({ cut, open: request >= trace.requests })
  }
  const settled = cuts.map(({ cut, open }): Cut => {
    if (open) return cut
    const { request, tokensBefore, tokensAfter } = cut
    const rates = pricing.rates(tokens[request]!, request)
    const write = hour ? rates.write1h : rates.write
    const isFree = rule === null || (tokens[request - 1] ?? 0) < rule.minPrefix || isCold(trace, pricing.life, request)
    const kept = Math.max(0, tokensAfter - Math.min(tokens[request]!, hits[request]!.tokens))
    const even = isFree ? 0 : ((write - rates.read) / rates.read) * (kept / (tokensBefore - tokensAfter))
    return even >= 0 && Number.isFinite(even) ? { ...cut, breakEvenRequests: Math.round(even * 100) / 100 } : cut
  })
  const cutoff = done.at(-1)?.after.cutoff ?? null
  const holding = cutoff === null ? -1 : exchanges.findLastIndex(({ from }) => from <= cutoff)
  const refused = faults.filter((found) => found.some((fault) => fault !== 'lostLatestUser')).length
  const [input, inputFull] = [sum(inputs), sum(fullInputs)]
  const recordedInput = sum(tokens.map((_, request) => trace.usage(request)?.input ?? 0))
  const recordedRead = sum(tokens.map((_, request) => trace.usage(request)?.cacheRead ?? 0))
  return {
    messages: trace.length,
    exchanges: exchanges.length,
    requests: requests.length,
    preambleTokens: sizes.tokens(sizes.preamble),
    fullTokens: sum(fullTokens),
    sentTokens: sum(tokens),
    savedTokens: sum(fullTokens) - sum(tokens),
    savedPercent: shareOf(sum(fullTokens) - sum(tokens), sum(fullTokens)),
    peakTokens: Math.max(0, ...tokens),
    overBudgetRequests: tokens.filter((sent) => sent > budget).length,
    overWindowRequests: fullTokens.filter((full) => modelWindow !== null && full > modelWindow).length,
    overWindowSent: tokens.filter((sent) => modelWindow !== null && sent > modelWindow).length,
    cuts: settled,
    cutoff:
      cutoff === null
        ? null
        : {
            exchange: cutoff >= trace.length && holding >= 0 ? holding + 1 : holding,
            message: cutoff,
            line: cutoff < trace.length ? trace.line(cutoff) : 0,
          },
    validity: Object.fromEntries(
      ['orphanResults', 'orphanCalls', 'firstNotUser', 'emptyMessages', 'lostLatestUser', 'thinkingLost'].map(
        (fault) => [fault, withFault(fault)],
      ),
    ),
    // None is bound here: test/simulator/bound-thoughts.test.ts has those.
    thinkingLostTokens: 0,
    invalidRequests: refused,
    firsts: ['orphanResults', 'orphanCalls', 'firstNotUser', 'emptyMessages', 'lostLatestUser']
      .map((fault) => ({ fault, request: faults.findIndex((found) => found.includes(fault)) }))
      .filter(({ request }) => request >= 0)
      .sort((a, b) => a.request - b.request)
      .map(({ fault, request }) => ({ fault, request, line: trace.line(trace.requestAt(request)) })),
    cost: {
      unit: 'usd',
      pricesAsOf: '2026-01-01',
      paid: rounded(rounded(input) + rounded(summed)),
      input: rounded(input),
      inputFull: rounded(inputFull),
      output: rounded(sum(outputs)),
      summaries: rounded(summed),
      savedPercent: shareOf(inputFull - input - summed, inputFull),
      cacheHitPercent: shareOf(sum(hits.map(({ tokens: hit }, at) => Math.min(hit, tokens[at]!))), sum(tokens)),
      cacheHitPercentFull: shareOf(
        sum(fullHits.map(({ tokens: hit }, at) => Math.min(hit, fullTokens[at]!))),
        sum(fullTokens),
      ),
      prefixBreaks: hits.filter(({ breaks }) => breaks).length,
      ...(recordedRead > 0 && { recordedHitPercent: shareOf(recordedRead, recordedInput) }),
    },
    inputRecorded: rounded(sum(inputs.filter((_, request) => trace.usage(request) !== null))),
    bills: inputs.map((input, request) => ({
      cached: Math.min(tokens[request]!, hits[request]!.tokens),
      written:
        rule === null || tokens[request]! < rule.minPrefix
          ? 0
          : tokens[request]! - Math.min(tokens[request]!, hits[request]!.tokens),
      input: rounded(input),
      outputTokens: outputTokens[request],
      output: rounded(outputs[request]!),
    })),
    told: requests.flatMap((_, request) => [
      ...settled.filter((cut) => cut.request === request).map((cut) => `cut ${JSON.stringify(cut)}`),
      `request ${request}`,
    ]),
  }
}

function toldOf({ exact, firstFaults, believedTokens: _, ...rest }: Replayed, watch: ReturnType<typeof watched>) {
  const { inputRecorded, overWindowSent, invalidRequests } = exact
  const bills = watch.sent.map(({ bill }) => bill)
  // Behind the last request no price is known.
  const told = watch.told.slice(0, watch.told.findLastIndex((line) => line.startsWith('request')) + 1)
  const figures = { overWindowSent, invalidRequests, inputRecorded, firsts: firstFaults, bills, told }
  return { ...rest, ...figures, cuts: [...rest.cuts] }
}

const plainly = (value: unknown) => JSON.parse(JSON.stringify(value))

describe('a replay under a policy that edits at random', () => {
  it('has the figures of its requests, recomputed one by one: a new figure is recomputed in figured', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const { one, trace, sizes } = drawn(given)
        const watch = watched(one, trace, sizes)
        const [fast, slow] = [toldOf(watch.replayed, watch), figured(one, trace, sizes, watch)].map(plainly)
        if (!isDeepStrictEqual(fast, slow)) expect(fast).toEqual(slow)
      }),
      { numRuns: 150 },
    )
  })

  it('tells it of every occasion, with its circumstances', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const { one, trace, sizes } = drawn(given)
        const told = watched(one, trace, sizes).done.map(({ occasion, next, moment }) => ({
          ...{ occasion, next, moment },
        }))
        const expected = occasions(trace)
        if (!isDeepStrictEqual(told, expected)) expect(told).toEqual(expected)
      }),
      { numRuns: 60 },
    )
  })

  it('can be stepped: each occasion is handed out in its turn, before anything behind it has happened', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const { one, trace, sizes } = drawn(given)
        const { settings, sent } = watched(one, trace, sizes)
        const steps = new Steps(trace, { ...settings, policy: wildPolicy(one.kind, one.seed).start({}, {} as never) })
        const handed: { occasion: string; next: number }[] = []
        let before = 0
        for (const occasion of steps.occasions()) {
          if (occasion.kind === 'summary') expect(occasion.request).toBe(steps.requests)
          if (occasion.kind === 'summary') continue
          if (occasion.kind === 'cut') {
            expect(steps.cutoff).toEqual(pick(occasion.cut, 'exchange', 'message', 'line'))
            continue
          }
          // Its summaries were told before the occasion that they were written for.
          expect((steps.window as EditableWindow).takeSummaries()).toEqual([])
          const next = nextOf(occasion)
          expect(next).toBeGreaterThanOrEqual(before)
          before = next
          handed.push({ occasion: occasion.kind === 'exchangeEnd' ? 'end' : occasion.kind, next })
          if (occasion.kind !== 'request') continue
          // Whoever waits at a request has the window that went out, and nothing that came later.
          const { index, sentTokens } = occasion.request
          expect(steps.requests).toBe(index + 1)
          expect(placedIn(steps.window as EditableWindow)).toEqual(sent[index]?.placed)
          expect(sentTokens).toBe(steps.sent.sentTokens)
        }
        expect(handed).toEqual(occasions(trace).map((told) => pick(told, 'occasion', 'next')))
        expect(steps.requests).toBe(trace.requests)
      }),
      { numRuns: 60 },
    )
  })

  it('has the same figures where measures wait until it edits, and where the run without an edit is known: each is told of what waited, too', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const { one, trace, sizes } = drawn(given)
        const { settings } = watched(one, trace, sizes)
        const policy = () => ({ ...settings, policy: wildPolicy(one.kind, one.seed).start({}, {} as never) })
        const unedited = replay(trace, { ...settings, policy: {} })
        const runs: ((watch: Watch) => Replayed)[] = [
          (watch) => replay(trace, policy(), [watch]),
          (watch) => replayFromFirstEdit(trace, policy(), null, [watch]),
          (watch) => replayFromFirstEdit(trace, policy(), null, [], [watch]),
          (watch) => replayFromFirstEdit(trace, policy(), unedited, [], [watch]),
        ]
        const [counted, ...waiting] = runs.map((run) => {
          const watch = new Watch({ window: one.budget, sizes, pricing: settings.pricing })
          const { cuts, ...rest } = run(watch)
          return { ...rest, cuts: [...cuts], ...seenBy(watch) }
        })
        for (const figures of waiting) if (!isDeepStrictEqual(figures, counted)) expect(figures).toEqual(counted)
      }),
      { numRuns: 60 },
    )
  })
})
