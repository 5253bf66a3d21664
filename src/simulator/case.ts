/** How a plan counts one transcript with one of its estimators: the sizes, the preamble, the bill, and the error to expect. */
import { fingerprint } from '../base/fingerprint.ts'
import type { Estimator, Meter, Scale } from '../estimators/estimator.ts'
import { type CacheBehaviour, cacheBehaviour, tellsReads } from '../measures/cache-behaviour.ts'
import { type RecordedCalls, recordedCallsOf, spentOf } from '../measures/spent.ts'
import { recordedUsage } from '../measures/usage.ts'
import { foresee, foresightOf, ownInterval } from '../model/foresight.ts'
import { canCorrect, recordedRequests, sentAsRecorded } from '../model/recorded.ts'
import type {
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
import { usualInterval } from '../models/intervals.ts'
import { builtinModels } from '../models/lookup.ts'
import { usualPreamble } from '../models/preambles.ts'
import type { Pricing } from '../models/pricing.ts'
import type { ModelTable } from '../models/table.ts'
import { broughtSizes } from './brought-sizes.ts'
import { type Chosen, contextOf, type Plan, pricingFor, spareOf } from './plan.ts'
import { sizesOf } from './sizes.ts'

/** How a plan counts one transcript with one of its estimators. */
export interface Counted {
  readonly sizes: Sizes
  readonly source: PreambleSource
  /** Tokens of what came before the transcript; null if its beginning is not missing, or no usage tells. */
  readonly unknownHistory: number | null
  /** The estimator's name as the user gave it, and what was used. */
  readonly estimator: string
  readonly label: string
  readonly recorded: RecordedUsage | undefined
  readonly scale: Scale
  readonly pricing: Pricing
  readonly cache: CacheBehaviour
  readonly session: SessionWords
  readonly spent: Spent | null
  readonly calls: RecordedCalls
  readonly foresight: Foresight | null
  readonly foresightTest: ForesightTest
  readonly predictionInterval: PredictionInterval | null
  /** Names all of the plan that it depends on. */
  readonly words: string
}

/** @param index the number of the estimator in the plan */
export function countedBy(trace: Trace, plan: Plan, estimator: Chosen<Estimator>, index: number): Counted {
  const { plugin } = estimator
  // What another transcript has of it, too, still tells how its messages are counted.
  const { sizes, source, unknownHistory, scale, label } = sized(trace.whole, plan, estimator, index)
  const words = wordsOf(trace, plan, estimator)
  const tested = trace.whole.memo(`foresight ${words}`, () => {
    const foreseen = foresee(trace.whole, (seen) => sized(seen, plan, estimator, index).sizes)
    return { test: foreseen.test, foresight: foresightOf(foreseen), own: ownInterval(foreseen) }
  })
  const bill = trace.memo(`bill ${words}`, () => ({
    recorded: recordedUsage(trace, sizes),
    spent: billFor(trace, plan, sizes),
    calls: recordedCallsOf(trace, plan.model ?? null, plan.prices ?? builtinModels),
  }))
  return {
    sizes,
    source,
    unknownHistory,
    estimator: plugin.name,
    label,
    ...bill,
    scale,
    pricing: pricingFor(trace, plan),
    cache: cacheFor(trace, plan, sizes),
    session: sessionOf(trace),
    foresight: tested.foresight,
    foresightTest: tested.test,
    predictionInterval: tested.own ?? usualInterval(trace.head.format, tested.test, plugin.name),
    words,
  }
}

/** All of a plan that changes how a transcript is counted and priced with one of its estimators. */
function wordsOf(trace: Trace, plan: Plan, { plugin, values }: Chosen<Estimator>): string {
  const { preamble = 'auto', cache = 'recorded', prices = builtinModels } = plan
  const context = contextOf(trace.head, plan)
  return JSON.stringify([
    plugin.name,
    plugin.version,
    values,
    context,
    plan.model ?? null,
    preamble,
    cache,
    wordOf(prices),
  ])
}

const tables = new WeakMap<ModelTable, string>()

/** Another one for each table of models. */
function wordOf(table: ModelTable): string {
  const word = tables.get(table) ?? fingerprint([JSON.stringify(table)]).toString(16)
  tables.set(table, word)
  return word
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

/** How a plan counts one transcript with its first estimator. */
export function sizesFor(trace: Trace, plan: Plan, estimator: Chosen<Estimator>): Sizes {
  return sized(trace.whole, plan, estimator, 0).sizes
}

function sized(
  trace: Trace,
  plan: Plan,
  chosen: Chosen<Estimator>,
  index: number,
): ReturnType<typeof withPreamble> & { readonly scale: Scale; readonly label: string } {
  const { plugin, at, meter, scale } = measuredBy(trace, plan, chosen, index)
  return { ...withPreamble(trace, plan, at, meter, scale), scale, label: scale.label ?? plugin.name }
}

/** What counts a whole transcript for one of the plan's estimators, and the number of its meter in the trace. */
export function measuredBy(
  trace: Trace,
  plan: Plan,
  chosen: Chosen<Estimator>,
  index: number,
): { readonly plugin: Estimator; readonly at: number; readonly meter: Meter; readonly scale: Scale } {
  const context = contextOf(trace.head, plan)
  const other = chosen.plugin.uncorrected?.(context)
  const spare = spareOf(plan, index)
  const isOther = other && trace.isSized(spare) && !canCorrect(trace)
  const used = isOther ? other : chosen
  const { plugin, values } = used
  const at = isOther ? spare : index
  const brought = broughtSizes(trace, plan, used)
  const meter = brought(plugin.meter(context, values))
  return { plugin, at, meter, scale: plugin.scale(trace, at, values, { ...context, brought }) }
}

function withPreamble(
  trace: Trace,
  plan: Plan,
  index: number,
  meter: Meter,
  scale: Scale,
): { sizes: Sizes; source: PreambleSource; unknownHistory: number | null } {
  const asked = plan.preamble === undefined || plan.preamble === 'auto' ? null : plan.preamble
  const recorded = sizesOf(trace, index, meter, scale)
  const inferred = trace.preamble.complete ? null : (scale.preambleTokens ?? inferPreamble(trace, recorded))
  const whole = { unknownHistory: null }
  if (trace.head.headless && inferred !== null) {
    const preamble = asked ?? preambleWithin(trace, recorded, inferred)
    const unknownHistory = Math.max(0, inferred - preamble)
    const sizes = sizesOf(trace, index, meter, scale, { preamble, unknownHistory })
    return { sizes, source: asked === null ? 'inferred' : 'given', unknownHistory }
  }
  if (asked !== null)
    return { sizes: sizesOf(trace, index, meter, scale, { preamble: asked }), source: 'given', ...whole }
  if (trace.preamble.complete) return { sizes: recorded, source: 'recorded', ...whole }
  if (inferred !== null)
    return { sizes: sizesOf(trace, index, meter, scale, { preamble: inferred }), source: 'inferred', ...whole }
  const hasPreamble = trace.preamble.system.length > 0 || trace.preamble.tools !== undefined
  return { sizes: recorded, source: hasPreamble ? 'recorded' : 'none', ...whole }
}

/**
 * How many of the tokens before the first recorded message were the preamble, in a transcript without its beginning. After
 * a compaction all of them; otherwise as many as in complete sessions of the same program.
 */
function preambleWithin(trace: Trace, sizes: Sizes, inFront: number): number {
  for (const { request, units, cut } of sentAsRecorded(trace, sizes)) {
    const input = trace.usage(request)?.input ?? 0
    if (cut === 'compaction' && input > 0) return Math.max(0, Math.min(inFront, input - sizes.tokens(units)))
  }
  const usual = usualPreamble(trace.head)
  // Not more than usual: nothing seems to be missing.
  return usual === null || inFront <= usual.high ? inFront : usual.median
}

/**
 * What the first request with recorded usage had besides its messages: the system prompt and the tools, which most formats
 * do not record. Null if no usage is recorded before the history is compacted, and no sum of several requests.
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

/** The prompt cache's behaviour in one transcript, by `plan.cache`. */
export function cacheFor(trace: Trace, plan: Plan, sizes: Sizes): CacheBehaviour {
  const { provider } = contextOf(trace.head, plan)
  return cacheBehaviour(trace, sizes, pricingFor(trace, plan), plan.cache ?? 'recorded', provider)
}

/** What the provider billed; null if it is not known how much was read from the cache. */
function billFor(trace: Trace, plan: Plan, sizes: Sizes): Spent | null {
  const { provider } = contextOf(trace.head, plan)
  if (!tellsReads(trace, pricingFor(trace, plan), provider)) return null
  return spentOf(trace, sizes, plan.model ?? null, plan.prices ?? builtinModels)
}
