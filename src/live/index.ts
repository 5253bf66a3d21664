/**
 * `ctxwin/live`: the policies of the catalogue in an agent.
 *
 *     import { live } from 'ctxwin/live'
 *     const window = live('knobs:unit=result,operation=mask', { api: 'anthropic', budget: 120_000, model: 'claude-opus-4-5' })
 *     const { messages } = window.next(history)
 */
import { type Chosen, choose } from '../base/chosen.ts'
import { door, type Options } from '../base/door.ts'
import { givenIn } from '../base/param.ts'
import { either, oneOf, optional, type Shape } from '../base/plain-shape.ts'
import bytes from '../estimators/bytes.ts'
import estimate from '../estimators/estimate.ts'
import type { Estimator } from '../estimators/estimator.ts'
import { ownTokens } from '../model/budget.ts'
import { builtinModels, lookupModel } from '../models/lookup.ts'
import { cacheSharesOf } from '../models/pricing.ts'
import { policies } from '../policies/index.ts'
import type { Policy } from '../policies/policy.ts'
import { type AnthropicMessage, anthropic } from './forms/anthropic.ts'
import { type ChatMessage, chat } from './forms/chat.ts'
import type { Form } from './forms/form.ts'
import { type ResponseItem, responses } from './forms/responses.ts'
import {
  formShape,
  type LiveOptions,
  type LiveWindow,
  liveWindow,
  type Parts,
  type SummarisingOptions,
  type SummarisingWindow,
  summarising,
  summarisingWindow,
} from './live.ts'

/** The messages of each API. */
export interface Elements {
  readonly anthropic: AnthropicMessage
  readonly chat: ChatMessage
  readonly responses: ResponseItem
}

const forms: { readonly [Api in keyof Elements]: Form<Elements[Api]> } = { anthropic, chat, responses }

/** How tokens are counted until usage corrects that. */
const estimators = { estimate, bytes }

export interface Of<Api> {
  /** In whose form the messages of the history are: one of these, a form of `ctxwin/live/forms`, or your own. */
  readonly api: Api
  /** Default `estimate`: by the model's family. */
  readonly estimator?: keyof typeof estimators
}

/**
 * A window over an agent's history.
 * @param policy as on the command line: `drop-oldest`, `knobs:unit=result,operation=mask`; or a policy of your own
 * @throws CtxwinError for an unknown policy or param, one that no agent can run, or a budget that is none
 */
export function live<Api extends keyof Elements>(
  policy: string | Policy,
  options: SummarisingOptions<Elements[Api]> & Of<Api>,
): SummarisingWindow<Elements[Api]>
export function live<Api extends keyof Elements>(
  policy: string | Policy,
  options: LiveOptions & Of<Api>,
): LiveWindow<Elements[Api]>
export function live<Element>(
  policy: string | Policy,
  options: SummarisingOptions<Element> & Of<Form<Element>>,
): SummarisingWindow<Element>
export function live<Element>(policy: string | Policy, options: LiveOptions & Of<Form<Element>>): LiveWindow<Element>
export function live<Element>(
  policy: string | Policy,
  given: (LiveOptions | SummarisingOptions<Element>) & Of<keyof Elements | Form<Element>>,
): LiveWindow<Element> | SummarisingWindow<Element> {
  const options: Partial<SummarisingOptions<Element>> & Of<keyof Elements | Form<Element>> = enter(given)
  const { api, estimator = 'estimate', summarise, ...known } = options
  const { model } = known
  const of = chosen(policy)
  const parts: Parts<Element> = {
    policy: of,
    estimator: choose<Estimator>(estimators[estimator]),
    form: typeof api === 'string' ? (forms[api] as unknown as Form<Element>) : api,
  }
  const cache = known.cache ?? (model === undefined ? null : cacheSharesOf(model, builtinModels))
  const window = model === undefined ? null : (lookupModel(model)?.contextWindow ?? null)
  const budget = known.budget ?? ownTokens(of.plugin.ownBudget, model ?? null, window)
  const full = { ...known, ...(cache && { cache }), ...(budget !== null && { budget }) }
  return summarise ? summarisingWindow(parts, { ...full, summarise }) : liveWindow(parts, full)
}

const enter = door('live', {
  ...summarising,
  summarise: [optional(summarising.summarise[0]), summarising.summarise[1]],
  api: [
    either(oneOf(Object.keys(forms)), formShape) as Shape<never>,
    `${Object.keys(forms).join(', ')}, or a form of ctxwin/live/forms`,
  ],
  estimator: [optional(oneOf(['estimate', 'bytes'])), 'estimate or bytes'],
} satisfies Options<Partial<SummarisingOptions<never>> & Of<Form<never>>>)

function chosen(policy: string | Policy): Chosen<Policy> {
  if (typeof policy !== 'string') return choose(policy)
  const [name = '', ...rest] = policy.split(':')
  return choose(policies.get(name), rest.length === 0 ? {} : givenIn(name, rest.join(':')))
}

export * from './core.ts'
