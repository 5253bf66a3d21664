/** What is asked for: a plan, what it needs of a transcript, and the cases and cells that it comes to there. */
import { type Chosen, choose, identityOf } from '../base/chosen.ts'
import { CtxwinError } from '../base/errors.ts'
import { keyOf } from '../base/key.ts'
import type { Estimator } from '../estimators/estimator.ts'
import { estimators } from '../estimators/index.ts'
import type { Budget } from '../model/budget.ts'
import type { Message, ProviderName } from '../model/message.ts'
import type { CacheMode } from '../model/run.ts'
import { type DigestKind, noDigest, type Sizer, type Trace, type TranscriptHead } from '../model/trace.ts'
import { builtinModels } from '../models/lookup.ts'
import type { ModelTable } from '../models/table.ts'
import type { Card } from '../policies/catalogue/card.ts'
import type { Native, Policy } from '../policies/policy.ts'
import { references, referencesWithoutCopies } from '../references/digest.ts'
import { type Baseline, today } from '../simulator/baseline.ts'
import { broughtBy } from '../simulator/brought-sizes.ts'
import { Case, type CaseInputs, type Meters, type NativeMeter } from '../simulator/case.ts'
import { type Claims, contextOf } from '../simulator/claims.ts'
import type { Cell } from '../simulator/simulate.ts'

/** What is replayed, and how it is counted and judged. */
export interface Plan {
  /** No figure depends on their cards; `recommend` and `report` say by them how a policy is turned on. */
  readonly policies: readonly Chosen<Policy & Partial<Card>>[]
  readonly estimators: readonly Chosen<Estimator>[]
  /** Tokens, 0 = none; shares of the model's context window, such as `50%`; or `own`, the budget of each policy's own. */
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
  /** Measure, too, what is gone of copied text, which makes reading for references a fifth slower. */
  readonly copies?: boolean
}

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
  throw new CtxwinError(
    'usage',
    'with many budgets, --baseline is today or unpruned: any other policy would have a budget of its own',
  )
}

/** Every policy that is replayed. */
function policiesOf(plan: Plan): Chosen<Policy>[] {
  return [...plan.policies, baselineOf(plan).policy]
}

/** Whether nothing of a plan is code of the user's own, of which nobody knows whether it is what it was. */
function isOurs(plan: Plan): boolean {
  return policiesOf(plan).every(({ plugin }) => plugin.module === undefined)
}

/** The key of what a plan tries, and of more that a figure depends on; null where code of the user's own is in it. */
export function keyOfTried(plan: Plan, ...more: readonly unknown[]): string | null {
  return isOurs(plan) ? keyOf([plan.policies.map(identityOf), plan.budgets, ...more]) : null
}

/** Whether a plan needs the text of the messages. */
export function needsMessages(plan: Plan): boolean {
  return policiesOf(plan).some(({ plugin }) => plugin.text)
}

/** The counters of programs that a plan counts by, if it does, in the order of their sizers. */
export function nativeCounters(plan: Plan): Native[] {
  if (!plan.native) return []
  return [...new Set(policiesOf(plan).flatMap(({ plugin }) => plugin.native ?? []))]
}

/** How the reader should size the messages of a transcript for a plan. */
export function sizersFor(plan: Plan): (head: TranscriptHead) => readonly Sizer[] {
  return (head) => [
    ...plan.estimators.map((estimator) => sizerOf(estimator, head, plan)),
    ...nativeCounters(plan).map((native) => nativeSizer(native, head, plan)),
    ...plan.estimators.flatMap((estimator, index) =>
      estimator.plugin.uncorrected ? [spareSizer(estimator, index, head, plan)] : [],
    ),
  ]
}

function sizerOf(estimator: Chosen<Estimator>, head: TranscriptHead, plan: Plan): Sizer {
  const { message } = estimator.plugin.meter(contextOf(head, claimsOf(plan)), estimator.values)
  const column = broughtBy(head, claimsOf(plan), estimator)
  if (column < 0) return message
  return Object.assign((one: Message) => one.sizes?.[column] ?? message(one), {
    thoughts: (one: Message) => one.thoughtSizes?.[column],
  })
}

function nativeSizer(native: Native, head: TranscriptHead, plan: Plan): Sizer {
  if ('message' in native) return (message: Message) => native.message(message, head.file)
  return sizerOf(choose(estimators.get(native.estimator)), head, plan)
}

function spareSizer({ plugin }: Chosen<Estimator>, spareFor: number, head: TranscriptHead, plan: Plan): Sizer {
  const other = plugin.uncorrected?.(contextOf(head, claimsOf(plan)))
  if (!other) return () => Number.NaN
  const message = sizerOf(other, head, plan)
  return Object.assign((one: Message) => message(one), {
    spareFor,
    ...(message.thoughts && { thoughts: message.thoughts }),
  })
}

/** What a run by a plan is to say of the sizes that a transcript brings along. */
export function ofItsSizes(plan: Plan): (head: TranscriptHead) => 'own-sizes' | 'other-sizes' | null {
  return (head) => {
    if (!head.sizedBy || plan.estimators.length === 0) return null
    return plan.estimators.every((one) => broughtBy(head, claimsOf(plan), one) >= 0) ? 'own-sizes' : 'other-sizes'
  }
}

/** What the reader should keep of a transcript's text for a plan. */
export function digestFor(plan: Plan): DigestKind {
  if (plan.references !== true && !policiesOf(plan).some(({ plugin }) => plugin.looksAhead)) return noDigest
  return plan.copies ? references : referencesWithoutCopies
}

/**
 * A plan's case of one transcript. Plans that count alike have one case of it, so that what cases find out once (the cache's
 * behaviour, what the recorded agent did) is found out once for all of them.
 * @param nth the number of the plan's estimator that counts
 */
export function caseOf(trace: Trace, plan: Plan, nth = 0): Case {
  const inputs = inputsOf(plan, nth, restsOn(trace)[nth] ?? nobody)
  const known = cases.get(trace) ?? []
  cases.set(trace, known)
  const same = known.find((one) => areSame(one.inputs, inputs))
  if (same) return same
  const facts = new Case(trace, inputs)
  known.push(facts)
  return facts
}

const cases = new WeakMap<Trace, Case[]>()

/** Hidden tokens of the user's other sessions that tell of a transcript, by estimator. */
type Others = readonly (readonly number[])[]

const others = new WeakMap<Trace, Others>()
const nobody: Others[number] = []

/** From now on, cases of the transcript rest on what others told of its preamble. */
export function restOn(trace: Trace, told: Others): void {
  others.set(trace, told)
}

/** What was told of a transcript; nothing is of most. */
export function restsOn(trace: Trace): Others {
  return others.get(trace.whole) ?? []
}

function areSame({ meters, ...one }: CaseInputs, { meters: others, ...other }: CaseInputs): boolean {
  const { native } = others
  return (
    meters.own === others.own &&
    meters.spare === others.spare &&
    meters.native.size === native.size &&
    [...meters.native].every(([counter, { at }]) => native.get(counter)?.at === at) &&
    (Object.keys(one) as (keyof typeof one)[]).every((key) => one[key] === other[key])
  )
}

function inputsOf(plan: Plan, nth: number, own: readonly number[]): CaseInputs {
  const estimator = plan.estimators[nth]
  if (!estimator) throw new CtxwinError('usage', 'a plan names an estimator')
  return {
    ...claimsOf(plan),
    estimator,
    meters: metersOf(plan, nth),
    preamble: plan.preamble ?? 'auto',
    own,
    prices: plan.prices ?? builtinModels,
    cache: plan.cache ?? 'recorded',
    baseline: baselineOf(plan),
    native: plan.native === true,
    references: plan.references !== false,
    copies: plan.copies === true,
  }
}

/** One for each estimator. */
export function casesOf(trace: Trace, plan: Plan): Case[] {
  return plan.estimators.map((_, nth) => caseOf(trace, plan, nth))
}

/**
 * What is replayed of the cases of one transcript, in the order policies, cases, budgets.
 * @throws CtxwinError for a share of a window that is not known
 */
export function cellsOf(cases: readonly Case[], { policies, budgets }: Pick<Plan, 'policies' | 'budgets'>): Cell[] {
  return policies.flatMap((policy) =>
    cases.flatMap((facts) => budgets.map((budget) => ({ policy, facts, ...facts.ceiling(budget, policy.plugin) }))),
  )
}

/** The plan's first policy, estimator and budget. */
export function firstCell(trace: Trace, plan: Plan): Cell {
  const [policy, budget] = [plan.policies[0], plan.budgets[0]]
  if (!policy || budget === undefined) throw new CtxwinError('usage', 'a plan names a policy and a budget')
  const facts = caseOf(trace, plan)
  return { policy, facts, ...facts.ceiling(budget, policy.plugin) }
}

const claimsOf = ({ model = null, provider = null }: Plan): Claims => ({ model, provider })

/** In the order of `sizersFor`. */
function metersOf(plan: Plan, nth: number): Meters {
  const counters = nativeCounters(plan)
  const from = plan.estimators.length
  const before = plan.estimators.slice(0, nth).filter(({ plugin }) => plugin.uncorrected)
  return {
    own: nth,
    spare: from + counters.length + before.length,
    native: new Map(counters.map((counter, at) => [counter, nativeMeter(counter, from + at)])),
  }
}

function nativeMeter(native: Native, at: number): NativeMeter {
  return 'estimator' in native ? { at, estimator: choose(estimators.get(native.estimator)) } : { at }
}
