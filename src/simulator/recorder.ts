/**
 * Records a replay as rows: what was in the window when, which request cost what, what was used after it had left. Only
 * `export` asks for it: other reports need less, and this remembers when each message left.
 */
import { jsonText } from '../base/json-text.ts'
import type { Request, Sent } from '../measures/measure.ts'
import { Exchanges } from '../model/exchanges.ts'
import { firstWords } from '../model/first-words.ts'
import { type Message, textOf } from '../model/message.ts'
import type { Redaction } from '../model/redaction.ts'
import { type Sizes, tokensBetween } from '../model/sizes.ts'
import type {
  Leaving,
  MessageKind,
  RequestBill,
  StoredExchange,
  StoredMessage,
  StoredReference,
  StoredRequest,
  StoredRun,
  StoredTranscript,
} from '../model/stored.ts'
import type { Trace } from '../model/trace.ts'
import { ReferenceDigest } from '../references/digest.ts'
import type { Loss } from '../references/lost.ts'
import { resolveReferences } from '../references/resolve.ts'
import type { Observer } from './replay.ts'
import { type Cell, simulateOne } from './simulate.ts'
import { latestTimes } from './times.ts'

/** A trace that was read with its messages. */
type FullTrace = Trace & { readonly messages: readonly Message[] }

/** What does not depend on the policy. */
export function storedTranscript(trace: FullTrace): StoredTranscript {
  const times = latestTimes(trace)
  const first = trace.messages.find(({ time }) => known(time) !== null)
  return {
    head: trace.head,
    title: trace.title,
    messages: trace.length,
    exchanges: new Exchanges(trace).length,
    requests: trace.requests,
    firstTime: first?.time ?? null,
    lastTime: known(times[trace.length]),
  }
}

/**
 * The run of a cell, with its rows.
 * @param trace of the cell, with its messages
 * @param texts whether the rows hold the messages' text
 */
export function storedRun(trace: FullTrace, cell: Cell, texts: boolean): StoredRun {
  const recorder = new Recorder(trace, cell.facts.sizes, cell.policy.plugin.name, cell.budget)
  const run = simulateOne(cell, [recorder], recorder.use, 'every')
  return { run, ...recorder.rows(texts), cuts: cutsOf(trace, run) }
}

function cutsOf(trace: Trace, run: StoredRun['run']): StoredRun['cuts'] {
  const times = latestTimes(trace)
  return Array.from(run.cuts, (cut, index) => ({
    index,
    request: cut.request,
    time: timeBefore(trace, times, cut.request),
    exchange: cut.exchange,
    message: cut.message,
    line: cut.line,
    exchanges: cut.evictedExchanges.length,
    tokensBefore: cut.tokensBefore,
    tokensAfter: cut.tokensAfter,
    breakEvenRequests: cut.breakEvenRequests ?? null,
  }))
}

/** Notes of each message when it left, and of each request what it cost. */
class Recorder implements Observer {
  readonly #trace: FullTrace
  readonly #sizes: Sizes
  readonly #policy: string
  readonly #budget: number
  readonly #exchanges: Exchanges
  readonly #times: Float64Array
  /** Of each message, the first request without it; -1 while it is inside, or is not there yet. */
  readonly #left: Int32Array
  /** The user cleared the history in front of it. */
  readonly #cleared: Uint8Array
  readonly #requests: StoredRequest[] = []
  readonly #references: StoredReference[] = []
  #uses: Loss[] = []
  #bill: RequestBill | null = null
  /** As of the last look: all messages before `from` are outside for good; and the first message not looked at. */
  #from = 0
  #until = 0
  #edits = 0
  #returns = 0
  #window: Sent | null = null

  constructor(trace: FullTrace, sizes: Sizes, policy: string, budget: number) {
    this.#trace = trace
    this.#sizes = sizes
    this.#policy = policy
    this.#budget = budget
    this.#exchanges = new Exchanges(trace)
    this.#times = latestTimes(trace)
    this.#left = new Int32Array(trace.length).fill(-1)
    this.#cleared = new Uint8Array(trace.length)
  }

  /** A use that is part of the next request. */
  readonly use = (use: Loss): void => {
    this.#uses.push(use)
  }

  billed(bill: RequestBill): void {
    this.#bill = bill
  }

  request({ index, message, line, exchange, fullTokens, sentTokens, sent }: Request): void {
    this.#look(index, message, sent)
    const usage = this.#trace.usage(index)
    this.#requests.push({
      index,
      message,
      line,
      exchange: exchange < 0 ? null : exchange,
      model: this.#trace.requestModel(index),
      time: known(this.#trace.requestTime(index)),
      messages: sent.count,
      fullTokens,
      sentTokens,
      over: this.#budget > 0 && sentTokens > this.#budget,
      bill: this.#bill as RequestBill,
      recorded: usage && {
        input: usage.input,
        cached: usage.cacheRead,
        written: usage.cacheWrite,
        output: usage.output,
      },
    })
    for (const use of this.#uses) this.#references.push(this.#reference(use))
    this.#uses = []
  }

  end(window: Sent): void {
    this.#look(this.#requests.length, this.#trace.length, window)
    this.#window = window
  }

  /** @param texts whether the rows hold the messages' text */
  rows(texts: boolean): Pick<StoredRun, 'messages' | 'exchanges' | 'requests' | 'references'> {
    const messages = this.#messages(texts)
    return {
      messages,
      exchanges: this.#exchangeRows(messages),
      requests: this.#requests,
      references: this.#references,
    }
  }

  /** Compares the window with what it was at the last request. */
  #look(request: number, next: number, { presence, sequence }: Sent): void {
    // A response may itself begin the history anew.
    for (let index = Math.min(next, this.#trace.length - 1); index >= this.#until; index--) {
      if (!this.#trace.isReset(index)) continue
      for (let before = this.#from; before < index; before++) {
        if ((this.#left[before] as number) >= 0) continue
        this.#left[before] = request
        this.#cleared[before] = 1
      }
      this.#from = index
      break
    }
    this.#until = next + 1
    if (presence === null || sequence?.edits === this.#edits) return
    const back = presence.returns !== this.#returns
    // Messages that a policy never takes back are looked at once: a sliding window would otherwise take quadratic time.
    let from = back ? 0 : this.#from
    let outside = true
    for (let index = from; index < next; index++) {
      if (presence.has(index)) {
        outside = false
        this.#left[index] = -1
        this.#cleared[index] = 0
      } else {
        if ((this.#left[index] as number) < 0) this.#left[index] = request
        if (outside) from = index + 1
      }
    }
    this.#from = from
    this.#edits = sequence?.edits ?? 0
    this.#returns = presence.returns
  }

  #leaving(index: number): Leaving {
    const request = this.#left[index] as number
    if (request < 0) return inside
    const by = this.#cleared[index] === 1 ? 'reset' : this.#policy
    return { request, time: timeBefore(this.#trace, this.#times, request), by }
  }

  #reference({ request, message, termClass, term, mention, source, mentionLost, sourceLost }: Loss): StoredReference {
    const lost = sourceLost ? 'source' : mentionLost ? 'mention' : null
    const gone = sourceLost ? source : mention
    return {
      index: this.#references.length,
      request,
      message,
      termClass,
      term,
      mention: mention < 0 ? null : mention,
      source: source < 0 ? null : source,
      lost,
      left: lost === null ? inside : this.#leaving(gone),
    }
  }

  #messages(texts: boolean): StoredMessage[] {
    const trace = this.#trace
    // What is rounded by itself does not add up, and the messages of an exchange do.
    let from = 0
    const tokensTo = (end: number) => tokensBetween(trace, this.#sizes, from, end)
    const tools = new Map<string, string>()
    const rereads = rereadsOf(trace)
    const presence = this.#window?.presence ?? null
    let [exchange, step, request] = [-1, -1, -1]
    return trace.messages.map((message, index) => {
      if (trace.isPrompt(index)) {
        exchange++
        step = -1
        from = index
      }
      if (trace.isResponse(index)) {
        step++
        request++
      }
      return {
        index,
        line: message.line,
        role: message.role,
        kind: kindOf(message),
        tool: toolOf(message, tools, trace.redaction),
        tokens: tokensTo(index + 1) - tokensTo(index),
        exchange: exchange < 0 ? null : exchange,
        step: step < 0 ? null : step,
        request: request < 0 ? null : request,
        time: known(message.time),
        inside: (this.#left[index] as number) < 0,
        replaced: presence?.has(index) === true && presence.replacement(index) !== null,
        left: this.#leaving(index),
        rereads: rereads.get(index) ?? null,
        text: texts ? trace.redaction.text(wholeText(message)) : null,
      }
    })
  }

  #exchangeRows(messages: readonly StoredMessage[]): StoredExchange[] {
    return Array.from(this.#exchanges, ({ index, from, to, state }) => {
      const own = messages.slice(from, to)
      const prompt = this.#trace.messages[from]
      // The exchange leaves with its last message.
      const last = own.reduce((latest, one) => ((one.left.request ?? -1) > (latest.left.request ?? -1) ? one : latest))
      const isInside = own.some((one) => one.inside)
      let [requests, calls] = [0, 0]
      for (let at = from; at < to; at++) {
        if (this.#trace.isResponse(at)) requests++
        calls += this.#trace.callCount(at)
      }
      return {
        index,
        first: from,
        last: to - 1,
        state,
        title: prompt ? this.#trace.redaction.text(firstWords(textOf(prompt))) : '',
        tokens: tokensBetween(this.#trace, this.#sizes, from, to),
        requests,
        calls,
        time: own[0]?.time ?? null,
        inside: isInside,
        left: isInside ? inside : last.left,
      }
    })
  }
}

const inside: Leaving = { request: null, time: null, by: null }

/** The last recorded time before a request; before the end, for the number of requests. */
function timeBefore(trace: Trace, times: Float64Array, request: number): number | null {
  return known(times[request < trace.requests ? trace.requestAt(request) : trace.length])
}

function known(time: number | undefined): number | null {
  return time === undefined || !Number.isFinite(time) ? null : time
}

function kindOf({ role, origin, blocks }: Message): MessageKind {
  if (role === 'user') return origin ?? 'prompt'
  if (role === 'tool') return 'result'
  if (role === 'system') return 'system'
  return blocks.some(({ type }) => type === 'call') ? 'call' : 'response'
}

/** @param tools the tool of each call so far, by its id: results often do not name it */
function toolOf(message: Message, tools: Map<string, string>, redaction: Redaction): string | null {
  if (message.role === 'tool') {
    const name = message.toolName ?? tools.get(message.callId ?? '')
    return name === undefined ? null : redaction.tool(name)
  }
  const names = new Set<string>()
  for (const block of message.blocks) {
    if (block.type !== 'call') continue
    tools.set(block.id, block.name)
    names.add(block.name)
  }
  return names.size === 0 ? null : Array.from(names, redaction.tool).join(' ')
}

/** What the message says, thinks and asks its tools for. */
function wholeText({ blocks }: Message): string {
  return blocks
    .flatMap((block) => {
      if (block.type === 'text' || block.type === 'thinking') return block.text
      if (block.type !== 'call') return []
      return `${block.name} ${typeof block.input === 'string' ? block.input : jsonText(block.input)}`
    })
    .join('\n')
}

/** By index of a result: the index of the last earlier one of the same file, url or search. Empty without a digest. */
function rereadsOf(trace: Trace): ReadonlyMap<number, number> {
  const rereads = new Map<number, number>()
  if (!(trace.digest instanceof ReferenceDigest)) return rereads
  for (const { result, again, known } of resolveReferences(trace, trace.digest).reads) {
    const earlier = known.reduce((last, { message }) => Math.max(last, message), again?.copy?.message ?? -1)
    if (earlier >= 0) rereads.set(result, earlier)
  }
  return rereads
}
