/**
 * A case: one transcript as one estimator counts it, with the prices, the prompt cache and the baseline by which its
 * runs are judged. Whatever follows from these is worked out here, once and when it is first asked for, and all runs of
 * the case share it. Below app/ nothing is told of a plan but its cases, policies and budgets.
 */
import { type Chosen, identityOf } from '../base/chosen.ts'
import { CtxwinError } from '../base/errors.ts'
import { keyOf } from '../base/key.ts'
import { once } from '../base/once.ts'
import type { Estimator, Meter, MeterContext, Scale } from '../estimators/estimator.ts'
import { type CacheBehaviour, cacheBehaviour, tellsReads } from '../measures/cache-behaviour.ts'
import { cacheFit } from '../measures/cache-fit.ts'
import { type RecordedCalls, recordedCallsOf, spentOf } from '../measures/spent.ts'
import { recordedUsage } from '../measures/usage.ts'
import { WholeBill } from '../measures/whole-bill.ts'
import { type Budget, shareOf, usualBudget } from '../model/budget.ts'
import { canCorrect, recordedRequests, recountsOf, sentAsRecorded } from '../model/recorded.ts'
import type {
  CacheMode,
  CopiedByKind,
  Foresight,
  ForesightTest,
  PreambleSource,
  PredictionInterval,
  RecordedUsage,
  SessionWords,
  Spent,
} from '../model/run.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import { composedInterval, intervalAround } from '../models/intervals.ts'
import { lookupModel } from '../models/lookup.ts'
import { ownTokens } from '../models/own-budget.ts'
import { ninetyPercent, type PreamblePrior, preambleOf, priorPreamble } from '../models/preambles.ts'
import { type Pricing, pricingOf } from '../models/pricing.ts'
import type { ModelTable } from '../models/table.ts'
import type { CachePrices, Native, Policy, PolicyContext } from '../policies/policy.ts'
import type { CountedCopies } from '../references/copied/lost-copies.ts'
import { ReferenceDigest } from '../references/digest.ts'
import { type Baseline, type Ran, type Standard, today } from './baseline.ts'
import { broughtSizes } from './brought-sizes.ts'
import { type Claims, contextIn } from './claims.ts'
import { foresee, foresightOf, type Missed, ownInterval, worstOf } from './foresight.ts'
import { Rewritten } from './rewritten.ts'
import { sizesOf } from './sizes.ts'

/** All that a case follows from, besides its transcript. */
export interface CaseInputs extends Claims {
  readonly estimator: Chosen<Estimator>
  readonly meters: Meters
  /** Tokens of system prompt and tool definitions; `auto`: as recorded, else inferred from recorded usage. */
  readonly preamble: number | 'auto'
  /**
   * Hidden tokens of the user's other sessions, where neither transcript nor usage tells of its own; see
   * `priorPreamble`.
   */
  readonly own: readonly number[]
  readonly prices: ModelTable
  readonly cache: CacheMode
  readonly baseline: Baseline
  /** Policies count the way their programs do. */
  readonly native: boolean
  /** References are measured where the transcript was read for them. */
  readonly references: boolean
  /** So is what was copied. */
  readonly copies: boolean
}

/** The numbers of the meters in the trace by which a case counts. They say where sizes stand, and change no figure. */
export interface Meters {
  /** Of the estimator. */
  readonly own: number
  /** Of what stands in for it; see `Estimator.uncorrected`. */
  readonly spare: number
  /** Of the counters of programs, where policies count as those do. */
  readonly native: ReadonlyMap<Native, NativeMeter>
}

export interface NativeMeter {
  readonly at: number
  /** Where an estimator counts. */
  readonly estimator?: Chosen<Estimator>
}

/** What the sizes of a case follow from. */
export type Counting = Pick<CaseInputs, 'estimator' | 'meters' | 'preamble' | 'own' | 'model' | 'provider' | 'prices'>

/** How a transcript is counted. */
interface Counted {
  readonly sizes: Sizes
  readonly source: PreambleSource
  /** Tokens of what came before the transcript; null if its beginning is not missing, or no usage tells. */
  readonly unknownHistory: number | null
  /**
   * How large the part of the preamble usually is that neither transcript nor usage tells; null where one of them does.
   */
  readonly prior: PreamblePrior | null
  readonly meter: Meter
  readonly scale: Scale
  /** What the estimator is called in reports: its name, or more. */
  readonly label: string
}

/** What the provider recorded and billed. */
interface Bill {
  readonly recorded: RecordedUsage | undefined
  readonly spent: Spent | null
  readonly calls: RecordedCalls
}

/** How far the transcript's own usage bears out what is counted. */
interface Foreseen {
  readonly foresight: Foresight | null
  readonly test: ForesightTest
  /** Of its own predictions; null where there are too few. */
  readonly tested: PredictionInterval | null
  readonly worst: readonly Missed[]
}

/** A budget in one transcript. */
export interface Ceiling {
  /** Tokens; 0 = none. */
  readonly budget: number
  /** As it was asked for, where that is a share of the model's window, or the policy's own. */
  readonly budgetAsked?: string
}

/** What a policy comes to at a budget. */
interface Known {
  readonly policy: Chosen<Policy>
  readonly budget: number
  readonly standard: Standard
}

export class Case {
  readonly trace: Trace
  readonly inputs: CaseInputs
  /**
   * What the recorded agent and the baseline come to, as far as that has been asked for. They are the same for every
   * run.
   */
  readonly standards: Known[] = []
  /** By budget: the run of the policies that never edit. It is the same for all of them. */
  readonly wholes = new Map<number, Ran>()
  /** What the agent copied from the windows that it really had; null until it is asked for. */
  copied: { readonly text: CountedCopies; readonly floor: CopiedByKind } | null = null
  /** What policies have put in place of messages. */
  readonly rewritten = new Rewritten()
  readonly #counted: () => Counted

  /** @param counted of a case of the same transcript with the same inputs but for baseline and cache */
  constructor(trace: Trace, inputs: CaseInputs, counted: (() => Counted) | null = null) {
    this.trace = trace
    this.inputs = inputs
    // Requests that count in another transcript still calibrate this one.
    this.#counted = counted ?? once(() => countedIn(trace.whole, inputs))
  }

  /** The same, held against something else, or with another share of what the prompt cache could serve. */
  under(change: Partial<Pick<CaseInputs, 'baseline' | 'cache'>>): Case {
    return new Case(this.trace, { ...this.inputs, ...change }, this.#counted)
  }

  /** The estimator's name as the user gave it. */
  get estimator(): string {
    return this.inputs.estimator.plugin.name
  }

  get context(): ReturnType<typeof contextIn> {
    return contextIn(this.trace, this.inputs)
  }

  get counted(): Counted {
    return this.#counted()
  }

  get sizes(): Sizes {
    return this.#counted().sizes
  }

  /** The context window in tokens: as recorded, unless another model is claimed, else the model's; or null. */
  get window(): number | null {
    return this.#window()
  }

  readonly #window = once((): number | null => {
    const { model: claimed, prices } = this.inputs
    const { window } = this.trace.head
    if (window !== undefined && claimed === null) return window
    const { model } = this.context
    return (model === null ? undefined : lookupModel(model, prices))?.contextWindow ?? null
  })

  /** What a token costs. */
  get pricing(): Pricing {
    return this.#pricing()
  }

  readonly #pricing = once((): Pricing => {
    const { model, prices } = this.inputs
    return pricingOf(this.trace, model, this.context.provider, prices)
  })

  /** Which part of what the prompt cache could serve it does serve. */
  get cache(): CacheBehaviour {
    return this.#cache()
  }

  readonly #cache = once(
    (): CacheBehaviour =>
      cacheBehaviour(this.trace, this.sizes, this.pricing, this.inputs.cache, this.context.provider),
  )

  /** What the requests cost if nothing is ever pruned. */
  get wholeBill(): WholeBill {
    return this.#wholeBill()
  }

  readonly #wholeBill = once((): WholeBill => new WholeBill(this.trace, this.sizes, this.pricing, this.cache))

  /** What references are measured by; null where they are not. */
  get digest(): ReferenceDigest | null {
    const { digest } = this.trace
    return this.inputs.references && digest instanceof ReferenceDigest ? digest : null
  }

  get bill(): Bill {
    return this.#bill()
  }

  readonly #bill = once(
    (): Bill =>
      this.memo('bill', () => ({
        recorded: recordedUsage(this.trace, this.sizes),
        spent: this.#spent(),
        calls: recordedCallsOf(this.trace, this.inputs.model, this.inputs.prices),
      })),
  )

  /** What the provider billed; null if it is not known how much was read from the cache. */
  #spent(): Spent | null {
    const { model, prices } = this.inputs
    if (!tellsReads(this.trace, this.pricing, this.context.provider)) return null
    const spent = spentOf(this.trace, this.sizes, model, prices)
    return spent && { ...spent, ...cacheFit(this.trace, this.sizes, this.pricing, this.context.provider) }
  }

  get foreseen(): Foreseen {
    return this.#foreseen()
  }

  readonly #foreseen = once(
    (): Foreseen =>
      this.trace.whole.memo(`foresight ${this.#ownKey()}`, () => {
        const foreseen = foresee(this.trace.whole, (seen) => countedIn(seen, this.inputs).sizes)
        const [foresight, tested, worst] = [foresightOf(foreseen), ownInterval(foreseen), worstOf(foreseen)]
        return { test: foreseen.test, foresight, tested, worst }
      }),
  )

  /**
   * Where the windows of a run lie, as far as can be told.
   * @param sent tokens of all its requests
   */
  intervalOf(sent: number, requests: number): PredictionInterval | null {
    const { tested } = this.foreseen
    if (tested !== null) return tested
    const { sizes, prior } = this.#counted()
    const window = sent / requests
    const reach = sizes.reach?.(Math.max(0, sizes.units(window) - sizes.preamble))
    return reach === undefined ? composedInterval(window, prior, this.estimator) : intervalAround(window, reach)
  }

  /** Units of a tool definition among others: what it adds beside itself. */
  definition(tool: unknown): number {
    const { meter } = this.#counted()
    const [one, two] = [[tool], [tool, tool]].map((tools) => meter.preamble({ system: [], tools, complete: true }))
    return Math.max(0, (two as number) - (one as number))
  }

  get session(): SessionWords {
    return this.#session()
  }

  readonly #session = once((): SessionWords => sessionOf(this.trace))

  /**
   * What a policy may know of the transcript before it starts. It is the same for all, so that it is found out once.
   */
  get known(): PolicyContext {
    return this.#known()
  }

  readonly #known = once((): PolicyContext => {
    const { trace } = this
    const recounts = once(() => recountsOf(trace))
    return {
      model: this.context.model,
      cwd: trace.head.cwd,
      cache: this.#cachePrices(),
      systemMessages: trace.preamble.system.length,
      compactions: trace.compactions,
      clearings: trace.clearings,
      fileOf: (call) => this.digest?.fileOf(call) ?? null,
      // Found only when asked for: just `as-recorded` needs them, and finding them costs part of a replay.
      get recounts() {
        return recounts()
      },
    }
  })

  /** As they are set for the session: an agent knows what lifetime it asks for. */
  #cachePrices(): CachePrices {
    const { hour, life, rates } = this.pricing
    const { input, read, write, write1h } = rates(0, 0)
    return { read: read / input, write: (hour ? write1h : write) / input, seconds: life }
  }

  /** @throws CtxwinError for a share of a window that is not known */
  ceiling(asked: Budget, { ownBudget }: Pick<Policy, 'ownBudget'>): Ceiling {
    if (asked === 'own') {
      const budget = ownTokens(ownBudget, this.context.model, this.window)
      return budget === null ? { budget: usualBudget } : { budget, budgetAsked: asked }
    }
    const share = shareOf(asked)
    if (share === null) return { budget: asked as number }
    if (this.window === null) {
      throw new CtxwinError('unknown-window', this.trace.head.file, String(asked), this.context.model)
    }
    return { budget: Math.floor(this.window * share), budgetAsked: String(asked) }
  }

  /**
   * The same for all cases of the transcript that come to the same figures, and another where any value differs that a
   * figure follows from.
   */
  get key(): string {
    const { meters: _, estimator, prices, baseline, ...inputs } = this.inputs
    return keyOf({
      ...inputs,
      estimator: identityOf(estimator),
      baseline: { name: baseline.name, ...identityOf(baseline.policy) },
      prices: keyOfTable(prices),
      context: this.context,
      window: this.window,
      references: this.digest !== null,
      redaction: this.trace.redaction.text('redaction'),
    })
  }

  /** What is the same whatever policy, budget and baseline is asked for: a later run need not find it out again. */
  memo<Found>(what: string, find: () => Found): Found {
    return this.trace.memo(`${what} ${this.#ownKey()}`, find)
  }

  readonly #ownKey = once(() => this.under({ baseline: today }).key)
}

const tables = new WeakMap<ModelTable, string>()

/** Worked out once for each table of models: it has a hundred of them. */
function keyOfTable(table: ModelTable): string {
  const key = tables.get(table) ?? keyOf(table)
  tables.set(table, key)
  return key
}

function sessionOf(trace: Trace): SessionWords {
  let [first, last] = [Number.NaN, Number.NaN]
  for (let request = 0; request < trace.requests; request++) {
    const time = trace.requestTime(request)
    if (!(first <= time)) first = Number.isNaN(time) ? first : time
    if (!(last >= time)) last = Number.isNaN(time) ? last : time
  }
  return { project: trace.head.cwd, title: trace.title, first, last }
}

function countedIn(trace: Trace, by: Counting): Counted {
  const { plugin, at, meter, scale } = measuredBy(trace, by)
  return { ...withPreamble(trace, by, at, meter, scale), meter, scale, label: scale.label ?? plugin.name }
}

/** What counts a whole transcript, and the number of its meter in the trace. */
export function measuredBy(
  trace: Trace,
  { estimator, meters, model, provider, prices }: Omit<Counting, 'preamble' | 'own'>,
): { readonly plugin: Estimator; readonly at: number; readonly meter: Meter; readonly scale: Scale } {
  const context = contextIn(trace, { model, provider, prices })
  const other = estimator.plugin.uncorrected?.(context)
  const isOther = other && trace.isSized(meters.spare) && !canCorrect(trace)
  const used = isOther ? other : estimator
  const { plugin, values } = used
  const at = isOther ? meters.spare : meters.own
  const brought = broughtSizes(trace, { model, provider }, used)
  const meter = brought(plugin.meter(context, values))
  return { plugin, at, meter, scale: plugin.scale(trace, at, values, { ...context, brought, ...usualOf(trace) }) }
}

function usualOf(trace: Trace): Pick<MeterContext, 'usual'> {
  const { tokens, sd, basis } = priorPreamble(preambleOf(trace))
  // Before the first message of a transcript without its beginning may have been anything.
  return trace.head.headless || basis === 'all' ? {} : { usual: { mean: tokens, sd: tokens * Math.expm1(sd) } }
}

function withPreamble(
  trace: Trace,
  { preamble, own }: Pick<Counting, 'preamble' | 'own'>,
  index: number,
  meter: Meter,
  scale: Scale,
): Pick<Counted, 'sizes' | 'source' | 'unknownHistory' | 'prior'> {
  const asked = preamble === 'auto' ? null : preamble
  const recorded = sizesOf(trace, index, meter, scale)
  const inferred = scale.preambleTokens ?? (trace.preamble.complete ? null : inferPreamble(trace, recorded))
  const whole = { unknownHistory: null, prior: null }
  const withTokens = (tokens: number): Sizes => sizesOf(trace, index, meter, scale, { preamble: tokens })
  if (trace.head.headless && inferred !== null) {
    const known = asked ?? preambleWithin(trace, recorded, inferred)
    const unknownHistory = Math.max(0, inferred - known)
    const sizes = sizesOf(trace, index, meter, scale, { preamble: known, unknownHistory })
    return { ...whole, sizes, source: asked === null ? 'inferred' : 'given', unknownHistory }
  }
  if (asked !== null) return { ...whole, sizes: withTokens(asked), source: 'given' }
  if (inferred !== null) {
    return { ...whole, sizes: withTokens(inferred), source: trace.preamble.complete ? 'recorded' : 'inferred' }
  }
  if (trace.preamble.complete) return { ...whole, sizes: recorded, source: 'recorded' }
  const prior = priorPreamble(preambleOf(trace), own)
  // What is usual among all programs says how far off a figure may be, and nothing that one could count by.
  if (prior.basis !== 'all') {
    const sizes = sizesOf(trace, index, meter, scale, { hidden: Math.round(prior.tokens) })
    return { ...whole, sizes, source: 'usual', prior }
  }
  const hasPreamble = trace.preamble.system.length > 0 || trace.preamble.tools !== undefined
  return { ...whole, sizes: recorded, source: hasPreamble ? 'recorded' : 'none', prior }
}

/**
 * How many of the tokens before the first recorded message were the preamble, in a transcript without its beginning.
 * After a compaction all of them; otherwise as many as in complete sessions of the same program.
 */
function preambleWithin(trace: Trace, sizes: Sizes, inFront: number): number {
  for (const { request, units, cut } of sentAsRecorded(trace, sizes)) {
    const input = trace.usage(request)?.input ?? 0
    if (cut === 'compaction' && input > 0) return Math.max(0, Math.min(inFront, input - sizes.tokens(units)))
  }
  const prior = priorPreamble(preambleOf(trace))
  const own = sizes.tokens(sizes.preamble)
  // No more than a usual preamble stands in front, so nothing seems to be missing.
  const isUsual = prior.basis === 'all' || inFront <= own + ninetyPercent(prior).high
  return isUsual ? inFront : own + Math.round(prior.tokens)
}

/**
 * What the first request with recorded usage had besides its messages: the system prompt and the tools, which most
 * formats do not record. Null if no usage is recorded before the history is compacted, and no sum of several requests.
 */
function inferPreamble(trace: Trace, sizes: Sizes): number | null {
  const first = recordedRequests(trace, sizes).requests[0]
  if (!first) return meanPreamble(trace, sizes)
  return first.anchor === null ? Math.max(0, first.input - sizes.tokens(first.units)) : null
}

/** What the requests of the first recorded sum had besides their messages, on average. */
function meanPreamble(trace: Trace, sizes: Sizes): number | null {
  const sum = trace.sideCalls.find(({ span }) => span !== undefined)
  if (!sum?.span) return null
  const { from, to } = sum.span
  let [requests, tokens] = [0, 0]
  for (const { at, request, units } of sentAsRecorded(trace, sizes)) {
    if (at < from || at >= to || trace.requestModel(request) !== sum.model) continue
    requests++
    tokens += sizes.tokens(units)
  }
  return requests === 0 ? null : Math.max(0, (sum.usage.input - tokens) / requests)
}
