/**
 * Records a replay as rows: what was in the window when, which request cost what, what was used after it had left. Only
 * `export` asks for it: other reports need less, and this remembers when each message left.
 */
import { jsonText } from '../base/json-text.ts'
import type { Request, Sent } from '../measures/measure.ts'
import { Exchanges } from '../model/exchanges.ts'
import type { Message } from '../model/message.ts'
import type { Redaction } from '../model/redaction.ts'
import type { Cut } from '../model/run.ts'
import { historySizes, type Sizes } from '../model/sizes.ts'
import type {
  MessageKind,
  RequestBill,
  StoredCut,
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
import { inside, known, Leavings } from './leavings.ts'
import type { Observer } from './replay.ts'
import { type Cell, simulateOne } from './simulate.ts'
import type { FullTrace } from './window-parts.ts'
import { factsOf } from './words.ts'

/** A trace that was read with its messages. */
/** What does not depend on the policy. */
export function storedTranscript(trace: FullTrace): StoredTranscript {
  const timed = trace.messages.filter(({ time }) => known(time) !== null)
  return {
    head: trace.head,
    title: trace.title,
    messages: trace.length,
    exchanges: new Exchanges(trace).length,
    requests: trace.requests,
    firstTime: timed[0]?.time ?? null,
    lastTime: timed.at(-1)?.time ?? null,
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
  return { run, ...recorder.rows(texts) }
}

/** Notes of each message when it left, and of each request what it cost. */
class Recorder implements Observer {
  readonly #trace: FullTrace
  readonly #sizes: Sizes
  readonly #budget: number
  readonly #exchanges: Exchanges
  readonly #leavings: Leavings
  readonly #requests: StoredRequest[] = []
  readonly #cuts: StoredCut[] = []
  readonly #references: StoredReference[] = []
  #uses: Loss[] = []
  #bill: RequestBill | null = null
  #window: Sent | null = null

  constructor(trace: FullTrace, sizes: Sizes, policy: string, budget: number) {
    this.#trace = trace
    this.#sizes = sizes
    this.#budget = budget
    this.#exchanges = new Exchanges(trace)
    this.#leavings = new Leavings(trace, policy)
  }

  /** A use that is part of the next request. */
  readonly use = (use: Loss): void => {
    this.#uses.push(use)
  }

  billed(bill: RequestBill): void {
    this.#bill = bill
  }

  request({ index, message, line, exchange, fullTokens, sentTokens, sent }: Request): void {
    this.#leavings.look(index, message, sent)
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

  cut({ evictedExchanges, ...cut }: Cut, next: number): void {
    this.#cuts.push({
      index: this.#cuts.length,
      breakEvenRequests: null,
      ...cut,
      time: known(this.#leavings.times[next]),
      exchanges: evictedExchanges.length,
    })
  }

  end(window: Sent): void {
    this.#leavings.look(this.#requests.length, this.#trace.length, window)
    this.#window = window
  }

  /** @param texts whether the rows hold the messages' text */
  rows(texts: boolean): Omit<StoredRun, 'run'> {
    const messages = this.#messages(texts)
    return {
      messages,
      exchanges: this.#exchangeRows(messages),
      requests: this.#requests,
      cuts: this.#cuts,
      references: this.#references,
    }
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
      left: lost === null ? inside : this.#leavings.of(gone),
    }
  }

  #messages(texts: boolean): StoredMessage[] {
    const trace = this.#trace
    // What is rounded by itself does not add up, and the messages of an exchange do.
    const history = historySizes(trace, this.#sizes)
    let from = 0
    const tokensTo = (end: number) => this.#sizes.tokens(history.between(from, end))
    const rereads = rereadsOf(trace)
    const presence = this.#window?.presence ?? null
    let [exchange, step, request] = [-1, -1, -1]
    return trace.messages.map((message, index) => {
      const left = this.#leavings.of(index)
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
        tool: toolOf(message, trace.redaction),
        tokens: tokensTo(index + 1) - tokensTo(index),
        exchange: exchange < 0 ? null : exchange,
        step: step < 0 ? null : step,
        request: request < 0 ? null : request,
        time: known(message.time),
        inside: left.request === null,
        replaced: presence?.has(index) === true && presence.replacement(index) !== null,
        left,
        rereads: rereads.get(index) ?? null,
        text: texts ? trace.redaction.text(wholeText(message)) : null,
      }
    })
  }

  #exchangeRows(messages: readonly StoredMessage[]): StoredExchange[] {
    return Array.from(this.#exchanges, (exchange) => {
      const { index, from, to } = exchange
      const own = messages.slice(from, to)
      const left = this.#leavings.ofRange(from, to)
      return {
        index,
        first: from,
        last: to - 1,
        ...factsOf(this.#trace, exchange),
        tokens: own.reduce((sum, { tokens }) => sum + tokens, 0),
        time: own[0]?.time ?? null,
        inside: left.request === null,
        left,
      }
    })
  }
}

function kindOf({ role, origin, blocks }: Message): MessageKind {
  if (role === 'user') return origin ?? 'prompt'
  if (role === 'tool') return 'result'
  if (role === 'system') return 'system'
  return blocks.some(({ type }) => type === 'call') ? 'call' : 'response'
}

function toolOf({ role, toolName, blocks }: Message, redaction: Redaction): string | null {
  if (role === 'tool') return toolName === undefined ? null : redaction.tool(toolName)
  const names = new Set(blocks.flatMap((block) => (block.type === 'call' ? [block.name] : [])))
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
