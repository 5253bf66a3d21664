/**
 * Advice on a session that is still running: replays what its own agent did to the window, lets a policy act on what
 * stands there now, prices that cut with the prompt cache as it is and as it will be, and holds the price against the
 * requests that are still to come. docs/advise.md has the rules.
 */
import { choose } from '../base/chosen.ts'
import { CtxwinError } from '../base/errors.ts'
import { medianOf } from '../base/median.ts'
import { rounded } from '../measures/cost.ts'
import { served } from '../measures/prompt-cache.ts'
import { type LeftTable, learnedLeft, madeSince, requestsLeft } from '../measures/requests-left.ts'
import { type HabitsTable, habitsOf, learnedRereads, noCompactions } from '../measures/rereads.ts'
import type {
  Advice,
  CacheNow,
  ContextNow,
  CutCost,
  LeftNow,
  NextCut,
  RereadNow,
  Verdict,
  VerdictReason,
} from '../model/advice.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import { intervalAround } from '../models/intervals.ts'
import type { Pricing, Rates } from '../models/pricing.ts'
import asRecorded from '../policies/as-recorded.ts'
import { type Moment, type PolicyRun, type RestartableRun, started } from '../policies/policy.ts'
import { ReferenceDigest } from '../references/digest.ts'
import { latestUses } from '../references/latest-uses.ts'
import type { Case } from './case.ts'
import { Guard, placeIn } from './guard.ts'
import type { Item } from './item.ts'
import type { Cell } from './simulate.ts'
import { Steps } from './step.ts'
import type { EditableWindow, WindowSummary } from './window.ts'

/** A use counts as late if one of the last `lately` responses makes it. */
const lately = 10

/** What no session tells by itself. */
export interface LearnedHabits {
  readonly left: LeftTable
  readonly rereads: HabitsTable
}

const learnedHabits: LearnedHabits = { left: learnedLeft, rereads: learnedRereads }

/**
 * What to do about the next cut of a policy at a budget. How much of it is used is found out where it
 * is asked for: it takes as long as all the rest.
 * @param cell of the trace up to now
 * @param now milliseconds since the epoch
 * @param program whose own record the trace is; null for an agent of one's own
 * @param learned default: what the built-in tables say
 * @throws CtxwinError for a policy that shows another view of the whole history
 */
export function adviceOn(cell: Cell, now: number, program: string | null, learned = learnedHabits): Advice {
  const { policy, facts, budget } = cell
  if (policy.plugin.kind === 'view') {
    const why = 'a policy that shows another view of the whole history before each request, and so has no next cut'
    throw new CtxwinError('usage', `${policy.plugin.name}: ${why}`)
  }
  const { trace, pricing } = facts
  const session = new SessionNow(facts, budget)
  const context = contextNow(facts, session)
  const cache = cacheNow(trace, session, pricing, now)
  const left = requestsLeft(program, madeSince(trace), learned.left)
  const { tokens, requests } = habitsOf(program, noCompactions, learned.rereads)
  const reread = (dropped: number): RereadNow => ({ tokens: tokens * dropped, requests: requests * dropped })
  const cut = nextCut(cell, session, { cache, now, reread })
  return {
    ...verdictOn(cut, context, left),
    now,
    transcript: trace.head.file,
    conversation: trace.head.conversation,
    model: facts.context.model,
    policy: policy.plugin.name,
    budget,
    requests: trace.requests,
    left,
    unit: pricing.unit,
    context,
    cache,
    cut,
  }
}

/** The window as the recorded agent has it now. */
class SessionNow {
  readonly sizes: Sizes
  readonly window: EditableWindow
  /** What the provider counted for the last request beyond what is estimated: it holds for the next one, too. */
  readonly beyond: number
  readonly recorded: number | null
  /** Estimated tokens of the last request. */
  readonly lastTokens: number
  /** Of the exchanges that are over: the usual growth, in tokens, and the usual number of requests. */
  readonly usualGrowth: number | null
  readonly usualRequests: number | null
  /** The agent is idle. */
  readonly isOver: boolean

  constructor({ trace, sizes, known, rewritten }: Case, budget: number) {
    this.sizes = sizes
    const recorded = started(choose(asRecorded), known)
    // An agent that never edited its window has one, too: the policy of the advice acts on it.
    const policy: RestartableRun = { ...recorded, request: (window, moment) => recorded.request?.(window, moment) }
    const steps = new Steps(trace, { policy, kind: asRecorded.kind, budget, sizes, rewritten })
    const window = steps.window as EditableWindow
    this.window = window
    const growths: number[] = []
    const requests: number[] = []
    let [last, begun, asked, before] = [window.sentTokens, window.sentTokens, 0, window.sentTokens]
    for (const occasion of steps.occasions()) {
      if (occasion.kind === 'message' && trace.isPrompt(occasion.index)) {
        if (asked > 0) {
          requests.push(asked)
          if (before > begun) growths.push(before - begun)
        }
        begun = before
        asked = 0
      } else if (occasion.kind === 'request') {
        last = occasion.request.sentTokens
        asked++
      }
      before = window.sentTokens
    }
    steps.prepareNext()
    window.takeSummaries()
    this.lastTokens = last
    this.recorded = trace.requests === 0 ? null : (trace.usage(trace.requests - 1)?.input ?? null)
    this.beyond = this.recorded === null ? 0 : this.recorded - last
    this.usualGrowth = medianOf(growths)
    this.usualRequests = medianOf(requests)
    this.isOver = steps.exchanges.at(steps.exchange)?.state !== 'open'
  }

  /** Tokens of the next request. */
  get tokens(): number {
    return Math.max(0, this.window.sentTokens + this.beyond)
  }

  /** Tokens of what stands in front of the first change since the last request went out. */
  get unchangedTokens(): number {
    const { window, sizes } = this
    let units = sizes.preamble
    for (let item = window.first; item && item.place < window.changedFrom; item = item.next) {
      units += window.unitsOf(item)
    }
    return Math.max(0, sizes.tokens(units) + this.beyond)
  }
}

function contextNow(facts: Case, session: SessionNow): ContextNow {
  const { tokens, recorded, sizes, window } = session
  const reach = sizes.reach?.(Math.max(0, window.sentUnits - sizes.preamble))
  const interval = reach === undefined ? facts.intervalOf(tokens, 1) : intervalAround(tokens, reach)
  const end = (percent: number): number => Math.round(tokens / (1 + percent / 100))
  return {
    tokens,
    lowTokens: interval && end(interval.highPercent),
    highTokens: interval && end(interval.lowPercent),
    recordedTokens: recorded,
    window: facts.window,
  }
}

function cacheNow(trace: Trace, session: SessionNow, { rule, life }: Pricing, now: number): CacheNow {
  const servedTokens = Math.min(session.tokens, served(session.unchangedTokens, rule))
  if (rule === null) return { state: 'none', coldFrom: null, life, servedTokens: 0 }
  let last = Number.NaN
  for (let request = trace.requests - 1; request >= 0 && Number.isNaN(last); request--)
    last = trace.requestTime(request)
  if (Number.isNaN(last)) return { state: 'unknown', coldFrom: null, life, servedTokens }
  const coldFrom = last + life * 1000
  return { state: now > coldFrom ? 'cold' : 'warm', coldFrom, life, servedTokens }
}

interface AtThatMoment {
  readonly cache: CacheNow
  readonly now: number
  readonly reread: (droppedTokens: number) => RereadNow
}

function nextCut(cell: Cell, session: SessionNow, { cache, now, reread }: AtThatMoment): NextCut | null {
  const { window, sizes } = session
  const { policy, facts, budget } = cell
  const { trace, pricing } = facts
  const servedBefore = cache.servedTokens
  const before: { readonly item: Item; readonly units: number }[] = []
  for (let item = window.first; item; item = item.next) before.push({ item, units: window.unitsOf(item) })
  const tokensBefore = session.tokens
  const roomTokens = Math.max(0, budget - window.sentTokens)
  const edits = window.edits
  act(cell, session, idleSince(cache, now), session.isOver)
  const due = window.edits > edits
  if (!due) {
    if (budget === 0) return null
    // Whoever asks for the cut now, between two calls or at a prompt, does not wait for the budget.
    window.budget = Math.max(1, Math.min(budget, window.sentTokens - 1))
    act(cell, session, idleSince(cache, now), true)
    if (window.edits === edits) return null
  }
  const tokensAfter = session.tokens
  const leaving: Leaving[] = []
  for (const { item, units } of before) {
    const left = item.inside ? window.unitsOf(item) : 0
    if (!item.inside || item.replaced) leaving.push({ index: item.index, units: Math.max(0, units - left) })
  }
  const rereads = reread(Math.max(0, tokensBefore - tokensAfter))
  const prices: Prices = {
    pricing,
    request: Math.max(0, trace.requests - 1),
    summaries: window.takeSummaries(),
    // Such a call has the prompt in front, too, and the cache serves it.
    shared: policy.plugin.summariesShareThePrompt === true ? sizes.tokens(sizes.preamble) : null,
    rereads,
  }
  const sizesOfCut = {
    tokensBefore,
    tokensAfter,
    servedBefore,
    servedAfter: served(session.unchangedTokens, pricing.rule),
  }
  const cold = { ...sizesOfCut, servedBefore: 0, servedAfter: 0 }
  const grown = session.usualGrowth
  const isCold = cache.state === 'cold' || cache.state === 'none'
  return {
    due,
    roomTokens,
    roomRequests:
      grown === null || session.usualRequests === null ? null : Math.ceil((roomTokens * session.usualRequests) / grown),
    tokensBefore,
    tokensAfter,
    messages: leaving.length,
    takenTokens: sizes.tokens(leaving.reduce((sum, { units }) => sum + units, 0)),
    get unusedTokens() {
      return sizes.tokens(unitsOf(trace, leaving, 0, false))
    },
    get usedLatelyTokens() {
      return sizes.tokens(unitsOf(trace, leaving, Math.max(0, trace.requests - lately), true))
    },
    rereads,
    now: costOf(isCold ? cold : sizesOfCut, prices),
    atExchangeEnd:
      grown === null
        ? null
        : costOf(
            {
              tokensBefore: tokensBefore + grown,
              tokensAfter: tokensAfter + grown,
              servedBefore: served(tokensBefore + grown, pricing.rule),
              servedAfter: sizesOfCut.servedAfter,
            },
            prices,
          ),
    cold: costOf(cold, prices),
  }
}

/** What the cut takes of a message. */
interface Leaving {
  /** -1 for one that the policy wrote. */
  readonly index: number
  readonly units: number
}

/** Units of the messages that responses of request `from` and later ones have used, or have not. */
function unitsOf(trace: Trace, leaving: readonly Leaving[], from: number, isUsed: boolean): number {
  const latest = trace.digest instanceof ReferenceDigest ? latestUses(trace, trace.digest, from) : null
  let sum = 0
  for (const { index, units } of leaving) if ((latest?.[index] ?? -1) >= 0 === isUsed) sum += units
  return sum
}

/** How long the agent has been idle, in seconds; null where that is not known. */
const idleSince = ({ coldFrom, life }: CacheNow, now: number): number | null =>
  coldFrom === null ? null : Math.max(0, (now - (coldFrom - life * 1000)) / 1000)

/** Lets the policy act on the window as it stands. @param over an exchange is over */
function act(
  { policy, facts }: Cell,
  { window, recorded }: SessionNow,
  idleSeconds: number | null,
  over: boolean,
): void {
  const { plugin, values } = policy
  const { trace, known } = facts
  const moment: Moment = {
    messages: trace.length,
    answered: true,
    recordedInput: recorded,
    largestInput: recorded,
    idleSeconds,
  }
  const entries: Item[] = []
  for (let item = window.first; item; item = item.next) entries.push(item)
  const work = (run: PolicyRun): void => {
    for (const entry of entries) if (entry.inside) run.message?.(window, entry)
    if (over) run.exchangeEnd?.(window, moment)
    run.request?.(window, moment)
  }
  const { module, seconds } = plugin
  if (module === undefined) work(plugin.start(values, known))
  else new Guard({ module, seconds, place: placeIn(trace), trial: false }).run(plugin, values, known, work)
}

interface Prices {
  readonly pricing: Pricing
  readonly request: number
  readonly summaries: readonly WindowSummary[]
  /**
   * Where summaries are asked for behind the requests so far: tokens of the preamble, which are read for them, too.
   * Else null.
   */
  readonly shared: number | null
  readonly rereads: RereadNow
}

interface CutSizes {
  readonly tokensBefore: number
  readonly tokensAfter: number
  /** How many of these the cache serves. */
  readonly servedBefore: number
  readonly servedAfter: number
}

function costOf({ tokensBefore, tokensAfter, servedBefore, servedAfter }: CutSizes, prices: Prices): CutCost {
  const { pricing, request, summaries, shared, rereads } = prices
  const before = pricing.rates(tokensBefore, request)
  const after = pricing.rates(tokensAfter, request)
  const summary = summaries.reduce((sum, { readTokens, writtenTokens }) => {
    const tokens = readTokens + (shared ?? 0)
    const { input, output, read } = pricing.rates(tokens, request)
    const served = shared === null ? 0 : Math.min(tokens, servedBefore)
    return sum + read * served + input * (tokens - served) + output * writtenTokens
  }, 0)
  const repeated = (rates: Rates): number => (pricing.rule ? rates.read : rates.input)
  // Rounded first, so that what follows from them follows from what is shown.
  const next = rounded(
    inputCost(pricing, after, tokensAfter, servedAfter) +
      summary -
      inputCost(pricing, before, tokensBefore, servedBefore),
  )
  // What is read again comes in as new tokens, and each request that it takes reads the context once more.
  const again = rounded(
    inputCost(pricing, after, tokensAfter + rereads.tokens, tokensAfter) -
      inputCost(pricing, after, tokensAfter, tokensAfter) +
      rereads.requests * repeated(after) * tokensAfter,
  )
  // Every request after the next one costs this much less.
  const saves = rounded(Math.max(0, repeated(before) * tokensBefore - repeated(after) * (tokensAfter + rereads.tokens)))
  const whole = next + again
  const breakEvenRequests = whole <= 0 ? 0 : saves > 0 ? Math.ceil(whole / saves) : null
  return { next, summary: rounded(summary), rereads: again, saves, breakEvenRequests }
}

function inputCost({ rule, hour }: Pricing, rates: Rates, tokens: number, hit: number): number {
  const cached = Math.min(hit, tokens)
  const isWritten = rule !== null && tokens >= rule.minPrefix
  const fresh = isWritten ? (hour ? rates.write1h : rates.write) : rates.input
  return rates.read * cached + fresh * (tokens - cached)
}

function verdictOn(
  cut: NextCut | null,
  { tokens, window }: ContextNow,
  { expected }: LeftNow,
): { readonly verdict: Verdict; readonly reason: VerdictReason } {
  if (!cut) return { verdict: 'wait', reason: 'nothing-to-cut' }
  if (window !== null && tokens > window) return { verdict: 'cut', reason: 'over-window' }
  const { next, rereads, saves } = cut.now
  return expected * saves > next + rereads ? { verdict: 'cut', reason: 'pays' } : { verdict: 'wait', reason: 'dear' }
}
