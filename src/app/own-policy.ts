/**
 * Checks a policy from a user's own module before it runs on a transcript: its shape is checked, defaults are filled in,
 * and it is tried on a small conversation, so that a mistake is one sentence and not a stack trace in the middle of a run.
 */
import { CtxwinError } from '../base/errors.ts'
import { atOnce, withinTime } from '../base/own-code.ts'
import { type Param, type Params, resolveParams } from '../base/param.ts'
import { cacheBehaviour } from '../measures/cache-behaviour.ts'
import type { Message } from '../model/message.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'
import type { Pricing } from '../models/pricing.ts'
import type { Card, PolicyWithCard, TurnOnLine } from '../policies/catalogue/card.ts'
import type { Native } from '../policies/policy.ts'
import { TraceBuilder } from '../readers/trace-builder.ts'
import { Guard } from '../simulator/guard.ts'
import { replay } from '../simulator/replay.ts'

/**
 * The policy that a module exports, ready to run.
 * @param value what the module exports as its default
 * @param from the module, as the user named it
 * @param trialSeconds how long a trial may take, and a call of its counter if it does not say
 * @throws CtxwinError `bad-policy` saying what is missing, or what happened when it was tried
 */
export function checkPolicy(value: unknown, from: string, trialSeconds = 5): PolicyWithCard {
  const fail = (what: string): never => {
    throw new CtxwinError('bad-policy', from, what)
  }
  if (value === null || typeof value !== 'object') return fail('its default export is not a policy: see definePolicy')
  const given = value as Partial<PolicyWithCard>
  if (typeof given.name !== 'string' || !/^[a-z][a-z0-9-]*$/.test(given.name)) {
    return fail('it needs a `name` of lower-case letters, digits and dashes')
  }
  if (typeof given.start !== 'function') return fail('it needs `start(values, context)`, which returns its occasions')
  if (given.kind !== undefined && given.kind !== 'sticky' && given.kind !== 'view') {
    return fail('its `kind` is neither "sticky" nor "view"')
  }
  const { params = {} } = given
  for (const [key, param] of Object.entries(params as Record<string, Partial<Param<unknown>> | null>)) {
    if (typeof param?.parse !== 'function' || typeof param.expected !== 'string') {
      return fail(`its param "${key}" is not a param: make it with integer, number, choice, flag or text`)
    }
  }
  const { seconds } = given
  // The longest time that V8's timer can wait.
  if (seconds !== undefined && !(typeof seconds === 'number' && seconds > 0 && seconds < 2_000_000)) {
    return fail('its `seconds` is not a number of seconds')
  }
  const { ownBudget = 'window' } = given
  if (typeof ownBudget === 'number' ? !(ownBudget > 0) : !['window', 'named-window'].includes(ownBudget)) {
    return fail('its `ownBudget` is neither a number of tokens nor "window"')
  }
  const { native, turnOn, ...rest } = given
  const policy: PolicyWithCard = {
    ...rest,
    ...(native ? { native: checkedCounter(native, fail, seconds ?? trialSeconds) } : {}),
    ...(turnOn ? { turnOn: checkedTurnOn(turnOn.bind(given), fail) } : {}),
    name: given.name,
    summary: given.summary ?? '',
    source: given.source || from,
    params: params as Params,
    kind: given.kind ?? 'sticky',
    monotone: given.monotone === true,
    wholePairs: given.wholePairs === true,
    text: given.text === true,
    start: given.start.bind(given),
    module: from,
  }
  const values = resolveParams(policy.name, policy.params, {})
  for (const budget of [1, 20, 1000]) {
    policy.turnOn?.(values, budget)
    const place = () => `on a small conversation with a budget of ${budget}`
    const trace = conversation()
    const cache = cacheBehaviour(trace, sizes, pricing, 'ideal', trace.head.provider)
    const guard = new Guard({ module: from, seconds: trialSeconds, place, trial: true })
    guard.run(
      policy,
      values,
      { model: 'gpt-5', cwd: null, systemMessages: 0, compactions: [], clearings: [], recounts: [] },
      (run) => {
        const { kind, wholePairs: keepsPairs } = policy
        return replay(trace, { policy: run, kind, keepsPairs, budget, sizes, modelWindow: null, pricing, cache })
      },
    )
  }
  return policy
}

/**
 * Checks each result of the user's counter: one that is not a number would spoil every sum. The counter runs while a file is
 * read, which includes waiting for the disk, so each call is timed separately.
 */
function checkedCounter(native: Native, fail: (what: string) => never, seconds: number): Native {
  if (typeof native === 'object' && 'estimator' in native) return native
  const checked = (count: () => number, place: string): number => {
    const failed = (what: string) => fail(`${place}its \`native\` counter ${what}`)
    const late = () => failed(`was still running after ${seconds} seconds`)
    const counted: unknown = atOnce(
      () => withinTime(seconds, count, late),
      () => failed('returns a promise'),
      (error) => {
        if (error instanceof CtxwinError) throw error
        return failed('throws')
      },
    )
    if (typeof counted === 'number' && Number.isFinite(counted) && counted >= 0) return counted
    return failed('returns what is no count')
  }
  return {
    ...native,
    message: (message, file) =>
      checked(() => native.message(message), file === undefined ? '' : `${file}, line ${message.line}: `),
    preamble: (preamble, file) => checked(() => native.preamble(preamble), file === undefined ? '' : `${file}: `),
  }
}

/** Checks each answer: data says where it is set and what is written there by these names. */
function checkedTurnOn(
  turnOn: NonNullable<Card['turnOn']>,
  fail: (what: string) => never,
): NonNullable<Card['turnOn']> {
  return (values, budget, of) => {
    let how: unknown
    try {
      how = turnOn(values, budget, of)
    } catch {
      return fail('its `turnOn` throws')
    }
    if (how === null) return null
    const { file, text, since, note } = (typeof how === 'object' ? how : {}) as Readonly<Record<string, unknown>>
    const isOptional = (value: unknown): boolean => value === undefined || value === null || typeof value === 'string'
    if (typeof file === 'string' && typeof text === 'string' && isOptional(since) && isOptional(note)) {
      return how as TurnOnLine
    }
    return fail(
      'its `turnOn` returns neither null nor { file, text, since?, note? }: where it is set, and what is written there',
    )
  }
}

/** Everything is free: only whether the trial completes matters. */
const pricing: Pricing = {
  unit: 'input-token-equivalents',
  asOf: '',
  rule: null,
  hour: false,
  life: 0,
  rates: () => ({ input: 0, output: 0, read: 0, write: 0, write1h: 0 }),
}

/** Four units per message: only whether something leaves the window matters. */
const sizes: Sizes = {
  preamble: 2,
  joins: () => 0,
  of: () => 4,
  message: () => 4,
  tokens: (units) => units,
  units: (tokens) => tokens,
}

/** Three exchanges: an answer; two parallel calls; after a reset, a call with a message typed while the agent works. */
function conversation(): Trace {
  const trace = new TraceBuilder(
    {
      file: 'a small conversation',
      conversation: null,
      format: 'none',
      provider: 'openai',
      model: null,
      cwd: null,
      parent: null,
      forkMessage: null,
    },
    [],
    true,
  )
  const say = (message: Omit<Message, 'line' | 'blocks'>, text: string, ...calls: string[]) =>
    trace.add({
      ...message,
      line: trace.length + 1,
      blocks: [
        { type: 'text', text },
        ...calls.map((id) => ({ type: 'call', id, name: 'read', input: { path: 'a.ts' } }) as const),
      ],
    })
  say({ role: 'user' }, 'hello')
  say({ role: 'assistant' }, 'hi')
  say({ role: 'user' }, 'read both')
  say({ role: 'assistant' }, '', 'call_1', 'call_2')
  say({ role: 'tool', callId: 'call_1' }, 'one')
  say({ role: 'tool', callId: 'call_2' }, 'two')
  say({ role: 'assistant' }, 'done')
  trace.reset()
  say({ role: 'user' }, 'again')
  say({ role: 'assistant' }, '', 'call_3')
  say({ role: 'user', origin: 'queued' }, 'quickly')
  say({ role: 'tool', callId: 'call_3' }, 'three')
  say({ role: 'assistant' }, 'done again')
  return trace.build()
}
