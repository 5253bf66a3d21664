/**
 * A policy in an agent: before each request the agent gives its history and gets what to send. It is the policy that
 * was simulated, driven by the same steps, with nothing that only a simulation could know.
 */
import type { Chosen } from '../base/chosen.ts'
import { chosenWith, identityOf } from '../base/chosen.ts'
import { door, type Options } from '../base/door.ts'
import { CtxwinError } from '../base/errors.ts'
import { parseTokens } from '../base/param.ts'
import {
  amount,
  count,
  each,
  either,
  having,
  list,
  method,
  number,
  object,
  oneOf,
  optional,
  orNull,
  record,
  type Shape,
  string,
  time,
} from '../base/plain-shape.ts'
import type { Estimator } from '../estimators/estimator.ts'
import type { Usage } from '../model/message.ts'
import type { CachePrices, Policy } from '../policies/policy.ts'
import { spokenBy } from '../readers/wire/spoken.ts'
import { usageOf } from '../readers/wire/usage.ts'
import type { Beside, Form } from './forms/form.ts'
import { data, History, isCounted, type LiveLog, type LoggedRequest } from './history.ts'
import { type LiveCut, LiveRun } from './run.ts'
import { type Asked, readFor } from './window.ts'

export interface LiveOptions extends Beside {
  /**
   * The most tokens that a request should have: 120000, or '120k'; 0 for none, so that a policy acts by its other
   * triggers alone. Needless for a policy that goes by no budget; and for one with a budget of its own, which `live`
   * takes then.
   */
  readonly budget?: number | string
  readonly model?: string
  readonly cwd?: string
  /** Tokens of system prompt and tools, for who does not give them. Usage that is told corrects them. */
  readonly preamble?: number
  /**
   * What the provider's prompt cache costs, for policies that weigh it. Default: Anthropic's; `live` takes that of
   * `model`.
   */
  readonly cache?: CachePrices
  /** What `state` said in another process, of the same policy and a history that began alike. */
  readonly state?: LiveState
}

/** A summary that the agent's own model is to write. */
export interface Summarised<Element> {
  /** What it is to stand for, in the form of the history. */
  readonly messages: readonly Element[]
  /** About as many tokens as the policy reckons with. */
  readonly tokens: number
}

export interface SummarisingOptions<Element> extends LiveOptions {
  /** Asks a model, and gives the text of the summary. */
  readonly summarise: (what: Summarised<Element>) => Promise<string> | string
}

/** What is known of the request before, and of now. */
export interface Told {
  /** What the provider counted for the response that has come: its own `usage` object, in the form of any API. */
  readonly usage?: unknown
  /** When the request goes out; default now. Policies ask how long the agent was idle, as prompt caches expire. */
  readonly at?: number | Date
}

/** A request. */
export interface LiveRequest<Element> {
  /** What to send: the history's own objects, but for what the policy left out, changed or put in. */
  readonly messages: Element[]
  /** Tokens of the whole request, estimated. */
  readonly tokens: number
  /**
   * What it came to that messages left since the request before; null if none did. Masking and emptying them is no cut.
   */
  readonly cut: LiveCut | null
}

/** Plain data. It has when requests were made and what models summarised, and no other words of the history. */
export interface LiveState extends LiveLog {
  readonly ctxwin: 1
  readonly policy: { readonly name: string; readonly values: Readonly<Record<string, unknown>> }
  readonly budget: number
}

export interface LiveWindow<Element> {
  /**
   * The request that goes out now.
   * @param history all messages of the conversation, as they came; those from before may not change, but be taken back
   */
  next<Given extends Element>(history: readonly Given[], told?: Told): LiveRequest<Given>
  readonly state: LiveState
}

export interface SummarisingWindow<Element> {
  /** As of `LiveWindow`, once a model has written what it asks for. */
  next<Given extends Element>(history: readonly Given[], told?: Told): Promise<LiveRequest<Given>>
  readonly state: LiveState
}

/** All that a window is made of. */
export interface Parts<Element> {
  readonly policy: Chosen<Policy>
  readonly estimator: Chosen<Estimator>
  readonly form: Form<Element>
}

/** @throws CtxwinError for a policy that cannot run in an agent, or a state of another one */
export function liveWindow<Element>(parts: Parts<Element>, options: LiveOptions): LiveWindow<Element> {
  const driver = new Driver(parts, options)
  return {
    next<Given extends Element>(history: readonly Given[], told?: Told) {
      const { open } = driver.request(history, told)
      if (open.length > 0) throw new CtxwinError('usage', summaryWords(parts.policy.plugin.name))
      return driver.sent as LiveRequest<Given>
    },
    get state() {
      return driver.state
    },
  }
}

/** @throws as `liveWindow` */
export function summarisingWindow<Element>(
  parts: Parts<Element>,
  given: SummarisingOptions<Element>,
): SummarisingWindow<Element> {
  const { summarise, ...options } = enterSummarising(given)
  const driver = new Driver(parts, options)
  const write = async (asked: Asked): Promise<void> => {
    const messages = readFor(asked).flatMap((message) => parts.form.write(message))
    driver.tell(asked, await summarise({ messages, tokens: asked.tokens }))
  }
  let busy = false
  return {
    async next<Given extends Element>(history: readonly Given[], told?: Told) {
      if (busy)
        throw new CtxwinError('usage', 'a request is waiting for its summary: await `next` before it is called again')
      busy = true
      try {
        for (const asked of driver.request(history, told).open) await write(asked)
        return driver.sent as LiveRequest<Given>
      } finally {
        busy = false
      }
    },
    get state() {
      return driver.state
    },
  }
}

const usageWords = 'next: `usage` has to have the counts of an API: whole numbers of tokens, not below 0'

const summaryWords = (name: string): string =>
  `${name} wants a summary: give \`summarise\`, which asks your model for it, and await \`next\``

class Driver<Element> {
  readonly #policy: Chosen<Policy>
  readonly #budget: number
  readonly #history: History<Element>
  readonly #usageOf: (usage: unknown) => Usage | undefined
  #run: LiveRun | null = null

  constructor(parts: Parts<Element>, given: LiveOptions) {
    const { policy, estimator, form } = enterParts(parts)
    const options = enterOptions(given)
    const { system, tools, model = null, cwd = null, preamble = null, cache = null, state } = options
    const { plugin } = policy
    if (plugin.looksAhead || plugin.repeats)
      throw new CtxwinError('usage', `${plugin.name} knows what no agent does: it only runs over transcripts`)
    this.#policy = policy
    this.#usageOf = form.usageOf ?? usageOf
    this.#budget = budgetOf(options, plugin)
    if (state && !isOf(state, this.#identity)) throw new CtxwinError('usage', otherState(state, plugin.name))
    const provider = form.provider ?? spokenBy(model ?? undefined)
    const context = { provider, model }
    const begin = { policy, budget: this.#budget, head: { provider, model, cwd }, preambleTokens: preamble, cache }
    this.#history = new History(
      form,
      { provider, ...(system !== undefined && { system }), ...(tools && { tools }) },
      (known) =>
        LiveRun.begin({
          ...begin,
          preamble: known,
          meter: estimator.plugin.meter(context, estimator.values),
          scale: (trace) => estimator.plugin.scale(trace, 0, estimator.values, context),
        }),
      state ?? { requests: [], summaries: [] },
    )
  }

  request(history: readonly Element[], told?: Told): { readonly open: Asked[] } {
    const { usage, at = Date.now() } = enterTold(told ?? {})
    const input = this.#usageOf(usage)?.input ?? null
    if (input !== null && !isCounted(input)) throw new CtxwinError('usage', usageWords)
    this.#run = this.#history.request(history, { at: Number.isFinite(Number(at)) ? Number(at) : null, input })
    return { open: this.#history.open }
  }

  tell(asked: Asked, text: unknown): void {
    if (typeof text !== 'string') throw new CtxwinError('usage', '`summarise` has to give a text, or a promise of one')
    this.#history.tell(asked, text)
  }

  get sent(): LiveRequest<Element> {
    const { window, cut } = this.#run as LiveRun
    const tokens = window.sentTokens
    if (!Number.isFinite(tokens)) throw new CtxwinError('usage', 'the estimator gives no number of tokens')
    return { messages: this.#history.sent, tokens, cut }
  }

  get state(): LiveState {
    return { ctxwin: 1, ...this.#identity, ...this.#history.log }
  }

  get #identity(): Pick<LiveState, 'policy' | 'budget'> {
    const { name, values } = identityOf(this.#policy) as LiveState['policy']
    return { policy: { name, values }, budget: this.#budget }
  }
}

function budgetOf({ budget }: LiveOptions, { name, budgetless }: Policy): number {
  const tokens = typeof budget === 'string' ? parseTokens(budget) : (budget ?? (budgetless ? 0 : undefined))
  if (tokens !== undefined && tokens >= 0) return tokens
  throw new CtxwinError(
    'bad-value',
    `budget of ${name}`,
    budget ?? 'nothing',
    'a number of tokens such as 100000 or "100k"',
  )
}

function isOf({ ctxwin, policy, budget }: LiveState, own: Pick<LiveState, 'policy' | 'budget'>): boolean {
  return (
    ctxwin === 1 && JSON.stringify({ policy, budget }) === JSON.stringify({ policy: own.policy, budget: own.budget })
  )
}

const otherState = ({ policy, budget }: LiveState, name: string): string =>
  `the state is of ${policy?.name ?? 'something else'} at a budget of ${budget}, with its own params: give the same policy (${name}), params and budget`

const counted: Shape<number> = (input) => count(input) ?? (isCounted(input as number) ? null : '')

/** What the policy's requests were asked with: each of a longer history than the one before. */
const requests: Shape<LoggedRequest[]> = (value) => {
  const fault = list(object<LoggedRequest>({ elements: count, at: orNull(time), input: orNull(counted) }))(value)
  if (fault !== null) return fault
  const all = value as LoggedRequest[]
  const early = all.findIndex(({ elements }, at) => at > 0 && elements <= (all[at - 1] as LoggedRequest).elements)
  return early < 0 ? null : `${early}.elements`
}

export const formShape = having(['reader', 'partial', 'write'])

const enterParts = door('liveWindow', {
  policy: [chosenWith(['start']), 'a policy as `choose` gives it'],
  estimator: [chosenWith(['meter', 'scale']), 'an estimator as `choose` gives it'],
  form: [formShape, 'a form of messages'],
} satisfies Options<Parts<never>>)

const options = {
  budget: [optional(either(number, string)), 'a number of tokens such as 100000 or "100k"'],
  model: [optional(string), 'the name of a model'],
  cwd: [optional(string), 'a path'],
  preamble: [optional(amount), 'a number of tokens'],
  system: [optional(data), 'the system prompt as the API takes it'],
  tools: [optional(list(data)), 'a list of tools as the API takes them'],
  cache: [optional(object<CachePrices>(each(['read', 'write', 'seconds'], amount))), '{ read, write, seconds }'],
  state: [
    optional(
      object<LiveState>({
        ctxwin: oneOf([1]),
        policy: object({ name: string, values: record(data) }),
        budget: amount,
        requests,
        summaries: list(string),
      }),
    ),
    'what the `state` of a window said, unchanged',
  ],
} satisfies Options<LiveOptions>

const enterOptions = door('live', options)

export const summarising = {
  ...options,
  summarise: [method as Shape<never>, 'a function that gives the text of a summary'],
} satisfies Options<SummarisingOptions<never>>

const enterSummarising = door('live', summarising)

const enterTold = door('next', {
  usage: [optional(data), 'the usage that the API told'],
  at: [
    optional(either(time, (value) => (value instanceof Date ? null : ''))),
    'milliseconds since the epoch, or a Date',
  ],
} satisfies Options<Told>)
