/** What programs of others give the functions of the library (src/app/index.ts), held where it comes in (src/base/door.ts). */
import { chosenWith } from '../base/chosen.ts'
import { door, type Options } from '../base/door.ts'
import {
  amount,
  count,
  either,
  having,
  list,
  method,
  object,
  oneOf,
  optional,
  orNull,
  type Shape,
  string,
  truth,
} from '../base/plain-shape.ts'
import { shareOf } from '../model/budget.ts'
import { type By, cacheModes } from '../model/run.ts'
import type { Tolerance } from '../model/tolerance.ts'
import type { Trace } from '../model/trace.ts'
import type { ReadSettings } from './files/read-sources.ts'
import type { Plan } from './plan.ts'

/** Of what nobody but ctxwin gives. */
export const own = optional<never>(() => null)

const budget: Shape<Plan['budgets'][number]> = (value) => {
  if (value === 'own') return null
  if (typeof value !== 'string') return amount(value)
  const share = shareOf(value as `${number}%`) ?? 0
  return value.endsWith('%') && share > 0 && share <= 1 ? null : ''
}

export const planOptions = {
  policies: [list(chosenWith(['start'])), 'a list of policies as `choose` gives them'],
  estimators: [list(chosenWith(['meter', 'scale'])), 'a list of estimators as `choose` gives them'],
  budgets: [list(budget), 'a list of numbers of tokens, shares such as "50%", or "own"'],
  preamble: [optional(either(amount, oneOf(['auto']))), 'a number of tokens, or "auto"'],
  model: [optional(orNull(string)), 'the name of a model'],
  provider: [optional(orNull(oneOf(['anthropic', 'openai', 'google']))), 'anthropic, openai or google'],
  prices: [
    optional(object<object>({ models: list(object<object>({})) })),
    'a table as `parsePrices` gives it',
  ] as never,
  cache: [optional(oneOf(cacheModes)), cacheModes.join(', ')],
  baseline: [
    optional(object({ name: string, policy: chosenWith(['start']) })),
    '{ name, policy }, with a policy as `choose` gives it',
  ],
  native: [optional(truth), 'true or false'],
  references: [optional(truth), 'true or false'],
  copies: [optional(truth), 'true or false'],
} satisfies Options<Plan>

const enterPlan = door('a plan', planOptions)

const sound = new WeakMap<Plan, Plan>()

/** @throws CtxwinError naming what of it is not as a plan has it */
export function planOf(plan: Plan): Plan {
  const known = sound.get(Object(plan)) ?? enterPlan(plan)
  sound.set(plan, known)
  return known
}

const enterTrace = door('ctxwin', {
  trace: [having(['isResponse']), 'one that `readTraces` gives'],
  request: [optional(count), 'the number of a request, from 0; or null for the end'],
})

/** The plan for a trace. @throws as `planOf`, and for what is no trace */
export function planFor(trace: Trace, plan: Plan, request: number | null = null): Plan {
  enterTrace({ trace, request })
  return planOf(plan)
}

export const toleranceShape = object<Tolerance>({ over: oneOf(['nothing', 'baseline']), percent: amount })

const bys: readonly By[] = ['transcript', 'exchange', 'request', 'reference']

export const reading = {
  format: [optional(either(string, having(['read']))), 'the name of a reader, or one as `defineReader` gives it'],
  largestUnpacked: [optional(amount), 'a number of bytes'],
  column: [optional(orNull(string)), 'the name of a column'],
  branches: [optional(truth), 'true or false'],
  keepMessages: [optional(truth), 'true or false'],
  accepts: [optional(method as Shape<never>), 'a function of a trace and its source'],
  by: [optional(oneOf(bys)), bys.join(', ')],
  digest: [own, ''],
  redaction: [own, ''],
  traces: [own, ''],
  others: [own, ''],
} satisfies Options<ReadSettings>
