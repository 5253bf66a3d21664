/** What is asked for: a plan, what it needs of a transcript, and what its settings mean there. */
import { CtxwinError } from '../base/errors.ts'
import { type Params, resolveParams } from '../base/param.ts'
import type { Named } from '../base/registry.ts'
import type { Estimator, MeterContext } from '../estimators/estimator.ts'
import { type Budget, shareOf } from '../model/budget.ts'
import type { Message, ProviderName } from '../model/message.ts'
import type { CacheMode } from '../model/run.ts'
import type { DigestKind, Sizer, Trace, TranscriptHead } from '../model/trace.ts'
import { builtinModels, lookupModel } from '../models/lookup.ts'
import { type Pricing, pricingOf } from '../models/pricing.ts'
import type { ModelTable } from '../models/table.ts'
import asRecorded from '../policies/as-recorded.ts'
import type { NativeCounter, Policy } from '../policies/policy.ts'
import { content, references } from '../references/digest.ts'

/** The digests that a plan does not ask for by itself. */
export { content }

/** A plugin with the values of its params. */
export interface Chosen<Plugin> {
  readonly plugin: Plugin
  readonly values: Readonly<Record<string, unknown>>
}

/**
 * A plugin with these values for its params, and the defaults for the rest.
 * @throws CtxwinError naming the param that is unknown or has no such value
 */
export function choose<Plugin extends Named & { readonly params: Params }>(
  plugin: Plugin,
  values: Readonly<Record<string, unknown>> = {},
): Chosen<Plugin> {
  return { plugin, values: resolveParams(plugin.name, plugin.params, values) }
}

/** A policy that others are measured against. */
export interface Baseline {
  /** For people: `today`, `unpruned`, or as the policy was typed. */
  readonly name: string
  readonly policy: Chosen<Policy>
}

/** What is replayed, and how it is counted and judged. */
export interface Plan {
  readonly policies: readonly Chosen<Policy>[]
  readonly estimators: readonly Chosen<Estimator>[]
  /** Tokens, 0 = no pruning; or shares of the model's context window, such as `50%`. */
  readonly budgets: readonly Budget[]
  /** Tokens of system prompt and tool definitions. `auto`, the default: as recorded, else inferred from recorded usage. */
  readonly preamble?: number | 'auto'
  /** Override what the transcripts say. */
  readonly model?: string | null
  readonly provider?: ProviderName | null
  /** Windows, prices and cache rules of models; default is the built-in table. */
  readonly prices?: ModelTable
  /** How much of what it could the prompt cache serves; default `recorded`. */
  readonly cache?: CacheMode
  /** What every saving is measured against; default `as-recorded`. */
  readonly baseline?: Baseline
  /** Policies count the way their programs do. */
  readonly native?: boolean
  /** Measure lost references. Reads all text once more. */
  readonly references?: boolean
}

/** What the recorded agent did itself: the baseline, unless the plan names another. */
export const today: Baseline = { name: 'today', policy: choose<Policy>(asRecorded) }

export function baselineOf({ baseline = today }: Plan): Baseline {
  return baseline
}

/**
 * The baseline of what tries many budgets at once.
 * @throws CtxwinError for a policy that goes by the budget itself
 */
export function fixedBaseline(plan: Plan): Baseline {
  const baseline = baselineOf(plan)
  const { plugin } = baseline.policy
  if (plugin.budgetless || plugin.name === 'keep-all') return baseline
  throw new CtxwinError('usage', 'many budgets are held against today or unpruned: what else has a budget of its own')
}

/** Every policy that is replayed. */
function policiesOf(plan: Plan): Chosen<Policy>[] {
  return [...plan.policies, baselineOf(plan).policy]
}

/** Whether a plan needs the text of the messages. */
export function needsMessages(plan: Plan): boolean {
  return policiesOf(plan).some(({ plugin }) => plugin.text)
}

/** The counters of programs that a plan counts by, if it does, in the order of their sizers. */
export function nativeCounters(plan: Plan): NativeCounter[] {
  if (!plan.native) return []
  return [...new Set(policiesOf(plan).flatMap(({ plugin }) => plugin.native ?? []))]
}

/** How the reader should size the messages of a transcript for a plan. */
export function sizersFor(plan: Plan): (head: TranscriptHead) => readonly Sizer[] {
  return (head) => [
    ...plan.estimators.map((estimator) => sizerOf(estimator, head, plan)),
    ...nativeCounters(plan).map((counter) => (message: Message) => counter.message(message, head.file)),
    ...plan.estimators.flatMap((estimator, index) =>
      estimator.plugin.uncorrected ? [spareSizer(estimator, index, head, plan)] : [],
    ),
  ]
}

function sizerOf(estimator: Chosen<Estimator>, head: TranscriptHead, plan: Plan): Sizer {
  const { message } = estimator.plugin.meter(contextOf(head, plan), estimator.values)
  const column = broughtBy(head, plan, estimator)
  return column < 0 ? message : (one) => one.sizes?.[column] ?? message(one)
}

function spareSizer({ plugin }: Chosen<Estimator>, spareFor: number, head: TranscriptHead, plan: Plan): Sizer {
  const other = plugin.uncorrected?.(contextOf(head, plan))
  if (!other) return () => Number.NaN
  const message = sizerOf(other, head, plan)
  return Object.assign((one: Message) => message(one), { spareFor })
}

/** Which of the sizes that a transcript brings along are those of an estimator; -1 for none. */
export function broughtBy(head: TranscriptHead, plan: Plan, { plugin, values }: Chosen<Estimator>): number {
  const words = JSON.stringify([plugin.name, plugin.version, values, plan.model ?? null, plan.provider ?? null])
  return (head.sizedBy ?? []).findIndex(
    (by) => JSON.stringify([by.name, by.version, by.values, by.model, by.provider]) === words,
  )
}

/** What a run by a plan is to say of the sizes that a transcript brings along. */
export function ofItsSizes(plan: Plan): (head: TranscriptHead) => 'own-sizes' | 'other-sizes' | null {
  return (head) => {
    if (!head.sizedBy || plan.estimators.length === 0) return null
    return plan.estimators.every((one) => broughtBy(head, plan, one) >= 0) ? 'own-sizes' : 'other-sizes'
  }
}

/** Index of the sizer of what stands in for estimator `index` of the plan; see `Estimator.uncorrected`. */
export function spareOf(plan: Plan, index: number): number {
  const before = plan.estimators.slice(0, index).filter(({ plugin }) => plugin.uncorrected)
  return plan.estimators.length + nativeCounters(plan).length + before.length
}

/** What the reader should keep of a transcript's text for a plan. */
export function digestFor(plan: Plan): DigestKind {
  return plan.references === true || policiesOf(plan).some(({ plugin }) => plugin.looksAhead) ? references : noDigest
}

/** Nothing is kept of a transcript's text. */
export const noDigest: DigestKind = {
  name: 'nothing',
  of: () => null,
  revived: () => {
    throw new TypeError('there is no digest of this kind')
  },
}

/** What an estimator is told of a transcript. */
export function contextOf(head: TranscriptHead, plan: Plan): MeterContext {
  return { provider: plan.provider ?? head.provider, model: plan.model ?? head.model }
}

/** The context window of a transcript in tokens: as recorded, unless the plan names a model, else the model's; or null. */
export function windowOf(trace: Trace, plan: Plan): number | null {
  if (trace.head.window !== undefined && (plan.model ?? null) === null) return trace.head.window
  const { model } = contextOf(trace.head, plan)
  const info = model === null ? undefined : lookupModel(model, plan.prices ?? builtinModels)
  return info?.contextWindow ?? null
}

/** What a token costs in one transcript. */
export function pricingFor(trace: Trace, plan: Plan): Pricing {
  const { provider } = contextOf(trace.head, plan)
  return pricingOf(trace, plan.model ?? null, provider, plan.prices ?? builtinModels)
}

/** A budget in one transcript. */
export interface Ceiling {
  /** Tokens; 0 = no pruning. */
  readonly budget: number
  /** As it was asked for, where that is a share of the model's window. */
  readonly budgetAsked?: string
}

/** @throws CtxwinError for a share of a window that is not known */
export function ceilingOf(trace: Trace, plan: Plan, asked: Budget): Ceiling {
  const share = shareOf(asked)
  if (share === null) return { budget: asked as number }
  const window = windowOf(trace, plan)
  if (window === null) {
    const { model } = contextOf(trace.head, plan)
    throw new CtxwinError('unknown-window', trace.head.file, String(asked), model)
  }
  return { budget: Math.floor(window * share), budgetAsked: String(asked) }
}
