/**
 * What sub-agents cost, joined to the calls that started them, and an estimate of what the same steps would have cost in the caller's
 * own window. docs/spend.md says what the estimate assumes.
 */
import type { AgentCalls } from '../../measures/agent-calls.ts'
import { rounded } from '../../measures/cost.ts'
import { type BilledRequest, inputCost } from '../../measures/spent.ts'
import { sentAsRecorded } from '../../model/recorded.ts'
import { plainly } from '../../model/redaction.ts'
import { historySizes, type Sizes } from '../../model/sizes.ts'
import type { AgentSpending } from '../../model/spending.ts'
import type { Trace, TranscriptHead } from '../../model/trace.ts'
import type { Rates } from '../../models/pricing.ts'
import { type Billed, sumOf } from './transcript-bill.ts'

/** Its share of all that was spent is known when all is. */
export type AgentRow = Omit<AgentSpending, 'percent'>

/** What is of one sub-agent, in the row that is of none. */
export const noAgent = {
  of: 'rest',
  transcript: null,
  conversation: null,
  format: null,
  model: null,
  caller: null,
  callLine: null,
  joinedBy: null,
  calls: 0,
  requests: 0,
  workTokens: null,
  returnedTokens: null,
  contextTokens: null,
  behindRequests: null,
  inlineUsd: null,
} as const

/** What the steps of a sub-agent add up to, wherever they are made. */
export interface Steps {
  readonly requests: number
  /** In tokens, of its own messages behind the prompt: what its requests carried that the one before had carried, and what was new. */
  readonly carried: number
  readonly added: number
  readonly output: number
  /** All of them at its end. */
  readonly content: number
}

/** Where a sub-agent was started. */
export interface CallPlace {
  readonly line: number
  /** What a sub-agent may be called there: its conversation, or the id of the call. */
  readonly ids: readonly string[]
  readonly prompt: number | null
  /** Of the call's result; null where none is recorded. */
  readonly answerTokens: number | null
  readonly inBackground: boolean
  /** What the caller's window held, with the call; null without recorded usage. */
  readonly context: number | null
  /** Of the caller's model; null without a price. */
  readonly rates: Pick<Rates, 'read' | 'write' | 'output'> | null
  /** The requests that carried the result, and what one token more cost in all of them together. */
  readonly behindRequests: number
  readonly behindRate: number
}

/** What a transcript is as a sub-agent, and as a caller. */
export interface AgentPage extends Pick<TranscriptHead, 'file' | 'conversation' | 'parent' | 'format' | 'model'> {
  readonly isFork: boolean
  readonly asked: number | null
  /** With recorded usage, as is the money; null where no request has a price. */
  readonly requests: number
  readonly usd: number | null
  /** Null where a request has no recorded usage. */
  readonly steps: Steps | null
  readonly calls: readonly CallPlace[]
}

/** @param part a transcript without the requests that count elsewhere */
export function agentPageOf(part: Trace, sizes: Sizes, bill: Billed, found: AgentCalls): AgentPage {
  const trace = part.whole
  const { head, redaction } = trace
  const sum = sumOf(bill)
  // A hash of words can be guessed, which is what pseudonyms are to prevent.
  const told = (prompt: number | null): number | null => (redaction === plainly ? prompt : null)
  const { file, conversation, parent, format, model } = head
  return {
    ...{ file, conversation, parent, format, model },
    isFork: head.forkMessage !== null,
    asked: told(found.asked),
    requests: sum.requests,
    usd: sum.unpriced < sum.requests ? rounded(sum.total / 1e9) : null,
    steps: stepsOf(trace, sizes, bill.all),
    calls: placesOf(trace, sizes, bill.all, found).map(({ ids, prompt, ...place }) => ({
      ...place,
      ids: ids.map((id) => redaction.text(id)),
      prompt: told(prompt),
    })),
  }
}

function stepsOf(trace: Trace, sizes: Sizes, billed: ReadonlyMap<number, BilledRequest>): Steps | null {
  if (trace.requests === 0 || billed.size < trace.requests) return null
  const { before } = historySizes(trace, sizes)
  const start = before[trace.requestAt(0)] as number
  const upTo = (message: number): number => sizes.tokens((before[message] as number) - start)
  const contents = Array.from({ length: trace.requests }, (_, request) => upTo(trace.requestAt(request)))
  return {
    requests: trace.requests,
    carried: contents.slice(0, -1).reduce((sum, content) => sum + content, 0),
    added: contents.at(-1) as number,
    output: [...billed.values()].reduce((sum, { tokens }) => sum + tokens.output, 0),
    content: upTo(trace.length),
  }
}

function placesOf(
  trace: Trace,
  sizes: Sizes,
  billed: ReadonlyMap<number, BilledRequest>,
  { calls }: AgentCalls,
): CallPlace[] {
  if (calls.length === 0) return []
  const started = calls.map(({ message }) => billed.get(trace.requestFrom(message + 1) - 1))
  const contexts = started.map((one) => (one ? one.usage.input + one.tokens.output : null))
  const behind = calls.map(() => ({ requests: 0, rate: 0, isOver: false }))
  for (const { request, at, from, cleared } of sentAsRecorded(trace, sizes)) {
    const one = billed.get(request)
    for (const [nth, { answer }] of calls.entries()) {
      const own = behind[nth] as (typeof behind)[number]
      if (answer === null || answer >= at || own.isOver) continue
      own.isOver = from > answer || cleared.some(([index]) => index === answer)
      if (own.isOver) continue
      own.requests++
      if (one) own.rate += rateAt(one, contexts[nth] ?? 0)
    }
  }
  return calls.map(({ message, id, prompt, answer, conversation, inBackground }, nth): CallPlace => {
    const rates = started[nth]?.rates
    const { requests, rate } = behind[nth] as (typeof behind)[number]
    return {
      line: trace.line(message),
      ids: conversation === null ? [id] : [conversation, id],
      prompt,
      answerTokens: answer === null ? null : sizes.tokens(sizes.of(answer)),
      inBackground,
      context: contexts[nth] ?? null,
      rates: rates ? { read: rates.read, write: rates.write, output: rates.output } : null,
      behindRequests: requests,
      behindRate: rate,
    }
  })
}

/** What a token of the window cost that stands behind so many others: it was read from the cache if the reads reached there. */
function rateAt({ usage, cost, rates }: BilledRequest, depth: number): number {
  if (cost === null || rates === null) return 0
  const rest = usage.input - usage.cacheRead
  return usage.cacheRead > depth || rest <= 0 ? rates.read : (inputCost(cost) - cost.cacheRead) / rest
}

interface Started {
  readonly caller: AgentPage
  readonly place: CallPlace
}

/** A row for each sub-agent, and one for each call of which no sub-agent was read. */
export function agentRows(pages: readonly AgentPage[]): AgentRow[] {
  const all = pages.flatMap((caller) => caller.calls.map((place): Started => ({ caller, place })))
  const left = new Set(all)
  const byId = new Map<string, Started[]>()
  for (const one of all) {
    for (const id of one.place.ids) {
      const key = keyOf(one.caller, id)
      byId.set(key, [...(byId.get(key) ?? []), one])
    }
  }
  const agents = pages.filter(({ parent, isFork, requests }) => parent !== null && !isFork && requests > 0)
  const rows = new Map<AgentPage, AgentRow>()
  for (const agent of agents) {
    const named = agent.conversation === null ? [] : (byId.get(keyOf(agent, agent.conversation)) ?? [])
    const own = named.filter(({ caller }) => caller !== agent)
    for (const one of own) left.delete(one)
    if (own.length > 0) rows.set(agent, rowOf(agent, own, 'id'))
  }
  for (const agent of agents) {
    if (rows.has(agent)) continue
    const asked = [...left].find(({ caller, place }) => isAsked(agent, caller, place))
    if (asked) left.delete(asked)
    rows.set(agent, rowOf(agent, asked ? [asked] : [], 'prompt'))
  }
  return [...rows.values(), ...[...left].map(({ caller, place }) => unread(caller, place))]
}

const keyOf = ({ format }: AgentPage, id: string): string => JSON.stringify([format, id])

/** Whether a call of the same session asks in the words with which a sub-agent begins. */
function isAsked(agent: AgentPage, caller: AgentPage, { prompt, ids }: CallPlace): boolean {
  const isOfSession = caller.conversation === agent.parent || caller.parent === agent.parent
  return (
    caller !== agent &&
    caller.format === agent.format &&
    isOfSession &&
    prompt !== null &&
    prompt === agent.asked &&
    // A call that names its sub-agent started no other.
    ids.length === 1
  )
}

function rowOf(agent: AgentPage, started: readonly Started[], how: 'id' | 'prompt'): AgentRow {
  const { file, conversation, format, model, requests, usd, steps } = agent
  const [first] = started
  return {
    of: 'agent',
    transcript: file,
    conversation,
    format,
    model,
    ...placed(first),
    joinedBy: first ? how : null,
    calls: started.length,
    requests,
    usd,
    workTokens: steps && Math.round(steps.content),
    inlineUsd: first && steps ? inlineOf(steps, first.place) : null,
  }
}

function unread(caller: AgentPage, place: CallPlace): AgentRow {
  const { format } = caller
  return { ...noAgent, of: 'call', format, ...placed({ caller, place }), calls: 1, usd: null }
}

function placed(started: Started | undefined) {
  if (!started) {
    return { caller: null, callLine: null, returnedTokens: null, contextTokens: null, behindRequests: null }
  }
  const { caller, place } = started
  const { answerTokens, inBackground, context, behindRequests } = place
  return {
    caller: caller.file,
    callLine: place.line,
    returnedTokens: inBackground || answerTokens === null ? null : Math.round(answerTokens),
    contextTokens: context,
    behindRequests,
  }
}

/** In US dollars; null where the caller's usage or price is not known. */
function inlineOf(steps: Steps, { context, rates, answerTokens, behindRate }: CallPlace): number | null {
  if (context === null || rates === null) return null
  const read = rates.read * (steps.requests * context + steps.carried)
  const behind = behindRate * (steps.content - (answerTokens ?? 0))
  return rounded(read + rates.write * steps.added + rates.output * steps.output + behind)
}
